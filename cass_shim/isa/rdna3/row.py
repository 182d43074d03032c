"""One gfx1100 opcode per row: number, name, register types, the C body that runs it, and how exact that body is.

In: the text tables of the sibling modules. Out: `Row` values, which `generate.py` turns into the decoder's tables and
into references to the C bodies, so that a row without a body does not link.

A line is `opcode name destination source... [=body] [~ulp] [!]`. `=body` names another row's body; `~2` marks an
approximation within 2 ULP of what the hardware may return (its bits are not published); `!` decodes and then
refuses by name. Types: b16 f16 bf16 b32 f32 b64 f64 b96 b128 pk16 pkf16 pkbf16 (two halves), m (one bit per lane in
an SGPR), s32 (SGPR), w* (WMMA fragments), - (none).
Source of opcode numbers and operand widths: AMD's machine-readable ISA for RDNA3, each number checked against
LLVM's gfx1100 assembler by tests/isa/rdna3.
"""

from __future__ import annotations

from dataclasses import dataclass

TYPES = (
    "-",
    "b8",
    "b16",
    "f16",
    "bf16",
    "b32",
    "f32",
    "b64",
    "f64",
    "b96",
    "b128",
    "b256",
    "b512",
    "pk16",
    "pkf16",
    "pkbf16",
    "m",
    "s32",
    "wdc_f32",
    "wdc_f16",
    "wdc_bf16",
    "wdc_i32",
    "wab_f16",
    "wab_bf16",
    "wab_iu8",
    "wab_iu4",
)
REFUSED_BODY = "refused"


@dataclass(frozen=True)
class Row:
    """One opcode. ulp: 0 for a body that is exact by AMD's documentation. destination and sources: names in TYPES."""

    encoding: str
    opcode: int
    name: str
    destination: str
    sources: tuple[str, ...]
    body: str
    ulp: int = 0

    def __post_init__(self) -> None:
        for kind in (self.destination, *self.sources):
            assert kind in TYPES, f"{self.name}: unknown operand type {kind}"
        assert len(self.sources) <= 3, self.name

    @property
    def fidelity(self) -> str:
        """ "exact", "approximate" or "unsupported"."""
        if self.body == REFUSED_BODY:
            return "unsupported"
        return "approximate" if self.ulp else "exact"


def table(encoding: str, text: str) -> tuple[Row, ...]:
    """Rows of one encoding from a text table; AssertionError for a repeated opcode or an unknown type."""
    rows = []
    for line in text.strip().splitlines():
        opcode, name, *rest = line.split()
        body, ulp, operands = name, 0, []
        for word in rest:
            if word.startswith("="):
                body = word[1:]
            elif word.startswith("~"):
                ulp = int(word[1:])
            elif word == "!":
                body = REFUSED_BODY
            else:
                operands.append(word)
        destination, *sources = operands or ["-"]
        rows.append(Row(encoding, int(opcode), name, destination, tuple(sources), body, ulp))
    assert len({row.opcode for row in rows}) == len(rows), f"{encoding}: an opcode appears twice"
    return tuple(rows)
