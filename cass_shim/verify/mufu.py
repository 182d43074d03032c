"""Models of MUFU, the approximate functions: a parameter of the reference interpreter.

In: function name and f32 bits (rcp64h and rsq64h: the high word of an f64). Out: bits of the result.
`nearest` is what the lifted code computes on the emulated gfx1100, whose transcendental instructions are defined in
native/emulator/approximate.c: the function in double, rounded once. Denormal inputs and results become zeros, as on
NVIDIA hardware (recorded on sm_90: tests/vectors/sass). A physical AMD device has bits of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cass_shim.verify import floats
from cass_shim.verify.arithmetic import Value

_BELOW_ONE = np.float32(1 - 2**-24)


def _fraction(values: Any) -> Any:
    """x - floor(x) in f32, never 1: the sine's argument in revolutions, as v_fract_f32 gives it."""
    rest = values - np.floor(values)
    return np.minimum(rest, _BELOW_ONE)


def _sine(x: Any) -> Any:
    """Odd, as recorded: the sign of x is put on the result of |x|."""
    r = _fraction(np.abs(x)).astype(np.float64)
    exact = np.where(r == 0.25, 1.0, np.where(r == 0.75, -1.0, 0.0))
    magnitude = np.where(r * 4 == np.floor(r * 4), exact, np.sin(r * 2 * np.pi))
    return np.where(np.signbit(x), -magnitude, magnitude)


def _cosine(x: Any) -> Any:
    r = _fraction(np.abs(x)).astype(np.float64)
    exact = np.where(r == 0, 1.0, np.where(r == 0.5, -1.0, 0.0))
    return np.where(r * 4 == np.floor(r * 4), exact, np.cos(r * 2 * np.pi))


_FUNCTIONS: dict[str, Any] = {
    "rcp": lambda x: 1.0 / x.astype(np.float64),
    "rsq": lambda x: 1.0 / np.sqrt(x.astype(np.float64)),
    "sqrt": lambda x: np.sqrt(x.astype(np.float64)),
    "ex2": lambda x: np.exp2(x.astype(np.float64)),
    "lg2": lambda x: np.log2(x.astype(np.float64)),
    "sin": _sine,
    "cos": _cosine,
}
_ONE, _MINUS_TWO, _TWO_LOG2_E = (np.array([v], np.uint32) for v in (0x3F80_0000, 0xC000_0000, 0x4038_AA3B))


def _high_word(function: str, a: Value) -> Value:
    """rcp64h and rsq64h: the f64 with a zero low word in, the result's high word out. Denormals in are zeros."""
    a = np.where((a & np.uint32(0x7FF0_0000)) == 0, a & np.uint32(0x8000_0000), a)
    wide = (a.astype(np.uint64) << np.uint64(32)).view(np.float64)
    if function == "rcp64h":
        result = 1.0 / wide
    else:
        extended = wide.astype(np.longdouble)
        result = (np.longdouble(1) / np.sqrt(extended)).astype(np.float64)
    return (np.ascontiguousarray(result).view(np.uint64) >> np.uint64(32)).astype(np.uint32)


def _tanh(a: Value) -> Value:
    """RDNA3 has no tanh: 1 - 2 / (2^(2 log2(e) |x|) + 1) with the sign of x; x itself below 2^-6."""
    magnitude = a & np.uint32(0x7FFF_FFFF)
    power = floats.fadd("f32", nearest("ex2", floats.fmul("f32", magnitude, _TWO_LOG2_E)), _ONE)
    result = floats.fadd("f32", floats.fmul("f32", nearest("rcp", power), _MINUS_TWO), _ONE)
    return np.where(magnitude < 0x3C80_0000, a, result | a & np.uint32(0x8000_0000))


def nearest(function: str, a: Value) -> Value:
    """The function of each lane, as the emulated device has it."""
    with np.errstate(all="ignore"):
        if function in ("rcp64h", "rsq64h"):
            return _high_word(function, a)
        if function == "tanh":
            return _tanh(a)
        values = floats.flush("f32", a).view(np.float32)
        return floats.flush("f32", floats.narrow("f32", np.ascontiguousarray(_FUNCTIONS[function](values))))


def perturbed(model: Callable[[str, Value], Value], seed: int) -> Callable[[str, Value], Value]:
    """The model with each finite, normal result moved by one unit in the last place, or not, at random."""
    random = np.random.default_rng((seed, 71))

    def function(name: str, a: Value) -> Value:
        bits = model(name, a)
        exponent = bits >> np.uint32(23) & np.uint32(0xFF)
        movable = (exponent > 1) & (exponent < 0xFE)
        step = random.integers(0, 3, bits.shape).astype(np.uint32) - np.uint32(1)
        return np.where(movable, bits + step, bits)

    return function
