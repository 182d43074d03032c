"""Families of loops whose ends the data decide, of cases and early exits, of small local state.

In: a draft and a name. Out: the kernel's lines. Loops that the data end have a second end, so that no input runs for
ever.
"""

from __future__ import annotations

from tools.pairs.drafts import EXIT, INDEX, ONCE, Draft, condition, expression, guarded, loads, plain, two


def chase(one: Draft, name: str) -> list[str]:
    """A chain of indices followed until it ends."""
    rng = one.rng
    lines = [
        one.signature(name, "const int *next, int n, int m"),
        f"int i = {INDEX};",
        EXIT,
        f"int p = {rng.choice(('i', 'next[i]'))}, c = 0;",
    ]
    lines += [f"{one.kind} x = {rng.choice(('0', loads(one)[0]))};", ONCE]
    stop = rng.choice(("p >= 0", "p < n", f"p != {rng.choice(('i', '-1', 'next[p]'))}"))
    lines += [
        f"while ({stop} && c < m) {{",
        f"x = {expression(one, ['x', *loads(one, 'p')], 2)};",
        "p = next[p];",
        "++c;",
    ]
    lines += [rng.choice(("", "", f"if ({condition(one, ['x'])}) break;")), "}"]
    return [
        *lines,
        f"out[i] = {rng.choice(('x', f'({one.kind})c', f'x + ({one.kind})p'))};",
        "}",
    ]


def bisect(one: Draft, name: str) -> list[str]:
    """A place found by halves: held out."""
    rng = one.rng
    two(one)
    lines = [
        one.signature(name, "int n, int m"),
        f"int i = {INDEX};",
        EXIT,
        f"{one.kind} x = {expression(one, ['b[i]', *loads(one)], 1)};",
    ]
    lines += [
        f"int low = 0, high = {rng.choice(('m', 'm - 1', 'n'))};",
        ONCE,
        f"while (low {rng.choice(('<', '<='))} high) {{",
    ]
    lines += [f"int mid = {rng.choice(('(low + high) / 2', '(low + high) >> 1', 'low + (high - low) / 2'))};"]
    lines += [
        f"if (a[mid] {rng.choice(('<', '<=', '>'))} x) low = mid + 1; else high = mid{rng.choice(('', ' - 1'))};",
        "}",
    ]
    return [
        *lines,
        f"out[i] = {rng.choice((f'({one.kind})low', expression(one, [f'({one.kind})low', 'x'], 1), 'a[low]'))};",
        "}",
    ]


def dynamic(one: Draft, name: str) -> list[str]:
    """A recurrence along a row: the best of three ways, kept in registers and memory."""
    rng = one.rng
    two(one)
    plain(one, ("int", "float"))
    best = rng.choice(("min", "max"))
    lines = [
        one.signature(name, "int n, int m"),
        f"int i = {INDEX};",
        EXIT,
        f"{one.kind} x = 0, y = {loads(one)[0]}, z = 1;",
        ONCE,
        "for (int j = 1; j < m; ++j) {",
    ]
    cost = expression(one, ["a[j]", "b[i]", "b[j * n + i]"], 2)
    lines += [
        f"{one.kind} v = {best}({best}(x, y), z) + {cost};",
        *rng.choice((["x = y;", "y = v;"], ["z = x;", "x = v;"], ["z = y + 1;", "y = x;", "x = v;"])),
    ]
    lines += [rng.choice(("out[j * n + i] = v;", "", f"if ({condition(one, ['v'])}) break;")), "}"]
    return [*lines, f"out[i] = {expression(one, ['x', 'y', 'z'], 1)};", "}"]


def triangle(one: Draft, name: str) -> list[str]:
    """Loops as long as a row or column of a triangle, rows solved one after another."""
    rng = one.rng
    two(one)
    start, end = rng.choice((("0", "i"), ("0", "i + 1"), ("i", "n"), ("i + 1", "n"), ("k", "i")))
    lines = [
        one.signature(name, "int n, int k"),
        f"int i = {INDEX};",
        EXIT,
        f"{one.kind} x = {rng.choice(('0', 'b[i]'))};",
        ONCE,
    ]
    term = rng.choice(("a[i * n + j] * b[j]", expression(one, ["a[i * n + j]", "b[j]", "a[j * n + i]"], 2)))
    lines += [f"for (int j = {start}; j < {end}; ++j)", f"x {rng.choice(('-=', '+='))} {term};"]
    place = rng.choice(("i", "i * n + k", "i"))
    return [*lines, f"out[{place}] = {expression(one, ['x', 'a[i * n + i]'], 1)};", "}"]


def checks(one: Draft, name: str) -> list[str]:
    """Early exits, one after another, with something written before some."""
    rng = one.rng
    lines = [one.signature(name, "int n, int m"), f"int i = {INDEX};", EXIT]
    known = loads(one)
    for number in range(rng.randrange(1, 4)):
        test = (
            condition(one, known)
            if rng.random() < 0.7
            else rng.choice(("i < m", "m == 0", "(i & 3) == 1", "i == n - 1"))
        )
        lines += [f"if ({test}) {rng.choice(('return;', f'{{ out[i] = {expression(one, known, 1)}; return; }}'))}"]
        if rng.random() < 0.6:
            lines += [f"{one.kind} v{number} = {expression(one, known, 1)};"]
            known.append(f"v{number}")
    return [*lines, f"out[i] = {expression(one, known, 2)};", "}"]


def cases(one: Draft, name: str) -> list[str]:
    """A switch, by far-apart numbers, with cases that fall through."""
    rng = one.rng
    plain(one, ("int", "unsigned", "float"))
    source = rng.choice(("m", "at[i]", "at[i] & 63", "i & 15", "at[i] >> 4", "i % 7"))
    lines = [
        one.signature(name, "const int *at, int n, int m"),
        f"int i = {INDEX};",
        EXIT,
        f"{one.kind} x = {loads(one)[0]};",
        f"switch ({source}) {{",
    ]
    for number in rng.sample((0, 1, 2, 3, 7, 12, 31, 40, 55, 100), rng.randrange(2, 5)):
        lines += [
            f"case {number}:",
            f"x = {expression(one, ['x', *loads(one)], 2)};",
            *rng.choice((["break;"], ["break;"], ["return;"], [])),
        ]
    return [
        *lines,
        *rng.choice(([], ["break;", "default:", f"x = {expression(one, ['x'], 1)};"])),
        "}",
        "out[i] = x;",
        "}",
    ]


def locals_(one: Draft, name: str) -> list[str]:
    """A small array of the thread's own, kept in registers: sorted, or shifted along."""
    rng = one.rng
    plain(one)
    size = rng.randrange(3, 6)
    index = rng.choice(("i + {}", "i * 4 + {}", "i + {} * n", "i + {} * m"))
    lines = [
        one.signature(name, "int n, int m"),
        f"int i = {INDEX};",
        rng.choice((EXIT, "if (i + 4 >= n) return;")),
        f"{one.kind} r[{size}];",
    ]
    lines += [f"r[{number}] = {one.inputs[0]}[{index.format(number)}];" for number in range(size)]
    if rng.random() < 0.6:
        for _ in range(rng.randrange(2, 7)):
            low, high = sorted(rng.sample(range(size), 2))
            lower, upper = f"{rng.choice(('min', 'max'))}(r[{low}], r[{high}])", f"max(r[{low}], r[{high}])"
            lines += [f"{{ {one.kind} v = {lower}; r[{high}] = {upper}; r[{low}] = v; }}"]
    else:
        lines += [
            ONCE,
            f"for (int j = {size}; j < m; ++j) {{",
            f"{one.kind} v = {expression(one, [f'r[{rng.randrange(size)}]' for _ in range(3)], 2)};",
        ]
        lines += [*(f"r[{number}] = r[{number + 1}];" for number in range(size - 1)), f"r[{size - 1}] = v;", "}"]
    return [*lines, f"out[i] = {expression(one, [f'r[{number}]' for number in range(size)], 2)};", "}"]


def logic(one: Draft, name: str) -> list[str]:
    """Conditions joined, counted and stored as bytes."""
    rng = one.rng
    plain(one, ("float", "int", "unsigned", "double"))
    result = rng.choice(("bool", "unsigned char", "int"))
    lines = [one.signature(name, "int n, int m", "", result), f"int i = {INDEX};", EXIT]
    tests = []
    for number in range(rng.randrange(2, 4)):
        lines += [f"bool v{number} = {condition(one, loads(one))};"]
        tests.append(f"{rng.choice(('', '', '!'))}v{number}")
    tests += rng.choice(([], ["(i & 1)", "i > m"], ["i < m"]))
    text = tests[0]
    for test in tests[1:]:
        text = f"({text} {rng.choice(('&&', '||', '!=', '^'))} {test})"
    if rng.random() < 0.3:
        text = " + ".join(tests) + f" > {rng.randrange(2)}"
    return [*lines, guarded(one, tests[-1], f"out[i] = {text};"), "}"]


WALKS = {
    "chase": (chase, 6), "bisect": (bisect, 1), "dynamic": (dynamic, 8), "triangle": (triangle, 6),
    "checks": (checks, 8), "cases": (cases, 8), "locals": (locals_, 6), "logic": (logic, 8),
}  # fmt: skip
