"""Work behind a program: second opinions when nobody waits, within a budget; what becomes of a wrong translation."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cass_shim.cache.index import Index
from cass_shim.cache.local import LocalTier
from cass_shim.cache.storage import Entry
from cass_shim.daemon import behind as behind_module
from cass_shim.daemon.behind import Behind, cpu_seconds, on_battery
from cass_shim.daemon.reverify import pack_translation
from cass_shim.daemon.wanted import KnownModule, Wanted
from cass_shim.daemon.workers import ProcessPool, WorkerLost
from cass_shim.model.artifacts import Evidence
from cass_shim.model.config import Config
from cass_shim.model.entry import pack_entry, read_entry
from cass_shim.model.errors import Rejected
from cass_shim.model.wire import FrameKind, KernelRequest, Reply, Status
from cass_shim.module import load_module
from cass_shim.pipeline import translate
from tests.daemon.conftest import EXAMPLES, Place
from tests.daemon.test_programs import assert_right, launcher, programs, run

__all__ = ["launcher", "programs"]  # fixtures

SAMPLE = "vector_add_static"
KERNEL = "_Z10vector_addPKfS0_Pfi"
WRONG = Reply(Status.FAILED, json.dumps({"message": "differs", "lasting": True}).encode())


# ---- with a real daemon


def test_a_second_opinion_is_found_behind_the_program(launcher: Path, programs: Place) -> None:
    programs.environment["CASS_BEHIND"] = "20"
    programs.environment["OPENAI_BASE_URL"] = "http://127.0.0.1:9"  # so that no model works behind
    assert_right(SAMPLE, run(launcher, programs, SAMPLE))
    until = time.monotonic() + 60
    while programs.counters().get("behind looked at", 0) < 1 and time.monotonic() < until:
        time.sleep(0.2)
    assert programs.counters().get("behind E2") == 1, programs.counters()
    kinds = sorted((one.evidence, one.entry) for one in LocalTier(programs.cache).records())
    assert [label for label, _ in kinds] == ["E1", "E2"]
    programs.stop()
    assert_right(SAMPLE, run(launcher, programs, SAMPLE, CASS_PYTHON="/bin/false", CASS_MIN_EVIDENCE="E0"))


# ---- the queue, with workers of the test's own


@pytest.fixture(scope="module")
def served() -> Entry:
    """vector_add's translation, as if it had been found to be E1."""
    module = load_module((EXAMPLES / SAMPLE).read_bytes())
    made = translate(module, KERNEL, Config(translators="lift"))
    return labelled(Entry(made.record, made.content), Evidence.E1)


def labelled(entry: Entry, level: Evidence) -> Entry:
    import hashlib

    content = pack_entry(replace(read_entry(entry.content), evidence=level))
    record = replace(entry.record, evidence=level.label, entry=hashlib.sha256(content).hexdigest())
    return Entry(record, content)


class Answers(ProcessPool):
    """Workers that answer VERIFY frames from a list; an answer may be a CPU-bound wait."""

    def __init__(self, answers: list[Reply | Exception], seconds: float = 0.0) -> None:
        self.answers, self.seconds, self.asked = answers, seconds, list[FrameKind]()

    @asynccontextmanager
    async def background(self) -> AsyncIterator[Any]:
        yield self

    @asynccontextmanager
    async def worker(self) -> AsyncIterator[Any]:
        yield self

    pid = os.getpid()

    async def ask(self, kind: FrameKind, payload: bytes, timeout_s: float) -> Reply:
        self.asked.append(kind)
        if kind is FrameKind.MODULE:
            return Reply(Status.OK)
        await asyncio.sleep(self.seconds)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


Made = Callable[..., tuple[Behind, LocalTier, Wanted, list[bytes]]]


@pytest.fixture
def made(tmp_path: Path, served: Entry, monkeypatch: pytest.MonkeyPatch) -> Made:
    """A queue over a cache that has served the translation."""
    monkeypatch.setattr(behind_module, "QUIET_S", 0.0)
    monkeypatch.setattr(behind_module, "LOOK_S", 0.01)
    monkeypatch.setattr(behind_module, "on_battery", lambda: False)
    monkeypatch.setattr(behind_module, "model_works_behind", lambda config: bool(config.model))
    used, before = behind_module.cpu_seconds, behind_module.cpu_seconds(os.getpid())  # the worker is this process
    monkeypatch.setattr(behind_module, "cpu_seconds", lambda pid: used(pid) - before)

    def make(pool: Answers, **settings: str) -> tuple[Behind, LocalTier, Wanted, list[bytes]]:
        config = Config(**settings)
        tier, pushed = LocalTier(tmp_path / "cache"), list[bytes]()
        key = bytes.fromhex(served.record.key)
        tier.put(key, served)
        tier.admit(served.record, served.content, config)
        wanted = Wanted(KernelRequest(bytes(32), KERNEL), KnownModule(b"", {}), key, config)
        return Behind(Index(None), pool, tier, lambda: False, lambda key, _: pushed.append(key)), tier, wanted, pushed

    return make


def looked_at(queue: Behind, wanted: Wanted, entry: Entry) -> None:
    async def work() -> None:
        queue.offer(wanted, entry, 1)
        if queue.task is not None:
            await queue.task

    asyncio.run(work())


def answer(entry: Entry) -> Reply:
    return Reply(Status.OK, pack_translation(entry))


def test_more_evidence_takes_its_place_and_is_not_asked_for_twice(made: Made, served: Entry) -> None:
    better = labelled(served, Evidence.E2)
    queue, tier, wanted, pushed = made(Answers([answer(better)]))
    looked_at(queue, wanted, served)
    assert tier.admitted(wanted.key, wanted.config) == better.content and pushed == [wanted.key]
    looked_at(queue, wanted, served)
    assert queue.pool.answers == []  # type: ignore[union-attr]
    assert queue.index.counters() == {"behind looked at": 1, "behind E2": 1}


def test_what_was_taken_back_meanwhile_stays_so(made: Made, served: Entry) -> None:
    queue, tier, wanted, pushed = made(Answers([answer(labelled(served, Evidence.E2))]))
    tier.withdraw(wanted.key)
    looked_at(queue, wanted, served)
    assert tier.get(wanted.key) == () and tier.admitted(wanted.key, wanted.config) is None and not pushed


def test_a_translation_that_is_wrong_twice_is_withdrawn(made: Made, served: Entry) -> None:
    queue, tier, wanted, _ = made(Answers([WRONG, WRONG]))
    looked_at(queue, wanted, served)
    assert tier.get(wanted.key) == () and queue.unsuspected(wanted) == ("ptx-hip",)
    wanted.config = Config(translators="lift")
    with pytest.raises(Rejected, match="found to be wrong on fresh inputs"):
        queue.unsuspected(wanted)


def test_a_difference_that_is_seen_once_is_none(made: Made, served: Entry) -> None:
    queue, tier, wanted, _ = made(Answers([WRONG, answer(served)]))
    looked_at(queue, wanted, served)
    assert len(tier.get(wanted.key)) == 1 and queue.unsuspected(wanted) == ()


@pytest.mark.parametrize(
    ("settings", "level"), [({"behind": "0"}, Evidence.E1), ({}, Evidence.E0), ({}, Evidence.E2), ({}, Evidence.E1U)]
)
def test_what_is_not_looked_at(made: Made, served: Entry, settings: dict[str, str], level: Evidence) -> None:
    queue, _, wanted, _ = made(Answers([]), **settings)
    looked_at(queue, wanted, labelled(served, level))
    assert queue.task is None


def test_the_budget_of_a_program_ends_a_job(made: Made, served: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    used = iter([0.5, *[99.0] * 100])
    monkeypatch.setattr(behind_module, "cpu_seconds", lambda _: next(used))
    queue, tier, wanted, _ = made(Answers([answer(labelled(served, Evidence.E2))], seconds=30))
    began = time.monotonic()
    looked_at(queue, wanted, served)
    assert time.monotonic() - began < 10 and queue.index.counters() == {"behind given up": 1}
    assert tier.admitted(wanted.key, wanted.config) == served.content
    queue.task = None
    looked_at(queue, wanted, served)
    assert queue.task is None, "the program has nothing left"


def test_a_worker_that_dies_costs_nothing_else(made: Made, served: Entry) -> None:
    queue, tier, wanted, _ = made(Answers([WorkerLost("died")]))
    looked_at(queue, wanted, served)
    assert tier.admitted(wanted.key, wanted.config) == served.content


def test_nothing_on_battery(made: Made, served: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    queue, _, wanted, _ = made(Answers([]))
    monkeypatch.setattr(behind_module, "on_battery", lambda: True)
    looked_at(queue, wanted, served)
    assert queue.pool.asked == [] and not queue.waiting  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("supplies", "expected"),
    [
        ({}, False),
        ({"BAT0": ("Battery", "status", "Discharging")}, True),
        ({"BAT0": ("Battery", "status", "Charging")}, False),
        ({"AC": ("Mains", "online", "1"), "BAT0": ("Battery", "status", "Discharging")}, False),
        ({"AC": ("Mains", "online", "0"), "BAT0": ("Battery", "status", "Discharging")}, True),
    ],
)
def test_batteries(tmp_path: Path, supplies: dict[str, tuple[str, str, str]], expected: bool) -> None:
    for name, (kind, attribute, value) in supplies.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "type").write_text(f"{kind}\n")
        (tmp_path / name / attribute).write_text(f"{value}\n")
    assert on_battery(tmp_path) is expected
    assert on_battery(tmp_path / "absent") is False


def test_cpu_seconds_are_those_of_the_process() -> None:
    before, began = cpu_seconds(os.getpid()), time.process_time()
    while time.process_time() < began + 0.2:
        pass
    assert 0.1 < cpu_seconds(os.getpid()) - before < 5
    assert cpu_seconds(1 << 30) == 0.0
