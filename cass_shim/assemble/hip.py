"""Freestanding HIP C++ to a code object: `HipSource → CodeObject`, by clang's HIP front end.

clang stops at optimised IR, which is rewritten where code generation would compile it wrongly (`repairs`), and then at
assembly text: zig's clang cannot link HIP device code (its driver looks for an `lld` executable), so the usual
assemble-and-link path does the rest.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from cass_shim.assemble import toolchain
from cass_shim.assemble.code_object import check_cass1_layout, parse_code_object
from cass_shim.assemble.repairs import BY_CLANG, repaired
from cass_shim.model.artifacts import AmdgcnAsm, CodeObject, HipSource
from cass_shim.model.errors import ToolFailed
from cass_shim.model.kernel_abi import AbiClass, KernelAbi

# IEEE division and square root are clang's default for HIP; they are named here because a wrong default would
# be silent. Contraction must be off: PTX says where an fma is.
FLAGS = (
    "-x", "hip", "--offload-arch=gfx1100", "--cuda-device-only", "--no-gpu-bundle-output",
    "-nogpuinc", "-nogpulib", "-target", "x86_64-linux-gnu", "-mcode-object-version=5", "-std=c++20",
    "-O3", "-ffp-contract=off", "-fhip-fp32-correctly-rounded-divide-sqrt", "-fno-gpu-flush-denormals-to-zero",
    "-fno-strict-aliasing", "-fwrapv", "-fwrapv-pointer", "-fno-unsafe-math-optimizations", "-ffreestanding",
    "-fuse-cuid=none", "-fno-exceptions", "-fno-rtti", "-nostdinc", "-w", "-fno-strict-float-cast-overflow",
    "-fbracket-depth=4096", "-ferror-limit=20",
    "-Xclang", "-target-feature", "-Xclang", toolchain.FEATURES,
)  # fmt: skip
# What a driver says when its compiler ended by a signal.
_CRASHED = re.compile(r"frontend command failed (?:with exit code 1[23]\d|due to signal)|^exit status -\d+")
# gfx11 has no such instructions; the option leaves out what runs behind their pass (AMDGPUTargetMachine.cpp).
_WITHOUT_REPETITION = ("-mllvm", "-amdgpu-sdwa-peephole=false")


def compile_to_assembly(source: HipSource) -> AmdgcnAsm:
    """The assembly text clang makes of `source`. Raises ToolFailed with clang's messages."""
    tools = toolchain.toolchain()
    with toolchain.scratch_directory() as directory:
        (directory / "kernel.hip").write_text(source.text, encoding="utf-8")
        toolchain.run_tool(tools.clang, [*FLAGS, "-S", "-emit-llvm", "kernel.hip", "-o", "kernel.ll"], directory)
        optimised = (directory / "kernel.ll").read_text(encoding="utf-8")
        (directory / "kernel.ll").write_text(repaired(optimised, BY_CLANG) or optimised, encoding="utf-8")
        _generate(tools.clang, directory)
        text = (directory / "kernel.s").read_text(encoding="utf-8")
    check_complete(text)
    return AmdgcnAsm(text, source.symbol, AbiClass.CASS1, source.slots)


def _generate(clang: toolchain.Tool, directory: Path) -> None:
    """kernel.ll to kernel.s. Where the code generator itself ends (LLVM 21: a second elimination of common
    subexpressions), once more without the passes that do the same again."""
    arguments = [*toolchain.GENERATE, "kernel.ll", "-o", "kernel.s"]
    try:
        toolchain.run_tool(clang, arguments, directory)
    except ToolFailed as failure:
        if _CRASHED.search(failure.stderr) is None:
            raise
        toolchain.run_tool(clang, [*arguments, *_WITHOUT_REPETITION], directory)


def check_complete(text: str) -> None:
    """Raise ToolFailed where LLVM printed nothing for an instruction.

    LLVM 22 leaves 64-bit additions of blocks behind a trap unexpanded (V_ADD_U64_PSEUDO prints as a blank line, seen),
    and the assembler would take the blank line without a word.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if line == "\t":
            raise ToolFailed("clang", stderr=f"line {number} of its assembly is an instruction without text")


def compile_hip(source: HipSource, abi: KernelAbi) -> CodeObject:
    """Compile `source` and check that its kernarg is the `cass1` layout of `abi`.

    Raises ToolFailed with clang's messages, Malformed when the layout differs.
    """
    tools = toolchain.toolchain()
    text = compile_to_assembly(source).text
    elf = toolchain.link(toolchain.assemble_object(text))
    code = parse_code_object(elf, source.symbol, AbiClass.CASS1, source.slots, abi.bindings_offset, tools.provenance)
    check_cass1_layout(code, abi)
    return dataclasses.replace(code, provenance={**code.provenance, "route": "hip", "flags": " ".join(FLAGS)})
