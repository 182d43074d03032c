"""Small random CUDA kernels in families: what a first model learns on.

In: a seed and a number. Out: the family's name and the kernel's source, the same for the same two numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection

from tools.pairs.blocks import SHARED
from tools.pairs.drafts import (
    BLOCKS,
    EXIT,
    FULL,
    INDEX,
    ONCE,
    Draft,
    Y,
    condition,
    draft,
    expression,
    literal,
    loads,
    plain,
)
from tools.pairs.groups import TOGETHER
from tools.pairs.habits import HABITS
from tools.pairs.habits import PRELUDE as LANES
from tools.pairs.integers import WHOLE
from tools.pairs.mixtures import MIXED
from tools.pairs.programs import MORE
from tools.pairs.rarities import PRELUDE as SELDOM
from tools.pairs.rarities import RARE
from tools.pairs.reals import REALS
from tools.pairs.walks import WALKS
from tools.pairs.words import PRELUDE, WORDS

GENERATION = 9  # raise when the kernels of a seed, or what becomes of them, change


def affine(one: Draft) -> str:
    """An index that is not plainly the thread's."""
    return one.rng.choice(("i", "i", "i", f"i + {one.rng.randrange(1, 9)}", f"i * {one.rng.randrange(2, 5)}"))


def assignments(one: Draft, values: list[str], amount: int, depth: int) -> tuple[list[str], list[str]]:
    """Declarations of intermediate values, and everything that may be read after them."""
    lines, known = [], list(values)
    for number in range(amount):
        lines.append(f"{one.kind} v{number} = {expression(one, known[-6:], depth)};")
        known.append(f"v{number}")
    return lines, known


def straight(one: Draft, name: str) -> list[str]:
    """Arithmetic on one element a thread, no control flow."""
    lines, known = assignments(one, loads(one, affine(one)), one.rng.randrange(0, 4), 2)
    value = expression(one, known[-4:], 3)
    return [one.signature(name), f"int i = {INDEX};", *lines, f"out[{affine(one)}] = {value};", "}"]


def guard(one: Draft, name: str) -> list[str]:
    """The same under `if (i < n)`."""
    lines, known = assignments(one, loads(one), one.rng.randrange(0, 4), 2)
    value = expression(one, known[-4:], 3)
    test = one.rng.choice((EXIT, "if (i < n) {"))
    closing = ["}"] if test.endswith("{") else []
    return [one.signature(name), f"int i = {INDEX};", test, *lines, f"out[i] = {value};", *closing, "}"]


def branch(one: Draft, name: str) -> list[str]:
    """Two sides with different work."""
    values = loads(one)
    lines = [one.signature(name), f"int i = {INDEX};", EXIT, f"{one.kind} x = {values[0]};"]
    test = condition(one, ["x", *values[1:]]) if one.rng.random() < 0.7 else f"i % {one.rng.choice((2, 4, 8))} == 0"
    sides = [f"out[i] = {expression(one, ['x', *values], 3)};", f"out[i] = {expression(one, ['x', *values], 3)};"]
    if one.rng.random() < 0.3:
        return [*lines, f"if ({test}) {sides[0]}", "}"]
    return [*lines, f"if ({test}) {{ {sides[0]} }} else {{ {sides[1]} }}", "}"]


def loop(one: Draft, name: str) -> list[str]:
    """An accumulation over a run-time or small constant number of steps."""
    rng = one.rng
    bound = rng.choice(("m", "m", "n", str(rng.randrange(2, 20))))
    index = rng.choice(("j", "i + j", "i * m + j", "j * n + i", "j & 15"))
    step = expression(one, ["x", *loads(one, index)], 2)
    start = rng.choice(("0", f"{one.inputs[0]}[i]"))
    head = [one.signature(name, "int n, int m"), f"int i = {INDEX};"]
    head += [EXIT] if rng.random() < 0.7 else []
    operator = rng.choice(("x +=", "x =", "x -=", "x +="))
    body = f"#pragma unroll 1\nfor (int j = 0; j < {bound}; ++j) {{ {operator} {step}; }}"
    return [*head, f"{one.kind} x = {start};", body, f"out[i] = {expression(one, ['x'], 1)};", "}"]


def until(one: Draft, name: str) -> list[str]:
    """A loop that each thread leaves on its own."""
    lines = [one.signature(name, "int n, int m"), f"int i = {INDEX};", EXIT]
    lines += [f"{one.kind} x = {loads(one)[0]};", "int j = 0;"]
    lines += [ONCE, f"while (j < m && {condition(one, ['x'])}) {{"]
    lines += [f"x = {expression(one, ['x', *loads(one)], 2)};", f"j += {one.rng.randrange(1, 4)};", "}"]
    return [*lines, f"out[i] = {one.rng.choice(('x', 'x', f'x + ({one.kind})j'))};", "}"]


def shared(one: Draft, name: str) -> list[str]:
    """Exchange within a block through shared memory."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    other = rng.choice(
        (f"{block - 1} - k", f"k ^ {rng.choice((1, 2, 4, 8, 16))}", f"(k + {rng.randrange(1, 32)}) & {block - 1}")
    )
    value = expression(one, loads(one), 2)
    lines = [one.signature(name), f"__shared__ {one.kind} cell[{block}];", f"int k = threadIdx.x, i = {INDEX};"]
    lines += [f"cell[k] = {value};", "__syncthreads();"]
    result = expression(one, ["cell[k]", f"cell[{other}]"], 2)
    return [*lines, *(["if (i < n)"] if rng.random() < 0.5 else []), f"out[i] = {result};", "}"]


def tree(one: Draft, name: str) -> list[str]:
    """A reduction over a block by halves."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    join = rng.choice(("cell[k] + cell[k + h]", "max(cell[k], cell[k + h])", "min(cell[k], cell[k + h])"))
    value = expression(one, loads(one), 2)
    first = f"i < n ? {value} : ({one.kind})0" if rng.random() < 0.6 else value
    lines = [one.signature(name), f"__shared__ {one.kind} cell[{block}];", f"int k = threadIdx.x, i = {INDEX};"]
    lines += [f"cell[k] = {first};", "__syncthreads();", ONCE]
    lines += [
        f"for (int h = {block // 2}; h > 0; h >>= 1) {{",
        f"if (k < h) cell[k] = {join};",
        "__syncthreads();",
        "}",
    ]
    return [*lines, "if (k == 0) out[blockIdx.x] = cell[0];", "}"]


def plane(one: Draft, name: str) -> list[str]:
    """Two dimensions: rows and columns."""
    rng = one.rng
    lines = [one.signature(name, "int w, int h"), f"int x = {INDEX};", f"int y = {Y};"]
    lines += ["if (x >= w || y >= h) return;"]
    here, there = rng.choice((("y * w + x", "y * w + x"), ("y * w + x", "x * h + y"), ("x * h + y", "y * w + x")))
    return [*lines, f"out[{there}] = {expression(one, loads(one, here), 3)};", "}"]


def atomic(one: Draft, name: str) -> list[str]:
    """Integer atomics on an output, perhaps chosen by the data."""
    rng = one.rng
    value = expression(one, loads(one), 2)
    place = rng.choice(
        ("0", f"i & {2 ** rng.randrange(1, 8) - 1}", f"{loads(one)[0]} & {2 ** rng.randrange(1, 8) - 1}")
    )
    call = rng.choice(("atomicAdd", "atomicMax", "atomicMin", "atomicXor", "atomicOr", "atomicAnd"))
    return [one.signature(name), f"int i = {INDEX};", f"if (i < n) {call}(&out[{place}], {value});", "}"]


def several(one: Draft, name: str) -> list[str]:
    """Two results a thread, or an update in place."""
    rng, values = one.rng, loads(one)
    lines = [one.signature(name), f"int i = {INDEX};", "if (i < n) {"]
    first = expression(one, [*values, "out[i]"], 2)
    lines += [f"out[i] = {first};"]
    if rng.random() < 0.7:  # n apart: no two threads write the same place
        lines.append(f"out[i + n] = {expression(one, values, 2)};")
    return [*lines, "}", "}"]


def index_values(one: Draft, name: str) -> list[str]:
    """Values made of the indices themselves."""
    places = ["i", "(int)threadIdx.x", "(int)blockIdx.x", "(int)blockDim.x", "(int)gridDim.x", "n"]
    values = [f"({one.kind})({place})" for place in one.rng.sample(places, 3)]
    lines = [one.signature(name), f"int i = {INDEX};"]
    return [*lines, "if (i < n)", f"out[i] = {expression(one, [*values, *loads(one)], 3)};", "}"]


def vector(one: Draft, name: str) -> list[str]:
    """Two or four elements a thread, loaded and stored as one."""
    rng, width = one.rng, one.rng.choice((2, 4))
    plain(one, ("float", "int"))
    wide = f"{one.kind}{width}"
    lines = [one.signature(name, "int n", wide, wide), f"int i = {INDEX};", EXIT]
    lines += [f"{wide} {source}v = {source}[i];" for source in one.inputs] + [f"{wide} r;"]
    same = expression(one, [f"{source}v.@" for source in one.inputs], 2)
    for part in "xyzw"[:width]:
        value = same if rng.random() < 0.6 else expression(one, [f"{source}v.@" for source in one.inputs], 1)
        lines.append(f"r.{part} = {value.replace('@', part)};")
    return [*lines, "out[i] = r;", "}"]


def convert(one: Draft, name: str) -> list[str]:
    """Small or other types in memory than in registers."""
    rng = one.rng
    small = ("unsigned char", "signed char", "short", "unsigned short", "int", "float", "unsigned", "double")
    source, result = rng.choice(small), rng.choice(small)
    values = [f"({one.kind}){value}" for value in loads(one)]
    lines = [one.signature(name, "int n", source, result), f"int i = {INDEX};", EXIT]
    return [*lines, f"out[i] = ({result}){expression(one, values, 2)};", "}"]


def shuffle(one: Draft, name: str) -> list[str]:
    """Exchange between the lanes of a warp, or a vote of them."""
    rng = one.rng
    plain(one)
    lines = [one.signature(name), f"int i = {INDEX};", f"{one.kind} x = {expression(one, loads(one), 2)};"]
    choice = rng.randrange(4)
    if choice == 0:
        call = rng.choice(("_xor", "_down", "_up"))
        lines.append(f"x = x + __shfl{call}_sync({FULL}, x, {rng.choice((1, 2, 4, 8, 16))});")
    elif choice == 1:
        lines.append(f"x = __shfl_sync({FULL}, x, {rng.choice(('0', 'i & 7', '31', 'n'))});")
    elif choice == 2:
        lines.append(f"unsigned v = __ballot_sync({FULL}, {condition(one, ['x'])});")
        lines.append(f"x = x + ({one.kind}){rng.choice(('v', '__popc(v)', '(v >> (threadIdx.x & 31) & 1)'))};")
    else:
        lines += [ONCE, "for (int o = 16; o > 0; o >>= 1)", f"x += __shfl_down_sync({FULL}, x, o);"]
    return [*lines, *(["if (i < n)"] if rng.random() < 0.6 else []), "out[i] = x;", "}"]


def divide(one: Draft, name: str) -> list[str]:
    """Division and remainder."""
    rng = one.rng
    plain(one)
    by = rng.choice((f"{one.inputs[-1]}[i]", *one.scalars, literal(rng, one.kind)))
    operator = "/" if one.kind == "float" else rng.choice("/%")
    lines = [one.signature(name), f"int i = {INDEX};", *([EXIT] if rng.random() < 0.7 else [])]
    return [*lines, f"out[i] = {expression(one, loads(one), 1)} {operator} {by};", "}"]


def histogram(one: Draft, name: str) -> list[str]:
    """Counting in shared memory, then into global memory."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    call = rng.choice(("atomicAdd", "atomicMax", "atomicOr"))
    lines = [one.signature(name), f"__shared__ {one.kind} cell[{block}];", f"int k = threadIdx.x, i = {INDEX};"]
    lines += ["cell[k] = 0;", "__syncthreads();"]
    place = f"{expression(one, loads(one), 1)} & {block - 1}"
    lines += [f"if (i < n) {call}(&cell[{place}], {rng.choice(('1', expression(one, loads(one), 1)))});"]
    return [*lines, "__syncthreads();", rng.choice(("out[i] = cell[k];", f"{call}(&out[k], cell[k]);")), "}"]


def stride(one: Draft, name: str) -> list[str]:
    """A loop over the grid: held out, no model sees it in training."""
    value = expression(one, loads(one), 3)
    walk = f"for (int i = {INDEX}; i < n; i += gridDim.x * blockDim.x)"
    return [one.signature(name), ONCE, walk, f"out[i] = {value};", "}"]


def stencil(one: Draft, name: str) -> list[str]:
    """Neighbours of an element: held out, no model sees it in training."""
    source, reach = one.inputs[0], one.rng.choice((1, 1, 2))
    values = [f"{source}[i - {reach}]", f"{source}[i]", f"{source}[i + {reach}]"]
    lines = [one.signature(name), f"int i = {INDEX};", f"if (i >= {reach} && i < n - {reach})"]
    return [*lines, f"out[i] = {expression(one, values, 2)} + {values[0]} - {values[2]};", "}"]


FAMILIES: dict[str, tuple[Callable[[Draft, str], list[str]], int]] = {
    "straight": (straight, 4), "guard": (guard, 5), "branch": (branch, 3), "loop": (loop, 4), "until": (until, 2),
    "shared": (shared, 3), "tree": (tree, 2), "plane": (plane, 3), "atomic": (atomic, 2), "several": (several, 2),
    "indices": (index_values, 2), "vector": (vector, 10), "convert": (convert, 10), "shuffle": (shuffle, 10),
    "divide": (divide, 10), "histogram": (histogram, 8), "stride": (stride, 1), "stencil": (stencil, 1),
    **MORE, **SHARED, **TOGETHER, **WORDS, **WHOLE, **WALKS, **REALS, **HABITS, **MIXED, **RARE,
}  # fmt: skip
HELD_OUT_FAMILIES = ("stride", "stencil", "transpose", "bitonic", "bisect", "blend")
SPLITS = {"train": 1, "seeds": 2, "families": 3}  # split → seed: new kernels of known families, and unknown families


def kernel(seed: int, number: int, only: Collection[str] = ()) -> tuple[str, str]:
    """Family and source of kernel `k<number>`. only: of these families, where some are named."""
    rng = random.Random(f"pairs/{GENERATION}/{seed}/{number}")
    held_out = seed == SPLITS["families"]
    known = {name: weight for name, (_, weight) in FAMILIES.items() if (name in HELD_OUT_FAMILIES) == held_out}
    chosen = {name: known[name] for name in known if not only or name in only}
    family = rng.choices(list(chosen), list(chosen.values()))[0]
    return family, written(rng, family, f"k{number}")


def written(rng: random.Random, family: str, name: str) -> str:
    """Source of a kernel of one family."""
    kind = rng.choice(("int", "unsigned")) if family in ("atomic", "histogram") else ""
    lines = FAMILIES[family][0](draft(rng, kind), name)
    return "".join(f"{line}\n" for line in lines if line)  # an empty one: a choice that fell on nothing


def unit(seed: int, first: int, amount: int, only: Collection[str] = ()) -> tuple[dict[str, str], str]:
    """Kernels as one translation unit: name → family, and the source."""
    made = {f"k{number}": kernel(seed, number, only) for number in range(first, first + amount)}
    text = PRELUDE + LANES + SELDOM + 'extern "C" {\n' + "\n".join(source for _, source in made.values()) + "}\n"
    return {name: family for name, (family, _) in made.items()}, text
