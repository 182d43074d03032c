"""What may go from a team's directory or bucket: listings that serve nobody any more, and objects that nobody lists.

In: a store that can be walked, and an age in days. Out: what was removed. Servers with an eviction of their own
(Redis, bazel-remote) need none of this. A lost race with a writer costs a translation, never a wrong one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from cass_shim.cache.epoch import sources_digest
from cass_shim.cache.record import RECORD_LIMIT, Record, read_record
from cass_shim.cache.remote import HEAD_LIMIT, ObjectStore, read_listing
from cass_shim.model.errors import Malformed

DAY_S = 24 * 3600.0
GRACE_S = DAY_S  # of an object that no head lists yet: its writer may be about to


class Walkable(ObjectStore, Protocol):
    """A store whose objects can be listed and removed. kind: `cas` or `ac`."""

    def names(self, kind: str) -> Iterator[str]:
        """The names of the objects of a kind."""

    def changed(self, digest: str) -> tuple[float, int] | None:
        """(seconds since 1970 of the last write, bytes) of an object."""

    def remove_object(self, digest: str) -> None:
        """Remove an object; one that is gone is no error."""

    def remove_unfinished(self, before: float, *, is_dry: bool) -> tuple[int, int]:
        """(files, bytes) of what writers that died before that time left beside what they wrote; now removed."""


@dataclass
class Removed:
    """kept: records that stay listed. unlisted: rows that went from heads. objects, freed: what was removed."""

    kept: int = 0
    unlisted: int = 0
    objects: int = 0
    freed: int = 0


def collect(store: Walkable, days: float, *, is_dry: bool = False, now: float | None = None) -> Removed:
    """Unlist records that are older than `days` and were made by other sources than this package's; then remove
    objects that no head lists, and what killed writers left. Raises the store's errors."""
    at, done, used = time.time() if now is None else now, Removed(), set[str]()
    for key in store.names("ac"):
        used |= _head(store, key, at - days * DAY_S, done, is_dry=is_dry)
    for digest in store.names("cas"):
        found = None if digest in used else store.changed(digest)
        if found is not None and found[0] < at - GRACE_S:
            done.objects, done.freed = done.objects + 1, done.freed + found[1]
            if not is_dry:
                store.remove_object(digest)
    files, freed = store.remove_unfinished(at - GRACE_S, is_dry=is_dry)
    done.objects, done.freed = done.objects + files, done.freed + freed
    return done


def _head(store: Walkable, key: str, oldest: float, done: Removed, *, is_dry: bool) -> set[str]:
    """Shorten one head; the objects that it still needs."""
    used, gone = set[str](), set[str]()
    try:
        rows = read_listing(store.read_head(key, HEAD_LIMIT))
    except (Malformed, ValueError):
        return used  # the next writer begins it anew
    for _, digest in rows:
        record = _record(store, digest)
        if record is None or not (record.created >= oldest or record.provenance.get("sources") == sources_digest()):
            gone.add(digest)
        else:
            used |= {digest, record.entry}
            done.kept += 1
    done.unlisted += len(gone)
    if gone and not is_dry:
        store.change_head(key, lambda head: _without(head, gone))
    return used


def _record(store: Walkable, digest: str) -> Record | None:
    content = store.read_object(digest, RECORD_LIMIT)
    try:
        return None if content is None else read_record(content)
    except Malformed:
        return None


def _without(head: bytes | None, gone: set[str]) -> bytes | None:
    """A head without some records; what another writer added meanwhile stays."""
    rows = read_listing(head)
    left = [f"{level.label}:{digest}" for level, digest in rows if digest not in gone]
    return None if len(left) == len(rows) else json.dumps(left).encode()
