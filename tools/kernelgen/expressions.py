"""Random expressions over typed variables; every one is defined for all operand values."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

TYPES = ("u32", "s32", "u64", "s64", "f32", "f64")
INTEGERS = ("u32", "s32", "u64", "s64")
BITS = {"u32": 32, "s32": 32, "u64": 64, "s64": 64, "f32": 32, "f64": 64}
# Ways to look at the 2,048 bytes of input: element type and how many there are.
MEMORY = (
    ("unsigned char", 2048),
    ("signed char", 2048),
    ("unsigned short", 1024),
    ("short", 1024),
    ("u32", 512),
    ("u64", 256),
)
UNSIGNED = {"s32": "u32", "s64": "u64", "u32": "u32", "u64": "u64"}


@dataclass
class Scope:
    """Variables that may be read, by type, and a source of randomness. has_memory: `in` may be read."""

    rng: random.Random
    variables: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in TYPES})
    functions: list[str] = field(default_factory=list)
    has_memory: bool = False

    def pick(self, kind: str) -> str | None:
        """A variable of this type, recent ones more often; None when there is none."""
        names = self.variables[kind]
        if not names:
            return None
        return names[max(self.rng.randrange(len(names)), self.rng.randrange(len(names)))]

    def child(self) -> Scope:
        """A nested block's scope."""
        return Scope(self.rng, {name: list(values) for name, values in self.variables.items()}, self.functions)


def constant(rng: random.Random, kind: str) -> str:
    """A literal: small, a power of two, a boundary or random bits."""
    if kind == "f32":
        return f"{rng.choice(('0.0', '1.0', '-1.0', '0.5', '3.25', '-1e-3', '1e10', '6.1e-39', '3.4e38'))}f"
    if kind == "f64":
        return rng.choice(("0.0", "1.0", "-2.5", "1e-300", "1e300", "0.1", "4.9e-324", "-7.0"))
    bits = BITS[kind]
    value = rng.choice(
        (
            rng.randrange(16),
            1 << rng.randrange(bits),
            (1 << rng.randrange(1, bits + 1)) - 1,
            rng.getrandbits(bits),
        )
    )
    return f"({kind}){value}{'ull' if bits == 64 else 'u'}"


def leaf(scope: Scope, kind: str) -> str:
    """A variable of the type, else a constant."""
    name = scope.pick(kind) if scope.rng.random() < 0.85 else None
    return name or constant(scope.rng, kind)


def condition(scope: Scope, depth: int) -> str:
    """A boolean expression."""
    rng = scope.rng
    if depth > 0 and rng.random() < 0.25:
        return f"({condition(scope, depth - 1)} {rng.choice(('&&', '||'))} {condition(scope, depth - 1)})"
    kind = rng.choice(TYPES)
    operator = rng.choice(("<", "<=", ">", ">=", "==", "!="))
    return f"({expression(scope, kind, depth - 1)} {operator} {expression(scope, kind, depth - 1)})"


def integer(scope: Scope, kind: str, depth: int) -> str:
    """An integer operation; signed arithmetic is done in the unsigned type."""
    rng = scope.rng
    plain = UNSIGNED[kind]
    bits = BITS[kind]

    def operand() -> str:
        return expression(scope, kind, depth - 1)

    def wrapped() -> str:
        return f"({plain}){operand()}"

    choice = rng.randrange(16)
    if choice < 5:
        return f"({kind})({wrapped()} {rng.choice(('+', '-', '*', '&', '|', '^'))} {wrapped()})"
    if choice == 5:
        return f"({kind})({wrapped()} << ({expression(scope, 'u32', depth - 1)} & {bits - 1}))"
    if choice == 6:
        return f"({operand()} >> ({expression(scope, 'u32', depth - 1)} & {bits - 1}))"
    if choice == 7:
        return f"safe_{rng.choice(('div', 'rem'))}_{kind}({operand()}, {operand()})"
    if choice == 8:
        return f"{rng.choice(('min', 'max'))}({operand()}, {operand()})"
    if choice == 9:
        return f"({kind})(~{wrapped()})"
    if choice == 10 and bits == 32:
        call = rng.choice(("__popc", "__clz", "__brev", "__ffs"))
        return f"({kind}){call}((u32){operand()})"
    if choice == 10:
        return f"({kind}){rng.choice(('__popcll', '__clzll', '__brevll'))}((u64){operand()})"
    if choice == 11 and bits == 32:
        call = rng.choice(("__byte_perm({}, {}, {})", "__funnelshift_l({}, {}, {})", "__funnelshift_rc({}, {}, {})"))
        return f"({kind}){call.format(*(f'(u32){operand()}' for _ in range(3)))}"
    if choice == 11:
        return f"({kind}){'__umul64hi' if kind == 'u64' else '__mul64hi'}({operand()}, {operand()})"
    if choice == 12 and bits == 32:
        return f"({kind}){'__umulhi' if kind == 'u32' else '__mulhi'}({operand()}, {operand()})"
    if choice == 13 and scope.functions and kind == "u32":
        return f"{rng.choice(scope.functions)}({operand()}, {expression(scope, 's32', depth - 1)})"
    if choice == 14:
        return float_to_integer(scope, kind, depth)
    if choice == 15 and scope.has_memory:
        element, count = rng.choice(MEMORY)
        return f"({kind})((const {element} *)in)[{expression(scope, 'u32', depth - 1)} & {count - 1}]"
    other = rng.choice(INTEGERS)
    return f"({kind})({expression(scope, other, depth - 1)})"


def float_to_integer(scope: Scope, kind: str, depth: int) -> str:
    """A saturating conversion; NaN gives what the intrinsic documents."""
    rng = scope.rng
    source = rng.choice(("f32", "f64"))
    name = {"f32": "float", "f64": "double"}[source]
    target = {"u32": "uint", "s32": "int", "u64": "ull", "s64": "ll"}[kind]
    return f"__{name}2{target}_{rng.choice(('rn', 'rz', 'ru', 'rd'))}(number({expression(scope, source, depth - 1)}))"


def floating(scope: Scope, kind: str, depth: int) -> str:
    """An exactly rounded float operation."""
    rng = scope.rng
    letter, suffix = ("f", "f") if kind == "f32" else ("d", "")

    def operand() -> str:
        return expression(scope, kind, depth - 1)

    choice = rng.randrange(11)
    if choice < 4:
        mode = rng.choice(("rn", "rn", "rn", "rz", "ru", "rd"))
        return f"__{letter}{rng.choice(('add', 'mul', 'sub'))}_{mode}({operand()}, {operand()})"
    if choice == 4:
        return f"__fma{'f' if kind == 'f32' else ''}_rn({operand()}, {operand()}, {operand()})"
    if choice == 5:
        return f"__{letter}div_rn({operand()}, {operand()})"
    if choice == 6:
        return f"__{letter}sqrt_rn(fabs{suffix}({operand()}))"
    if choice == 7:
        return f"{rng.choice(('fmin', 'fmax'))}{suffix}({operand()}, {operand()})"
    if choice == 8:
        call = rng.choice(("floor", "ceil", "trunc", "rint", "fabs"))
        return f"{call}{suffix}({operand()})"
    if choice == 9:
        return f"({kind})({expression(scope, rng.choice(INTEGERS), depth - 1)})"
    other = "f64" if kind == "f32" else "f32"
    return f"({kind})({expression(scope, other, depth - 1)})"


def expression(scope: Scope, kind: str, depth: int) -> str:
    """A random expression of the type, at most `depth` operations deep."""
    rng = scope.rng
    if depth <= 0 or rng.random() < 0.2:
        return leaf(scope, kind)
    if rng.random() < 0.1:
        choice = condition(scope, depth - 1)
        return f"({choice} ? {expression(scope, kind, depth - 1)} : {expression(scope, kind, depth - 1)})"
    return integer(scope, kind, depth) if kind in INTEGERS else floating(scope, kind, depth)
