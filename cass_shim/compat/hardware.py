"""What `cass selftest` found on one machine: a report that people share.

In: nothing. Out: `HardwareReport`, JSON in and out. It names device, driver and versions, and neither user, host nor
path, so that it can be given to anybody.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from cass_shim.model.errors import Malformed

SCHEMA = 1
STATES = ("passed", "failed", "skipped")
LIMIT = 4 << 20  # bytes of a report


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check. group: "vectors", "examples" or "launch". detail: what was compared, or what went wrong."""

    group: str
    name: str
    state: str
    detail: str = ""
    seconds: float = 0.0


@dataclass
class HardwareReport:
    """device, driver and versions: facts by name. timings: nanoseconds or seconds by name, the unit in the name."""

    created: str = ""
    emulated: bool = True
    device: dict[str, str] = field(default_factory=dict)
    driver: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    checks: list[CheckResult] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Nothing failed, and something was checked."""
        states = [one.state for one in self.checks]
        return "failed" not in states and "passed" in states

    @property
    def title(self) -> str:
        """The device in a few words."""
        name = self.device.get("name", "unknown device")
        return f"{name} ({self.device.get('arch', '?')}{', emulated' if self.emulated else ''})"


def write_report(report: HardwareReport, path: Path) -> None:
    """Write it as JSON. Raises OSError."""
    path.write_text(json.dumps({"schema": SCHEMA, **asdict(report)}, indent=1) + "\n", encoding="utf-8")


def read_report(path: Path) -> HardwareReport:
    """A report that somebody sent. Raises Malformed naming the file and what is wrong with it."""
    try:
        if path.stat().st_size > LIMIT:
            raise Malformed(f"larger than {LIMIT} bytes", where=str(path))
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise Malformed(f"not a report of cass selftest: {error}", where=str(path)) from error
    if not isinstance(document, dict) or document.pop("schema", None) != SCHEMA:
        raise Malformed(f"not a report of cass selftest of schema {SCHEMA}", where=str(path))
    try:
        checks = [CheckResult(**one) for one in document.pop("checks")]
        report = HardwareReport(**document, checks=checks)
    except (TypeError, KeyError) as error:
        raise Malformed(f"not a report of cass selftest: {error}", where=str(path)) from error
    _check(report, str(path))
    return report


def _check(report: HardwareReport, where: str) -> None:
    """Types and words, since a page is made of them."""
    kinds: dict[str, Any] = {"created": str, "emulated": bool, "checks": list}
    for one in fields(report):
        if not isinstance(getattr(report, one.name), kinds.get(one.name, dict)):
            raise Malformed(f"{one.name} is of the wrong kind", where=where)
    for mapping in (report.device, report.driver, report.versions):
        if not all(isinstance(value, str) for value in mapping.values()):
            raise Malformed("a fact is not text", where=where)
    if not all(isinstance(value, (int, float)) for value in report.timings.values()):
        raise Malformed("a time is not a number", where=where)
    for check in report.checks:
        texts = (check.group, check.name, check.state, check.detail)
        if not all(isinstance(text, str) for text in texts) or check.state not in STATES:
            raise Malformed(f"check {check.name!r} is not understood", where=where)
