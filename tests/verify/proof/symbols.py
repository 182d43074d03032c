"""What the symbols of float operations stand for: the interpreter's own arithmetic, recorded vectors behind it.

In: a symbol's name and its operands' bits. Out: the result's bits.
"""

from __future__ import annotations

import numpy as np

from cass_shim.verify import floats

_BITS = {"f16": np.uint16, "f32": np.uint32, "f64": np.uint64}
_ARITHMETIC = {"add": floats.fadd, "mul": floats.fmul, "fma": floats.ffma}


def _array(kind: str, bits: int) -> np.ndarray:
    return np.array([bits], _BITS[kind])


def known_symbols(name: str, width: int, args: list[int]) -> int:
    """The value of a symbol that a float instruction is written in."""
    head, *rest = name.split(".")
    ftz = rest[-1:] == ["ftz"]
    with np.errstate(all="ignore"):
        if head in _ARITHMETIC:
            kind = rest[0]
            return int(_ARITHMETIC[head](kind, *(_array(kind, a) for a in args), rest[1], ftz)[0])
        if head == "integral":
            return int(floats.round_to_integral(rest[0], _array(rest[0], args[0]), rest[1], ftz)[0])
        if head == "nan":
            return {"f16": 0x7E00, "f32": 0x7FC0_0000, "f64": 0x7FF8 << 48}[rest[0]]
        if rest[0] == "to" and head in _BITS and rest[1] in _BITS:
            return int(floats.float_to_float(rest[1], head, _array(head, args[0]), rest[2], ftz)[0])
        if rest[0] == "to" and head in _BITS:
            bits, signed = int(rest[1][1:]), rest[1][0] == "s"
            return int(floats.float_to_int(head, _array(head, args[0]), bits, signed, rest[2], True, ftz)[0])
        if rest[0] == "to":
            integer = np.array([args[0]], np.uint64 if head.endswith("64") else np.uint32)
            return int(floats.int_to_float(rest[1], integer, head[0] == "s", rest[2])[0])
    raise KeyError(name)
