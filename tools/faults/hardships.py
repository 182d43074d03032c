"""Runs under conditions that are hard rather than wrong: few descriptors, little memory, signals, a dying daemon."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tools.faults.stages import STAGES, Place, judged

Apply = Callable[[Place, int], "subprocess.CompletedProcess[str]"]


@dataclass(frozen=True)
class Hardship:
    """values: how hard, each one run. before: the stage whose preparation comes first. side: as a place's."""

    purpose: str
    values: Sequence[int]
    before: str
    apply: Apply
    side: str = "program"


def _limited(option: str, unit: int = 1) -> Apply:
    return lambda place, value: place.run(False, limits=(f"--{option}={value * unit}",))


def _storm(place: Place, microseconds: int) -> subprocess.CompletedProcess[str]:
    storm = {"LD_PRELOAD": str(place.injector), "CASS_FAULT_STORM": str(microseconds)}
    return place.run(False, storm)


def _killed(place: Place, milliseconds: int) -> subprocess.CompletedProcess[str]:
    killer = threading.Timer(milliseconds / 1e3, place.stop_daemon)
    killer.start()
    try:
        return place.run(False)
    finally:
        killer.cancel()


def _clock(place: Place, seconds: int) -> subprocess.CompletedProcess[str]:
    """The clock is set while the daemon runs, then it starts under the wrong clock, then the clock is put right."""
    try:
        for moment in (0, seconds, seconds, 0):
            place.state.set_clock(moment)
            STAGES["served"].prepare(place)
            done = place.run(True)
            if (done.returncode, done.stdout) != (0, place.expected):
                return done
            if moment:
                place.stop_daemon()
        return done
    finally:
        place.state.set_clock(0)


HOUR, DAY, YEAR = 3600, 86400, 366 * 86400
HARDSHIPS = {
    "descriptors": Hardship("as many file descriptors as", range(3, 24), "served", _limited("nofile")),
    "stack": Hardship("KiB of stack", (64, 128, 256, 512, 1024), "served", _limited("stack", 1 << 10)),
    "memory": Hardship(
        "MiB of address space", (32, 64, 96, 128, 192, 256, 512, 1024, 4096), "served", _limited("as", 1 << 20)
    ),
    "data": Hardship("MiB of data", (1, 2, 4, 8, 16, 32, 64, 128), "served", _limited("data", 1 << 20)),
    "storm": Hardship(
        "microseconds between signals", (5000, 2000, 1000, 500, 200, 200, 100, 100, 100), "served", _storm
    ),
    "kill": Hardship(
        "milliseconds after which the daemon is killed, empty cache", range(0, 4000, 200), "cold", _killed
    ),
    "clock": Hardship(
        "seconds that the clock is set by, under a daemon and before one starts",
        (10, HOUR, DAY, 8 * DAY, YEAR, 10 * YEAR, -10, -HOUR, -DAY, -8 * DAY, -YEAR, -10 * YEAR),
        "cold",
        _clock,
        "both",
    ),
}


def judge(place: Place, hardship: Hardship, value: int) -> str:
    """One run: "right", "clear", or what is wrong."""
    if hardship.before == "cold":
        place.stop_daemon()
        place.forget_all()
    else:
        STAGES[hardship.before].prepare(place)
    try:
        return judged(place, hardship.apply(place, value))
    except subprocess.TimeoutExpired:
        place.stop_daemon()
        return "hangs"
