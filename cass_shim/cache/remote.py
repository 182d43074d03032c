"""A team's cache: immutable objects by SHA-256 and, for each key, a head that lists its records' digests.

In: an `ObjectStore` (a directory, an HTTP server). Out: a `Storage`. Nothing that comes from a store is believed:
digests, keys and evidence are compared here, signatures in `tiers`.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable
from typing import Protocol

from cass_shim.cache.record import DIGEST, RECORD_LIMIT
from cass_shim.cache.storage import Entry, sound_entry
from cass_shim.model.errors import Malformed

log = logging.getLogger(__name__)

BLOB_LIMIT = 1 << 28  # bytes
HEAD_LIMIT = 64 << 10  # bytes
CANDIDATES_LIMIT = 16  # records of a head that are looked at, newest first


class ObjectStore(Protocol):
    """Bytes by name. Raises OSError or ValueError for trouble; a missing object is None."""

    def read_object(self, digest: str, limit: int) -> bytes | None:
        """The object of that SHA-256, unchecked, at most `limit` bytes."""

    def write_object(self, digest: str, content: bytes) -> None:
        """Store an object; one that is there stays."""

    def read_head(self, key: str, limit: int) -> bytes | None:
        """The head of a key."""

    def extend_head(self, key: str, digest: str) -> None:
        """Add a record's digest to a key's head without losing what another writer added."""


def read_digests(content: bytes | None) -> tuple[str, ...]:
    """The record digests of a head, newest last; Malformed when it is none."""
    if content is None:
        return ()
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Malformed("head is not JSON", where="remote cache") from error
    if not isinstance(value, list) or not all(isinstance(one, str) and DIGEST.fullmatch(one) for one in value):
        raise Malformed("head is not a list of digests", where="remote cache")
    return tuple(value)


def write_digests(known: Iterable[str], digest: str) -> bytes:
    """A head with one more digest, the oldest forgotten."""
    kept = [one for one in known if one != digest] + [digest]
    return json.dumps(kept[-4 * CANDIDATES_LIMIT :]).encode()


class RemoteTier:
    """A `Storage` over an object store. Its errors are the store's; `tiers.Guarded` turns them into misses."""

    def __init__(self, store: ObjectStore) -> None:
        self.store = store

    def get(self, key: bytes) -> tuple[Entry, ...]:
        digests = read_digests(self.store.read_head(key.hex(), HEAD_LIMIT))
        found = (self._candidate(key, digest) for digest in reversed(digests[-CANDIDATES_LIMIT:]))
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
            return None

    def put(self, key: bytes, entry: Entry) -> None:
        assert entry.record.key == key.hex(), "record of another key"
        self.store.write_object(entry.record.entry, entry.content)
        self.store.write_object(entry.record.digest, entry.record.canonical())
        self.store.extend_head(key.hex(), entry.record.digest)
