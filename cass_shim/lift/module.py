"""The text of a whole LLVM module around a lifted body: signature, allocas, constants, attributes."""

from __future__ import annotations

import re

from cass_shim.isa import shared_memory
from cass_shim.lift import arena
from cass_shim.lift.emitter import DYNAMIC, LlvmEmitter
from cass_shim.lift.operations import INLINED, KEEPING, SHARED
from cass_shim.model.artifacts import LlvmModule
from cass_shim.model.errors import Unsupported
from cass_shim.model.kernel_abi import WARP, KernelAbi

# LLVM 22's own strings for amdgcn-amd-amdhsa.
DATA_LAYOUT = (
    "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-"
    "p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-"
    "v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
)
# Code generation lists the hidden argument where a kernel has such a variable and uses it.
_USES_DYNAMIC = f'  call void asm sideeffect "", "s"(ptr addrspace(3) @{DYNAMIC})'
_MMA_INLINE = 8  # matrix products in a kernel up to which their expansions are inlined
_REGISTERS_PER_SM = 65536
_MAX_BLOCK = 1024


def largest_block(abi: KernelAbi) -> int:
    """The most threads a launch may have: what the kernel says, else what its register count allows on CUDA."""
    if abi.required_block is not None:
        x, y, z = abi.required_block
        return x * y * z
    if abi.max_threads:
        return min(abi.max_threads, _MAX_BLOCK)
    if abi.registers:
        per_warp = ((abi.registers + 7) & ~7) * WARP
        return max(WARP, min(_MAX_BLOCK, _REGISTERS_PER_SM // per_warp * WARP))
    return _MAX_BLOCK


def _attributes(e: LlvmEmitter, called: bool = False, keeps: bool = False) -> str:
    """Of the kernel, or of a function that it calls: that is compiled for the same launches. keeps: denormals."""
    abi = e.kernel.abi
    least = largest_block(abi) if abi.required_block is not None else 1
    listed = [
        "nounwind",
        '"target-cpu"="gfx1100"',
        f'"amdgpu-flat-work-group-size"="{least},{largest_block(abi)}"',
        '"uniform-work-group-size"="true"',
        '"amdgpu-ieee"="false"',
    ]
    shared = abi.shared_bytes
    if e.reserved:  # what is given at launch need not be a multiple of the unit
        shared = shared_memory.room(e.sm, shared) + (shared_memory.UNIT if e.sm < shared_memory.FIRST_SM else 0)
    shared = max(shared + e.shared_shift, e.least_shared)
    if e.spilled:
        shared = max(arena.LEAST_LDS, e.least_shared)
        listed.append(arena.MODE)
    if shared and not called:
        listed.append(f'"amdgpu-lds-size"="{shared}"')
    if e.flush_f32 and not keeps:
        listed.append('"denormal-fp-math-f32"="preserve-sign,preserve-sign"')
    return " ".join(listed)


def _bank(number: int, content: bytes) -> str:
    escaped = "".join(f"\\{byte:02X}" for byte in content)
    # With an address of its own: else 4 to 32 bytes go to a section of mergeable ones, which is for LLD alone to link.
    kind = f"internal addrspace(4) constant [{len(content)} x i8]"
    return f'@bank{number} = {kind} c"{escaped}", align 16'


# What LLVM's attributor would find, which is not run (AMDGPUUsage, "LLVM IR Attributes"): inputs that no kernel here
# reads, and those that are read by a call of this text. Without, a kernel is given all of them, in scalar registers.
_ABSENT = ("dispatch-ptr", "queue-ptr", "dispatch-id", "lds-kernel-id", "completion-action", "default-queue",
           "heap-ptr", "hostcall-ptr", "multigrid-sync-arg", "flat-scratch-init", "cluster-id-x", "cluster-id-y",
           "cluster-id-z")  # fmt: skip
_BY_CALL = (
    ("implicitarg-ptr", "implicitarg.ptr("),
    *((f"{what}-id-{axis}", f"{what}.id.{axis}(") for what in ("workgroup", "workitem") for axis in "xyz"),
)


def _without_inputs(text: str) -> str:
    """The module with what its functions, all of which are for one kernel, do not read."""
    absent = [*_ABSENT, *(name for name, call in _BY_CALL if f"@llvm.amdgcn.{call}" not in text)]
    return text.replace('"amdgpu-ieee"=', "".join(f'"amdgpu-no-{one}" ' for one in absent) + '"amdgpu-ieee"=')


def _metadata(e: LlvmEmitter) -> tuple[str, list[str]]:
    """(what the kernel is marked with, the module's nodes)."""
    attached = ""
    nodes = ["!0 = !{}", '!1 = !{i32 1, !"amdhsa_code_object_version", i32 500}', "!llvm.module.flags = !{!1}"]
    if e.kernel.abi.required_block is not None:
        attached = " !reqd_work_group_size !2"
        nodes.append("!2 = !{" + ", ".join(f"i32 {n}" for n in e.kernel.abi.required_block) + "}")
    if e.in_memory:
        # All such code is one loop that serves thousands of blocks, each of which runs more seldom than what is in
        # front of it: with a count, if only that of the entry, machine LICM believes that and leaves their constants
        # there (llvm/lib/CodeGen/MachineLICM.cpp, isTgtHotterThanSrc). Else it makes them all live throughout, which
        # took 60 s of 80 for 59,000 SASS instructions.
        attached += " !prof !3"
        nodes += ['!3 = !{!"function_entry_count", i64 1}', '!4 = !{!"branch_weights", i32 1, i32 1}']
    return attached, nodes


def _attribute_groups(e: LlvmEmitter) -> list[str]:
    """Of the kernel, of tensor-core products, of callees and of operations: these leave the mode as they found it."""
    products = "alwaysinline" if e.mma_calls <= _MMA_INLINE else "noinline"
    own, keeping = _attributes(e, called=True), _attributes(e, called=True, keeps=True)
    return [
        f"attributes #0 = {{ {_attributes(e)} }}",
        f"attributes #1 = {{ convergent {products} {own} }}",
        *([f"attributes #2 = {{ convergent noinline {own} }}"] if e.calls else []),
        f"attributes {SHARED} = {{ noinline memory(none) {own} }}",
        f"attributes {INLINED} = {{ alwaysinline memory(none) {own} }}",
        f"attributes {KEEPING} = {{ noinline memory(none) {keeping} }}",
    ]


def module_text(e: LlvmEmitter, first: str) -> LlvmModule:
    """Put the module together; `first` is the label of the kernel's first block."""
    abi, name = e.kernel.abi, e.kernel.name
    parameters = ["ptr addrspace(4) noundef %bindings"]
    if abi.params_bytes:
        block = f"[{abi.params_bytes} x i8]"
        parameters.insert(0, f"ptr addrspace(4) noundef byref({block}) align 8 %params")
    attached, metadata = _metadata(e)
    before = arena.begin(e, first) if e.spilled else [f"  br label %{first}"]
    behind = arena.end(e) if e.spilled else []
    lines = [
        f'target datalayout = "{DATA_LAYOUT}"',
        'target triple = "amdgcn-amd-amdhsa"',
        *(_bank(number, content) for number, content in sorted(e.private_banks.items())),
        *sorted(d for f, d in e.declarations.items() if f not in e.helpers),
        "declare void @llvm.trap()" if "llvm.trap" not in e.declarations else "",
        *e.functions(),
        f'define amdgpu_kernel void @"{name}"({", ".join(parameters)}) #0{attached} {{',
        "entry:",
        f"  %frame = alloca [{max(e.frame_bytes, 16)} x i8], align 16, addrspace(5)",
        *e.allocations(),
        *([_USES_DYNAMIC] if DYNAMIC in e.declarations else []),
        *before,
        *e.lines,
        "lost:",
        "  call void @llvm.trap()",
        "  unreachable",
        "done:",
        *behind,
        "  ret void",
        "}",
        *_attribute_groups(e),
        *metadata,
    ]
    return LlvmModule(_without_inputs("\n".join(lines) + "\n"), name, tuple(e.slots))


_POINTER = re.compile(r"(?:, )?ptr addrspace\(4\) noundef %bindings")


def hip_text(module: LlvmModule) -> str:
    """The module's text with HIP's own kernarg: without the binding table. Raises Unsupported where that is needed."""
    if module.slots:
        raise Unsupported("module data", kernel=module.symbol)
    return _POINTER.sub("", module.text, count=1)
