"""Families in which a block works together: tiles, reductions, scans, tables and counters in shared memory.

In: a draft and a name. Out: the kernel's lines. Every loop over shared memory ends at a barrier that all threads of the
block reach.
"""

from __future__ import annotations

from tools.pairs.drafts import BLOCKS, EXIT, FULL, INDEX, ONCE, Draft, expression, guarded, join, loads, plain, two


def product(one: Draft, name: str) -> list[str]:
    """A product of matrices by tiles in shared memory."""
    two(one)
    rng, side = one.rng, one.rng.choice((8, 16, 32))
    pad = rng.choice((0, 1))
    lines = [one.signature(name, "int n, int m"), f"__shared__ {one.kind} p[{side}][{side + pad}], q[{side}][{side}];"]
    lines += ["int c = threadIdx.x, r = threadIdx.y;", f"int x = blockIdx.x * {side} + c, y = blockIdx.y * {side} + r;"]
    lines += [f"{one.kind} sum = 0;", ONCE, f"for (int g = 0; g < m; g += {side}) {{"]
    first, second = "a[y * m + g + c]", rng.choice(("b[(g + r) * n + x]", "b[x * m + g + r]"))
    if rng.random() < 0.5:
        first = f"y < n && g + c < m ? {first} : ({one.kind})0"
    lines += [f"p[r][c] = {first};", f"q[r][c] = {expression(one, [second], 1)};", "__syncthreads();"]
    term = rng.choice(("p[r][j] * q[j][c]", "p[r][j] * q[j][c]", expression(one, ["p[r][j]", "q[j][c]"], 1)))
    lines += [rng.choice((ONCE, "#pragma unroll 2", "#pragma unroll 4")), f"for (int j = 0; j < {side}; ++j)"]
    lines += [f"sum {rng.choice(('+=', '+=', '-='))} {term};", "__syncthreads();", "}"]
    return [*lines, guarded(one, "x < n && y < n", f"out[y * n + x] = {expression(one, ['sum'], 1)};"), "}"]


def transpose(one: Draft, name: str) -> list[str]:
    """A tile read by rows and written by columns: held out."""
    rng, side = one.rng, one.rng.choice((8, 16, 32))
    lines = [
        one.signature(name, "int w, int h"),
        f"__shared__ {one.kind} tile[{side}][{side + rng.choice((0, 1, 1))}];",
    ]
    lines += ["int c = threadIdx.x, r = threadIdx.y;", f"int x = blockIdx.x * {side} + c, y = blockIdx.y * {side} + r;"]
    lines += [guarded(one, "x < w && y < h", f"tile[r][c] = {expression(one, loads(one, 'y * w + x'), 2)};")]
    lines += ["__syncthreads();", f"x = blockIdx.y * {side} + c;", f"y = blockIdx.x * {side} + r;"]
    value = expression(one, ["tile[c][r]", "tile[c][r]"], 1)
    return [*lines, guarded(one, "x < h && y < w", f"out[y * h + x] = {value};"), "}"]


def block_sum(one: Draft, name: str) -> list[str]:
    """A reduction of a block: warps by shuffles, their results in shared memory."""
    rng = one.rng
    warps = rng.choice((2, 4, 8, 32))
    if one.kind in ("int", "unsigned") and rng.random() < 0.5:
        one.kind = "float"
    lines = [one.signature(name), f"__shared__ {one.kind} part[{warps}];", f"int i = {INDEX};"]
    lines += ["int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;"]
    lines += [f"{one.kind} x = i < n ? {expression(one, loads(one), 2)} : ({one.kind})0;"]
    move = rng.choice(("down", "xor"))
    step = f"x = {join(one, 'x', f'__shfl_{move}_sync({FULL}, x, o)')};"
    unroll = ONCE if rng.random() < 0.7 else "#pragma unroll"
    loop = [unroll, "for (int o = 16; o > 0; o >>= 1)", step]
    lines += [*loop, "if (lane == 0) part[warp] = x;", "__syncthreads();"]
    if rng.random() < 0.5:
        lines += ["if (warp == 0) {", f"x = lane < {warps} ? part[lane] : ({one.kind})0;"]
        lines += [ONCE, f"for (int o = {max(1, warps // 2)}; o > 0; o >>= 1)", step, "}"]
        return [*lines, "if (threadIdx.x == 0) out[blockIdx.x] = x;", "}"]
    lines += [
        "if (threadIdx.x == 0) {",
        ONCE,
        f"for (int j = 1; j < {warps}; ++j)",
        f"x = {join(one, 'x', 'part[j]')};",
    ]
    return [*lines, f"out[blockIdx.x] = {expression(one, ['x'], 1)};", "}", "}"]


def sweep(one: Draft, name: str) -> list[str]:
    """A scan of a block up and down a tree."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    plain(one)
    add = rng.choice(("cell[q] += cell[p];", "cell[q] = max(cell[q], cell[p]);", "cell[q] += cell[p];"))
    lines = [one.signature(name), f"__shared__ {one.kind} cell[{block}];", f"int k = threadIdx.x, i = {INDEX};"]
    lines += [f"cell[k] = {expression(one, loads(one), 1)};", "__syncthreads();", ONCE]
    lines += [f"for (int h = 1; h < {block}; h *= 2) {{", "int q = (k + 1) * h * 2 - 1, p = q - h;"]
    lines += [f"if (q < {block}) {add}", "__syncthreads();", "}"]
    if rng.random() < 0.6:
        lines += [ONCE, f"for (int h = {block // 4}; h > 0; h >>= 1) {{", "int p = (k + 1) * h * 2 - 1, q = p + h;"]
        lines += [f"if (q < {block}) {add}", "__syncthreads();", "}"]
    return [*lines, guarded(one, "i < n", f"out[i] = {expression(one, ['cell[k]'], 1)};"), "}"]


def counters(one: Draft, name: str) -> list[str]:
    """Histograms of bytes or fields of words, private to a block or warp."""
    rng, bins = one.rng, one.rng.choice((16, 32, 64, 256))
    one.kind = "unsigned"
    lines = [one.signature(name), f"__shared__ unsigned bin[{bins}];", f"int k = threadIdx.x, i = {INDEX};"]
    lines += [f"for (int j = k; j < {bins}; j += blockDim.x) bin[j] = 0;", "__syncthreads();"]
    word = expression(one, loads(one), 1)
    width = rng.choice((4, 8))
    lines += ["if (i < n) {", f"unsigned w = {word};", rng.choice((ONCE, "#pragma unroll 2"))]
    lines += [f"for (int j = 0; j < {32 // width}; ++j) {{"]
    call = rng.choice(("atomicAdd({}, 1u)", "atomicAdd({}, w)", "atomicMax({}, w)", "atomicInc({}, 255u)"))
    lines += [call.format(f"&bin[w & {min(bins, 2**width) - 1}]") + ";", f"w >>= {width};", "}", "}"]
    lines += ["__syncthreads();", f"for (int j = k; j < {bins}; j += blockDim.x)"]
    return [*lines, rng.choice(("atomicAdd(&out[j], bin[j]);", "if (bin[j]) atomicAdd(&out[j], bin[j]);")), "}"]


def halo(one: Draft, name: str) -> list[str]:
    """A row with its borders in shared memory, taps over it."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    reach, a = rng.choice((1, 2, 3, 4)), one.inputs[0]
    lines = [
        one.signature(name),
        f"__shared__ {one.kind} cell[{block + 2 * reach}];",
        f"int k = threadIdx.x, i = {INDEX};",
    ]
    lines += [f"cell[k + {reach}] = i < n ? {a}[i] : ({one.kind})0;", f"if (k < {reach}) {{"]
    lines += [f"cell[k] = i >= {reach} ? {a}[i - {reach}] : ({one.kind})0;"]
    lines += [
        f"cell[k + {block + reach}] = i + {block} < n ? {a}[i + {block}] : ({one.kind})0;",
        "}",
        "__syncthreads();",
    ]
    lines += [f"{one.kind} x = 0;", rng.choice((ONCE, "#pragma unroll")), f"for (int j = 0; j <= {2 * reach}; ++j)"]
    tap = f"{one.inputs[-1]}[j]" if len(one.inputs) > 1 else rng.choice((*one.scalars, "cell[k]"))
    lines += [f"x += {rng.choice((f'cell[k + j] * {tap}', expression(one, ['cell[k + j]', tap], 1)))};"]
    return [*lines, guarded(one, "i < n", "out[i] = x;"), "}"]


def bitonic(one: Draft, name: str) -> list[str]:
    """Compare and exchange with a partner, in shared memory: held out."""
    rng, block = one.rng, one.rng.choice(BLOCKS)
    plain(one)
    lines = [one.signature(name), f"__shared__ {one.kind} cell[{block}];", f"int k = threadIdx.x, i = {INDEX};"]
    lines += [f"cell[k] = {expression(one, loads(one), 1)};", "__syncthreads();", ONCE]
    lines += [f"for (int h = {rng.choice((block // 2, 'n'))}; h > 0; h >>= 1) {{", "int p = k ^ h;"]
    lines += ["if (p > k) {", f"{one.kind} x = cell[k], y = cell[p];"]
    up = rng.choice(("true", "(k & h * 2) == 0", "(i & n) == 0"))
    lines += [f"if ((x {rng.choice('<>')} y) == ({up})) {{ cell[k] = y; cell[p] = x; }}", "}", "__syncthreads();", "}"]
    return [*lines, f"out[i] = {expression(one, ['cell[k]'], 1)};", "}"]


def cached(one: Draft, name: str) -> list[str]:
    """A table that a block copies into shared memory and then looks things up in; its size may be the launch's."""
    rng, size = one.rng, one.rng.choice((32, 64, 128))
    dynamic = rng.random() < 0.4
    array = f"extern __shared__ {one.kind} e{name}[];" if dynamic else f"__shared__ {one.kind} e{name}[{size}];"
    table = f"e{name}"
    lines = [one.signature(name, f"const {one.kind} *t0, const int *at, int n, int m"), array]
    lines += [
        f"int k = threadIdx.x, i = {INDEX};",
        rng.choice((ONCE, "")),
        f"for (int j = k; j < {rng.choice(('m', str(size)))}; j += blockDim.x)",
    ]
    lines += [f"{table}[j] = {expression(one, ['t0[j]'], 1)};", "__syncthreads();", EXIT]
    place = rng.choice((f"at[i] & {size - 1}", f"(at[i] + k) & {size - 1}", f"i & {size - 1}", f"at[i] % {size}u"))
    return [
        *lines,
        f"out[i] = {expression(one, [f'{table}[{place}]', *loads(one)], 2)};",
        "}",
    ]


SHARED = {
    "product": (product, 8), "transpose": (transpose, 1), "block_sum": (block_sum, 8), "sweep": (sweep, 4),
    "counters": (counters, 3), "halo": (halo, 4), "bitonic": (bitonic, 1), "cached": (cached, 8),
}  # fmt: skip
