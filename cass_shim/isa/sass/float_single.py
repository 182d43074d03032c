"""Single precision: arithmetic, comparison, selection. Source: sass.md §5.3."""

from __future__ import annotations

from dataclasses import replace

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V, float32, predicate, put32, put_predicate, raw32, registers
from cass_shim.isa.sass.integer_compare import combine, put_comparison
from cass_shim.isa.spec import sass, unsupported
from cass_shim.model.instruction import Instruction, Reg, Word

ARITHMETIC = "FTZ SAT RN RM RP RZ"
CONDITIONS = "LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU"
COMPARISON = f"{CONDITIONS} F T AND OR XOR"
# FMUL's scale of the product, as a power of two.
_SCALES = {"D2": 0.5, "D4": 0.25, "D8": 0.125, "M2": 2.0, "M4": 4.0, "M8": 8.0}
_SCALE_BITS = {
    0.5: 0x3F00_0000,
    0.25: 0x3E80_0000,
    0.125: 0x3E00_0000,
    2.0: 0x4000_0000,
    4.0: 0x4080_0000,
    8.0: 0x4100_0000,
}


def rounding(i: Instruction) -> str:
    """The rounding mode of the modifiers, nearest-even by default."""
    return next((m.lower() for m in i.modifiers if m in ("RN", "RM", "RP", "RZ")), "rn")


def compare(e: Emitter[V], i: Instruction, kind: str, a: V, b: V) -> V:
    """The floating comparison that the modifiers name."""
    condition = next((m for m in i.modifiers if m in CONDITIONS.split()), None)
    if condition is None:
        if not i.has("F", "T"):
            raise unsupported(i, "no condition")
        return e.const(1 if i.has("T") else 0, 1)
    return e.fcompare(kind, condition.lower(), a, b, ftz=i.has("FTZ"))


def _put(e: Emitter[V], i: Instruction, value: V) -> None:
    put32(e, i.operands[0], e.saturate("f32", value) if i.has("SAT") else value)


@sass("FADD", "UFADD", modifiers=ARITHMETIC)
def fadd(e: Emitter[V], i: Instruction) -> None:
    """dst = a + b."""
    _dst, a, b = i.operands
    _put(e, i, e.fadd("f32", float32(e, a), float32(e, b), rounding(i), i.has("FTZ")))


@sass("FMUL", "UFMUL", modifiers=f"{ARITHMETIC} {' '.join(_SCALES)}")
def fmul(e: Emitter[V], i: Instruction) -> None:
    """dst = a * b, scaled by a power of two for .D2 .D4 .D8 .M2 .M4 .M8."""
    _dst, a, b = i.operands
    x = float32(e, a)
    scale = next((_SCALES[m] for m in i.modifiers if m in _SCALES), None)
    if scale is not None:
        # Scaling an operand by a power of two is exact unless it leaves the normal range.
        x = e.fmul("f32", x, e.const(_SCALE_BITS[scale], 32), "rn", i.has("FTZ"))
    _put(e, i, e.fmul("f32", x, float32(e, b), rounding(i), i.has("FTZ")))


@sass("FFMA", "UFFMA", modifiers=ARITHMETIC)
def ffma(e: Emitter[V], i: Instruction) -> None:
    """dst = a * b + c, rounded once."""
    _dst, a, b, c = i.operands
    _put(e, i, e.ffma("f32", float32(e, a), float32(e, b), float32(e, c), rounding(i), i.has("FTZ")))


@sass("FMNMX", "UFMNMX", modifiers="FTZ NAN XORSIGN")
def fmnmx(e: Emitter[V], i: Instruction) -> None:
    """dst = predicate ? min(a, b) : max(a, b); a NaN loses unless .NAN, -0 < +0; .XORSIGN: signed as a * b."""
    dst, a, b, pick_minimum = i.operands
    x, y = float32(e, a), float32(e, b)
    low = e.fmin("f32", x, y, i.has("NAN"), i.has("FTZ"))
    high = e.fmax("f32", x, y, i.has("NAN"), i.has("FTZ"))
    result = e.select(predicate(e, pick_minimum), low, high)
    if i.has("XORSIGN"):
        sign = e.const(0x8000_0000, 32)
        signs = e.xor(raw32(e, a), raw32(e, b))
        result = e.or_(e.and_(result, e.not_(sign)), e.and_(signs, sign))
    put32(e, dst, result)


@sass("FMNMX3", modifiers="FTZ NAN")
def fmnmx3(e: Emitter[V], i: Instruction) -> None:
    """dst = minimum or maximum of three, as FMNMX takes it of two (PTX ISA, max.f32 with three operands)."""
    dst, a, b, c, pick_minimum = i.operands
    nan, ftz = i.has("NAN"), i.has("FTZ")
    x, y, z = (float32(e, o) for o in (a, b, c))
    low = e.fmin("f32", e.fmin("f32", x, y, nan, ftz), z, nan, ftz)
    high = e.fmax("f32", e.fmax("f32", x, y, nan, ftz), z, nan, ftz)
    put32(e, dst, e.select(predicate(e, pick_minimum), low, high))


def _pairs(e: Emitter[V], i: Instruction) -> list[list[V]]:
    """The low and the high halves of all sources; no other order than .HI_LO has been seen."""
    sources = i.operands[1:]
    for operand in sources:
        if not isinstance(operand, Reg) or operand.suffix != ("F32x2", "HI_LO"):
            raise unsupported(i, "operands")
    plain = [replace(o, suffix=()) for o in sources if isinstance(o, Reg)]
    return [[value for o in plain for value in registers(e, o, 2)[half : half + 1]] for half in range(2)]


@sass("FADD2", "FMUL2", "FFMA2", modifiers="FTZ RN RM RP RZ")
def fadd2(e: Emitter[V], i: Instruction) -> None:
    """Two f32 at once, in register pairs (PTX ISA, add, mul and fma with .f32x2)."""
    mode, ftz = rounding(i), i.has("FTZ")
    for half, (a, b, *c) in enumerate(_pairs(e, i)):
        if c:
            value = e.ffma("f32", a, b, c[0], mode, ftz)
        else:
            value = (e.fadd if i.mnemonic == "FADD2" else e.fmul)("f32", a, b, mode, ftz)
        put32(e, i.operands[0], value, half)


@sass("FSEL", "UFSEL", modifiers="FTZ")
def fsel(e: Emitter[V], i: Instruction) -> None:
    """dst = predicate ? a : b; .FTZ flushes the chosen value."""
    dst, a, b, p = i.operands
    chosen = e.select(predicate(e, p), float32(e, a), float32(e, b))
    if i.has("FTZ"):
        tiny = e.compare("ult", e.and_(chosen, e.const(0x7FFF_FFFF, 32)), e.const(0x0080_0000, 32))
        chosen = e.select(tiny, e.and_(chosen, e.const(0x8000_0000, 32)), chosen)
    put32(e, dst, chosen)


@sass("FSETP", "UFSETP", modifiers=f"FTZ {COMPARISON}")
def fsetp(e: Emitter[V], i: Instruction) -> None:
    """P = a ? b op accumulator, Q = !(a ? b) op accumulator."""
    a, b, accumulator = i.operands[2:]
    comparison = compare(e, i, "f32", float32(e, a), float32(e, b))
    put_comparison(e, i, comparison, predicate(e, accumulator))


@sass("FSET", "UFSET", modifiers=f"FTZ BF {COMPARISON}")
def fset(e: Emitter[V], i: Instruction) -> None:
    """dst = comparison op accumulator as 1.0 or 0 (.BF), or all ones or 0."""
    dst, a, b, accumulator = i.operands
    truth = combine(e, i, compare(e, i, "f32", float32(e, a), float32(e, b)), predicate(e, accumulator))
    yes = 0x3F80_0000 if i.has("BF") else 0xFFFF_FFFF
    put32(e, dst, e.select(truth, e.const(yes, 32), e.const(0, 32)))


_EXPONENT = 0x7F80_0000


@sass("FCHK", modifiers="DIVIDE")
def fchk(e: Emitter[V], i: Instruction) -> None:
    """P = a / b needs the slow path.

    The slow path is a full IEEE division, so saying yes too often is sound (sass.md §5.3). No is said where the
    compiler's fast sequence neither overflows nor loses bits: operands and quotient inside the exponent ranges in
    which a GPU says no (recorded: tests/vectors/sass).
    """
    p, a, b = i.operands
    mask = e.const(_EXPONENT, 32)
    x, y = e.and_(float32(e, a), mask), e.and_(float32(e, b), mask)

    def inside(value: V, first: int, last: int) -> V:
        offset = e.sub(value, e.const(first << 23, 32))
        return e.compare("ule", offset, e.const((last - first) << 23, 32))

    quotient = e.add(e.sub(x, y), e.const(127 << 23, 32))
    fast = e.and_(e.and_(inside(x, 27, 254), inside(y, 5, 248)), inside(quotient, 5, 253))
    put_predicate(e, p, e.not_(fast))


@sass("FSWZADD", modifiers="FTZ RN RM RP RZ NDV")
def fswzadd(e: Emitter[V], i: Instruction) -> None:
    """dst = ±a ± b, with the signs of the lane's place among four; or b alone.

    Of the pattern's eight letters the lane's pair says how a counts and how b does: P, N, or Z for not at all (then +0
    is added to b). Recorded: 13 probes of `rows-sm90`; .NDV makes no difference there, where no lane is missing.
    """
    dst, left, right, pattern = i.operands
    assert isinstance(pattern, Word)
    place = e.and_(e.special("SR_LANEID"), e.const(3, 32))
    a, b = float32(e, left), float32(e, right)
    first = _signed(e, a, place, pattern.text[0::2])
    second = _signed(e, b, place, pattern.text[1::2])
    put32(e, dst, e.fadd("f32", first, second, rounding(i), i.has("FTZ")))


def _signed(e: Emitter[V], value: V, place: V, letters: str) -> V:
    """A value with the sign, or the zero, of the lane's letter of four."""
    found = value
    for letter in "NZ":
        lanes = sum(1 << n for n, one in enumerate(letters) if one == letter)
        if lanes:
            other = e.xor(value, e.const(0x8000_0000, 32)) if letter == "N" else e.const(0, 32)
            here = e.and_(e.lshr(e.const(lanes, 32), place), e.const(1, 32))
            found = e.select(e.compare("ne", here, e.const(0, 32)), other, found)
    return found
