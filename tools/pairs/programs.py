"""Families of kernels made of freely nested statements, and of the words that small templates never use.

In: a draft and a name. Out: the kernel's lines. No thread reads what another writes without a barrier between them,
and no index depends on a sum of neighbours or on the grid's size: those families stay held out (`kernels.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tools.pairs.drafts import BLOCKS, EXIT, FULL, INDEX, ONCE, Draft, Y, condition, expression, literal, loads

DEPTH = 2  # of nested loops and branches
INTEGERS = ("int", "unsigned")


@dataclass
class Scope:
    """What a statement may read, write and index with."""

    one: Draft
    values: list[str]
    indices: list[str]
    fresh: list[int] = field(default_factory=lambda: [0])

    def new(self, prefix: str) -> str:
        """A name that no other statement has."""
        self.fresh[0] += 1
        return f"{prefix}{self.fresh[0]}"

    def inner(self, *indices: str) -> Scope:
        """The scope of a nested block."""
        return Scope(self.one, list(self.values), [*self.indices, *indices], self.fresh)

    def read(self) -> str:
        """An element of an input, at an index that mixes what is there."""
        rng, index = self.one.rng, self.one.rng.choice(self.indices)
        other = rng.choice(self.indices)
        place = rng.choice(
            (
                index,
                index,
                f"{index} + {rng.randrange(1, 9)}",
                f"{index} * {rng.randrange(2, 7)}",
                f"{index} * m + {other}",
                f"{index} * n + {other}",
                f"({index} & {2 ** rng.randrange(2, 9) - 1})",
                f"({index} ^ {rng.randrange(1, 32)})",
                f"({index} >> {rng.randrange(1, 5)})",
            )
        )
        return f"{rng.choice(self.one.inputs)}[{place}]"

    def value(self, depth: int) -> str:
        """An expression over some known values and perhaps a load."""
        rng = self.one.rng
        pool = rng.sample(self.values, min(len(self.values), 3))
        if rng.random() < 0.4:
            pool.append(self.read())
        if rng.random() < 0.15:
            pool.append(f"({self.one.kind}){rng.choice(self.indices)}")
        return expression(self.one, pool, depth)


def statement(scope: Scope, depth: int) -> list[str]:
    """One statement, nested at most `depth` times more."""
    rng, kind = scope.one.rng, scope.one.kind
    choice = rng.randrange(10)
    if choice < 3:
        name = scope.new("v")
        line = f"{kind} {name} = {scope.value(rng.randrange(1, 4))};"
        scope.values.append(name)
        return [line]
    if choice < 5 or depth == 0:
        target = rng.choice(scope.values)
        return [f"{target} {rng.choice(('=', '+=', '-='))} {scope.value(2)};"]
    return _choice(scope, depth) if choice < 7 else _repeat(scope, depth)


def _block(scope: Scope, depth: int, amount: int, *indices: str) -> list[str]:
    inner, rng = scope.inner(*indices), scope.one.rng
    lines = [line for _ in range(amount) for line in statement(inner, depth - 1)]
    if inner.values != scope.values:  # else what was computed here would be dead
        lines.append(f"{rng.choice(scope.values)} {rng.choice(('=', '+=', '-='))} {inner.values[-1]};")
    return lines


def _choice(scope: Scope, depth: int) -> list[str]:
    rng = scope.one.rng
    test = (
        condition(scope.one, rng.sample(scope.values, min(2, len(scope.values))))
        if rng.random() < 0.6
        else f"{rng.choice(scope.indices)} {rng.choice(('< m', '> m', '& 1', '% 3 == 0', '< n - 1', '== 0'))}"
    )
    lines = [f"if ({test}) {{", *_block(scope, depth, rng.randrange(1, 3)), "}"]
    if rng.random() < 0.4:
        lines += ["else {", *_block(scope, depth, rng.randrange(1, 3)), "}"]
    return lines


def _repeat(scope: Scope, depth: int) -> list[str]:
    rng, index = scope.one.rng, scope.new("j")
    start = rng.choice(("0", "0", "0", "1", scope.indices[0]))
    bound = rng.choice(("m", "m", "n", str(rng.randrange(2, 40))))
    bound = bound if start in ("0", "1") else rng.choice(("n", "m"))
    step = rng.choice(("++" + index, "++" + index, f"{index} += {rng.choice((2, 4, 32))}"))
    unroll = ONCE if rng.random() < 0.85 or not bound.isdigit() else "#pragma unroll"
    if rng.random() < 0.1:
        head = f"for (int {index} = m; {index} > 0; {index} >>= 1) {{"
    else:
        head = f"for (int {index} = {start}; {index} < {bound}; {step}) {{"
    leave = [f"if ({condition(scope.one, scope.values[-2:])}) break;"] if rng.random() < 0.12 else []
    body = _block(scope, depth, rng.randrange(1, 3), index)
    return [unroll, head, *body, *leave, "}"]


def _start(one: Draft, lines: list[str]) -> Scope:
    """The thread's index, an early leave perhaps, and a first value."""
    rng = one.rng
    indices = ["i"]
    if rng.random() < 0.3:
        lines.append("int k = threadIdx.x;")
        indices.append("k")
    lines += rng.choice(([EXIT], [EXIT], []))
    lines.append(f"{one.kind} x = {rng.choice((loads(one)[0], literal(rng, one.kind)))};")
    return Scope(one, ["x", *one.scalars], indices)


def program(one: Draft, name: str) -> list[str]:
    """Statements one after another, nested, over loads at mixed indices."""
    one.scalars = [each for each in one.scalars if each != "u"]  # fewer names that are written by chance
    lines = [one.signature(name, "int n, int m"), f"int i = {INDEX};"]
    scope = _start(one, lines)
    for _ in range(one.rng.randrange(1, 5)):
        lines += statement(scope, DEPTH)
    rest = [each for each in scope.values if each.startswith("v")]
    return [*lines, f"out[i] = {' + '.join(['x', *rest])};", "}"]


def staged(one: Draft, name: str) -> list[str]:
    """Loads into shared memory, a barrier, work on it, again for every stage."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    lines = [one.signature(name, "int n, int m"), f"__shared__ {one.kind} cell[{block}];"]
    lines += ["int k = threadIdx.x;", f"int i = {INDEX};", f"{one.kind} x = {literal(rng, one.kind)};"]
    lines += [ONCE, f"for (int g = 0; g < m; g{rng.choice(('++', '+= 1', ' += blockDim.x'))}) {{"]
    source = rng.choice((f"g * {block} + k", "g * n + i", "g + k", "i + g"))
    first = f"{one.inputs[0]}[{source}]"
    lines.append(f"cell[k] = {rng.choice((first, f'{source} < n ? {first} : ({one.kind})0'))};")
    lines.append("__syncthreads();")
    other = rng.choice(("j", "k ^ j", f"(k + j) & {block - 1}", f"{block - 1} - k"))
    if "j" in other:
        lines += [rng.choice((ONCE, "#pragma unroll 4"))]
        lines += [f"for (int j = 0; j < {rng.choice((4, 8, 16, 32))}; ++j)"]
    lines.append(f"x = {expression(one, ['x', f'cell[{other}]', 'x', *loads(one)], 2)};")
    return [*lines, "__syncthreads();", "}", *rng.choice(([], ["if (i < n)"])), "out[i] = x;", "}"]


def sums(one: Draft, name: str) -> list[str]:
    """Running sums of a block in shared memory."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    value = expression(one, loads(one), 1)
    lines = [one.signature(name), f"__shared__ {one.kind} cell[{block}];", f"int k = threadIdx.x, i = {INDEX};"]
    lines += [f"cell[k] = i < n ? {value} : ({one.kind})0;", "__syncthreads();", ONCE]
    lines += [f"for (int h = 1; h < {rng.choice((str(block), 'blockDim.x'))}; h <<= 1) {{"]
    lines += [f"{one.kind} v = k >= h ? cell[k - h] : ({one.kind})0;", "__syncthreads();"]
    lines += [rng.choice(("cell[k] += v;", "cell[k] = max(cell[k], v);")), "__syncthreads();", "}"]
    last = rng.choice(([], [f"if (k == {block - 1}) out[n + blockIdx.x] = cell[k];"]))
    return [*lines, "if (i < n) out[i] = cell[k];", *last, "}"]


def bits(one: Draft, name: str) -> list[str]:
    """Integer intrinsics on words: bytes, funnel shifts, dot products, saturated differences."""
    rng = one.rng
    one.kind = rng.choice(INTEGERS)

    def call(first: str, second: str) -> str:
        return rng.choice(
            (
                f"__byte_perm({first}, {second}, 0x{rng.getrandbits(16) & 0x7777:04x})",
                f"__funnelshift_{rng.choice('lr')}({first}, {second}, {rng.choice((rng.randrange(1, 32), 'n'))})",
                f"__dp4a((int){first}, (int){second}, (int){rng.choice((first, '0'))})",
                f"__{rng.choice(('', 'u'))}mulhi({first}, {second})",
                f"__{rng.choice(('', 'u'))}hadd({first}, {second})",
                f"__{rng.choice(('', 'u'))}sad({first}, {second}, {rng.randrange(9)})",
                f"__ffs({first})",
                f"__popc({first} {rng.choice('&^|')} {second})",
                f"abs((int){first})",
                f"(({first} << {rng.randrange(1, 32)}) | ({second} >> {rng.randrange(1, 32)}))",
            )
        )

    lines = [one.signature(name), f"int i = {INDEX};", EXIT]
    values = loads(one)
    for number in range(rng.randrange(1, 5)):
        lines.append(f"{one.kind} v{number} = {call(rng.choice(values), rng.choice(values))};")
        values.append(f"v{number}")
    return [*lines, f"out[i] = {expression(one, values[-3:], 2)};", "}"]


def warps(one: Draft, name: str) -> list[str]:
    """Votes, matches, lane masks and reductions of a warp."""
    rng = one.rng
    one.kind = rng.choice(INTEGERS)
    lines = [one.signature(name), f"int i = {INDEX};", f"{one.kind} x = {expression(one, loads(one), 1)};"]
    for number in range(rng.randrange(1, 4)):
        call = rng.choice(
            (
                f"__reduce_{rng.choice(('add', 'min', 'max'))}_sync({FULL}, x)",
                f"__reduce_{rng.choice(('and', 'or', 'xor'))}_sync({FULL}, (unsigned)x)",
                f"__match_any_sync({FULL}, x)",
                f"__any_sync({FULL}, {condition(one, ['x'])})",
                f"__all_sync({FULL}, {condition(one, ['x'])})",
                f"__ballot_sync({FULL}, {condition(one, ['x'])})",
                "__popc(__activemask())",
                f"__shfl_{rng.choice(('up', 'down', 'xor'))}_sync({FULL}, x, {rng.choice((1, 2, 4, 8, 16))}, "
                f"{rng.choice((8, 16, 32))})",
            )
        )
        lines.append(f"x {rng.choice(('=', '+=', '^='))} ({one.kind}){call};")
        if number == 0 and rng.random() < 0.3:
            lines.append(f"if ((threadIdx.x & 31) == {rng.choice((0, 31))}) out[i >> 5] = x;")
            return [*lines, "}"]
    return [*lines, "if (i < n) out[i] = x;", "}"]


def table(one: Draft, name: str) -> list[str]:
    """Indirect reads and writes, as gathers, look-ups and sparse rows do."""
    rng = one.rng
    lines = [one.signature(name, "const int *__restrict__ at, int n, int m"), f"int i = {INDEX};"]
    lines += [EXIT]
    if rng.random() < 0.4:
        lines += [f"{one.kind} x = 0;", ONCE, "for (int j = at[i]; j < at[i + 1]; ++j)"]
        lines += [f"x += {expression(one, [*loads(one, 'j'), *one.scalars], 2)};", "out[i] = x;", "}"]
        return lines
    where = rng.choice(("at[i]", "at[i] & m", "at[at[i] & 63]", "at[i * m]"))
    lines += [f"int p = {where};", *rng.choice((["if (p < 0) return;"], ["if (p >= m) p = 0;"], []))]
    place = rng.choice(("i", "i", "p"))
    return [*lines, f"out[{place}] = {expression(one, [*loads(one, 'p'), *loads(one)[:1]], 2)};", "}"]


def pick(one: Draft, name: str) -> list[str]:
    """A chain of cases by a small number."""
    rng = one.rng
    lines = [one.signature(name, "int n, int m"), f"int i = {INDEX};", EXIT]
    lines += [
        f"{one.kind} x = {loads(one)[0]};",
        f"int c = {rng.choice(('i & 3', 'i % 3', 'm', '(int)threadIdx.x & 1'))};",
    ]
    for number in range(rng.randrange(2, 4)):
        lines.append(f"{'else ' if number else ''}if (c == {number}) x = {expression(one, ['x', *loads(one)], 2)};")
    return [*lines, "out[i] = x;", "}"]


def volume(one: Draft, name: str) -> list[str]:
    """Three dimensions, with sizes as parameters."""
    lines = [one.signature(name, "int w, int h, int depth"), f"int x = {INDEX};"]
    lines += [f"int y = {Y};", "int z = blockIdx.z * blockDim.z + threadIdx.z;"]
    lines += ["if (x >= w || y >= h || z >= depth) return;", "int i = (z * h + y) * w + x;"]
    return [*lines, f"out[i] = {expression(one, loads(one), 3)};", "}"]


def exchange(one: Draft, name: str) -> list[str]:
    """Atomics whose old value is used; every thread has its own word, so the order does not matter."""
    rng = one.rng
    one.kind = rng.choice(INTEGERS)
    value = expression(one, loads(one), 1)
    lines = [one.signature(name, "int n, int m"), f"int i = {INDEX};", EXIT]
    call = rng.choice(
        (
            f"atomicAdd(&out[i], {value})",
            f"atomicExch(&out[i], {value})",
            f"atomicCAS(&out[i], ({one.kind})m, {value})",
            f"atomicInc((unsigned *)&out[i], {rng.randrange(1, 1000)})",
        )
    )
    return [*lines, f"{one.kind} v = {call};", f"out[n + i] = {expression(one, ['v', *loads(one)], 1)};", "}"]


MORE = {
    "program": (program, 80), "staged": (staged, 10), "sums": (sums, 4), "bits": (bits, 10), "warps": (warps, 8),
    "table": (table, 8), "pick": (pick, 6), "volume": (volume, 5), "exchange": (exchange, 4),
}  # fmt: skip
