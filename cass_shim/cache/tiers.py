"""Wrappers that make a `Storage` of others: signed, guarded against trouble, in a chain with back-fill."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from cass_shim.cache.directory import DirectoryStore
from cass_shim.cache.http import HttpStore
from cass_shim.cache.remote import RemoteTier
from cass_shim.cache.storage import Entry, Storage
from cass_shim.cache.trust import SIGNING_FILE, Signer, TrustSet
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError, Rejected

log = logging.getLogger(__name__)

FAILURES_BEFORE_PAUSE = 3
PAUSE_S = 30.0


class Signed:
    """Only what a trusted key signed comes out; what goes in is signed, or dropped where there is no key."""

    def __init__(self, storage: Storage, trust: TrustSet, signer: Signer | None = None) -> None:
        self.storage, self.trust, self.signer = storage, trust, signer
        self.refused = 0

    def get(self, key: bytes) -> tuple[Entry, ...]:
        accepted = []
        for entry in self.storage.get(key):
            try:
                self.trust.signer_of(entry.record)
                accepted.append(entry)
            except Rejected as error:
                self.refused += 1
                log.warning("a translation from the team's cache is not used: %s", error)
        return tuple(accepted)

    def put(self, key: bytes, entry: Entry) -> None:
        if self.signer is not None:
            self.storage.put(key, replace(entry, record=self.signer.sign(entry.record)))


class ReadOnly:
    """Takes nothing in."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    def get(self, key: bytes) -> tuple[Entry, ...]:
        return self.storage.get(key)

    def put(self, key: bytes, entry: Entry) -> None:
        """Nothing happens."""


class Guarded:
    """Turns trouble into misses, and asks no more for a while when there is too much of it."""

    def __init__(self, storage: Storage, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.storage, self.name, self.clock = storage, name, clock
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
            found = self.storage.get(key)
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


class Tiered:
    """Near tiers first; what a far one has is put into those before it."""

    def __init__(self, tiers: Sequence[Storage]) -> None:
        self.tiers = tuple(tiers)

    def get(self, key: bytes) -> tuple[Entry, ...]:
        for number, tier in enumerate(self.tiers):
            found = tier.get(key)
            if found:
                for nearer in self.tiers[:number]:
                    for entry in found:
                        nearer.put(key, entry)
                return found
        return ()

    def put(self, key: bytes, entry: Entry) -> None:
        for tier in self.tiers:
            tier.put(key, entry)


def open_remotes(config: Config, root: Path) -> Tiered | None:
    """The team's tiers of the configuration, or None. Trust and the signing key lie in the cache directory `root`."""
    places = [one.strip() for one in config.remotes.split(",") if one.strip()]
    if not places:
        return None
    writes = config.remote_role == "write"
    signer = Signer.load(root / SIGNING_FILE) if writes else None
    trust, tiers = TrustSet.load(root), list[Storage]()
    for place in places:
        timeout_s = config.number("remote_timeout")
        store = DirectoryStore(Path(place)) if place.startswith("/") else HttpStore(place, timeout_s)
        signed = Signed(RemoteTier(store), trust, signer)
        tiers.append(Guarded(signed if writes else ReadOnly(signed), place.rpartition("@")[2]))
    return Tiered(tiers)
