"""Matrix multiply-accumulate. Source: sass.md §5.6; PTX ISA, mma.sync fragments."""

from __future__ import annotations

from cass_shim.isa import sparse
from cass_shim.isa.emitter import Emitter, Product
from cass_shim.isa.operands import V, put32, raw32, refuse, register
from cass_shim.isa.spec import Effect, sass, unsupported
from cass_shim.model.instruction import Imm, Instruction, Operand, Reg

# m, n, k by printed shape.
_SHAPES = {
    "1688": (16, 8, 8),
    "16816": (16, 8, 16),
    "1684": (16, 8, 4),
    "16832": (16, 8, 32),
    "16864": (16, 8, 64),
    "8816": (8, 8, 16),
    "8832": (8, 8, 32),
    "88128": (8, 8, 128),
    "168128": (16, 8, 128),
    "168256": (16, 8, 256),
    "884": (8, 8, 4),
    "8x8x4": (8, 8, 4),
    "16x8x4": (16, 8, 4),
    "16x8x8": (16, 8, 8),
    "16x8x16": (16, 8, 16),
}
_BITS = {
    "f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8, "s4": 4, "u4": 4,
    "b1.and": 1, "b1.xor": 1,
}  # fmt: skip
# Of which a sparse matrix's metadata place each; of nibbles pairs, which are bytes (PTX ISA 9.0, mma.sp).
_UNITS = {"f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "u8": 8, "s4": 8, "u4": 8}
_INTEGERS = ("S8", "U8", "S4", "U4")
_LAYOUT = {("ROW",), ("COL",), ()}


def _fragment(e: Emitter[V], operand: Operand, count: int) -> list[V]:
    if not isinstance(operand, Reg) or operand.suffix not in _LAYOUT or operand.negate or operand.absolute:
        raise refuse(operand, "a matrix fragment")
    return [register(e, operand, part) for part in range(count)]


def _multiply(e: Emitter[V], i: Instruction, a_kind: str, b_kind: str, d_kind: str) -> None:
    dst, a, b, c, *rest = i.operands
    if len(rest) != (2 if i.has("SP") else 0):
        raise unsupported(i, "more operands")
    name = next((m for m in i.modifiers if m in _SHAPES), None)
    if name is None:
        raise unsupported(i)
    m, n, k = _SHAPES[name]
    lanes_bits = 32 * 32
    a_count, b_count = m * k * _BITS[a_kind] // lanes_bits, k * n * _BITS[b_kind] // lanes_bits
    d_count = m * n * {"f16": 16, "f64": 64}.get(d_kind, 32) // lanes_bits
    if not a_count or not b_count:
        raise unsupported(i)
    present = None
    if i.has("SP"):
        if m != 16 or a_kind not in _UNITS or not isinstance(rest[1], Imm):
            raise unsupported(i)
        stored = _fragment(e, a, a_count // 2)
        first, present = sparse.expand(e, stored, raw32(e, rest[0]), rest[1].bits, _UNITS[a_kind])
    else:
        first = _fragment(e, a, a_count)
    second, third = _fragment(e, b, b_count), _fragment(e, c, d_count)
    result = e.matrix_multiply(Product(f"m{m}n{n}k{k}", a_kind, b_kind, d_kind), first, second, third, present)
    for part, value in enumerate(result):
        put32(e, dst, value, part)


@sass("HMMA", modifiers="SP 1688 16816 16832 1684 F16 F32 BF16 TF32", effect=Effect.LANES)
def hmma(e: Emitter[V], i: Instruction) -> None:
    """Products of f16, bf16 or tf32, accumulated in the first printed type; .SP: of a sparse matrix."""
    kind = "bf16" if i.has("BF16") else "tf32" if i.has("TF32") else "f16"
    _multiply(e, i, kind, kind, "f32" if i.has("F32") else "f16")


@sass("IMMA", modifiers="SP 8816 8832 16816 16832 16864 168128 S8 U8 S4 U4 SAT", effect=Effect.LANES)
def imma(e: Emitter[V], i: Instruction) -> None:
    """Products of bytes or nibbles, accumulated in 32 bits; .SAT: the sum is kept between the least and the largest."""
    kinds = [m.lower() for m in i.modifiers if m in _INTEGERS]
    if len(kinds) != 2 or _BITS[kinds[0]] != _BITS[kinds[1]]:
        raise unsupported(i)
    _multiply(e, i, kinds[0], kinds[1], "s32.sat" if i.has("SAT") else "s32")


@sass("BMMA", modifiers="88128 168128 168256 AND XOR POPC", effect=Effect.LANES)
def bmma(e: Emitter[V], i: Instruction) -> None:
    """How many bits of a row and a column are set in both (.AND) or in one (.XOR), added to 32 bits."""
    if not i.has("POPC") or i.has("AND") == i.has("XOR"):
        raise unsupported(i)
    kind = "b1.and" if i.has("AND") else "b1.xor"
    _multiply(e, i, kind, kind, "s32")


@sass("DMMA", modifiers="884 8x8x4 16x8x4 16x8x8 16x8x16", effect=Effect.LANES)
def dmma(e: Emitter[V], i: Instruction) -> None:
    """Products of f64."""
    _multiply(e, i, "f64", "f64", "f64")


@sass("QMMA", modifiers="16816 16832 F16 F32 E4M3 E5M2", effect=Effect.LANES)
def qmma(e: Emitter[V], i: Instruction) -> None:
    """Products of eight-bit floats, accumulated in the first printed type."""
    kinds = [m.lower() for m in i.modifiers if m in ("E4M3", "E5M2")]
    if len(kinds) != 2:
        raise unsupported(i)
    _multiply(e, i, kinds[0], kinds[1], "f32" if i.has("F32") else "f16")
