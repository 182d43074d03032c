"""A walk over the local tier: every record, signature, blob, admitted entry and manifest against what its name says.

In: the tier and the trusted keys. Out: findings; what is bad has been removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cass_shim.cache.files import read_file, sharded
from cass_shim.cache.local import LocalTier
from cass_shim.cache.record import read_record
from cass_shim.cache.storage import sound_entry
from cass_shim.cache.trust import TrustSet
from cass_shim.model.entry import ENTRY_EXTENSION, read_entry
from cass_shim.model.errors import CassError, Malformed
from cass_shim.model.manifest import MANIFEST_EXTENSION, read_manifest

TEMPORARY_AGE_S = 3600.0  # of a file beside its final name, after which its writer is dead


@dataclass(frozen=True, slots=True)
class Finding:
    """A file that was removed, and why."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class Inspection:
    """sound: candidates that may be used."""

    sound: int
    findings: tuple[Finding, ...]


def inspect_tier(tier: LocalTier, trust: TrustSet) -> Inspection:
    """Look at everything in the tier and remove what is bad."""
    return _Walk(tier, trust).inspection()


class _Walk:
    def __init__(self, tier: LocalTier, trust: TrustSet) -> None:
        self.tier, self.trust, self.sound = tier, trust, 0

    def inspection(self) -> Inspection:
        checks: dict[str, Callable[[Path, bytes], None]] = {
            ".json": self._record,
            ENTRY_EXTENSION: _admitted,
            MANIFEST_EXTENSION: _manifest,
            "": _blob,
        }
        findings = list[Finding]()
        for path in sorted(one.path for one in self.tier.files()):
            is_temporary = path.name.startswith(".")
            if is_temporary and not _is_old(path):
                continue
            reason = "left behind by a writer that died" if is_temporary else self._reason(path, checks[_kind(path)])
            if reason:
                path.unlink(missing_ok=True)
                findings.append(Finding(path, reason))
        findings += self._withdrawn()
        return Inspection(self.sound, tuple(findings))

    def _reason(self, path: Path, check: Callable[[Path, bytes], None]) -> str:
        """Why a file is bad, or ""."""
        content = read_file(path)
        if content is None:
            return "not a file that only you can write"
        try:
            check(path, content)
        except (CassError, ValueError) as error:
            return str(error)
        return ""

    def _record(self, path: Path, content: bytes) -> None:
        if hashlib.sha256(content).hexdigest() != path.stem:
            raise Malformed("the record does not match its name")
        record = read_record(content)
        if record.signature:
            self.trust.signer_of(record)
        blobs = self.tier.versioned / "blobs"
        if sound_entry(bytes.fromhex(path.parent.name), content, lambda one: read_file(sharded(blobs, one))) is None:
            raise Malformed("its blob is gone")
        self.sound += 1

    def _withdrawn(self) -> Iterator[Finding]:
        """Entries that C may still use although no sound record is left that says so.

        The records are read after the entry: a writer stores a record before its entry.
        """
        for path in sorted(self.tier.versioned.glob(f"*/code/*/*{ENTRY_EXTENSION}")):
            content = read_file(path)
            if content is None:
                continue
            digest, folder = hashlib.sha256(content).hexdigest(), sharded(self.tier.versioned / "records", path.stem)
            if digest not in set(_entries(folder)):
                path.unlink(missing_ok=True)
                yield Finding(path, "no sound record says how it was checked")


def _entries(folder: Path) -> Iterator[str]:
    """The blobs that a key's readable records name."""
    for path in folder.glob("*.json"):
        content = read_file(path)
        with contextlib.suppress(Malformed):
            if content is not None:
                yield read_record(content).entry


def _kind(path: Path) -> str:
    return path.suffix if path.suffix in (".json", ENTRY_EXTENSION, MANIFEST_EXTENSION) else ""


def _is_old(path: Path) -> bool:
    try:
        # one of the future is of before the clock was set back
        return abs(time.time() - path.stat().st_mtime) > TEMPORARY_AGE_S
    except OSError:
        return False


def _blob(path: Path, content: bytes) -> None:
    if hashlib.sha256(content).hexdigest() != path.name:
        raise Malformed("the blob does not match its name")


def _admitted(path: Path, content: bytes) -> None:
    if read_entry(content).key.hex() != path.stem:
        raise Malformed("the entry is of another kernel")


def _manifest(path: Path, content: bytes) -> None:
    if read_manifest(content).module.hex() != path.stem:
        raise Malformed("the manifest is of another module")
