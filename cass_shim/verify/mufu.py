"""Models of MUFU, the approximate functions: a parameter of the reference interpreter.

In: function name and f32 bits (rcp64h and rsq64h: the high word of an f64). Out: bits of the result.
`nearest` is the correctly rounded value of the double-precision function with denormals flushed, as the emulated
gfx1100 defines its transcendental instructions; a physical device is asked instead (`Measured`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cass_shim.verify import floats
from cass_shim.verify.arithmetic import Value


def _sine(x: Any) -> Any:
    return np.sin(2 * np.pi * (x - np.floor(x)))


def _cosine(x: Any) -> Any:
    return np.cos(2 * np.pi * (x - np.floor(x)))


_FUNCTIONS: dict[str, Any] = {
    "rcp": lambda x: 1.0 / x,
    "rsq": lambda x: 1.0 / np.sqrt(x),
    "sqrt": np.sqrt,
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": _sine,
    "cos": _cosine,
    "tanh": np.tanh,
}


def nearest(function: str, a: Value) -> Value:
    """The correctly rounded function of each lane."""
    with np.errstate(all="ignore"):
        if function in ("rcp64h", "rsq64h"):
            wide = (a.astype(np.uint64) << np.uint64(32)).view(np.float64)
            result = _FUNCTIONS[function[:3]](wide)
            return (np.ascontiguousarray(result).view(np.uint64) >> np.uint64(32)).astype(np.uint32)
        values = floats.flush("f32", a).view(np.float32).astype(np.float64)
        return floats.flush("f32", floats.narrow("f32", _FUNCTIONS[function](values)))
