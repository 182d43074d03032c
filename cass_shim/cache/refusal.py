"""Failed translations: who tried says so, signed, so that others need not try for a while.

In: the digest of everything that the failure depends on, and its reason. Out: a candidate like any other, whose blob is
the reason's text and whose route is `refused`; it lies under a key of its own and is never launched.
"""

from __future__ import annotations

import hashlib
import time

from cass_shim.cache.record import Record
from cass_shim.cache.storage import REFUSED, Entry
from cass_shim.model.artifacts import Evidence

SHARED_LIFETIME_S = 7 * 24 * 3600.0
CLOCK_ERROR_S = 3600.0  # two machines' clocks may differ by this much
TEXT_LIMIT = 4000  # bytes of a reason


def refusal(key: bytes, kernel: str, reason: str) -> Entry:
    """A candidate that says that there is none."""
    content = reason.encode()[:TEXT_LIMIT]
    record = Record(
        key=key.hex(),
        entry=hashlib.sha256(content).hexdigest(),
        route=REFUSED,
        evidence=Evidence.NONE.label,
        kernel=kernel,
        created=int(time.time()),
    )
    return Entry(record, content)


def reason_of(entry: Entry, now: float | None = None) -> str:
    """Why there is no translation, or "" for anything else and for a refusal that is too old to count."""
    age = (time.time() if now is None else now) - entry.record.created
    if entry.record.route != REFUSED or not -CLOCK_ERROR_S <= age <= SHARED_LIFETIME_S:
        return ""
    return entry.content.decode(errors="replace")
