"""The target of a pair: regular RDNA3 assembly of a kernel, by way of the lifter.

In: a decoded kernel. Out: the body's lines and the descriptor values that LLVM chose. The binding table's pointer is
taken out of the kernel's signature, so that the answer has HIP's own kernarg, as `abi: hip` wants it.
"""

from __future__ import annotations

import functools
import re

from llvmlite import binding

from cass_shim.lift import hip_text, lift_kernel
from cass_shim.model.artifacts import SassKernel
from tools.pairs.literal import LiteralEmitter
from tools.pairs.masks import without_unread

# Instructions as in the IR, which follows the SASS: nothing is combined, moved or paired. What a small model can learn.
_REGULAR = (
    "-pre-RA-sched=source",
    "-disable-machine-licm",
    "-disable-machine-sink",
    "-enable-tail-merge=false",
    "-disable-tail-duplicate",
    "-disable-early-taildup",
    "-amdgpu-skip-threshold=0",  # whether a branch goes around few instructions would depend on how many
    "-combiner-disabled",
    "-amdgpu-codegenprepare-mul24=false",
    "-amdgpu-load-store-vectorizer=false",
    "-enable-misched=false",
    "-enable-post-misched=false",
    "-amdgpu-enable-delay-alu=false",
    "-amdgpu-enable-vopd=false",
    "-amdgpu-atomic-optimizer-strategy=None",
)
# Where no path of the SASS leads (behind the last of the places that a call may come from): what LLVM makes of a trap
# is not a kernel's to use (`verify/contract.py`), and of a place that is never reached it makes nothing.
_TRAP = "  call void @llvm.trap()\n"


@functools.cache
def _machine() -> binding.TargetMachine:
    """Options of LLVM belong to the process: this module is for tools only."""
    for option in _REGULAR:
        binding.set_option("cass-pairs", option)
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    target = binding.Target.from_triple("amdgcn-amd-amdhsa")
    return target.create_target_machine(
        cpu="gfx1100", features="-real-true16,-load-store-opt", opt=1, reloc="pic", codemodel="default"
    )


def target(sass: SassKernel) -> tuple[list[str], dict[str, int]]:
    """Body and descriptor. Raises Unsupported when the kernel needs more than its parameters."""
    text = without_unread(hip_text(lift_kernel(sass, emitting=LiteralEmitter)).replace(_TRAP, ""))
    machine = _machine()
    with binding.parse_assembly(text) as parsed:
        with binding.create_new_module_pass_manager() as passes, _builder(machine) as builder:
            passes.add_always_inliner_pass()
            passes.add_sroa_pass()  # registers of the SASS become values
            passes.run(parsed, builder)
        assembly: str = machine.emit_assembly(parsed)
    code = assembly.split(f"\n{sass.name}:", 1)[1].split("\t.section", 1)[0]
    descriptor = {name: int(value) for name, value in re.findall(r"\.amdhsa_(\w+) (\d+)\n", assembly)}
    return code.splitlines()[1:], descriptor


def _builder(machine: binding.TargetMachine) -> binding.PassBuilder:
    return binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=0))
