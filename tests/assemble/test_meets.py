"""LLVM 22's structurizer lets lanes have a value of another way: what could be moved stands behind an empty asm."""

from __future__ import annotations

import pytest
from llvmlite import binding

from cass_shim.assemble import toolchain
from cass_shim.assemble.llvm import generate_assembly, generate_object
from cass_shim.assemble.meets import guarded

KINDS = (
    "i8", "i16", "i32", "i64", "i128", "half", "bfloat", "float", "double", "<2 x half>", "<2 x i16>", "<3 x i32>",
    "<4 x float>", "<4 x i16>", "ptr addrspace(1)", "ptr addrspace(3)", "ptr",
)  # fmt: skip


def of_kind(kind: str) -> str:
    """The toolchain's probe with values of another type, one of them a part of a wider one."""
    store = f"store {kind} %x, ptr addrspace(1) %p"
    return (
        toolchain.PROBE_IR.decode()
        .replace("i64 %a, i64 %b", f"[2 x {kind}] %a, {kind} %b")
        .replace("take:\n", f"take:\n  %part = extractvalue [2 x {kind}] %a, 1\n")
        .replace("phi i64 [ %a,", f"phi {kind} [ %part,")
        .replace("inbounds i64", f"inbounds {kind}")
        .replace("store i64 %x, ptr addrspace(1) %p", store)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_of_any_type_is_kept(kind: str) -> None:
    text = of_kind(kind)
    safe = guarded(text)
    assert safe is not None and safe.count("asm") == 1
    with binding.parse_assembly(safe) as module:
        module.verify()
    assert not toolchain.loses_values(generate_assembly(text))


def test_one_bit_is_kept() -> None:
    text = of_kind("i1").replace("store i1 %x", "%w = zext i1 %x to i8\n  store i8 %w")
    assert guarded(text) is not None
    generate_object(text)


IF = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %out, i1 %c, i32 %a, float %b) {
entry:
  br i1 %c, label %yes, label %no
yes:
  %f = bitcast i32 %a to float
  br label %join
no:
  OTHERWISE
join:
  %x = phi float [ %f, %yes ], [ %b, %no ]
  store float %x, ptr addrspace(1) %out
  ret void
}
"""
LOOP = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %out, i1 %c, i32 %n) {
entry:
  br label %head
head:
  %p = phi ptr addrspace(1) [ %out, %entry ], [ %next, %last ]
  %i = phi i32 [ 0, %entry ], [ %more, %last ]
  %next = getelementptr i8, ptr addrspace(1) %p, i64 4
  %more = add i32 %i, 1
  br i1 %c, label %work, label %last
work:
  store i32 %i, ptr addrspace(1) %p
  br label %last
last:
  %end = icmp eq i32 %more, %n
  br i1 %end, label %out.of, label %again
again:
  br label %head
out.of:
  ret void
}
"""


def test_an_if_with_an_else_is_left_alone() -> None:
    assert guarded(IF.replace("OTHERWISE", "br label %join")) is None


def test_a_way_that_may_end_elsewhere_is_no_else() -> None:
    """`no` leads to two places: what `yes` gives could reach lanes that come from it."""
    text = IF.replace("OTHERWISE", "br i1 %c, label %join, label %gone\ngone:\n  ret void")
    safe = guarded(text)
    assert safe is not None and 'asm "", "=v,0"(float %f)' in safe


def test_a_loop_keeps_its_counters() -> None:
    """A pointer that each round advances stays a scalar."""
    text = LOOP.replace(", %last ]", ", %again ]")
    assert guarded(text) is None
    both = text.replace("br i1 %c, label %work", "br i1 %c, label %skip").replace(
        "last:", "skip:\n  br label %work\nlast:"
    )
    assert guarded(both) is None


def test_what_a_way_computes_is_left_alone() -> None:
    """The parts of it cannot stand before it."""
    text = (
        toolchain.PROBE_IR.decode()
        .replace("take:\n", "take:\n  %sum = add i64 %a, 1\n")
        .replace("%a, %take", "%sum, %take")
    )
    assert guarded(text) is None


def test_a_switch_over_lines_and_an_unnamed_first_block_are_read() -> None:
    text = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %0, i32 %1, i32 %2) {
  switch i32 %1, label %6 [
    i32 0, label %4
    i32 1, label %5
  ]

4:
  %f = bitcast i32 %2 to float
  br label %7

5:
  br label %7

6:
  br label %7

7:
  %8 = phi float [ %f, %4 ], [ 1.0, %5 ], [ 2.0, %6 ]
  store float %8, ptr addrspace(1) %0
  ret void
}
"""
    safe = guarded(text)
    assert safe is not None and "%8 = phi float [ %kept.1, %4 ], [ 1.0, %5 ]" in safe
    generate_object(text)


SWITCH = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %s, i32 %a, i32 %b) {
entry:
  switch i32 %s, label %none [
    i32 1, label %plain
    i32 2, label %more
    OTHERS
  ]
plain:
  %x = zext i32 %a to i64
  br label %join
more:
  %y = zext i32 %b to i64
  store i64 %y, ptr addrspace(1) %out
  br label %join
none:
  ret void
join:
  %z = phi i64 [ %x, %plain ], [ %y, %more ]
  store i64 %z, ptr addrspace(1) %out
  ret void
}
"""


@pytest.mark.parametrize("others", ["", "i32 7, label %none"])
def test_two_arms_of_a_switch_are_no_if_with_an_else(others: str) -> None:
    """It becomes branches by way of blocks of their own: generated kernel 5823 had a value of another way."""
    safe = guarded(SWITCH.replace("OTHERS", others))
    assert safe is not None and "[ %kept.1, %plain ], [ %kept.2, %more ]" in safe


REDUCED = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %out, i64 %n, i64 %stride) {
entry:
  br label %round
round:
  %i = phi i64 [ 0, %entry ], [ %more, %round ]
  %at = mul i64 %i, %stride
  %p = getelementptr i8, ptr addrspace(1) %out, i64 %at
  store volatile i64 %i, ptr addrspace(1) %p
  %more = add i64 %i, 1
  %end = icmp eq i64 %more, %n
  br i1 %end, label %done, label %round
done:
  ret void
}
"""


def test_code_generation_makes_no_new_values_of_loops() -> None:
    """Strength reduction would, behind the guards: the product stays in the loop."""
    _, _, loop = generate_assembly(REDUCED).partition("LBB0_1:")
    assert "s_mul_i32" in loop.partition("s_cbranch")[0]
