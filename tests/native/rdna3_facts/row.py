"""One fact: registers before, instructions, registers after; written as one line of a text table.

A line is `before | instructions | after`. Instructions are LLVM's gfx1100 assembly, separated by `;`; `|v0|` is spelt
`abs(v0)` because the bar ends a column.

`before` sets v0..v15, s0..s15, vcc, and `lanes` (work-items of the workgroup, 1 when not said); what is not named is 0.
`v255` holds the work-item and `s[80:81]` the address of the arguments; v240 to v254 and s80 up are not to be written.
`after` names v0..v15 (in every lane), s0..s15, vcc, scc and exec. `v1.l` and `v1.h` are halves, `v1[5]` is one lane,
`v0:1` and `s0:1` are pairs. A register's values in lanes 0, 1, ... are listed with commas.

Values are integers, or `2.5f`, `2.5h`, `2.5d`: the bits of that number as f32, f16 and f64. In `before`, `@` is the
address of 4 KiB of zeros. In `after`, `nan` is any NaN and `2.5f~0.001` any number that close; a fact that is exact is
never written that way.
"""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass

ADDRESS = "@"
FORMAT = {"f": "<f", "h": "<e", "d": "<d"}
BITS = {"f": 32, "h": 16, "d": 64}
INTEGER = {16: "<H", 32: "<I", 64: "<Q"}


@dataclass(frozen=True)
class Cell:
    """What one lane or scalar must hold: these bits, or a number within `tolerance`, or (tolerance nan) any NaN."""

    bits: int
    kind: str = ""
    tolerance: float = 0.0

    def holds(self, found: int, width: int) -> bool:
        """Whether the `width` bits `found` agree."""
        if not self.tolerance:
            return found == self.bits
        value = number(found, self.kind or {16: "h", 32: "f", 64: "d"}[width])
        if math.isnan(self.tolerance):
            return math.isnan(value)
        return abs(value - number(self.bits, self.kind)) <= self.tolerance

    def __str__(self) -> str:
        if math.isnan(self.tolerance):
            return "nan"
        return f"{self.bits:#x}" + (f" within {self.tolerance}" if self.tolerance else "")


@dataclass(frozen=True)
class Place:
    """A register or part of one: `v0:1` is ("v", 0, 64), `v3.h` is ("v", 3, 16, 16), `vcc` is ("vcc", 0, 32)."""

    name: str
    file: str
    number: int
    width: int = 32
    shift: int = 0
    lane: int | None = None


@dataclass(frozen=True)
class Row:
    """One line of a table."""

    text: str
    lanes: int
    before: tuple[tuple[Place, tuple[int | str, ...]], ...]
    instructions: tuple[str, ...]
    after: tuple[tuple[Place, tuple[Cell, ...]], ...]


def number(bits: int, kind: str) -> float:
    """The floating-point number with these bits."""
    (value,) = struct.unpack(FORMAT[kind], struct.pack(INTEGER[BITS[kind]], bits))
    return float(value)


def value_bits(text: str, width: int) -> tuple[int, str]:
    """The bits that a value stands for, and the letter of its format when it is written as a number."""
    if text[-1] in FORMAT and not text.startswith(("0x", "-0x")):
        kind = text[-1]
        (bits,) = struct.unpack(INTEGER[BITS[kind]], struct.pack(FORMAT[kind], float(text[:-1])))
        return int(bits), kind
    return int(text, 0) & ((1 << width) - 1), ""


def cell(text: str, width: int) -> Cell:
    """`2.5f`, `0x80`, `nan` or `2.5f~0.001`."""
    if text == "nan":
        return Cell(0, "", math.nan)
    exact, _, tolerance = text.partition("~")
    bits, kind = value_bits(exact, width)
    assert kind or not tolerance, f"{text}: a tolerance needs a floating-point number"
    return Cell(bits, kind, float(tolerance or 0))


def place(text: str) -> Place:
    """The register that a name on the left of `=` means; AssertionError when it is none."""
    if text in ("vcc", "scc", "exec"):
        return Place(text, text, 0)
    found = re.fullmatch(r"([vs])(\d+)(?::(\d+))?(\.[lh])?(?:\[(\d+)\])?", text)
    assert found, f"{text}: not a register; write v0, v0.h, v0[3], v0:1, s0, s0:1, vcc, scc or exec"
    file, first, last, half, lane = found.groups()
    assert int(first) < 16 and int(last or 0) < 16, f"{text}: only registers 0 to 15 are set and compared"
    width = 64 if last else 16 if half else 32
    return Place(text, file, int(first), width, 16 if half == ".h" else 0, int(lane) if lane else None)


def parse(line: str) -> Row:
    """The row that a line describes; AssertionError naming the line when it is malformed."""
    columns = [column.strip() for column in line.split("|")]
    assert len(columns) == 3, f"{line}: a line has three columns"
    settings = dict(setting.split("=") for setting in columns[0].split())
    lanes = int(settings.pop("lanes", "1"))
    before: list[tuple[Place, tuple[int | str, ...]]] = []
    for name, values in settings.items():
        where = place(name)
        read = [v if v == ADDRESS else value_bits(v, where.width)[0] for v in values.split(",")]
        before.append((where, tuple(read)))
    after: list[tuple[Place, tuple[Cell, ...]]] = []
    for result in columns[2].split():
        name, _, values = result.partition("=")
        after.append((place(name), tuple(cell(v, place(name).width) for v in values.split(","))))
    assert after, f"{line}: nothing is expected"
    for where, listed in (*before, *after):
        count = lanes if where.file == "v" and where.lane is None else 1
        assert len(listed) in (1, count), f"{line}: {where.name} needs one value or {count}"
    return Row(line.strip(), lanes, tuple(before), tuple(i.strip() for i in columns[1].split(";")), tuple(after))


def table(text: str) -> tuple[Row, ...]:
    """The rows of a text table. Empty lines and lines that open with `#` are not rows."""
    lines = [line.strip() for line in text.splitlines()]
    return tuple(parse(line) for line in lines if line and not line.startswith("#"))
