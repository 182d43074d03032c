"""The epoch: a digest of everything that may revoke stored answers without their keys changing.

In: the cache directory (trusted keys, revocations) and this package (its sources, its list of bad producers).
Out: the text of the file `epoch`, from which C derives the directory of the entries it may use.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from pathlib import Path

import cass_shim
from cass_shim.cache.files import read_file, write_file
from cass_shim.model.config import joined_digest

EPOCH_FILE = "epoch"
TRUST_FILES = ("trusted-keys", "revoked-keys")

# Producers whose answers are known to be wrong: (translator, version range, reason). A row makes every stored
# answer be looked at again.
BAD_PRODUCERS: tuple[tuple[str, str, str], ...] = ()

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


def sources_changed(since: float) -> bool:
    """Whether a source is newer than `since` (seconds since 1970) or gone: this process runs old code."""
    try:
        return any(path.stat().st_mtime > since for path in _sources())
    except OSError:
        return True


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
