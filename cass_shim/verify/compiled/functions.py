"""The LLVM functions of units: loops over lanes around the bodies of instructions.

In: bodies. Out: `Unit`s with text. A function takes the context (see `machine.CONTEXT`) and answers 0, 1 after a
fault, 2 where numpy has to run the instruction.
"""

from __future__ import annotations

import re

from cass_shim.verify.compiled.text import SIZES, Body, Row
from cass_shim.verify.compiled.unit import STRAIGHT, Unit

# Words of the context. Pointers, but for those that WORDS names.
CONTEXT = ("regs", "preds", "pc", "list", "active", "memory", "scratch", "banks", "specials", "fault", "count",
           "lanes", "nan.f32", "nan.f64", "nan.f16", "nan.bf16", "shared.high", "local.high")  # fmt: skip
WIDTHS = {"count": 64, "lanes": 64, "nan.f32": 32, "nan.f64": 64, "nan.f16": 16, "nan.bf16": 16,
          "shared.high": 32, "local.high": 32}  # fmt: skip
NO_FAULT = (1 << 64) - 1


def _function(index: int, lines: list[str]) -> str:
    """The function of these lines, which begins by loading what they name of the context."""
    text = "\n".join(lines)
    head = [f"define i32 @unit{index}(ptr %context) {{", "entry:"]
    for position, name in enumerate(CONTEXT):
        if f"%{name}" in text:
            kind = f"i{WIDTHS[name]}" if name in WIDTHS else "ptr"
            head.append(f"  %c.{name} = getelementptr i64, ptr %context, i64 {position}")
            head.append(f"  %{name} = load {kind}, ptr %c.{name}")
    return "\n".join([*head, text])


def _tables(bodies: list[Body]) -> list[str]:
    lines = []
    for prefix, table, rows in (
        ("bank", "banks", {n for b in bodies for n in b.banks}),
        ("s", "specials", {n for b in bodies for n in b.specials}),
    ):
        for row in sorted(rows):
            lines.append(f"  %t.{prefix}{row} = getelementptr ptr, ptr %{table}, i64 {row}")
            lines.append(f"  %{prefix}{row} = load ptr, ptr %t.{prefix}{row}")
    return lines


def _rows(bodies: list[Body]) -> list[Row]:
    return sorted({row for body in bodies for row in body.used})


def _places(used: list[Row]) -> list[str]:
    """Slots, and where each row of registers begins."""
    lines = ["  %out = alloca [4 x i32], align 16", "  %status = alloca i32", "  store i32 0, ptr %status"]
    for kind, row in used:
        lines.append(f"  %o.{kind}{row} = mul i64 %lanes, {row}")
        base = "%regs" if kind == "r" else "%preds"
        lines.append(f"  %b.{kind}{row} = getelementptr {SIZES[kind][0]}, ptr {base}, i64 %o.{kind}{row}")
    return lines


def _loop(tag: str, over: str, bound: str, text: str) -> str:
    """One loop over lanes; `done` follows, and a lane that fails goes on with the next."""
    lines = [
        f"{tag}loop:",
        f"  %{tag}k = phi i64 [ 0, %{tag}enter ], [ %{tag}k1, %{tag}next ]",
        f"  %{tag}at = getelementptr i32, ptr %{over}, i64 %{tag}k",
        f"  %lane32 = load i32, ptr %{tag}at",
        "  %lane = zext i32 %lane32 to i64",
        text,
        f"  br label %{tag}next",
        f"{tag}next:",
        f"  %{tag}k1 = add i64 %{tag}k, 1",
        f"  %{tag}more = icmp ult i64 %{tag}k1, {bound}",
        f"  br i1 %{tag}more, label %{tag}loop, label %{tag}done",
        f"{tag}done:",
    ]
    return "\n".join(line for line in lines if line).replace("label %failed", f"label %{tag}next")


_FAULTS = ["  %key = load i64, ptr %fault", "  %bad = icmp ne i64 %key, -1", "  %rest = load i32, ptr %status",
           "  %code = select i1 %bad, i32 1, i32 %rest", "  ret i32 %code", "}"]  # fmt: skip


def _intrinsics(bodies: list[Body]) -> dict[str, str]:
    return {name: line for body in bodies for name, line in body.intrinsics.items()}


def _registers(used: list[Row]) -> frozenset[int]:
    return frozenset(row for kind, row in used if kind == "r")


def single_loop(index: int, bodies: list[Body], kind: int) -> Unit:
    """Instructions whose lanes do not meet: one loop for all of them."""
    used = _rows(bodies)
    text = "\n".join(line for body in bodies for line in body.lines)
    lines = [*_tables(bodies), *_places(used), "  br label %aenter", "aenter:", "  br label %aloop"]
    lines += [_loop("a", "list", "%count", text), *_FAULTS]
    return Unit(kind, len(bodies), _function(index, lines), intrinsics=_intrinsics(bodies), rows=_registers(used))


def several_loops(index: int, bodies: list[Body], calls: list[tuple[str, int]], guard: tuple[int, int]) -> Unit:
    """One instruction in which lanes meet: a loop, a call for all lanes, and so on. Its guard chooses the lanes."""
    used = _rows(bodies)
    chosen, negated = guard
    if chosen >= 0 and ("p", chosen) not in used:
        used = sorted([*used, ("p", chosen)])
    lines = [*_tables(bodies), *_places(used), "  %many = alloca i64", "  store i64 0, ptr %many"]
    lines += ["  br label %genter", "genter:", "  br label %gloop", _chosen(chosen, negated)]
    lines += ["  %some = load i64, ptr %many", "  %none = icmp eq i64 %some, 0"]
    lines += ["  br i1 %none, label %over, label %p0enter", "over:", "  ret i32 0"]
    for number, body in enumerate(bodies):
        tag = f"p{number}"
        if number:
            call, row = calls[number - 1]
            lines.append(f"  %{tag}rows = getelementptr ptr, ptr %scratch, i64 {row}")
            call = call.replace("ROWS", f"%{tag}rows")
            lines += [f"  %{tag}answer = call i32 @cass_reference_{call}", f"  %{tag}bad = icmp ne i32 %{tag}answer, 0"]
            lines += [f"  br i1 %{tag}bad, label %{tag}back, label %{tag}enter"]
            lines += [f"{tag}back:", f"  ret i32 %{tag}answer"]
        lines += [f"{tag}enter:", f"  br label %{tag}loop"]
        last = number == len(bodies) - 1
        loop = _loop(tag, "active", "%some", "\n".join(body.lines))
        lines.append(re.sub(r"%(lane32|lane)\b", rf"%{tag}\1", loop))
        if not last:
            lines += [f"  %{tag}key = load i64, ptr %fault", f"  %{tag}f = icmp ne i64 %{tag}key, -1"]
            lines += [f"  br i1 %{tag}f, label %{tag}fault, label %{tag}go", f"{tag}fault:", "  ret i32 1", f"{tag}go:"]
    text = _function(index, [*lines, *_FAULTS])
    return Unit(STRAIGHT, 1, text, intrinsics=_intrinsics(bodies), rows=_registers(used))


def _chosen(row: int, negated: int) -> str:
    """The loop that puts the lanes which pass the guard on the list of active ones."""
    if row < 0:
        test = "  br label %gtake"
    else:
        go = ("gnext", "gtake") if negated else ("gtake", "gnext")
        test = "\n".join([
            f"  %gp = getelementptr i8, ptr %b.p{row}, i64 %glane", "  %gv = load i8, ptr %gp",
            "  %gh = trunc i8 %gv to i1", f"  br i1 %gh, label %{go[0]}, label %{go[1]}",
        ])  # fmt: skip
    return "\n".join([
        "gloop:", "  %gk = phi i64 [ 0, %genter ], [ %gk1, %gnext ]", "  %gat = getelementptr i32, ptr %list, i64 %gk",
        "  %glane32 = load i32, ptr %gat", "  %glane = zext i32 %glane32 to i64", test,
        "gtake:", "  %gn = load i64, ptr %many", "  %gto = getelementptr i32, ptr %active, i64 %gn",
        "  store i32 %glane32, ptr %gto", "  %gn1 = add i64 %gn, 1", "  store i64 %gn1, ptr %many",
        "  br label %gnext", "gnext:", "  %gk1 = add i64 %gk, 1", "  %gmore = icmp ult i64 %gk1, %count",
        "  br i1 %gmore, label %gloop, label %gdone", "gdone:",
    ])  # fmt: skip
