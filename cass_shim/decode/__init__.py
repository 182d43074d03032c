"""Bytes to instructions. The seam between decoders: everything else calls `decode_kernel`.

In: a kernel of a cubin. Out: `SassKernel`. Our own table-driven decoder first; where one of its rows is missing,
nvdisasm prints and we parse.
"""

from __future__ import annotations

from dataclasses import replace

from cass_shim.decode.kernel import decode_code
from cass_shim.model.artifacts import Cubin, CubinKernel, SassKernel
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import Instruction, Reg

__all__ = ["decode_kernel"]


def decode_kernel(kernel: CubinKernel, cubin: Cubin) -> SassKernel:
    """Decode one kernel and the functions of other sections that it can reach.

    Raises Unsupported (with the kernel's name and the instruction's address) or Malformed.
    """
    try:
        instructions = decode_code(kernel, cubin)
        callees = _reachable(instructions, cubin)
    except Unsupported as error:
        name = error.kernel or kernel.name
        raise Unsupported(error.feature, kernel=name, address=error.address, why=error.why) from None
    return SassKernel(kernel, instructions, "", callees, cubin.pointed)


def _reachable(instructions: tuple[Instruction, ...], cubin: Cubin) -> dict[str, SassKernel]:
    """Functions that relocations name, transitively; with an indirect absolute call, those that pointers lead to."""
    found: dict[str, SassKernel] = {}
    waiting = _references(instructions, cubin)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        function = cubin.functions[name]
        code = decode_code(function, cubin)
        found[name] = SassKernel(replace(function), code)
        waiting |= _references(code, cubin) - found.keys()
    return found


def _references(instructions: tuple[Instruction, ...], cubin: Cubin) -> set[str]:
    named = {i.relocation.symbol for i in instructions if i.relocation and i.relocation.symbol in cubin.functions}
    if any(i.mnemonic == "CALL" and i.has("ABS") and any(isinstance(o, Reg) for o in i.operands) for i in instructions):
        named |= {name for name, one in cubin.functions.items() if one.starts() & cubin.pointed}
    return named
