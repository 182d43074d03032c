"""The small interface that every tier of the cache implements, and what passes through it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from cass_shim.cache.record import Record, read_record
from cass_shim.model.artifacts import Evidence
from cass_shim.model.entry import read_entry
from cass_shim.model.errors import Malformed

REFUSED = "refused"  # the route of a record that says that there is no translation (cache/refusal.py)


@dataclass(frozen=True, slots=True)
class Entry:
    """A candidate: its record and the bytes of its code entry (model/entry.py), or of a refusal's text."""

    record: Record
    content: bytes


class Storage(Protocol):
    """key: the digest of a CacheKey. Trouble is a miss or a lost write and one log line, never an error."""

    def get(self, key: bytes) -> tuple[Entry, ...]:
        """Every sound candidate, the best evidence first."""

    def put(self, key: bytes, entry: Entry) -> None:
        """Adds a candidate; those that are there stay."""


def sound_entry(key: bytes, record: bytes, blob_of: Callable[[str], bytes | None]) -> Entry | None:
    """The candidate whose record this is; None when its blob is gone.

    Raises Malformed when record, blob and key do not belong together, whoever stored them.
    """
    read = read_record(record)
    if read.key != key.hex():
        raise Malformed("record of another key", where=read.key)
    blob = blob_of(read.entry)
    if blob is None:
        return None
    if hashlib.sha256(blob).hexdigest() != read.entry:
        raise Malformed("blob does not match its name", where=read.entry)
    if read.route == REFUSED and read.level is Evidence.NONE:
        return Entry(read, blob)
    entry = read_entry(blob, read.entry)
    if entry.key != key or entry.evidence != read.level or entry.route != read.route:
        raise Malformed("entry and record disagree", where=read.entry)
    return Entry(read, blob)
