"""Matrix multiply-accumulate. Source: sass.md §5.6; PTX ISA, mma.sync fragments."""

from __future__ import annotations

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V, put32, refuse, register
from cass_shim.isa.spec import Effect, sass, unsupported
from cass_shim.model.instruction import Instruction, Operand, Reg

# m, n, k by printed shape, and how many bits an element of A and B has there.
_SHAPES = {
    "1688": (16, 8, 8),
    "16816": (16, 8, 16),
    "1684": (16, 8, 4),
    "16832": (16, 8, 32),
    "8816": (8, 8, 16),
    "884": (8, 8, 4),
    "8x8x4": (8, 8, 4),
}
_BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8}
_LAYOUT = {("ROW",), ("COL",), ()}


def _fragment(e: Emitter[V], operand: Operand, count: int) -> list[V]:
    if not isinstance(operand, Reg) or operand.suffix not in _LAYOUT or operand.negate or operand.absolute:
        raise refuse(operand, "a matrix fragment")
    return [register(e, operand, part) for part in range(count)]


def _multiply(e: Emitter[V], i: Instruction, a_kind: str, b_kind: str, d_kind: str) -> None:
    dst, a, b, c, *rest = i.operands
    if rest:
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
    result = e.matrix_multiply(
        f"m{m}n{n}k{k}",
        a_kind,
        b_kind,
        d_kind,
        _fragment(e, a, a_count),
        _fragment(e, b, b_count),
        _fragment(e, c, d_count),
    )
    for part, value in enumerate(result):
        put32(e, dst, value, part)


@sass("HMMA", modifiers="1688 16816 1684 F16 F32 BF16 TF32", effect=Effect.LANES)
def hmma(e: Emitter[V], i: Instruction) -> None:
    """Products of f16, bf16 or tf32, accumulated in the first printed type."""
    kind = "bf16" if i.has("BF16") else "tf32" if i.has("TF32") else "f16"
    _multiply(e, i, kind, kind, "f32" if i.has("F32") else "f16")


@sass("IMMA", modifiers="8816 16816 16832 S8 U8", effect=Effect.LANES)
def imma(e: Emitter[V], i: Instruction) -> None:
    """Products of bytes, accumulated in 32 bits without saturation."""
    kinds = [m.lower() for m in i.modifiers if m in ("S8", "U8")]
    if len(kinds) != 2:
        raise unsupported(i)
    _multiply(e, i, kinds[0], kinds[1], "s32")


@sass("DMMA", modifiers="884 8x8x4", effect=Effect.LANES)
def dmma(e: Emitter[V], i: Instruction) -> None:
    """Products of f64."""
    _multiply(e, i, "f64", "f64", "f64")


@sass("QMMA", modifiers="16832 F16 F32 E4M3 E5M2", effect=Effect.LANES)
def qmma(e: Emitter[V], i: Instruction) -> None:
    """Products of eight-bit floats, accumulated in the first printed type."""
    kinds = [m.lower() for m in i.modifiers if m in ("E4M3", "E5M2")]
    if len(kinds) != 2:
        raise unsupported(i)
    _multiply(e, i, kinds[0], kinds[1], "f32" if i.has("F32") else "f16")
