"""What the daemon knows and decides: modules, the cache, one translation per key at a time.

In: frames of programs. Out: replies.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from collections import OrderedDict
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import replace
from typing import Any

from cass_shim.cache.audit import Audit
from cass_shim.cache.epoch import bad_reason, sources_digest
from cass_shim.cache.index import Index
from cass_shim.cache.key import spilled_key
from cass_shim.cache.local import LocalTier
from cass_shim.cache.record import Record, read_record
from cass_shim.cache.storage import Entry
from cass_shim.cache.tiers import Tiered
from cass_shim.cache.trust import TrustSet
from cass_shim.daemon.asking import Asking
from cass_shim.daemon.behind import Behind
from cass_shim.daemon.judged import untold, withdraw_code
from cass_shim.daemon.refusals import Refusals
from cass_shim.daemon.reverify import pack_check, pack_translation, pack_with_launch, unpack_translation
from cass_shim.daemon.rival import chooses_freely, has_replaced
from cass_shim.daemon.wanted import KnownModule, Wanted, keep_capture
from cass_shim.daemon.workers import InProcess, PoolLost, ProcessPool, WorkerLost
from cass_shim.model.artifacts import Evidence
from cass_shim.model.captured import unpack_capture
from cass_shim.model.config import Config, joined_digest
from cass_shim.model.entry import read_entry
from cass_shim.model.errors import CassError, Malformed, Rejected
from cass_shim.model.manifest import read_manifest
from cass_shim.model.wire import CudaError, FrameKind, KernelRequest, ModuleRequest, Reply, Status

log = logging.getLogger(__name__)

REGIONS_LIMIT = 512 << 20  # bytes of modules kept for kernels that are asked for later


class Service:
    """Answers requests. `tier` is None where there is no cache, `team` where no shared one is configured."""

    def __init__(
        self,
        config: Config,
        tier: LocalTier | None,
        index: Index,
        pool: ProcessPool | InProcess,
        team: Tiered | None = None,
    ) -> None:
        self.team = team
        self.config, self.tier, self.index, self.pool = config, tier, index, pool
        self.asking = Asking(pool, index)
        self.refusals = Refusals(index, team)
        self.modules: OrderedDict[bytes, KnownModule] = OrderedDict()
        self.flights: dict[bytes, asyncio.Task[Reply]] = {}
        self.behind = Behind(index, pool, tier, lambda: bool(self.flights), self._push)
        self.started = time.monotonic()

    async def answer(self, kind: FrameKind, payload: bytes, program: int = 0) -> Reply:
        """The reply to one frame of a program; expected errors become failed replies. Raises PoolLost."""
        try:
            if kind is FrameKind.KERNEL:
                return await self._kernel(KernelRequest.unpack(payload), program)
            handlers = {FrameKind.MODULE: self._module, FrameKind.CAPTURE: self._capture, FrameKind.LINK: self._link}
            if kind in handlers:
                return await handlers[kind](payload)
            if kind is FrameKind.STATUS:
                return Reply(Status.OK, json.dumps(self.status()).encode())
            raise Malformed(f"a {kind.name} frame", where="request")
        except PoolLost:
            raise
        except CassError as error:
            return Reply(Status.FAILED, str(error).encode(), int(CudaError.UNKNOWN))
        except Exception as error:
            log.exception("request failed")
            return Reply(Status.FAILED, f"internal error in the daemon: {error!r}".encode(), int(CudaError.UNKNOWN))

    def status(self) -> dict[str, Any]:
        """What `cass daemon status` shows."""
        return {
            "pid": os.getpid(),
            "uptime_s": round(time.monotonic() - self.started),
            "modules": len(self.modules),
            "translating": len(self.flights),
            "workers": self.pool.size,
            "cache": str(self.tier.root) if self.tier else "",
            "behind": self.behind.status(),
            "team": self.team.state() if self.team is not None else [],
            "counters": self.index.counters(),
        }

    # ---- modules ------------------------------------------------------------------------------------------

    async def _module(self, payload: bytes) -> Reply:
        request = ModuleRequest.unpack(payload)
        config = self.config.with_options(request.options)
        flight = joined_digest("module", request.module, request.options)
        return await self._once(flight, self._load_module(payload, request, config))

    async def _load_module(self, payload: bytes, request: ModuleRequest, config: Config) -> Reply:
        async with self.pool.worker() as worker:
            reply = await worker.ask(FrameKind.MODULE, payload, config.number("kernel_timeout"))
        if reply.status is not Status.OK:
            return self._failed(reply)
        manifest = read_manifest(reply.body)
        if manifest.module != request.module:
            raise Malformed("manifest of another module", where="worker")
        self._remember(request.module, payload, {one.name: one.key for one in manifest.kernels})
        self.index.add("modules")
        if self.tier is not None:
            self.tier.put_manifest(request.module, reply.body, config)
        return reply

    def _remember(self, digest: bytes, payload: bytes, keys: dict[str, bytes]) -> None:
        self.modules[digest] = KnownModule(payload, keys)
        self.modules.move_to_end(digest)
        while len(self.modules) > 1 and sum(len(one.request) for one in self.modules.values()) > REGIONS_LIMIT:
            self.modules.popitem(last=False)

    async def _link(self, payload: bytes) -> Reply:
        async with self.pool.worker() as worker:  # a program that links while it runs
            reply = await worker.ask(FrameKind.LINK, payload, self.config.number("kernel_timeout"))
        return reply if reply.status is Status.OK else self._failed(reply)

    # ---- kernels ------------------------------------------------------------------------------------------

    async def _kernel(self, request: KernelRequest, program: int) -> Reply:
        wanted = self._wanted(request)
        if wanted is None:
            return Reply(Status.NEED_MODULE)
        wanted.program = program
        return await self._once(joined_digest(wanted.key, request.options), self._find_kernel(wanted))

    async def _capture(self, payload: bytes) -> Reply:
        """A kernel for a launch that was captured: kept where that is asked for, and judged by."""
        request, launch = unpack_capture(payload)
        found = self._wanted(request)
        if found is None:
            return Reply(Status.NEED_MODULE)
        wanted = replace(found, launch=launch)
        self.index.add("captured launches")
        if wanted.config.capture_dir:
            await asyncio.to_thread(keep_capture, wanted)
        find = self._judged(wanted) if wanted.config.captures_weak_only else self._find_kernel(wanted)
        return await self._once(joined_digest("capture", payload), find)

    def _wanted(self, request: KernelRequest) -> Wanted | None:
        """What a request is about; None when its module is not known."""
        known = self.modules.get(request.module)
        if known is None:
            return None
        self.modules.move_to_end(request.module)
        key = known.keys.get(request.name)
        if key is None:
            raise Malformed(f"the module has no kernel {request.name}", where="request")
        key = spilled_key(key) if request.is_spilled else key
        return Wanted(request, known, key, self.config.with_options(request.options))

    async def _find_kernel(self, wanted: Wanted) -> Reply:
        for find, counter in ((self._stored, "hits"), (self._from_team, "team hits")):
            found = None if wanted.config.keep else await find(wanted)
            if found is not None:
                self.index.add(counter)
                self.behind.offer(wanted, found, wanted.program)
                return Reply(Status.OK, found.content)
        request, config = wanted.request, wanted.config
        name = b"" if wanted.launch is not None else self.refusals.name(request, wanted.key, config)
        if name and not config.keep and (refused := await self._refused(name, wanted)):
            return Reply(Status.FAILED, refused.encode(), int(CudaError.NO_KERNEL_IMAGE_FOR_DEVICE))
        try:
            reply = await self.asking.translation(wanted, self.behind.unsuspected(wanted))
        except WorkerLost as error:
            self.index.add("workers lost")
            text = f"kernel {request.name} was not translated: {error}"
            log.error("%s", text)
            return Reply(Status.FAILED, text.encode(), int(CudaError.NO_KERNEL_IMAGE_FOR_DEVICE))
        if reply.status is Status.OK:
            return self._accept(reply.body, wanted)
        failed = self._failed(reply)
        facts = json.loads(reply.body)
        if name and facts["lasting"]:
            is_shared = facts["everywhere"] and self.config.remote_role == "write"
            self.refusals.keep(name, request.name, failed.body.decode(), is_shared=is_shared)
        return failed

    async def _judged(self, wanted: Wanted) -> Reply:
        """The kernel's code as the launch shows it to be, where inputs told nothing of it or of little of it."""
        plain = replace(wanted, launch=None)
        entry = self._best(self.tier.get(wanted.key), plain) if self.tier is not None else None
        if self.tier is None or entry is None:
            return await self._find_kernel(wanted)
        if entry.record.level >= Evidence.E1U and not read_entry(entry.content).launch_may_tell:
            # another program has been here
            return await self._find_kernel(plain)
        assert wanted.launch is not None
        try:
            payload = pack_with_launch(wanted.request, entry, wanted.launch)
            reply = await self.asking.once(FrameKind.JUDGE, payload, wanted)
            facts = {} if reply.status is Status.OK else json.loads(reply.body)
            told = untold(entry, str(facts["message"])) if facts else unpack_translation(reply.body)
        except WorkerLost as error:
            self.index.add("workers lost")
            facts, told = {}, untold(entry, str(error))
        withdraw_code(self.tier, wanted.key, entry)
        if facts and facts["lasting"]:
            self.index.add("rejected")
            self._note("rejected", entry.record, str(facts["message"]))
            log.error("%s: %s", wanted.request.name, facts["message"])
            return await self._find_kernel(wanted)
        if told.record.is_disputed and (other := await self.asking.instead(wanted, told.record)) is not None:
            return self._accept(other.body, wanted)
        return self._accept(pack_translation(told), plain)

    async def _refused(self, name: bytes, wanted: Wanted) -> str:
        """Why this kernel has no translation, when that is known. The team has what is left of its time."""
        left = self.config.number("remote_timeout") - wanted.team_s
        return self.refusals.known(name) or await self.refusals.of_the_team(name, wanted.config, left)

    def _best(self, entries: Iterable[Entry], wanted: Wanted) -> Entry | None:
        """The best candidate that the policy allows and that today's rules made.

        A model's that has replaced another one's comes first, where nobody set another order.
        """
        order, least = wanted.config.translator_order, wanted.least
        replaced = chooses_freely(wanted.config)

        def rank(one: Entry) -> tuple[int, int]:
            first = replaced and has_replaced(one.record)
            return -1 if first else order.index(one.record.route), -one.record.level

        allowed = [
            one
            for one in entries
            if (one.record.route in order or (replaced and has_replaced(one.record)))
            and one.record.level >= least
            and one.record.provenance.get("sources") == sources_digest()
            and not bad_reason(one.record)
            and self._is_trusted(one.record)
        ]
        return min(allowed, key=rank, default=None)

    def _is_trusted(self, record: Record) -> bool:
        """Our own are unsigned; a signed one came from the team, and its key may have been revoked since."""
        if not record.signature or self.tier is None:
            return True
        try:
            TrustSet.load(self.tier.root).signer_of(record)
        except CassError as error:
            log.warning("%s", error)
            return False
        return True

    async def _stored(self, wanted: Wanted) -> Entry | None:
        """The best candidate of this machine, admitted to where C finds it."""
        return None if self.tier is None else await self._choose(self.tier.get(wanted.key), wanted, is_stored=True)

    async def _from_team(self, wanted: Wanted) -> Entry | None:
        """The best candidate of the team's caches, put into this machine's. Too late is a miss."""
        if self.team is None:
            return None
        began = time.monotonic()
        try:
            asked = asyncio.to_thread(self.team.find, wanted.key, lambda found: self._best(found, wanted) is not None)
            found = await asyncio.wait_for(asked, self.config.number("remote_timeout"))
        except TimeoutError:
            self.index.add("team timeouts")
            return None
        finally:
            wanted.team_s = time.monotonic() - began
            self.index.add("team seconds", round(wanted.team_s, 4))
        return await self._choose(found, wanted, is_stored=False)

    async def _choose(self, entries: Sequence[Entry], wanted: Wanted, *, is_stored: bool) -> Entry | None:
        """The best candidate that holds: one of another machine is checked again where CASS_REVERIFY says so."""
        left = list(entries)
        while (best := self._best(left, wanted)) is not None:
            if not best.record.signature or wanted.config.reverify == "signed":
                self._keep(best, wanted, is_stored=is_stored)
                return best
            checked = await self._checked(best, wanted)
            if checked is None:
                left.remove(best)
            elif wanted.config.reverify == "always":  # it stays theirs, and C never finds it by itself
                if self.tier is not None and not is_stored:
                    self.tier.put(wanted.key, best)
                return checked
            else:
                if self.tier is not None:
                    self.tier.withdraw(wanted.key, best.record.digest)
                self._keep(checked, wanted, is_stored=False)
                return checked
        return None

    def _keep(self, entry: Entry, wanted: Wanted, *, is_stored: bool) -> None:
        """Put a candidate where later requests and C find it."""
        if self.tier is not None:
            if not is_stored:
                self.tier.put(wanted.key, entry)
            self.tier.admit(entry.record, entry.content, wanted.config)

    async def _checked(self, entry: Entry, wanted: Wanted) -> Entry | None:
        """The candidate with this machine's own record; None, and gone from here, when it does not hold."""
        record = entry.record
        try:
            reply = await self.asking.once(FrameKind.VERIFY, pack_check(wanted.request, entry), wanted)
        except WorkerLost as error:
            self.index.add("workers lost")
            log.error("%s of %s was not checked again: %s", record.kernel, record.signature.partition(":")[0], error)
            return None
        if reply.status is Status.OK:
            self.index.add("checked again")
            self._note("checked again", record)
            return unpack_translation(reply.body)
        facts = json.loads(reply.body)
        reason = str(facts["message"])
        log.error("a translation from the team's cache is not used: %s", reason)
        self.index.add("rejected")
        self._note("rejected", record, reason)
        if self.tier is not None and facts["lasting"]:
            self.tier.withdraw(wanted.key, record.digest)
        return None

    def _note(self, event: str, record: Record, reason: str = "") -> None:
        if self.tier is not None:
            signer = record.signature.partition(":")[0]
            Audit(self.tier.root).add(event, key=record.key, kernel=record.kernel, signer=signer, reason=reason)

    def _push(self, key: bytes, entry: Entry) -> None:
        """Give a new translation to the team; its tiers write behind the program's back."""
        if self.team is not None and self.config.remote_role != "read":
            self.team.put(key, entry)

    async def drain(self, patience_s: float = 10.0) -> None:
        """Wait for what is still being given to the team."""
        if self.team is not None and not await asyncio.to_thread(self.team.flush, patience_s):
            log.warning("not everything reached the team's cache; `cass cache push` gives it the rest")

    def _accept(self, body: bytes, wanted: Wanted) -> Reply:
        """Store and pass on a worker's answer, after a look at whether it is what was asked for."""
        key, config = wanted.key, wanted.config
        first, content = body.split(b"\n", 1)
        record, entry = read_record(first), read_entry(content)
        if reason := bad_reason(record):
            raise Rejected(f"a tool of this machine is known to be wrong, update it: {reason}", kernel=record.kernel)
        if record.key != key.hex() or entry.key != key or entry.evidence != record.level:
            raise Malformed("an answer for another key", where="worker")
        for name, reason in record.passed_over.items():
            log.info("%s: %s passed over: %s", record.kernel, name, reason)
        log.info("%s: %s, evidence %s", record.kernel, record.route, record.evidence)
        self.index.add(f"route {record.route}")
        if self.tier is not None:
            self.tier.put(key, Entry(record, content))
            self.tier.admit(record, content, config)
        self._push(key, Entry(record, content))
        self.behind.offer(wanted, Entry(record, content), wanted.program)
        return Reply(Status.OK, content)

    def _failed(self, reply: Reply) -> Reply:
        """A worker's failure in the words for the program."""
        facts = json.loads(reply.body)
        message = str(facts["message"])
        log.error("%s", message)
        self.index.add("failures")
        return Reply(Status.FAILED, message.encode(), reply.cuda_error)

    # ---- one at a time ------------------------------------------------------------------------------------

    async def _once(self, flight: bytes, work: Coroutine[Any, Any, Reply]) -> Reply:
        """Join the same work that is under way, or begin it. A program that leaves does not cancel it."""
        task = self.flights.get(flight)
        if task is None:
            task = asyncio.create_task(work)
            self.flights[flight] = task
            task.add_done_callback(lambda _: self.flights.pop(flight, None))
        else:
            work.close()
        return await asyncio.shield(task)
