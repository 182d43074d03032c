"""What stands around a body of the shipped model: descriptor values that follow from the SASS alone.

In: a decoded kernel and the model's instructions. Out: an answer as `answer.parse_answer` reads it.
"""

from __future__ import annotations

from cass_shim.model.artifacts import SassKernel
from cass_shim.model.instruction import Special

# Source: LLVM 22's descriptors for gfx1100 with "amdgpu-ieee"="false": the modes that the lifter's code runs in.
_MODES = {
    "float_round_mode_32": 0, "float_round_mode_16_64": 0, "float_denorm_mode_32": 3, "float_denorm_mode_16_64": 3,
    "dx10_clamp": 1, "ieee_mode": 0, "workgroup_processor_mode": 1, "memory_ordered": 1,
    "user_sgpr_kernarg_segment_ptr": 1, "system_sgpr_workgroup_id_x": 1,
}  # fmt: skip
_STEP = 16  # bytes to which the frame of local memory is aligned
_WORKGROUP_IDS_END = 16  # on gfx11 the workgroup ids are the last of the first 16 scalar registers


def local_bytes(sass: SassKernel) -> int:
    """Of local memory that its code accesses, in whole steps; the stack's first pointer is the end of them."""
    accesses = any(one.mnemonic in ("LDL", "STL") for one in sass.instructions)
    return -(-sass.abi.local_bytes // _STEP) * _STEP if accesses else 0


def private_bytes(sass: SassKernel) -> int:
    """Of scratch memory a lane: LLVM keeps one step free beside a frame whose places are computed."""
    local = local_bytes(sass)
    return local + _STEP if local else 0


def descriptor(sass: SassKernel) -> dict[str, int]:
    """The descriptor's values: the ids that the SASS reads decide which registers the hardware fills."""
    read = {operand.name for one in sass.instructions for operand in one.operands if isinstance(operand, Special)}
    groups = {f"system_sgpr_workgroup_id_{axis}": int(f"SR_CTAID.{axis.upper()}" in read) for axis in "yz"}
    items = 2 if "SR_TID.Z" in read else 1 if "SR_TID.Y" in read else 0
    enabled = 1 + sum(groups.values())
    return {
        **_MODES,
        **groups,
        "system_vgpr_workitem_id": items,
        "user_sgpr_count": _WORKGROUP_IDS_END - enabled,
        "group_segment_fixed_size": sass.abi.shared_bytes,
        "private_segment_fixed_size": private_bytes(sass),
    }


def framed(sass: SassKernel, body: str) -> str:
    """The body as a whole kernel: label, instructions, descriptor."""
    values = [f"\t\t.amdhsa_{name} {value}" for name, value in descriptor(sass).items()]
    frame = ["\t.section .rodata", f"\t.amdhsa_kernel {sass.name}", *values, "\t.end_amdhsa_kernel"]
    return "\n".join([f"{sass.name}:", body.rstrip("\n"), *frame, ""])
