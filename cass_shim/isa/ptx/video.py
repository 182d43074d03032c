"""Video instructions. Source: PTX ISA 9.0 §9.7.16 (scalar) and §9.7.17 (SIMD).

A scalar instruction takes bytes or halves by selectors (`a.b1`), clamps to what its destination names and either
combines with c or merges into a part of it. A SIMD one works on all bytes or halves; selectors (`a.h32`) pick them from
the pair b:a, and a mask on the destination says which elements are computed, the others being c's.
"""

from __future__ import annotations

import re

from cass_shim.isa.ptx.spec import Use, Writer, ptx
from cass_shim.isa.ptx.syntax import Negative, Operand, Register
from cass_shim.isa.ptx.types import TYPES

_BITS = {"h": 16, "b": 8}
_COUNTED = {"2": "h", "4": "b"}
_EXACT = {"add": "x + y", "sub": "x - y", "min": "x < y ? x : y", "max": "x > y ? x : y",
          "absdiff": "x < y ? y - x : x - y", "avrg": "x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1",
          "eq": "(i64)(x == y)", "ne": "(i64)(x != y)", "lt": "(i64)(x < y)", "le": "(i64)(x <= y)",
          "gt": "(i64)(x > y)", "ge": "(i64)(x >= y)"}  # fmt: skip


def _register(i: Use, operand: Operand) -> Register:
    if not isinstance(operand, Register):
        raise i.unsupported("a constant where SIMD takes a register")
    return Register(operand.name, operand.type, operand.special)


def _digits(i: Use, operand: Operand, letter: str, most: int) -> list[int]:
    """Elements that a selector names, the lowest first; all of the operand's own when there is none."""
    part = operand.part if isinstance(operand, Register) else ""
    if not part:
        return []
    digits = [int(digit) for digit in reversed(part[2:])]
    if part[1] != letter or any(digit >= most for digit in digits):
        raise i.unsupported(f"selector {part}")
    return digits


def _chosen(w: Writer, i: Use, index: int, type_name: str, letter: str) -> str:
    """Source `index` (1: a, 2: b) of a SIMD instruction, its elements taken from b:a as its selector says."""
    count = 32 // _BITS[letter]
    digits = _digits(i, i.operands[index], letter, 2 * count)
    if not digits:
        return w.get(_register(i, i.operands[index]), type_name)
    if len(digits) != count:
        raise i.unsupported(f"a selector of {len(digits)} elements")
    size = _BITS[letter] // 8
    taken = "".join(f"{digit * size + byte:02x}" for digit in reversed(digits) for byte in reversed(range(size)))
    a, b = (w.get(_register(i, operand), "b32") for operand in i.operands[1:3])
    return f"__builtin_amdgcn_perm({b}, {a}, 0x{taken}u)"


def _simd(w: Writer, i: Use, operation: str, result: str, flags: str) -> None:
    """d = the operation on each element that the mask names."""
    d, _, _, c = i.take(4)
    _register(i, c)
    letter = _COUNTED[i.instruction.opcode[-1]]
    bits = _BITS[letter]
    lanes = sum(1 << digit for digit in _digits(i, d, letter, 32 // bits)) or (1 << 32 // bits) - 1
    types = ", ".join(TYPES[f"{name[0]}{bits}"].c for name in (result, i["a"], i["b"]))
    a, b = (_chosen(w, i, index, i[part], letter) for index, part in ((1, "a"), (2, "b")))
    function = f"[](i64 x, i64 y) {{ return {_EXACT[operation]}; }}"
    merged = "0u" if "true" not in flags.split(", ")[1] and lanes == (1 << 32 // bits) - 1 else w.get(c, result)
    if merged == "0u":
        w.get(c, result)
    w.set(_register(i, d), result, f"ptx_simd<{types}, {flags}>({a}, {b}, {merged}, {lanes}, {function})")


@ptx(
    *(
        f"v{name}{count}.{{d:u32|s32}}.{{a:u32|s32}}.{{b:u32|s32}}.{{sat}}?.{{add}}?"
        for name in ("add", "sub", "avrg", "absdiff", "min", "max")
        for count in "24"
    ),
    never={"sat": "add"},
)
def simd(w: Writer, i: Use) -> None:
    """Per byte or half: the operation on elements taken as the types say; .add sums the results into c."""
    flags = f"{str(bool(i['sat'])).lower()}, {str(bool(i['add'])).lower()}"
    _simd(w, i, i.instruction.opcode[1:-1], i["d"], flags)


@ptx(
    "vset2.{a:u32|s32}.{b:u32|s32}.{how:eq|ne|lt|le|gt|ge}.{add}?",
    "vset4.{a:u32|s32}.{b:u32|s32}.{how:eq|ne|lt|le|gt|ge}.{add}?",
)
def simd_set(w: Writer, i: Use) -> None:
    """Per byte or half: 1 where the comparison holds; .add counts them into c."""
    _simd(w, i, i["how"], "u32", f"false, {str(bool(i['add'])).lower()}")


def _select(w: Writer, i: Use, operand: Operand, type_name: str) -> str:
    """An operand, or the byte or half that its selector names, as i64."""
    if isinstance(operand, Negative):
        operand = operand.operand
    if not isinstance(operand, Register) or not operand.part:
        return f"(i64){w.get(operand, type_name)}"
    bits, index = _part(i, operand)
    whole = w.get(Register(operand.name, operand.type), type_name)
    return f"(i64)({TYPES[f'{type_name[0]}{bits}'].c})({whole} >> {index * bits})"


def _refuse_minus(i: Use) -> None:
    if any(isinstance(operand, Negative) for operand in i.operands):
        raise i.unsupported("a minus sign that this instruction does not take")


def _part(i: Use, operand: Register) -> tuple[int, int]:
    """Width and number of a selected part."""
    found = re.fullmatch(r"\.(?:b([0-3])|h([01]))", operand.part)
    if found is None:
        raise i.unsupported(f"selector {operand.part}")
    return (8, int(found[1])) if found[1] else (16, int(found[2]))


_NARROW = ("vadd", "vsub")  # what a second operation gets of them is their low word with its sign


def _clamped(i: Use, value: str, result: str) -> str:
    """The value that a second operation gets, as i64: what ptxas computes, recorded on an H200.

    Without .sat it may be wider than the destination. Clamped to .u32 only below, but for shifts to the left, which
    count as 34 bits there; the words of sums and shifts are then read as signed.
    """
    opcode = i.instruction.opcode
    if not i["sat"]:
        return f"(i64)(i32)({value})" if opcode in _NARROW and i["op"] else f"({value})"
    if opcode == "vshl":
        value = f"ptx_low34({value})"
    if result == "s32":
        return f"(i64)ptx_clamp<i32>({value})"
    if opcode == "vshl":
        return f"(i64)(i32)ptx_clamp<u32>({value})"
    return f"(i64)(i32)ptx_max({value}, 0l)" if opcode in _NARROW else f"ptx_max({value}, 0l)"


def _finish(w: Writer, i: Use, value: str, result: str, compared: str) -> None:
    """Clamp on .sat, then combine with c, or merge into the part of c that the destination names.

    compared: the type as which minimum and maximum take c. A c that nothing asks for is dropped, as ptxas does.
    """
    operands = i.take(3, 4)
    d = operands[0]
    merges = isinstance(d, Register) and bool(d.part)
    if (len(operands) == 3 and (i["op"] or merges)) or (i["op"] and merges):
        raise i.unsupported("a second operation, or a part of the destination, goes with a third source")
    if not merges:
        text = _clamped(i, value, result)
        c = w.get(operands[3], compared) if len(operands) == 4 else ""
        if i["op"]:
            wide = "i64" if compared == "s32" else "u64"
            text = f"{text} + {c}" if i["op"] == "add" else f"ptx_{i['op']}(({wide}){text}, ({wide}){c})"
        w.set(d, result, f"({TYPES[result].c})({text})")
        return
    assert isinstance(d, Register)
    bits, index = _part(i, d)
    whole = Register(d.name, d.type)
    w.agree(whole, result)
    c = w.get(operands[3], result)
    text = f"(u32){_part_clamped(i, value, result, bits)}"
    if (bits, index) == (16, 1):  # ptxas merges the upper half of the value there
        w.set(whole, "b32", f"({text} & 0xffff0000u) | ((u32){c} & 0xffffu)")
    else:
        w.set(whole, "b32", f"ptx_merge<{index * bits}, {bits}>({text}, (u32){c})")


def _part_clamped(i: Use, value: str, result: str, bits: int) -> str:
    """As ptxas does it for a part of `bits` bits: shifts to the whole word, others above only, with no sign."""
    if not i["sat"]:
        return f"({value})"
    if i.instruction.opcode in ("vshl", "vshr"):
        return f"ptx_clamp<{TYPES[result].c}>(ptx_low34({value}))"
    return f"ptx_min((u64)({value}), {(1 << bits - (result == 's32')) - 1}ul)"


@ptx(*(f"v{name}.{{d:u32|s32}}.{{a:u32|s32}}.{{b:u32|s32}}.{{sat}}?.{{op:add|min|max}}?"
       for name in ("add", "sub", "absdiff", "min", "max")))  # fmt: skip
def scalar(w: Writer, i: Use) -> None:
    """In 33 bits and more: a op b."""
    operands = i.take(3, 4)
    _refuse_minus(i)
    name = i.instruction.opcode[1:]
    a, b = (_select(w, i, operand, i[part]) for operand, part in ((operands[1], "a"), (operands[2], "b")))
    combined = {"add": f"{a} + {b}", "sub": f"{a} - {b}", "min": f"ptx_min({a}, {b})", "max": f"ptx_max({a}, {b})",
                "absdiff": f"ptx_abs64({a} - {b})"}[name]  # fmt: skip
    _finish(w, i, combined, i["d"], i["d"])


@ptx("vshl.{d:u32|s32}.{a:u32|s32}.{b:u32}.{sat}?.{mode:clamp|wrap}.{op:add|min|max}?",
     "vshr.{d:u32|s32}.{a:u32|s32}.{b:u32}.{sat}?.{mode:clamp|wrap}.{op:add|min|max}?")  # fmt: skip
def shift(w: Writer, i: Use) -> None:
    """a shifted by b, clamped or wrapped to 32."""
    operands = i.take(3, 4)
    _refuse_minus(i)
    amount = _select(w, i, operands[2], "u32")
    amount = f"({amount} & 31)" if i["mode"] == "wrap" else f"ptx_min({amount}, 32l)"
    operator = "<<" if i.instruction.opcode == "vshl" else ">>"
    _finish(w, i, f"({_select(w, i, operands[1], i['a'])} {operator} {amount})", i["d"], i["d"])


@ptx("vset.{a:u32|s32}.{b:u32|s32}.{how:eq|ne|lt|le|gt|ge}.{op:add|min|max}?")
def set_(w: Writer, i: Use) -> None:
    """1 where the comparison holds, else 0."""
    operands = i.take(3, 4)
    _refuse_minus(i)
    a, b = (_select(w, i, operand, i[part]) for operand, part in ((operands[1], "a"), (operands[2], "b")))
    operator = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}[i["how"]]
    _finish(w, i, f"(i64)({a} {operator} {b})", "u32", i["a"])


@ptx("vmad.{d:u32|s32}.{a:u32|s32}.{b:u32|s32}.{sat}?.{scale:shr7|shr15}?",
     "vmad.{d:u32|s32}.{a:u32|s32}.{b:u32|s32}.{po}.{sat}?.{scale:shr7|shr15}?")  # fmt: skip
def mad(w: Writer, i: Use) -> None:
    """a × b + c (+ 1 on .po), scaled down, clamped on .sat; a product or c may be negated.

    Whole registers are multiplied with their signs whatever the types say, and c has one: so ptxas, and the H200.
    """
    d, *sources = i.take(4)
    minus = [isinstance(operand, Negative) for operand in sources]
    if sum(minus) > 1 or (i["po"] and any(minus)):
        raise i.unsupported("more than one negated operand, or one with .po")
    a, b = (_select(w, i, operand, i[part]) for operand, part in zip(sources[:2], "ab", strict=True))
    c = sources[2].operand if isinstance(sources[2], Negative) else sources[2]
    is_signed = "s32" in (i["a"], i["b"]) or any(minus)
    scale = {"shr7": 7, "shr15": 15}.get(i["scale"], 0)
    flags = ", ".join(str(bool(flag)).lower() for flag in (is_signed, minus[0] or minus[1], minus[2], i["po"]))
    value = f"ptx_vmad({a}, {b}, (u32){w.get(c, i['d'])}, {flags}, {scale})"
    limit = "i32" if is_signed else "u32"
    result = TYPES[i["d"]].c
    w.set(d, i["d"], f"({result})ptx_clamp<{limit}>({value})" if i["sat"] else f"({result})({value})")
