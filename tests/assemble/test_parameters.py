"""Parameters that later blocks need are loaded with those of the first block."""

from __future__ import annotations

import re

import pytest
from llvmlite import binding

from cass_shim.assemble.llvm import generate_assembly
from cass_shim.assemble.parameters import in_front

# n at 8 is read in the first block, f at 12 and the pointer at 0 in the second.
KERNEL = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(4) noundef readonly byref([16 x i8]) align 8 captures(none) %params) {
entry:
  %frame = alloca [16 x i8], align 16, addrspace(5)
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr inbounds nuw i8, ptr addrspace(4) %params, i64 8
  %n = load i32, ptr addrspace(4) %p, align 8, !invariant.load !0
  %less = icmp slt i32 %lane, %n
  br i1 %less, label %inside, label %done

inside:                                           ; preds = %entry
  %out = load ptr addrspace(1), ptr addrspace(4) %params, align 8, !invariant.load !0
  %number = load i64, ptr addrspace(4) %params, align 8, !invariant.load !0
  %q = getelementptr inbounds nuw i8, ptr addrspace(4) %params, i64 12
  %f = load i32, ptr addrspace(4) %q, align 4, !invariant.load !0
  %x = mul i32 %f, %lane
  store i32 %x, ptr addrspace(1) %out, align 4
  br label %done

done:                                             ; preds = %entry, %inside
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
!0 = !{}
"""


def test_neighbours_are_one_load() -> None:
    assert re.findall(r"\ts_load_(\w+) .*, (0x8|0xc)\n", generate_assembly(KERNEL)) == [("b64", "0x8")]


def test_loads_and_their_addresses_move_and_nothing_else() -> None:
    moved = in_front(KERNEL)
    assert moved is not None
    lines = [line for line in moved.split("\n") if line]
    assert sorted(lines) == sorted(line for line in KERNEL.split("\n") if line)
    entry = lines[lines.index("entry:") + 1 : lines.index("entry:") + 7]
    assert [line.split()[0] for line in entry] == ["%frame", "%p", "%n", "%number", "%q", "%f"]
    binding.parse_assembly(moved).verify()
    assert in_front(moved) is None


def test_values_without_names_keep_their_numbers() -> None:
    """LLVM counts them through the text (`median_filter` of the suite was refused for it)."""
    names = ("frame", "lane", "p", "n", "less", "out", "number", "q", "f", "x")
    text = KERNEL
    for number, name in enumerate(names):
        text = re.sub(rf"%{name}\b", f"%{number}", text)
    binding.parse_assembly(text).verify()
    moved = in_front(text)
    assert moved is not None
    binding.parse_assembly(moved).verify()
    first, second = moved.split("inside:")
    assert "%front.7 = getelementptr" in first and "%front.8 = load i32, ptr addrspace(4) %front.7" in first
    assert "%8 = bitcast i32 %front.8 to i32" in second and "load i32" not in second
    assert in_front(moved) is None
    assert re.findall(r"\ts_load_(\w+) .*, (0x8|0xc)\n", generate_assembly(text)) == [("b64", "0x8")]


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("align 8 captures(none) %params) {", "align 8 captures(none) %others, ptr addrspace(4) %params) {"),
        ("byref([16 x i8])", "dereferenceable(16)"),
        ("  %f = load i32, ", "  %f = load volatile i32, "),
    ],
)
def test_other_loads_stay(what: str, instead: str) -> None:
    """Through pointers that are no parameter block; and those that the program's order holds."""
    text = KERNEL.replace(what, instead)
    moved = in_front(text)
    assert moved is None or moved.split("inside:")[1].count("%f = load") == 1


def test_many_parameters_stay_where_they_are() -> None:
    """More than scalar registers are for."""
    steps = "".join(
        f"  %p{at} = getelementptr i8, ptr addrspace(4) %params, i64 {8 * at}\n"
        f"  %v{at} = load i64, ptr addrspace(4) %p{at}, align 8\n"
        for at in range(2, 17)
    )
    first = "  %out = load"
    assert in_front(KERNEL.replace(first, steps + first)) is None
