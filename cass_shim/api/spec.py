"""What a CUDA call is: one row per exported name and signature, collected by chapter of NVIDIA's manuals.

A row says what a program sees (name, result, parameters, versions) and which body serves it. The generator
turns rows into C; a body is the only handwritten part (`cass_<body>` in native/runtime or native/driver).
Source of names, signatures and versions: CUDA 11.8, 12.0, 12.9 and 13.0 headers and export lists.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field, replace

VERSION_END = 99999  # later than any CUDA version
FIRST_VERSION = 2000  # of the driver: what has no recorded version has been there from the start


class Status(enum.Enum):
    """Whether a body exists. A STUB answers "not supported", is logged once by name and is counted."""

    IMPLEMENTED = "implemented"
    STUB = "stub"


IMPLEMENTED = Status.IMPLEMENTED
STUB = Status.STUB
UNDECLARED = "?"  # parameters in no public header: the row can only be a stub

PARAMETER = re.compile(r"^(?P<type>.*?[\s*])(?P<name>\w+)$")


@dataclass(frozen=True)
class Parameter:
    """One C parameter: `type` as written ("const void *"), `name` as the manual has it."""

    type: str
    name: str


@dataclass(frozen=True)
class Row:
    """One exported name in one range of CUDA versions.

    since, until: CUDA versions as the vendor writes them (12020 = 12.2), `until` exclusive.
    body: name of the C body without `cass_`; rows with one signature may share a body.
    pt: suffix of the variant whose default stream is the per-thread one ("ptsz", "ptds", or "").
    quiet: the result is not remembered as the thread's last error. pure: answers in a forked child too.
    """

    kind: str
    chapter: str
    name: str
    status: Status
    result: str
    parameters: tuple[Parameter, ...]
    declared: bool
    since: int
    until: int
    body: str
    pt: str = ""
    quiet: bool = False
    pure: bool = False
    note: str = ""

    @property
    def base(self) -> str:
        """The name without its signature version: what cuGetProcAddress is asked for."""
        return re.sub(r"_v\d+$", "", self.name)

    @property
    def key(self) -> str:
        """Identifies the row in C: the name, and the version it starts at where the name has several rows."""
        return self.name if self.body == self.name else f"{self.name}_since{self.since}"

    def exported_in(self, first: int, end: int) -> bool:
        """Whether some CUDA version in [first, end) has this row."""
        return self.since < end and self.until > first


def parse_parameters(text: str) -> tuple[Parameter, ...]:
    """`"void **p, size_t n"` as parameters; ValueError for a row that cannot be read."""
    if text.strip() in ("", "void"):
        return ()
    found = []
    for part in text.split(","):
        match = PARAMETER.match(part.strip())
        if match is None:
            raise ValueError(f"unreadable parameter {part!r}")
        found.append(Parameter(match["type"].strip(), match["name"]))
    return tuple(found)


@dataclass
class Chapter:
    """The rows of one manual chapter. kind: "runtime" or "driver"."""

    kind: str
    title: str
    rows: list[Row] = field(default_factory=list)

    def fn(
        self, name: str, status: Status, result: str, parameters: str, *, since: int = FIRST_VERSION,
        until: int = VERSION_END, body: str = "", pt: str = "", quiet: bool = False, pure: bool = False,
        note: str = "",
    ) -> None:  # fmt: skip
        """Add one row. Raises ValueError for a row that contradicts itself."""
        declared = parameters != UNDECLARED
        if not declared and status is IMPLEMENTED:
            raise ValueError(f"{name}: implemented without known parameters")
        if since >= until:
            raise ValueError(f"{name}: ends before it starts")
        parsed = parse_parameters(parameters) if declared else ()
        self.rows.append(
            Row(self.kind, self.title, name, status, result, parsed, declared, since, until, body or name, pt,
                quiet, pure, note)
        )  # fmt: skip

    def same(self, name: str, twin: str, *, since: int = FIRST_VERSION, until: int = VERSION_END) -> None:
        """`name`, in these versions, is what `twin` (a row above or below of this chapter) is."""
        self.rows.append(Row(self.kind, self.title, name, STUB, "=", (Parameter("=", twin),), True, since, until, twin))

    def resolved(self) -> list[Row]:
        """All rows, with those made by `same` filled in from their twin."""
        by_name = {row.name: row for row in self.rows if row.result != "="}
        rows = []
        for row in self.rows:
            if row.result == "=":
                twin = by_name[row.parameters[0].name]
                row = replace(twin, name=row.name, since=row.since, until=row.until, body=twin.body)
            rows.append(row)
        return rows
