"""Meanings of the vector instructions on floats: the same symbols as the SASS side, or exact bits.

In: names, the wave's `Mode`, one lane's sources as terms. Out: the lane's result, None for an instruction that is not
known. The approximate functions are symbols of their own, which the device model of the SASS side is written in.
"""

from __future__ import annotations

from collections.abc import Callable

from cass_shim.isa.float_kinds import EXPONENT, ONE
from cass_shim.verify.proof.floats import Terms
from cass_shim.verify.proof.lanes import Unknown
from cass_shim.verify.proof.rdna3.vector import FLOAT_CONDITIONS, Mode
from cass_shim.verify.proof.terms import Term

_QUIET = {"f32": 0x40_0000, "f64": 1 << 51}
APPROXIMATE = ("rcp", "rsq", "sqrt", "exp", "log", "sin", "cos", "fract")
_ALWAYS_FLUSH = ("rcp", "rsq", "exp", "log")  # f32 denormals, in every mode (native/emulator/approximate.c)
_ROUNDINGS = {"trunc": "rz", "floor": "rm", "ceil": "rp", "rndne": "rn"}


def _signalling(t: Terms, kind: str, a: Term) -> Term:
    quiet = t.bitwise("band", a, t.const(_QUIET[kind], a.width))
    return t.both(t.is_nan(kind, a), t.eq(quiet, t.const(0, a.width)))


def pick(t: Terms, mode: Mode, kind: str, a: Term, b: Term, largest: bool) -> Term:
    """v_min, v_max: numbers win over NaN, -0 is below +0; a signalling NaN wins in IEEE mode and is quieted."""
    nan_a, nan_b = t.is_nan(kind, a), t.is_nan(kind, b)
    number = t.fextreme(kind, not largest, a, b, False, False)
    result = t.ite(t.both(nan_a, nan_b), a, number)
    if mode.ieee:
        quiet = t.const(_QUIET[kind], a.width)
        result = t.ite(_signalling(t, kind, b), t.bitwise("bor", b, quiet), result)
        result = t.ite(_signalling(t, kind, a), t.bitwise("bor", a, quiet), result)
    return result


def _ftz(mode: Mode, kind: str) -> bool:
    return mode.ftz and kind == "f32"


def arithmetic(t: Terms, mode: Mode, operation: str, kind: str, a: tuple[Term, ...]) -> Term | None:
    """add, sub, subrev, mul, fma, min, max and their combinations."""
    ftz = _ftz(mode, kind)
    if operation in ("add", "sub", "subrev"):
        x, y = (a[1], a[0]) if operation == "subrev" else (a[0], a[1])
        return t.fadd(kind, x, y if operation == "add" else t.negative(y), "rn", ftz)
    if operation == "mul":
        return t.fmul(kind, a[0], a[1], "rn", ftz)
    if operation == "fma":
        return t.ffma(kind, a[0], a[1], a[2], "rn", ftz)
    orders = {"min": (False,), "max": (True,), "min3": (False, False), "max3": (True, True)}
    orders |= {"minmax": (False, True), "maxmin": (True, False)}
    if operation not in orders:
        return None
    if ftz:
        a = tuple(t.flush(kind, x) for x in a)
    result = a[0]
    for largest, other in zip(orders[operation], a[1:], strict=True):
        result = pick(t, mode, kind, result, other, largest)
    return result


def _converters(t: Terms, mode: Mode) -> dict[str, Callable[[Term], Term]]:
    def octet(n: int) -> Callable[[Term], Term]:
        return lambda a: t.symbol("u32.to.f32.rn", 32, t.zext(t.octet(a, n), 32))

    def flushed(a: Term) -> Term:
        return t.flush("f32", a) if mode.ftz else a

    suffix = ".ftz" if mode.ftz else ""
    return {
        "v_cvt_f32_i32": lambda a: t.symbol("s32.to.f32.rn", 32, a),
        "v_cvt_f32_u32": lambda a: t.symbol("u32.to.f32.rn", 32, a),
        "v_cvt_f64_i32": lambda a: t.symbol("s32.to.f64.rn", 64, a),
        "v_cvt_f64_u32": lambda a: t.symbol("u32.to.f64.rn", 64, a),
        "v_cvt_i32_f32": lambda a: t.symbol("f32.to.s32.rz", 32, flushed(a)),
        "v_cvt_u32_f32": lambda a: t.symbol("f32.to.u32.rz", 32, flushed(a)),
        "v_cvt_i32_f64": lambda a: t.symbol("f64.to.s32.rz", 32, a),
        "v_cvt_u32_f64": lambda a: t.symbol("f64.to.u32.rz", 32, a),
        "v_cvt_f32_f64": lambda a: t.symbol(f"f64.to.f32.rn{suffix}", 32, a),
        "v_cvt_f64_f32": lambda a: t.symbol(f"f32.to.f64.rn{suffix}", 64, a),
        **{f"v_cvt_f32_ubyte{n}": octet(n) for n in range(4)},
    }


def result(t: Terms, mode: Mode, name: str, sources: tuple[Term, ...]) -> Term | None:
    """The float result of v_<operation>_<kind> or a conversion, None for another instruction."""
    converter = _converters(t, mode).get(name)
    if converter is not None:
        return converter(sources[0])
    operation, _, kind = name.removeprefix("v_").rpartition("_")
    if kind not in ("f32", "f64"):
        return None
    if operation in _ROUNDINGS:
        return t.symbol(
            f"integral.{kind}.{_ROUNDINGS[operation]}{'.ftz' if _ftz(mode, kind) else ''}", _width(kind), sources[0]
        )
    if operation in APPROXIMATE:
        ftz = _ftz(mode, kind) and operation not in _ALWAYS_FLUSH
        return t.symbol(f"gfx.{operation}.{kind}{'.ftz' if ftz else ''}", _width(kind), sources[0])
    return arithmetic(t, mode, operation, kind, sources)


def _width(kind: str) -> int:
    return 64 if kind == "f64" else 32


def compare(t: Terms, mode: Mode, name: str, a: Term, b: Term) -> Term | None:
    """v_cmp_<condition>_f32 or _f64, None for another."""
    _, _, condition, kind = name.split("_", 3)
    if kind not in ("f32", "f64"):
        return None
    if condition in ("f", "t"):
        return t.const(condition == "t", 1)
    return t.fcompare(kind, FLOAT_CONDITIONS[condition], a, b, _ftz(mode, kind))


def classify(t: Terms, kind: str, a: Term, wanted: Term) -> Term:
    """v_cmp_class: one bit of `wanted` per class; signalling and quiet NaN, then -inf up to +inf."""
    width = a.width
    magnitude = t.bitwise("band", a, t.const((1 << (width - 1)) - 1, width))
    exponent = EXPONENT[kind]
    least = {"f32": 0x80_0000, "f64": 1 << 52}[kind]
    negative = t.slt(a, t.const(0, width))
    infinite, zero = t.eq(magnitude, t.const(exponent, width)), t.eq(magnitude, t.const(0, width))
    normal = t.both(t.ult(magnitude, t.const(exponent, width)), t.invert(t.ult(magnitude, t.const(least, width))))
    tiny = t.both(t.ult(magnitude, t.const(least, width)), t.invert(zero))
    nan, loud = t.is_nan(kind, a), _signalling(t, kind, a)
    classes = [loud, t.both(nan, t.invert(loud))]
    classes += [t.both(c, negative) for c in (infinite, normal, tiny, zero)]
    classes += [t.both(c, t.invert(negative)) for c in (zero, tiny, normal, infinite)]
    return t.any_of(t.both(t.extract(wanted, n, 1), held) for n, held in enumerate(classes))


def clamped(t: Terms, mode: Mode, kind: str, value: Term, omod: int) -> Term:
    """The clamp of a float result to [0, 1]. Output scaling stands only where it is off."""
    if omod:
        raise Unknown("output scaling has no terms")
    if not mode.dx10_clamp:
        raise Unknown("a clamp that keeps NaN has no terms")
    zero, one = t.const(0, value.width), t.const(ONE[kind], value.width)
    low = t.either(t.is_nan(kind, value), t.slt(value, t.const(1, value.width)))
    return t.ite(low, zero, t.ite(t.slt(one, value), one, value))
