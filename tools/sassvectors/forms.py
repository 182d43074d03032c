"""PTX kernels, one instruction each.

They make ptxas emit the SASS forms we want vectors for, and are themselves executed on a real GPU: `module` is the
whole file, `python3 -m tools.sassvectors.forms` prints it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

# PTX type → (register class, load/store type, bytes)
CLASSES = {
    "u16": ("rs", "u16"), "s16": ("rs", "u16"), "b16": ("rs", "u16"), "f16": ("rs", "u16"), "bf16": ("rs", "u16"),
    "u32": ("r", "u32"), "s32": ("r", "u32"), "b32": ("r", "u32"), "f16x2": ("r", "u32"), "bf16x2": ("r", "u32"),
    "u64": ("rd", "u64"), "s64": ("rd", "u64"), "b64": ("rd", "u64"), "f32": ("f", "f32"), "f64": ("fd", "f64"),
    "pred": ("p", "pred"), "u8": ("rs", "u8"), "s8": ("rs", "s8"),
}  # fmt: skip
ROUNDINGS = ("rn", "rz", "rm", "rp")
COMPARES = ("eq", "ne", "lt", "le", "gt", "ge")
UNORDERED = ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")


def integer() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """(instruction, result type, operand types)."""
    for t in ("u16", "s16", "u32", "s32", "u64", "s64"):
        for op in ("add", "sub", "min", "max", "div", "rem", "mul.lo", "mul.hi"):
            yield f"{op}.{t}", t, (t, t)
        yield f"mad.lo.{t}", t, (t, t, t)
    for t, wide in (("u16", "u32"), ("s16", "s32"), ("u32", "u64"), ("s32", "s64")):
        yield f"mul.wide.{t}", wide, (t, t)
        yield f"mad.wide.{t}", wide, (t, t, wide)
    for t in ("u32", "s32", "u64", "s64"):
        yield f"mad.hi.{t}", t, (t, t, t)
        yield f"bfe.{t}", t, (t, "u32", "u32")
        yield f"bfind.{t}", "u32", (t,)
        yield f"bfind.shiftamt.{t}", "u32", (t,)
    for t in ("s16", "s32", "s64"):
        yield f"abs.{t}", t, (t,)
        yield f"neg.{t}", t, (t,)
    for t in ("b32", "b64"):
        yield f"popc.{t}", "u32", (t,)
        yield f"clz.{t}", "u32", (t,)
        yield f"brev.{t}", t, (t,)
        yield f"bfi.{t}", t, (t, t, "u32", "u32")
        for op in ("and", "or", "xor"):
            yield f"{op}.{t}", t, (t, t)
        yield f"not.{t}", t, (t,)
        yield f"shl.{t}", t, (t, "u32")
    for t in ("u16", "s16", "u32", "s32", "u64", "s64"):
        yield f"shr.{t}", t, (t, "u32")
    yield from packed()


def packed() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Bytes, halves and bit fields within a word: as `integer`, whose last part it is (the order is recorded)."""
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        yield f"prmt.b32{mode}", "b32", ("b32", "b32", "b32")
    for direction, mode in product("lr", ("clamp", "wrap")):
        yield f"shf.{direction}.{mode}.b32", "b32", ("b32", "b32", "u32")
    for t in ("u32", "s32"):
        yield f"sad.{t}", t, (t, t, t)
        for u in ("u32", "s32"):
            acc = "u32" if t == u == "u32" else "s32"
            yield f"dp4a.{t}.{u}", acc, (t, u, acc)
            for half in ("lo", "hi"):
                yield f"dp2a.{half}.{t}.{u}", acc, (t, u, acc)
        yield f"mul24.lo.{t}", t, (t, t)
        yield f"mul24.hi.{t}", t, (t, t)
    yield "bmsk.clamp.b32", "b32", ("b32", "b32")
    yield "bmsk.wrap.b32", "b32", ("b32", "b32")
    yield "szext.clamp.s32", "s32", ("s32", "u32")
    yield "szext.wrap.u32", "u32", ("u32", "u32")
    for lut in (0x01, 0x1E, 0x2D, 0x55, 0x69, 0x80, 0x96, 0xB8, 0xCA, 0xD8, 0xE8, 0xFE):
        yield f"lop3.b32:{lut}", "b32", ("b32", "b32", "b32")
    for op in ("min", "max"):
        yield f"{op}.relu.s32", "s32", ("s32", "s32")
    for t in ("u16x2", "s16x2"):
        for op in ("add", "min", "max"):
            yield f"{op}.{t}", "b32", ("b32", "b32")


def compare() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """setp, set, selp and slct."""
    for t in ("u32", "s32", "u64", "s64", "u16", "s16"):
        for c in COMPARES:
            yield f"setp.{c}.{t}", "pred", (t, t)
    for t in ("f32", "f64", "f16", "bf16"):
        for c in (*COMPARES, *UNORDERED):
            yield f"setp.{c}.{t}", "pred", (t, t)
            if t == "f32":
                yield f"setp.{c}.ftz.f32", "pred", (t, t)
    for c, t in product(("lt", "equ"), ("f32", "s32", "f64")):
        if t == "s32" and c == "equ":
            continue
        yield f"set.{c}.u32.{t}", "u32", (t, t)
        yield f"set.{c}.f32.{t}", "f32", (t, t)
    for c in ("lt", "ge", "equ", "nan"):
        yield f"set.{c}.f16x2.f16x2", "f16x2", ("f16x2", "f16x2")
        yield f"set.{c}.bf16x2.bf16x2", "bf16x2", ("bf16x2", "bf16x2")
    for t in ("u32", "f32", "u64", "f64"):
        yield f"slct.{t}.s32", t, (t, t, "s32")
        yield f"slct.{t}.f32", t, (t, t, "f32")
    for c in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        yield f"testp.{c}.f32", "pred", ("f32",)
        yield f"testp.{c}.f64", "pred", ("f64",)
    yield "copysign.f32", "f32", ("f32", "f32")
    yield "copysign.f64", "f64", ("f64", "f64")


def floating() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Arithmetic in all precisions and modes."""
    for r, ftz, sat in product(ROUNDINGS, ("", ".ftz"), ("", ".sat")):
        for op in ("add", "sub", "mul"):
            yield f"{op}.{r}{ftz}{sat}.f32", "f32", ("f32", "f32")
        yield f"fma.{r}{ftz}{sat}.f32", "f32", ("f32", "f32", "f32")
    for r in ROUNDINGS:
        for op in ("add", "sub", "mul", "div"):
            yield f"{op}.{r}.f64", "f64", ("f64", "f64")
        yield f"fma.{r}.f64", "f64", ("f64", "f64", "f64")
        yield f"sqrt.{r}.f64", "f64", ("f64",)
        yield f"rcp.{r}.f64", "f64", ("f64",)
        for ftz in ("", ".ftz"):
            yield f"div.{r}{ftz}.f32", "f32", ("f32", "f32")
            yield f"sqrt.{r}{ftz}.f32", "f32", ("f32",)
            yield f"rcp.{r}{ftz}.f32", "f32", ("f32",)
    for ftz in ("", ".ftz"):
        for op in ("rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"):
            yield f"{op}.approx{ftz}.f32", "f32", ("f32",)
        yield f"div.full{ftz}.f32", "f32", ("f32", "f32")
        yield f"div.approx{ftz}.f32", "f32", ("f32", "f32")
        for op in ("abs", "neg"):
            yield f"{op}{ftz}.f32", "f32", ("f32",)
        for op, nan, mode in product(("min", "max"), ("", ".NaN"), ("", ".xorsign.abs")):
            yield f"{op}{ftz}{nan}{mode}.f32", "f32", ("f32", "f32")
    yield "tanh.approx.f32", "f32", ("f32",)
    yield "rcp.approx.ftz.f64", "f64", ("f64",)
    yield "rsqrt.approx.f64", "f64", ("f64",)
    yield "rsqrt.approx.ftz.f64", "f64", ("f64",)
    for op in ("min", "max"):
        yield f"{op}.f64", "f64", ("f64", "f64")
    for op in ("abs", "neg"):
        yield f"{op}.f64", "f64", ("f64",)
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        ftzs = ("", ".ftz") if t.startswith("f16") else ("",)
        for ftz in ftzs:
            for op in ("add", "sub", "mul"):
                yield f"{op}.rn{ftz}.{t}", t, (t, t)
                if t.startswith("f16"):
                    yield f"{op}.rn{ftz}.sat.{t}", t, (t, t)
            yield f"fma.rn{ftz}.{t}", t, (t, t, t)
            yield f"fma.rn{ftz}.relu.{t}", t, (t, t, t)
            if t.startswith("f16"):
                yield f"fma.rn{ftz}.sat.{t}", t, (t, t, t)
            for op, nan in product(("min", "max"), ("", ".NaN")):
                yield f"{op}{ftz}{nan}.{t}", t, (t, t)
            yield f"abs{ftz}.{t}", t, (t,)
            yield f"neg{ftz}.{t}", t, (t,)
        yield f"tanh.approx.{t}", t, (t,)
        yield f"ex2.approx{'.ftz' if t.startswith('bf') else ''}.{t}", t, (t,)


def saturates(to: str, source: str) -> bool:
    """Whether cvt.sat is legal: the source's range is not contained in the target's."""
    to_bits, from_bits = int(to[1:]), int(source[1:])
    if to[0] == source[0]:
        return to_bits < from_bits
    return to[0] == "u" or to_bits <= from_bits


def convert() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """cvt between every pair of types and modes."""
    integers = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
    for a, b in product(integers, integers):
        if a != b:
            yield f"cvt.{a}.{b}", a, (b,)
            if saturates(a, b):
                yield f"cvt.sat.{a}.{b}", a, (b,)
    for f, i in product(("f16", "f32", "f64"), integers):
        for r in ROUNDINGS:
            yield f"cvt.{r}.{f}.{i}", f, (i,)
        for r, ftz in product(("rni", "rzi", "rmi", "rpi"), ("", ".ftz") if f == "f32" else ("",)):
            yield f"cvt.{r}{ftz}.{i}.{f}", i, (f,)
    for r, f in product(("rni", "rzi", "rmi", "rpi"), ("f16", "f32", "f64")):
        yield f"cvt.{r}.{f}.{f}", f, (f,)
        yield f"cvt.{r}.sat.{f}.{f}", f, (f,)
    for r in ROUNDINGS:
        yield f"cvt.{r}.f32.f64", "f32", ("f64",)
        yield f"cvt.{r}.ftz.f32.f64", "f32", ("f64",)
        yield f"cvt.{r}.f16.f32", "f16", ("f32",)
        yield f"cvt.{r}.f16.f64", "f16", ("f64",)
    for name in ("f64.f32", "ftz.f64.f32", "f32.f16", "ftz.f32.f16", "f64.f16", "f32.bf16"):
        to, source = name.split(".")[-2:]
        yield f"cvt.{name}", to, (source,)
    for r, t, relu in product(("rn", "rz"), ("f16", "bf16"), ("", ".relu")):
        yield f"cvt.{r}{relu}.{t}x2.f32", f"{t}x2", ("f32", "f32")
        yield f"cvt.{r}{relu}.{t}.f32", t, ("f32",)
    yield "cvt.rna.tf32.f32", "b32", ("f32",)
    yield "cvt.sat.f32.f32", "f32", ("f32",)
    for t, relu in product(("e4m3x2", "e5m2x2"), ("", ".relu")):
        yield f"cvt.rn.satfinite{relu}.{t}.f32", "b16", ("f32", "f32")
        yield f"cvt.rn.satfinite{relu}.{t}.f16x2", "b16", ("f16x2",)
        yield f"cvt.rn{relu}.f16x2.{t}", "f16x2", ("b16",)


def warp() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Cross-lane instructions with all lanes taking part."""
    for mode in ("up", "down", "bfly", "idx"):
        yield f"shfl.sync.{mode}.b32", "b32|p", ("b32", "b32", "b32")
    for t in ("b32", "b64"):
        yield f"match.any.sync.{t}", "b32", (t,)
        yield f"match.all.sync.{t}", "b32|p", (t,)
    for op in ("add", "min", "max"):
        for t in ("u32", "s32"):
            yield f"redux.sync.{op}.{t}", t, (t,)
    for op in ("and", "or", "xor"):
        yield f"redux.sync.{op}.b32", "b32", ("b32",)


def kernel(number: int, instruction: str, result: str, operands: tuple[str, ...]) -> str:
    """One entry: each thread loads its operands at in + 80 * thread + 8k, executes, stores at out + 16 * thread."""
    lines = []
    names = []
    for index, kind in enumerate(operands):
        register, load = CLASSES[kind]
        names.append(f"%{register}{index + 1}")
        lines.append(f"ld.global.{load} {names[-1]}, [%rd20+{8 * index}];")
    name, _, lut = instruction.partition(":")
    both = result.endswith("|p")
    register, store = CLASSES[result.removesuffix("|p")]
    target = f"%{register}10" + ("|%p11" if both else "")
    arguments = [target, *names]
    if lut:
        arguments.append(lut)
    if name.startswith(("shfl", "match", "redux")):
        arguments.append("0xffffffff")
    lines.append(f"{name} {', '.join(arguments)};")
    if result == "pred" or both:
        lines.append(f"selp.u32 %r12, 1, 0, %p{11 if both else 10};")
        lines.append("st.global.u32 [%rd21+8], %r12;")
    if result != "pred":
        lines.append(f"st.global.{store} [%rd21], %{register}10;")
    body = "\n  ".join(lines)
    return f"""
.visible .entry t{number}(.param .u64 p0, .param .u64 p1) {{
  .reg .b16 %rs<30>; .reg .b32 %r<30>; .reg .b64 %rd<30>; .reg .f32 %f<30>; .reg .f64 %fd<30>; .reg .pred %p<30>;
  ld.param.u64 %rd20, [p0]; ld.param.u64 %rd21, [p1];
  mov.u32 %r20, %tid.x; mad.wide.u32 %rd20, %r20, 80, %rd20; mad.wide.u32 %rd21, %r20, 16, %rd21;
  {body}
  ret;
}}"""


def all_forms() -> list[tuple[str, str, tuple[str, ...]]]:
    """Every (instruction, result, operands)."""
    return [*integer(), *compare(), *floating(), *convert(), *warp()]


HEADER = ".version 8.6\n.target sm_{sm}\n.address_size 64\n"


def module(sm: int = 90) -> str:
    """The PTX module of all forms; entry tN is form N."""
    return HEADER.format(sm=sm) + "".join(kernel(number, *form) for number, form in enumerate(all_forms()))


if __name__ == "__main__":
    print(module())
