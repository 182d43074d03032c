"""f32 and f64 arithmetic. Source: PTX ISA 9.0 §9.7.3.

Round to nearest is the C++ operator (contraction is off); other roundings switch the mode register around one
instruction. `.ftz` flushes inputs and results. Approximate functions are the device's own instructions.
"""

from __future__ import annotations

from cass_shim.isa.ptx.spec import Use, Writer, ptx

ROUNDINGS = "rn|rz|rm|rp"
_OPERATORS = {"add": "+", "sub": "-", "mul": "*"}


def finish(i: Use, text: str) -> str:
    """Flush and saturate a result as the instruction says."""
    if i["ftz"]:
        text = f"ptx_ftz({text})"
    return f"ptx_sat({text})" if i["sat"] else text


def source(w: Writer, i: Use, index: int) -> str:
    """An operand, flushed on .ftz."""
    text = w.get(i.operands[index], i.t)
    return f"ptx_ftz({text})" if i["ftz"] else text


def directed(i: Use) -> bool:
    return i["rnd"] not in ("", "rn")


@ptx(
    *(f"{name}.{{rnd:{ROUNDINGS}}}?.{{ftz}}?.{{sat}}?.{{t:f32}}" for name in ("add", "sub", "mul")),
    *(f"{name}.{{rnd:{ROUNDINGS}}}?.{{t:f64}}" for name in ("add", "sub", "mul")),
)
def add_sub_mul(w: Writer, i: Use) -> None:
    """a + b, a - b, a × b."""
    i.take(3)
    a, b = source(w, i, 1), source(w, i, 2)
    opcode = i.instruction.opcode
    if directed(i):
        text = f"ptx_{opcode}_{i['rnd']}({a}, {b})"
    else:
        text = f"{a} {_OPERATORS[opcode]} {b}"
    w.set(i.operands[0], i.t, finish(i, text))


@ptx(
    f"fma.{{rnd:{ROUNDINGS}}}.{{ftz}}?.{{sat}}?.{{t:f32}}",
    f"fma.{{rnd:{ROUNDINGS}}}.{{t:f64}}",
    f"mad.{{rnd:{ROUNDINGS}}}.{{ftz}}?.{{sat}}?.{{t:f32}}",
    f"mad.{{rnd:{ROUNDINGS}}}.{{t:f64}}",
)
def fma(w: Writer, i: Use) -> None:
    """a × b + c, rounded once. mad is fma on every GPU that PTX 6 and later know."""
    i.take(4)
    a, b, c = (source(w, i, index) for index in (1, 2, 3))
    if directed(i):
        text = f"ptx_fma_{i['rnd']}({a}, {b}, {c})"
    else:
        text = f"__builtin_fma{'f' if i.t == 'f32' else ''}({a}, {b}, {c})"
    w.set(i.operands[0], i.t, finish(i, text))


@ptx("div.{approx}.{ftz}?.{t:f32}", "div.{full}.{ftz}?.{t:f32}")
def div_approx(w: Writer, i: Use) -> None:
    """a / b to 2 ULP; .approx gives 0 for |b| above 2^126, as a × (1 / b) does."""
    i.take(3)
    kind = "approx" if i["approx"] else "full"
    w.set(i.operands[0], "f32", finish(i, f"ptx_div_{kind}({source(w, i, 1)}, {source(w, i, 2)})"))


@ptx(f"div.{{rnd:{ROUNDINGS}}}.{{ftz}}?.{{t:f32}}", f"div.{{rnd:{ROUNDINGS}}}.{{t:f64}}")
def div(w: Writer, i: Use) -> None:
    """a / b, correctly rounded."""
    i.take(3)
    a, b = source(w, i, 1), source(w, i, 2)
    w.set(i.operands[0], i.t, finish(i, f"ptx_div_{i['rnd']}({a}, {b})" if directed(i) else f"{a} / {b}"))


@ptx(
    f"rcp.{{rnd:{ROUNDINGS}}}.{{ftz}}?.{{t:f32}}",
    f"rcp.{{rnd:{ROUNDINGS}}}.{{t:f64}}",
    f"sqrt.{{rnd:{ROUNDINGS}}}.{{ftz}}?.{{t:f32}}",
    f"sqrt.{{rnd:{ROUNDINGS}}}.{{t:f64}}",
)
def rcp_sqrt(w: Writer, i: Use) -> None:
    """1 / a or the square root, correctly rounded."""
    i.take(2)
    a = source(w, i, 1)
    one = "1.0f" if i.t == "f32" else "1.0"
    if i.instruction.opcode == "rcp":
        text = f"ptx_div_{i['rnd']}({one}, {a})" if directed(i) else f"{one} / {a}"
    elif directed(i):
        text = f"ptx_sqrt_{i['rnd']}({a})"
    else:
        text = f"__builtin_sqrt{'f' if i.t == 'f32' else ''}({a})"
    w.set(i.operands[0], i.t, finish(i, text))


@ptx(
    "rcp.approx.{ftz}?.{t:f32}", "sqrt.approx.{ftz}?.{t:f32}", "rsqrt.approx.{ftz}?.{t:f32}",
    "sin.approx.{ftz}?.{t:f32}", "cos.approx.{ftz}?.{t:f32}", "lg2.approx.{ftz}?.{t:f32}",
    "ex2.approx.{ftz}?.{t:f32}", "tanh.approx.{t:f32}", "rcp.approx.{ftz}.{t:f64}", "rsqrt.approx.{ftz}?.{t:f64}",
)  # fmt: skip
def approximate(w: Writer, i: Use) -> None:
    """The device's approximation, within the error that PTX states for it."""
    i.take(2)
    high = "_high" if i.t == "f64" and i["ftz"] else ""  # these read and write the upper word only
    w.set(i.operands[0], i.t, finish(i, f"ptx_{i.instruction.opcode}{high}({source(w, i, 1)})"))


@ptx("abs.{ftz}?.{t:f32}", "abs.{t:f64}", "neg.{ftz}?.{t:f32}", "neg.{t:f64}")
def abs_neg(w: Writer, i: Use) -> None:
    """The sign bit cleared or flipped."""
    i.take(2)
    a = source(w, i, 1)
    suffix = "f" if i.t == "f32" else ""
    w.set(i.operands[0], i.t, f"__builtin_fabs{suffix}({a})" if i.instruction.opcode == "abs" else f"-{a}")


@ptx(
    "min.{ftz}?.{NaN}?.{xorsign:xorsign}?.{abs}?.{t:f32}",
    "max.{ftz}?.{NaN}?.{xorsign:xorsign}?.{abs}?.{t:f32}",
    "min.{t:f64}",
    "max.{t:f64}",
    only={"xorsign": "abs", "abs": "xorsign"},
)
def min_max(w: Writer, i: Use) -> None:
    """IEEE minimumNumber or maximumNumber, -0 below +0; .NaN lets a NaN through. Three inputs from PTX 8.8 on."""
    count = len(i.take(3, 4))
    if count == 4 and i["xorsign"]:
        raise i.unsupported(".xorsign with three inputs")
    name = f"ptx_f{i.instruction.opcode}{'_nan' if i['NaN'] else ''}"
    sources = [source(w, i, index) for index in range(1, count)]
    if i["abs"]:
        sources = [f"__builtin_fabsf({text})" for text in sources]
    text = f"{name}({sources[0]}, {sources[1]})"
    if count == 4:
        text = f"{name}({text}, {sources[2]})"
    if i["xorsign"]:
        text = f"ptx_xorsign({text}, {source(w, i, 1)}, {source(w, i, 2)})"
    w.set(i.operands[0], i.t, text)


@ptx("testp.{how:finite|infinite|number|notanumber|normal|subnormal}.{t:f32|f64}")
def testp(w: Writer, i: Use) -> None:
    """The class of a number."""
    d, a = i.take(2)
    w.set(d, "pred", f"ptx_is_{i['how']}({w.get(a, i.t)})")


@ptx("copysign.{t:f32|f64}")
def copysign(w: Writer, i: Use) -> None:
    """b with the sign of a."""
    d, a, b = i.take(3)
    suffix = "f" if i.t == "f32" else ""
    w.set(d, i.t, f"__builtin_copysign{suffix}({w.get(b, i.t)}, {w.get(a, i.t)})")


def _element(i: Use, opcode: str, sources: list[str]) -> str:
    """add, sub, mul or fma of f32 expressions, rounded, flushed and saturated as the instruction says."""
    flushed = [f"ptx_ftz({text})" if i["ftz"] else text for text in sources]
    if directed(i):
        text = f"ptx_{opcode}_{i['rnd']}({', '.join(flushed)})"
    elif opcode == "fma":
        text = f"__builtin_fmaf({', '.join(flushed)})"
    else:
        text = f" {_OPERATORS[opcode]} ".join(flushed)
    return finish(i, text)


@ptx(
    *(f"{name}.{{rnd:{ROUNDINGS}}}?.{{ftz}}?.{{t:f32x2}}" for name in ("add", "sub", "mul")),
    f"fma.{{rnd:{ROUNDINGS}}}.{{ftz}}?.{{t:f32x2}}",
)
def pairs(w: Writer, i: Use) -> None:
    """On both halves of 64 bits (sm_100)."""
    opcode = i.instruction.opcode
    count = 3 if opcode == "fma" else 2
    d, *sources = i.take(count + 1)
    for operand in i.operands:
        w.agree(operand, i.t)
    names = ["x", "y", "z"][:count]
    function = f"[]({', '.join(f'f32 {name}' for name in names)}) {{ return {_element(i, opcode, names)}; }}"
    arguments = ", ".join(w.get(source, "b64") for source in sources)
    w.set(d, "b64", f"ptx_pair_f32({function}, {arguments})")


@ptx(
    f"add.{{rnd:{ROUNDINGS}}}?.{{sat}}?.f32.{{a:f16|bf16}}",
    f"sub.{{rnd:{ROUNDINGS}}}?.{{sat}}?.f32.{{a:f16|bf16}}",
    f"fma.{{rnd:{ROUNDINGS}}}.{{sat}}?.f32.{{a:f16|bf16}}",
)
def mixed(w: Writer, i: Use) -> None:
    """As on f32, with sources of f16 or bf16 but for the last (sm_100)."""
    opcode = i.instruction.opcode
    d, *narrow, last = i.take(4 if opcode == "fma" else 3)
    wide = [w.get(source, i["a"]) for source in narrow]
    wide = [f"(f32){text}" if i["a"] == "f16" else f"ptx_bf16_to_f32({text})" for text in wide]
    w.set(d, "f32", _element(i, opcode, [*wide, w.get(last, "f32")]))
