"""Where parameters lie: the CUDA parameter block of a kernel. Source: PTX ISA 9.0 §5.1.6, recorded .nv.info."""

from __future__ import annotations

from collections.abc import Iterable

from cass_shim.isa.ptx.syntax import Function, Variable
from cass_shim.isa.ptx.types import bytes_of
from cass_shim.model.kernel_abi import Param


def size_of(variable: Variable) -> int:
    """Bytes of a variable."""
    return bytes_of(variable.type) * variable.vector * variable.count


def align_of(variable: Variable) -> int:
    """Alignment in bytes: as stated, else natural."""
    natural = bytes_of(variable.type) * variable.vector
    return max(variable.align, natural) if variable.align else natural


def parameter_block(function: Function) -> tuple[tuple[Param, ...], int]:
    """Parameters with their offsets in the block, and the block's size (not padded at its end)."""
    offset, params = 0, []
    for ordinal, variable in enumerate(function.signature.parameters):
        align = align_of(variable)
        offset = (offset + align - 1) & -align
        params.append(Param(ordinal, offset, size_of(variable)))
        offset += size_of(variable)
    return tuple(params), offset


def static_shared(variables: Iterable[Variable], behind: Iterable[Variable]) -> int:
    """Bytes of static shared memory as ptxas lays it out: variables one after the other (a kernel's own come before
    the module's), the end aligned as every variable of the module whose size the launch gives (`behind`), used or not.
    Source: `.nv.shared` of ptxas 13.0.
    """
    offset = 0
    for variable in variables:
        offset = (offset + align_of(variable) - 1) & -align_of(variable)
        offset += size_of(variable)
    align = max((align_of(variable) for variable in behind), default=1)
    return (offset + align - 1) & -align
