"""LLVM IR to a gfx1100 code object, in process: `LlvmModule → CodeObject`.

llvmlite's LLVM parses, optimises and generates code; our toolchain links. In: IR text. Out: code object v5 with
the slots of the module.
"""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable
from typing import Any

import llvmlite
from llvmlite import binding

from cass_shim.assemble import toolchain
from cass_shim.assemble.code_object import check_cass1_layout, parse_code_object
from cass_shim.assemble.releases import settled_object, settled_text
from cass_shim.assemble.repairs import IN_PROCESS, repaired
from cass_shim.model.artifacts import CodeObject, LlvmModule
from cass_shim.model.errors import ToolFailed
from cass_shim.model.kernel_abi import AbiClass, KernelAbi

TRIPLE = "amdgcn-amd-amdhsa"
PROCESSOR = "gfx1100"
# Loop strength reduction, as part of code generation, makes values behind `meets`' back that the structurizer moves
# (seen with clang 22's IR of generated kernels 5567 and 8409). ptxas has reduced the SASS's loops: nothing is lost.
# Code generation's own round over the IR: its straight line strength reduction takes the square of a block's length
# (3.3 of 5.9 s for 7,792 SASS instructions of gpu4pyscf's) and leaves code as long as it was (0.2 % more).
# NewGVN's operations of phis are its unsound part (llvm/llvm-project#56149); AMD's own llpc, which uses it, leaves them
# out too.
OPTIONS = ("-disable-lsr", "-amdgpu-scalar-ir-passes=false", "-enable-phi-of-ops=0")
LARGE = 4000  # instructions of IR above which fewer passes run: one in three of public wheels' functions has more
_lock = threading.Lock()  # llvmlite's global context is not for two threads at once


@functools.cache
def _machine() -> binding.TargetMachine:
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    for option in OPTIONS:
        binding.set_option("cass-shim", option)
    target = binding.Target.from_triple(TRIPLE)
    choices = {"cpu": PROCESSOR, "features": toolchain.FEATURES, "opt": 3, "reloc": "pic", "codemodel": "default"}
    return target.create_target_machine(**choices)


@functools.cache
def _tuning() -> binding.PipelineTuningOptions:
    tuning = binding.create_pipeline_tuning_options(speed_level=2)
    tuning.loop_unrolling = tuning.loop_interleaving = False
    tuning.loop_vectorization = tuning.slp_vectorization = False
    return tuning


def _instructions(text: str) -> int:
    """How many a module has; as many with debug lines and their comments, so that a listing shows the same code."""
    return text.count("\n  ") - text.count("\n  ;")


def optimise(module: binding.ModuleRef, large: bool = False) -> None:
    """Run passes in place: what is marked so is inlined, then one round over each function.

    ptxas has optimised the code already. What is left to do is to make values of registers and to combine what an
    instruction's meaning is made of. LLVM's whole pipeline combines seven times, which is half of its time, and looks
    through the module again and again. large: in the five passes that are worth their time, for code 0.4 % longer.
    """
    inlining = binding.create_new_module_pass_manager()
    inlining.add_always_inliner_pass()
    inlining.add_global_dead_code_eliminate_pass()
    with binding.create_pass_builder(_machine(), _tuning()) as builder:
        inlining.run(module, builder)
        passes = _few_passes() if large else builder.getFunctionPassManager()
        for function in module.functions:
            if not function.is_declaration:
                passes.run(function, builder)


def _few_passes() -> binding.FunctionPassManager:
    passes = binding.create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_new_gvn_pass()  # the one pass for common values that llvmlite gives
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    return passes


def generate_object(text: str) -> bytes:
    """IR text to a relocatable object. Raises ToolFailed with LLVM's message when the IR is not valid."""
    found: bytes | None = _generate(text, lambda module: settled_object(_machine().emit_object(module)))
    return found if found is not None else toolchain.assemble_object(generate_assembly(text))


def generate_assembly(text: str) -> str:
    """IR text to gfx1100 assembly text, of the code that `generate_object` makes. Raises ToolFailed alike."""
    return settled_text(_generate(text, lambda module: _machine().emit_assembly(module)))


def _generate(text: str, emit: Callable[[binding.ModuleRef], Any]) -> Any:
    """What `emit` makes of the optimised module."""
    with _lock:
        try:
            with binding.parse_assembly(text) as module:
                module.verify()
                optimise(module, _instructions(text) > LARGE)
                if (safe := repaired(str(module), IN_PROCESS)) is None:
                    return emit(module)
            with binding.parse_assembly(safe) as module:
                return emit(module)
        except RuntimeError as error:
            message = str(error).removeprefix("LLVM IR parsing error\n")
            raise ToolFailed("llvmlite", command="parse, optimise, emit", stderr=message) from error


def assemble_llvm(module: LlvmModule, abi: KernelAbi) -> CodeObject:
    """Compile and link. Raises ToolFailed, or Malformed when the result does not hold the kernel's contract."""
    elf = toolchain.link(generate_object(module.text))
    code = parse_code_object(
        elf, module.symbol, AbiClass.CASS1, module.slots, abi.bindings_offset, toolchain.toolchain().provenance
    )
    check_cass1_layout(code, abi)
    version = ".".join(str(part) for part in binding.llvm_version_info)
    provenance = {**code.provenance, "route": "llvm", "llvmlite": llvmlite.__version__, "llvm": version}
    return dataclasses.replace(code, provenance=provenance)
