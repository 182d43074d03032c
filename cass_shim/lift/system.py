"""System calls of device code: printf and assert into the ring, as `model.kernel_abi` lays it out.

The helpers are LLVM functions, inlined where they are used. The format string is read on the device to find how
many arguments there are (the result of printf, as recorded on a GPU) and their size: `%%` none, a `*` four bytes,
`c d i o u x X` four or eight by the length modifier, `s p n` and floats eight, at natural alignment (CUDA C++
programming guide, formatted output).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cass_shim.isa import texture_calls
from cass_shim.lift import heap
from cass_shim.lift.builder import Value, constant, typed
from cass_shim.model.errors import Unsupported
from cass_shim.model.kernel_abi import (
    PRINTF_HEADER_BYTES,
    PRINTF_KIND_ASSERT,
    PRINTF_KIND_PRINTF,
    PRINTF_RECORD_BYTES,
    SlotKind,
)

if TYPE_CHECKING:
    from cass_shim.lift.emitter import LlvmEmitter

_ARGUMENT_BYTES = """
define internal i64 @cass.argument_bytes(ptr %format) alwaysinline nounwind {
entry:
  br label %text
text:
  %at = phi i64 [ 0, %entry ], [ %text.next, %text.more ], [ %spec.next, %spec.end ]
  %bytes = phi i32 [ 0, %entry ], [ %bytes, %text.more ], [ %spec.bytes, %spec.end ]
  %count = phi i32 [ 0, %entry ], [ %count, %text.more ], [ %spec.count, %spec.end ]
  %p = getelementptr i8, ptr %format, i64 %at
  %c = load i8, ptr %p, align 1
  %text.next = add i64 %at, 1
  switch i8 %c, label %text.more [ i8 0, label %done
                                   i8 37, label %spec ]
text.more:
  br label %text
spec:
  %s.at = phi i64 [ %text.next, %text ], [ %s.next, %spec.skip ]
  %s.bytes = phi i32 [ %bytes, %text ], [ %s.bytes.next, %spec.skip ]
  %s.count = phi i32 [ %count, %text ], [ %s.count.next, %spec.skip ]
  %s.long = phi i32 [ 0, %text ], [ %s.long.next, %spec.skip ]
  %s.p = getelementptr i8, ptr %format, i64 %s.at
  %s.c = load i8, ptr %s.p, align 1
  %s.next = add i64 %s.at, 1
  switch i8 %s.c, label %spec.skip [ i8 0, label %done
    i8 37, label %spec.none
    i8 99, label %spec.word
    i8 100, label %spec.word
    i8 105, label %spec.word
    i8 111, label %spec.word
    i8 117, label %spec.word
    i8 120, label %spec.word
    i8 88, label %spec.word
    i8 115, label %spec.wide
    i8 112, label %spec.wide
    i8 110, label %spec.wide
    i8 97, label %spec.wide
    i8 65, label %spec.wide
    i8 101, label %spec.wide
    i8 69, label %spec.wide
    i8 102, label %spec.wide
    i8 70, label %spec.wide
    i8 103, label %spec.wide
    i8 71, label %spec.wide ]
spec.skip:
  %is.star = icmp eq i8 %s.c, 42
  %padded4 = add i32 %s.bytes, 3
  %aligned4 = and i32 %padded4, -4
  %with.star = add i32 %aligned4, 4
  %s.bytes.next = select i1 %is.star, i32 %with.star, i32 %s.bytes
  %one.more = add i32 %s.count, 1
  %s.count.next = select i1 %is.star, i32 %one.more, i32 %s.count
  %is.l = icmp eq i8 %s.c, 108
  %is.z = icmp eq i8 %s.c, 122
  %is.j = icmp eq i8 %s.c, 106
  %is.t = icmp eq i8 %s.c, 116
  %lz = or i1 %is.l, %is.z
  %jt = or i1 %is.j, %is.t
  %is.long = or i1 %lz, %jt
  %s.long.next = select i1 %is.long, i32 1, i32 %s.long
  br label %spec
spec.none:
  br label %spec.end
spec.word:
  %long = icmp ne i32 %s.long, 0
  %word.size = select i1 %long, i32 8, i32 4
  br label %spec.add
spec.wide:
  br label %spec.add
spec.add:
  %size = phi i32 [ %word.size, %spec.word ], [ 8, %spec.wide ]
  %less = sub i32 %size, 1
  %mask = xor i32 %less, -1
  %padded = add i32 %s.bytes, %less
  %aligned = and i32 %padded, %mask
  %added = add i32 %aligned, %size
  %counted = add i32 %s.count, 1
  br label %spec.end
spec.end:
  %spec.bytes = phi i32 [ %s.bytes, %spec.none ], [ %added, %spec.add ]
  %spec.count = phi i32 [ %s.count, %spec.none ], [ %counted, %spec.add ]
  %spec.next = add i64 %s.at, 1
  br label %text
done:
  %total = phi i32 [ %bytes, %text ], [ %s.bytes, %spec ]
  %total.count = phi i32 [ %count, %text ], [ %s.count, %spec ]
  %low = zext i32 %total to i64
  %high = zext i32 %total.count to i64
  %shifted = shl i64 %high, 32
  %both = or i64 %shifted, %low
  ret i64 %both
}
"""

# Reserves a record and writes all of it but its kind; null when the ring is full.
_RESERVE = f"""
define internal ptr addrspace(1) @cass.reserve(ptr addrspace(1) %ring, i32 %arguments) alwaysinline nounwind {{
entry:
  %padded = add i32 %arguments, {PRINTF_RECORD_BYTES + 7}
  %size = and i32 %padded, -8
  %capacity = load i32, ptr addrspace(1) %ring, align 4
  %tail.p = getelementptr i8, ptr addrspace(1) %ring, i64 4
  %at = atomicrmw add ptr addrspace(1) %tail.p, i32 %size syncscope("agent") monotonic
  %end = add i32 %at, %size
  %fits = icmp ule i32 %end, %capacity
  %sane = icmp uge i32 %end, %at
  %ok = and i1 %fits, %sane
  br i1 %ok, label %room, label %full
full:
  %dropped.p = getelementptr i8, ptr addrspace(1) %ring, i64 8
  %old = atomicrmw add ptr addrspace(1) %dropped.p, i32 1 syncscope("agent") monotonic
  ret ptr addrspace(1) null
room:
  %at.wide = zext i32 %at to i64
  %offset = add i64 %at.wide, {PRINTF_HEADER_BYTES}
  %record = getelementptr i8, ptr addrspace(1) %ring, i64 %offset
  %bytes.p = getelementptr i8, ptr addrspace(1) %record, i64 4
  store i32 %arguments, ptr addrspace(1) %bytes.p, align 4
  ret ptr addrspace(1) %record
}}
"""

_PRINTF = f"""
define internal i32 @cass.vprintf(ptr addrspace(1) %ring, ptr %format, ptr %arguments) alwaysinline nounwind {{
entry:
  %both = call i64 @cass.argument_bytes(ptr %format)
  %bytes = trunc i64 %both to i32
  %count.wide = lshr i64 %both, 32
  %count = trunc i64 %count.wide to i32
  %record = call ptr addrspace(1) @cass.reserve(ptr addrspace(1) %ring, i32 %bytes)
  %none = icmp eq ptr addrspace(1) %record, null
  br i1 %none, label %done, label %fill
fill:
  %format.p = getelementptr i8, ptr addrspace(1) %record, i64 8
  %format.bits = ptrtoint ptr %format to i64
  store i64 %format.bits, ptr addrspace(1) %format.p, align 8
  %target = getelementptr i8, ptr addrspace(1) %record, i64 {PRINTF_RECORD_BYTES}
  br label %loop
loop:
  %at = phi i32 [ 0, %fill ], [ %next, %copy ]
  %more = icmp ult i32 %at, %bytes
  br i1 %more, label %copy, label %publish
copy:
  %at.wide = zext i32 %at to i64
  %from = getelementptr i8, ptr %arguments, i64 %at.wide
  %to = getelementptr i8, ptr addrspace(1) %target, i64 %at.wide
  %word = load i32, ptr %from, align 4
  store i32 %word, ptr addrspace(1) %to, align 4
  %next = add i32 %at, 4
  br label %loop
publish:
  store atomic i32 {PRINTF_KIND_PRINTF}, ptr addrspace(1) %record syncscope("agent") release, align 8
  br label %done
done:
  %result = phi i32 [ -1, %entry ], [ %count, %publish ]
  ret i32 %result
}}
"""


def _pair(e: LlvmEmitter, first: int) -> Value:
    return e.pair(e.get_reg(first, False), e.get_reg(first + 1, False))


def _ring(e: LlvmEmitter) -> str:
    address = e.slot(SlotKind.PRINTF)
    return f"ptr addrspace(1) {e.text(f'inttoptr {typed(address)} to ptr addrspace(1)')}"


def _generic(e: LlvmEmitter, address: Value) -> str:
    return f"ptr {e.text(f'inttoptr {typed(address)} to ptr')}"


def emit_system_call(e: LlvmEmitter, name: str) -> None:
    """The CUDA ABI's arguments are in R4 and up; a result goes to R4."""
    if name in texture_calls.NAMES:
        texture_calls.perform(e, name)
    elif name == "vprintf":
        e.helpers |= {"cass.argument_bytes": _ARGUMENT_BYTES, "cass.reserve": _RESERVE, "cass.vprintf": _PRINTF}
        format_pointer, arguments = _generic(e, _pair(e, 4)), _generic(e, _pair(e, 6))
        e.set_reg(4, False, e.call(32, "cass.vprintf", _ring(e), format_pointer, arguments))
    elif name == "__assertfail":
        _emit_assert(e)
    elif name == "malloc":
        address = e.call(64, "cass.malloc", _heap(e), typed(_pair(e, 4)))
        e.set_reg(4, False, e.low(address))
        e.set_reg(5, False, e.high(address))
    elif name == "free":
        _emit_free(e)
    elif name == "cudaGraphSetConditional":
        # A condition handle is the address of its word (native/driver/condition.h).
        where = f"ptr addrspace(1) {e.text(f'inttoptr {typed(_pair(e, 4))} to ptr addrspace(1)')}"
        e.raw(f"store {typed(e.get_reg(6, False))}, {where}, align 4")
    else:
        raise Unsupported(name)


def _heap(e: LlvmEmitter) -> str:
    e.helpers |= heap.HELPERS
    e.declarations |= heap.DECLARATIONS
    address = e.slot(SlotKind.HEAP)
    return f"ptr addrspace(1) {e.text(f'inttoptr {typed(address)} to ptr addrspace(1)')}"


def _emit_free(e: LlvmEmitter) -> None:
    """In a module that never calls malloc nothing but null can be freed; bank 4 tells, where calls go through it.

    Debug builds call by relocation and have no such list.
    """
    address = _pair(e, 4)
    symbols = {entry.symbol for entry in e.kernel.bank4.values()}
    if "malloc" in symbols or "free" not in symbols:
        e.call_text("void", "cass.free", _heap(e), typed(address))
        return
    wrong, done = e.new_label("free"), e.new_label("freed")
    something = e.compare("ne", address, constant(0, 64))
    e.raw(f"br i1 {something.text}, label %{wrong}, label %{done}")
    e.start(wrong)
    e.trap()
    e.raw(f"br label %{done}")
    e.start(done)


def _emit_assert(e: LlvmEmitter) -> None:
    """Message R4, file R6, line R8, function R10, character size R12; then the block and thread, then a trap."""
    e.helpers["cass.reserve"] = _RESERVE
    words = [e.get_reg(4 + k, False) for k in range(5)]
    words += [constant(0, 32)] + [e.get_reg(10 + k, False) for k in range(4)]
    words += [e.special(f"SR_CTAID.{axis}") for axis in "XYZ"]
    words += [e.special(f"SR_TID.{axis}") for axis in "XYZ"]
    record = e.call_text("ptr addrspace(1)", "cass.reserve", _ring(e), f"i32 {4 * len(words)}")
    write, stop = e.new_label("assert"), e.new_label("stop")
    none = e.op(1, f"icmp eq ptr addrspace(1) {record}, null")
    e.raw(f"br i1 {none.text}, label %{stop}, label %{write}")
    e.start(write)
    for k, word in enumerate(words):
        offset = PRINTF_RECORD_BYTES + 4 * k
        where = e.text(f"getelementptr i8, ptr addrspace(1) {record}, i64 {offset}")
        e.raw(f"store {typed(word)}, ptr addrspace(1) {where}, align 4")
    kind = f"store atomic i32 {PRINTF_KIND_ASSERT}, ptr addrspace(1) {record}"
    e.raw(f'{kind} syncscope("agent") release, align 8')
    e.raw(f"br label %{stop}")
    e.start(stop)
    e.trap()
