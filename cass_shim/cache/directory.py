"""An object store in a directory that several users or machines share, by the rules that NFS keeps.

Objects: written beside, renamed, never changed. Heads: changed under a lock file made by link(2), by rename. The lock
lies in the head's directory, so that taking it also drops what an NFS client remembers of names that were missing. Who
may write is the file system's business; whom to believe is a matter of signatures.
"""

from __future__ import annotations

import contextlib
import errno
import os
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from cass_shim.cache.remote import HEAD_LIMIT, Change

LOCK_PATIENCE_S = 5.0
LOCK_STALE_S = 30.0  # a writer that died held it at most this long
OBJECT_MODE = 0o664  # the user's umask decides what a group may do


def _read(path: Path, limit: int) -> bytes | None:
    """A file's bytes, None where there is none. On NFS another machine's rename makes an open file stale: once more."""
    try:
        return _read_once(path, limit)
    except OSError as error:
        if error.errno != errno.ESTALE:
            raise
        return _read_once(path, limit)


def _read_once(path: Path, limit: int) -> bytes | None:
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
    temporary = _aside(path.with_name(f".{path.name}"))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, OBJECT_MODE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        _rename(temporary, path, content)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _rename(temporary: Path, path: Path, content: bytes) -> None:
    """On NFS a request whose answer got lost is sent again and finds its work done: ENOENT, though it was."""
    try:
        os.rename(temporary, path)
    except FileNotFoundError:
        if _read(path, len(content)) != content:
            raise


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Exclusive over all machines; OSError when it cannot be had in time. A dead writer's lock is taken away."""
    path.parent.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + LOCK_PATIENCE_S
    own = _aside(path)
    own.write_bytes(_owner(os.getpid()).encode())  # says whose the lock is, for others on the same machine
    try:
        while not _is_taken(path, own):
            _take_away(path)
            if time.monotonic() > until:
                raise TimeoutError(f"{path} is held by another writer")
            time.sleep(random.uniform(0.005, 0.03))
    finally:
        own.unlink()
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()


def _aside(path: Path) -> Path:
    """A name beside `path` that nobody else uses."""
    owner = f"{os.uname().nodename}.{os.getpid()}.{threading.get_ident()}"
    return path.with_name(f"{path.name}.{owner}.{time.monotonic_ns()}")


def _is_taken(path: Path, own: Path) -> bool:
    """Give the lock's name to our file, whole at once; where there are no links, an empty one that only age frees.

    On NFS an error may be a lost answer's: the number of links tells. Source: open(2), on O_EXCL.
    """
    try:
        os.link(own, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            if own.stat().st_nlink == 2:
                return True
        if isinstance(error, FileExistsError):
            return False
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, OBJECT_MODE))
        except FileExistsError:
            return False
    return True


def _owner(pid: int) -> str:
    return f"{os.uname().nodename} {pid} {_start_of(pid)}"


def _start_of(pid: int) -> str:
    """When a process of this machine started, in clock ticks (proc(5), field 22), so that a reused pid differs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[19]
    except (OSError, IndexError):
        return "0"


def _is_dead(lock: Path, seen: os.stat_result) -> bool:
    """Whether the lock's owner is gone: a process of this machine that ended, or a lock that is too old."""
    if abs(time.time() - seen.st_mtime) > LOCK_STALE_S:  # one of the future is of before the clock was set back
        return True
    try:
        owner = (_read(lock, 1000) or b"").decode(errors="replace")
    except (OSError, ValueError):
        return False
    node, _, rest = owner.partition(" ")
    pid = rest.partition(" ")[0]
    return node == os.uname().nodename and pid.isdecimal() and owner != _owner(int(pid))


def _take_away(path: Path) -> None:
    """Remove a dead writer's lock, by a rename that only one of several waiters can do.

    A living one's that took its place in between is given back.
    """
    aside = _aside(path)
    with contextlib.suppress(OSError):
        seen = path.lstat()
        if _is_dead(path, seen):
            os.rename(path, aside)
            found = aside.lstat()
            if (found.st_ino, found.st_mtime_ns) != (seen.st_ino, seen.st_mtime_ns):
                os.link(aside, path)
    with contextlib.suppress(OSError):
        aside.unlink()


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
                os.utime(path)  # needed again: not to be collected as one that nobody lists
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

    # ---- to collect what nobody needs (retention.Walkable) --------------------------------------------------

    def names(self, kind: str) -> Iterator[str]:
        for path in (self.root / kind).glob("??/*"):
            if not path.name.startswith("."):
                yield path.name

    def changed(self, digest: str) -> tuple[float, int] | None:
        try:
            status = self._path("cas", digest).lstat()
        except FileNotFoundError:
            return None
        return status.st_mtime, status.st_size

    def remove_object(self, digest: str) -> None:
        self._path("cas", digest).unlink(missing_ok=True)

    def remove_unfinished(self, before: float, *, is_dry: bool) -> tuple[int, int]:
        """Files beside their final names, and locks: their names begin with a dot."""
        files, freed = 0, 0
        for path in self.root.glob("[ac]*/??/.*"):
            with contextlib.suppress(FileNotFoundError):
                status = path.lstat()
                if status.st_mtime < before:
                    files, freed = files + 1, freed + status.st_size
                    if not is_dry:
                        path.unlink()
        return files, freed
