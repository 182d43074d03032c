"""Logic, shifts and byte permutation. Source: PTX ISA 9.0 §9.7.8 and §9.7.9.7 (prmt)."""

from __future__ import annotations

from cass_shim.isa.ptx.spec import Use, Writer, ptx
from cass_shim.isa.ptx.syntax import Integer, Pair
from cass_shim.isa.ptx.types import bits_of

_OPERATORS = {"and": "&", "or": "|", "xor": "^"}
_OF_CONDITIONS = {"and": "&&", "or": "||", "xor": "!="}


@ptx(*(f"{name}.{{t:pred|b16|b32|b64}}" for name in _OPERATORS))
def bitwise(w: Writer, i: Use) -> None:
    """a & b, a | b, a ^ b."""
    d, a, b = i.take(3)
    operator = _OPERATORS[i.instruction.opcode]
    if i.t == "pred":
        w.set(d, "pred", f"{w.get(a, 'pred')} {_OF_CONDITIONS[i.instruction.opcode]} {w.get(b, 'pred')}")
    else:
        w.set(d, i.t, f"{w.whole(a, i.t)} {operator} {w.whole(b, i.t)}")


@ptx("not.{t:pred|b16|b32|b64}")
def not_(w: Writer, i: Use) -> None:
    """Every bit the other way."""
    d, a = i.take(2)
    w.set(d, i.t, f"{'!' if i.t == 'pred' else '~'}{w.get(a, i.t)}")


@ptx("cnot.{t:b16|b32|b64}")
def cnot(w: Writer, i: Use) -> None:
    """1 when a is 0, else 0."""
    d, a = i.take(2)
    w.set(d, i.t, f"{w.get(a, i.t)} == 0")


def lop3_terms(table: int) -> str:
    """The 3-input function `table` as a C expression of a, b, c: a known short form, else a sum of products."""
    known = {
        0x96: "a ^ b ^ c", 0x80: "a & b & c", 0xFE: "a | b | c", 0xE8: "(a & b) | (a & c) | (b & c)",
        0xCA: "(a & b) | (~a & c)", 0xD8: "(c & b) | (~c & a)", 0xB8: "(b & c) | (~b & a)", 0x00: "0", 0xFF: "~0",
        0xF8: "a | (b & c)", 0xEA: "(a & b) | c", 0xA8: "(a | b) & c", 0xE0: "a & (b | c)", 0x78: "a ^ (b & c)",
        0x6A: "(a & b) ^ c", 0xC0: "a & b", 0xFC: "a | b", 0x3C: "a ^ b", 0xF0: "a", 0xCC: "b", 0xAA: "c",
    }  # fmt: skip
    if table in known:
        return known[table]
    terms = []
    for row in range(8):
        if table >> row & 1:
            names = (("a", row >> 2 & 1), ("b", row >> 1 & 1), ("c", row & 1))
            terms.append("(" + " & ".join(name if bit else f"~{name}" for name, bit in names) + ")")
    return " | ".join(terms)


@ptx("lop3.{t:b32}", "lop3.{bool:or|and}.{t:b32}")
def lop3(w: Writer, i: Use) -> None:
    """Any function of three inputs, by its truth table; with .or/.and also p = (d != 0) op q."""
    operands = i.take(6 if i["bool"] else 5)
    d, table = operands[0], operands[4]
    if not isinstance(table, Integer):
        raise i.unsupported("a truth table that is not a constant")
    names = [w.get(operand, "b32") for operand in operands[1:4]]
    expression = lop3_terms(table.value & 0xFF)
    for letter, name in zip("abc", (f"\0{k}" for k in range(3)), strict=True):
        expression = expression.replace(letter, name)
    for k, name in enumerate(names):
        expression = expression.replace(f"\0{k}", name)
    if not i["bool"]:
        w.set(d, "b32", expression)
        return
    if not isinstance(d, Pair):
        raise i.unsupported("no predicate destination")
    value = w.fresh("value")
    w.line(f"u32 {value} = {expression}")
    w.set(d.first, "b32", value)
    w.set(d.second, "pred", f"({value} != 0) {_OPERATORS[i['bool']]} {w.get(operands[5], 'pred')}")


@ptx("shl.{t:b16|b32|b64}")
def shl(w: Writer, i: Use) -> None:
    """a << b; 0 when b is the width or more."""
    _shift(w, i, "<<", i.t, "0")


@ptx("shr.{t:b16|b32|b64|u16|u32|u64|s16|s32|s64}")
def shr(w: Writer, i: Use) -> None:
    """a >> b, by sign for .s; b is clamped to the width."""
    _shift(w, i, ">>", i.t, "sign" if i.t[0] == "s" else "0")


def _shift(w: Writer, i: Use, operator: str, type_name: str, beyond: str) -> None:
    d, a, b = i.take(3)
    bits = bits_of(type_name)
    if isinstance(b, Integer):
        amount = b.value & 0xFFFFFFFF
        if amount >= bits:
            x = w.get(a, type_name)
            w.set(d, type_name, f"{x} >> {bits - 1}" if beyond == "sign" else "0")
        else:
            w.set(d, type_name, f"{w.get(a, type_name)} {operator} {amount}")
        return
    name = "ptx_shl" if operator == "<<" else "ptx_shr"
    w.set(d, type_name, f"{name}({w.get(a, type_name)}, {w.get(b, 'u32')})")


@ptx("shf.{way:l|r}.{mode:clamp|wrap}.{t:b32}")
def shf(w: Writer, i: Use) -> None:
    """The 64-bit value b:a shifted; its upper (left) or lower (right) half."""
    d, a, b, c = i.take(4)
    low, high = w.get(a, "b32"), w.get(b, "b32")
    w.set(d, "b32", f"ptx_shf_{i['way']}_{i['mode']}({low}, {high}, {w.get(c, 'u32')})")


@ptx("prmt.{t:b32}", "prmt.{t:b32}.{mode:f4e|b4e|rc8|ecl|ecr|rc16}")
def prmt(w: Writer, i: Use) -> None:
    """Four bytes chosen from the eight of b:a, each possibly as its sign."""
    d, a, b, c = i.take(4)
    x, y = w.get(a, "b32"), w.get(b, "b32")
    if i["mode"]:
        w.set(d, "b32", f"ptx_prmt_{i['mode']}({x}, {y}, {w.get(c, 'b32')})")
    elif isinstance(c, Integer) and not c.value & 0x8888:
        chosen = "".join(f"{c.value >> 4 * k & 7:02x}" for k in (3, 2, 1, 0))
        w.set(d, "b32", f"__builtin_amdgcn_perm({y}, {x}, 0x{chosen}u)")
    else:
        w.set(d, "b32", f"ptx_prmt({x}, {y}, {w.get(c, 'b32')})")
