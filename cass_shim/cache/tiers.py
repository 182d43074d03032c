"""Wrappers that make a `Storage` of others: signed, guarded against trouble, written behind, in a chain."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import replace

from cass_shim.cache.audit import Audit
from cass_shim.cache.storage import Entry, Storage
from cass_shim.cache.trust import Signer, TrustSet
from cass_shim.model.errors import CassError, Rejected

log = logging.getLogger(__name__)

FAILURES_BEFORE_PAUSE = 3
PAUSE_S = 30.0
LATE_LIMIT = 4  # calls that came too late and still run, beyond which no new one is begun
MISS_LIFETIME_S = 60.0
MISSES_LIMIT = 10_000  # keys
QUEUE_LIMIT = 256 << 20  # bytes that wait to be written


class Signed:
    """Only what a trusted key signed comes out; what goes in is signed, or dropped where there is no key.

    A signature that is there stays: whoever checked a translation answers for it.
    """

    def __init__(
        self, storage: Storage, trust: TrustSet, signer: Signer | None = None, audit: Audit | None = None
    ) -> None:
        self.storage, self.trust, self.signer, self.audit = storage, trust, signer, audit
        self.refused = 0

    def _note(self, event: str, entry: Entry, reason: str = "") -> None:
        if self.audit is not None:
            record = entry.record
            signer = record.signature.partition(":")[0]
            self.audit.add(
                event, key=record.key, kernel=record.kernel, signer=signer, entry=record.entry, reason=reason
            )

    def get(self, key: bytes) -> tuple[Entry, ...]:
        accepted = []
        for entry in self.storage.get(key):
            try:
                self.trust.signer_of(entry.record)
                accepted.append(entry)
            except Rejected as error:
                self.refused += 1
                self._note("refused", entry, str(error))
                log.warning("a translation from the team's cache is not used: %s", error)
        return tuple(accepted)

    def put(self, key: bytes, entry: Entry) -> None:
        if self.signer is not None:
            signed = entry.record if entry.record.signature else self.signer.sign(entry.record)
            self.storage.put(key, replace(entry, record=signed))
            self._note("shared", replace(entry, record=signed))


class Aside:
    """Reads from one storage and puts what is made here into another: proposals, which nobody reads until signed."""

    def __init__(self, storage: Storage, quarantine: Storage) -> None:
        self.storage, self.quarantine = storage, quarantine

    def get(self, key: bytes) -> tuple[Entry, ...]:
        return self.storage.get(key)

    def put(self, key: bytes, entry: Entry) -> None:
        if not entry.record.signature:  # a signed one came from the team
            self.quarantine.put(key, entry)


class ReadOnly:
    """Takes nothing in."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    def get(self, key: bytes) -> tuple[Entry, ...]:
        return self.storage.get(key)

    def put(self, key: bytes, entry: Entry) -> None:
        """Nothing happens."""


class Misses:
    """Remembers for a while what is not there, so that it is not asked for at every launch."""

    def __init__(
        self, storage: Storage, lifetime_s: float = MISS_LIFETIME_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.storage, self.lifetime_s, self.clock = storage, lifetime_s, clock
        self.until: OrderedDict[bytes, float] = OrderedDict()

    def get(self, key: bytes) -> tuple[Entry, ...]:
        if self.until.get(key, 0.0) > self.clock():
            return ()
        found = self.storage.get(key)
        self.until.pop(key, None)
        if not found:
            self.until[key] = self.clock() + self.lifetime_s
            while len(self.until) > MISSES_LIMIT:
                self.until.popitem(last=False)
        return found

    def put(self, key: bytes, entry: Entry) -> None:
        self.until.pop(key, None)
        self.storage.put(key, entry)


class TooLate(OSError):
    """A call did not end in its time."""


class Deadline:
    """Calls that are given up after a time, whatever they hang in; a few late ones may go on behind our back."""

    def __init__(self, limit_s: float) -> None:
        self.limit_s, self.late, self.lock = limit_s, 0, threading.Lock()

    def call(self, work: Callable[[], tuple[Entry, ...]]) -> tuple[Entry, ...]:
        """What `work` returns or raises; TooLate after the limit."""
        with self.lock:
            if self.late >= LATE_LIMIT:
                raise TooLate(f"{self.late} earlier requests are still without an answer")
            self.late += 1
        box: list[tuple[Entry, ...] | Exception] = []
        done = threading.Event()
        threading.Thread(target=self._run, args=(work, box, done), daemon=True).start()
        if not done.wait(self.limit_s):
            raise TooLate(f"no answer within {self.limit_s:g} s")
        (answer,) = box
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _run(
        self, work: Callable[[], tuple[Entry, ...]], box: list[tuple[Entry, ...] | Exception], done: threading.Event
    ) -> None:
        try:
            box.append(work())
        except Exception as error:  # raised again where it was asked for
            box.append(error)
        with self.lock:
            self.late -= 1
        done.set()


class Guarded:
    """Turns trouble into misses, and asks no more for a while when there is too much of it.

    limit_s: how long one `get` may take in all, whatever the storage does.
    """

    def __init__(
        self,
        storage: Storage,
        name: str,
        clock: Callable[[], float] = time.monotonic,
        limit_s: float | None = None,
    ) -> None:
        self.storage, self.name, self.clock = storage, name, clock
        self.deadline = None if limit_s is None else Deadline(limit_s)
        self.failures, self.resume_at = 0, 0.0

    def _is_paused(self) -> bool:
        return self.failures >= FAILURES_BEFORE_PAUSE and self.clock() < self.resume_at

    def _failed(self, error: Exception) -> None:
        self.failures += 1
        self.resume_at = self.clock() + PAUSE_S
        if self.failures in (1, FAILURES_BEFORE_PAUSE):
            pause = f"; not asked for {PAUSE_S:g} s" if self.failures == FAILURES_BEFORE_PAUSE else ""
            log.warning("team cache %s: %s%s", self.name, error, pause)

    def get(self, key: bytes) -> tuple[Entry, ...]:
        if self._is_paused():
            return ()
        try:
            if self.deadline is None:
                found = self.storage.get(key)
            else:
                found = self.deadline.call(lambda: self.storage.get(key))
        except (OSError, ValueError, CassError) as error:
            self._failed(error)
            return ()
        self.failures = 0
        return found

    def put(self, key: bytes, entry: Entry) -> None:
        if self._is_paused():
            return
        try:
            self.storage.put(key, entry)
        except (OSError, ValueError, CassError) as error:
            self._failed(error)
        else:
            self.failures = 0


class WriteBehind:
    """Writes in the background, in order; what does not fit into the queue is not written (`cass cache push`)."""

    def __init__(self, storage: Storage, limit_bytes: int = QUEUE_LIMIT) -> None:
        self.storage, self.limit_bytes = storage, limit_bytes
        self.queue: deque[tuple[bytes, Entry]] = deque()
        self.waiting_bytes, self.is_running = 0, False
        self.changed = threading.Condition()

    def get(self, key: bytes) -> tuple[Entry, ...]:
        return self.storage.get(key)

    def put(self, key: bytes, entry: Entry) -> None:
        with self.changed:
            if self.waiting_bytes + len(entry.content) > self.limit_bytes:
                log.warning("a translation is not given to the team's cache: too many are waiting")
                return
            self.queue.append((key, entry))
            self.waiting_bytes += len(entry.content)
            if not self.is_running:
                self.is_running = True
                threading.Thread(target=self._write, daemon=True).start()

    def _write(self) -> None:
        """Until there is nothing left; an idle chain has no thread."""
        while True:
            with self.changed:
                if not self.queue:
                    self.is_running = False
                    self.changed.notify_all()
                    return
                key, entry = self.queue[0]
            try:
                self.storage.put(key, entry)
            except Exception:  # the thread must go on, or everything behind it is lost too
                log.exception("a translation was not given to the team's cache")
            with self.changed:
                self.queue.popleft()
                self.waiting_bytes -= len(entry.content)

    def flush(self, patience_s: float) -> bool:
        """Wait for what is being written; whether all of it was."""
        with self.changed:
            return self.changed.wait_for(lambda: not self.is_running, patience_s)


class Tiered:
    """Near tiers first; what a far one has is put into those before it."""

    def __init__(self, tiers: Sequence[Storage]) -> None:
        self.tiers = tuple(tiers)

    def get(self, key: bytes) -> tuple[Entry, ...]:
        return self.find(key, bool)

    def find(self, key: bytes, is_enough: Callable[[tuple[Entry, ...]], bool]) -> tuple[Entry, ...]:
        """The candidates of the first tiers that together have enough: a weak one nearby hides nothing behind it."""
        found: tuple[Entry, ...] = ()
        for number, tier in enumerate(self.tiers):
            more = tuple(one for one in tier.get(key) if one not in found)
            found += more
            for nearer in self.tiers[:number]:
                for entry in more:
                    nearer.put(key, entry)
            if is_enough(found):
                break
        return found

    def put(self, key: bytes, entry: Entry) -> None:
        for tier in self.tiers:
            tier.put(key, entry)

    def state(self) -> list[dict[str, str | int]]:
        """For each place: its name, how many translations wait to be written, failures since the last success."""
        rows = list[dict[str, str | int]]()
        for tier in self.tiers:
            waiting, inner = (len(tier.queue), tier.storage) if isinstance(tier, WriteBehind) else (0, tier)
            if isinstance(inner, Guarded):
                rows.append({"place": inner.name, "waiting": waiting, "failures": inner.failures})
        return rows

    def flush(self, patience_s: float) -> bool:
        """Wait for what is still being written; whether all of it was."""
        until = time.monotonic() + patience_s
        behind = (one for one in self.tiers if isinstance(one, WriteBehind))
        late = [one for one in behind if not one.flush(max(0.0, until - time.monotonic()))]
        return not late
