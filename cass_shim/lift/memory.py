"""The emitter's memory operations, fences and barriers as LLVM IR.

Global addresses are device addresses, generic ones follow the hardware's apertures, shared ones are offsets in
LDS, local ones offsets in the thread's frame (so that LLVM can take it apart).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cass_shim.isa.sass.mbarrier import (
    COUNT_BITS,
    COUNT_MASK,
    EXPECTED_AT,
    EXPECTED_BASE,
    MISSING_AT,
    TRANSACTION_BITS,
    TRANSACTIONS_AT,
)
from cass_shim.lift import swaps
from cass_shim.lift.builder import Value, constant, typed
from cass_shim.lift.lanes import Lanes
from cass_shim.model.errors import Unsupported

_SPACES = {"global": 1, "shared": 3, "local": 5, "generic": 0}
_SCOPES = {"cta": ' syncscope("workgroup")', "gpu": ' syncscope("agent")', "sys": ""}
_INTEGER = {
    "add": "add", "and": "and", "or": "or", "xor": "xor", "exch": "xchg", "inc": "uinc_wrap", "dec": "udec_wrap",
}  # fmt: skip
_FLOATING = {"f32": "float", "f64": "double", "f16x2": "<2 x half>", "bf16x2": "<2 x bfloat>"}
_FLOAT_OPERATIONS = {"add": "fadd", "min": "fmin", "max": "fmax", "exch": "xchg"}
# Device memory of this process: coarse-grained and local, so hardware atomics are right for it.
_ATOMIC_METADATA = ", !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0"
_DENORMAL_METADATA = ", !amdgpu.ignore.denormal.mode !0"
_EXPECTED, _TRANSACTIONS, _MISSING = (
    (1 << width) - 1 << first
    for first, width in ((EXPECTED_AT, COUNT_BITS), (TRANSACTIONS_AT, TRANSACTION_BITS), (MISSING_AT, COUNT_BITS))
)

# One arrival at an mbarrier, as isa.sass.mbarrier describes its state; gives the old state.
_ARRIVE = f"""
define internal i64 @cass.arrive(ptr addrspace(3) %state) alwaysinline nounwind {{
entry:
  %first = load atomic i64, ptr addrspace(3) %state syncscope("workgroup") monotonic, align 8
  br label %again
again:
  %old = phi i64 [ %first, %entry ], [ %seen, %again ]
  %low = trunc i64 %old to i32
  %high.wide = lshr i64 %old, 32
  %high = trunc i64 %high.wide to i32
  %next = add i32 %high, 1
  %flipped = xor i32 %next, %high
  %full = icmp slt i32 %flipped, 0
  %restart = sub i32 %low, {EXPECTED_BASE}
  %count = and i32 %restart, {COUNT_MASK}
  %phase = and i32 %next, {COUNT_MASK + 1}
  %reset = or i32 %phase, %count
  %new.high = select i1 %full, i32 %reset, i32 %next
  %new.wide = zext i32 %new.high to i64
  %new.top = shl i64 %new.wide, 32
  %low.wide = zext i32 %low to i64
  %new = or i64 %new.top, %low.wide
  %pair = cmpxchg ptr addrspace(3) %state, i64 %old, i64 %new syncscope("workgroup") acq_rel monotonic
  %seen = extractvalue {{ i64, i1 }} %pair, 0
  %won = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %won, label %done, label %again
done:
  ret i64 %old
}}
"""

# The same from sm_90 on, with what it counts for in the fields of %amounts: isa.sass.mbarrier.step.
_MBARRIER = f"""
define internal i64 @cass.mbarrier(ptr addrspace(3) %state, i64 %amounts) alwaysinline nounwind {{
entry:
  %first = load atomic i64, ptr addrspace(3) %state syncscope("workgroup") monotonic, align 8
  %plus.expected = and i64 %amounts, {_EXPECTED}
  %plus.transactions = and i64 %amounts, {_TRANSACTIONS}
  %plus.missing = and i64 %amounts, {_MISSING}
  br label %again
again:
  %old = phi i64 [ %first, %entry ], [ %seen, %again ]
  %old.expected = and i64 %old, {_EXPECTED}
  %old.transactions = and i64 %old, {_TRANSACTIONS}
  %old.missing = and i64 %old, {_MISSING}
  %sum.expected = add i64 %old.expected, %plus.expected
  %sum.transactions = add i64 %old.transactions, %plus.transactions
  %sum.missing = add i64 %old.missing, %plus.missing
  %expected = and i64 %sum.expected, {_EXPECTED}
  %transactions = and i64 %sum.transactions, {_TRANSACTIONS}
  %missing = and i64 %sum.missing, {_MISSING}
  %open = or i64 %transactions, %missing
  %full = icmp eq i64 %open, 0
  %restart = shl i64 %expected, {MISSING_AT - EXPECTED_AT}
  %count = select i1 %full, i64 %restart, i64 %missing
  %flip = select i1 %full, i64 {1 << 63}, i64 0
  %old.phase = and i64 %old, {1 << 63}
  %phase = xor i64 %old.phase, %flip
  %upper = or i64 %phase, %count
  %lower = or i64 %transactions, %expected
  %new = or i64 %upper, %lower
  %pair = cmpxchg ptr addrspace(3) %state, i64 %old, i64 %new syncscope("workgroup") acq_rel monotonic
  %seen = extractvalue {{ i64, i1 }} %pair, 0
  %won = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %won, label %done, label %again
done:
  ret i64 %old
}}
"""


def _named(pointer_type: str) -> str:
    """A pointer type in a function's name."""
    return re.sub(r"\D", "", pointer_type) or "0"


@dataclass
class Memory(Lanes):
    """Memory part of the emitter. shared_shift: bytes of LDS in front of the program's, for barriers.

    least_shared: bytes of LDS that those need, where the program's own shared memory is in front anyway.
    spilled: shared memory is in an arena, at %shared.base (`lift.arena`).
    """

    shared_shift: int = 0
    least_shared: int = 0
    spilled: bool = False

    def pointer(self, space: str, address: Value) -> str:
        """A typed pointer ("ptr addrspace(1) %v1")."""
        if self.spilled and space == "shared":
            wide = self.zext(address, 64)
            return f"ptr addrspace(1) {self.text(f'getelementptr i8, ptr addrspace(1) %shared.base, {typed(wide)}')}"
        if self.spilled and space == "generic":
            inside = self.add(Value("%shared.address", 64), self.zext(self.low(address), 64))
            address = self.select(self.is_space("shared", address), inside, address)
        if space == "local":
            return f"ptr addrspace(5) {self.text(f'getelementptr i8, ptr addrspace(5) %frame, i32 {address.text}')}"
        if space == "shared" and self.shared_shift:
            address = self.add(address, constant(self.shared_shift, 32))
        number = _SPACES[space]
        kind = f"ptr addrspace({number})" if number else "ptr"
        return f"{kind} {self.text(f'inttoptr {typed(address)} to {kind}')}"

    def load(
        self,
        space: str,
        address: Value,
        width: int,
        count: int,
        signed: bool = False,
        order: str = "weak",
    ) -> list[Value]:
        pointer = self.pointer(space, address)
        if width < 32:
            value = self._load_word(pointer, width, order)
            return [self.sext(value, 32) if signed else self.zext(value, 32)]
        if count == 1:
            return [self._load_word(pointer, 32, order)]
        if count == 2 and order != "weak":
            both = self._load_word(pointer, 64, order)
            return [self.low(both), self.high(both)]
        volatile = "" if order == "weak" else "volatile "
        vector = self.text(f"load {volatile}<{count} x i32>, {pointer}, align {4 * count}")
        return [self.op(32, f"extractelement <{count} x i32> {vector}, i32 {k}") for k in range(count)]

    def load_where(self, p: Value, address: Value, count: int) -> list[Value]:
        before, inside, join = self.block, self.new_label("read"), self.new_label("copied")
        self.raw(f"br i1 {p.text}, label %{inside}, label %{join}")
        self.start(inside)
        values = self.load("global", address, 32, count)
        self.raw(f"br label %{join}")
        self.start(join)
        return [self.op(32, f"phi i32 [ 0, %{before} ], [ {value.text}, %{inside} ]") for value in values]

    def _load_word(self, pointer: str, width: int, order: str) -> Value:
        if order == "weak":
            return self.op(width, f"load i{width}, {pointer}, align {width // 8}")
        scope = _SCOPES[order]
        return self.op(width, f"load atomic i{width}, {pointer}{scope} monotonic, align {width // 8}")

    def store(self, space: str, address: Value, values: list[Value], width: int, order: str = "weak") -> None:
        pointer = self.pointer(space, address)
        if len(values) == 1:
            self._store_word(pointer, self.trunc(values[0], width), order)
            return
        if len(values) == 2 and order != "weak":
            self._store_word(pointer, self.pair(values[0], values[1]), order)
            return
        count = len(values)
        volatile = "" if order == "weak" else "volatile "
        self.raw(f"store {volatile}<{count} x i32> {self._vector(values)}, {pointer}, align {4 * count}")

    def _store_word(self, pointer: str, value: Value, order: str) -> None:
        align = value.width // 8
        if order == "weak":
            self.raw(f"store {typed(value)}, {pointer}, align {align}")
        else:
            self.raw(f"store atomic {typed(value)}, {pointer}{_SCOPES[order]} monotonic, align {align}")

    def atomic(
        self,
        space: str,
        operation: str,
        kind: str,
        address: Value,
        value: Value,
        compare: Value | None = None,
        scope: str = "gpu",
    ) -> Value:
        pointer = self.pointer(space, address)
        ordering = f"{_SCOPES[scope]} monotonic"
        if operation == "cas":
            assert compare is not None
            pair = self.text(f"cmpxchg {pointer}, {typed(compare)}, {typed(value)}{ordering} monotonic")
            return self.op(value.width, f"extractvalue {{ i{value.width}, i1 }} {pair}, 0")
        if operation == "arrive":
            self.helpers["cass.arrive"] = self._in_shared(_ARRIVE)
            return self.call(64, "cass.arrive", pointer)
        if operation == "mbarrier":
            self.helpers["cass.mbarrier"] = self._in_shared(_MBARRIER)
            return self.call(64, "cass.mbarrier", pointer, typed(value))
        if kind.endswith("x2") and operation in ("min", "max"):
            return self._packed_extreme(pointer, operation, kind, value, scope)
        if kind in _FLOATING:
            return self._float_atomic(pointer, operation, kind, value, ordering)
        sign = "" if kind[0] == "s" else "u"
        name = _INTEGER.get(operation) or f"{sign}{operation}"
        return self.op(value.width, f"atomicrmw {name} {pointer}, {typed(value)}{ordering}{_ATOMIC_METADATA}")

    def _in_shared(self, helper: str) -> str:
        """A helper's text for where shared memory is."""
        return helper.replace("addrspace(3)", "addrspace(1)") if self.spilled else helper

    def _float_atomic(self, pointer: str, operation: str, kind: str, value: Value, ordering: str) -> Value:
        name = _FLOAT_OPERATIONS.get(operation)
        if name is None:
            raise Unsupported(f"atomic {operation} of {kind}")
        type_ = _FLOATING[kind]
        operand = self.text(f"bitcast {typed(value)} to {type_}")
        extra = _ATOMIC_METADATA + (_DENORMAL_METADATA if kind == "f32" else "")
        old = self.text(f"atomicrmw {name} {pointer}, {type_} {operand}{ordering}{extra}")
        return self.op(value.width, f"bitcast {type_} {old} to i{value.width}")

    def _packed_extreme(self, pointer: str, operation: str, kind: str, value: Value, scope: str) -> Value:
        type_ = pointer.rsplit(" ", 1)[0]
        name = f"cass.{operation}.{kind}.{_named(type_)}.{scope}"
        if name not in self.helpers:
            inner = Lanes(flush_f32=self.flush_f32)

            def lines(old: Value, operand: Value) -> tuple[list[str], Value]:
                new = (inner.fmin if operation == "min" else inner.fmax)(kind, old, operand)
                return inner.lines, new

            self.helpers[name] = swaps.update_loop(name, type_, _SCOPES[scope], lines)
            self.declarations |= inner.declarations
        return self.call(32, name, pointer, typed(value))

    def atomic_whole(
        self, space: str, operation: str, address: Value, value: list[Value], compare: list[Value] | None, scope: str
    ) -> list[Value]:
        pointer = self.pointer(space, address)
        type_ = pointer.rsplit(" ", 1)[0]
        wide = "sys" if scope == "sys" else "gpu"
        name = f"cass.{operation}.whole.{_named(type_)}.{wide}"
        if name not in self.helpers:
            self.helpers[swaps.LOCK_TABLE] = swaps.LOCK_TABLE
            self.declarations |= swaps.DECLARATIONS
            self.helpers[name] = swaps.whole(name, type_, _SCOPES[wide], compare is not None)
        given = [self._vector(value)] + ([self._vector(compare)] if compare is not None else [])
        old = self.call_text("<4 x i32>", name, pointer, *(f"<4 x i32> {each}" for each in given))
        return [self.op(32, f"extractelement <4 x i32> {old}, i32 {k}") for k in range(4)]

    def _vector(self, values: list[Value]) -> str:
        vector = "poison"
        for k, value in enumerate(values):
            vector = self.text(f"insertelement <{len(values)} x i32> {vector}, {typed(value)}, i32 {k}")
        return vector

    def is_space(self, space: str, address: Value) -> Value:
        pointer = self.text(f"inttoptr {typed(address)} to ptr")
        if space != "global":
            name = "private" if space == "local" else "shared"
            return self.call(1, f"llvm.amdgcn.is.{name}", f"ptr {pointer}")
        private, shared = (self.call(1, f"llvm.amdgcn.is.{n}", f"ptr {pointer}") for n in ("private", "shared"))
        return self.not_(self.or_(private, shared))

    # ordering
    def fence(self, scope: str) -> None:
        """Within a wave the hardware keeps LDS in order, so there the fence only holds LLVM back."""
        if scope == "warp":
            self.raw('fence syncscope("wavefront") acq_rel')
        else:
            self.raw(f"fence{_SCOPES[scope]} seq_cst")

    def trap(self) -> None:
        self.call_text("void", "llvm.trap")
