"""The record of a translation: canonical JSON that says what was produced, how it was checked and by whom.

In: the facts. Out: bytes whose SHA-256 names the record, and back. A signature covers the canonical bytes without
the `signature` member (the shared cache signs; the local tier keeps what it is given).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields

from cass_shim.model.artifacts import Evidence, is_disputed
from cass_shim.model.errors import Malformed

RECORD_LIMIT = 1 << 20  # bytes
DIGEST = re.compile(r"[0-9a-f]{64}")  # names become paths


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """key: hex digest of the CacheKey. entry: SHA-256 of the code entry's bytes. route: the translator.

    evidence: a label ("E1u"). report and provenance: JSON-ready. created: seconds since 1970.
    passed_over: translators tried before this one, with the reason each was not used.
    """

    key: str
    entry: str
    route: str
    evidence: str
    kernel: str = ""
    created: int = 0
    provenance: Mapping[str, str] = field(default_factory=dict)
    report: Mapping[str, object] = field(default_factory=dict)
    passed_over: Mapping[str, str] = field(default_factory=dict)
    signature: str = ""

    @property
    def level(self) -> Evidence:
        return Evidence.of(self.evidence)

    @property
    def is_disputed(self) -> bool:
        return is_disputed(self.report)

    def canonical(self) -> bytes:
        """The one byte form: sorted names, no blanks, ASCII."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"), default=str).encode()

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.canonical()).hexdigest()


def read_record(content: bytes, where: str = "record") -> Record:
    """The record in canonical JSON; Malformed for anything else."""
    if len(content) > RECORD_LIMIT:
        raise Malformed(f"{len(content)} bytes", where=where)
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Malformed("not JSON", where=where) from error
    names = {one.name for one in fields(Record)}
    if not isinstance(value, dict) or not {"key", "entry", "route", "evidence"} <= set(value) <= names:
        raise Malformed("not a record", where=where)
    texts = ("key", "entry", "route", "evidence", "kernel", "signature")
    if not all(isinstance(value.get(name, ""), str) for name in texts):
        raise Malformed("a text member is not text", where=where)
    if not all(value.get(name, "").isprintable() for name in texts):  # they reach logs and terminals
        raise Malformed("a text member has control characters", where=where)
    if not DIGEST.fullmatch(value["key"]) or not DIGEST.fullmatch(value["entry"]):
        raise Malformed("a digest is not 64 hexadecimal digits", where=where)
    if not isinstance(value.get("created", 0), int):
        raise Malformed("the time of creation is not a number", where=where)
    if not all(isinstance(value.get(name, {}), dict) for name in ("provenance", "report", "passed_over")):
        raise Malformed("a member is not an object", where=where)
    record = Record(**value)
    if record.evidence not in {one.label for one in Evidence}:
        raise Malformed(f"evidence {record.evidence!r}", where=where)
    return record
