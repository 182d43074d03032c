"""The lifter's emitter for targets: what an instruction of the SASS becomes depends on that instruction alone.

Every result goes through an empty piece of assembly before a register takes it. LLVM can then neither combine
instructions with their neighbours, nor move them, nor find that a value is the same in all lanes (a scalar register in
one kernel, a vector register in the next): all of that depends on the rest of the kernel, and was most of what a small
model got wrong. Parameters and launch dimensions are read where the SASS reads them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cass_shim.lift.builder import Value, constant, typed
from tools.pairs.masks import INLINE, MaskEmitter

WORD = 4


@dataclass(frozen=True)
class _Product:
    """A 64-bit product of two extended words, and its line, which a sum takes back."""

    line: str
    signed: bool
    factors: tuple[Value, Value]


@dataclass
class LiteralEmitter(MaskEmitter):
    """One kernel's. extended: what 64-bit values are of, by their text."""

    extended: dict[str, tuple[bool, Value]] = field(default_factory=dict)
    products: dict[str, _Product] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.inlines, self.freezes = True, False
        self.flush_f32 = False  # an answer's modes are fixed (`frame.py`); what flushes says so itself

    def result(self, value: Value) -> Value:
        return self.apart(value) if value.width == 32 else value

    def mul(self, a: Value, b: Value) -> Value:
        """Apart too: LLVM joins 32-bit product and sum to v_mad_u64_u32, whose addend's upper half is any register."""
        if (a.known is not None and b.known is not None) or {a.known, b.known} & {0, 1}:
            return super().mul(a, b)
        if a.width == 32:
            return self.apart(super().mul(a, b))
        return self._product(a, b) if a.width == 64 else super().mul(a, b)

    def sext(self, a: Value, width: int) -> Value:
        return self._extend(True, a, super().sext(a, width))

    def zext(self, a: Value, width: int) -> Value:
        return self._extend(False, a, super().zext(a, width))

    def _extend(self, signed: bool, a: Value, wide: Value) -> Value:
        if a.width == 32 and wide.width == 64 and wide.known is None:
            self.extended[wide.text] = signed, a
        return wide

    def _product(self, a: Value, b: Value) -> Value:
        """A wide product is one instruction, shared with no other: LLVM would find that two are the same."""
        one, other = (self.extended.get(each.text) for each in (a, b))
        if one is None or other is None or one[0] != other[0]:
            return super().mul(a, b)
        found = self._multiply(one[0], (one[1], other[1]), constant(0, 64))
        self.products[found.text] = _Product(self.lines[-1], one[0], (one[1], other[1]))
        return found

    def add(self, a: Value, b: Value) -> Value:
        product = self.products.pop(a.text, None)
        if product is None or b.known == 0 or product.line not in self.lines:
            return super().add(a, b)
        self.lines.remove(product.line)
        return self._multiply(product.signed, product.factors, b)

    def _multiply(self, signed: bool, factors: tuple[Value, Value], addend: Value) -> Value:
        operands = [self._operand(one) for one in (*factors, addend)]
        places: list[str] = []
        given: list[tuple[str, Value]] = []
        for kind, value in operands:
            places.append(f"${len(given) + 1}" if kind else value.text)
            given += [(kind, value)] if kind else []
        name = "v_mad_i64_i32" if signed else "v_mad_u64_u32"
        kinds = "".join(f",{kind}" for kind, _ in given)
        values = ", ".join(typed(value) for _, value in given)
        text = f"{name} $0, null, {', '.join(places)}"
        return self.op(64, f'call i64 asm sideeffect "{text}", "=&v{kinds}"({values})')

    def _operand(self, one: Value) -> tuple[str, Value]:
        """How it is given: in which registers, or "" as a number."""
        if one.known is not None:
            return ("" if int(one.text) in INLINE else "v"), one
        return ("s" if one.text in self.scalars else "v"), one

    def _intrinsic(self, kind: str, name: str, *names: str) -> str:
        """LLVM takes v_fmac_f32 with a copy in front, or v_fma_f32, by whether the addend is read again."""
        if (kind, name) != ("f32", "fma"):
            return super()._intrinsic(kind, name, *names)
        values = ", ".join(f"float {one}" for one in names)
        return self.text(f'call float asm sideeffect "v_fma_f32 $0, $1, $2, $3", "=v,v,v,v"({values})')

    def _load_from(self, base: str, offset: int, index: Value | None, width: int, base_align: int) -> Value:
        if base != "%params" or index is not None:
            return super()._load_from(base, offset, index, width, base_align)
        return self._read(offset, width)

    def _hidden(self, offset: int, width: int) -> Value:
        return self._read(self.kernel.abi.bindings_offset + offset, width)  # HIP's, as `fields` numbers them

    def _read(self, offset: int, width: int) -> Value:
        """A parameter; volatile, so that it is read here and nowhere else. Scalar loads are of whole words."""
        begin = offset & -WORD
        where = self.text(f"getelementptr i8, ptr addrspace(4) %params, i32 {begin}")
        size = max(width, 32)
        value = self.op(size, f"load volatile i{size}, ptr addrspace(4) {where}, align {WORD}")
        self.scalars.add(value.text)
        if width >= 32:
            return value
        low = self.lshr(value, constant(8 * (offset - begin), 32))
        narrow = self.and_(low, constant((1 << width) - 1, 32))
        self.scalars.add(narrow.text)
        return narrow
