"""What the families of training kernels are made of: types, inputs, literals, expressions.

In: a random source. Out: pieces of CUDA source, the same for the same state of the source.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

SCALARS = ("float", "int", "unsigned")
BLOCKS = (32, 64, 128, 256)
INDEX = "blockIdx.x * blockDim.x + threadIdx.x"
Y = "blockIdx.y * blockDim.y + threadIdx.y"
FULL = "0xffffffffu"  # all lanes
ONCE = "#pragma unroll 1"
EXIT = "if (i >= n) return;"


@dataclass
class Draft:
    """One kernel under construction: its type, its inputs and its scalars."""

    rng: random.Random
    kind: str
    inputs: list[str]
    scalars: list[str]

    def signature(self, name: str, extra: str = "int n", source: str = "", result: str = "") -> str:
        """The kernel's head: inputs, output, sizes, scalars. source, result: types in memory, if others."""
        star = "*__restrict__ " if self.rng.random() < 0.35 else "*"  # other loads for what nobody writes
        params = [f"const {source or self.kind} {star}{one}" for one in self.inputs]
        params += [f"{result or self.kind} {star}out", extra, *(f"{self.kind} {one}" for one in self.scalars)]
        if self.rng.random() < 0.2:  # the output is not always behind the inputs
            params.insert(0, params.pop(len(self.inputs)))
        return f"__global__ void {name}({', '.join(params)}) {{"


def draft(rng: random.Random, kind: str = "") -> Draft:
    """One to three inputs, up to three scalars, of one type."""
    kind = kind or rng.choice((*SCALARS, *SCALARS, *SCALARS, "double", "unsigned long long"))
    inputs = ["a", "b", "d"][: rng.choice((1, 1, 2, 2, 3))]
    scalars = ["s", "t", "u"][: rng.choice((0, 0, 1, 1, 2, 3))]
    return Draft(rng, kind, inputs, scalars)


def literal(rng: random.Random, kind: str) -> str:
    """A constant: small, a power of two, or any."""
    if kind in ("float", "double"):
        text = rng.choice((str(rng.randrange(1, 12)), f"{rng.uniform(-4, 4):.3f}", f"{2.0 ** rng.randrange(-6, 7)}"))
        text = text if "." in text else f"{text}.0"
        return f"({text}{'f' if kind == 'float' else ''})"
    value = rng.choice((rng.randrange(1, 64), 1 << rng.randrange(31), rng.getrandbits(31), rng.randrange(1, 4096)))
    return f"({kind}){value}"


def expression(one: Draft, values: list[str], depth: int) -> str:
    """A random expression over `values` and the scalars, at most `depth` operations deep."""
    rng = one.rng
    if depth <= 0 or rng.random() < 0.15:
        pool = values if rng.random() < 0.8 else [*one.scalars, literal(rng, one.kind)]
        return rng.choice(pool)

    def operand() -> str:
        return expression(one, values, depth - 1)

    if rng.random() < 0.1:
        comparison = rng.choice(("<", ">", "<=", ">=", "==", "!="))
        return f"({operand()} {comparison} {operand()} ? {operand()} : {operand()})"
    return _floating(one, operand) if one.kind in ("float", "double") else _integer(one, operand)


def _floating(one: Draft, operand: Callable[[], str]) -> str:
    rng, suffix = one.rng, "f" if one.kind == "float" else ""
    choice = rng.randrange(16)
    if choice < 9:
        return f"({operand()} {rng.choice('+-*')} {operand()})"
    if choice < 11:
        return f"fma{suffix}({operand()}, {operand()}, {operand()})"
    if choice < 13:
        return f"{rng.choice(('fmin', 'fmax'))}{suffix}({operand()}, {operand()})"
    if choice == 13 and one.kind == "float":
        call = rng.choice(
            ("__expf({})", "__log2f({})", "__sinf({})", "__cosf({})", "rsqrtf({})", "__fdividef(1.0f, {})")
        )
        return call.format(operand())
    if choice == 14:
        return f"{rng.choice(('floor', 'ceil', 'trunc'))}{suffix}({operand()})"
    return f"fabs{suffix}({operand()})"


def _integer(one: Draft, operand: Callable[[], str]) -> str:
    rng, wide = one.rng, one.kind == "unsigned long long"
    choice = rng.randrange(16)
    if choice < 10:
        return f"({operand()} {rng.choice('+-*+-*&|^')} {operand()})"
    if choice < 12:
        return f"({operand()} {rng.choice(('<<', '>>'))} {rng.randrange(1, 64 if wide else 32)})"
    if choice == 12:
        return f"{rng.choice(('min', 'max'))}({operand()}, {operand()})"
    if choice == 13:
        call = "__popcll" if wide else rng.choice(("__popc", "__clz", "__brev"))
        return f"({one.kind}){call}({operand()})"
    if choice == 14 and not wide:
        return f"(({operand()} >> {rng.randrange(1, 16)}) & {2 ** rng.randrange(1, 16) - 1})"
    return f"(~{operand()})" if choice == 15 else f"({operand()} ^ {literal(rng, one.kind)})"


def condition(one: Draft, values: list[str]) -> str:
    """A comparison of two small expressions."""
    comparison = one.rng.choice(("<", ">", "<=", ">=", "==", "!="))
    return f"{expression(one, values, 1)} {comparison} {expression(one, values, 1)}"


def loads(one: Draft, index: str = "i") -> list[str]:
    """The inputs at an index."""
    return [f"{name}[{index}]" for name in one.inputs]


def plain(one: Draft, kinds: tuple[str, ...] = SCALARS) -> None:
    """A type of these, where the draft has another."""
    if one.kind not in kinds:
        one.kind = one.rng.choice(kinds)


def two(one: Draft) -> None:
    """At least two inputs."""
    one.inputs = ["a", "b", "d"][: max(2, len(one.inputs))]


def guarded(one: Draft, test: str, line: str) -> str:
    """A line, half the time under a test."""
    return one.rng.choice((line, f"if ({test}) {line}"))


def join(one: Draft, first: str, second: str) -> str:
    """Two values to one, as reductions do."""
    ways = [f"{first} + {second}", f"{first} + {second}", f"max({first}, {second})", f"min({first}, {second})"]
    if one.kind not in ("float", "double"):
        ways += [f"{first} ^ {second}", f"{first} | {second}", f"{first} & {second}"]
    return one.rng.choice(ways)
