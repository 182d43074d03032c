"""Integer arithmetic. Source: PTX ISA 9.0 §9.7.1 and §9.7.2 (extended precision)."""

from __future__ import annotations

from cass_shim.isa.ptx.spec import Use, Writer, ptx
from cass_shim.isa.ptx.syntax import Integer, Operand
from cass_shim.isa.ptx.types import TYPES, bits_of

INTEGERS = "u16|s16|u32|s32|u64|s64"


def unsigned(type_name: str) -> str:
    """The unsigned type of the same width: PTX arithmetic wraps."""
    return f"u{bits_of(type_name)}"


def double_width(type_name: str) -> str:
    """u16 → u32, s32 → s64."""
    return f"{type_name[0]}{2 * bits_of(type_name)}"


@ptx(f"add.{{t:{INTEGERS}}}", f"sub.{{t:{INTEGERS}}}")
def add_sub(w: Writer, i: Use) -> None:
    """d = a ± b, modulo 2^n."""
    d, a, b = i.take(3)
    operator = "+" if i.instruction.opcode == "add" else "-"
    bits = bits_of(i.t)
    w.agree(d, i.t)
    x, y = w.whole(a, i.t), w.whole(b, i.t)
    if y.startswith("-"):
        operator, y = ("-" if operator == "+" else "+"), y[1:]
    w.set(d, f"b{bits}", f"{x} {operator} {y}")


@ptx("add.sat.{t:s32}", "sub.sat.{t:s32}")
def add_sub_saturated(w: Writer, i: Use) -> None:
    """d = a ± b, clamped to the range of s32."""
    d, a, b = i.take(3)
    w.set(d, i.t, f"ptx_{i.instruction.opcode}_sat({w.get(a, i.t)}, {w.get(b, i.t)})")


@ptx(f"mul.{{mode:hi|lo|wide}}.{{t:{INTEGERS}}}")
def mul(w: Writer, i: Use) -> None:
    """The low half, the high half, or all of a × b."""
    d, a, b = i.take(3)
    bits = bits_of(i.t)
    if i["mode"] == "lo":
        w.agree(d, i.t)
        w.set(d, f"b{bits}", f"{w.whole(a, i.t)} * {w.whole(b, i.t)}")
    elif i["mode"] == "hi":
        w.set(d, i.t, f"ptx_mul_hi({w.get(a, i.t)}, {w.get(b, i.t)})")
    else:
        wide = _wide(i)
        w.set(d, wide, f"({TYPES[wide].c}){w.get(a, i.t)} * {w.get(b, i.t)}")


@ptx(f"mad.{{mode:hi|lo|wide}}.{{t:{INTEGERS}}}")
def mad(w: Writer, i: Use) -> None:
    """a × b (a half of it, or all) + c."""
    d, a, b, c = i.take(4)
    bits = bits_of(i.t)
    if i["mode"] == "lo":
        w.agree(d, i.t)
        w.set(d, f"b{bits}", f"{w.whole(a, i.t)} * {w.whole(b, i.t)} + {w.whole(c, i.t)}")
        return
    x, y = w.get(a, i.t), w.get(b, i.t)
    if i["mode"] == "hi":
        w.set(d, i.t, f"ptx_mul_hi({x}, {y}) + {w.get(c, i.t)}")
    else:
        wide = _wide(i)
        w.set(d, wide, f"({TYPES[wide].c}){x} * {y} + {w.get(c, wide)}")


@ptx("mad.hi.sat.{t:s32}")
def mad_hi_sat(w: Writer, i: Use) -> None:
    """High half of a × b, plus c, clamped to s32."""
    d, a, b, c = i.take(4)
    high = f"ptx_mul_hi({w.get(a, i.t)}, {w.get(b, i.t)})"
    w.set(d, i.t, f"ptx_add_sat({high}, {w.get(c, i.t)})")


def _wide(i: Use) -> str:
    if bits_of(i.t) == 64:
        raise i.unsupported("a 128-bit product needs mul.wide on 32 bits or mul.hi and mul.lo")
    return double_width(i.t)


@ptx("mul24.{mode:hi|lo}.{t:u32|s32}", "mad24.{mode:hi|lo}.{t:u32|s32}", "mad24.{mode:hi}.{sat}.{t:s32}")
def mul24(w: Writer, i: Use) -> None:
    """The product of the low 24 bits of a and b is 48 bits wide: bits 47..16 (hi) or 31..0 (lo), plus c."""
    with_c = i.instruction.opcode == "mad24"
    operands = i.take(4 if with_c else 3)
    product = f"ptx_mul24_{i['mode']}({w.get(operands[1], i.t)}, {w.get(operands[2], i.t)})"
    if with_c:
        c = w.get(operands[3], i.t)
        product = f"ptx_add_sat({product}, {c})" if i["sat"] else f"{product} + {c}"
    w.set(operands[0], i.t, product)


@ptx("sad.{t:u16|s16|u32|s32|u64|s64}")
def sad(w: Writer, i: Use) -> None:
    """c + |a - b|."""
    d, a, b, c = i.take(4)
    x, y = w.get(a, i.t), w.get(b, i.t)
    u = TYPES[unsigned(i.t)].c
    w.set(d, i.t, f"{w.get(c, i.t)} + ({x} < {y} ? ({u}){y} - ({u}){x} : ({u}){x} - ({u}){y})")


@ptx(f"div.{{t:{INTEGERS}}}", f"rem.{{t:{INTEGERS}}}")
def div_rem(w: Writer, i: Use) -> None:
    """Quotient or remainder, truncated. By zero, unspecified in PTX: all ones, as the SASS of ptxas has it."""
    d, a, b = i.take(3)
    w.set(d, i.t, f"ptx_{i.instruction.opcode}({w.get(a, i.t)}, {w.get(b, i.t)})")


@ptx("abs.{t:s16|s32|s64}")
def abs_integer(w: Writer, i: Use) -> None:
    """|a|; of the most negative number itself."""
    d, a = i.take(2)
    x = w.get(a, i.t)
    w.set(d, i.t, f"{x} < 0 ? -{x} : {x}")


@ptx("neg.{t:s16|s32|s64}")
def neg_integer(w: Writer, i: Use) -> None:
    """-a, modulo 2^n."""
    d, a = i.take(2)
    w.set(d, i.t, f"-{w.get(a, i.t)}")


@ptx(f"min.{{t:{INTEGERS}}}", f"max.{{t:{INTEGERS}}}", "min.{relu}.{t:s32}", "max.{relu}.{t:s32}")
def min_max(w: Writer, i: Use) -> None:
    """The smaller or larger; .relu clamps a negative result to 0."""
    d, a, b = i.take(3)
    result = f"ptx_{i.instruction.opcode}({w.get(a, i.t)}, {w.get(b, i.t)})"
    w.set(d, i.t, f"ptx_max({result}, 0)" if i["relu"] else result)


@ptx("min.{relu}?.{t:u16x2|s16x2}", "max.{relu}?.{t:u16x2|s16x2}", "add.{t:u16x2|s16x2}", only={"relu": "s16x2"})
def packed_16(w: Writer, i: Use) -> None:
    """On both halves."""
    d, a, b = i.take(3)
    for operand in (d, a, b):
        w.agree(operand, i.t)
    element = {"u16x2": "u16", "s16x2": "i16"}[i.t]
    relu = "_relu" if i["relu"] else ""
    w.set(d, "b32", f"ptx_{i.instruction.opcode}_x2{relu}<{element}>({w.get(a, 'b32')}, {w.get(b, 'b32')})")


@ptx("popc.{t:b32|b64}", "clz.{t:b32|b64}")
def popc_clz(w: Writer, i: Use) -> None:
    """Number of ones, or of leading zeros (the width when a is 0); a u32."""
    d, a = i.take(2)
    w.set(d, "u32", f"ptx_{i.instruction.opcode}({w.get(a, i.t)})")


@ptx("bfind.{shiftamt}?.{t:u32|s32|u64|s64}")
def bfind(w: Writer, i: Use) -> None:
    """Position of the most significant bit that is not a sign bit, or as a left shift; 0xFFFFFFFF when none."""
    d, a = i.take(2)
    w.set(d, "u32", f"ptx_bfind{'_shift' if i['shiftamt'] else ''}({w.get(a, i.t)})")


@ptx("fns.{t:b32}")
def fns(w: Writer, i: Use) -> None:
    """Position of the n-th set bit from a base, in either direction; 0xFFFFFFFF when there is none."""
    d, mask, base, offset = i.take(4)
    w.set(d, "b32", f"ptx_fns({w.get(mask, 'b32')}, {w.get(base, 'b32')}, {w.get(offset, 's32')})")


@ptx("brev.{t:b32|b64}")
def brev(w: Writer, i: Use) -> None:
    """Bits in reverse order."""
    d, a = i.take(2)
    w.set(d, i.t, f"__builtin_bitreverse{bits_of(i.t)}({w.get(a, i.t)})")


def _check_field(i: Use, *sizes: Operand) -> None:
    """A constant position or length is one of the 8 bits that count."""
    for size in sizes:
        if isinstance(size, Integer) and not 0 <= size.value <= 255:
            raise i.unsupported(f"a bit field's {size.value}, of 0 to 255")


@ptx("bfe.{t:u32|s32|u64|s64}")
def bfe(w: Writer, i: Use) -> None:
    """Bits [b, b + c) of a, extended by the sign of the field's top bit when signed."""
    d, a, b, c = i.take(4)
    _check_field(i, b, c)
    w.set(d, i.t, f"ptx_bfe({w.get(a, i.t)}, {w.get(b, 'u32')}, {w.get(c, 'u32')})")


@ptx("bfi.{t:b32|b64}")
def bfi(w: Writer, i: Use) -> None:
    """b with bits [c, c + d) replaced by the low bits of a."""
    f, a, b, c, d = i.take(5)
    _check_field(i, c, d)
    w.set(f, i.t, f"ptx_bfi({w.get(a, i.t)}, {w.get(b, i.t)}, {w.get(c, 'u32')}, {w.get(d, 'u32')})")


@ptx("szext.{mode:clamp|wrap}.{t:u32|s32}")
def szext(w: Writer, i: Use) -> None:
    """The low b bits of a, extended by sign or zero."""
    d, a, b = i.take(3)
    w.set(d, i.t, f"ptx_szext_{i['mode']}({w.get(a, i.t)}, {w.get(b, 'u32')})")


@ptx("bmsk.{mode:clamp|wrap}.{t:b32}")
def bmsk(w: Writer, i: Use) -> None:
    """b ones from bit a on."""
    d, a, b = i.take(3)
    w.set(d, "u32", f"ptx_bmsk_{i['mode']}({w.get(a, 'u32')}, {w.get(b, 'u32')})")


@ptx("dp4a.{t:u32|s32}.{t2:u32|s32}")
def dp4a(w: Writer, i: Use) -> None:
    """c + the sum of the products of four bytes."""
    d, a, b, c = i.take(4)
    result = "u32" if (i.t, i["t2"]) == ("u32", "u32") else "s32"
    types = f"{TYPES[i.t[0] + '8'].c}, {TYPES[i['t2'][0] + '8'].c}"
    w.set(d, result, f"ptx_dp4a<{types}>({w.whole(a, i.t)}, {w.whole(b, i['t2'])}, {w.whole(c, result)})")


@ptx("dp2a.{mode:lo|hi}.{t:u32|s32}.{t2:u32|s32}")
def dp2a(w: Writer, i: Use) -> None:
    """c + the sum of the products of two halves of a with two bytes (low or high pair) of b."""
    d, a, b, c = i.take(4)
    result = "u32" if (i.t, i["t2"]) == ("u32", "u32") else "s32"
    types = f"{TYPES[i.t[0] + '16'].c}, {TYPES[i['t2'][0] + '8'].c}"
    shift = 16 if i["mode"] == "hi" else 0
    arguments = f"{w.whole(a, i.t)}, {w.whole(b, i['t2'])}, {shift}, {w.whole(c, result)}"
    w.set(d, result, f"ptx_dp2a<{types}>({arguments})")


@ptx("add.cc.{t:u32|s32|u64|s64}", "addc.{cc}?.{t:u32|s32|u64|s64}")
def add_carry(w: Writer, i: Use) -> None:
    """d = a + b [+ carry]; .cc writes the carry."""
    d, a, b = i.take(3)
    u = unsigned(i.t)
    carry_in = "carry" if i.instruction.opcode == "addc" else "0"
    keep = i.instruction.opcode == "add" or i["cc"]
    name = "ptx_add_carry_out" if keep else "ptx_add_carry"
    w.set(d, u, f"{name}({w.get(a, u)}, {w.get(b, u)}, {carry_in}{', &carry' if keep else ''})")


@ptx("sub.cc.{t:u32|s32|u64|s64}", "subc.{cc}?.{t:u32|s32|u64|s64}")
def sub_borrow(w: Writer, i: Use) -> None:
    """d = a - b [- borrow]; .cc writes the borrow."""
    d, a, b = i.take(3)
    u = unsigned(i.t)
    borrow_in = "carry" if i.instruction.opcode == "subc" else "0"
    keep = i.instruction.opcode == "sub" or i["cc"]
    name = "ptx_sub_borrow_out" if keep else "ptx_sub_borrow"
    w.set(d, u, f"{name}({w.get(a, u)}, {w.get(b, u)}, {borrow_in}{', &carry' if keep else ''})")


@ptx("mad.{mode:hi|lo}.cc.{t:u32|s32|u64|s64}", "madc.{mode:hi|lo}.{cc}?.{t:u32|s32|u64|s64}")
def mad_carry(w: Writer, i: Use) -> None:
    """d = half of a × b + c [+ carry]; .cc writes the carry of that addition."""
    d, a, b, c = i.take(4)
    u = unsigned(i.t)
    x, y = w.get(a, i.t), w.get(b, i.t)
    half = f"({TYPES[u].c})ptx_mul_hi({x}, {y})" if i["mode"] == "hi" else f"({TYPES[u].c})({x} * {y})"
    carry_in = "carry" if i.instruction.opcode == "madc" else "0"
    keep = i.instruction.opcode == "mad" or i["cc"]
    name = "ptx_add_carry_out" if keep else "ptx_add_carry"
    w.set(d, u, f"{name}({half}, {w.get(c, u)}, {carry_in}{', &carry' if keep else ''})")
