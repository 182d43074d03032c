"""Work behind a program: second opinions (E2) on what it was served, then the model (architecture decision 5).

In: translations that were just served, when nobody waits. Out: the same code with a record at E2, where code derived
in another way agrees; where fresh inputs show twice that the translation is wrong, its withdrawal; and the model's
code in its place, where the rule of `rival.py` allows it. One worker at the lowest priority, a budget of CPU-seconds
for each program (CASS_BEHIND), and nothing on battery.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from cass_shim.cache.audit import Audit
from cass_shim.cache.epoch import sources_digest
from cass_shim.cache.index import Index
from cass_shim.cache.local import LocalTier
from cass_shim.cache.storage import Entry
from cass_shim.daemon.reverify import pack_check, pack_with_launch, unpack_translation
from cass_shim.daemon.rival import ROUTE, asked, has_replaced, model_works_behind
from cass_shim.daemon.wanted import Wanted
from cass_shim.daemon.workers import InProcess, PoolLost, ProcessPool, Worker, WorkerLost
from cass_shim.model.artifacts import Evidence
from cass_shim.model.config import SECOND_SECONDS
from cass_shim.model.entry import read_entry
from cass_shim.model.errors import Rejected
from cass_shim.model.wire import FrameKind, Reply, Status

log = logging.getLogger(__name__)

QUIET_S = 1.0  # without any request under way, before work begins
LOOK_S = 0.25  # between looks at how much a job has used
WAITING_LIMIT = 256  # jobs; a program with more kernels has its first ones looked at
DONE_LIFETIME_S = 30 * 24 * 3600.0
POWER = Path("/sys/class/power_supply")  # source: the kernel's Documentation/ABI/testing/sysfs-class-power


def on_battery(supplies: Path = POWER) -> bool:
    """Whether a battery is what keeps this machine running: one discharges, and no mains supply is connected."""

    def read(path: Path) -> str:
        try:
            return path.read_text().strip()
        except OSError:
            return ""

    try:
        found = list(supplies.iterdir())
    except OSError:
        return False
    if any(read(one / "type") in ("Mains", "USB") and read(one / "online") == "1" for one in found):
        return False
    return any(read(one / "type") == "Battery" and read(one / "status") == "Discharging" for one in found)


def cpu_seconds(pid: int) -> float:
    """What a process and its children that have ended have used: fields 14 to 17 of /proc/PID/stat, proc(5)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return 0.0
    return sum(int(one) for one in fields[11:15]) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Job:
    """A translation that was served, and for which program."""

    wanted: Wanted
    entry: Entry
    program: int
    is_rival: bool = False  # for the model, not for a second opinion


class Behind:
    """The queue and what works on it. busy: whether a program waits for something. push: gives a record to the team."""

    def __init__(
        self,
        index: Index,
        pool: ProcessPool | InProcess,
        tier: LocalTier | None,
        busy: Callable[[], bool],
        push: Callable[[bytes, Entry], None],
    ) -> None:
        self.index, self.pool, self.tier, self.busy, self.push = index, pool, tier, busy, push
        self.waiting: deque[Job] = deque()
        self.rivals: deque[Job] = deque()  # served when nothing else waits
        self.spent: dict[int, float] = {}  # CPU-seconds by program
        self.task: asyncio.Task[None] | None = None

    def offer(self, wanted: Wanted, entry: Entry, program: int) -> None:
        """Look at a translation later, where that is wanted and could add to what is known of it, or replace it."""
        record = entry.record
        if (
            self.tier is None
            or not isinstance(self.pool, ProcessPool)
            or wanted.config.number("behind") <= self.spent.get(program, 0.0)
            or record.level < Evidence.E1
            or record.signature
            or len(self.waiting) + len(self.rivals) >= WAITING_LIMIT
        ):
            return
        if record.level is Evidence.E1 and self.index.get(_done(entry)) is None:
            self.waiting.append(Job(wanted, entry, program))
        if record.route != ROUTE and model_works_behind(wanted.config) and self.index.get(_tried(entry)) is None:
            self.rivals.append(Job(wanted, entry, program, is_rival=True))
        if (self.waiting or self.rivals) and (self.task is None or self.task.done()):
            self.task = asyncio.create_task(self._work(self.pool, self.tier))

    def unsuspected(self, wanted: Wanted) -> tuple[str, ...]:
        """The translators whose code for this kernel was not found to be wrong; () for all. Raises Rejected."""
        order = wanted.config.translator_order
        left = tuple(one for one in order if self.index.get(_wrong(wanted.key, one)) is None)
        if order and not left:
            raise Rejected("every translator's code was found to be wrong on fresh inputs", kernel=wanted.request.name)
        return () if left == order else left

    def status(self) -> dict[str, object]:
        """For `cass daemon status` and `cass doctor`."""
        waiting = len(self.waiting) + len(self.rivals)
        return {"waiting": waiting, "cpu_s": round(sum(self.spent.values()), 2), "on_battery": on_battery()}

    async def close(self) -> None:
        """Stop at once: nobody waits for this."""
        self._forget()
        if self.task is not None:
            self.task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self.task

    def _forget(self) -> None:
        self.waiting.clear()
        self.rivals.clear()

    async def _work(self, pool: ProcessPool, tier: LocalTier) -> None:
        while self.waiting or self.rivals:
            await self._quiet()
            if not self.waiting and not self.rivals:
                return
            job = (self.waiting or self.rivals).popleft()
            left = job.wanted.config.number("behind") - self.spent.get(job.program, 0.0)
            if left <= 0:
                continue
            if on_battery():
                self._forget()
                return
            try:
                await (self._try_rival if job.is_rival else self._look_at)(pool, tier, job, left)
            except PoolLost:
                return
            except Exception:  # nobody waits for the answer: the next job may do better
                log.exception("behind %s", job.entry.record.kernel)

    async def _quiet(self) -> None:
        """Until no program has waited for anything for a while."""
        quiet = 0.0
        while quiet < QUIET_S:
            await asyncio.sleep(LOOK_S)
            quiet = 0.0 if self.busy() else quiet + LOOK_S

    async def _look_at(self, pool: ProcessPool, tier: LocalTier, job: Job, budget_s: float) -> None:
        record, wanted = job.entry.record, job.wanted
        if tier.admitted(wanted.key, wanted.config) != job.entry.content:  # a launch has told more of it, say
            return
        reply = await self._answer(pool, job, budget_s)
        if reply is None:
            self.index.add("behind given up")
            return
        self.index.set(_done(job.entry), 1, DONE_LIFETIME_S)
        self.index.add("behind looked at")
        if reply.status is Status.OK:
            found = unpack_translation(reply.body)
            if found.record.level > record.level:
                log.info("%s: %s, evidence %s found behind", record.kernel, record.route, found.record.evidence)
                self._raise(tier, job, found)
        elif json.loads(reply.body)["lasting"]:
            await self._doubt(pool, tier, job, str(json.loads(reply.body)["message"]))

    async def _try_rival(self, pool: ProcessPool, tier: LocalTier, job: Job, budget_s: float) -> None:
        """The model's code in the place of what was served, where the rule allows it and nobody took that back."""
        record, wanted = job.entry.record, job.wanted
        self.index.set(_tried(job.entry), 1, DONE_LIFETIME_S)
        reply = await self._answer(pool, job, budget_s)
        if reply is None:
            self.index.add("model given up")
            return
        self.index.add("model tried")
        if reply.status is not Status.OK:
            log.info("%s: %s", record.kernel, json.loads(reply.body)["message"])
            return
        found = unpack_translation(reply.body)
        served = tier.admitted(wanted.key, wanted.config)
        if served is None or not has_replaced(found.record) or read_entry(served).route != record.route:
            return
        self.index.add("model replaced")
        log.info("%s: the model's code (%s) replaces %s's", record.kernel, found.record.evidence, record.route)
        reason = f"{found.record.evidence} instead of {record.route}, {record.evidence}"
        Audit(tier.root).add("replaced", key=record.key, kernel=record.kernel, signer="", reason=reason)
        tier.put(wanted.key, found)
        tier.admit(found.record, found.content, wanted.config)
        self.push(wanted.key, found)

    def _raise(self, tier: LocalTier, job: Job, found: Entry) -> None:
        """The same code with more evidence takes the place of what was served, unless somebody took that back."""
        wanted = job.wanted
        if tier.admitted(wanted.key, wanted.config) != job.entry.content:
            return
        self.index.add("behind E2")
        tier.put(wanted.key, found)
        tier.admit(found.record, found.content, wanted.config)
        self.push(wanted.key, found)

    async def _doubt(self, pool: ProcessPool, tier: LocalTier, job: Job, reason: str) -> None:
        """A difference: looked at once more in earnest, since at the lowest priority time may have been too short."""
        record, key = job.entry.record, job.wanted.key
        log.warning("%s: %s differs behind the program: %s", record.kernel, record.route, reason)
        async with pool.worker() as worker:
            again = await self._exchange(worker, job)
        if again.status is Status.OK or not json.loads(again.body)["lasting"]:
            return
        log.error("%s: %s is withdrawn; the next launch asks the others: %s", record.kernel, record.route, reason)
        self.index.add("withdrawn behind")
        self.index.set(_wrong(key, record.route), reason)
        Audit(tier.root).add("rejected", key=record.key, kernel=record.kernel, signer="", reason=reason)
        tier.withdraw(key, record.digest)

    async def _answer(self, pool: ProcessPool, job: Job, budget_s: float) -> Reply | None:
        """A worker's answer at the lowest priority; None where it died or took more than the budget."""
        with contextlib.suppress(WorkerLost):
            async with pool.background() as worker:
                return await self._ask(worker, job, budget_s)
        return None

    async def _ask(self, worker: Worker, job: Job, budget_s: float) -> Reply | None:
        """The worker's answer, or None where it took more than the program's budget."""
        asking = asyncio.create_task(self._exchange(worker, job))
        try:
            while not asking.done():
                await asyncio.wait({asking}, timeout=LOOK_S)
                if not asking.done() and cpu_seconds(worker.pid) > budget_s:
                    return None
            return asking.result()
        finally:
            used = cpu_seconds(worker.pid)
            self.spent[job.program] = self.spent.get(job.program, 0.0) + used
            asking.cancel()
            with contextlib.suppress(asyncio.CancelledError, WorkerLost):
                await asking

    async def _exchange(self, worker: Worker, job: Job) -> Reply:
        wanted = job.wanted
        limit = wanted.config.number("kernel_timeout")
        await worker.ask(FrameKind.MODULE, wanted.known.request, limit)
        if job.is_rival:
            payload = pack_with_launch(asked(wanted.request, SECOND_SECONDS), job.entry, wanted.launch)
            return await worker.ask(FrameKind.RIVAL, payload, limit)
        options = f"{wanted.request.options}\nCASS_SECOND={SECOND_SECONDS:g}\nCASS_MIN_EVIDENCE=E0\n"
        request = replace(wanted.request, options=options)
        return await worker.ask(FrameKind.VERIFY, pack_check(request, job.entry), limit)


def _wrong(key: bytes, route: str) -> str:
    """What the index knows a translation as that was found to be wrong, under today's rules."""
    return f"wrong:{sources_digest()}:{route}:{key.hex()}"


def _done(entry: Entry) -> str:
    return f"behind:{entry.record.provenance.get('sources', '')}:{entry.record.entry}"


def _tried(entry: Entry) -> str:
    """What the index knows a translation as that the model was asked to better."""
    return f"model:{entry.record.provenance.get('sources', '')}:{entry.record.entry}"
