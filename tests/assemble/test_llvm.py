"""LLVM IR to code objects: the contract holds, bad IR is an error and not a crash."""

from __future__ import annotations

import re

import pytest

from cass_shim.assemble.llvm import assemble_llvm, generate_assembly
from cass_shim.model.artifacts import LlvmModule
from cass_shim.model.errors import CassError, Malformed, ToolFailed
from cass_shim.model.kernel_abi import AbiClass, KernelAbi, Param, Slot, SlotKind

TEXT = """
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(4) byref([12 x i8]) align 8 %params, ptr addrspace(4) %bindings) #0 {
  %p = load ptr addrspace(1), ptr addrspace(4) %bindings, align 8
  %at = getelementptr i8, ptr addrspace(4) %params, i32 8
  %n = load i32, ptr addrspace(4) %at, align 4
  store i32 %n, ptr addrspace(1) %p, align 4
  ret void
}
attributes #0 = { "target-cpu"="gfx1100" "amdgpu-flat-work-group-size"="1,256" "amdgpu-lds-size"="512" }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
"""
ABI = KernelAbi(params=(Param(0, 0, 8), Param(1, 8, 4)), params_bytes=12, shared_bytes=512)
SLOTS = (Slot(SlotKind.SYMBOL, "table", 4),)


def test_the_code_object_says_what_a_launch_needs() -> None:
    code = assemble_llvm(LlvmModule(TEXT, "k", SLOTS), ABI)
    assert code.abi is AbiClass.CASS1
    assert code.bindings_offset == 16
    assert code.slots == SLOTS
    assert code.lds_bytes == 512
    assert code.kernarg_bytes >= 24
    assert code.elf[:4] == b"\x7fELF" and code.elf[8] == 3  # ABI version 3: code object v5
    assert code.provenance["route"] == "llvm"


def test_the_same_text_gives_the_same_bytes() -> None:
    module = LlvmModule(TEXT, "k", SLOTS)
    assert assemble_llvm(module, ABI).elf == assemble_llvm(module, ABI).elf


@pytest.mark.parametrize(
    "text",
    ["", "define", TEXT.replace("%n, ptr", "%nothing, ptr"), TEXT.replace("  ret void\n", "")],
    ids=["empty", "cut", "undefined value", "no terminator"],
)
def test_bad_ir_is_an_error(text: str) -> None:
    with pytest.raises(CassError):
        assemble_llvm(LlvmModule(text, "k", ()), ABI)


def test_the_message_names_what_llvm_said() -> None:
    with pytest.raises(ToolFailed, match="undefined value"):
        assemble_llvm(LlvmModule(TEXT.replace("%n, ptr", "%nothing, ptr"), "k", ()), ABI)


def test_a_kernel_with_another_layout_is_refused() -> None:
    other = KernelAbi(params=(Param(0, 0, 8),), params_bytes=8)
    with pytest.raises(Malformed):
        assemble_llvm(LlvmModule(TEXT, "k", ()), other)


def test_values_of_16_bits_are_not_halves_of_registers() -> None:
    """LLVM 22 ended in a segmentation fault where they are (generated kernel 5709)."""
    text = generate_assembly(
        """target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr half, ptr addrspace(1) %out, i32 %lane
  %a = load half, ptr addrspace(1) %p
  %b = fadd half %a, 1.0
  store half %b, ptr addrspace(1) %p
  ret void
}
"""
    )
    assert "v_add_f16" in text and not re.search(r"\bv\d+\.[lh]\b", text), text


LOOP = """
target triple = "amdgcn-amd-amdhsa"
@s = internal addrspace(3) global [64 x i32] poison
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %mine = getelementptr i32, ptr addrspace(3) @s, i32 %t
  %any = icmp ne i32 %n, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  store volatile i32 %i, ptr addrspace(3) %mine
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
"""


def test_a_barrier_waits_for_what_the_turn_before_stored() -> None:
    """LLVM takes the fence's wait for superfluous before it has seen the loop's end (llvm/llvm-project#220357)."""
    lines = [line.strip() for line in generate_assembly(LOOP).splitlines()]
    barrier = lines.index("s_barrier")
    assert lines.index("ds_store_b32 v0, v1") > barrier
    head = max(at for at in range(barrier) if lines[at].startswith(".LBB"))
    assert "s_waitcnt lgkmcnt(0)" in lines[head:barrier]
