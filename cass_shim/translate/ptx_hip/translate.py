"""The translator `ptx-hip`: PTX → HIP source, and what a PTX-only program's manifest needs.

Everything is a pure function of the module's text; the last parsed modules are kept, since a module's kernels are
translated one by one.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Mapping

from cass_shim.isa.ptx import load_all
from cass_shim.isa.ptx.syntax import Instruction, Module
from cass_shim.model.artifacts import DataImage, HipSource, PtxModule, Variable
from cass_shim.model.errors import Malformed, Unsupported
from cass_shim.model.kernel_abi import KernelAbi
from cass_shim.translate.ptx_hip import data
from cass_shim.translate.ptx_hip.debug_names import parameter_names
from cass_shim.translate.ptx_hip.layout import parameter_block, size_of
from cass_shim.translate.ptx_hip.parser import parse_module
from cass_shim.translate.ptx_hip.program import write_program
from cass_shim.translate.ptx_hip.reach import callees
from cass_shim.translate.ptx_hip.vet import vet

_EXCHANGES = {"shfl": "SHFL", "redux": "REDUX", "match": "MATCH"}  # PTX → the machine instruction
_DEPTH = 20_000  # nesting of the recovered structure


@functools.lru_cache(maxsize=8)
def parsed(text: str) -> Module:
    """Parse, once per text. The result is shared: do not change it."""
    load_all()
    if sys.getrecursionlimit() < _DEPTH:
        sys.setrecursionlimit(_DEPTH)
    return parse_module(text)


@functools.lru_cache(maxsize=8)
def _tokens(text: str) -> dict[str, int]:
    """Tokens, once per text: finding them goes through every function, which a kernel is one of many of."""
    return data.module_tokens(parsed(text))


def check(module: PtxModule) -> None:
    """Raises InvalidPtx for what CUDA refuses when it loads a module."""
    vet(parsed(module.text))


def kernels(module: PtxModule) -> tuple[str, ...]:
    """Names of the kernels that the module defines."""
    return tuple(
        name for name, function in parsed(module.text).functions.items() if function.entry and function.body is not None
    )


def translate_kernel(
    module: PtxModule,
    name: str,
    abi: KernelAbi | None = None,
    tokens: Mapping[str, int] | None = None,
    line_references: bool = False,
) -> HipSource:
    """HIP source of one kernel (`abi: cass1`).

    abi: the kernel's, when a cubin knows better (default: from the PTX). tokens: value of each function's address,
    as the module's data holds it (default: `module_tokens`). line_references: a comment with the PTX line at each
    statement. Raises Malformed or Unsupported.
    """
    tree = parsed(module.text)
    own = kernel_abi(module, name)
    known = abi if abi is not None else own
    if known.max_threads > own.max_threads > 0:  # as CUB's, whose tiles differ with __CUDA_ARCH__
        why = f"{own.max_threads} threads a block, the machine code {known.max_threads}"
        raise Unsupported(f"PTX (sm_{module.sm}) of another kernel than the machine code", kernel=name, why=why)
    held = _tokens(module.text) if tokens is None else tokens
    return write_program(tree, name, known, held, line_references, parameter_names(module.text))


def kernel_abi(module: PtxModule, name: str) -> KernelAbi:
    """Parameter layout, static shared and local bytes, launch limits. Raises Malformed when there is no such kernel."""
    tree = parsed(module.text)
    function = tree.functions.get(name)
    if function is None or not function.entry:
        raise Malformed(f"the module has no kernel {name}", where="PTX")
    params, size = parameter_block(function)
    required = function.tuning.get("reqntid")
    limit = 1
    for extent in function.tuning.get("maxntid", ()):
        limit *= extent
    spaces = {"shared": 0, "local": 0}
    used = data.referenced(tree, name)
    for variable in [*function.variables.values(), *(tree.variables[each] for each in sorted(used))]:
        if variable.space in spaces and variable.linkage != "extern":
            spaces[variable.space] += size_of(variable)
    return KernelAbi(
        params=params,
        params_bytes=size,
        shared_bytes=spaces["shared"],
        local_bytes=spaces["local"],
        max_threads=limit if "maxntid" in function.tuning else 0,
        required_block=_three(required) if required else None,
    )


def reads_lanes(module: PtxModule, name: str) -> Mapping[str, int]:
    """How many instructions of the kernel, and of functions it reaches, read other lanes of its warp, by what they are
    in machine code: undefined where the lanes are not there (PTX ISA, shfl.sync, redux.sync and match.sync). Raises
    Malformed."""
    tree = parsed(module.text)
    if name not in tree.functions:
        return {}
    reached = [tree.functions[name], *callees(tree, name, lambda target: tree.aliases.get(target, target))]
    return Counter(
        _EXCHANGES[statement.opcode]
        for function in reached
        for statement in function.body or ()
        if isinstance(statement, Instruction) and statement.opcode in _EXCHANGES
    )


def _three(extents: tuple[int, ...]) -> tuple[int, int, int]:
    x, y, z = (*extents, 1, 1)[:3]
    return (x, y, z)


def module_data(module: PtxModule) -> tuple[tuple[DataImage, ...], tuple[Variable, ...]]:
    """Images and variables of the module, one image per variable, addresses as relocations.

    A relocation of kind `data.FUNCTION_TOKEN` adds the token of a function, any other the address of a variable.
    """
    return data.module_data(parsed(module.text))


def module_tokens(module: PtxModule) -> dict[str, int]:
    """The value that stands for the address of each function whose address is taken, for PTX-only modules."""
    return dict(_tokens(module.text))
