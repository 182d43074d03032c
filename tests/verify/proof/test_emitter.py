"""The emitter that makes terms against the interpreter's numpy emitter: one primitive after another, on random values.

The interpreter's is held to vectors recorded on NVIDIA hardware; both run the same functions of `isa.sass`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cass_shim.verify.arithmetic import DTYPES
from cass_shim.verify.arithmetic import Arithmetic as NumpyArithmetic
from cass_shim.verify.proof.concrete import evaluate
from cass_shim.verify.proof.emitter import Arithmetic
from cass_shim.verify.proof.floats import Terms
from cass_shim.verify.proof.lanes import Value, lane
from tests.verify.proof.symbols import known_symbols
from tests.verify.proof.test_terms import EDGES

FLOAT_EDGES = {
    16: (0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 1, 0x8200, 0x7BFF),
    32: (0, 0x8000_0000, 0x3F80_0000, 0xBF80_0000, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 0x7F80_0001, 1, 0x8040_0000),
    64: (0, 1 << 63, 0x3FF0 << 48, 0xBFF0 << 48, 0x7FF0 << 48, 0xFFF0 << 48, 0x7FF8 << 48, (0x7FF0 << 48) + 1, 1),
}
KINDS = {"f16": 16, "f32": 32, "f64": 64}
ROUNDS = 60
Call = Callable[[Any, list[Any]], Any]


def _integer(name: str, *widths: int, **options: object) -> tuple[str, Call, tuple[int, ...], bool]:
    return name, lambda e, a: getattr(e, name)(*a, **options), widths, False


def _float(
    name: str, kind: str, count: int, *before: object, **options: object
) -> tuple[str, Call, tuple[int, ...], bool]:
    label = f"{name} {kind} {' '.join(map(str, (*before, *options.values())))}"
    return label, lambda e, a: getattr(e, name)(kind, *before, *a, **options), (KINDS[kind],) * count, True


PAIRWISE = ("add", "sub", "mul", "and_", "or_", "xor", "umin", "umax", "smin", "smax")
INTEGER_CALLS = [
    *(_integer(n, w, w) for n in PAIRWISE for w in (32, 64)),
    *(_integer(n, 32) for n in ("not_", "popcount", "count_leading_zeros", "bit_reverse")),
    _integer("add_carry", 32, 32), _integer("add_carry", 32, 32, 1), _integer("add_carry", 64, 64, 1),
    _integer("select", 1, 32, 32), _integer("pair", 32, 32), _integer("low", 64), _integer("high", 64),
    _integer("zext", 32, width=64), _integer("sext", 32, width=64), _integer("zext", 1, width=32),
    _integer("sext", 1, width=32), _integer("trunc", 32, width=1),
    _integer("byte_permute", 32, 32, 32),
    *(_integer("dot4", 32, 32, 32, a_signed=p, b_signed=q) for p in (False, True) for q in (False, True)),
]  # fmt: skip
CONDITIONS = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
COMPARISONS = [
    (c, lambda e, a, c=c: e.compare(c, *a), (w, w), False)
    for c in CONDITIONS
    for w in (32, 64)  # type: ignore[misc]
]
FLOAT_CONDITIONS = ("lt", "eq", "le", "gt", "ne", "ge", "ltu", "equ", "leu", "gtu", "neu", "geu", "num", "nan")
FLOAT_CALLS = [
    *(_float(n, k, 2, ftz=f) for n in ("fadd", "fmul", "fmin", "fmax") for k in KINDS for f in (False, True)),
    *(_float("ffma", k, 3, ftz=f) for k in KINDS for f in (False, True)),
    *(_float(n, k, 2, nan_propagates=True) for n in ("fmin", "fmax") for k in KINDS),
    *(_float("saturate", k, 1) for k in KINDS),
    *(_float("fcompare", k, 2, c, ftz=f) for k in KINDS for c in FLOAT_CONDITIONS for f in (False, True)),
    *(_float("round_to_integral", k, 1, rounding=r) for k in ("f32", "f64") for r in ("rn", "rm", "rp", "rz")),
    *(
        _float("float_to_int", k, 1, width=32, signed=s, rounding="rz", nan_is_zero=z)
        for k in ("f32", "f64") for s in (False, True) for z in (False, True)
    ),
]  # fmt: skip


def _random(rng: random.Random, width: int, floats: bool) -> int:
    edges = FLOAT_EDGES[width] if floats else EDGES
    value = rng.choice(edges) if rng.random() < 0.5 else rng.getrandbits(width)
    return value & ((1 << width) - 1)


def _is_nan(bits: int, width: int) -> bool:
    exponent = {16: 0x7C00, 32: 0x7F80_0000, 64: 0x7FF0 << 48}.get(width)
    return exponent is not None and bits & ((1 << (width - 1)) - 1) > exponent


def _bits(value: Any) -> int:
    return int(np.asarray(value).reshape(-1)[0])


@pytest.mark.parametrize(
    ("call", "widths", "floats"),
    [
        pytest.param(c, w, f, id=f"{n}-{'.'.join(map(str, w))}")
        for n, c, w, f in (*INTEGER_CALLS, *COMPARISONS, *FLOAT_CALLS)
    ],
)
def test_terms_agree_with_the_interpreter(call: Call, widths: tuple[int, ...], floats: bool) -> None:
    rng = random.Random(repr(widths))
    terms = Terms()
    symbolic, numeric = Arithmetic(terms), NumpyArithmetic()
    unknowns: list[Value] = [terms.var(f"x{n}", width) for n, width in enumerate(widths)]
    made = call(symbolic, unknowns)
    results = made if isinstance(made, tuple) else (made,)
    for _ in range(ROUNDS):
        values = [_random(rng, width, floats) for width in widths]
        with np.errstate(all="ignore"):
            found = call(numeric, [np.array([v], DTYPES[w]) for v, w in zip(values, widths, strict=True)])
        wanted = found if isinstance(found, tuple) else (found,)
        variables = {f"x{n}": v for n, v in enumerate(values)}
        for result, number in zip(results, wanted, strict=True):
            got, expected = evaluate(lane(result, 0), variables, known_symbols), _bits(number)
            width = lane(result, 0).width
            both_nan = floats and _is_nan(got, width) and _is_nan(expected, width)
            assert got == expected or both_nan, (list(map(hex, values)), hex(got), hex(expected))
