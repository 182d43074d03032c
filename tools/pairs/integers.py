"""Families of integers: 64 bits, division, hashes, random numbers, checksums, bit tricks, number theory.

In: a draft and a name. Out: the kernel's lines. Loops that the data end have a second end, so that no input runs for
ever.
"""

from __future__ import annotations

import random

from tools.pairs.drafts import EXIT, INDEX, ONCE, Draft, condition, expression, guarded, literal, loads, two


def wide(one: Draft, name: str) -> list[str]:
    """64-bit integers: products, shifts by a value, comparisons, high halves."""
    rng = one.rng
    one.kind = rng.choice(("unsigned long long", "long long"))
    known = [*loads(one), f"({one.kind})i", *one.scalars]
    lines = [one.signature(name), f"int i = {INDEX};", rng.choice((EXIT, EXIT, ""))]
    for number in range(rng.randrange(1, 4)):
        x, y = rng.choice(known), rng.choice(known)
        value = rng.choice(
            (
                f"{x} << (({y}) & 63)",
                f"{x} >> (({y}) & 63)",
                f"({x} << {rng.randrange(1, 40)}) | ({y} >> {rng.randrange(1, 40)})",
                f"__{'u' if one.kind[0] == 'u' else ''}mul64hi({x}, {y})",
                f"__clzll({x})",
                f"__ffsll({x} ^ {y})",
                f"__popcll({x} & {y})",
                f"{x} * {y} + {rng.choice(known)}",
                f"{x} < {y} ? {x} : {rng.choice(known)}",
                f"({one.kind})(unsigned){x} * (unsigned){y}",
                f"({one.kind})(int){x} * (int){y}",
                f"__brevll({x})",
                f"min({x}, {y}) + max({x}, {rng.choice(known)})",
            )
        )
        lines.append(f"{one.kind} v{number} = {value};")
        known.append(f"v{number}")
    return [*lines, f"out[i] = {' ^ '.join(known[-2:])};", "}"]


def unravel(one: Draft, name: str) -> list[str]:
    """One index to several by division and remainder, and back with the axes in another order."""
    rng, unsigned = one.rng, one.rng.random() < 0.5
    kind = "unsigned" if unsigned else "int"
    sizes = rng.sample(["w", "h", str(rng.randrange(2, 100)), str(rng.randrange(2, 20))], 2)
    lines = [
        one.signature(name, "int n, int w, int h"),
        f"{kind} i = {INDEX};",
        f"if (i >= {'(unsigned)' if unsigned else ''}n) return;",
    ]
    lines += [f"{kind} x = i % {sizes[0]};"]
    if rng.random() < 0.6:
        lines += [f"{kind} y = i / {sizes[0]} % {sizes[1]}, z = i / ({sizes[0]} * {sizes[1]});"]
        axes = ["x", "y", "z"]
        rng.shuffle(axes)
        there = f"({axes[0]} * {sizes[1]} + {axes[1]}) * {sizes[0]} + {axes[2]}"
    else:
        lines += [f"{kind} y = i / {sizes[0]};"]
        there = rng.choice((f"x * {sizes[1]} + y", f"(y + 1) * {sizes[0]} - 1 - x", f"y * {sizes[1]} + x * 2", "y"))
    if rng.random() < 0.3:
        lines += [
            f"if ({rng.choice(('x == y', 'x & 1', 'x + y > 7', 'y % 3 == 1'))}) {rng.choice(('return;', 'x = 0;'))}"
        ]
    here, there = rng.choice(((there, "i"), ("i", there)))
    return [*lines, f"out[{there}] = {expression(one, loads(one, here), 2)};", "}"]


def _turn(rng: random.Random, bits: int) -> str:
    """One step of a hash over the word x."""
    shift = rng.randrange(3, bits - 3)
    long = "ll" if bits == 64 else ""
    return rng.choice(
        (
            f"x ^= x {rng.choice(('>>', '<<'))} {shift};",
            f"x *= {rng.getrandbits(bits) | 1:#x}u{long};",
            f"x = (x << {shift}) | (x >> {bits - shift});",
            f"x += {rng.getrandbits(bits - 1):#x}u{long};",
            f"x = x * 5 + {rng.getrandbits(24)};",
            f"x += x << {rng.randrange(2, 16)};",
        )
    )


def hashes(one: Draft, name: str) -> list[str]:
    """Words mixed to a hash, by loops of multiplications, rotations and shifts."""
    rng = one.rng
    one.kind = rng.choice(("unsigned", "unsigned", "unsigned long long"))
    bits = 32 if one.kind == "unsigned" else 64
    source = rng.choice(("", "unsigned char", "unsigned"))
    lines = [
        one.signature(name, "int n, int m", source),
        f"int i = {INDEX};",
        EXIT,
        f"{one.kind} x = {rng.choice(('i', literal(rng, one.kind), *one.scalars))};",
    ]

    if rng.random() < 0.65:
        index = rng.choice(("i * m + j", "i + j", "j", "j * n + i"))
        lines += [
            ONCE,
            f"for (int j = 0; j < {rng.choice(('m', 'm', '4'))}; ++j) {{",
            f"x {rng.choice(('^=', '+='))} {rng.choice(loads(one, index))};",
        ]
        lines += [*(_turn(rng, bits) for _ in range(rng.randrange(1, 4))), "}"]
    else:
        lines += [f"x ^= {loads(one)[0]};"]
    lines += [_turn(rng, bits) for _ in range(rng.randrange(1, 5))]
    return [
        *lines,
        f"out[i] = {rng.choice(('x', f'x & {2 ** rng.randrange(3, 16) - 1}', 'x ^ (x >> 16)', 'x % 1000u'))};",
        "}",
    ]


def dice(one: Draft, name: str) -> list[str]:
    """Pseudo-random numbers by the thread, counted or summed."""
    rng = one.rng
    one.kind = "float"
    lines = [one.signature(name, "int n, int m", "unsigned"), f"int i = {INDEX};", EXIT]
    lines += [f"unsigned v0 = {rng.choice((f'{one.inputs[0]}[i]', f'i * {rng.getrandbits(30) | 1}u + 1u'))};"]
    lines += [f"{rng.choice(('float', 'int'))} x = 0;", ONCE, "for (int j = 0; j < m; ++j) {"]
    step = rng.choice(
        (
            f"v0 = v0 * {rng.choice((1664525, 1103515245, 69069, 22695477))}u + {rng.randrange(1, 99999)}u;",
            "v0 ^= v0 << 13; v0 ^= v0 >> 17; v0 ^= v0 << 5;",
            "v0 ^= v0 >> 7; v0 ^= v0 << 9;",
            "v0 = 36969u * (v0 & 65535u) + (v0 >> 16);",
        )
    )
    scale = rng.choice(
        ("(v0 >> 8) * 5.9604645e-8f", "v0 * 2.3283064e-10f", "__uint_as_float((v0 >> 9) | 0x3f800000u) - 1.0f")
    )
    lines += [step, f"float r = {scale};"]
    if rng.random() < 0.5:
        lines += [
            step,
            f"float y = {scale};",
            rng.choice(("if (r * r + y * y < 1.0f) x += 1;", "x += r * y;", "if (y < r) x += 1; else x -= 1;")),
        ]
    else:
        lines += [rng.choice((f"x += {expression(one, ['r', 'r'], 2)};", f"if ({condition(one, ['r'])}) ++x;"))]
    return [*lines, "}", f"out[i] = {rng.choice(('x', 'x / (float)m', 'x + (float)v0'))};", "}"]


def checksum(one: Draft, name: str) -> list[str]:
    """Bits shifted through a polynomial, bytes folded."""
    rng = one.rng
    one.kind, one.inputs = "unsigned", one.inputs[:2]
    source = rng.choice(("unsigned char", "unsigned"))
    lines = [
        one.signature(name, "int n, int m", source),
        f"int i = {INDEX};",
        EXIT,
        f"unsigned x = {rng.choice(('0xffffffffu', '0', '1', 'i'))};",
    ]
    lines += [ONCE, "for (int j = 0; j < m; ++j) {"]
    byte = f"a[{rng.choice(('i * m + j', 'i + j', 'j'))}]"
    poly = f"{rng.getrandbits(32):#x}u"
    right = f"x = (x >> 1) ^ ({poly} & (0u - (x & 1u)));"
    left = f"x = (int)x < 0 ? (x << 1) ^ {poly} : x << 1;"
    adler = ["x += " + byte + ";", f"y = (y + x) % {rng.choice((65521, 251, 4093))}u;"]
    if rng.random() < 0.3:
        lines.insert(3, "unsigned y = 0;")
        return [*lines, *adler, "}", f"out[i] = {rng.choice(('x ^ y', 'y << 16 | x', 'y'))};", "}"]
    lines += [
        f"x ^= {byte}{rng.choice(('', ' << 24'))};",
        ONCE,
        f"for (int b0 = 0; b0 < {rng.choice((4, 8, 16))}; ++b0)",
    ]
    return [
        *lines,
        rng.choice((right, left, f"if (x & 1) x = x >> 1 ^ {poly}; else x >>= 1;")),
        "}",
        f"out[i] = {rng.choice(('~x', 'x', f'x & {2 ** rng.choice((8, 16)) - 1}'))};",
        "}",
    ]


def spread(one: Draft, name: str) -> list[str]:
    """Bit tricks with masks: interleaving, Gray codes, lowest bits, parity, swaps of fields."""
    rng = one.rng
    one.kind = rng.choice(("unsigned", "unsigned", "int"))
    lines = [
        one.signature(name),
        f"int i = {INDEX};",
        rng.choice((EXIT, "")),
        f"unsigned x = {expression(one, loads(one), 1)};",
    ]
    masks = ("0x55555555u", "0x33333333u", "0x0f0f0f0fu", "0x00ff00ffu", "0x0000ffffu", "0x09249249u")
    for _ in range(rng.randrange(1, 6)):
        mask, shift = rng.choice(masks), rng.choice((1, 2, 4, 8, 16))
        lines.append(
            rng.choice(
                (
                    f"x = (x | (x << {shift})) & {mask};",
                    f"x = (x | (x >> {shift})) & {mask};",
                    "x &= x - 1u;",
                    "x &= 0u - x;",
                    "x |= x - 1u;",
                    f"x = ((x & {mask}) << {shift}) | ((x >> {shift}) & {mask});",
                    f"x ^= x >> {shift};",
                    f"x ^= x << {shift};",
                    f"x = x - ((x >> {shift}) & {mask});",
                    f"x = (x & {mask}) + ((x >> {shift}) & {mask});",
                    "x = ~x & (x + 1u);",
                    f"if (x >> {shift} & 1) x ^= {mask};",
                    "x = __brev(x);",
                    f"x |= x >> {shift};",
                )
            )
        )
    return [
        *lines,
        f"out[i] = {rng.choice(('x', 'x', '__popc(x)', 'x & 1', 'x * 0x01010101u >> 24'))};",
        "}",
    ]


def numbers(one: Draft, name: str) -> list[str]:
    """Number theory: divisors, powers, steps until one, digits."""
    rng = one.rng
    one.kind = rng.choice(("unsigned", "int"))
    lines = [
        one.signature(name, "int n, int m"),
        f"int i = {INDEX};",
        EXIT,
        f"unsigned x = {expression(one, loads(one), 1)};",
        "unsigned c = 0;",
    ]
    y = rng.choice([*one.scalars, "m", f"{one.inputs[-1]}[i + 1]"])
    body = rng.choice(
        (
            [f"unsigned y = {y};", "while (y != 0 && c < m) {", "unsigned v = x % y;", "x = y;", "y = v;", "++c;", "}"],
            [f"unsigned y = {y};", "while (x != y && c < m) {", "if (x > y) x -= y; else y -= x;", "++c;", "}"],
            ["while (x > 1 && c < m) {", f"x = x & 1 ? x * {rng.choice((3, 5))} + 1 : x >> 1;", "++c;", "}"],
            [f"unsigned y = {y}, v = 1;", "while (y) {", "if (y & 1) v *= x;", "x *= x;", "y >>= 1;", "}", "x = v;"],
            [f"while (x) {{ c += x % {rng.choice((10, 7, 3, 16))}u; x /= {rng.choice((10, 7, 3, 16))}u; }}"],
            [
                f"unsigned y = 1u << {rng.randrange(4, 15)};",
                "while (y) {",
                "unsigned v = c + y;",
                "if (v * v <= x) c = v;",
                "y >>= 1;",
                "}",
            ],
            [
                "for (unsigned y = 2; y * y <= x && c < m; ++y)",
                f"{rng.choice(('if', 'while'))} (x % y == 0) {{ x /= y; ++c; }}",
            ],
            ["while (!(x & 1) && c < m) { x >>= 1; ++c; }"],
        )
    )
    return [*lines, *body, f"out[i] = {rng.choice(('x', 'c', 'x + c', 'c * n + x', 'x ^ c'))};", "}"]


def match(one: Draft, name: str) -> list[str]:
    """A pattern of bytes looked for in a text."""
    rng = one.rng
    two(one)
    one.kind, one.scalars = "int", one.scalars[:1]
    byte = rng.choice(("char", "unsigned char", "unsigned short", "int"))
    lines = [
        one.signature(name, "int n, int m", byte),
        f"int i = {INDEX};",
        rng.choice(("if (i > n - m) return;", EXIT)),
        "int j = 0, x = 0;",
        ONCE,
    ]
    equal = rng.choice(
        (
            "a[i + j] == b[j]",
            "(a[i + j] | 32) == b[j]",
            f"(b[j] == {rng.randrange(32, 99)} || a[i + j] == b[j])",
            "a[i + j] - b[j] < 2",
        )
    )
    way = rng.randrange(3)
    if way == 0:
        lines += [f"while (j < m && {equal}) ++j;", f"out[i] = {rng.choice(('j == m', 'j', 'j == m ? i : -1'))};", "}"]
        return lines
    if way == 1:
        return [
            *lines,
            f"for (; j < m; ++j) {{ if (!({equal})) break; x += {expression(one, ['(int)b[j]', 'j'], 1)}; }}",
            guarded(one, "j == m", "out[i] = x;"),
            "}",
        ]
    return [
        *lines,
        f"for (; j < m; ++j) x += {rng.choice((equal, f'{equal} ? {rng.randrange(1, 6)} : -{rng.randrange(1, 4)}'))};",
        f"out[i] = {expression(one, ['x'], 1)};",
        "}",
    ]


WHOLE = {
    "wide": (wide, 8), "unravel": (unravel, 8), "hashes": (hashes, 8), "dice": (dice, 3), "checksum": (checksum, 3),
    "spread": (spread, 8), "numbers": (numbers, 6), "match": (match, 3),
}  # fmt: skip
