"""Kernels of several steps, each of another kind, as programs written by hand have them: what one step leaves, the next
takes on. Longer than other families, up to what prompt and answer may be.

In: a draft and a name. Out: the kernel's lines. All threads of a block reach every barrier and every exchange.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tools.pairs.drafts import FULL, INDEX, ONCE, Draft, condition, expression, join, literal, plain
from tools.pairs.programs import Scope, statement

BLOCK = 128
WHOLE = ("int", "unsigned")


@dataclass
class Mixture:
    """One kernel on its way: the names of what it has, the lines that stand in front of all steps."""

    one: Draft
    values: list[str]
    ahead: list[str]
    count: int = 0

    def new(self, prefix: str) -> str:
        """A name that no other step has."""
        self.count += 1
        return f"{prefix}{self.count}"

    def value(self, depth: int, *more: str) -> str:
        """An expression over what is known."""
        return expression(self.one, [*self.values[-4:], *more], depth)

    def keep(self, text: str) -> list[str]:
        """A new value, or an old one changed."""
        if self.one.rng.random() < 0.5:
            return [f"x = {text};"]
        name = self.new("w")
        self.values.append(name)
        return [f"{self.one.kind} {name} = {text};"]


def _load(mix: Mixture) -> list[str]:
    rng, name = mix.one.rng, mix.new("w")
    place = rng.choice(("i", "i", "i + n", "(i ^ 1)", "i * m", f"i * {rng.randrange(2, 5)}", "row * n + k", "k"))
    mix.values.append(name)
    guard = rng.choice(("", "", "i < n ? ", "live ? "))
    otherwise = f" : ({mix.one.kind})0" if guard else ""
    lines = [f"{mix.one.kind} {name} = {guard}{rng.choice(mix.one.inputs)}[{place}]{otherwise};"]
    return [*lines, f"x = {mix.value(1)};"] if rng.random() < 0.5 else lines


def _compute(mix: Mixture) -> list[str]:
    return mix.keep(mix.value(mix.one.rng.randrange(1, 4)))


def _test(mix: Mixture) -> list[str]:
    rng = mix.one.rng
    lines = [f"if ({condition(mix.one, mix.values[-3:])}) x = {mix.value(2)};"]
    return [*lines, f"else x = {mix.value(2)};"] if rng.random() < 0.4 else lines


def _loop(mix: Mixture) -> list[str]:
    rng, name = mix.one.rng, mix.new("j")
    unrolled = rng.random() < 0.35
    bound = str(rng.choice((2, 3, 4, 4, 5, 8))) if unrolled else rng.choice(("m", "m", "n", str(rng.randrange(3, 30))))
    place = rng.choice((f"i + {name}", f"i * m + {name}", f"{name} * n + i", name, f"(i + {name}) & 255"))
    step = mix.value(2, f"{rng.choice(mix.one.inputs)}[{place}]", "x")
    body = rng.choice((f"x = {step};", f"x += {step};", f"{{ x += {step}; if ({condition(mix.one, ['x'])}) break; }}"))
    return ["#pragma unroll" if unrolled else ONCE, f"for (int {name} = 0; {name} < {bound}; ++{name})", body]


def _shared(mix: Mixture) -> list[str]:
    rng, name = mix.one.rng, mix.new("cell")
    mix.ahead.append(f"__shared__ {mix.one.kind} {name}[{BLOCK}];")
    lines = [f"{name}[k] = {mix.value(1)};", "__syncthreads();"]
    other = rng.choice(
        (f"{BLOCK - 1} - k", f"k ^ {rng.choice((1, 2, 4, 16))}", f"(k + {rng.randrange(1, 64)}) & {BLOCK - 1}")
    )
    choice = rng.randrange(4)
    if choice == 0:
        lines += [ONCE, f"for (int h = {BLOCK // 2}; h > 0; h >>= 1) {{", f"if (k < h) {name}[k] = "
                  f"{join(mix.one, f'{name}[k]', f'{name}[k + h]')};", "__syncthreads();", "}"]  # fmt: skip
        return [*lines, *mix.keep(f"{name}[0]")]
    if choice == 1:
        index = mix.new("j")
        lines += [
            rng.choice((ONCE, "#pragma unroll 4")),
            f"for (int {index} = 0; {index} < {rng.choice((8, 16, 32))}; ++{index})",
        ]
        lines += [f"x = {join(mix.one, 'x', mix.value(1, f'{name}[(k + {index}) & {BLOCK - 1}]'))};"]
    else:
        lines += mix.keep(mix.value(1, f"{name}[{other}]", f"{name}[{other}]"))
    return [*lines, *(["__syncthreads();"] if rng.random() < 0.3 else [])]


def _warp(mix: Mixture) -> list[str]:
    rng, kind = mix.one.rng, mix.one.kind
    choice = rng.randrange(5)
    if choice == 0:
        move = rng.choice(("down", "xor", "xor"))
        loop = [rng.choice((ONCE, "#pragma unroll")), "for (int o = 16; o > 0; o >>= 1)"]
        return [*loop, f"x = {join(mix.one, 'x', f'__shfl_{move}_sync({FULL}, x, o)')};"]
    if choice == 1:
        move = rng.choice(("up", "down", "xor"))
        return mix.keep(mix.value(1, f"__shfl_{move}_sync({FULL}, x, {rng.choice((1, 2, 4, 8, 16))})"))
    if choice == 2:
        return mix.keep(f"__shfl_sync({FULL}, x, {rng.choice(('0', '31', 'k & 7', 'm', 'lane ^ 3'))})")
    votes = mix.new("votes")
    seen = rng.choice(
        (f"{votes} & below()", f"{votes} & upto()", f"{votes}", f"{votes} >> lane", f"~{votes} & above()")
    )
    lines = [f"unsigned {votes} = __ballot_sync({FULL}, {condition(mix.one, mix.values[-2:])});"]
    return [*lines, *mix.keep(mix.value(1, f"({kind})__popc({seen})"))]


def _array(mix: Mixture) -> list[str]:
    rng, name, index = mix.one.rng, mix.new("own"), mix.new("j")
    size = rng.choice((4, 8, 16))
    lines = [f"{mix.one.kind} {name}[{size}];", rng.choice((ONCE, "#pragma unroll"))]
    first = mix.value(1, f"({mix.one.kind}){index}")
    lines += [f"for (int {index} = 0; {index} < {size}; ++{index}) {name}[{index}] = {first};"]
    place = rng.choice((f"m & {size - 1}", f"(i + m) & {size - 1}", f"k & {size - 1}", "2"))
    return [*lines, f"{name}[{place}] = {mix.value(1)};", *mix.keep(mix.value(1, f"{name}[(i ^ m) & {size - 1}]"))]


def _divide(mix: Mixture) -> list[str]:
    rng, kind = mix.one.rng, mix.one.kind
    by = rng.choice((mix.value(1), f"({kind})(m + 1)", f"({kind})n", *mix.one.scalars))
    if kind in WHOLE or kind == "unsigned long long":
        return mix.keep(f"{mix.value(1)} {rng.choice('/%')} {rng.choice((by, literal(rng, kind)))}")
    suffix = "f" if kind == "float" else ""
    return mix.keep(rng.choice((f"{mix.value(1)} / {by}", f"({kind})1 / {by}", f"sqrt{suffix}({mix.value(1)})",
                                f"x / sqrt{suffix}({by})")))  # fmt: skip


def _special(mix: Mixture) -> list[str]:
    rng, kind = mix.one.rng, mix.one.kind
    if kind == "float":
        call = rng.choice(("__expf({})", "expf({})", "__logf({})", "logf({})", "__sinf({})", "rsqrtf({})", "root({})",
                           "flushed_root({})",
                           "exp2f({})", "rintf({})", "fabsf({})", "tanhf({})"))  # fmt: skip
        return mix.keep(call.format(mix.value(1)))
    if kind == "double":
        return mix.keep(rng.choice(("floor({})", "fabs({})", "rint({})", "(double)(float)({})")).format(mix.value(1)))
    call = rng.choice(("__popc({})", "__clz({})", "__ffs({})", "__brev({})", "__byte_perm({}, x, 0x3120)",
                       "__funnelshift_l({}, x, 7)", "__umulhi({}, x)", "mask({} & 15, 9)"))  # fmt: skip
    return mix.keep(f"({kind}){call.format(f'(unsigned)({mix.value(1)})')}")


def _convert(mix: Mixture) -> list[str]:
    rng, kind = mix.one.rng, mix.one.kind
    other = rng.choice(("float", "int", "unsigned", "short", "unsigned char", "double", "long long"))
    name = mix.new("w")
    mix.values.append(name)
    return [f"{kind} {name} = ({kind})({other})({mix.value(1)});"]


def _nested(mix: Mixture) -> list[str]:
    scope = Scope(mix.one, list(mix.values[-4:]), ["i", "k"], [10 * mix.count + 100])
    mix.count += 3
    lines = [line for _ in range(mix.one.rng.randrange(1, 3)) for line in statement(scope, 2)]
    mix.values += [each for each in scope.values if each.startswith("v")][-1:]
    return lines


def _store(mix: Mixture) -> list[str]:
    rng = mix.one.rng
    test = rng.choice(("live", "i < n", "lane == 0", "k == 0", f"live && {condition(mix.one, ['x'])}"))
    place = rng.choice(("i", "n + i", "2 * i + 1", "i * m"))
    lines = [f"if ({test}) out[{place}] = {mix.value(1)};"]
    if mix.one.kind in WHOLE and rng.random() < 0.4:
        lines = [f"if ({test}) atomic{rng.choice(('Add', 'Max', 'Or'))}(&out[{rng.choice(('row', 'k', 'i'))}], x);"]
    return lines


STEPS: dict[Callable[[Mixture], list[str]], int] = {
    _load: 5, _compute: 4, _test: 4, _loop: 5, _shared: 5, _warp: 4, _array: 2, _divide: 3, _special: 3, _convert: 2,
    _nested: 4, _store: 2,
}  # fmt: skip


def _mixture(one: Draft, name: str, amount: int) -> list[str]:
    rng = one.rng
    plain(one, ("float", "float", "int", "unsigned", "double"))
    one.scalars = [each for each in one.scalars if each != "u"]
    mix = Mixture(one, ["x"], [])
    dimensions = rng.random() < 0.2
    head = [f"int k = threadIdx.x, row = blockIdx.{'y' if dimensions else 'x'}, i = {INDEX}, lane = k & 31;"]
    head += [rng.choice(("bool live = i < n;", "bool live = i < n && m > 0;"))]
    first = rng.choice((f"live ? {one.inputs[0]}[i] : ({one.kind})0", f"{one.inputs[0]}[i]", literal(rng, one.kind)))
    steps = [line for step in rng.choices(list(STEPS), list(STEPS.values()), k=amount) for line in step(mix)]
    rest = rng.sample(mix.values, min(len(mix.values), rng.randrange(1, 4)))
    last = rng.choice(("if (live) ", "if (i < n) ", ""))
    head = [one.signature(name, "int n, int m"), *mix.ahead, *head, f"{one.kind} x = {first};"]
    return [*head, *steps, f"{last}out[i] = {' + '.join(dict.fromkeys(['x', *rest]))};", "}"]


def steps(one: Draft, name: str) -> list[str]:
    """Two to four steps."""
    return _mixture(one, name, one.rng.randrange(2, 5))


def many_steps(one: Draft, name: str) -> list[str]:
    """Four to nine."""
    return _mixture(one, name, one.rng.randrange(4, 10))


def long_program(one: Draft, name: str) -> list[str]:
    """Freely nested statements, deeper and more of them than `program` has."""
    rng = one.rng
    one.scalars = [each for each in one.scalars if each != "u"]
    lines = [one.signature(name, "int n, int m"), f"int i = {INDEX}, k = threadIdx.x;"]
    lines += rng.choice((["if (i >= n) return;"], []))
    lines.append(f"{one.kind} x = {one.inputs[0]}[i];")
    scope = Scope(one, ["x", *one.scalars], ["i", "k"])
    for _ in range(rng.randrange(3, 8)):
        lines += statement(scope, 3)
    rest = [each for each in scope.values if each.startswith("v")]
    return [*lines, f"out[i] = {' + '.join(['x', *rest])};", "}"]


MIXED = {"steps": (steps, 80), "many_steps": (many_steps, 90), "long_program": (long_program, 60)}
