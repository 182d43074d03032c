"""Code at E1 of which the inputs that agreed reached less than half is judged by its first launch too."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import struct
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cass_shim import pipeline
from cass_shim.cache.local import LocalTier
from cass_shim.cache.storage import Entry
from cass_shim.cli.explain import explain_state
from cass_shim.cli.programs import KernelState, kernel_states
from cass_shim.daemon.judged import judge_by_launch
from cass_shim.daemon.reverify import check_again
from cass_shim.model.artifacts import LEAST_REACHED, Evidence, LlvmModule
from cass_shim.model.captured import CapturedLaunch, MemoryRange, pack_capture
from cass_shim.model.config import Config
from cass_shim.model.entry import CodeEntry, pack_entry, read_entry
from cass_shim.model.errors import Rejected
from cass_shim.model.wire import FrameKind, KernelRequest
from cass_shim.module import Module, load_module
from cass_shim.pipeline import Translation, Work, translate
from tests.daemon.conftest import EXAMPLES, Place
from tests.daemon.test_behind import KERNEL, SAMPLE, WRONG, answer, labelled, served
from tests.daemon.test_judged import _service, disputed, evidence, served_weakly, subtracting
from tests.daemon.test_programs import assert_right, launcher, programs, run
from tests.verify.test_captured import addition, undecided

__all__ = ["launcher", "programs", "served"]  # fixtures

# No generated input has a key that opens the second half; 0x13579bdf stands in it alone.
SOURCE = """
extern "C" __global__ void locked(const unsigned *key, unsigned *out, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if ((key[0] * 2654435761u ^ key[1] * 40503u) != 0x9e3779b9u) { out[i] = i; return; }
    unsigned v = i;
    #pragma unroll
    for (int r = 0; r < 24; r++) v = ((v ^ v >> 15) * (0x2c1b3c6du + 2 * r)) + key[r & 1];
    out[i] = v ^ 0x13579bdfu;
}
"""
INSIDE = str(0x13579BDF)
OPENS = 0x9E3779B9 * pow(2654435761, -1, 1 << 32) % (1 << 32)
KEY, OUT, COUNT = 0x7F00_0000_0000, 0x7F00_0001_0000, 200
CONFIG = Config(translators="lift")


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Module:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc")
    source, out = (tmp_path_factory.mktemp("locked") / name for name in ("k.cu", "k.cubin"))
    source.write_text(SOURCE)
    subprocess.run(["nvcc", "-w", "-cubin", "-arch=sm_80", "-o", str(out), str(source)], check=True)
    return load_module(out.read_bytes())


def opened(room: int = COUNT) -> CapturedLaunch:
    """A launch with the key, and `room` words for the results."""
    ranges = (MemoryRange(KEY, struct.pack("<II", OPENS, 0)), MemoryRange(OUT, np.zeros(room, np.uint32).tobytes()))
    return CapturedLaunch((2, 1, 1), (128, 1, 1), 0, struct.pack("<QQi", KEY, OUT, COUNT), ranges)


def wrong_inside(module: Module, monkeypatch: pytest.MonkeyPatch) -> Translation:
    """A translation that is wrong only where no generated input comes."""

    def wrong(asked: Work) -> LlvmModule:
        source = lift(asked)
        assert isinstance(source, LlvmModule) and source.text.count(INSIDE) == 1
        return replace(source, text=source.text.replace(INSIDE, "1"))

    lift = pipeline.TRANSLATORS["lift"]
    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "TRANSLATORS", {"lift": wrong})
        return translate(module, "locked", CONFIG)


def judged(module: Module, made: Translation, launch: CapturedLaunch, config: Config = CONFIG) -> Translation:
    return judge_by_launch(module, "locked", made.record, made.content, config, launch)


def reached(made: Translation) -> float:
    ran, total = made.record.report["instructions_covered"]  # type: ignore[misc]
    return float(ran / total)


# ---- one kernel


def test_wrong_code_that_no_input_reached_is_rejected_by_the_launch(
    locked: Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = wrong_inside(locked, monkeypatch)
    assert made.record.evidence == "E1" and reached(made) < LEAST_REACHED
    assert read_entry(made.content).launch_may_tell
    with pytest.raises(Rejected, match="differs from the reference"):
        judged(locked, made, opened())


def test_a_launch_that_agrees_is_e3_and_adds_what_it_reached(locked: Module) -> None:
    made = translate(locked, "locked", CONFIG)
    found = judged(locked, made, opened())
    entry = read_entry(found.content)
    assert (found.record.evidence, entry.evidence, entry.launch_may_tell) == ("E3", Evidence.E3, False)
    assert reached(made) < LEAST_REACHED < reached(found)
    missed = sum((last - first) // 16 + 1 for first, last in found.record.report["not_covered"])  # type: ignore[attr-defined]
    ran, total = found.record.report["instructions_covered"]  # type: ignore[misc]
    assert missed == total - ran


@pytest.mark.parametrize(
    ("launch", "config"),
    [(opened(COUNT // 2), CONFIG), (opened(), replace(CONFIG, kernel_timeout="0.001", min_evidence="E1"))],
    ids=["memory that was not captured", "too long"],
)
def test_a_launch_that_tells_nothing_leaves_it_at_e1(locked: Module, launch: CapturedLaunch, config: Config) -> None:
    made = translate(locked, "locked", CONFIG)
    found = judged(locked, made, launch, config)
    entry = read_entry(found.content)
    assert (found.record.evidence, entry.evidence, entry.launch_may_tell) == ("E1", Evidence.E1, False)
    assert found.record.report["captured launch"]["verdict"] == "none"  # type: ignore[index]
    assert found.record.report["instructions_covered"] == made.record.report["instructions_covered"]
    again = check_again(locked, "locked", found.record, found.content, CONFIG)
    assert not read_entry(again.content).launch_may_tell, "it has been tried"


def test_an_undecided_difference_is_not_enough_where_more_than_e0_is_asked_for(
    locked: Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = translate(locked, "locked", CONFIG)
    undecided(monkeypatch, [True, True])
    found = judged(locked, made, opened())
    assert found.record.evidence == "E0" and found.record.is_disputed and read_entry(found.content).disputed
    with pytest.raises(Rejected, match="on a captured launch: E0, below CASS_MIN_EVIDENCE=E1u"):
        judged(locked, made, opened(), replace(CONFIG, min_evidence="E1u"))


def test_where_a_launch_was_sent_along_none_is_asked_for(locked: Module) -> None:
    made = translate(locked, "locked", CONFIG, opened(COUNT // 2))
    assert made.record.evidence == "E1" and not read_entry(made.content).launch_may_tell


def test_checked_again_the_launch_is_still_to_decide(locked: Module) -> None:
    made = translate(locked, "locked", CONFIG)
    again = check_again(locked, "locked", made.record, made.content, CONFIG)
    assert again.record.evidence == "E1" and read_entry(again.content).launch_may_tell


def test_code_that_inputs_reached_needs_no_launch() -> None:
    made = translate(load_module((EXAMPLES / SAMPLE).read_bytes()), KERNEL, CONFIG)
    assert made.record.level >= Evidence.E1U and not read_entry(made.content).launch_may_tell


# ---- the daemon


def hardly_reached(entry: Entry) -> Entry:
    """The entry as if inputs that agreed had reached little of its code."""
    content = pack_entry(replace(read_entry(entry.content), evidence=Evidence.E1, launch_may_tell=True))
    report = {**entry.record.report, "instructions_covered": [3, 20]}
    record = replace(entry.record, evidence="E1", entry=hashlib.sha256(content).hexdigest(), report=report)
    return Entry(record, content)


def test_all_records_of_code_that_a_launch_rejects_are_withdrawn(tmp_path: Path, served: Entry) -> None:
    """A second opinion's record stands beside the one that it came from."""
    answers = [WRONG, answer(labelled(served, Evidence.E3))]
    service, key = _service(tmp_path, hardly_reached(served), answers, is_weak=False)
    assert service.tier is not None
    service.tier.put(key, labelled(hardly_reached(served), Evidence.E2))
    asked = asyncio.run(service.answer(FrameKind.CAPTURE, pack_capture(KernelRequest(bytes(32), KERNEL), addition())))
    assert read_entry(asked.body).evidence is Evidence.E3
    assert [one.record.evidence for one in service.tier.get(key)] == ["E3"]
    assert service.pool.asked == [FrameKind.JUDGE, FrameKind.CAPTURE]  # type: ignore[union-attr]


def test_an_undecided_difference_is_more_than_inputs_that_agreed(tmp_path: Path, served: Entry) -> None:
    service, key = _service(tmp_path, hardly_reached(served), [answer(disputed(served)), WRONG], is_weak=False)
    asked = asyncio.run(service.answer(FrameKind.CAPTURE, pack_capture(KernelRequest(bytes(32), KERNEL), addition())))
    assert read_entry(asked.body).evidence is Evidence.E0 and service.tier is not None
    assert [one.record.is_disputed for one in service.tier.get(key)] == [True]


# ---- with a program, whose code comes from the cache


def at_e1(entry: CodeEntry) -> CodeEntry:
    return replace(entry, evidence=Evidence.E1)


def test_what_the_cache_serves_is_judged_too(launcher: Path, programs: Place) -> None:
    served_weakly(programs, launcher, lambda one: at_e1(subtracting(one)))
    unjudged = run(launcher, programs, SAMPLE, CASS_CAPTURE="0")
    assert unjudged.returncode != 0 and "evidence" not in unjudged.stderr
    state = next(one for one in kernel_states(EXAMPLES / SAMPLE, programs.config) if isinstance(one, KernelState))
    assert any(line.startswith("  to come    its first launch decides") for line in explain_state(state))
    assert_right(SAMPLE, run(launcher, programs, SAMPLE))
    assert evidence(programs) == [("lift", "E3")] and programs.counters()["rejected"] == 1
    programs.stop()
    assert_right(SAMPLE, run(launcher, programs, SAMPLE, CASS_PYTHON="/bin/false"))


def test_where_no_launch_can_be_captured_the_program_runs_at_e1(launcher: Path, programs: Place) -> None:
    served_weakly(programs, launcher, at_e1)
    done = run(launcher, programs, SAMPLE, CASS_CAPTURE_LIMIT="0.01")
    assert_right(SAMPLE, done)
    assert not done.stderr and evidence(programs) == [("lift", "E1")]
    assert [one.evidence for one in LocalTier(programs.cache).records()] == ["E1"]
