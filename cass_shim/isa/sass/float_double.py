"""Double precision. Source: sass.md §5.3."""

from __future__ import annotations

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V, float64, predicate, put64, put_predicate, unwanted
from cass_shim.isa.sass.float_single import COMPARISON, compare, rounding
from cass_shim.isa.sass.integer_compare import combine, put_comparison
from cass_shim.isa.spec import sass, unsupported
from cass_shim.model.instruction import Instruction


@sass("DADD", modifiers="RN RM RP RZ")
def dadd(e: Emitter[V], i: Instruction) -> None:
    """dst = a + b."""
    dst, a, b = i.operands
    put64(e, dst, e.fadd("f64", float64(e, a), float64(e, b), rounding(i)))


@sass("DMUL", modifiers="RN RM RP RZ")
def dmul(e: Emitter[V], i: Instruction) -> None:
    """dst = a * b."""
    dst, a, b = i.operands
    put64(e, dst, e.fmul("f64", float64(e, a), float64(e, b), rounding(i)))


@sass("DFMA", modifiers="RN RM RP RZ")
def dfma(e: Emitter[V], i: Instruction) -> None:
    """dst = a * b + c, rounded once."""
    dst, a, b, c = i.operands
    put64(e, dst, e.ffma("f64", float64(e, a), float64(e, b), float64(e, c), rounding(i)))


def _extreme(e: Emitter[V], i: Instruction, a: V, b: V) -> tuple[V, V]:
    """(a is the minimum or maximum, both are NaN): what the compiler's fmin and fmax select by."""
    a_nan, b_nan = e.fcompare("f64", "nan", a, a), e.fcompare("f64", "nan", b, b)
    ahead = e.fcompare("f64", "lt" if i.has("MIN") else "gt", a, b)
    zero_sign = a if i.has("MIN") else b
    ties = e.and_(e.fcompare("f64", "eq", a, b), e.compare("slt", zero_sign, e.const(0, 64)))
    only_b_nan = e.and_(b_nan, e.not_(a_nan))
    return e.or_(e.or_(ahead, ties), only_b_nan), e.and_(a_nan, b_nan)


@sass("DSETP", modifiers=f"MIN MAX {COMPARISON}")
def dsetp(e: Emitter[V], i: Instruction) -> None:
    """P = a ? b op accumulator, Q = !(a ? b) op accumulator; .MIN and .MAX: P picks a, Q says both are NaN.

    The reading of .MIN and .MAX: recorded, tests/vectors/sass.
    """
    first, second, a, b, accumulator = i.operands
    x, y, acc = float64(e, a), float64(e, b), predicate(e, accumulator)
    if not i.has("MIN", "MAX"):
        put_comparison(e, i, compare(e, i, "f64", x, y), acc)
        return
    if not i.has("AND"):
        raise unsupported(i)
    picked, both_nan = _extreme(e, i, x, y)
    put_predicate(e, first, combine(e, i, picked, acc))
    if not unwanted(second):
        put_predicate(e, second, both_nan)  # whatever the accumulator is (recorded)
