"""malloc and free of device code as LLVM functions over the arena that `model.kernel_abi` describes.

Blocks are powers of two: a freed one goes on its size's list, a lock-free stack whose head carries a tag against
reuse between load and exchange; a new one comes off the end of the arena. As on an H200 malloc(0) gives a block, and
a size is rounded up without regard to the carry (`tests/native/conformance/device_heap.expected`).
"""

from __future__ import annotations

from cass_shim.model.kernel_abi import (
    HEAP_BLOCK_BYTES,
    HEAP_CLASSES,
    HEAP_HEADER_BYTES,
    HEAP_HEADS_OFFSET,
)

_HEAD = f"""
define internal ptr addrspace(1) @cass.heap_head(ptr addrspace(1) %heap, i64 %class) alwaysinline nounwind {{
  %scaled = shl i64 %class, 3
  %offset = add i64 %scaled, {HEAP_HEADS_OFFSET}
  %head = getelementptr i8, ptr addrspace(1) %heap, i64 %offset
  ret ptr addrspace(1) %head
}}
"""

_MALLOC = f"""
define internal i64 @cass.malloc(ptr addrspace(1) %heap, i64 %size) alwaysinline nounwind {{
entry:
  %rounded = add i64 %size, {HEAP_BLOCK_BYTES - 1}
  %huge = icmp ugt i64 %rounded, {1 << (HEAP_CLASSES - 2)}
  br i1 %huge, label %fail, label %sized
sized:
  %least = or i64 %rounded, {HEAP_BLOCK_BYTES}
  %zeros = call i64 @llvm.ctlz.i64(i64 %least, i1 true)
  %class = sub i64 64, %zeros
  %bytes = shl i64 1, %class
  %head = call ptr addrspace(1) @cass.heap_head(ptr addrspace(1) %heap, i64 %class)
  br label %pop
pop:
  %seen = load atomic i64, ptr addrspace(1) %head syncscope("agent") acquire, align 8
  %low = and i64 %seen, 4294967295
  %empty = icmp eq i64 %low, 0
  br i1 %empty, label %extend, label %take
take:
  %at = shl i64 %low, 4
  %block = getelementptr i8, ptr addrspace(1) %heap, i64 %at
  %next = load atomic i32, ptr addrspace(1) %block syncscope("agent") monotonic, align 4
  %next.wide = zext i32 %next to i64
  %tag = and i64 %seen, -4294967296
  %tag.next = add i64 %tag, 4294967296
  %new = or i64 %tag.next, %next.wide
  %pair = cmpxchg ptr addrspace(1) %head, i64 %seen, i64 %new syncscope("agent") acq_rel acquire
  %won = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %won, label %found, label %pop
extend:
  %used = getelementptr i8, ptr addrspace(1) %heap, i64 8
  %old = atomicrmw add ptr addrspace(1) %used, i64 %bytes syncscope("agent") monotonic
  %start = add i64 %old, {HEAP_HEADER_BYTES}
  %end = add i64 %start, %bytes
  %capacity = load i64, ptr addrspace(1) %heap, align 8
  %over = icmp ugt i64 %end, %capacity
  br i1 %over, label %undo, label %fresh
undo:
  %undone = atomicrmw sub ptr addrspace(1) %used, i64 %bytes syncscope("agent") monotonic
  br label %fail
fresh:
  %made = getelementptr i8, ptr addrspace(1) %heap, i64 %start
  %class.p = getelementptr i8, ptr addrspace(1) %made, i64 8
  store i64 %class, ptr addrspace(1) %class.p, align 8
  br label %found
found:
  %result = phi ptr addrspace(1) [ %block, %take ], [ %made, %fresh ]
  %given = getelementptr i8, ptr addrspace(1) %result, i64 {HEAP_BLOCK_BYTES}
  %bits = ptrtoint ptr addrspace(1) %given to i64
  ret i64 %bits
fail:
  ret i64 0
}}
"""

_FREE = f"""
define internal void @cass.free(ptr addrspace(1) %heap, i64 %address) alwaysinline nounwind {{
entry:
  %none = icmp eq i64 %address, 0
  br i1 %none, label %done, label %some
some:
  %base = ptrtoint ptr addrspace(1) %heap to i64
  %distance = sub i64 %address, %base
  %at = sub i64 %distance, {HEAP_BLOCK_BYTES}
  %block = getelementptr i8, ptr addrspace(1) %heap, i64 %at
  %class.p = getelementptr i8, ptr addrspace(1) %block, i64 8
  %class = load i64, ptr addrspace(1) %class.p, align 8
  %head = call ptr addrspace(1) @cass.heap_head(ptr addrspace(1) %heap, i64 %class)
  %low = lshr i64 %at, 4
  br label %push
push:
  %seen = load atomic i64, ptr addrspace(1) %head syncscope("agent") monotonic, align 8
  %next = trunc i64 %seen to i32
  store atomic i32 %next, ptr addrspace(1) %block syncscope("agent") monotonic, align 4
  %tag = and i64 %seen, -4294967296
  %tag.next = add i64 %tag, 4294967296
  %new = or i64 %tag.next, %low
  %pair = cmpxchg ptr addrspace(1) %head, i64 %seen, i64 %new syncscope("agent") acq_rel monotonic
  %won = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %won, label %done, label %push
done:
  ret void
}}
"""

DECLARATIONS = {
    "llvm.ctlz.i64": "declare i64 @llvm.ctlz.i64(i64, i1)",
}
HELPERS = {
    "cass.heap_head": _HEAD,
    "cass.malloc": _MALLOC,
    "cass.free": _FREE,
}
