"""A team's cache: immutable objects by SHA-256 and, for each key, a head that lists its records, the best first.

In: an `ObjectStore` (a directory, an HTTP server, Redis, S3). Out: a `Storage`. Nothing that comes from a store is
believed: digests, keys and evidence are compared here, signatures in `tiers`. A head is a JSON list of texts
`<evidence>:<SHA-256 of the record>`; the evidence there only orders the reads, the signed record's own counts.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable
from typing import Protocol

from cass_shim.cache.audit import Audit
from cass_shim.cache.record import DIGEST, RECORD_LIMIT
from cass_shim.cache.storage import Entry, sound_entry
from cass_shim.model.artifacts import Evidence
from cass_shim.model.errors import Malformed

log = logging.getLogger(__name__)

LEVELS = {one.label: one for one in Evidence}
BLOB_LIMIT = 1 << 28  # bytes
HEAD_LIMIT = 64 << 10  # bytes
CANDIDATES_LIMIT = 16  # records of a head that are looked at, the best first
LISTED_LIMIT = 64  # records that a head lists
WRITE_TIMEOUT_S = 30.0  # of one request that no program waits for

Change = Callable[[bytes | None], bytes | None]  # a head's bytes → its new ones, or None to leave it


class ObjectStore(Protocol):
    """Bytes by name. Raises OSError or ValueError for trouble; a missing object is None."""

    def read_object(self, digest: str, limit: int) -> bytes | None:
        """The object of that SHA-256, unchecked, at most `limit` bytes."""

    def write_object(self, digest: str, content: bytes) -> None:
        """Store an object; one that is there stays."""

    def read_head(self, key: str, limit: int) -> bytes | None:
        """The head of a key."""

    def change_head(self, key: str, change: Change) -> None:
        """Replace a key's head without losing what another writer does meanwhile; `change` may run again."""


def without_secrets(place: str) -> str:
    """A place as logs and errors may show it."""
    scheme, mark, rest = place.rpartition("://")
    return scheme + mark + rest.rpartition("@")[2] if mark else place


def read_listing(content: bytes | None) -> tuple[tuple[Evidence, str], ...]:
    """(evidence, record digest) of a head's rows, in its order; Malformed when it is none."""
    if content is None:
        return ()
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Malformed("head is not JSON", where="remote cache") from error
    if not isinstance(value, list) or len(value) > LISTED_LIMIT or not all(isinstance(one, str) for one in value):
        raise Malformed(f"head is not a list of at most {LISTED_LIMIT} texts", where="remote cache")
    rows = [one.partition(":") for one in value]
    if not all(label in LEVELS and DIGEST.fullmatch(digest) for label, _, digest in rows):
        raise Malformed("head does not list records", where="remote cache")
    return tuple((LEVELS[label], digest) for label, _, digest in rows)


def extended(head: bytes | None, level: Evidence, digest: str) -> bytes | None:
    """A head with one more record, the best first, the newest first among equals; None when it stays as it is.

    Never downward: what does not fit is the weakest. A head that is none begins anew; its records are not lost.
    """
    try:
        rows = read_listing(head)
    except Malformed:
        rows = ()
    if any(known == digest for _, known in rows):
        return None
    merged = sorted(((level, digest), *rows), key=lambda row: -row[0])[:LISTED_LIMIT]
    if (level, digest) not in merged:
        return None
    return json.dumps([f"{one.label}:{known}" for one, known in merged]).encode()


class RemoteTier:
    """A `Storage` over an object store. Its errors are the store's; `tiers.Guarded` turns them into misses.

    audit: where what is not what its name says is counted.
    """

    def __init__(self, store: ObjectStore, audit: Audit | None = None) -> None:
        self.store, self.audit = store, audit

    def get(self, key: bytes) -> tuple[Entry, ...]:
        rows = read_listing(self.store.read_head(key.hex(), HEAD_LIMIT))
        found = (self._candidate(key, digest) for _, digest in rows[:CANDIDATES_LIMIT])
        entries = [entry for entry in found if entry is not None]
        return tuple(sorted(entries, key=lambda one: -one.record.level))

    def _object(self, digest: str, limit: int) -> bytes | None:
        content = self.store.read_object(digest, limit)
        if content is not None and hashlib.sha256(content).hexdigest() != digest:
            raise Malformed("object does not match its digest", where=digest)
        return content

    def _candidate(self, key: bytes, digest: str) -> Entry | None:
        """One record with its blob; a false one is reported and passed over, the others still count."""
        try:
            record = self._object(digest, RECORD_LIMIT)
            if record is None:
                return None
            return sound_entry(key, record, lambda blob: self._object(blob, BLOB_LIMIT))
        except Malformed as error:
            log.error("remote cache: %s", error)
            if self.audit is not None:
                self.audit.add("dropped", key=key.hex(), record=digest, reason=str(error))
            return None

    def put(self, key: bytes, entry: Entry) -> None:
        assert entry.record.key == key.hex(), "record of another key"
        self.store.write_object(entry.record.entry, entry.content)
        self.store.write_object(entry.record.digest, entry.record.canonical())
        level, digest = entry.record.level, entry.record.digest
        self.store.change_head(key.hex(), lambda head: extended(head, level, digest))
