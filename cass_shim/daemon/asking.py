"""How workers are asked about a kernel: where one dies another is asked, then the translators apart.

In: what is wanted. Out: a worker's reply; WorkerLost when the process ends whoever translates.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from cass_shim.cache.index import Index
from cass_shim.cache.record import Record
from cass_shim.daemon.reverify import unpack_translation
from cass_shim.daemon.wanted import Wanted, with_passed_over
from cass_shim.daemon.workers import InProcess, ProcessPool, WorkerLost
from cass_shim.model.artifacts import disputed_reason
from cass_shim.model.wire import FrameKind, Reply, Status

log = logging.getLogger(__name__)


class Asking:
    """The way to the workers for one kernel at a time."""

    def __init__(self, pool: ProcessPool | InProcess, index: Index) -> None:
        self.pool, self.index = pool, index

    async def translation(self, wanted: Wanted, translators: Sequence[str] = ()) -> Reply:
        """The worker's answer. One that dies is replaced once: it may have died of something else.

        When that one dies too, a translator or a compiler below it ends the process over this kernel: the translators
        behind the first are asked alone, then those behind the second. translators: the only ones to ask at first.
        """
        try:
            reply = await self._twice(wanted, tuple(translators))
        except WorkerLost as error:
            if error.was_late:
                raise
            reply = await self._the_others(wanted, error)
        self.index.add("translations")
        return reply

    async def instead(self, wanted: Wanted, disputed: Record) -> Reply | None:
        """What other translators make of a kernel of which one's code is disputed, where that is not disputed too."""
        order, reason = wanted.config.translator_order, disputed_reason(disputed.report)
        others = tuple(one for one in order if one != disputed.route)
        log.warning("%s: %s: %s", disputed.kernel, disputed.route, reason)
        if not others:
            return None
        try:
            reply = await self.translation(wanted, others)
        except WorkerLost as error:
            log.warning("%s: %s", disputed.kernel, error)
            return None
        if reply.status is not Status.OK or unpack_translation(reply.body).record.is_disputed:
            return None
        return with_passed_over(reply, {disputed.route: reason})

    async def _twice(self, wanted: Wanted, translators: tuple[str, ...]) -> Reply:
        kind, payload = wanted.job(translators)
        try:
            return await self.once(kind, payload, wanted)
        except WorkerLost as error:
            if error.was_late:
                raise
            log.warning("%s: %s; once more", wanted.request.name, error)
            return await self.once(kind, payload, wanted)

    async def _the_others(self, wanted: Wanted, lost: WorkerLost) -> Reply:
        """Raises `lost` when the process ends whoever translates."""
        order, request = wanted.config.translator_order, wanted.request
        for first in range(1, len(order)):
            log.warning("%s: %s twice; without %s", request.name, lost, ", ".join(order[:first]))
            try:
                reply = await self.once(*wanted.job(order[first:]), wanted)
            except WorkerLost as error:
                if error.was_late:
                    raise
                continue
            self.index.add("workers lost")
            return with_passed_over(reply, dict.fromkeys(order[:first], str(lost)))
        raise lost

    async def once(self, kind: FrameKind, payload: bytes, wanted: Wanted) -> Reply:
        """One job about a kernel, after its module where the worker does not know it."""
        limit = wanted.config.number("kernel_timeout")
        self.pool.prepare(wanted.config)
        async with self.pool.worker() as worker:
            reply = await worker.ask(kind, payload, limit)
            if reply.status is Status.NEED_MODULE:
                await worker.ask(FrameKind.MODULE, wanted.known.request, limit)
                reply = await worker.ask(kind, payload, limit)
        return reply
