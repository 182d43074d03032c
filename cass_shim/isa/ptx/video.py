"""Video instructions. Source: PTX ISA 9.0 §9.7.16 (scalar) and §9.7.17 (SIMD)."""

from __future__ import annotations

from cass_shim.isa.ptx.spec import Use, Writer, ptx
from cass_shim.isa.ptx.syntax import Negative, Operand, Register
from cass_shim.isa.ptx.types import TYPES

_SIMD = {"2": ("h", 16), "4": ("b", 8)}


def _plain(i: Use, operand: Operand) -> Operand:
    if isinstance(operand, Register) and operand.part:
        raise i.unsupported("a part of a register that the type does not ask for")
    return operand


@ptx(
    *(
        f"v{name}{count}.{{d:u32|s32}}.{{a:u32|s32}}.{{b:u32|s32}}.{{sat}}?.{{add}}?"
        for name in ("add", "sub", "avrg", "absdiff", "min", "max")
        for count in "24"
    )
)
def simd(w: Writer, i: Use) -> None:
    """Per byte or half: the operation on elements taken as the types say; .add sums the results into c."""
    d, a, b, c = i.take(4)
    name, count = i.instruction.opcode[1:-1], i.instruction.opcode[-1]
    bits = _SIMD[count][1]
    types = ", ".join(TYPES[f"{i[part][0]}{bits}"].c for part in ("d", "a", "b"))
    flags = f"{str(bool(i['sat'])).lower()}, {str(bool(i['add'])).lower()}"
    arguments = ", ".join(w.get(_plain(i, operand), "b32") for operand in (a, b, c))
    w.set(d, "b32", f"ptx_simd_{name}<{types}, {flags}>({arguments})")


@ptx(
    "vset2.{a:u32|s32}.{b:u32|s32}.{how:eq|ne|lt|le|gt|ge}.{add}?",
    "vset4.{a:u32|s32}.{b:u32|s32}.{how:eq|ne|lt|le|gt|ge}.{add}?",
)
def simd_set(w: Writer, i: Use) -> None:
    """Per byte or half: 1 where the comparison holds; .add counts them into c."""
    d, a, b, c = i.take(4)
    bits = _SIMD[i.instruction.opcode[-1]][1]
    types = ", ".join(TYPES[f"{i[part][0]}{bits}"].c for part in ("a", "b"))
    arguments = ", ".join(w.get(_plain(i, operand), "b32") for operand in (a, b, c))
    w.set(d, "b32", f"ptx_simd_set_{i['how']}<{types}, {str(bool(i['add'])).lower()}>({arguments})")


@ptx(*(f"v{name}.{{d:u32|s32}}.{{a:u32|s32}}.{{b:u32|s32}}.{{sat}}?.{{op:add|min|max}}?"
       for name in ("add", "sub", "absdiff", "min", "max")))  # fmt: skip
def scalar(w: Writer, i: Use) -> None:
    """In 33 bits and more: a op b, clamped on .sat, then optionally combined with c."""
    operands = i.take(3, 4)
    if (len(operands) == 4) != bool(i["op"]):
        raise i.unsupported("merging into a part of c")
    name = i.instruction.opcode[1:]
    a, b = (_select(w, i, operand, i[part]) for operand, part in ((operands[1], "a"), (operands[2], "b")))
    combined = {"add": f"{a} + {b}", "sub": f"{a} - {b}", "min": f"ptx_min({a}, {b})", "max": f"ptx_max({a}, {b})",
                "absdiff": f"ptx_abs64({a} - {b})"}[name]  # fmt: skip
    result = TYPES[i["d"]].c
    text = f"ptx_clamp<{result}>({combined})" if i["sat"] else f"({result})({combined})"
    if i["op"]:
        c = w.get(operands[3], i["d"])
        text = f"{text} + {c}" if i["op"] == "add" else f"ptx_{i['op']}({text}, {c})"
    w.set(operands[0], i["d"], text)


def _select(w: Writer, i: Use, operand: Operand, type_name: str) -> str:
    """An operand, or the byte or half that its selector names, as i64."""
    if not isinstance(operand, Register) or not operand.part:
        return f"(i64){w.get(operand, type_name)}"
    kind, index = operand.part[1:2], operand.part[2:]
    bits = {"b": 8, "h": 16}.get(kind)
    if bits is None or not index.isdigit():
        raise i.unsupported(f"selector {operand.part}")
    whole = w.get(Register(operand.name, operand.type), "b32")
    return f"(i64)({TYPES[f'{type_name[0]}{bits}'].c})({whole} >> {int(index) * bits})"


@ptx("vshl.{d:u32|s32}.{a:u32|s32}.{b:u32}.{sat}?.{mode:clamp|wrap}.{op:add|min|max}?",
     "vshr.{d:u32|s32}.{a:u32|s32}.{b:u32}.{sat}?.{mode:clamp|wrap}.{op:add|min|max}?")  # fmt: skip
def shift(w: Writer, i: Use) -> None:
    """a shifted by b, clamped or wrapped to 32."""
    operands = i.take(3, 4)
    amount = _select(w, i, operands[2], "u32")
    amount = f"({amount} & 31)" if i["mode"] == "wrap" else f"ptx_min({amount}, 32l)"
    operator = "<<" if i.instruction.opcode == "vshl" else ">>"
    result = TYPES[i["d"]].c
    value = f"({_select(w, i, operands[1], i['a'])} {operator} {amount})"
    text = f"ptx_clamp<{result}>({value})" if i["sat"] else f"({result}){value}"
    if i["op"]:
        c = w.get(operands[3], i["d"])
        text = f"{text} + {c}" if i["op"] == "add" else f"ptx_{i['op']}({text}, {c})"
    w.set(operands[0], i["d"], text)


@ptx("vset.{a:u32|s32}.{b:u32|s32}.{how:eq|ne|lt|le|gt|ge}.{op:add|min|max}?")
def set_(w: Writer, i: Use) -> None:
    """1 where the comparison holds, else 0; optionally combined with c."""
    operands = i.take(3, 4)
    a, b = (_select(w, i, operand, i[part]) for operand, part in ((operands[1], "a"), (operands[2], "b")))
    operator = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}[i["how"]]
    text = f"(u32)({a} {operator} {b})"
    if i["op"]:
        c = w.get(operands[3], "u32")
        text = f"{text} + {c}" if i["op"] == "add" else f"ptx_{i['op']}({text}, {c})"
    w.set(operands[0], "u32", text)


@ptx("vmad.{d:u32|s32}.{a:u32|s32}.{b:u32|s32}.{sat}?.{scale:shr7|shr15}?",
     "vmad.{d:u32|s32}.{a:u32|s32}.{b:u32|s32}.{po}.{sat}?.{scale:shr7|shr15}?")  # fmt: skip
def mad(w: Writer, i: Use) -> None:
    """a × b + c (+ 1 on .po), scaled down, clamped on .sat."""
    operands = i.take(4)
    negative = any(isinstance(operand, Negative) for operand in operands)
    if negative:
        raise i.unsupported("a negated operand")
    a, b = (_select(w, i, operand, i[part]) for operand, part in ((operands[1], "a"), (operands[2], "b")))
    total = f"(__int128){a} * {b} + {_select(w, i, operands[3], i['d'])}{' + 1' if i['po'] else ''}"
    scale = {"shr7": " >> 7", "shr15": " >> 15"}.get(i["scale"], "")
    result = TYPES[i["d"]].c
    value = f"(i64)(({total}){scale})"
    w.set(operands[0], i["d"], f"ptx_clamp<{result}>({value})" if i["sat"] else f"({result})({value})")
