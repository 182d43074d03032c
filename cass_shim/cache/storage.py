"""The small interface that every tier of the cache implements, and what passes through it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from cass_shim.cache.record import Record


@dataclass(frozen=True, slots=True)
class Entry:
    """A candidate: its record and the bytes of its code entry (model/entry.py)."""

    record: Record
    content: bytes


class Storage(Protocol):
    """key: the digest of a CacheKey. Trouble with a tier is a miss or a lost write and one log line, never an error."""

    def get(self, key: bytes) -> tuple[Entry, ...]:
        """Every sound candidate, the best evidence first."""

    def put(self, key: bytes, entry: Entry) -> None:
        """Adds a candidate; those that are there stay."""
