"""The emitter's cross-lane operations as LLVM IR for wave32."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from cass_shim.isa.emitter import Emitter, Product
from cass_shim.isa.sass.float_eight import E4M3, E5M2, widen
from cass_shim.lift.builder import Value, constant, typed
from cass_shim.lift.halves import Halves
from cass_shim.model.errors import Unsupported

_FULL_CLAMP = 0x1F
_EIGHT = {"e4m3": E4M3, "e5m2": E5M2}
Row = list[list[list[Value]]]  # of a matrix, or a column: block by block, lane by lane, the registers


@dataclass
class Lanes(Halves):
    """Cross-lane part of the emitter. mma_calls: how many matrix products the kernel has."""

    mma_calls: int = 0

    def lane(self) -> Value:
        return self.call(32, "llvm.amdgcn.mbcnt.lo", "i32 -1", "i32 0")

    def shuffle(self, mode: str, value: Value, lane: Value, clamp: Value) -> tuple[Value, Value]:
        mine = self.lane()
        offset = self.and_(lane, constant(31, 32))
        if clamp.known is not None and clamp.known & 0x1F1F == _FULL_CLAMP and mode in ("idx", "bfly"):
            source = offset if mode == "idx" else self.xor(mine, offset)
            return self.gather(value, source), constant(1, 1)
        source, valid = self.shuffle_source(mode, mine, offset, clamp)
        return self.gather(value, source), valid

    def gather(self, value: Value, lane: Value) -> Value:
        """value of another lane (0 to 31); an inactive one gives 0."""
        address = self.shl(lane, constant(2, 32))
        return self.call(32, "llvm.amdgcn.ds.bpermute", typed(address), typed(value))

    def ballot(self, p: Value) -> Value:
        return self.call(32, "llvm.amdgcn.ballot.i32", typed(p))

    def read_first(self, value: Value) -> Value:
        name = f"llvm.amdgcn.readfirstlane.i{value.width}"
        return self.call(value.width, name, typed(value))

    def match_any(self, value: Value) -> Value:
        """Each turn serves the lanes that agree with the first one left."""
        before, loop, after = self.block, self.new_label("match"), self.new_label("matched")
        self.raw(f"br label %{loop}")
        self.start(loop)
        same = self.compare("eq", value, self.read_first(value))
        mask = self.ballot(same)
        self.raw(f"br i1 {same.text}, label %{after}, label %{loop}")
        self.start(after)
        assert before != after
        return self.op(32, f"phi i32 [ {mask.text}, %{loop} ]")

    def match_all(self, value: Value) -> tuple[Value, Value]:
        others = self.ballot(self.not_(self.compare("eq", value, self.read_first(value))))
        agreed = self.compare("eq", others, constant(0, 32))
        active = self.ballot(constant(1, 1))
        return self.select(agreed, active, constant(0, 32)), agreed

    def reduce(self, operation: str, value: Value) -> Value:
        name = {"smin": "min", "smax": "max"}.get(operation, operation)
        if operation in ("add", "xor"):
            # LLVM 22 folds a reduction of a constant to the constant, whatever the number of lanes
            # (tests/lift/test_meeting.py); an empty assembly line hides that it is one.
            value = self.op(32, f'call i32 asm "", "=v,0"({typed(value)})')
        return self.call(32, f"llvm.amdgcn.wave.reduce.{name}.i32", typed(value), "i32 0")

    # matrices
    def matrix_multiply(
        self, kinds: Product, a: list[Value], b: list[Value], c: list[Value], present: list[Value] | None = None
    ) -> list[Value]:
        """A call of one function per shape and kinds: a kernel may hold a hundred of them.

        `lift.module` inlines them where they are few.
        """
        marks = present if present is not None and kinds.d[0] != "s" else []  # zeros add nothing to integers
        name = f"cass.mma.{'.'.join(kinds)}{'.sp' if marks else ''}"
        result = f"{{ {', '.join(['i32'] * len(c))} }}"
        if name not in self.helpers:
            self.helpers[name] = self._mma_function(name, result, kinds, a, b, c, marks)
        self.mma_calls += 1
        packed = self.call_text(result, name, *(typed(v) for v in (*a, *b, *c, *marks)))
        return [self.op(32, f"extractvalue {result} {packed}, {k}") for k in range(len(c))]

    def _mma_function(self, name: str, result: str, kinds: Product, *fragments: list[Value]) -> str:
        inner = Lanes(flush_f32=self.flush_f32)
        names = [f"%x{k}" for k in range(sum(map(len, fragments)))]
        values = iter([Value(n, 32) for n in names])
        found = inner.multiply_here(kinds, *([next(values) for _ in fragment] for fragment in fragments))
        self.declarations |= inner.declarations
        packed = "poison"
        for k, value in enumerate(found):
            packed = inner.text(f"insertvalue {result} {packed}, {typed(value)}, {k}")
        head = f"define internal {result} @{name}({', '.join('i32 ' + n for n in names)}) #1 {{"
        return "\n".join([head, "entry:", *inner.lines, f"  ret {result} {packed}", "}"])

    def multiply_here(
        self, kinds: Product, a: list[Value], b: list[Value], c: list[Value], marks: list[Value]
    ) -> list[Value]:
        """Every product added in order of k to the accumulator with one rounding each (f16 sums: in f32).

        The fragments are gathered lane by lane, then each lane computes its own elements of d: with
        g = lane / 4 and t = lane % 4, rows g and g + 8, columns 2t and 2t + 1.
        """
        words = 2 if kinds.a == "f64" or kinds.a in _EIGHT else 1
        if kinds.a in _EIGHT:  # each lane widens its own, before they are spread
            a, b = self._widened(kinds.a, a), self._widened(kinds.b, b)
            kinds = kinds._replace(a="f16", b="f16")
        rows, kept, columns = self._gathered(words, 2 if kinds.shape.startswith("m16") else 1, a, b, marks)
        result = []
        for index, start in enumerate(self._accumulators(kinds.d, c)):
            row, column = rows[index // 2], columns[index % 2]
            if kinds.d == "s32.sat":  # the products alone cannot overflow
                total = self._dot(kinds._replace(d="s32"), row, column, constant(0, 32))
                result.append(self.call(32, "llvm.sadd.sat.i32", typed(start), typed(total)))
                continue
            if marks:
                result.append(self._dot_kept(kinds.a, row, column, kept[index // 2], start))
                continue
            result.append(self._dot(kinds, row, column, start))
        return self._registers(kinds.d, result)

    def _gathered(
        self, words: int, rows_per_block: int, a: list[Value], b: list[Value], marks: list[Value]
    ) -> tuple[list[Row], list[Row], list[Row]]:
        """What a lane's elements need of all lanes: rows of a, their marks, columns of b, each block by block."""
        lane = self.lane()
        group, member = self.and_(lane, constant(28, 32)), self.and_(lane, constant(3, 32))
        row_sources = [self.or_(group, constant(j, 32)) for j in range(4)]
        column_sources = [
            [self.or_(self.shl(member, constant(3, 32)), constant(4 * n + j, 32)) for j in range(4)] for n in range(2)
        ]
        blocks = len(b) // words
        rows = [
            [self._fetch(a, (block * rows_per_block + r) * words, words, row_sources) for block in range(blocks)]
            for r in range(rows_per_block)
        ]
        kept = [
            [self._fetch(marks, block * rows_per_block + r, 1, row_sources) for block in range(blocks)] if marks else []
            for r in range(rows_per_block)
        ]
        columns = [
            [self._fetch(b, block * words, words, column_sources[n]) for block in range(blocks)] for n in range(2)
        ]
        return rows, kept, columns

    def _fetch(self, registers: list[Value], first: int, words: int, lanes: list[Value]) -> list[list[Value]]:
        """The registers of one block, of each of the four lanes that hold a row or a column."""
        return [[self.gather(registers[first + w], lane) for w in range(words)] for lane in lanes]

    def _widened(self, kind: str, registers: list[Value]) -> list[Value]:
        """Four eight-bit floats a register to two registers of halves."""
        found = []
        for register in registers:
            for first in (0, 16):
                halves = []
                for shift in (first, first + 8):
                    byte = self.lshr(register, constant(shift, 32))
                    halves.append(self.zext(widen(cast("Emitter[Value]", self), byte, _EIGHT[kind]), 32))
                found.append(self.or_(halves[0], self.shl(halves[1], constant(16, 32))))
        return found

    def _accumulators(self, kind: str, c: list[Value]) -> list[Value]:
        if kind == "f64":
            return [self.pair(c[i], c[i + 1]) for i in range(0, len(c), 2)]
        if kind == "f16":
            shift = constant(16, 32)
            halves = [self.trunc(v, 16) for r in c for v in (r, self.lshr(r, shift))]
            return [self.float_to_float("f32", "f16", h) for h in halves]
        return c

    def _registers(self, kind: str, d: list[Value]) -> list[Value]:
        if kind == "f64":
            return [part for v in d for part in (self.low(v), self.high(v))]
        if kind == "f16":
            halves = [self.zext(self.float_to_float("f16", "f32", v), 32) for v in d]
            shift = constant(16, 32)
            return [self.or_(halves[i], self.shl(halves[i + 1], shift)) for i in range(0, len(d), 2)]
        return d

    def _dot(self, kinds: Product, row: Row, column: Row, total: Value) -> Value:
        for row_block, column_block in zip(row, column, strict=True):
            for x, y in zip(row_block, column_block, strict=True):
                total = self._dot_lane(kinds, x, y, total)
        return total

    def _dot_kept(
        self,
        kind: str,
        row: Row,
        column: Row,
        kept: Row,
        total: Value,
    ) -> Value:
        """Only the products of elements that are there: of others with infinity there would be NaNs."""
        for blocks in zip(row, column, kept, strict=True):
            for (x,), (y,), (mark,) in zip(*blocks, strict=True):
                elements = self._elements(kind, x)
                each = 32 // len(elements)
                for n, (left, right) in enumerate(zip(elements, self._elements(kind, y), strict=True)):
                    bit = self.and_(mark, constant(1 << each * n, 32))
                    there = self.compare("ne", bit, constant(0, 32))
                    total = self.select(there, self.ffma("f32", left, right, total), total)
        return total

    def _dot_lane(self, kinds: Product, x: list[Value], y: list[Value], total: Value) -> Value:
        """The products of what one lane holds of a row and of a column."""
        if kinds.a == "f64":
            return self.ffma("f64", self.pair(x[0], x[1]), self.pair(y[0], y[1]), total)
        for p, q in zip(x, y, strict=True):
            if kinds.d == "s32":
                total = self._dot_whole(kinds.a, kinds.b, p, q, total)
                continue
            for left, right in zip(self._elements(kinds.a, p), self._elements(kinds.b, q), strict=True):
                total = self.ffma("f32", left, right, total)
        return total

    def _dot_whole(self, a_kind: str, b_kind: str, x: Value, y: Value, total: Value) -> Value:
        """Bytes, nibbles or bits of one register each."""
        if a_kind in ("b1.and", "b1.xor"):
            return self.add(total, self.popcount(self.and_(x, y) if a_kind == "b1.and" else self.xor(x, y)))
        dot = self.dot8 if a_kind[1:] == "4" else self.dot4
        return dot(x, y, total, a_kind[0] == "s", b_kind[0] == "s")

    def _elements(self, kind: str, register: Value) -> list[Value]:
        """The f32 values of a register of f16, bf16 or tf32 (whose low 13 bits the hardware ignores)."""
        if kind == "tf32":
            return [self.and_(register, constant(0xFFFF_E000, 32))]
        if kind not in ("f16", "bf16"):
            raise Unsupported(f"matrix of {kind}")
        halves = [self.trunc(register, 16), self.trunc(self.lshr(register, constant(16, 32)), 16)]
        return [self.float_to_float("f32", kind, h) for h in halves]
