"""Families in which the lanes of a warp work together, and those that see neighbours or all that a grid holds.

In: a draft and a name. Out: the kernel's lines. What an atomic gives back is used only where the threads' order cannot
matter.
"""

from __future__ import annotations

from tools.pairs.drafts import (
    EXIT,
    FULL,
    INDEX,
    ONCE,
    Draft,
    Y,
    condition,
    expression,
    guarded,
    join,
    literal,
    loads,
    plain,
)


def warp_scan(one: Draft, name: str) -> list[str]:
    """Running values of a warp."""
    rng = one.rng
    plain(one)
    lines = [one.signature(name), f"int i = {INDEX};", "int lane = threadIdx.x & 31;"]
    lines += [f"{one.kind} x = {expression(one, loads(one), 2)};"]
    lines += [rng.choice((ONCE, ONCE, "#pragma unroll")), f"for (int o = 1; o < {rng.choice((8, 16, 32))}; o <<= 1) {{"]
    lines += [f"{one.kind} v = __shfl_up_sync({FULL}, x, o);", f"if (lane >= o) x = {join(one, 'x', 'v')};", "}"]
    if rng.random() < 0.4:
        lines += [f"x = __shfl_up_sync({FULL}, x, 1);", f"if (lane == 0) x = {rng.choice(('0', '1'))};"]
    if rng.random() < 0.3:
        lines += [f"if (lane == 31) out[n + (i >> 5)] = {expression(one, ['x'], 1)};"]
    return [*lines, f"if (i < n) out[i] = {expression(one, ['x', *loads(one)], 1)};", "}"]


def rank(one: Draft, name: str) -> list[str]:
    """Elements that pass a test move together within their warp."""
    rng = one.rng
    lines = [one.signature(name, "int n, int m"), f"int i = {INDEX};", "unsigned lane = threadIdx.x & 31;"]
    lines += [f"{one.kind} x = {loads(one)[0]};", f"bool keep = {condition(one, ['x', *loads(one)])};"]
    lines += [f"unsigned votes = __ballot_sync({FULL}, keep);"]
    before = rng.choice(("votes & ((1u << lane) - 1u)", f"votes & ~({FULL} << lane)", "votes << 1 << (31 - lane)"))
    lines += [f"int place = __popc({before});"]
    lines += [rng.choice(("", "if (!keep) place = __popc(votes) + lane - place;"))]
    value = expression(one, ["x"], 1)
    test = "if (keep) " if not lines[-1] else ""
    lines += [f"{test}out[(i & ~31) + place] = {value};"]
    if rng.random() < 0.4:
        lines += [f"if (lane == __ffs(votes) - 1) out[n + (i >> 5)] = ({one.kind})__popc(votes);"]
    return [*lines, "}"]


def rows(one: Draft, name: str) -> list[str]:
    """A row of a sparse or dense matrix for each warp."""
    rng = one.rng
    plain(one, ("float", "double", "int"))
    sparse = rng.random() < 0.6
    extra = "const int *at, const int *column, int n" if sparse else "int n, int m"
    lines = [one.signature(name, extra), f"int i = ({INDEX}) >> 5, lane = threadIdx.x & 31;"]
    lines += [EXIT, f"{one.kind} x = 0;", ONCE]
    if sparse:
        lines += ["for (int j = at[i] + lane; j < at[i + 1]; j += 32)"]
        values = ["a[j]", f"{one.inputs[-1]}[column[j]]"]
    else:
        lines += ["for (int j = lane; j < m; j += 32)"]
        values = ["a[i * m + j]", f"{one.inputs[-1]}[j]"]
    term = rng.choice((" * ".join(values), expression(one, values, 2)))
    lines += [f"x += {term};", ONCE, "for (int o = 16; o > 0; o /= 2)"]
    move = rng.choice(("down", "xor"))
    lines += [f"x = {join(one, 'x', f'__shfl_{move}_sync({FULL}, x, o)')};"]
    return [*lines, f"if (lane == 0) out[i] = {expression(one, ['x', 'x', 'out[i]'], 1)};", "}"]


def normalise(one: Draft, name: str) -> list[str]:
    """Mean and deviation of a row that a warp holds."""
    rng = one.rng
    one.kind = "float"
    lines = [one.signature(name, "int n, int m"), f"int i = ({INDEX}) >> 5, lane = threadIdx.x & 31;"]
    lines += [EXIT, "float x = 0.0f, y = 0.0f;", ONCE, "for (int j = lane; j < m; j += 32) {"]
    lines += [
        f"float v = {expression(one, loads(one, 'i * m + j'), 1)};",
        "x += v;",
        rng.choice(("y += v * v;", "y = fmaxf(y, v);")),
        "}",
    ]
    lines += [ONCE, "for (int o = 16; o > 0; o >>= 1) {", f"x += __shfl_xor_sync({FULL}, x, o);"]
    other = f"__shfl_xor_sync({FULL}, y, o)"
    lines += [rng.choice((f"y += {other};", f"y = fmaxf(y, {other});")), "}"]
    scale = rng.choice(("rsqrtf(y + 1e-5f)", "__expf(x - y)", "__fdividef(x, y)"))
    if rng.random() < 0.5:
        return [*lines, f"if (lane == 0) out[i] = {expression(one, ['x', scale], 1)};", "}"]
    lines += [f"float s0 = {scale};", ONCE, "for (int j = lane; j < m; j += 32)"]
    return [*lines, f"out[i * m + j] = {rng.choice(('(a[i * m + j] - x) * s0', 'a[i * m + j] * s0'))};", "}"]


def votes(one: Draft, name: str) -> list[str]:
    """Warps that go different ways together."""
    rng = one.rng
    plain(one, ("int", "unsigned", "float"))
    lines = [one.signature(name, "int n, int m"), f"int i = {INDEX};", f"{one.kind} x = {loads(one)[0]};"]
    test = condition(one, ["x", *loads(one)])
    lines += rng.choice(
        (
            [f"if (__{rng.choice(('any', 'all'))}_sync({FULL}, {test})) x = {expression(one, ['x', *loads(one)], 2)};"],
            [
                ONCE,
                f"for (int j = 0; j < m && __any_sync({FULL}, {test}); ++j)",
                f"x = {expression(one, ['x', *loads(one)], 2)};",
            ],
            [
                f"int c = __syncthreads_{rng.choice(('count', 'and', 'or'))}({test});",
                f"if (c > {rng.randrange(9)}) x = {expression(one, ['x', f'({one.kind})c'], 2)};",
            ],
            [
                f"unsigned v = __ballot_sync({FULL}, {test});",
                "while (v) {",
                f"int p = {rng.choice(('__ffs(v) - 1', '31 - __clz(v)'))};",
                f"x = {join(one, 'x', f'__shfl_sync({FULL}, x, p)')};",
                f"v &= {rng.choice(('v - 1', '~(1u << p)'))};",
                "}",
            ],
        )
    )
    return [*lines, guarded(one, "i < n", f"out[i] = {expression(one, ['x', *loads(one)], 1)};"), "}"]


def retry(one: Draft, name: str) -> list[str]:
    """An atomic operation that the hardware lacks, by compare and swap until it holds."""
    rng = one.rng
    plain(one, ("float", "int", "unsigned"))
    to, back = ("__float_as_int", "__int_as_float") if one.kind == "float" else ("(int)", f"({one.kind})")
    place = rng.choice(("i", "i", "i >> 1", f"i & {2 ** rng.randrange(1, 6) - 1}"))
    lines = [one.signature(name), f"int i = {INDEX};", EXIT]
    lines += [f"{one.kind} x = {expression(one, loads(one), 1)};", f"int *word = (int *)&out[{place}];"]
    lines += ["int old = *word, was;", "do {", "was = old;"]
    new = rng.choice((f"max({back}(was), x)", f"min({back}(was), x)", f"max({back}(was), {expression(one, ['x'], 1)})"))
    lines += [rng.choice(("", f"if ({back}(was) {rng.choice(('>=', '>'))} x) break;"))]
    lines += [f"old = atomicCAS(word, was, {to}({new}));", "} while (old != was);"]
    return [*lines, "}"]


def relax(one: Draft, name: str) -> list[str]:
    """Five or more neighbours in two dimensions, from memory or from a tile with its border."""
    rng = one.rng
    plain(one, ("float", "float", "double", "int"))
    a = one.inputs[0]
    lines = [one.signature(name, "int w, int h"), f"int x = {INDEX}, y = {Y};"]
    test = rng.choice(("x > 0 && y > 0 && x < w - 1 && y < h - 1", "x >= 1 && x + 1 < w && y >= 1 && y + 1 < h"))
    lines += [f"if (!({test})) return;", "int i = y * w + x;"]
    around = [f"{a}[i - 1]", f"{a}[i + 1]", f"{a}[i - w]", f"{a}[i + w]", f"{a}[i - w - 1]", f"{a}[i + w + 1]"]
    chosen = rng.sample(around, rng.randrange(2, 6))
    value = f"{' + '.join(chosen)} - {expression(one, [f'{a}[i]', *loads(one)], 2)}"
    return [*lines, f"out[i] = {rng.choice((value, expression(one, [f'({value})', f'{a}[i]'], 1)))};", "}"]


def life(one: Draft, name: str) -> list[str]:
    """Eight neighbours on a torus of small cells."""
    rng = one.rng
    one.kind, one.inputs = rng.choice(("int", "unsigned")), one.inputs[:1]
    cell = rng.choice(("unsigned char", "int", "unsigned short"))
    lines = [
        one.signature(name, "int w, int h", cell, cell),
        f"int x = {INDEX}, y = {Y};",
        "if (x >= w || y >= h) return;",
    ]
    wrap = rng.choice(
        (
            ("(x + w - 1) % w", "(x + 1) % w"),
            ("x ? x - 1 : w - 1", "x + 1 < w ? x + 1 : 0"),
            ("(x - 1) & (w - 1)", "(x + 1) & (w - 1)"),
        )
    )
    lines += [f"int l = {wrap[0]}, r = {wrap[1]};", f"int up = y ? y - 1 : {rng.choice(('0', 'h - 1'))};"]
    around = [f"a[{row} * w + {column}]" for row in ("up", "y") for column in "lxr" if (row, column) != ("y", "x")]
    chosen = rng.sample(around, rng.randrange(2, 5))
    lines += [f"{one.kind} s0 = {' + '.join(chosen)};", f"{one.kind} c = a[y * w + x];"]
    test = rng.choice(("s0 == 3 || (c && s0 == 2)", condition(one, ["s0", "c"])))
    return [
        *lines,
        f"out[y * w + x] = {test} ? {rng.choice(('1', 'c', 's0'))} : {expression(one, ['c', 's0'], 1)};",
        "}",
    ]


def grid_sum(one: Draft, name: str) -> list[str]:
    """A sum over everything that is a grid apart, one result a thread."""
    rng = one.rng
    lines = [one.signature(name), f"int first = {INDEX}, step = gridDim.x * blockDim.x;", f"{one.kind} x = 0;", ONCE]
    lines += ["for (int j = first; j < n; j += step) {", f"{one.kind} v = {expression(one, loads(one, 'j'), 2)};"]
    test = rng.choice(("", "", f"if ({condition(one, ['v'])}) "))
    lines += [f"{test}x = {join(one, 'x', 'v')};", "}"]
    return [*lines, f"out[first] = {expression(one, ['x'], 1)};", "}"]


def pairwise(one: Draft, name: str) -> list[str]:
    """Every element against all others, four numbers each."""
    rng = one.rng
    one.kind, one.inputs = "float", ["a"]
    kind = rng.choice(("float4", "float"))
    lines = [one.signature(name, "int n", "float4", kind), f"int i = {INDEX};", EXIT]
    lines += [
        "float4 p = a[i];",
        "float x = 0.0f, y = 0.0f;",
        ONCE,
        "for (int j = 0; j < n; ++j) {",
        "float4 q = a[j];",
    ]
    lines += ["float u0 = q.x - p.x, u1 = q.y - p.y, u2 = q.z - p.z;"]
    lines += [f"float r = u0 * u0 + u1 * u1 + u2 * u2{rng.choice((' + 0.01f', ''))};"]
    force = rng.choice(("q.w * rsqrtf(r)", "__fdividef(q.w, r)", "fmaxf(q.w - r, 0.0f)", "q.w * __expf(-r)"))
    lines += [rng.choice(("", f"if (r < {rng.choice(('p.w', '4.0f', 'q.w'))})")), f"{{ float f = {force};"]
    lines += [
        rng.choice(("x += f * u0; y += f * u1; }", "x += f; y = fminf(y, r); }", "x += f * u2; y += 1.0f; }")),
        "}",
    ]
    last = expression(one, ["x", "y", "p.w"], 1)
    result = last if kind == "float" else f"make_float4(x, y, {last}, p.w)"
    return [*lines, f"out[i] = {result};", "}"]


def argmin(one: Draft, name: str) -> list[str]:
    """The best element and where it stands, of a row or of a warp."""
    rng = one.rng
    plain(one)
    compare = rng.choice(("<", ">", "<="))
    lines = [one.signature(name, "int n, int m"), f"int i = {INDEX};"]
    if rng.random() < 0.6:
        value = expression(one, loads(one, rng.choice(("i * m + j", "j", "j * n + i"))), 2)
        lines += [
            EXIT,
            f"{one.kind} x = {rng.choice((loads(one)[0], literal(rng, one.kind)))};",
            "int p = 0;",
            ONCE,
            "for (int j = 1; j < m; ++j) {",
        ]
        lines += [f"{one.kind} v = {value};", f"if (v {compare} x) {{ x = v; p = j; }}", "}"]
    else:
        lines += [
            f"{one.kind} x = {expression(one, loads(one), 2)};",
            "int p = i;",
            ONCE,
            "for (int o = 16; o > 0; o >>= 1) {",
        ]
        lines += [
            f"{one.kind} v = __shfl_down_sync({FULL}, x, o);",
            f"int q = __shfl_down_sync({FULL}, p, o);",
        ]
        lines += [f"if (v {compare} x{rng.choice(('', ' || (v == x && q < p)'))}) {{ x = v; p = q; }}", "}"]
        lines += [rng.choice(("if ((threadIdx.x & 31) != 0) return;", EXIT))]
    return [
        *lines,
        f"out[i] = {rng.choice(('x', f'({one.kind})p'))};",
        *rng.choice(([], [f"out[n + i] = ({one.kind})p;"])),
        "}",
    ]


TOGETHER = {
    "warp_scan": (warp_scan, 6), "rank": (rank, 6), "rows": (rows, 8), "normalise": (normalise, 5),
    "votes": (votes, 8), "retry": (retry, 5), "relax": (relax, 8), "life": (life, 5), "grid_sum": (grid_sum, 8),
    "pairwise": (pairwise, 5), "argmin": (argmin, 6),
}  # fmt: skip
