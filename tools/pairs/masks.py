"""Comparisons, carries and guards of targets: each is written where it stands, as what it is, whoever reads it.

LLVM turns a comparison round where a branch goes the other way, moves it to what uses it, makes `v_cmpx` of it where
EXEC is next, and gives a carry no register where nobody reads it: what an instruction becomes would hang on those
behind it. Here it is a piece of assembly that gives the mask of lanes, which is a predicate from there on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from cass_shim.lift.builder import Value, constant, typed
from cass_shim.lift.emitter import LlvmEmitter

INLINE = range(-16, 65)  # integers that a source operand may be without a literal (RDNA3 ISA, "Inline constants")
REAL = {0x3F000000: "0.5", 0xBF000000: "-0.5", 0x3F800000: "1.0", 0xBF800000: "-1.0", 0x40000000: "2.0",
        0xC0000000: "-2.0", 0x40800000: "4.0", 0xC0800000: "-4.0", 0x3E22F983: "0.15915494"}  # fmt: skip
_SCALARS = 2  # constant-bus reads of a VALU instruction, a literal among them (RDNA3 ISA, "Vector ALU operands")
_REALS = {
    "lt": "lt", "eq": "eq", "le": "le", "gt": "gt", "ne": "lg", "ge": "ge", "num": "o", "nan": "u",
    "ltu": "nge", "equ": "nlg", "leu": "ngt", "gtu": "nle", "neu": "neq", "geu": "nlt",
}  # fmt: skip
_TYPES = {"f16": "half", "f32": "float", "f64": "double"}
_MADE = re.compile(r'  (%v\d+) = (?:call i32 asm sideeffect "v_cmp_|call i1 @llvm\.amdgcn\.inverse\.ballot)')
_NAME = re.compile(r"%v\d+")


def number(known: int) -> str:
    """A 32-bit constant as LLVM prints it in a source operand."""
    signed = known - (1 << 32) if known >> 31 else known
    return str(signed) if signed in INLINE else REAL.get(known, hex(known))


def without_unread(text: str) -> str:
    """A module less the comparisons that nothing reads: no predicate of the SASS, and no result, hangs on them."""
    return "\n}\n".join("\n".join(_without_unread(function.split("\n"))) for function in text.split("\n}\n"))


def _without_unread(lines: list[str]) -> list[str]:
    """One function's lines; what only a dropped one read is dropped too."""
    kept = lines
    while True:
        uses: dict[str, int] = {}
        for line in kept:
            for name in _NAME.findall(line):
                uses[name] = uses.get(name, 0) + 1
        left = [line for line in kept if (made := _MADE.match(line)) is None or uses[made[1]] > 1]
        if len(left) == len(kept):
            return kept
        kept = left


@dataclass
class MaskEmitter(LlvmEmitter):
    """Part of the emitter of targets. scalars: values in scalar registers; masks: predicates' masks, where they are
    known; both by their text."""

    scalars: set[str] = field(default_factory=set)
    masks: dict[str, str] = field(default_factory=dict)

    def apart(self, value: Value) -> Value:
        """A word in a vector register of its own. A constant is moved by an instruction that is written out: LLVM
        shares its own among several results."""
        if value.known is not None:
            return self.op(32, f'call i32 asm sideeffect "v_mov_b32 $0, {number(value.known)}", "=v"()')
        return self.op(32, f'call i32 asm sideeffect "", "=v,0"({typed(value)})')

    def is_late(self, value: Value) -> bool:
        """Predicates: a carry and its second half, two halves of a comparison, stay what they are."""
        return value.width == 1

    # masks and predicates
    def _predicate(self, mask: str) -> Value:
        found = self.call(1, "llvm.amdgcn.inverse.ballot.i32", f"i32 {mask}")
        self.masks[found.text] = mask
        return found

    def _both(self, name: str, a: Value, b: Value, made: Value) -> Value:
        """The mask of two predicates' conjunction and the like, besides the predicate."""
        one, other = self.masks.get(a.text), self.masks.get(b.text)
        if made.width != 1 or one is None or other is None or made.known is not None:
            return made
        if made.text not in (a.text, b.text):
            self.masks[made.text] = self.text(f"{name} i32 {one}, {other}")
        return made

    def and_(self, a: Value, b: Value) -> Value:
        return self._both("and", a, b, super().and_(a, b))

    def or_(self, a: Value, b: Value) -> Value:
        return self._both("or", a, b, super().or_(a, b))

    def select(self, p: Value, a: Value, b: Value) -> Value:
        """By a predicate's negation: the other way round. A predicate is chosen in scalar registers."""
        if p.origin[0] == "not" and p.width == 1:
            p, a, b = p.origin[1], b, a
        if a.width != 1 or p.known is not None or a.text == b.text:
            return super().select(p, a, b)
        return self.or_(self.and_(p, a), self.and_(self.not_(p), b))

    # operands of pieces of assembly
    def _operands(self, values: Sequence[Value], scalars: int, first: int) -> tuple[list[str], str, str]:
        """How values stand in the text, from `$first` on; their constraints; they themselves. scalars: how many of them
        may be scalar registers or a literal, which one may be."""
        places: list[str] = []
        kinds = ""
        given: list[str] = []
        literal = False
        for value in values:
            simple = value.known is not None and (number(value.known)[:2] != "0x") and value.width == 32
            scalar = value.known is not None or value.text in self.scalars
            if simple:
                places.append(number(value.known or 0))
                continue
            if scalar and (scalars == 0 or (value.known is not None and literal)):
                value, scalar = self.apart(value), False
            scalars -= scalar
            if value.known is not None:
                literal = True
                places.append(number(value.known))
                continue
            places.append(f"${first + len(given)}")
            kinds += ",s" if scalar else ",v"
            given.append(typed(value))
        return places, kinds, ", ".join(given)

    # comparisons
    def compare(self, condition: str, a: Value, b: Value) -> Value:
        if (a.known is not None and b.known is not None) or a.width not in (32, 64):
            return super().compare(condition, a, b)
        sign = "u" if condition[0] in "ue" or condition == "ne" else "i"
        bare = condition if condition in ("eq", "ne") else condition[1:]
        if a.width == 64:
            return self._compared(f"v_cmp_{bare}_{sign}64", ["$1", "$2"], ",v,v", f"{typed(a)}, {typed(b)}")
        return self._compared(f"v_cmp_{bare}_{sign}32", *self._operands((a, b), _SCALARS, 1))

    def _compared(self, name: str, places: list[str], kinds: str, given: str) -> Value:
        text = f"{name} $0, {', '.join(places)}"
        return self._predicate(self.text(f'call i32 asm sideeffect "{text}", "=s{kinds}"({given})'))

    def fcompare(self, kind: str, condition: str, a: Value, b: Value, ftz: bool = False) -> Value:
        if kind not in _TYPES or (a.known is not None and b.known is not None):
            return super().fcompare(kind, condition, a, b, ftz)
        name = f"v_cmp_{_REALS[condition]}_{kind}"
        x, y = (self._flush(kind, value, ftz) for value in (a, b))
        if kind == "f32":
            return self._compared(name, *self._operands((x, y), _SCALARS, 1))
        given = ", ".join(f"{_TYPES[kind]} {self._float(kind, value)}" for value in (x, y))
        return self._compared(name, ["$1", "$2"], ",v,v", given)

    # carries
    def add_carry(self, a: Value, b: Value, carry: Value | None = None) -> tuple[Value, Value]:
        live = carry if carry is not None and carry.known != 0 else None
        if a.width != 32 or (a.known is not None and b.known is not None):
            return super().add_carry(a, b, carry)
        if live is None:
            if 0 in (a.known, b.known):
                return self.add(a, b), constant(0, 1)
            return self._plus_carry("", a, b, None, True)
        mask = self.masks.get(live.text)
        return super().add_carry(a, b, live) if mask is None else self._plus_carry("_ci", a, b, mask, True)

    def _plus_carry(self, name: str, a: Value, b: Value, mask: str | None, wanted: bool) -> tuple[Value, Value]:
        """The sum of two words, and of a carry; its carry, where it is wanted."""
        places, kinds, given = self._operands((a, b), _SCALARS - (mask is not None), 1 + wanted)
        if mask is not None:
            places.append(f"${1 + wanted + kinds.count(',')}")
            kinds, given = f"{kinds},s", ", ".join(one for one in (given, f"i32 {mask}") if one)
        text = f"v_add_co{name}_u32 $0, {'$1' if wanted else 'null'}, {', '.join(places)}"
        if not wanted:
            return self.op(32, f'call i32 asm sideeffect "{text}", "=v{kinds}"({given})'), constant(0, 1)
        both = self.text(f'call {{ i32, i32 }} asm sideeffect "{text}", "=v,=s{kinds}"({given})')
        total = self.op(32, f"extractvalue {{ i32, i32 }} {both}, 0")
        return total, self._predicate(self.text(f"extractvalue {{ i32, i32 }} {both}, 1"))

    def add_carry3(self, a: Value, b: Value, c: Value) -> tuple[Value, Value, Value]:
        """Two sums: the carries say one, the other or both."""
        part, one = self.add_carry(a, b)
        total, other = self.add_carry(part, c)
        return total, self.or_(one, other), self.and_(one, other)

    def add_high(self, terms: list[Value], carries: list[Value]) -> Value:
        masks = [self.masks.get(one.text) for one in carries if one.known != 0]
        if not masks or None in masks:
            return super().add_high(terms, carries)
        left = [term for term in terms if term.known != 0]
        while len(left) > len(masks) + 1:
            left = [self.add(left[0], left[1]), *left[2:]]
        left += [constant(0, 32)] * (len(masks) + 1 - len(left))
        total = left[0]
        for term, mask in zip(left[1:], masks, strict=True):
            total, _ = self._plus_carry("_ci", total, term, mask, False)
        return total

    # words of 64 bits
    def shl(self, a: Value, n: Value) -> Value:
        """A pair's, word by word: as a whole it would want both in neighbouring registers."""
        if a.width != 64 or a.origin[0] != "pair" or n.known is None or not 0 < n.known < 32:
            return super().shl(a, n)
        low, high = a.origin[1:]
        moved = self.call(32, "llvm.fshl.i32", typed(high), typed(low), f"i32 {n.known}")
        return self.pair(self.shl(low, constant(n.known, 32)), moved)
