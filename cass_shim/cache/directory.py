"""An object store in a directory that several users or machines share, by the rules that NFS keeps.

Objects: written beside, renamed, never changed. Heads: changed under a lock file made with O_EXCL, by rename. Who
may write is the file system's business; whom to believe is a matter of signatures.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from cass_shim.cache.remote import HEAD_LIMIT, Change

LOCK_PATIENCE_S = 5.0
LOCK_STALE_S = 30.0  # a writer that died held it at most this long
OBJECT_MODE = 0o664  # the user's umask decides what a group may do


def _read(path: Path, limit: int) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"{path} is longer than {limit} bytes")
    return content


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.uname().nodename}.{os.getpid()}.{time.monotonic_ns()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, OBJECT_MODE)
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


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Exclusive over all machines; OSError when it cannot be had in time. A stale lock is taken away."""
    path.parent.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + LOCK_PATIENCE_S
    while True:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, OBJECT_MODE))
            break
        except FileExistsError:
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > LOCK_STALE_S:
                    path.unlink()
            if time.monotonic() > until:
                raise TimeoutError(f"{path} is held by another writer") from None
            time.sleep(0.02)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()


class DirectoryStore:
    """`<root>/cas/ab/<sha256>` and `<root>/ac/ab/<key>`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def _path(self, kind: str, name: str) -> Path:
        return self.root / kind / name[:2] / name

    def read_object(self, digest: str, limit: int) -> bytes | None:
        return _read(self._path("cas", digest), limit)

    def write_object(self, digest: str, content: bytes) -> None:
        path = self._path("cas", digest)
        try:
            if _read(path, len(content)) == content:
                return
        except (OSError, ValueError):
            pass  # a link, or something longer: the rename takes its place
        _write(path, content)

    def read_head(self, key: str, limit: int) -> bytes | None:
        return _read(self._path("ac", key), limit)

    def change_head(self, key: str, change: Change) -> None:
        """Under a lock that all machines see, by rename."""
        path = self._path("ac", key)
        with _locked(path.with_name(f".{key}.lock")):
            try:
                head = self.read_head(key, HEAD_LIMIT)
            except ValueError:
                head = b""  # somebody's garbage
            changed = change(head)
            if changed is not None:
                _write(path, changed)
