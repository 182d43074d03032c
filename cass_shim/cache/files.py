"""Files that never change once they have their name: written beside, synced, renamed; read without following links.

In: paths below a directory of ours. Out: bytes. A directory that others can write is refused.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
from pathlib import Path

_serial = itertools.count()


def is_ours(status: os.stat_result) -> bool:
    """Owned by this user or root, and not writable by anyone else."""
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def make_directory(path: Path) -> None:
    """Create `path` (0700) and its parents; OSError when it is a link, not a directory or not ours."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or not is_ours(status):
        raise PermissionError(f"{path} is not a directory of yours that only you can write")


def write_file(path: Path, content: bytes) -> None:
    """Atomic and durable: after a crash at any instant `path` is absent or whole. Raises OSError."""
    make_directory(path.parent)
    temporary = path.with_name(f".{path.name[:40]}.{os.getpid()}.{next(_serial)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def link_file(source: Path, path: Path) -> None:
    """Give an immutable file a second name (a copy where links are not possible). Raises OSError."""
    make_directory(path.parent)
    try:
        os.link(source, path, follow_symlinks=False)
    except FileExistsError:
        if not os.path.samefile(source, path):
            write_file(path, source.read_bytes())
    except OSError:
        write_file(path, source.read_bytes())


def read_file(path: Path, limit: int = 1 << 28) -> bytes | None:
    """The bytes of a regular file of ours, or None: missing, a link, foreign, or longer than `limit`."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or not is_ours(status) or status.st_size > limit:
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        try:
            return file.read()
        except OSError:
            return None


def sharded(root: Path, name: str, extension: str = "") -> Path:
    """`root/ab/abcd…` for a hexadecimal name."""
    return root / name[:2] / (name + extension)
