"""Code at E0 is judged by the first launch that a program makes of it (CASS_CAPTURE=weak, the default)."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.cache.index import Index
from cass_shim.cache.local import LocalTier
from cass_shim.cache.storage import Entry
from cass_shim.daemon.judged import judge_by_launch
from cass_shim.daemon.service import Service
from cass_shim.daemon.wanted import KnownModule
from cass_shim.daemon.workers import WorkerLost
from cass_shim.model.artifacts import Evidence, LlvmModule
from cass_shim.model.captured import pack_capture
from cass_shim.model.config import Config
from cass_shim.model.entry import CodeEntry, pack_entry, read_entry
from cass_shim.model.errors import Malformed, Rejected
from cass_shim.model.wire import FrameKind, KernelRequest, ModuleRequest, Reply, Status
from cass_shim.module import load_module
from cass_shim.pipeline import Work, translate_source
from tests.daemon.conftest import EXAMPLES, Place
from tests.daemon.test_behind import KERNEL, SAMPLE, WRONG, Answers, answer, labelled, served
from tests.daemon.test_programs import assert_right, launcher, programs, run
from tests.verify.test_captured import addition

__all__ = ["launcher", "programs", "served"]  # fixtures

REQUEST = ModuleRequest(bytes(32), 0, b"region").pack()


def weak(entry: Entry, change: Callable[[CodeEntry], CodeEntry] = lambda one: one) -> Entry:
    """The entry, or its change, as if no generated input had told anything of it, or what the change says."""
    made = change(replace(read_entry(entry.content), evidence=Evidence.E0, launch_may_tell=True))
    content = pack_entry(made)
    record = replace(entry.record, evidence=made.evidence.label, entry=hashlib.sha256(content).hexdigest())
    return Entry(record, content)


def subtracting(entry: CodeEntry) -> CodeEntry:
    """vector_add's entry with code that subtracts."""
    work = Work(load_module((EXAMPLES / SAMPLE).read_bytes()), KERNEL, Config())
    source = translate_source(work, "lift")
    assert isinstance(source, LlvmModule) and "fadd float" in source.text
    return replace(entry, code=assemble_llvm(replace(source, text=source.text.replace("fadd", "fsub")), work.abi))


# ---- with a program


def served_weakly(place: Place, launcher: Path, change: Callable[[CodeEntry], CodeEntry] = lambda one: one) -> None:
    """The cache as after a translation that generated inputs told nothing of."""
    assert_right(SAMPLE, run(launcher, place, SAMPLE))
    place.stop()
    tier, key = LocalTier(place.cache), bytes.fromhex(next(LocalTier(place.cache).records()).key)
    (entry,) = tier.get(key)
    tier.withdraw(key)
    weaker = weak(entry, change)
    tier.put(key, weaker)
    tier.admit(weaker.record, weaker.content, place.config)


def evidence(place: Place) -> list[tuple[str, str]]:
    return [(one.route, one.evidence) for one in LocalTier(place.cache).records()]


def test_the_first_launch_gives_evidence_once(launcher: Path, programs: Place) -> None:
    served_weakly(programs, launcher)
    done = run(launcher, programs, SAMPLE)
    assert_right(SAMPLE, done)
    assert evidence(programs) == [("lift", "E3")] and "evidence" not in done.stderr
    assert programs.counters()["captured launches"] == 1
    programs.stop()
    assert_right(SAMPLE, run(launcher, programs, SAMPLE, CASS_PYTHON="/bin/false"))


def test_wrong_code_never_reaches_the_program(launcher: Path, programs: Place) -> None:
    served_weakly(programs, launcher, subtracting)
    unjudged = run(launcher, programs, SAMPLE, CASS_CAPTURE="0")
    assert unjudged.returncode != 0 and "runs with evidence E0 only" in unjudged.stderr
    assert_right(SAMPLE, run(launcher, programs, SAMPLE))
    assert evidence(programs) == [("lift", "E3")] and programs.counters()["rejected"] == 1


def test_a_launch_that_cannot_be_captured_leaves_it_at_e0(launcher: Path, programs: Place) -> None:
    served_weakly(programs, launcher)
    done = run(launcher, programs, SAMPLE, CASS_CAPTURE_LIMIT="0.01")
    assert_right(SAMPLE, done)
    assert done.stderr == f"cass: kernel {KERNEL} runs with evidence E0 only (route lift)\n"
    assert evidence(programs) == [("lift", "E0")]


# ---- the daemon, with workers of the test's own


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply(Status.FAILED, json.dumps({"message": "no memory", "lasting": False}).encode()), "no memory"),
        (WorkerLost("worker ended"), "worker ended"),
    ],
)
def test_a_judgement_that_fails_is_not_asked_for_again(
    tmp_path: Path, served: Entry, reply: Reply | Exception, told: str
) -> None:
    service, key = _service(tmp_path, served, [reply])
    asked = asyncio.run(service.answer(FrameKind.CAPTURE, pack_capture(KernelRequest(bytes(32), KERNEL), addition())))
    assert asked.status is Status.OK
    entry = read_entry(asked.body)
    assert entry.evidence is Evidence.E0 and not entry.launch_may_tell
    assert service.tier is not None
    (left,) = service.tier.get(key)
    assert left.record.report["captured launch"] == {"verdict": "none", "reason": told}


def test_rejected_code_is_withdrawn_and_translators_are_asked(tmp_path: Path, served: Entry) -> None:
    service, key = _service(tmp_path, served, [WRONG, answer(labelled(served, Evidence.E3))])
    asked = asyncio.run(service.answer(FrameKind.CAPTURE, pack_capture(KernelRequest(bytes(32), KERNEL), addition())))
    assert read_entry(asked.body).evidence is Evidence.E3
    assert service.tier is not None
    assert [one.record.evidence for one in service.tier.get(key)] == ["E3"]
    assert service.pool.asked == [FrameKind.JUDGE, FrameKind.CAPTURE]  # type: ignore[union-attr]


def disputed(entry: Entry, route: str = "lift") -> Entry:
    """The entry as a judgement leaves it that came to no end."""
    held = by(entry, route, Evidence.E0, disputed=True)
    report = {"captured launch": {"verdict": "undecided", "reason": "differs, late"}}
    return Entry(replace(held.record, report=report), held.content)


def by(entry: Entry, route: str, level: Evidence, *, disputed: bool = False) -> Entry:
    """The entry as if another translator had made it."""
    content = pack_entry(replace(read_entry(entry.content), evidence=level, route=route, disputed=disputed))
    digest = hashlib.sha256(content).hexdigest()
    return Entry(replace(entry.record, evidence=level.label, entry=digest, route=route), content)


def test_instead_of_disputed_code_another_translators_serves(tmp_path: Path, served: Entry) -> None:
    other = answer(by(served, "ptx-hip", Evidence.E3))
    service, key = _service(tmp_path, served, [answer(disputed(served)), other])
    asked = asyncio.run(service.answer(FrameKind.CAPTURE, pack_capture(KernelRequest(bytes(32), KERNEL), addition())))
    assert read_entry(asked.body).evidence is Evidence.E3 and service.tier is not None
    (left,) = service.tier.get(key)
    assert (left.record.route, left.record.passed_over["lift"]) == ("ptx-hip", "on a captured launch: differs, late")


@pytest.mark.parametrize("other", [WRONG, WorkerLost("worker ended"), None])
def test_where_no_other_serves_disputed_code_does_and_says_so(
    tmp_path: Path, served: Entry, other: Reply | Exception | None
) -> None:
    answers = [answer(disputed(served)), other or answer(disputed(served, "ptx-hip")), WRONG, WRONG]
    service, key = _service(tmp_path, served, answers)
    asked = asyncio.run(service.answer(FrameKind.CAPTURE, pack_capture(KernelRequest(bytes(32), KERNEL), addition())))
    entry = read_entry(asked.body)
    assert (entry.route, entry.evidence, entry.disputed, entry.launch_may_tell) == ("lift", Evidence.E0, True, False)
    assert service.tier is not None and [one.record.is_disputed for one in service.tier.get(key)] == [True]


def test_a_program_is_told_of_disputed_code(launcher: Path, programs: Place) -> None:
    def change(one: CodeEntry) -> CodeEntry:
        return replace(one, launch_may_tell=False, disputed=True)

    served_weakly(programs, launcher, change)
    done = run(launcher, programs, SAMPLE)
    assert_right(SAMPLE, done)
    assert done.stderr == (
        f"cass: kernel {KERNEL} runs with evidence E0 only (route lift): on a first launch its results differed from "
        "the original's, with no time to tell whether that is a fault\n"
    )


def test_what_another_program_has_shown_meanwhile_is_served(tmp_path: Path, served: Entry) -> None:
    service, _ = _service(tmp_path, served, [], is_weak=False)
    asked = asyncio.run(service.answer(FrameKind.CAPTURE, pack_capture(KernelRequest(bytes(32), KERNEL), addition())))
    assert asked.body == served.content and service.pool.asked == []  # type: ignore[union-attr]


@pytest.mark.parametrize("asked", [{"CASS_CAPTURE": "1"}, {"CASS_CAPTURE_DIR": "bugs"}, {"CASS_MIN_EVIDENCE": "E3"}])
def test_who_asks_for_captures_gets_what_serves_at_e1_judged_too(
    tmp_path: Path, served: Entry, asked: dict[str, str]
) -> None:
    service, _ = _service(tmp_path, served, [answer(labelled(served, Evidence.E3))], is_weak=False)
    if "CASS_CAPTURE_DIR" in asked:
        asked = {"CASS_CAPTURE_DIR": str(tmp_path / "bugs")}
    options = "".join(f"{name}={value}\n" for name, value in asked.items())
    payload = pack_capture(KernelRequest(bytes(32), KERNEL, options), addition())
    service.modules[bytes(32)] = replace(service.modules[bytes(32)], request=REQUEST)
    assert read_entry(asyncio.run(service.answer(FrameKind.CAPTURE, payload)).body).evidence is Evidence.E3
    assert service.pool.asked == [FrameKind.CAPTURE]  # type: ignore[union-attr]


def test_a_launch_judges_no_entry_of_another_kernel_and_none_that_lies(served: Entry) -> None:
    module = load_module((EXAMPLES / SAMPLE).read_bytes())
    lying = weak(served, lambda one: replace(one, code=replace(one.code, lds_bytes=64)))
    with pytest.raises(Rejected, match="the entry says lds_bytes is 64"):
        judge_by_launch(module, KERNEL, lying.record, lying.content, Config(), addition())
    other = weak(served, lambda one: replace(one, key=bytes(32)))
    with pytest.raises(Malformed, match="another kernel"):
        judge_by_launch(module, KERNEL, other.record, other.content, Config(), addition())


def _service(
    folder: Path, served: Entry, answers: list[Reply | Exception], *, is_weak: bool = True
) -> tuple[Service, bytes]:
    """A daemon that knows the module and has served its kernel."""
    tier, key = LocalTier(folder / "cache"), bytes.fromhex(served.record.key)
    tier.put(key, weak(served) if is_weak else served)
    service = Service(Config(behind="0"), tier, Index(None), Answers(answers))
    service.modules[bytes(32)] = KnownModule(b"", {KERNEL: key})
    return service, key
