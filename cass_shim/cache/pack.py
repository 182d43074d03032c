"""A pack: translations in one file that is carried to a machine without a common cache. Signed, never believed.

In: entries and a signer. Out: a zip archive, and back. Its members, and no others:

  pack.json              {"schema", "program", "records": digests, "signature"}; the signature is over the rest
  records/<digest>.json  signed canonical records
  blobs/<sha256>         code entries

Nothing is unpacked to a path: members are looked up by the names that the signed list leads to, and every length is
bounded before it is read. A pack is taken as a whole or not at all.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cass_shim.cache.record import DIGEST, RECORD_LIMIT, read_record
from cass_shim.cache.remote import BLOB_LIMIT
from cass_shim.cache.storage import Entry, sound_entry
from cass_shim.cache.trust import Signer, TrustSet
from cass_shim.model.config import SCHEMA
from cass_shim.model.errors import Malformed

CONTEXT = b"cass-shim pack 1\n"
LIST_NAME = "pack.json"
PACK_LIMIT = 1 << 30  # bytes of the file
UNPACKED_LIMIT = 1 << 30  # bytes of everything in it
LIST_LIMIT = 4 << 20
MEMBERS_LIMIT = 40_000
END = struct.Struct("<4s4H2LH")  # end of central directory record. Source: APPNOTE.TXT 4.3.16
LOCATOR_BYTES = 20  # zip64 locator, which would stand before it. Source: APPNOTE.TXT 4.3.15
# What zipfile and zlib raise for bytes that are no archive: an encrypted member is a RuntimeError to them.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OverflowError, struct.error)
EPOCH_1980 = (1980, 1, 1, 0, 0, 0)  # equal translations make equal packs


@dataclass(frozen=True)
class Pack:
    """What a pack holds. signer: the trusted key that signed the list."""

    program: str
    signer: str
    entries: tuple[Entry, ...]


def write_pack(path: Path, program: str, entries: Sequence[Entry], signer: Signer) -> None:
    """Write a pack in place of `path`, by rename. Unsigned records get this signer's signature. Raises OSError."""
    signed = [entry.record if entry.record.signature else signer.sign(entry.record) for entry in entries]
    members = {f"blobs/{entry.record.entry}": entry.content for entry in entries}
    members |= {f"records/{record.digest}.json": record.canonical() for record in signed}
    digests = [record.digest for record in signed]
    listed = _list_bytes(program, digests)
    head = {**json.loads(listed), "signature": signer.seal(CONTEXT + listed)}
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with zipfile.ZipFile(temporary, "x", zipfile.ZIP_DEFLATED, allowZip64=False) as archive:
            _add(archive, LIST_NAME, _canonical(head))
            for name in sorted(members):
                _add(archive, name, members[name])
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    member = zipfile.ZipInfo(name, EPOCH_1980)
    member.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(member, content)


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _list_bytes(program: str, digests: Sequence[str]) -> bytes:
    """What the pack's signature covers."""
    return _canonical({"schema": SCHEMA, "program": program, "records": list(digests)})


def read_pack(path: Path, trust: TrustSet) -> Pack:
    """The entries of a pack. Raises Malformed for bytes that are none, Rejected for what no trusted key signed."""
    where = str(path)
    try:
        with path.open("rb") as file:
            _check_end(file, where)
            with zipfile.ZipFile(file) as archive:
                return _Reader(archive, where).pack(trust)
    except OSError as error:
        raise Malformed(error.strerror or str(error), where=where) from error
    except DAMAGE as error:
        raise Malformed(f"damaged or truncated pack ({error}); copy it again", where=where) from error


def _check_end(file: BinaryIO, where: str) -> None:
    """Look at the archive's end before anything is allocated by what it says."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - END.size - LOCATOR_BYTES))
    tail = file.read(END.size + LOCATOR_BYTES)
    if size > PACK_LIMIT:
        raise Malformed(f"{size} bytes; a pack has at most {PACK_LIMIT}", where=where)
    if len(tail) < END.size or tail[-END.size :][:4] != b"PK\5\6":
        raise Malformed("not a pack, or truncated; copy it again", where=where)
    _, disk, first, here, total, directory_bytes, _, comment = END.unpack(tail[-END.size :])
    if tail[: -END.size][-LOCATOR_BYTES:][:4] == b"PK\6\7" or disk or first or comment or here != total:
        raise Malformed("an archive of another kind; packs have one part, no comment and no zip64", where=where)
    if total > MEMBERS_LIMIT or directory_bytes > 200 * MEMBERS_LIMIT:
        raise Malformed(f"{total} members; a pack has at most {MEMBERS_LIMIT}", where=where)


class _Reader:
    """Bounded reads of the members of one archive."""

    def __init__(self, archive: zipfile.ZipFile, where: str) -> None:
        self.archive, self.where, self.left = archive, where, UNPACKED_LIMIT
        self.members: dict[str, zipfile.ZipInfo] = {}
        for one in archive.infolist():
            if not _is_our_name(one.orig_filename):
                raise Malformed(f"member {one.orig_filename[:200]!r} does not belong into a pack", where=where)
            if one.orig_filename in self.members:
                raise Malformed(f"member {one.orig_filename} is there twice", where=where)
            self.members[one.orig_filename] = one

    def read(self, name: str, limit: int) -> bytes:
        """A member's bytes, at most `limit`; never more than a pack may hold in all."""
        member = self.members.get(name)
        if member is None:
            raise Malformed(f"{name} is missing", where=self.where)
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Malformed(f"{name} is compressed in a way that packs are not", where=self.where)
        limit = min(limit, self.left)
        with self.archive.open(member) as stream:
            content = stream.read(limit + 1)
        if len(content) > limit:
            raise Malformed(f"{name} unpacks to more than {limit} bytes", where=self.where)
        self.left -= len(content)
        return content

    def pack(self, trust: TrustSet) -> Pack:
        """Everything, after the signature of the list and of each record."""
        program, digests, signature = self._list()
        signer = trust.check(signature, CONTEXT + _list_bytes(program, digests), self.where)
        entries = tuple(self._entry(digest, trust) for digest in digests)
        used = {LIST_NAME, *(f"records/{one.record.digest}.json" for one in entries)}
        spare = set(self.members) - used - {f"blobs/{one.record.entry}" for one in entries}
        if spare:
            raise Malformed(f"member {min(spare)} is not in the signed list", where=self.where)
        return Pack(program, signer, entries)

    def _list(self) -> tuple[str, list[str], str]:
        """(program, record digests, signature) of pack.json."""
        where = f"{self.where}: {LIST_NAME}"
        try:
            value = json.loads(self.read(LIST_NAME, LIST_LIMIT))
        except (ValueError, RecursionError) as error:
            raise Malformed("not JSON", where=where) from error
        if not isinstance(value, dict) or set(value) != {"schema", "program", "records", "signature"}:
            raise Malformed("not the list of a pack", where=where)
        if value["schema"] != SCHEMA:
            raise Malformed(f"schema {value['schema']!r}; this cass-shim reads {SCHEMA}", where=where)
        program, digests, signature = value["program"], value["records"], value["signature"]
        if not isinstance(program, str) or not isinstance(signature, str) or not isinstance(digests, list):
            raise Malformed("a member has another type", where=where)
        if not all(isinstance(one, str) and DIGEST.fullmatch(one) for one in digests):
            raise Malformed("a digest is not 64 hexadecimal digits", where=where)
        if len(set(digests)) != len(digests):
            raise Malformed("a record is listed twice", where=where)
        return program, digests, signature

    def _entry(self, digest: str, trust: TrustSet) -> Entry:
        name = f"records/{digest}.json"
        content = self.read(name, RECORD_LIMIT)
        if hashlib.sha256(content).hexdigest() != digest:
            raise Malformed(f"{name} does not match its name", where=self.where)
        record = read_record(content, f"{self.where}: {name}")
        if record.canonical() != content:
            raise Malformed(f"{name} is not canonical JSON", where=self.where)
        trust.signer_of(record)
        entry = sound_entry(bytes.fromhex(record.key), content, lambda blob: self.read(f"blobs/{blob}", BLOB_LIMIT))
        assert entry is not None, "a missing blob is an error of its own"
        return entry


def _is_our_name(name: str) -> bool:
    folder, _, rest = name.partition("/")
    digest = rest.removesuffix(".json") if folder == "records" and rest.endswith(".json") else rest
    is_object = folder in ("records", "blobs") and DIGEST.fullmatch(digest) is not None
    return name == LIST_NAME or (is_object and (folder == "records") == (rest != digest))
