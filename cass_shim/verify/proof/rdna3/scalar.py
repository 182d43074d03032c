"""Meanings of the scalar instructions: results, SCC and EXEC as terms.

In: a table entry per name; sources as terms. Out: (result, SCC) with None for what is not written. Source: AMD RDNA3
ISA, "Scalar ALU Instructions"; each is compared with the emulated device by tests/verify/proof.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from cass_shim.verify.proof.floats import Terms
from cass_shim.verify.proof.lanes import Unknown
from cass_shim.verify.proof.terms import Term

Result: TypeAlias = tuple[Term | None, Term | None]
Meaning: TypeAlias = Callable[..., Result]  # (terms, old SCC, old destination, sources...)


def _nonzero(t: Terms, value: Term) -> Result:
    return value, t.invert(t.eq(value, t.const(0, value.width)))


def _masked(t: Terms, n: Term, width: int) -> Term:
    """A shift count modulo the width, in that width."""
    return t.zext(t.extract(n, 0, width.bit_length() - 1), width)


def _add(t: Terms, scc: Term, old: Term, a: Term, b: Term) -> Result:
    return t.add(a, b), t.carry(a, b, t.false)


def _sub(t: Terms, scc: Term, old: Term, a: Term, b: Term) -> Result:
    return t.sub(a, b), t.ult(a, b)


def _overflow(t: Terms, same: Term, a: Term, result: Term) -> Term:
    changed = t.bitwise("bxor", a, result)
    return t.extract(t.bitwise("band", same, changed), a.width - 1, 1)


def _add_signed(t: Terms, scc: Term, old: Term, a: Term, b: Term) -> Result:
    total = t.add(a, b)
    return total, _overflow(t, t.not_(t.bitwise("bxor", a, b)), a, total)


def _sub_signed(t: Terms, scc: Term, old: Term, a: Term, b: Term) -> Result:
    rest = t.sub(a, b)
    return rest, _overflow(t, t.bitwise("bxor", a, b), a, rest)


def _add_carry(t: Terms, scc: Term, old: Term, a: Term, b: Term) -> Result:
    return t.add(t.add(a, b), t.zext(scc, 32)), t.carry(a, b, scc)


def _sub_borrow(t: Terms, scc: Term, old: Term, a: Term, b: Term) -> Result:
    borrow = t.either(t.ult(a, b), t.both(scc, t.eq(a, b)))
    return t.sub(t.sub(a, b), t.zext(scc, 32)), borrow


def _shift_add(n: int) -> Meaning:
    def meaning(t: Terms, scc: Term, old: Term, a: Term, b: Term) -> Result:
        wide = t.add(t.scale(t.zext(a, 64), 1 << n), t.zext(b, 64))
        return t.extract(wide, 0, 32), t.invert(t.eq(t.extract(wide, 32, 32), t.const(0, 32)))

    return meaning


def _extreme(op: str) -> Meaning:
    """SCC: the first source was chosen; for a maximum also when both are equal."""

    def meaning(t: Terms, scc: Term, old: Term, a: Term, b: Term) -> Result:
        less = (t.slt if op[0] == "s" else t.ult)(a, b)
        return t.extreme(op, a, b), less if op.endswith("min") else t.invert(less)

    return meaning


def _logic(op: str, invert_b: bool = False, invert_result: bool = False) -> Meaning:
    def meaning(t: Terms, scc: Term, old: Term, a: Term, b: Term) -> Result:
        result = t.bitwise(op, a, t.not_(b) if invert_b else b)
        return _nonzero(t, t.not_(result) if invert_result else result)

    return meaning


def _shift(name: str) -> Meaning:
    def meaning(t: Terms, scc: Term, old: Term, a: Term, b: Term) -> Result:
        return _nonzero(t, getattr(t, name)(a, _masked(t, b, a.width)))

    return meaning


def _field(signed: bool) -> Meaning:
    """s_bfe: only fields known when the code was made."""

    def meaning(t: Terms, scc: Term, old: Term, a: Term, b: Term) -> Result:
        if b.known is None:
            raise Unknown("a scalar bit field that is not known")
        offset, bits = b.known & (a.width - 1), b.known >> 16 & 0x7F
        if bits == 0:
            return t.const(0, a.width), t.false
        shifted = (t.ashr if signed else t.lshr)(a, t.const(offset, a.width))
        if bits < a.width:
            part = t.extract(shifted, 0, bits)
            shifted = t.sext(part, a.width) if signed else t.zext(part, a.width)
        return _nonzero(t, shifted)

    return meaning


def _bit_mask(width: int) -> Meaning:
    def meaning(t: Terms, scc: Term, old: Term, a: Term, b: Term) -> Result:
        ones = t.sub(t.shl(t.const(1, width), _masked(t, a, width)), t.const(1, width))
        return t.shl(ones, _masked(t, b, width)), None

    return meaning


def _pack(first: int, second: int) -> Meaning:
    def meaning(t: Terms, scc: Term, old: Term, a: Term, b: Term) -> Result:
        return t.concat(t.extract(a, first, 16), t.extract(b, second, 16)), None

    return meaning


def _pure(function: Callable[..., Term]) -> Meaning:
    """A result and no SCC."""
    return lambda t, scc, old, *sources: (function(t, *sources), None)


def _test(function: Callable[..., Term]) -> Meaning:
    """SCC and no result."""
    return lambda t, scc, old, *sources: (None, function(t, *sources))


def _count(name: str) -> Meaning:
    """Leading or trailing zeros, -1 for none set."""

    def function(t: Terms, a: Term) -> Term:
        found = t.extract(getattr(t, name)(a), 0, 32)
        return t.ite(t.eq(a, t.const(0, a.width)), t.const(-1, 32), found)

    return _pure(function)


def _ones(invert: bool) -> Meaning:
    def meaning(t: Terms, scc: Term, old: Term, a: Term) -> Result:
        return _nonzero(t, t.extract(t.popcount(t.not_(a) if invert else a), 0, 32))

    return meaning


def _set_bit(value: int) -> Meaning:
    def meaning(t: Terms, scc: Term, old: Term, a: Term) -> Result:
        bit = t.shl(t.const(1, old.width), _masked(t, a, old.width))
        return (t.bitwise("bor", old, bit) if value else t.bitwise("band", old, t.not_(bit))), None

    return meaning


def _absolute(t: Terms, scc: Term, old: Term, a: Term) -> Result:
    return _nonzero(t, t.ite(t.slt(a, t.const(0, 32)), t.sub(t.const(0, 32), a), a))


def _absolute_difference(t: Terms, scc: Term, old: Term, a: Term, b: Term) -> Result:
    return _absolute(t, scc, old, t.sub(a, b))


def _high_product(signed: bool) -> Meaning:
    def function(t: Terms, a: Term, b: Term) -> Term:
        extend = t.sext if signed else t.zext
        return t.extract(t.mul(extend(a, 64), extend(b, 64)), 32, 32)

    return _pure(function)


def _bit_test(wanted: bool) -> Meaning:
    def function(t: Terms, a: Term, b: Term) -> Term:
        held = t.extract(t.lshr(a, _masked(t, b, a.width)), 0, 1)
        return held if wanted else t.invert(held)

    return _test(function)


def comparison(t: Terms, name: str, signed: bool, a: Term, b: Term) -> Term:
    """eq, lg or ne, lt, le, gt, ge of integers."""
    less = t.slt if signed else t.ult
    if name in ("eq", "lg", "ne"):
        return t.eq(a, b) if name == "eq" else t.invert(t.eq(a, b))
    x, y = (a, b) if name in ("lt", "ge") else (b, a)
    return less(x, y) if name in ("lt", "gt") else t.invert(less(x, y))


def _choose(t: Terms, scc: Term, old: Term, a: Term, b: Term) -> Result:
    return t.ite(scc, a, b), None


def _conditional_move(t: Terms, scc: Term, old: Term, a: Term) -> Result:
    return t.ite(scc, a, old), None


def _not(t: Terms, scc: Term, old: Term, a: Term) -> Result:
    return _nonzero(t, t.not_(a))


def _compare(name: str, signed: bool) -> Meaning:
    return _test(lambda t, a, b: comparison(t, name, signed, a, b))


MEANINGS: dict[str, Meaning] = {
    "s_add_u32": _add, "s_sub_u32": _sub, "s_add_i32": _add_signed, "s_sub_i32": _sub_signed,
    "s_addc_u32": _add_carry, "s_subb_u32": _sub_borrow,
    "s_absdiff_i32": _absolute_difference, "s_abs_i32": _absolute,
    "s_min_i32": _extreme("smin"), "s_min_u32": _extreme("umin"),
    "s_max_i32": _extreme("smax"), "s_max_u32": _extreme("umax"),
    "s_bfm_b32": _bit_mask(32), "s_bfm_b64": _bit_mask(64),
    "s_pack_ll_b32_b16": _pack(0, 0), "s_pack_lh_b32_b16": _pack(0, 16),
    "s_pack_hh_b32_b16": _pack(16, 16), "s_pack_hl_b32_b16": _pack(16, 0),
    "s_mul_i32": _pure(lambda t, a, b: t.mul(a, b)),
    "s_mul_hi_u32": _high_product(False), "s_mul_hi_i32": _high_product(True),
    "s_sext_i32_i8": _pure(lambda t, a: t.sext(t.extract(a, 0, 8), 32)),
    "s_sext_i32_i16": _pure(lambda t, a: t.sext(t.extract(a, 0, 16), 32)),
    "s_bitset0_b32": _set_bit(0), "s_bitset1_b32": _set_bit(1),
    "s_bitset0_b64": _set_bit(0), "s_bitset1_b64": _set_bit(1),
    "s_bitcmp0_b32": _bit_test(False), "s_bitcmp1_b32": _bit_test(True),
    "s_bitcmp0_b64": _bit_test(False), "s_bitcmp1_b64": _bit_test(True),
    "s_ctz_i32_b32": _count("trailing_zeros"), "s_ctz_i32_b64": _count("trailing_zeros"),
    "s_clz_i32_u32": _count("leading_zeros"), "s_clz_i32_u64": _count("leading_zeros"),
    "s_bfe_u32": _field(False), "s_bfe_i32": _field(True), "s_bfe_u64": _field(False), "s_bfe_i64": _field(True),
}  # fmt: skip
for _n in range(1, 5):
    MEANINGS[f"s_lshl{_n}_add_u32"] = _shift_add(_n)
for _name in ("eq", "lg", "gt", "ge", "lt", "le"):
    MEANINGS[f"s_cmp_{_name}_i32"] = _compare(_name, True)
    MEANINGS[f"s_cmp_{_name}_u32"] = _compare(_name, False)
MEANINGS["s_cmp_eq_u64"], MEANINGS["s_cmp_lg_u64"] = _compare("eq", False), _compare("lg", False)
for _bits in ("b32", "b64"):
    MEANINGS |= {
        f"s_mov_{_bits}": _pure(lambda t, a: a),
        f"s_cmov_{_bits}": _conditional_move,
        f"s_cselect_{_bits}": _choose,
        f"s_not_{_bits}": _not,
        f"s_brev_{_bits}": _pure(lambda t, a: t.reverse(a)),
        f"s_bcnt0_i32_{_bits}": _ones(True),
        f"s_bcnt1_i32_{_bits}": _ones(False),
        f"s_and_{_bits}": _logic("band"),
        f"s_or_{_bits}": _logic("bor"),
        f"s_xor_{_bits}": _logic("bxor"),
        f"s_nand_{_bits}": _logic("band", invert_result=True),
        f"s_nor_{_bits}": _logic("bor", invert_result=True),
        f"s_xnor_{_bits}": _logic("bxor", invert_result=True),
        f"s_and_not1_{_bits}": _logic("band", invert_b=True),
        f"s_or_not1_{_bits}": _logic("bor", invert_b=True),
        f"s_lshl_{_bits}": _shift("shl"),
        f"s_lshr_{_bits}": _shift("lshr"),
        f"s_ashr_i{_bits[1:]}": _shift("ashr"),
    }

# What replaces EXEC: (operation, source inverted, EXEC inverted, result inverted).
SAVE_EXEC: dict[str, tuple[str, bool, bool, bool]] = {
    "and": ("band", False, False, False), "or": ("bor", False, False, False), "xor": ("bxor", False, False, False),
    "nand": ("band", False, False, True), "nor": ("bor", False, False, True), "xnor": ("bxor", False, False, True),
    "and_not0": ("band", True, False, False), "or_not0": ("bor", True, False, False),
    "and_not1": ("band", False, True, False), "or_not1": ("bor", False, True, False),
}  # fmt: skip
