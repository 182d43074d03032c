"""IEEE arithmetic on bit patterns held in numpy arrays: the float half of the reference interpreter.

In and out: uint16 (one half or bfloat16), uint32 (f32, or two packed 16-bit floats) and uint64 (f64) arrays of any
shape that broadcasts. Rounding: "rn" "rm" "rp" "rz". The host's own rounding mode is used for directed f32 and f64
operations and restored; 16-bit operations are exact in float64, or rounded to odd there, and rounded once.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cass_shim.isa.float_kinds import EXPONENT, ONE, PACKED, SIGN
from cass_shim.verify.fused import fma

# numpy arrays; numpy's stubs lose the element type in every operator
Bits: TypeAlias = Any
Floats: TypeAlias = Any

_FORMATS: dict[str, Any] = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
_BITS: dict[str, Any] = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32, "f64": np.uint64}
_MODES = {"rn": 0x000, "rm": 0x400, "rp": 0x800, "rz": 0xC00}  # fenv.h of x86-64

_libm = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")


@contextmanager
def _rounding(mode: str) -> Iterator[None]:
    if mode == "rn":
        yield
        return
    _libm.fesetround(_MODES[mode])
    try:
        yield
    finally:
        _libm.fesetround(0)


def to_float(kind: str, bits: Bits) -> Floats:
    """The values: float64 for f64, float16 for f16, float32 for f32 and bf16."""
    if kind == "bf16":
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return np.ascontiguousarray(bits).view(_FORMATS[kind])


def from_float(kind: str, values: Floats) -> Bits:
    """Bits of values already of the kind's own format (bf16: float32 with a clear low half)."""
    if kind == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    return values.astype(_FORMATS[kind], copy=False).view(_BITS[kind])


def flush(kind: str, bits: Bits) -> Bits:
    """Denormals become zeros of their sign."""
    kept = (bits & _BITS[kind](EXPONENT[kind])) != 0
    return np.where(kept, bits, bits & _BITS[kind](SIGN[kind]))


def is_nan(kind: str, bits: Bits) -> Any:
    magnitude = bits & _BITS[kind](SIGN[kind] - 1)
    return magnitude > _BITS[kind](EXPONENT[kind])


def with_nan(kind: str, bits: Bits, payloads: dict[str, int]) -> Bits:
    """The same numbers with every NaN replaced by the payload given for its kind."""
    if kind in PACKED:
        return _by_halves(kind, lambda k, x: with_nan(k, x, payloads), bits)
    if kind not in payloads:
        return bits
    nan = is_nan(kind, bits)
    return np.where(nan, _BITS[kind](payloads[kind]), bits) if nan.any() else bits


def _by_halves(kind: str, operation: Callable[..., Bits], *operands: Bits) -> Bits:
    low = operation(PACKED[kind], *((x & np.uint32(0xFFFF)).astype(np.uint16) for x in operands))
    high = operation(PACKED[kind], *((x >> np.uint32(16)).astype(np.uint16) for x in operands))
    return low.astype(np.uint32) | high.astype(np.uint32) << np.uint32(16)


def _odd_sum(x: Floats, y: Floats) -> Floats:
    """x + y in float64, rounded to odd: rounding it again to a shorter format is then correct."""
    total = x + y
    part = total - x
    error = (x - (total - part)) + (y - part)
    inexact = np.isfinite(total) & (error != 0)
    bits = total.view(np.uint64)
    toward = np.where((error > 0) == (total > 0), bits, bits - np.uint64(1))
    return np.where(inexact, toward | np.uint64(1), bits).view(np.float64)


def _odd_f32(values: Floats) -> Floats:
    """float64 to float32, rounded to odd (for a further rounding to bf16)."""
    nearest = values.astype(np.float32)
    away = np.isfinite(nearest) & (np.abs(nearest.astype(np.float64)) > np.abs(values))
    bits = nearest.view(np.uint32)
    truncated = np.where(away, bits - np.uint32(1), bits)
    inexact = np.isfinite(values) & (nearest.astype(np.float64) != values)
    overflow = inexact & ~np.isfinite(nearest)
    truncated = np.where(overflow, bits - np.uint32(1), truncated)
    return np.where(inexact, truncated | np.uint32(1), bits).view(np.float32)


def narrow(to_kind: str, values: Floats, rounding: str = "rn") -> Bits:
    """Values to a shorter kind, or from f16 to bf16, correctly rounded."""
    if to_kind == "bf16":
        single = _odd_f32(values) if values.dtype == np.float64 else values.astype(np.float32)
        return _to_bf16(np.ascontiguousarray(single), rounding)
    target = _FORMATS[to_kind]
    nearest = values.astype(target)
    if rounding == "rn" or nearest.dtype == values.dtype:
        return nearest.view(_BITS[to_kind])
    back = nearest.astype(values.dtype)
    lower, higher = np.nextafter(nearest, target(-np.inf)), np.nextafter(nearest, target(np.inf))
    too_big, too_small = back > values, back < values
    if rounding == "rm":
        result = np.where(too_big, lower, nearest)
    elif rounding == "rp":
        result = np.where(too_small, higher, nearest)
    else:
        result = np.where(too_big & (values > 0), lower, np.where(too_small & (values < 0), higher, nearest))
        result = np.where((nearest == 0) | (result == 0), np.copysign(result, values).astype(target), result)
    return np.ascontiguousarray(result.astype(target)).view(_BITS[to_kind])


def _to_bf16(values: Floats, rounding: str) -> Bits:
    bits = values.view(np.uint32)
    kept, rest = bits >> np.uint32(16), bits & np.uint32(0xFFFF)
    negative = (bits >> np.uint32(31)) == 1
    if rounding == "rn":
        up = (rest > 0x8000) | ((rest == 0x8000) & ((kept & np.uint32(1)) == 1))
    elif rounding == "rz":
        up = np.zeros(rest.shape, bool)
    else:
        up = (rest != 0) & (negative == (rounding == "rm"))
    nan = np.isnan(values)
    rounded = np.where(nan, kept | np.uint32(0x40), kept + up.astype(np.uint32))
    return rounded.astype(np.uint16)


def _arithmetic(kind: str, rounding: str, operation: Callable[..., Floats], *operands: Bits) -> Bits:
    """add or mul: f32 and f64 natively; 16-bit kinds exactly in float64, then one rounding."""
    with np.errstate(all="ignore"):
        if kind in ("f32", "f64"):
            with _rounding(rounding):
                return operation(*(to_float(kind, x) for x in operands)).view(_BITS[kind])
        wide = operation(*(to_float(kind, x).astype(np.float64) for x in operands))
        return narrow(kind, wide, rounding)


def fadd(kind: str, a: Bits, b: Bits, rounding: str = "rn", ftz: bool = False) -> Bits:
    if kind in PACKED:
        return _by_halves(kind, lambda k, x, y: fadd(k, x, y, rounding, ftz), a, b)
    operation = np.add if kind in ("f32", "f64") else _odd_sum
    return _flushing(kind, ftz, lambda x, y: _arithmetic(kind, rounding, operation, x, y), a, b)


def fmul(kind: str, a: Bits, b: Bits, rounding: str = "rn", ftz: bool = False) -> Bits:
    if kind in PACKED:
        return _by_halves(kind, lambda k, x, y: fmul(k, x, y, rounding, ftz), a, b)
    return _flushing(kind, ftz, lambda x, y: _arithmetic(kind, rounding, np.multiply, x, y), a, b)


def ffma(kind: str, a: Bits, b: Bits, c: Bits, rounding: str = "rn", ftz: bool = False) -> Bits:
    if kind in PACKED:
        return _by_halves(kind, lambda k, x, y, z: ffma(k, x, y, z, rounding, ftz), a, b, c)
    return _flushing(kind, ftz, lambda x, y, z: _fused(kind, x, y, z, rounding), a, b, c)


def _flushing(kind: str, ftz: bool, operation: Callable[..., Bits], *operands: Bits) -> Bits:
    if not ftz:
        return operation(*operands)
    return flush(kind, operation(*(flush(kind, x) for x in operands)))


def _fused(kind: str, a: Bits, b: Bits, c: Bits, rounding: str) -> Bits:
    with np.errstate(all="ignore"):
        if kind in ("f32", "f64"):
            with _rounding(rounding):
                return fma(*(to_float(kind, v) for v in (a, b, c))).view(_BITS[kind])
        x, y, z = (to_float(kind, v).astype(np.float64) for v in (a, b, c))
        return narrow(kind, _odd_sum(x * y, z), rounding)


def _ordered(kind: str, bits: Bits) -> Any:
    """Integers that sort as the floats do, -0 below +0 (NaN apart)."""
    sign = SIGN[kind]
    magnitude = (bits & _BITS[kind](sign - 1)).astype(np.int64)
    return np.where((bits & _BITS[kind](sign)) != 0, ~magnitude, magnitude)


def fminmax(kind: str, a: Bits, b: Bits, smaller: bool, nan_propagates: bool, ftz: bool) -> Bits:
    """minNum or maxNum of IEEE 754-2008: a NaN loses, unless it propagates."""
    if kind in PACKED:
        return _by_halves(kind, lambda k, x, y: fminmax(k, x, y, smaller, nan_propagates, ftz), a, b)
    if ftz:
        a, b = flush(kind, a), flush(kind, b)
    first = _ordered(kind, a) < _ordered(kind, b)
    result: Any = np.where(first == smaller, a, b)
    nan_a, nan_b = is_nan(kind, a), is_nan(kind, b)
    canonical = _BITS[kind](SIGN[kind] - 1)
    if nan_propagates:
        return np.where(nan_a | nan_b, canonical, result)
    result = np.where(nan_a, b, np.where(nan_b, a, result))
    return np.where(nan_a & nan_b, canonical, result)


def saturate(kind: str, a: Bits) -> Bits:
    """Clamp to [0, 1], NaN to +0."""
    if kind in PACKED:
        return _by_halves(kind, saturate, a)
    one = np.array([ONE[kind]], _BITS[kind])
    order = _ordered(kind, a)
    low = is_nan(kind, a) | (order <= 0)
    return np.where(low, _BITS[kind](0), np.where(order > _ordered(kind, one), one, a))


def fcompare(kind: str, condition: str, a: Bits, b: Bits, ftz: bool = False) -> Any:
    """lt eq le gt ne ge ordered; with u unordered; num, nan."""
    if ftz:
        a, b = flush(kind, a), flush(kind, b)
    unordered = is_nan(kind, a) | is_nan(kind, b)
    if condition in ("num", "nan"):
        return unordered if condition == "nan" else ~unordered
    x, y = to_float(kind, a), to_float(kind, b)
    with np.errstate(all="ignore"):
        operation: Any = {
            "lt": np.less,
            "eq": np.equal,
            "le": np.less_equal,
            "gt": np.greater,
            "ne": np.not_equal,
            "ge": np.greater_equal,
        }[condition[:2]]
        result: NDArray[np.bool_] = operation(x, y)
    return (result | unordered) if condition.endswith("u") else (result & ~unordered)


_TO_INTEGRAL: dict[str, Any] = {"rn": np.rint, "rm": np.floor, "rp": np.ceil, "rz": np.trunc}


def round_to_integral(kind: str, a: Bits, rounding: str, ftz: bool = False) -> Bits:
    if ftz:
        a = flush(kind, a)
    with np.errstate(all="ignore"):
        values = to_float(kind, a)
        result = np.copysign(_TO_INTEGRAL[rounding](values), values).astype(values.dtype)
    return from_float(kind, result)


def float_to_int(
    kind: str, a: Bits, width: int, signed: bool, rounding: str, nan_is_zero: bool, ftz: bool = False
) -> Bits:
    """Saturating; uint32 for width up to 32 (sign- or zero-extended), else uint64."""
    if ftz:
        a = flush(kind, a)
    result_type = np.uint64 if width == 64 else np.uint32
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    with np.errstate(all="ignore"):
        values = _TO_INTEGRAL[rounding](to_float(kind, a).astype(np.float64))
        inside = (values >= low) & (values <= high) & (values < float(high + 1))
        safe = np.where(inside, values, 0.0)
        integers: Any = safe.astype(np.int64).view(np.uint64) if signed else safe.astype(np.uint64)
        integers = np.where(values < low, np.uint64(low & (2**64 - 1)), integers)
        integers = np.where((values > low) & ~inside, np.uint64(high), integers)
    indefinite = 0 if nan_is_zero else 1 << (width - 1)  # not sign-extended: recorded on sm_90
    integers = np.where(is_nan(kind, a), np.uint64(indefinite), integers)
    return integers.astype(result_type)


def int_to_float(kind: str, a: Bits, signed: bool, rounding: str = "rn") -> Bits:
    """From uint32 or uint64 arrays, read as signed when asked."""
    integers = a.view(np.int32 if a.dtype == np.uint32 else np.int64) if signed else a
    if kind in ("f32", "f64"):
        with _rounding(rounding):
            return integers.astype(_FORMATS[kind]).view(_BITS[kind])
    with np.errstate(all="ignore"):
        with _rounding("rz"):
            wide = integers.astype(np.float64)
        if a.dtype == np.uint64:  # to odd: rounding to float64 first must not be seen by the second rounding
            exact = np.where(signed, wide.astype(np.int64).view(np.uint64), wide.astype(np.uint64))
            inexact = exact != a
            wide = np.where(inexact, (wide.view(np.uint64) | np.uint64(1)).view(np.float64), wide)
        return narrow(kind, wide, rounding)


def float_to_float(to_kind: str, from_kind: str, a: Bits, rounding: str = "rn", ftz: bool = False) -> Bits:
    if ftz and from_kind in ("f32", "f64"):
        a = flush(from_kind, a)
    with np.errstate(all="ignore"):
        values = to_float(from_kind, a)
        if to_kind in ("f32", "f64") and values.dtype.itemsize <= np.dtype(_FORMATS[to_kind]).itemsize:
            result = from_float(to_kind, values.astype(_FORMATS[to_kind]))
        else:
            result = narrow(to_kind, values, rounding)
    return flush(to_kind, result) if ftz and to_kind in ("f32", "f64") else result
