"""The epoch: a digest of everything that may revoke stored answers without their keys changing.

In: the cache directory (trusted keys, revocations) and this package (its sources, its list of bad producers).
Out: the text of the file `epoch`, from which C derives the directory of the entries it may use.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cass_shim
from cass_shim.cache.files import read_file, write_file
from cass_shim.cache.record import Record
from cass_shim.model.config import joined_digest

EPOCH_FILE = "epoch"
TRUST_FILES = ("trusted-keys", "revoked-keys")


@dataclass(frozen=True, slots=True)
class BadProducer:
    """Answers that are known to be wrong: a tool's versions from `since` up to, not including, `before`.

    tool: a name in a record's provenance (`llvm`, `clang`, `cass-shim`), or `route` for a translator of any version.
    """

    tool: str
    since: str
    before: str
    reason: str

    def made(self, record: Record) -> bool:
        """Whether a record is one of them."""
        if self.tool == "route":
            return record.route == self.since
        version = record.provenance.get(self.tool, "")
        return bool(version) and _numbers(self.since) <= _numbers(version) < _numbers(self.before)


def _numbers(version: str) -> tuple[int, ...]:
    """The first dotted number of a version's text, for comparing."""
    found = re.search(r"\d+(\.\d+)*", version)
    return tuple(int(one) for one in found[0].split(".")) if found else ()


# A row here reaches every machine with the package: the epoch changes, so C finds nothing that was admitted before, and
# the daemon does not admit what the row names.
BAD_PRODUCERS: tuple[BadProducer, ...] = ()


def bad_reason(record: Record) -> str:
    """Why a record's producer is not trusted any more, or ""."""
    return next((one.reason for one in BAD_PRODUCERS if one.made(record)), "")


# What decides how a kernel is translated and checked.
STAGES = ("isa", "extract", "decode", "lift", "translate", "assemble", "verify", "model", "pipeline.py")


PACKAGE = Path(cass_shim.__file__).parent


def _sources() -> Iterator[Path]:
    for stage in STAGES:
        top = PACKAGE / stage
        yield from sorted(top.rglob("*.py")) if top.is_dir() else [top]


@functools.cache
def sources_digest() -> str:
    """SHA-256 over the sources of the stages: a changed semantic or rule revokes what was made with the old one."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(joined_digest(str(path.relative_to(PACKAGE)), path.read_bytes()))
    return digest.hexdigest()


def sources_state() -> tuple[tuple[str, int, int], ...]:
    """Name, size and time of every source, to tell later whether this process runs old code.

    Their own times are compared and no clock is asked: one that was set back would make every source newer than a
    process that starts now.
    """
    found = []
    for path in _sources():
        with contextlib.suppress(OSError):
            status = path.stat()
            found.append((str(path), status.st_size, status.st_mtime_ns))
    return tuple(found)


def base_epoch(root: Path) -> str:
    """The epoch of the cache below `root` for this package, 64 hexadecimal digits."""
    trust = [read_file(root / name) or b"" for name in TRUST_FILES]
    return joined_digest(sources_digest(), repr(BAD_PRODUCERS), *trust).hex()


def publish_epoch(root: Path, versioned: Path) -> str:
    """Write the epoch's file when it changed; returns the epoch. Raises OSError."""
    epoch = base_epoch(root)
    if read_file(versioned / EPOCH_FILE) != epoch.encode():
        write_file(versioned / EPOCH_FILE, epoch.encode())
    return epoch
