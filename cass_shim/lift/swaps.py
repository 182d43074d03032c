"""Atomic operations that RDNA3 has no instruction for, as LLVM functions: minima of packed floats, cells of 16 bytes.

Minima and maxima compare and swap until nobody came between. Sixteen bytes take a lock of the code's own, chosen by the
address: lanes of a wave take turns at it, waves wait for each other. Two kernels that run at once do not share locks.
"""

from __future__ import annotations

from collections.abc import Callable

from cass_shim.lift.builder import Value

LOCKS = 64  # as translate.ptx_hip has
LOCK_TABLE = f"@cass.locks = internal addrspace(1) global [{LOCKS} x i32] zeroinitializer, align 4"
DECLARATIONS = {
    "llvm.amdgcn.s.sleep": "declare void @llvm.amdgcn.s.sleep(i32 immarg)",
    "llvm.amdgcn.mbcnt.lo": "declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)",
    "llvm.amdgcn.ballot.i32": "declare i32 @llvm.amdgcn.ballot.i32(i1)",
    "llvm.cttz.i32": "declare i32 @llvm.cttz.i32(i32, i1 immarg)",
}
_WORDS = "<4 x i32>"


def update_loop(name: str, pointer: str, scope: str, lines: Callable[[Value, Value], tuple[list[str], Value]]) -> str:
    """A function that gives the old word and stores what `lines` make of it and the operand.

    pointer: its type. scope: LLVM's, with a blank in front.
    """
    body, new = lines(Value("%old", 32), Value("%operand", 32))
    return "\n".join(
        [
            f"define internal i32 @{name}({pointer} %at, i32 %operand) alwaysinline nounwind {{",
            "entry:",
            f"  %first = load atomic i32, {pointer} %at{scope} monotonic, align 4",
            "  br label %again",
            "again:",
            "  %old = phi i32 [ %first, %entry ], [ %seen, %again ]",
            *body,
            f"  %pair = cmpxchg {pointer} %at, i32 %old, i32 {new.text}{scope} monotonic monotonic",
            "  %seen = extractvalue { i32, i1 } %pair, 0",
            "  %won = extractvalue { i32, i1 } %pair, 1",
            "  br i1 %won, label %done, label %again",
            "done:",
            "  ret i32 %old",
            "}",
        ]
    )


def whole(name: str, pointer: str, scope: str, compares: bool) -> str:
    """A function that exchanges 16 bytes, where `compares` only those that are equal to what it is given.

    scope: LLVM's for the lock, with a blank in front: the block is not enough, its waves may have caches of their own.
    """
    arguments = f"{_WORDS} %new" + (f", {_WORDS} %wanted" if compares else "")
    equal = [
        f"  %same = icmp eq {_WORDS} %old, %wanted",
        "  %all = bitcast <4 x i1> %same to i4",
        "  %equal = icmp eq i4 %all, -1",
        f"  %stored = select i1 %equal, {_WORDS} %new, {_WORDS} %old",
    ]
    stored = "%stored" if compares else "%new"
    return "\n".join(
        [
            f"define internal {_WORDS} @{name}({pointer} %at, {arguments}) alwaysinline convergent nounwind {{",
            "entry:",
            f"  %address = ptrtoint {pointer} %at to i64",
            "  %cell = lshr i64 %address, 4",
            f"  %number = and i64 %cell, {LOCKS - 1}",
            "  %lock = getelementptr i32, ptr addrspace(1) @cass.locks, i64 %number",
            "  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)",
            "  %everybody = call i32 @llvm.amdgcn.ballot.i32(i1 true)",
            "  br label %turn",
            "turn:",
            "  %left = phi i32 [ %everybody, %entry ], [ %rest, %next ]",
            f"  %before = phi {_WORDS} [ zeroinitializer, %entry ], [ %found, %next ]",
            "  %who = call i32 @llvm.cttz.i32(i32 %left, i1 true)",
            "  %mine = icmp eq i32 %who, %lane",
            "  br i1 %mine, label %try, label %next",
            "try:",
            f"  %taken = atomicrmw xchg ptr addrspace(1) %lock, i32 1{scope} acquire",
            "  %free = icmp eq i32 %taken, 0",
            "  br i1 %free, label %locked, label %wait",
            "wait:",
            "  call void @llvm.amdgcn.s.sleep(i32 1)",
            "  br label %try",
            "locked:",
            f"  %old = load volatile {_WORDS}, {pointer} %at, align 16",
            *(equal if compares else []),
            f"  store volatile {_WORDS} {stored}, {pointer} %at, align 16",
            f"  store atomic i32 0, ptr addrspace(1) %lock{scope} release, align 4",
            "  br label %next",
            "next:",
            f"  %found = phi {_WORDS} [ %before, %turn ], [ %old, %locked ]",
            "  %less = sub i32 %left, 1",
            "  %rest = and i32 %left, %less",
            "  %over = icmp eq i32 %rest, 0",
            "  br i1 %over, label %done, label %turn",
            "done:",
            f"  ret {_WORDS} %found",
            "}",
        ]
    )
