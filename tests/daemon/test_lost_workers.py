"""A translator that ends its process: the others serve, and the record tells of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from cass_shim.cache.index import Index
from cass_shim.cache.record import Record
from cass_shim.cache.storage import Entry
from cass_shim.daemon.reverify import pack_translation, unpack_translation
from cass_shim.daemon.service import Service
from cass_shim.daemon.wanted import KnownModule, Wanted
from cass_shim.daemon.workers import WorkerLost
from cass_shim.model.config import Config
from cass_shim.model.wire import FrameKind, KernelRequest, Reply, Status

CONFIG = Config(translators="cass,lift,ptx-hip")
DIED = "the worker process died (signal 6)"


class Workers:
    """A pool whose workers die of some translators, as LLVM ends the process over a few kernels."""

    size = 1

    def __init__(self, *deadly: str, late: bool = False, refusing: bool = False) -> None:
        self.deadly, self.late, self.refusing, self.orders = deadly, late, refusing, list[str]()

    def prepare(self, config: Config) -> None:
        """Nothing."""

    @contextlib.asynccontextmanager
    async def worker(self) -> AsyncIterator[Workers]:
        yield self

    async def ask(self, kind: FrameKind, payload: bytes, limit: float) -> Reply:
        assert kind is FrameKind.KERNEL
        order = CONFIG.with_options(KernelRequest.unpack(payload).options).translator_order
        self.orders.append(",".join(order))
        if order[0] in self.deadly:
            raise WorkerLost(DIED, was_late=self.late)
        if self.refusing:
            facts = {"message": "no PTX to translate", "lasting": True, "everywhere": True}
            return Reply(Status.FAILED, json.dumps(facts).encode(), 209)
        record = Record(
            key="00" * 32,
            entry="11" * 32,
            route=order[0],
            evidence="E1",
            kernel="k",
            created=1,
            provenance={},
            report={},
            passed_over={"other": "refused"},
        )
        return Reply(Status.OK, pack_translation(Entry(record, b"content")))


WANTED = Wanted(KernelRequest(bytes(32), "k", "CASS_MIN_EVIDENCE=E1\n"), KnownModule(b"", {}), bytes(32), CONFIG)


def service(workers: Workers, tmp_path: Path) -> Service:
    pool: Any = workers
    return Service(CONFIG, None, Index(tmp_path), pool)


def translated(workers: Workers, tmp_path: Path) -> Entry:
    return unpack_translation(asyncio.run(service(workers, tmp_path).asking.translation(WANTED)).body)


def test_the_next_translator_serves_and_the_record_says_why(tmp_path: Path) -> None:
    workers = Workers("cass", "lift")
    entry = translated(workers, tmp_path)
    full = "cass,lift,ptx-hip"
    assert workers.orders == [full, full, "lift,ptx-hip", "ptx-hip"]
    assert (entry.record.route, entry.content) == ("ptx-hip", b"content")
    assert dict(entry.record.passed_over) == {"cass": DIED, "lift": DIED, "other": "refused"}


def test_a_worker_that_dies_once_changes_nothing(tmp_path: Path) -> None:
    entry = translated(Workers(), tmp_path)
    assert (entry.record.route, dict(entry.record.passed_over)) == ("cass", {"other": "refused"})


def test_when_every_translator_ends_its_process_the_error_says_so(tmp_path: Path) -> None:
    with pytest.raises(WorkerLost, match="signal 6"):
        translated(Workers("cass", "lift", "ptx-hip"), tmp_path)


def test_a_worker_that_is_late_is_not_asked_again(tmp_path: Path) -> None:
    workers = Workers("cass", late=True)
    with pytest.raises(WorkerLost):
        translated(workers, tmp_path)
    assert len(workers.orders) == 1


@pytest.mark.parametrize(("deadly", "is_kept"), [((), True), (("cass", "lift"), False)])
def test_what_the_others_refuse_is_no_lasting_refusal(deadly: tuple[str, ...], is_kept: bool, tmp_path: Path) -> None:
    """A worker that was killed twice by chance must not refuse its translators' kernel for a day, or to the team."""
    asked = service(Workers(*deadly, refusing=True), tmp_path)
    reply = asyncio.run(asked._find_kernel(WANTED))
    name = asked.refusals.name(WANTED.request, WANTED.key, CONFIG)
    assert (reply.status, reply.cuda_error, bool(asked.refusals.known(name))) == (Status.FAILED, 209, is_kept)
    assert reply.body.decode() == "no PTX to translate" + "".join(f"; {one}: {DIED}" for one in deadly)
