"""The daemon's index: counters and negative answers, in diskcache without pickle. It can be lost at any time.

In: a directory. Out: JSON values by text key. diskcache unpickles what its database says is pickled
(CVE-2025-69872); this Disk stores text only and refuses anything else.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from pathlib import Path
from typing import Any

import diskcache
from diskcache.core import MODE_RAW, MODE_TEXT, UNKNOWN

log = logging.getLogger(__name__)

CLOCK_ERROR_S = 60.0  # by which a clock may be put right
TIMED = frozenset(("value", "made", "until"))  # of a value that does not last
NETWORK_FILESYSTEMS = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "lustre", "beegfs", "gpfs", "9p")


class JsonDisk(diskcache.Disk):  # type: ignore[misc]
    """Keys and values as JSON text in the database itself."""

    def put(self, key: str) -> tuple[str, bool]:
        return key, True

    def get(self, key: Any, raw: bool) -> str:
        if not raw or not isinstance(key, str):
            raise ValueError("a key that is not text")
        return key

    def store(self, value: Any, read: bool, key: Any = UNKNOWN) -> tuple[int, int, None, str]:
        assert not read, "values are JSON, not files"
        return 0, MODE_RAW, None, json.dumps(value)

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        if mode not in (MODE_RAW, MODE_TEXT) or filename is not None or not isinstance(value, str):
            raise ValueError("a value that is not text")
        return json.loads(value)


MOUNTS = Path("/proc/self/mountinfo")  # proc(5)


def is_on_network(path: Path, mounted: Path = MOUNTS) -> bool:
    """Whether `path` lies on a network file system, where SQLite's locks cannot be trusted."""
    best, kind = "", ""
    try:
        mounts = mounted.read_text().splitlines()
    except OSError:
        return False
    for line in mounts:
        left, _, right = line.partition(" - ")
        point = left.split()[4]
        if (f"{path}/".startswith(f"{point.rstrip('/')}/")) and len(point) >= len(best):
            best, kind = point, right.split()[0]
    return kind in NETWORK_FILESYSTEMS


def _living(stored: Any) -> Any:
    """What was set, None when its time is over. A clock that was set back makes nothing live longer: what is of the
    future counts as old."""
    if not isinstance(stored, dict) or stored.keys() != TIMED:
        return stored
    made, until = stored["made"], stored["until"]
    return stored["value"] if made - CLOCK_ERROR_S <= time.time() < until else None


class Index:
    """Counters and negatives. Any trouble with the database turns it into a dictionary, with one log line."""

    def __init__(self, directory: Path | None) -> None:
        self._memory: dict[str, Any] = {}
        self._cache: Any = None
        if directory is None:
            return
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._cache = diskcache.Cache(str(directory), disk=JsonDisk, timeout=2)
        except (OSError, sqlite3.Error, ValueError, diskcache.Timeout) as error:
            log.warning("index %s is not usable (%s); counting in memory", directory, error)

    def get(self, key: str) -> Any:
        """The value, or None."""
        if self._cache is not None:
            try:
                return _living(self._cache.get(key))
            except (OSError, sqlite3.Error, ValueError, diskcache.Timeout) as error:
                self._lost(error)
        return _living(self._memory.get(key))

    def set(self, key: str, value: Any, lifetime_s: float | None = None) -> None:
        """Keeps a JSON value, for `lifetime_s` seconds when given."""
        if lifetime_s is not None:
            now = time.time()
            value = {"value": value, "made": now, "until": now + lifetime_s}
        if self._cache is not None:
            try:
                self._cache.set(key, value, expire=lifetime_s)
                return
            except (OSError, sqlite3.Error, ValueError, diskcache.Timeout) as error:
                self._lost(error)
        self._memory[key] = value

    def add(self, counter: str, amount: float = 1) -> None:
        """Count something; read back by `counters`."""
        self.set(f"count:{counter}", (self.get(f"count:{counter}") or 0) + amount)

    def counters(self) -> dict[str, float]:
        """Every counter by name."""
        names = list(self._cache.iterkeys()) if self._cache is not None else list(self._memory)
        return {name.removeprefix("count:"): self.get(name) or 0 for name in names if name.startswith("count:")}

    def remove(self, prefix: str) -> int:
        """Forget every key that begins with `prefix`; returns how many."""
        names = list(self._cache.iterkeys()) if self._cache is not None else list(self._memory)
        chosen = [name for name in names if name.startswith(prefix)]
        for name in chosen:
            if self._cache is not None:
                self._cache.delete(name)
            self._memory.pop(name, None)
        return len(chosen)

    def close(self) -> None:
        if self._cache is not None:
            self._cache.close()

    def _lost(self, error: Exception) -> None:
        log.warning("index lost (%s); counting in memory", error)
        self._cache = None
