"""Eight-bit floats, E4M3 and E5M2, to and from half and single precision.

Sources: PTX ISA, cvt with .e4m3x2 and .e5m2x2; results recorded in tests/vectors/sass.
"""

from __future__ import annotations

from dataclasses import dataclass

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V

_NAN = 0x7F
_CANONICAL_F16 = 0x7FFF


@dataclass(frozen=True, slots=True)
class Format:
    """dropped: mantissa bits that f32 has more. rebias: difference of the exponents' biases, in the result's place.

    smallest_normal, magic: as f32 bits; adding magic, whose unit in the last place is the smallest denormal,
    rounds to it. largest: the largest finite magnitude.
    """

    dropped: int
    rebias: int
    smallest_normal: int
    magic: int
    largest: int


E4M3 = Format(20, (127 - 7) << 3, 0x3C80_0000, 0x4680_0000, 0x7E)
E5M2 = Format(21, (127 - 15) << 2, 0x3880_0000, 0x4300_0000, 0x7B)


def narrow(e: Emitter[V], value: V, format_: Format) -> V:
    """f32 bits to eight bits in i32, nearest-even, saturating to the largest finite number; NaN is 0x7f."""
    magnitude = e.and_(value, e.const(0x7FFF_FFFF, 32))
    small = e.sub(e.fadd("f32", magnitude, e.const(format_.magic, 32)), e.const(format_.magic, 32))
    lowest = e.and_(e.lshr(magnitude, e.const(format_.dropped, 32)), e.const(1, 32))
    half = e.const((1 << (format_.dropped - 1)) - 1, 32)
    rounded = e.lshr(e.add(e.add(magnitude, half), lowest), e.const(format_.dropped, 32))
    normal = e.umin(e.sub(rounded, e.const(format_.rebias, 32)), e.const(format_.largest, 32))
    is_small = e.compare("ult", magnitude, e.const(format_.smallest_normal, 32))
    sign = e.and_(e.lshr(value, e.const(24, 32)), e.const(0x80, 32))
    result = e.or_(e.select(is_small, small, normal), sign)
    is_nan = e.compare("ugt", magnitude, e.const(0x7F80_0000, 32))
    return e.select(is_nan, e.const(_NAN, 32), result)


def widen(e: Emitter[V], value: V, format_: Format) -> V:
    """Eight bits in i32 to an f16 in i16; exact."""
    sign = e.shl(e.and_(value, e.const(0x80, 32)), e.const(8, 32))
    if format_ is E5M2:
        bits = e.shl(e.and_(value, e.const(0xFF, 32)), e.const(8, 32))
        is_nan = e.compare("ugt", e.and_(bits, e.const(0x7FFF, 32)), e.const(0x7C00, 32))
    else:
        field = e.and_(value, e.const(0x7F, 32))
        shifted = e.trunc(e.shl(field, e.const(7, 32)), 16)
        scaled = e.fmul("f16", shifted, e.const(0x5C00, 16))  # 2^8, the difference of the biases
        bits = e.or_(e.zext(scaled, 32), sign)
        is_nan = e.compare("eq", field, e.const(_NAN, 32))
    return e.trunc(e.select(is_nan, e.const(_CANONICAL_F16, 32), bits), 16)
