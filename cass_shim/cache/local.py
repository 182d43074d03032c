"""The local tier: immutable files that C reads on a hit, kept by least recent use.

  <root>/v1/epoch                               text; decides the name of the next level (model/config.py)
  <root>/v1/<epoch>/{modules,code}/ab/<digest>  what C opens: .cman by module digest, .ccode by record key
  <root>/v1/records/ab/<key>/<digest>.json      every candidate's record
  <root>/v1/blobs/ab/<sha256>                   code entries; the files under <epoch>/code are further names of them

A full disk or a read-only home costs the store, never the answer.
"""

from __future__ import annotations

import hashlib
import logging
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cass_shim.cache.audit import Audit
from cass_shim.cache.epoch import publish_epoch
from cass_shim.cache.files import is_ours, link_file, make_directory, read_file, sharded, write_file
from cass_shim.cache.record import Record, read_record
from cass_shim.cache.storage import Entry, sound_entry
from cass_shim.model.config import SCHEMA, Config, epoch_name
from cass_shim.model.entry import ENTRY_EXTENSION
from cass_shim.model.errors import Malformed
from cass_shim.model.manifest import MANIFEST_EXTENSION

log = logging.getLogger(__name__)


def cache_root(config: Config) -> Path | None:
    """Where the local tier lies, or None when there is no place. C computes the same (client/settings.c)."""
    if config.cache == "0":
        return None
    if config.cache_dir.startswith("/"):
        return Path(config.cache_dir)
    base, home = os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", "")
    if base.startswith("/"):
        return Path(base) / "cass"
    return Path(home) / ".cache" / "cass" if home.startswith("/") else None


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One file of the tier, for statistics and eviction. used: seconds since 1970."""

    path: Path
    inode: int
    size: int
    used: float


class LocalTier:
    """A `Storage` on this machine; also keeps manifests, and admits entries to where C finds them."""

    def __init__(self, root: Path, limit_bytes: int = 4 << 30) -> None:
        self.root, self.limit_bytes = root, limit_bytes
        self.versioned = root / f"v{SCHEMA}"
        self.base_epoch = ""
        self._silent: set[int] = set()
        self.publish()

    def publish(self) -> None:
        """Write the epoch of today's package and trust; entries of another one are misses for C from now on."""
        try:
            make_directory(self.root)
            make_directory(self.versioned)
            self.base_epoch = publish_epoch(self.root, self.versioned)
        except OSError as error:
            self._excuse(error)
            self.base_epoch = (read_file(self.versioned / "epoch") or b"").decode(errors="replace")

    def is_usable(self) -> bool:
        """Whether nobody else can put anything here: neither a link nor a directory that others may write.

        Asked before every access, since C does not use such a directory either.
        """
        try:
            for path in (self.root, self.versioned):
                status = path.lstat()
                if not stat.S_ISDIR(status.st_mode) or not is_ours(status):
                    raise PermissionError(f"{path} is not a directory of yours that only you can write")
        except FileNotFoundError:
            return True  # what is not there yet will be made
        except OSError as error:
            self._excuse(error)
            return False
        return True

    def _excuse(self, error: OSError) -> None:
        """One log line per kind of trouble; the caller goes on without the store."""
        kind = error.errno or 0
        if kind not in self._silent:
            self._silent.add(kind)
            log.warning("cache %s cannot be written (%s); translations are not kept", self.root, error)

    def _admitted(self, config: Config) -> Path:
        return self.versioned / epoch_name(self.base_epoch, config)

    def get(self, key: bytes) -> tuple[Entry, ...]:
        folder = sharded(self.versioned / "records", key.hex())
        try:
            paths = sorted(folder.glob("*.json")) if self.is_usable() else []
        except OSError:
            return ()
        found = (self._read(path, key) for path in paths)
        entries = [entry for entry in found if entry is not None]
        return tuple(sorted(entries, key=lambda one: (-one.record.level, one.record.created)))

    def _read(self, path: Path, key: bytes) -> Entry | None:
        """A candidate whose record and blob are what their names say; a bad one is dropped and reported."""
        content = read_file(path)
        if content is None:
            return None
        try:
            if hashlib.sha256(content).hexdigest() != path.stem:
                raise Malformed("the record does not match its name", where=path.name)
            return sound_entry(key, content, lambda name: read_file(sharded(self.versioned / "blobs", name)))
        except Malformed as error:
            log.error("dropped from the cache: %s: %s", path, error)
            Audit(self.root).add("dropped", path=str(path), reason=str(error))
            self._drop(path)
            return None

    def _drop(self, path: Path) -> None:
        try:
            path.unlink()
        except OSError as error:
            self._excuse(error)

    def put(self, key: bytes, entry: Entry) -> None:
        name = key.hex()
        assert entry.record.key == name, "record of another key"
        if not self.is_usable():
            return
        try:
            blob = sharded(self.versioned / "blobs", entry.record.entry)
            if read_file(blob) != entry.content:
                write_file(blob, entry.content)
            write_file(self._record_path(entry.record), entry.record.canonical())
        except OSError as error:
            self._excuse(error)

    def _record_path(self, record: Record) -> Path:
        return sharded(self.versioned / "records", record.key) / f"{record.digest}.json"

    def admit(self, record: Record, content: bytes, config: Config) -> None:
        """Let C find this entry under this policy. An entry that is there is replaced by rename.

        Without its record, which may not have been written, nothing would say how it was checked: it is left out.
        """
        path = sharded(self._admitted(config) / "code", record.key, ENTRY_EXTENSION)
        blob = sharded(self.versioned / "blobs", record.entry)
        if not self.is_usable() or not self._record_path(record).exists():
            return
        try:
            if read_file(path) == content:
                return
            if path.exists() or not blob.exists():
                write_file(path, content)
            else:
                link_file(blob, path)
        except OSError as error:
            self._excuse(error)

    def admitted(self, key: bytes, config: Config) -> bytes | None:
        """What C would find now; unchecked bytes."""
        path = sharded(self._admitted(config) / "code", key.hex(), ENTRY_EXTENSION)
        return read_file(path) if self.is_usable() else None

    def put_manifest(self, module: bytes, content: bytes, config: Config) -> None:
        """Let C find a module's manifest."""
        path = sharded(self._admitted(config) / "modules", module.hex(), MANIFEST_EXTENSION)
        if not self.is_usable():
            return
        try:
            if read_file(path) != content:
                write_file(path, content)
        except OSError as error:
            self._excuse(error)

    def withdraw(self, key: bytes, record_digest: str = "") -> int:
        """Remove a key's candidates (or one of them) and every admitted copy; returns the number of files."""
        name, removed = key.hex(), 0
        if not self.is_usable():
            return 0
        folder = sharded(self.versioned / "records", name)
        doomed = list(folder.glob(f"{record_digest or '*'}.json"))
        doomed += list(self.versioned.glob(f"*/code/{name[:2]}/{name}{ENTRY_EXTENSION}"))
        for path in doomed:
            self._drop(path)
            removed += 1
        return removed

    def files(self) -> Iterator[StoredFile]:
        """Every file of the tier except the epoch."""
        for folder, _, names in os.walk(self.versioned) if self.is_usable() else ():
            for name in names:
                path = Path(folder) / name
                try:
                    status = path.lstat()
                except OSError:
                    continue
                if stat.S_ISREG(status.st_mode) and name != "epoch" and "index" not in path.parts:
                    used = max(status.st_atime, status.st_mtime)
                    yield StoredFile(path, status.st_ino, status.st_size, used)

    def records(self) -> Iterator[Record]:
        """Every readable record."""
        for path in sorted((self.versioned / "records").rglob("*.json")) if self.is_usable() else ():
            content = read_file(path)
            try:
                if content is not None:
                    yield read_record(content, str(path))
            except Malformed as error:
                log.error("%s", error)

    def collect(self, limit_bytes: int | None = None) -> tuple[int, int]:
        """Remove the least recently used until the tier fits; (files removed, bytes left).

        Names of one inode go together, since removing one of them frees nothing.
        """
        limit = self.limit_bytes if limit_bytes is None else limit_bytes
        groups: dict[int, list[StoredFile]] = {}
        for one in self.files():
            groups.setdefault(one.inode, []).append(one)
        total = sum(names[0].size for names in groups.values())
        removed = 0
        for names in sorted(groups.values(), key=lambda names: max(one.used for one in names)):
            if total <= limit:
                break
            for one in names:
                self._drop(one.path)
                removed += 1
            total -= names[0].size
        return removed, total
