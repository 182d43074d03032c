"""What one program did under cass-run, as facts; and the rating that follows from them.

In: nothing. Out: `Outcome`, JSON in and out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from cass_shim.model.errors import Malformed

SCHEMA = 1
UNSUPPORTED = re.compile(r"unsupported (.+?)(?: at 0x[0-9a-f]+| in \S+|:|$)")  # as `errors.Unsupported` says it
RATINGS = ("verified", "fallback", "weak", "missing call", "fails", "nothing to do")


@dataclass(frozen=True, slots=True)
class KernelFact:
    """One kernel that was translated. route and evidence as in the cache record."""

    name: str
    route: str
    evidence: str
    sm: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run. golden: "same", "differs" or "" when there is nothing to compare with; `difference` says where.

    digest: SHA-256 of the program; with `translators` it says what a stored result is still good for. date: the day of
    the run, as 2026-11-22.
    """

    program: str
    digest: str
    translators: str
    exit_code: int
    seconds: float
    golden: str = ""
    difference: str = ""
    kernels: tuple[KernelFact, ...] = ()
    untranslated: tuple[str, ...] = ()
    missing_calls: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    domain: str = ""
    variant: str = ""
    date: str = ""

    @property
    def right(self) -> bool:
        """The output is the golden one, or without a golden the program succeeded."""
        return self.golden == "same" if self.golden else self.exit_code == 0

    @property
    def rating(self) -> str:
        if self.missing_calls and not self.right:
            return "missing call"
        if not self.right:
            return "fails"
        if not self.kernels:
            return "nothing to do"
        if any(kernel.evidence in ("none", "E0") for kernel in self.kernels):
            return "weak"
        return "fallback" if any(kernel.route == "ptx-hip" for kernel in self.kernels) else "verified"


@dataclass
class Results:
    """A run of a suite. device: as `cass doctor` names it."""

    outcomes: list[Outcome] = field(default_factory=list)
    device: str = ""
    version: str = ""

    def find(self, program: str, digest: str, translators: str) -> Outcome | None:
        """A stored outcome that is still good."""
        wanted = (program, digest, translators)
        return next((o for o in self.outcomes if (o.program, o.digest, o.translators) == wanted), None)


def write_results(results: Results, path: Path) -> None:
    """Write JSON beside and rename, so that an interrupted run keeps the last whole file."""
    document = {"schema": SCHEMA, "device": results.device, "version": results.version}
    rows = [{**asdict(outcome), "rating": outcome.rating} for outcome in results.outcomes]
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(json.dumps({**document, "outcomes": rows}, indent=1) + "\n")
    temporary.replace(path)


def read_results(path: Path) -> Results:
    """Results of an earlier run. Raises Malformed naming the file."""
    try:
        document = json.loads(path.read_text())
        if document["schema"] != SCHEMA:
            raise Malformed(f"schema {document['schema']}, this version reads {SCHEMA}", where=str(path))
        outcomes = [_outcome(row) for row in document["outcomes"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Malformed(f"not compatibility results: {error}", where=str(path)) from error
    return Results(outcomes, document.get("device", ""), document.get("version", ""))


def _outcome(row: dict[str, object]) -> Outcome:
    values = {name: value for name, value in row.items() if name != "rating"}
    kernels = values.pop("kernels", ())
    assert isinstance(kernels, list)
    for name in ("untranslated", "missing_calls", "messages"):
        found = values.get(name, ())
        assert isinstance(found, list)
        values[name] = tuple(found)
    return Outcome(kernels=tuple(KernelFact(**kernel) for kernel in kernels), **values)  # type: ignore[arg-type]


def missing_feature(reason: str) -> str:
    """What a kernel without translation lacks, without where it was met: an instruction, a directive, a reason."""
    found = UNSUPPORTED.search(reason)
    return found[1] if found else reason


def ranked(outcomes: Iterable[Outcome]) -> list[tuple[str, int]]:
    """What is missing, by how many programs need it: calls by name, instructions and other features by theirs."""
    needed: dict[str, set[str]] = {}
    for outcome in outcomes:
        for what in {*outcome.missing_calls, *map(missing_feature, outcome.untranslated)}:
            needed.setdefault(what, set()).add(outcome.program)
    return sorted(((what, len(who)) for what, who in needed.items()), key=lambda item: (-item[1], item[0]))
