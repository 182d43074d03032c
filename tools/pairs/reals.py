"""Families of real numbers: the mathematical library, series, careful sums, complex numbers, vectors, layers.

In: a draft and a name. Out: the kernel's lines.
"""

from __future__ import annotations

from tools.pairs.drafts import EXIT, INDEX, ONCE, Draft, condition, expression, literal, loads, plain, two

SPECIAL = (
    "expf({})", "exp2f({})", "logf({})", "log2f({})", "log1pf({})", "tanhf({})", "rsqrtf({})", "cbrtf({})",
    "sinpif({})", "__tanf({})", "__powf({0}, {1})", "__sinf({})", "erff({})", "expm1f({})", "atanf({})", "asinf({})",
    "floorf({})", "rintf({})", "__saturatef({})", "__frsqrt_rn({})", "fmaf({0}, {1}, {0})", "copysignf({0}, {1})",
    "truncf({})", "__exp10f({})", "log10f({})", "normcdff({})",
)  # fmt: skip


def special(one: Draft, name: str) -> list[str]:
    """Functions of the mathematical library, in full precision."""
    rng = one.rng
    one.kind = "float"
    lines = [
        one.signature(name),
        f"int i = {INDEX};",
        rng.choice((EXIT, EXIT, "")),
        f"float x = {expression(one, loads(one), 1)};",
    ]
    other = rng.choice([*loads(one), *one.scalars, literal(rng, "float")])
    for _ in range(rng.choice((1, 1, 2))):
        call = rng.choice(SPECIAL)
        lines.append(f"x {rng.choice(('=', '=', '+=', '*='))} {call.format('x', other)};")
    return [*lines, f"out[i] = {expression(one, ['x', *loads(one)], 1)};", "}"]


def escape(one: Draft, name: str) -> list[str]:
    """Complex numbers: products, and iterations until they grow too large."""
    rng = one.rng
    one.kind = rng.choice(("float", "float", "double"))
    two(one)
    lines = [one.signature(name, "int n, int m"), f"int i = {INDEX};", EXIT, f"{one.kind} x = a[i], y = b[i];"]
    if rng.random() < 0.5:
        lines += [
            f"{one.kind} p = {rng.choice(('x', '0', *one.scalars))}, q = {rng.choice(('y', '0', *one.scalars))};",
            "int c = 0;",
            ONCE,
        ]
        lines += [
            f"while (c < m && p * p + q * q {rng.choice(('<', '<='))} 4) {{",
            f"{one.kind} v = p * p - q * q + {rng.choice(('x', 'y'))};",
        ]
        lines += [
            f"q = {rng.choice(('2 * p * q', 'p * q + p * q', 'fabs(p * q)'))} + {rng.choice(('y', 'x'))};",
            "p = v;",
            "++c;",
            "}",
        ]
        return [*lines, f"out[i] = {rng.choice((f'({one.kind})c', 'p + q', f'p * ({one.kind})c'))};", "}"]
    known = ["x", "y", *one.scalars]
    for number in range(rng.randrange(1, 3)):
        p, q = rng.choice(known), rng.choice(known)
        lines += [
            f"{one.kind} p{number} = x * {p} - y * {q}, q{number} = x * {q} + y * {p};",
            f"x = p{number};",
            f"y = {rng.choice(('', '-'))}q{number};",
        ]
    return [
        *lines,
        f"out[{rng.choice(('i', '2 * i'))}] = {rng.choice(('x', expression(one, ['x', 'y'], 1)))};",
        f"out[{rng.choice(('n + i', '2 * i + 1'))}] = y;",
        "}",
    ]


def precise(one: Draft, name: str) -> list[str]:
    """Sums with their errors carried along, moments, products in double of floats."""
    rng = one.rng
    one.kind = rng.choice(("float", "double", "double"))
    index = rng.choice(("i * m + j", "j * n + i", "j"))
    source = rng.choice(("", "float"))
    lines = [
        one.signature(name, "int n, int m", source),
        f"int i = {INDEX};",
        EXIT,
        f"{one.kind} x = 0, y = 0;",
        ONCE,
        "for (int j = 0; j < m; ++j) {",
    ]
    value = expression(one, [f"({one.kind}){each}" for each in loads(one, index)], 1)
    lines += [f"{one.kind} v = {value}{rng.choice(('', ' - y'))};"]
    lines += rng.choice(
        (
            [f"{one.kind} t0 = x + v;", "y = (t0 - x) - v;", "x = t0;"],
            ["x += v;", "y += v * v;"],
            ["x = fma(v, v, x);", "y = fmax(y, fabs(v));"],
            ["y = y * x + v;", f"x = {expression(one, ['x', 'v'], 1)};"],
        )
    )
    return [
        *lines,
        "}",
        f"out[i] = {rng.choice(('x + y', 'x', 'y', 'x * x - y', expression(one, ['x', 'y'], 2)))};",
        "}",
    ]


def rotate(one: Draft, name: str) -> list[str]:
    """Three-vectors: a small matrix, cross and dot products, lengths."""
    rng = one.rng
    one.kind, one.inputs = "float", ["a", "b"]
    lines = [one.signature(name, "int n"), f"int i = {INDEX};", EXIT]
    lines += [
        f"float x = a[{rng.choice(('3 * i', 'i'))}], y = a[{rng.choice(('3 * i + 1', 'n + i'))}];",
        f"float z = a[{rng.choice(('3 * i + 2', '2 * n + i'))}];",
    ]
    base = rng.choice(("", "3 * i + "))
    u = [f"b[{base}{number}]" for number in range(3)]
    way = rng.randrange(3)
    if way == 0:
        made = [f"y * {u[2]} - z * {u[1]}", f"z * {u[0]} - x * {u[2]}", f"x * {u[1]} - y * {u[0]}"]
    elif way == 1:
        made = [f"b[{base}{3 * row}] * x + b[{base}{3 * row + 1}] * y + b[{base}{3 * row + 2}] * z" for row in range(2)]
    else:
        lines += [
            f"float r = {rng.choice(('rsqrtf(x * x + y * y + z * z)', f'x * {u[0]} + y * {u[1]} + z * {u[2]}'))};"
        ]
        made = [
            f"{each} * r{rng.choice(('', f' + {u[0]}', f' - {u[1]}'))}"
            for each in rng.sample("xyz", rng.randrange(1, 4))
        ]
    lines += [
        f"out[3 * i + {number}] = {rng.choice((value, expression(one, [f'({value})'], 1)))};"
        for number, value in enumerate(made)
    ]
    return [*lines, "}"]


def blend(one: Draft, name: str) -> list[str]:
    """Interpolation between neighbours at a place that is a fraction: held out."""
    rng = one.rng
    two(one)
    one.kind = "float"
    lines = [
        one.signature(name, "int n, int m"),
        f"int i = {INDEX};",
        EXIT,
        f"float x = {expression(one, ['b[i]', *one.scalars], 1)};",
        f"int j = (int){rng.choice(('floorf(x)', 'x'))};",
    ]
    lines += [
        rng.choice(("j = min(max(j, 0), m - 2);", "if (j < 0 || j >= m - 1) return;", "j = max(j, 0);")),
        "float r = x - (float)j;",
    ]
    value = rng.choice(
        ("a[j] + r * (a[j + 1] - a[j])", "(1.0f - r) * a[j] + r * a[j + 1]", "fmaf(r, a[j + 1] - a[j], a[j])")
    )
    return [*lines, f"out[i] = {expression(one, [f'({value})'], 1)};", "}"]


def activate(one: Draft, name: str) -> list[str]:
    """Layers of networks: a bias by column, a nonlinear function, a mask."""
    rng = one.rng
    two(one)
    one.kind = "float"
    column = rng.choice(("i % m", "i / m", "i & 255", "blockIdx.x", "i"))
    lines = [
        one.signature(name, "int n, int m"),
        f"int i = {INDEX};",
        rng.choice((EXIT, EXIT, "")),
        f"float x = {rng.choice((f'a[i] + b[{column}]', f'a[i] * b[{column}]', f'fmaf(a[i], b[{column}], a[i])'))};",
    ]
    call = rng.choice(
        (
            "fmaxf(x, 0.0f)",
            "x > 0.0f ? x : x * 0.01f",
            "__fdividef(1.0f, 1.0f + __expf(-x))",
            "__fdividef(x, 1.0f + __expf(-x))",
            "fminf(fmaxf(x, 0.0f), 6.0f)",
            "x * x * x * 0.044715f + x",
            "x > 0.0f ? x : __expf(x) - 1.0f",
            "1.0f - __fdividef(2.0f, __expf(2.0f * x) + 1.0f)",
            "__logf(1.0f + __expf(x))",
        )
    )
    lines += [
        f"x = {call};",
        rng.choice(
            (
                "",
                f"if ({condition(one, ['x'])}) x = 0.0f;",
                "x += out[i];",
                f"x = {expression(one, ['x', *loads(one)], 2)};",
            )
        ),
    ]
    return [*lines, "out[i] = x;", "}"]


def horner(one: Draft, name: str) -> list[str]:
    """Polynomials, series and recurrences in one variable."""
    rng = one.rng
    plain(one, ("float", "float", "int", "unsigned"))
    lines = [
        one.signature(name, "int n, int m"),
        f"int i = {INDEX};",
        EXIT,
        f"{one.kind} x = {expression(one, loads(one), 1)}, y = {literal(rng, one.kind)};",
    ]
    if rng.random() < 0.5:
        lines += [
            f"y = y * x + {rng.choice((literal(rng, one.kind), *one.scalars))};" for _ in range(rng.randrange(2, 7))
        ]
    else:
        lines += [ONCE, f"for (int j = {rng.choice(('m - 1; j >= 0; --j', '1; j < m; ++j', '1; j <= m; j += 2'))}) {{"]
        lines += [
            f"y = {rng.choice(('y * x + a[j]', expression(one, ['y', 'x', f'({one.kind})j'], 2)))};",
            rng.choice(("", f"x = {expression(one, ['x', 'y'], 1)};")),
            "}",
        ]
    return [*lines, f"out[i] = {expression(one, ['y', 'x'], 1)};", "}"]


REALS = {
    "special": (special, 8), "escape": (escape, 6), "precise": (precise, 6), "rotate": (rotate, 5),
    "blend": (blend, 1), "activate": (activate, 6), "horner": (horner, 6),
}  # fmt: skip
