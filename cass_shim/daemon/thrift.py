"""What a daemon and its workers hold on to while nobody asks: how long, and how much memory.

In: the machine's memory, the user's daemons, a worker's size. Out: seconds of patience, and whether a worker is kept.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

WORKER_IDLE_S = 60.0  # a worker without a job ends; a new one is a fork away
WORKER_KEPT_BYTES = 1 << 30  # one that a job left larger ends at once: Python gives little of it back
TIGHT = 8  # memory is tight when less than this part of it is left
MANY = 4  # daemons of one user (a cache each), beyond which each is in a hurry to end
HURRIED_S = 60.0  # idle time of a daemon then


def patience(idle_s: float, runtime: Path, meminfo: Path = Path("/proc/meminfo")) -> float:
    """Seconds without a client after which a daemon ends. idle_s: what is configured; never more than that."""
    hurried = memory_is_tight(meminfo) or daemons(runtime) > MANY
    return min(idle_s, HURRIED_S) if hurried else idle_s


def memory_is_tight(meminfo: Path = Path("/proc/meminfo")) -> bool:
    """Whether less than an eighth of the machine's memory is left. False where the system does not say."""
    try:
        lines = dict(line.split(":", 1) for line in meminfo.read_text(encoding="ascii").splitlines())
        total, left = (int(lines[name].split()[0]) for name in ("MemTotal", "MemAvailable"))
    except (OSError, ValueError, KeyError, IndexError):
        return False
    return left * TIGHT < total


def daemons(runtime: Path) -> int:
    """How many daemons have a socket in this directory; one that was killed counts until its socket is gone."""
    try:
        with os.scandir(runtime) as found:
            return sum(stat.S_ISSOCK(one.stat(follow_symlinks=False).st_mode) and "." not in one.name for one in found)
    except OSError:
        return 0


def is_swollen(pid: int) -> bool:
    """Whether a worker's resident memory is more than is kept for the next job."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return False
    return pages * os.sysconf("SC_PAGE_SIZE") > WORKER_KEPT_BYTES
