"""Meanings of the vector instructions, lane by lane: results as terms.

In: a table entry per name; one lane's sources as terms, signs applied. Out: the lane's result. Source: AMD RDNA3 ISA,
"Vector ALU Instructions"; each is compared with the emulated device by tests/verify/proof. `Mode` is what MODE says:
whether f32 subnormals are flushed, whether IEEE rules hold for NaNs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from cass_shim.verify.proof.floats import Terms
from cass_shim.verify.proof.rdna3.scalar import comparison
from cass_shim.verify.proof.terms import Term

Integer: TypeAlias = Callable[..., Term]  # (terms, sources...)


@dataclass(frozen=True)
class Mode:
    """ftz: f32 subnormals become zeros. ieee, dx10_clamp: bits of MODE."""

    ftz: bool = False
    ieee: bool = True
    dx10_clamp: bool = True


def _shift(t: Terms, name: str, a: Term, n: Term) -> Term:
    count = t.zext(t.extract(n, 0, a.width.bit_length() - 1), a.width)
    result: Term = getattr(t, name)(a, count)
    return result


def _low24(t: Terms, a: Term, signed: bool, width: int) -> Term:
    return (t.sext if signed else t.zext)(t.extract(a, 0, 24), width)


def _product24(signed: bool, high: bool) -> Integer:
    def meaning(t: Terms, a: Term, b: Term) -> Term:
        wide = t.mul(_low24(t, a, signed, 64), _low24(t, b, signed, 64))
        return t.extract(wide, 32 if high else 0, 32)

    return meaning


def _add24(signed: bool) -> Integer:
    return lambda t, a, b, c: t.add(t.mul(_low24(t, a, signed, 32), _low24(t, b, signed, 32)), c)


def _high_product(signed: bool) -> Integer:
    def meaning(t: Terms, a: Term, b: Term) -> Term:
        extend = t.sext if signed else t.zext
        return t.extract(t.mul(extend(a, 64), extend(b, 64)), 32, 32)

    return meaning


def _mask(t: Terms, n: Term) -> Term:
    """(1 << n) - 1 for n modulo 32."""
    return t.sub(_shift(t, "shl", t.const(1, 32), n), t.const(1, 32))


def _field(t: Terms, a: Term, offset: Term, count: Term) -> Term:
    if offset.known is not None and count.known is not None:
        start, bits = offset.known & 31, count.known & 31
        kept = min(bits, 32 - start)
        return t.zext(t.extract(a, start, kept), 32) if kept else t.const(0, 32)
    return t.bitwise("band", _shift(t, "lshr", a, offset), _mask(t, count))


def _signed_field(t: Terms, a: Term, offset: Term, count: Term) -> Term:
    bits = t.zext(t.extract(count, 0, 5), 32)
    unused = t.zext(t.extract(t.sub(t.const(32, 32), bits), 0, 5), 32)
    part = t.ashr(t.shl(_shift(t, "ashr", a, offset), unused), unused)
    return t.ite(t.eq(bits, t.const(0, 32)), t.const(0, 32), part)


def _align_bits(t: Terms, a: Term, b: Term, n: Term) -> Term:
    count = t.zext(t.extract(n, 0, 5), 64)
    return t.extract(t.lshr(t.concat(b, a), count), 0, 32)


def _permute(t: Terms, a: Term, b: Term, selector: Term) -> Term:
    """v_perm_b32: bytes of {a, b}, or signs and constants for selectors from 8 on."""
    octets = [t.octet(word, n) for word in (b, a) for n in range(4)]
    result = []
    for position in range(4):
        chosen = t.octet(selector, position)
        value = t.const(0xFF, 8)
        value = t.ite(t.eq(chosen, t.const(12, 8)), t.const(0, 8), value)
        for code, source in ((8, 1), (9, 3), (10, 5), (11, 7)):
            sign = t.sext(t.extract(octets[source], 7, 1), 8)
            value = t.ite(t.eq(chosen, t.const(code, 8)), sign, value)
        for code in range(8):
            value = t.ite(t.eq(chosen, t.const(code, 8)), octets[code], value)
        result.append(value)
    return t.from_octets(result)


def _median(low: str, high: str) -> Integer:
    def meaning(t: Terms, a: Term, b: Term, c: Term) -> Term:
        return t.extreme(high, t.extreme(low, a, b), t.extreme(low, t.extreme(high, a, b), c))

    return meaning


def _zeros(name: str) -> Integer:
    def meaning(t: Terms, a: Term) -> Term:
        return t.ite(t.eq(a, t.const(0, 32)), t.const(-1, 32), getattr(t, name)(a))

    return meaning


def _or(t: Terms, a: Term, b: Term) -> Term:
    return t.bitwise("bor", a, b)


def _xor(t: Terms, a: Term, b: Term) -> Term:
    return t.bitwise("bxor", a, b)


def _and(t: Terms, a: Term, b: Term) -> Term:
    return t.bitwise("band", a, b)


INTEGERS: dict[str, Integer] = {
    "v_mov_b32": lambda t, a: a,
    "v_not_b32": lambda t, a: t.not_(a),
    "v_bfrev_b32": lambda t, a: t.reverse(a),
    "v_clz_i32_u32": _zeros("leading_zeros"),
    "v_ctz_i32_b32": _zeros("trailing_zeros"),
    "v_and_b32": _and,
    "v_or_b32": _or,
    "v_xor_b32": _xor,
    "v_xnor_b32": lambda t, a, b: t.not_(_xor(t, a, b)),
    "v_lshlrev_b32": lambda t, n, a: _shift(t, "shl", a, n),
    "v_lshrrev_b32": lambda t, n, a: _shift(t, "lshr", a, n),
    "v_ashrrev_i32": lambda t, n, a: _shift(t, "ashr", a, n),
    "v_lshlrev_b64": lambda t, n, a: _shift(t, "shl", a, t.zext(n, 64)),
    "v_lshrrev_b64": lambda t, n, a: _shift(t, "lshr", a, t.zext(n, 64)),
    "v_ashrrev_i64": lambda t, n, a: _shift(t, "ashr", a, t.zext(n, 64)),
    "v_add_nc_u32": lambda t, a, b: t.add(a, b),
    "v_sub_nc_u32": lambda t, a, b: t.sub(a, b),
    "v_subrev_nc_u32": lambda t, a, b: t.sub(b, a),
    "v_add_nc_i32": lambda t, a, b: t.add(a, b),
    "v_sub_nc_i32": lambda t, a, b: t.sub(a, b),
    "v_mul_lo_u32": lambda t, a, b: t.mul(a, b),
    "v_mul_hi_u32": _high_product(False),
    "v_mul_hi_i32": _high_product(True),
    "v_mul_i32_i24": _product24(True, False),
    "v_mul_hi_i32_i24": _product24(True, True),
    "v_mul_u32_u24": _product24(False, False),
    "v_mul_hi_u32_u24": _product24(False, True),
    "v_mad_i32_i24": _add24(True),
    "v_mad_u32_u24": _add24(False),
    "v_min_i32": lambda t, a, b: t.extreme("smin", a, b),
    "v_max_i32": lambda t, a, b: t.extreme("smax", a, b),
    "v_min_u32": lambda t, a, b: t.extreme("umin", a, b),
    "v_max_u32": lambda t, a, b: t.extreme("umax", a, b),
    "v_min3_i32": lambda t, a, b, c: t.extreme("smin", t.extreme("smin", a, b), c),
    "v_max3_i32": lambda t, a, b, c: t.extreme("smax", t.extreme("smax", a, b), c),
    "v_min3_u32": lambda t, a, b, c: t.extreme("umin", t.extreme("umin", a, b), c),
    "v_max3_u32": lambda t, a, b, c: t.extreme("umax", t.extreme("umax", a, b), c),
    "v_maxmin_i32": lambda t, a, b, c: t.extreme("smin", t.extreme("smax", a, b), c),
    "v_minmax_i32": lambda t, a, b, c: t.extreme("smax", t.extreme("smin", a, b), c),
    "v_maxmin_u32": lambda t, a, b, c: t.extreme("umin", t.extreme("umax", a, b), c),
    "v_minmax_u32": lambda t, a, b, c: t.extreme("umax", t.extreme("umin", a, b), c),
    "v_med3_i32": _median("smin", "smax"),
    "v_med3_u32": _median("umin", "umax"),
    "v_add3_u32": lambda t, a, b, c: t.add(t.add(a, b), c),
    "v_lshl_add_u32": lambda t, a, b, c: t.add(_shift(t, "shl", a, b), c),
    "v_add_lshl_u32": lambda t, a, b, c: _shift(t, "shl", t.add(a, b), c),
    "v_lshl_or_b32": lambda t, a, b, c: _or(t, _shift(t, "shl", a, b), c),
    "v_and_or_b32": lambda t, a, b, c: _or(t, _and(t, a, b), c),
    "v_or3_b32": lambda t, a, b, c: _or(t, _or(t, a, b), c),
    "v_xor3_b32": lambda t, a, b, c: _xor(t, _xor(t, a, b), c),
    "v_xad_u32": lambda t, a, b, c: t.add(_xor(t, a, b), c),
    "v_bfi_b32": lambda t, a, b, c: _or(t, _and(t, a, b), _and(t, t.not_(a), c)),
    "v_bfe_u32": _field,
    "v_bfe_i32": _signed_field,
    "v_bfm_b32": lambda t, a, b: _shift(t, "shl", _mask(t, a), b),
    "v_alignbit_b32": _align_bits,
    "v_perm_b32": _permute,
    "v_bcnt_u32_b32": lambda t, a, b: t.add(t.popcount(a), b),
    "v_mbcnt_hi_u32_b32": lambda t, a, b: b,
}


def _shift16(name: str) -> Integer:
    def meaning(t: Terms, n: Term, a: Term) -> Term:
        result: Term = getattr(t, name)(a, t.zext(t.extract(n, 0, 4), 16))
        return result

    return meaning


def _extreme16(op: str) -> Integer:
    return lambda t, a, b: t.extreme(op, a, b)


# On 16-bit terms: halves of registers.
HALVES: dict[str, Integer] = {
    "v_mov_b16": lambda t, a: a,
    "v_not_b16": lambda t, a: t.not_(a),
    "v_and_b16": _and,
    "v_or_b16": _or,
    "v_xor_b16": _xor,
    "v_lshlrev_b16": _shift16("shl"),
    "v_lshrrev_b16": _shift16("lshr"),
    "v_ashrrev_i16": _shift16("ashr"),
    "v_add_nc_u16": lambda t, a, b: t.add(a, b),
    "v_sub_nc_u16": lambda t, a, b: t.sub(a, b),
    "v_mul_lo_u16": lambda t, a, b: t.mul(a, b),
    "v_min_u16": _extreme16("umin"),
    "v_max_u16": _extreme16("umax"),
    "v_min_i16": _extreme16("smin"),
    "v_max_i16": _extreme16("smax"),
    "v_cvt_u32_u16": lambda t, a: t.zext(a, 32),
    "v_cvt_i32_i16": lambda t, a: t.sext(a, 32),
    "v_cvt_f32_f16": lambda t, a: t.symbol("f16.to.f32.rn", 32, a),
}


def compare_integers(t: Terms, name: str, a: Term, b: Term) -> Term | None:
    """v_cmp_<condition>_<type> of integers, None for another."""
    _, _, condition, kind = name.split("_", 3)
    if kind not in ("i16", "u16", "i32", "u32", "i64", "u64"):
        return None
    if condition in ("f", "t"):
        return t.const(condition == "t", 1)
    return comparison(t, condition, kind[0] == "i", a, b)


# v_cmp_<condition>_f*: (condition of the emitter's names)
FLOAT_CONDITIONS = {
    "lt": "lt", "eq": "eq", "le": "le", "gt": "gt", "lg": "ne", "ge": "ge", "o": "num", "u": "nan",
    "nge": "ltu", "nlg": "equ", "ngt": "leu", "nle": "gtu", "neq": "neu", "nlt": "geu",
}  # fmt: skip
