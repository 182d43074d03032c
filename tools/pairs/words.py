"""Families of what words of memory hold: packed halves, structures, bytes, floats seen as bits, all types mixed.

In: a draft and a name. Out: the kernel's lines. PRELUDE holds the device functions that they use: cuda_fp16.h would say
the same in PTX, but takes the compiler longer than a hundred kernels do.
"""

from __future__ import annotations

from tools.kernelgen.expressions import Scope as Typed
from tools.kernelgen.expressions import expression as typed
from tools.kernelgen.statements import Writer
from tools.pairs.drafts import EXIT, INDEX, ONCE, Draft, expression, loads, two

_PACKED = """__device__ __forceinline__ unsigned {name}_{op}(unsigned p, unsigned q) {{
  unsigned r; asm("{op}{rounding}.{type} %0, %1, %2;" : "=r"(r) : "r"(p), "r"(q)); return r; }}
"""
_FUSED = """__device__ __forceinline__ unsigned {name}_fma(unsigned p, unsigned q, unsigned s) {{
  unsigned r; asm("fma.rn.{type} %0, %1, %2, %3;" : "=r"(r) : "r"(p), "r"(q), "r"(s)); return r; }}
"""
_NARROW = """__device__ __forceinline__ float {name}_wide(unsigned short h) {{ {widen} }}
__device__ __forceinline__ unsigned short {name}_narrow(float f) {{
  unsigned short h; asm("cvt.rn.{type}.f32 %0, %1;" : "=h"(h) : "f"(f)); return h; }}
"""
_WIDEN = {
    "half": 'float f; asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h)); return f;',
    "brain": "return __uint_as_float((unsigned)h << 16);",
}
_TYPES = {"half": "f16", "brain": "bf16"}
PRELUDE = (
    "".join(_PACKED.format(name="half", op=op, rounding="", type="f16x2") for op in ("add", "sub", "mul", "min", "max"))
    + "".join(_PACKED.format(name="brain", op=op, rounding="", type="bf16x2") for op in ("min", "max"))
    + "".join(_FUSED.format(name=name, type=f"{kind}x2") for name, kind in _TYPES.items())
    + "".join(_NARROW.format(name=name, type=kind, widen=_WIDEN[name]) for name, kind in _TYPES.items())
    + """struct Particle { float x, y, z; int tag; };
struct Record { double worth; int key; float rate; };
struct Edge { int from, to; unsigned short weight, flags; };
struct Ray { float3 from; float3 to; };
typedef unsigned u32; typedef int s32; typedef unsigned long long u64; typedef long long s64; typedef float f32;
typedef double f64;
__device__ inline f32 number(f32 x) { return x == x ? x : 1.5f; }
__device__ inline f64 number(f64 x) { return x == x ? x : 1.5; }
__device__ inline u32 fold(u32 acc, u32 v) { return acc * 16777619u ^ v; }
__device__ inline u32 fold(u32 acc, s32 v) { return fold(acc, (u32)v); }
__device__ inline u32 fold(u32 acc, u64 v) { return fold(fold(acc, (u32)v), (u32)(v >> 32)); }
__device__ inline u32 fold(u32 acc, s64 v) { return fold(acc, (u64)v); }
__device__ inline u32 fold(u32 acc, f32 v) { return fold(acc, __float_as_uint(v)); }
__device__ inline u32 fold(u32 acc, f64 v) { return fold(acc, (u64)__double_as_longlong(v)); }
"""
)

_FIELDS = {
    "Particle": (("x", "y", "z"), ("tag",)), "Record": (("rate", "worth"), ("key",)),
    "Edge": (("from", "to"), ("weight", "flags")), "Ray": (("from.x", "to.y", "from.z"), ("to.x", "to.z", "from.y")),
}  # fmt: skip


def packed(one: Draft, name: str) -> list[str]:
    """Two halves or bfloats in a word."""
    rng, kind = one.rng, one.rng.choice(("half", "half", "brain"))
    one.kind, one.scalars = "unsigned", [each for each in one.scalars if each == "s"]
    lines = [one.signature(name), f"int i = {INDEX};", rng.choice((EXIT, ""))]
    known = [*loads(one), *one.scalars]
    pairs = ("add", "sub", "mul", "min", "max") if kind == "half" else ("min", "max")
    for number in range(rng.randrange(1, 6)):
        first, second, third = (rng.choice(known[-4:]) for _ in range(3))
        fused = f"{kind}_fma({first}, {second}, {third})"
        simple = f"{kind}_{rng.choice(pairs)}({first}, {second})"
        lines.append(f"unsigned v{number} = {rng.choice((fused, simple, simple))};")
        known.append(f"v{number}")
    if rng.random() < 0.3:
        last = known[-1]
        return [
            *lines,
            f"out[i] = __byte_perm({last}, {rng.choice(known)}, 0x{rng.choice(('1032', '5410', '7632'))});",
            "}",
        ]
    return [*lines, f"out[i] = {known[-1]};", "}"]


def halves(one: Draft, name: str) -> list[str]:
    """Half or bfloat in memory, float in registers."""
    rng, kind = one.rng, one.rng.choice(("half", "brain"))
    one.kind = "float"
    values = [f"{kind}_wide({value})" for value in loads(one, rng.choice(("i", "i", "j")))]
    loop = "[j]" in values[0]
    narrow = rng.random() < 0.6
    lines = [
        one.signature(name, "int n, int m", "unsigned short", "unsigned short" if narrow else ""),
        f"int i = {INDEX};",
        EXIT,
    ]
    if loop:
        lines += [
            "float x = 0.0f;",
            ONCE,
            f"for (int j = i; j < {rng.choice(('n', 'm'))}; j += {rng.choice(('1', 'm', '64'))})",
        ]
        lines += [f"x = {expression(one, ['x', *values], 2)};"]
        values = ["x"]
    value = expression(one, values, 1 if loop else 3)
    return [*lines, f"out[i] = {f'{kind}_narrow({value})' if narrow else value};", "}"]


def structs(one: Draft, name: str) -> list[str]:
    """Fields of structures in an array, read and perhaps written."""
    rng = one.rng
    struct = rng.choice(list(_FIELDS))
    main, rest = _FIELDS[struct]
    one.kind = "int" if struct == "Edge" else "float"
    written = rng.random() < 0.4
    lines = [
        one.signature(name, "int n", struct, struct if written else ""),
        f"int i = {INDEX};",
        rng.choice((EXIT, EXIT, "")),
    ]
    values = [f"({one.kind}){each}[i].{rng.choice((*main, *main, *rest))}" for each in one.inputs for _ in range(2)]
    if rng.random() < 0.3:
        lines += [f"if (a[i].{rng.choice(rest)} {rng.choice(('== 0', '> 3', '< n'))}) return;"]
    if written:
        for part in rng.sample((*main, *rest), rng.randrange(1, 3)):
            lines += [f"out[i].{part} = {expression(one, [*values, f'({one.kind})out[i].{part}'], 2)};"]
        return [*lines, "}"]
    return [*lines, f"out[i] = {expression(one, values, 3)};", "}"]


def fixed(one: Draft, name: str) -> list[str]:
    """Fixed-point numbers: rounded products, saturation, bytes of pixels."""
    rng = one.rng
    one.kind = "int"
    small = rng.choice(("short", "unsigned char", "signed char", "int", "unsigned short"))
    result = rng.choice((small, "unsigned char", "short", ""))
    shift = rng.randrange(2, 16)
    lines = [one.signature(name, "int n", small, result), f"int i = {INDEX};", EXIT]
    known = [*loads(one, rng.choice(("i", "i * 3", "i * 4 + 1"))), *one.scalars]
    known += [f"{one.inputs[0]}[i * {rng.choice((2, 3))} + {rng.choice((1, 2))}]"]
    factor = rng.choice((*one.scalars, str(rng.randrange(3, 300))))
    lines += [f"int x = {rng.choice(known)} * {factor} + {rng.choice(known)} * {rng.randrange(3, 300)};"]
    if rng.random() < 0.5:
        lines += [f"x += {expression(one, known, 1)};"]
    lines += [
        rng.choice(
            (
                f"x = (x + {1 << shift - 1}) >> {shift};",
                f"x >>= {shift};",
                f"x = x / {rng.choice((255, 100, 1000, 3))};",
                "x = __mulhi(x, 0x66666667);",
            )
        )
    ]
    low, high = rng.choice(((0, 255), (-32768, 32767), (-128, 127), (0, 1023)))
    lines += [
        rng.choice(
            (
                f"x = min(max(x, {low}), {high});",
                f"if (x < {low}) x = {low}; else if (x > {high}) x = {high};",
                f"if (x > {high}) x = {high};",
            )
        )
    ]
    return [*lines, "out[i] = x;", "}"]


def float_bits(one: Draft, name: str) -> list[str]:
    """Floats seen as their bits."""
    rng = one.rng
    one.kind = "float"
    lines = [
        one.signature(name),
        f"int i = {INDEX};",
        rng.choice((EXIT, "")),
        f"float x = {expression(one, loads(one), 1)};",
        "int v = __float_as_int(x);",
    ]
    for _ in range(rng.randrange(1, 4)):
        lines.append(
            rng.choice(
                (
                    "v = 0x5f3759df - (v >> 1);",
                    "v = (v >> 23 & 255) - 127;",
                    "v &= 0x7fffffff;",
                    "v ^= v >> 31 & 0x7fffffff;",
                    "v = v < 0 ? ~v : v | 0x80000000;",
                    f"v += {rng.randrange(1, 30)} << 23;",
                    "v = (v & 0x007fffff) | 0x3f800000;",
                    "v = v + 0x7fff + (v >> 16 & 1) & 0xffff0000;",
                    "if ((v & 0x7f800000) == 0x7f800000) v = 0;",
                    f"v = max(v, {rng.getrandbits(30)});",
                    "v = __float2int_rn(__int_as_float(v));",
                )
            )
        )
    lines += [
        "float y = __int_as_float(v);",
        rng.choice(("", "y = y * (1.5f - 0.5f * x * y * y);", f"y = {expression(one, ['x', 'y'], 2)};")),
    ]
    return [
        *lines,
        f"out[i] = {rng.choice(('y', 'y * x', '(float)v', 'copysignf(y, x)'))};",
        "}",
    ]


def dots(one: Draft, name: str) -> list[str]:
    """Products summed, four elements or four bytes at a time."""
    rng = one.rng
    two(one)
    one.kind = rng.choice(("float", "int", "float"))
    packed = one.kind == "int" and rng.random() < 0.6
    wide = f"{one.kind}4" if not packed else "int"
    lines = [
        one.signature(name, "int n, int m", wide, one.kind),
        f"int i = {INDEX};",
        EXIT,
        f"{one.kind} x = {rng.choice(('0', '0', *one.scalars))};",
        rng.choice((ONCE, ONCE, "#pragma unroll 2")),
    ]
    lines += [f"for (int j = 0; j < m; {rng.choice(('++j', '++j', 'j += 32'))}) {{"]
    if packed:
        lines += [
            f"x = __dp4a(a[i * m + j], b[{rng.choice(('j', 'j * n + i'))}], x);",
            rng.choice(("", f"x += {expression(one, ['x', 'a[j]'], 1)};")),
            "}",
        ]
    else:
        lines += [f"{wide} p = a[{rng.choice(('i * m + j', 'j * n + i'))}], q = b[j];"]
        terms = [f"p.{part} * q.{rng.choice((part, part, 'x'))}" for part in rng.sample("xyzw", rng.randrange(1, 5))]
        lines += [f"x += {' + '.join(terms)};", "}"]
    return [*lines, f"out[i] = {expression(one, ['x'], 1)};", "}"]


def generated(one: Draft, name: str) -> list[str]:
    """A small program of tools/kernelgen: all types, conversions, nested control flow; no memory but its own words."""
    rng = one.rng
    scope = Typed(rng)
    one.kind, one.inputs, one.scalars = "unsigned", ["a"], []
    lines = [one.signature(name), f"u32 t = {INDEX}, acc = {rng.getrandbits(31)}u;", "if (t >= n) return;"]
    scope.variables["u32"] += ["t", "p"]
    lines += ["u32 p = a[t];", "s32 q = (s32)(a[t + n] - 3u * t);", "f32 f = __uint_as_float(p);"]
    scope.variables["s32"].append("q")
    scope.variables["f32"].append("f")
    if rng.random() < 0.4:
        lines += ["u64 g = (u64)p * (u32)q;"]
        scope.variables["u64"].append("g")
    body, result = _called_nowhere(scope)
    return [*lines, *body, f"acc = fold(acc, {result});", "out[t] = acc;", "}"]


def _called_nowhere(scope: Typed) -> tuple[list[str], str]:
    """Statements and a last value without divisions and roots: the compiler calls those, the language has no calls."""
    for _ in range(20):
        inner, budget = scope.child(), scope.rng.randrange(1, 5)
        writer = Writer(inner, budget)
        writer.block(inner, 0, False, budget)
        body, result = [line.strip() for line in writer.lines], typed(inner, scope.rng.choice(("u32", "s32", "f32")), 2)
        if not any(word in line for line in (*body, result) for word in ("safe_", "div_rn", "sqrt_rn")):
            return body, result
    return [], "p"


WORDS = {
    "packed": (packed, 6), "halves": (halves, 8), "structs": (structs, 10), "fixed": (fixed, 8),
    "float_bits": (float_bits, 6), "dots": (dots, 6), "generated": (generated, 24),
}  # fmt: skip
