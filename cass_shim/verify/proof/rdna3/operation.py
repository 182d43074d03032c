"""gfx1100 instructions with their operands, as the machine of terms runs them.

In: instructions that `verify.gfx11` walked. Out: `Operation`s; what is not understood is `Unknown` by name. Source: AMD
RDNA3 ISA, "Microcode Formats"; operand types come from `isa.rdna3`.
"""

from __future__ import annotations

from dataclasses import dataclass

from cass_shim.isa.rdna3.row import Row
from cass_shim.verify.gfx11 import DPP8, DPP8_FI, DPP16, LITERAL, Decoded, branch_target, row_of
from cass_shim.verify.proof.lanes import Unknown
from cass_shim.verify.proof.rdna3.vector import HALVES

VGPR = 256  # first vector register among source codes
VCC, NULL, M0, EXEC, SCC = 106, 124, 125, 126, 253
_FMAMK, _FMAAK = (44, 55), (45, 56)  # VOP2: s0 * K + s1, s0 * s1 + K
_DUAL_FMAAK, _DUAL_FMAMK, _DUAL_CNDMASK = 1, 2, 9
_DWORDS = {"b64": 2, "f64": 2, "b96": 3, "b128": 4, "b256": 8, "b512": 16}
_CARRY_OPCODES = (0x120, 0x121, 0x122)  # v_add_co_ci_u32 and its kin as VOP3: a second, scalar destination
_LOW_COUNT = frozenset({"v_alignbit_b32"})  # reads the low five bits of its 16-bit source
_HALF_NAMES = ("v_cndmask_b16", *(f"v_cmp_{c}_{k}16" for c in ("lt", "eq", "le", "gt", "ne", "ge") for k in "iu"))
HALF_KINDS = frozenset({"b16", "f16"})
_RESULT_HALF = 8
_SIXTEEN = frozenset({"b16", "f16", "bf16", "pk16", "pkf16", "pkbf16"})


@dataclass(frozen=True, slots=True)
class Dpp:
    """How source 0 is taken from another lane."""

    control: int
    eight: bool
    fetch_inactive: bool
    bound_zero: bool = False
    bank_mask: int = 15
    row_mask: int = 15


@dataclass(frozen=True, slots=True)
class Operation:
    """One instruction. sources: operand codes as in the encoding, LITERAL for `literal`. d, scalar_d: destinations.

    neg, abs: a bit per source. offset: of memory instructions. target: byte offset a branch goes to.
    """

    row: Row
    at: int
    size: int
    sources: tuple[int, ...] = ()
    d: int = NULL
    scalar_d: int = VCC
    literal: int = 0
    neg: int = 0
    abs: int = 0
    clamp: bool = False
    omod: int = 0
    compare_x: bool = False
    dpp: Dpp | None = None
    halves: int = 0  # a bit per 16-bit source, and bit 3 for a 16-bit result, that is the high half of its register
    immediate: int = 0
    offset: int = 0
    returns: bool = False  # an atomic operation that gives the old value
    target: int | None = None

    @property
    def name(self) -> str:
        """The name of the row whose meaning this is."""
        return self.row.name if self.row.body in ("refused", "illegal") else self.row.body

    @property
    def next(self) -> int:
        return self.at + self.size


def dwords(kind: str) -> int:
    """Registers of an operand type."""
    return _DWORDS.get(kind, 1)


def operations(instructions: list[Decoded]) -> dict[int, tuple[Operation, ...]]:
    """Byte offset → the one or, for dual issue, two operations there. Raises Unknown."""
    return {one.offset: _operations(one) for one in instructions}


def _operations(one: Decoded) -> tuple[Operation, ...]:
    if one.encoding == "VOPD":
        return _dual(one)
    row = row_of(one)
    if row is None:
        raise Unknown(f"{one.encoding} opcode {one.opcode} at {one.offset:#x} is not known")
    low = one.words[0]
    made = _FAMILIES[one.encoding](one, row) if one.encoding in _FAMILIES else None
    if made is None:
        raise Unknown(f"{row.name} at {one.offset:#x} has no terms ({low:#010x})")
    return (made,)


def _literal(one: Decoded) -> int:
    return one.words[-1]


def _scalar(one: Decoded, row: Row) -> Operation:
    low = one.words[0]
    if one.encoding == "SOPC":
        return Operation(row, one.offset, one.size, (low & 0xFF, low >> 8 & 0xFF), literal=_literal(one))
    d = low >> 16 & 0x7F
    if one.encoding == "SOP1":
        return Operation(row, one.offset, one.size, (low & 0xFF,), d, literal=_literal(one))
    return Operation(row, one.offset, one.size, (low & 0xFF, low >> 8 & 0xFF), d, literal=_literal(one))


def _immediate(one: Decoded, row: Row) -> Operation:
    """SOPK: the sign-extended immediate is the last source; s_cmpk and s_addk read their destination too."""
    low = one.words[0]
    d, value = low >> 16 & 0x7F, low & 0xFFFF
    unsigned = row.name.startswith("s_cmpk") and row.name.endswith("u32")
    literal = value if unsigned or value < 0x8000 else value | 0xFFFF_0000
    sources: tuple[int, ...] = (LITERAL,)
    if row.name.startswith(("s_cmpk", "s_addk", "s_mulk")):
        sources = (d, LITERAL)
    return Operation(row, one.offset, one.size, sources, d, literal=literal, immediate=value)


def _program(one: Decoded, row: Row) -> Operation:
    return Operation(row, one.offset, one.size, immediate=one.words[0] & 0xFFFF, target=branch_target(one))


def _scalar_memory(one: Decoded, row: Row) -> Operation:
    low, high = one.words
    offset = high & 0x1F_FFFF
    offset -= (offset & 0x10_0000) << 1
    return Operation(row, one.offset, one.size, ((low & 0x3F) << 1, high >> 25), low >> 6 & 0x7F, offset=offset)


def _refuse_halves(one: Decoded, row: Row) -> None:
    known = row.name in HALVES or row.name in _LOW_COUNT or row.name.startswith(_HALF_NAMES)
    if _SIXTEEN & {row.destination, *row.sources} and not (known and one.encoding != "VOPD"):
        raise Unknown(f"{row.name} at {one.offset:#x}: 16-bit operands have no terms")


def _short_vector(one: Decoded, row: Row) -> Operation:
    """VOP1, VOP2 and VOPC in 32 bits, with a literal or a DPP word behind."""
    _refuse_halves(one, row)
    low = one.words[0]
    first, dpp, neg, absolute = low & 0x1FF, None, 0, 0
    if first in (DPP16, DPP8, DPP8_FI):
        word = one.words[1]
        dpp, neg, absolute = _dpp(first, word)
        first = VGPR + (word & 0xFF)
    second, d = VGPR + (low >> 9 & 0xFF), low >> 17 & 0xFF
    halves = 0
    if _SIXTEEN & {row.destination, *row.sources}:
        if dpp is not None:
            raise Unknown(f"{row.name} at {one.offset:#x}: DPP of 16-bit operands has no terms")
        first, second, d, halves = _short_registers(row, first, second, d)
    if one.encoding == "VOPC":
        x = one.opcode >= 0x80
        return Operation(
            row, one.offset, one.size, (first, second), NULL, EXEC if x else VCC, _literal(one),
            neg, absolute, compare_x=x, dpp=dpp, halves=halves,
        )  # fmt: skip
    sources: tuple[int, ...] = (first,)
    if one.encoding == "VOP2":
        sources = (first, second)
        if one.opcode in _FMAMK:
            sources = (first, LITERAL, second)
        elif one.opcode in _FMAAK:
            sources = (first, second, LITERAL)
        elif len(row.sources) == 3:
            sources = (first, second, VCC if row.sources[2] == "m" else VGPR + d)
    return Operation(row, one.offset, one.size, sources, d, VCC, _literal(one), neg, absolute, dpp=dpp, halves=halves)


def _short_registers(row: Row, first: int, second: int, d: int) -> tuple[int, int, int, int]:
    """In 32-bit encodings a 16-bit VGPR operand has 7 bits of number, and bit 7 for the high half."""
    codes, halves = [first, second], 0
    for number, kind in enumerate(row.sources[:2]):
        if kind in HALF_KINDS and codes[number] >= VGPR and codes[number] & 0x80:
            codes[number] &= ~0x80
            halves |= 1 << number
    if row.destination in HALF_KINDS and d & 0x80:
        d, halves = d & 0x7F, halves | _RESULT_HALF
    return codes[0], codes[1], d, halves


def _dpp(code: int, word: int) -> tuple[Dpp, int, int]:
    """The lane selection, and the sign modifiers that DPP16 carries."""
    if code != DPP16:
        return Dpp(word >> 8, True, code == DPP8_FI), 0, 0
    neg = (word >> 20 & 1) | (word >> 22 & 1) << 1
    absolute = (word >> 21 & 1) | (word >> 23 & 1) << 1
    found = Dpp(word >> 8 & 0x1FF, False, bool(word >> 18 & 1), bool(word >> 19 & 1), word >> 24 & 15, word >> 28)
    return found, neg, absolute


def _long_vector(one: Decoded, row: Row) -> Operation:
    """VOP3 and VOP3SD."""
    _refuse_halves(one, row)
    low, high = one.words[0], one.words[1]
    sources = [high & 0x1FF, high >> 9 & 0x1FF, high >> 18 & 0x1FF][: len(row.sources)]
    dpp = None
    if sources and sources[0] in (DPP16, DPP8, DPP8_FI):
        dpp, _, _ = _dpp(sources[0], one.words[2])
        sources[0] = VGPR + (one.words[2] & 0xFF)
    if row.name in _LOW_COUNT and low >> 11 & 15:
        raise Unknown(f"{row.name} at {one.offset:#x} with op_sel has no terms")
    select = low >> 11 & 15
    halves = sum(1 << n for n, kind in enumerate(row.sources) if kind in HALF_KINDS and select >> n & 1)
    halves |= select & _RESULT_HALF if row.destination in HALF_KINDS else 0
    d, scalar_d, compare_x, absolute = low & 0xFF, VCC, False, low >> 8 & 7
    if row.encoding == "VOPC":
        compare_x = one.opcode >= 0x80
        scalar_d = EXEC if compare_x else d & 0x7F
    elif row.encoding == "VOP3SD" or one.opcode in _CARRY_OPCODES:
        scalar_d, absolute = low >> 8 & 0x7F, 0
    if one.opcode < 0x200 and len(row.sources) == 3 and row.sources[2] != "m":
        sources[2] = VGPR + d
    return Operation(
        row, one.offset, one.size, tuple(sources), d, scalar_d, _literal(one), high >> 29, absolute,
        bool(low >> 15 & 1), high >> 27 & 3, compare_x, dpp, halves,
    )  # fmt: skip


def _dual(one: Decoded) -> tuple[Operation, ...]:
    """VOPD: two operations that read before either writes; a literal is common to both."""
    low, high = one.words[0], one.words[1]
    first, second = low >> 22 & 15, low >> 17 & 31
    x, y = high >> 24, (high >> 17 & 0x7F) << 1 | (~(high >> 24) & 1)
    halves = ((first, x, low & 0x1FF, low >> 9 & 0xFF), (second, y, high & 0x1FF, high >> 9 & 0xFF))
    made = []
    for opcode, d, source, other in halves:
        row = row_of(Decoded(one.offset, one.size, "VOPD", opcode, one.words))
        if row is None:
            raise Unknown(f"dual opcode {opcode} at {one.offset:#x} is not known")
        _refuse_halves(one, row)
        sources = [source, VGPR + other, VGPR + d]
        if opcode == _DUAL_FMAAK:
            sources[2] = LITERAL
        elif opcode == _DUAL_FMAMK:
            sources[1:] = [LITERAL, VGPR + other]
        elif opcode == _DUAL_CNDMASK:
            sources[2] = VCC
        made.append(Operation(row, one.offset, one.size, tuple(sources[: len(row.sources)]), d, literal=_literal(one)))
    return tuple(made)


def _local(one: Decoded, row: Row) -> Operation:
    """DS: address, data 0, data 1."""
    low, high = one.words
    if low >> 17 & 1:
        raise Unknown(f"{row.name} at {one.offset:#x} is about the global data share")
    sources = tuple(VGPR + (high >> at & 0xFF) for at in (0, 8, 16))
    return Operation(row, one.offset, one.size, sources, high >> 24, offset=low & 0xFFFF)


def _flat(one: Decoded, row: Row) -> Operation:
    """GLOBAL and SCRATCH: vector address, data, scalar base. Without a vector address that one is NULL."""
    if row.encoding not in ("GLOBAL", "SCRATCH"):
        raise Unknown(f"{row.name} at {one.offset:#x} has no terms")
    low, high = one.words
    offset = low & 0x1FFF
    offset -= (offset & 0x1000) << 1
    vector = VGPR + (high & 0xFF) if row.encoding == "GLOBAL" or high >> 23 & 1 else NULL
    sources = (vector, VGPR + (high >> 8 & 0xFF), high >> 16 & 0x7F)
    return Operation(row, one.offset, one.size, sources, high >> 24, offset=offset, returns=bool(low >> 14 & 1))


def _buffer(one: Decoded, row: Row) -> Operation | None:
    """Only cache control."""
    return Operation(row, one.offset, one.size) if row.name.endswith("_inv") else None


_FAMILIES = {
    "SOP1": _scalar, "SOP2": _scalar, "SOPC": _scalar, "SOPK": _immediate, "SOPP": _program,
    "SMEM": _scalar_memory, "VOP1": _short_vector, "VOP2": _short_vector, "VOPC": _short_vector,
    "VOP3": _long_vector, "DS": _local, "FLAT": _flat, "MUBUF": _buffer,
}  # fmt: skip
