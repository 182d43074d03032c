"""LLVM IR for the host as text: values, lines, and the integer half of the emitter.

In: what a meaning of `isa.sass` asks for, for one lane. Out: lines of a function body in which registers are read and
written where they lie, once an instruction. What it has no words for is `Missing`: numpy runs that instruction.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cass_shim.isa.derived import Derived
from cass_shim.model.instruction import UNIFORM_REGISTERS

UNIFORM = 256  # rows of uniform registers begin here, behind the others; of uniform predicates at PREDICATES
PREDICATES = 7
ROWS, PREDICATE_ROWS = UNIFORM + UNIFORM_REGISTERS, 2 * PREDICATES


class Missing(Exception):
    """This instruction cannot be compiled; numpy has to run it."""


@dataclass(frozen=True, slots=True)
class Value:
    """A lane's value: the name of an LLVM value or a number, and its width in bits."""

    text: str
    width: int


def number(value: int, width: int) -> Value:
    """A constant."""
    return Value(str(value & (1 << width) - 1), width)


Row = tuple[str, int]  # of registers ("r") or predicates ("p")
# How a row is kept: its elements, and its own width.
SIZES = {"r": ("i32", 32), "p": ("i8", 1)}


@dataclass
class Body:
    """Lines of one instruction for one lane. held: what rows of registers ("r") and predicates ("p") hold so far;
    used, stored: those that are read or written. prefix: of its names. intrinsics: declarations by name.
    """

    prefix: str = ""
    lines: list[str] = field(default_factory=list)
    counter: int = 0
    held: dict[Row, Value] = field(default_factory=dict)
    used: set[Row] = field(default_factory=set)
    stored: set[Row] = field(default_factory=set)
    banks: set[int] = field(default_factory=set)
    specials: set[int] = field(default_factory=set)
    intrinsics: dict[str, str] = field(default_factory=dict)

    def name(self) -> str:
        """A fresh name."""
        self.counter += 1
        return f"%{self.prefix}v{self.counter}"

    def put(self, width: int, text: str) -> Value:
        """A line that makes a value."""
        result = Value(self.name(), width)
        self.lines.append(f"  {result.text} = {text}")
        return result

    def raw(self, line: str) -> None:
        """A line that makes none."""
        self.lines.append(line)

    def get(self, row: Row) -> Value:
        """What the lane's element of a row holds, read where that is not known yet."""
        if row not in self.held:
            self.used.add(row)
            element, width = SIZES[row[0]]
            where = self.put(0, f"getelementptr {element}, ptr %b.{row[0]}{row[1]}, i64 %lane").text
            value = self.put(width, f"load {element}, ptr {where}")
            if element != f"i{width}":
                value = self.put(width, f"trunc {element} {value.text} to i{width}")
            self.held[row] = value
        return self.held[row]

    def set(self, row: Row, value: Value) -> None:
        """Note what the lane's element of a row is to hold; `save` writes it."""
        self.used.add(row)
        self.stored.add(row)
        self.held[row] = value

    def save(self) -> None:
        """Write the elements that have changed."""
        for row in sorted(self.stored):
            element, width = SIZES[row[0]]
            text = self.held[row].text
            if element != f"i{width}":
                text = self.put(0, f"zext i{width} {text} to {element}").text
            where = self.put(0, f"getelementptr {element}, ptr %b.{row[0]}{row[1]}, i64 %lane").text
            self.raw(f"  store {element} {text}, ptr {where}")

    def call(self, width: int, function: str, returned: str, *arguments: str) -> Value:
        """A call of an intrinsic. arguments: with their types."""
        types = ", ".join(a.rpartition(" ")[0] for a in arguments)
        self.intrinsics[function] = f"declare {returned} @{function}({types})"
        return self.put(width, f"call {returned} @{function}({', '.join(arguments)})")


class Integers(Derived[Value]):
    """The integer primitives of `isa.emitter.Emitter`."""

    body: Body

    def const(self, value: int, width: int) -> Value:
        return number(value, width)

    def _two(self, operation: str, a: Value, b: Value) -> Value:
        assert a.width == b.width, (operation, a, b)
        return self.body.put(a.width, f"{operation} i{a.width} {a.text}, {b.text}")

    def add(self, a: Value, b: Value) -> Value:
        return self._two("add", a, b)

    def sub(self, a: Value, b: Value) -> Value:
        return self._two("sub", a, b)

    def mul(self, a: Value, b: Value) -> Value:
        return self._two("mul", a, b)

    def add_carry(self, a: Value, b: Value, carry: Value | None = None) -> tuple[Value, Value]:
        total = self.add(a, b)
        out = self.compare("ult", total, a)
        if carry is not None:
            total = self.add(total, self.zext(carry, a.width))
            out = self.or_(out, self.and_(carry, self.compare("eq", total, number(0, a.width))))
        return total, out

    def and_(self, a: Value, b: Value) -> Value:
        return self._two("and", a, b)

    def or_(self, a: Value, b: Value) -> Value:
        return self._two("or", a, b)

    def xor(self, a: Value, b: Value) -> Value:
        return self._two("xor", a, b)

    def not_(self, a: Value) -> Value:
        return self._two("xor", a, number(-1, a.width))

    def shl(self, a: Value, n: Value) -> Value:
        return self._two("shl", a, self._as(n, a.width))

    def lshr(self, a: Value, n: Value) -> Value:
        return self._two("lshr", a, self._as(n, a.width))

    def ashr(self, a: Value, n: Value) -> Value:
        return self._two("ashr", a, self._as(n, a.width))

    def _as(self, a: Value, width: int) -> Value:
        return self.trunc(a, width) if a.width > width else self.zext(a, width)

    def _pick(self, condition: str, a: Value, b: Value) -> Value:
        return self.select(self.compare(condition, a, b), a, b)

    def umin(self, a: Value, b: Value) -> Value:
        return self._pick("ult", a, b)

    def umax(self, a: Value, b: Value) -> Value:
        return self._pick("ugt", a, b)

    def smin(self, a: Value, b: Value) -> Value:
        return self._pick("slt", a, b)

    def smax(self, a: Value, b: Value) -> Value:
        return self._pick("sgt", a, b)

    def popcount(self, a: Value) -> Value:
        t = f"i{a.width}"
        return self.body.call(a.width, f"llvm.ctpop.{t}", t, f"{t} {a.text}")

    def count_leading_zeros(self, a: Value) -> Value:
        t = f"i{a.width}"
        return self.body.call(a.width, f"llvm.ctlz.{t}", t, f"{t} {a.text}", "i1 false")

    def bit_reverse(self, a: Value) -> Value:
        t = f"i{a.width}"
        return self.body.call(a.width, f"llvm.bitreverse.{t}", t, f"{t} {a.text}")

    def compare(self, condition: str, a: Value, b: Value) -> Value:
        return self.body.put(1, f"icmp {condition} i{a.width} {a.text}, {b.text}")

    def select(self, p: Value, a: Value, b: Value) -> Value:
        assert a.width == b.width and p.width == 1
        return self.body.put(a.width, f"select i1 {p.text}, i{a.width} {a.text}, i{b.width} {b.text}")

    def _cast(self, operation: str, a: Value, width: int) -> Value:
        return self.body.put(width, f"{operation} i{a.width} {a.text} to i{width}")

    def zext(self, a: Value, width: int) -> Value:
        return a if a.width == width else self._cast("zext" if width > a.width else "trunc", a, width)

    def sext(self, a: Value, width: int) -> Value:
        return a if a.width == width else self._cast("sext" if width > a.width else "trunc", a, width)

    def trunc(self, a: Value, width: int) -> Value:
        return a if a.width == width else self._cast("trunc" if width < a.width else "zext", a, width)

    def byte_permute(self, a: Value, b: Value, selector: Value) -> Value:
        both, result = self.pair(a, b), number(0, 32)
        for position in range(4):
            nibble = self.lshr(selector, number(4 * position, 32))
            shift = self.shl(self.and_(nibble, number(7, 32)), number(3, 32))
            octet = self.and_(self.low(self.lshr(both, shift)), number(0xFF, 32))
            filled = self.and_(self.sext(self.trunc(self.lshr(octet, number(7, 32)), 1), 32), number(0xFF, 32))
            replicate = self.trunc(self.lshr(nibble, number(3, 32)), 1)
            chosen = self.select(replicate, filled, octet)
            result = self.or_(result, self.shl(chosen, number(8 * position, 32)))
        return result
