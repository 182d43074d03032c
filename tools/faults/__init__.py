"""`python3 -m tools.faults`: every system call of a run made to fail, one at a time.

A small program is run again and again; in each run one call of one kind, made by our libraries or by the daemon, fails
with one error (`injector.c`). The program must then print what it prints otherwise, or end with an error message; it
must not crash, hang, or leave a cache from which the next, undisturbed run gets something else.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path

# The functions of injector.c, in its order.
CALLS = (
    "open", "openat", "read", "write", "fstat", "lstat", "mkdir", "mmap", "mprotect", "munmap", "connect", "socket",
    "socketpair", "getsockopt", "poll", "send", "recv", "pipe2", "flock", "fcntl", "fork", "dlopen", "malloc", "calloc",
    "realloc", "aligned_alloc", "strdup", "memfd_create", "ftruncate", "pthread_create", "getcwd", "futimens", "access",
    "rename", "fsync", "unlink", "link", "close", "accept4", "waitpid",
)  # fmt: skip
SHORT = ""  # not an error: half of the bytes
ERRORS: dict[str, tuple[str, ...]] = {
    "open": ("EACCES", "EMFILE", "EIO", "EINTR", "ENOSPC"), "openat": ("EACCES", "EMFILE", "EIO", "EINTR", "ENOSPC"),
    "read": ("EIO", "EINTR", SHORT), "write": ("ENOSPC", "EIO", "EINTR", SHORT), "fstat": ("EIO",),
    "lstat": ("EACCES",), "mkdir": ("ENOSPC", "EACCES"), "mmap": ("ENOMEM", "EACCES"), "mprotect": ("ENOMEM", "EACCES"),
    "munmap": ("ENOMEM",), "connect": ("ECONNREFUSED", "EINTR", "EACCES", "EAGAIN"), "socket": ("EMFILE", "ENOMEM"),
    "socketpair": ("EMFILE",), "getsockopt": ("EIO",), "poll": ("EINTR", "ENOMEM"),
    "send": ("EPIPE", "EINTR", "EAGAIN", SHORT), "recv": ("ECONNRESET", "EINTR", "EAGAIN", SHORT), "pipe2": ("EMFILE",),
    "flock": ("ENOLCK", "EINTR"), "fcntl": ("EMFILE",), "fork": ("EAGAIN", "ENOMEM"), "dlopen": ("ENOMEM",),
    "malloc": ("ENOMEM",), "calloc": ("ENOMEM",), "realloc": ("ENOMEM",), "aligned_alloc": ("ENOMEM",),
    "strdup": ("ENOMEM",), "memfd_create": ("EMFILE",), "ftruncate": ("ENOSPC",), "pthread_create": ("EAGAIN",),
    "getcwd": ("EACCES",), "futimens": ("EROFS",), "access": ("EACCES",), "rename": ("ENOSPC", "EIO", "EACCES"),
    "fsync": ("EIO", "ENOSPC"), "unlink": ("EACCES",), "link": ("EMLINK", "ENOSPC"), "close": ("EIO", "EINTR"),
    "accept4": ("EMFILE", "ECONNABORTED", "EINTR"), "waitpid": ("EINTR",),
}  # fmt: skip
HEAD = struct.Struct("<4I")
COUNTS = struct.Struct(f"<{len(CALLS)}II")
CLOCK = struct.Struct("<q")
CLOCK_AT = -(-(HEAD.size + COUNTS.size) // CLOCK.size) * CLOCK.size  # where C aligns it


@dataclass(frozen=True)
class Fault:
    """The calls number `first` to `last` of `call` fail with `error` (its name; SHORT: half of the bytes)."""

    call: str
    error: str
    first: int
    last: int

    def __str__(self) -> str:
        which = f"{self.first}" if self.first == self.last else f"{self.first} and all after it"
        return f"{self.call} number {which}: {self.error or 'half of the bytes'}"


class State:
    """The file that injector.c maps: which call fails, and how many there were."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_bytes(bytes(CLOCK_AT + CLOCK.size))
        with path.open("r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)

    def arm(self, fault: Fault | None) -> None:
        """Count from nothing; with a fault, let it happen."""
        import errno

        numbers = (0, 0, 0, 0)
        if fault is not None:
            error = getattr(errno, fault.error) if fault.error else 0
            numbers = (CALLS.index(fault.call), error, fault.first, fault.last)
        self.map[: HEAD.size + COUNTS.size] = HEAD.pack(*numbers) + bytes(COUNTS.size)

    def set_clock(self, seconds: int) -> None:
        """Let the clock of the day be wrong by so much, from now on, in every process that maps the file."""
        CLOCK.pack_into(self.map, CLOCK_AT, seconds)

    @property
    def counts(self) -> dict[str, int]:
        """Calls made since `arm`, by name."""
        return dict(zip(CALLS, COUNTS.unpack_from(self.map, HEAD.size), strict=False))

    @property
    def failed(self) -> int:
        """How many of them failed."""
        return int(COUNTS.unpack_from(self.map, HEAD.size)[-1])


def faults(counts: dict[str, int], limit: int, short: bool = True) -> list[Fault]:
    """One call failing at each place, and all from a place on; at most `limit` places a call, spread evenly."""
    found = []
    for call, count in counts.items():
        places = range(1, count + 1)
        if count > limit:
            places = sorted({1 + round(i * (count - 1) / (limit - 1)) for i in range(limit)})
        for error in ERRORS[call]:
            if error == SHORT and not short:
                continue
            found += [Fault(call, error, place, place) for place in places]
            if error not in (SHORT, "EINTR", "EAGAIN") and count:  # these do not last
                found.append(Fault(call, error, 1, 0xFFFFFFFF))
    return found
