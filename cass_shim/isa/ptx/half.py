"""f16, bf16 and their packed pairs. Source: PTX ISA 9.0 §9.7.4.

One expression per element; a pair applies it to both halves. bf16 results are computed exactly enough in f64 or f32
that the one rounding at the end is the only one.
"""

from __future__ import annotations

from collections.abc import Callable

from cass_shim.isa.ptx.spec import Use, Writer, ptx

_HALF = "f16|f16x2|bf16|bf16x2"
_FLUSHED = {"ftz": "f16 f16x2"}


def elementwise(w: Writer, i: Use, count: int, build: Callable[[str, list[str]], str]) -> None:
    """Apply `build(element type, operand expressions)` to the element, or to both halves of a pair."""
    for operand in i.take(count + 1):
        w.agree(operand, i.t)
    element, packed = i.t.removesuffix("x2"), i.t.endswith("x2")
    c = "f16" if element == "f16" else "u16"
    sources = [w.get(operand, "b32" if packed else i.t) for operand in i.operands[1:]]
    if not packed:
        w.set(i.operands[0], i.t, build(element, sources))
        return
    names = ["x", "y", "z"][:count]
    parameters = ", ".join(f"{c} {name}" for name in names)
    function = f"[]({parameters}) {{ return ({c})({build(element, names)}); }}"
    w.set(i.operands[0], "b32", f"ptx_pair<{c}>({function}, {', '.join(sources)})")


def _finish(i: Use, element: str, text: str) -> str:
    """Flush, saturate, clamp below zero: as the modifiers say."""
    if element == "bf16":
        return f"ptx_bf16_relu({text})" if i["relu"] else text
    if i["ftz"]:
        text = f"ptx_ftz((f16)({text}))"
    if i["relu"]:
        text = f"ptx_relu((f16)({text}))"
    return f"ptx_sat((f16)({text}))" if i["sat"] else text


def _flush(i: Use, sources: list[str]) -> list[str]:
    return [f"ptx_ftz({text})" for text in sources] if i["ftz"] else sources


@ptx(
    *(f"{name}.{{rnd:rn}}?.{{ftz}}?.{{sat}}?.{{t:f16|f16x2}}" for name in ("add", "sub", "mul")),
    *(f"{name}.{{rnd:rn}}?.{{t:bf16|bf16x2}}" for name in ("add", "sub", "mul")),
)
def add_sub_mul(w: Writer, i: Use) -> None:
    """a + b, a - b, a × b."""
    operator = {"add": "+", "sub": "-", "mul": "*"}[i.instruction.opcode]

    def build(element: str, sources: list[str]) -> str:
        if element == "bf16":
            a, b = (f"(f64)ptx_bf16_to_f32({text})" for text in sources)
            if operator == "*":
                return f"ptx_f64_to_bf16_rn({a} * {b})"
            return f"ptx_f64_to_bf16_rn(ptx_add_odd({a}, {operator.replace('+', '')}{b}))"
        a, b = _flush(i, sources)
        return _finish(i, element, f"{a} {operator} {b}")

    elementwise(w, i, 2, build)


@ptx("fma.{rnd:rn}.{ftz}?.{sat}?.{t:f16|f16x2}", "fma.{rnd:rn}.{ftz}?.{relu}.{t:f16|f16x2}",
     "fma.{rnd:rn}.{relu}?.{t:bf16|bf16x2}")  # fmt: skip
def fma(w: Writer, i: Use) -> None:
    """a × b + c, rounded once."""
    elementwise(w, i, 3, lambda element, sources: _fma(i, element, sources))


def _fma(i: Use, element: str, sources: list[str]) -> str:
    if element == "bf16":
        a, b, c = (f"(f64)ptx_bf16_to_f32({text})" for text in sources)
        return _finish(i, element, f"ptx_f64_to_bf16_rn(ptx_add_odd({a} * {b}, {c}))")
    a, b, c = _flush(i, sources)
    return _finish(i, element, f"__builtin_fmaf16({a}, {b}, {c})")


@ptx("fma.{rnd:rn}.{oob}.{relu}?.{t:f16|f16x2|bf16|bf16x2}", "fma.{rnd:rn}.{oob}.{sat}.{t:f16|f16x2}")
def fma_oob(w: Writer, i: Use) -> None:
    """fma, but +0 where a factor is the NaN that copies of tensors put beyond their bounds (0x7ff7 of either sign).

    Sources of that value: bytes that such copies fill in, as two public emulators of sm_100 have them.
    """

    def build(element: str, sources: list[str]) -> str:
        a, b, _ = sources
        zero = "(u16)0" if element == "bf16" else "(f16)0"
        return f"ptx_oob({a}) || ptx_oob({b}) ? {zero} : {_fma(i, element, sources)}"

    elementwise(w, i, 3, build)


@ptx(f"neg.{{ftz}}?.{{t:{_HALF}}}", f"abs.{{ftz}}?.{{t:{_HALF}}}", only=_FLUSHED)
def neg_abs(w: Writer, i: Use) -> None:
    """The sign bit flipped or cleared."""

    def build(element: str, sources: list[str]) -> str:
        if element == "bf16":
            mask = "^ 0x8000" if i.instruction.opcode == "neg" else "& 0x7fff"
            return f"(u16)({sources[0]} {mask})"
        a = _flush(i, sources)[0]
        return f"-{a}" if i.instruction.opcode == "neg" else f"__builtin_fabsf16({a})"

    elementwise(w, i, 1, build)


@ptx(
    *(f"{name}.{{ftz}}?.{{NaN}}?.{{t:{_HALF}}}" for name in ("min", "max")),
    *(f"{name}.{{ftz}}?.{{NaN}}?.{{xorsign}}.{{abs}}.{{t:{_HALF}}}" for name in ("min", "max")),
    only=_FLUSHED,
)
def min_max(w: Writer, i: Use) -> None:
    """IEEE minimumNumber or maximumNumber; .NaN lets a NaN through."""
    name = f"ptx_f{i.instruction.opcode}{'_nan' if i['NaN'] else ''}"

    def build(element: str, sources: list[str]) -> str:
        if element == "bf16":
            a, b = (f"ptx_bf16_to_f32({text})" for text in sources)
        else:
            a, b = (f"(f32){text}" for text in _flush(i, sources))
        x, y = (f"__builtin_fabsf({a})", f"__builtin_fabsf({b})") if i["abs"] else (a, b)
        text = f"{name}({x}, {y})"
        text = f"ptx_xorsign({text}, {a}, {b})" if i["xorsign"] else text
        return f"ptx_f32_to_bf16_rn({text})" if element == "bf16" else f"(f16){text}"

    elementwise(w, i, 2, build)


@ptx(f"tanh.approx.{{t:{_HALF}}}", "ex2.approx.{t:f16|f16x2}", "ex2.approx.ftz.{t:bf16|bf16x2}")
def approximate(w: Writer, i: Use) -> None:
    """Computed in f32 and rounded: inside the error PTX states."""
    name = f"ptx_{i.instruction.opcode}"

    def build(element: str, sources: list[str]) -> str:
        if element == "bf16":
            return f"ptx_f32_to_bf16_rn({name}(ptx_bf16_to_f32({sources[0]})))"
        return _finish(i, element, f"(f16){name}((f32){_flush(i, sources)[0]})")

    elementwise(w, i, 1, build)
