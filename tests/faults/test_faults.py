"""The short form of `python3 -m tools.faults`: a few calls of a warm run fail, and the injector is seen to work."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools import samples
from tools.faults import Fault, faults
from tools.faults.__main__ import build, counted, prepared
from tools.faults.hardships import HARDSHIPS
from tools.faults.programs import PROGRAMS
from tools.faults.stages import STAGES, Place, judge, judged

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler as cc")]
WARM = STAGES["warm"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A program with everything cached."""
    folder = tmp_path_factory.mktemp("faults")
    made = prepared(folder / "place", build(folder), WARM.side)
    made.stop_daemon()
    return made


def test_a_failing_call_ends_in_the_right_output_or_a_message(place: Place) -> None:
    counts = counted(place, WARM)
    assert counts["openat"] > 5 and counts["mmap"] > 0 and counts["malloc"] > 0
    calls = ("open", "openat", "read", "fstat", "mmap", "calloc", "malloc", "pthread_create")
    plan = faults({name: counts[name] for name in calls}, 3)
    verdicts = {str(fault): judge(place, WARM, fault) for fault in plan}
    assert {fault: what for fault, what in verdicts.items() if what not in ("right", "clear", "unmet")} == {}
    assert {"right", "clear"} <= set(verdicts.values()), "some failures are survived, some are told"
    assert place.damage() == []


def test_what_a_program_does_not_survive_is_seen(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "expected", "another output\n")
    assert judge(place, WARM, Fault("read", "EINTR", 1000, 1000)).startswith("another output, and success")


def test_the_clock_is_wrong_where_it_is_set(place: Place) -> None:
    settings = place.settings(True) | {"CASS_FAULT_UNDER": str(place.folder)}
    command = [sys.executable, "-c", "import time; print(time.time())"]
    for seconds in (-(10**8), 86400):
        place.state.set_clock(seconds)
        said = subprocess.run(command, env=settings, capture_output=True, text=True, check=True).stdout
        assert abs(float(said) - seconds - time.time()) < 60
    place.state.set_clock(0)


@pytest.mark.parametrize(
    ("name", "value"), [("descriptors", 4), ("descriptors", 9), ("memory", 256), ("data", 32), ("storm", 300)]
)
def test_a_warm_run_under_hardship(place: Place, name: str, value: int) -> None:
    if name != "storm" and shutil.which("prlimit") is None:
        pytest.skip("needs prlimit")
    assert judged(place, HARDSHIPS[name].apply(place, value)) in ("right", "clear")


@pytest.mark.skipif(bool(samples.can_build()), reason="needs nvcc and a host gcc")
@pytest.mark.parametrize("name", ["driver", "threads", "graphs", "python"])
def test_failing_calls_in_other_programs(name: str, tmp_path: Path) -> None:
    """Memory and threads that are not to be had, where the vector addition asks for none."""
    place = prepared(tmp_path / "place", build(tmp_path), WARM.side, PROGRAMS[name](tmp_path))
    try:
        counts = counted(place, WARM)
        plan = faults({call: counts[call] for call in ("mmap", "malloc", "realloc", "pthread_create")}, 4)
        verdicts = {str(fault): judge(place, WARM, fault) for fault in plan}
        assert {fault: what for fault, what in verdicts.items() if what not in ("right", "clear", "unmet")} == {}
        assert set(verdicts.values()) & {"right", "clear"} and place.damage() == []
    finally:
        place.stop_daemon()
