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
from cass_shim.assemble.releases import WAITS
from cass_shim.assemble.repairs import IN_PROCESS, repaired
from cass_shim.model.artifacts import CodeObject, LlvmModule
from cass_shim.model.errors import ToolFailed
from cass_shim.model.kernel_abi import AbiClass, KernelAbi

TRIPLE = "amdgcn-amd-amdhsa"
PROCESSOR = "gfx1100"
# Loop strength reduction, as part of code generation, makes values behind `meets`' back that the structurizer moves
# (seen with clang 22's IR of generated kernels 5567 and 8409). ptxas has reduced the SASS's loops: nothing is lost.
OPTIONS = ("-disable-lsr",)
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
    return binding.create_pipeline_tuning_options(speed_level=2)


def optimise(module: binding.ModuleRef) -> None:
    """Run the pass pipeline in place."""
    with binding.create_pass_builder(_machine(), _tuning()) as builder:
        builder.getModulePassManager().run(module, builder)


def generate_object(text: str) -> bytes:
    """IR text to a relocatable object. Raises ToolFailed with LLVM's message when the IR is not valid.

    Waits that had to be written out (`releases`) are text, which llvmlite cannot assemble: it has no parser of asm for
    other machines than this one.
    """
    emitted: bytes | str = _generate(text, _emit)
    return toolchain.assemble_object(emitted) if isinstance(emitted, str) else emitted


def _emit(module: binding.ModuleRef, is_text: bool) -> bytes | str:
    machine = _machine()
    emitted: bytes | str = machine.emit_assembly(module) if is_text else machine.emit_object(module)
    return emitted


def generate_assembly(text: str) -> str:
    """IR text to gfx1100 assembly text, of the code that `generate_object` makes. Raises ToolFailed alike."""
    emitted: str = _generate(text, lambda module, _: _emit(module, True))
    return emitted


def _generate(text: str, emit: Callable[[binding.ModuleRef, bool], Any]) -> Any:
    """What `emit` makes of the optimised module; it is told whether there are instructions as text in it."""
    with _lock:
        try:
            with binding.parse_assembly(text) as module:
                module.verify()
                optimise(module)
                if (safe := repaired(str(module), IN_PROCESS)) is None:
                    return emit(module, False)
            with binding.parse_assembly(safe) as module:
                return emit(module, WAITS in safe)
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
