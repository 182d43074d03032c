"""native/reference as Python sees it: its structures, and the LLVM engine that compiles units against it.

The layouts repeat those of machine.c and memory.c, whose order they follow; `cass_reference_sizes` says whether they
agree.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from llvmlite import binding

from cass_shim.model.errors import ToolFailed
from cass_shim.native.locate import built
from cass_shim.verify.compiled.unit import Unit
from cass_shim.verify.host import target_machine

P, I64, U64, I32, U32 = ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint64, ctypes.c_int32, ctypes.c_uint32
HELPERS = {
    "load": "ptr, i32, i32, i64, i32, i32, ptr",
    "store": "ptr, ptr, i64, ptr, i32, i32, i32, i32, i32",
    "atomic": "ptr, ptr, i64, ptr, i32, i32, i32, i32, i32, i32",
    "constant": "ptr, i32, i32, i32, i32, i32, i32",
    "shuffle": "ptr, i64, ptr, i32",
    "vote": "ptr, i64, ptr, i32",
    "reduce": "ptr, i64, ptr, i32",
}
# Code of a kernel runs for milliseconds: what LLVM would gain there it takes four times over (of 3,702 instructions
# each 0.14 ms instead of 0.60). And what it never rewrites it cannot rewrite wrongly, as it may the candidate's.
OPTIMISE = 0


class UnitRow(ctypes.Structure):
    """struct unit."""

    _fields_ = (("code", P), ("kind", I32), ("length", I32), ("guard", I32), ("negated", I32), ("number", I32),
                ("mask", U32))  # fmt: skip


class Memory(ctypes.Structure):
    """struct memory."""

    _fields_ = (("arena", P), ("valid", P), ("touched", P), ("writer", P), ("base", U64), ("size", I64),
                ("shared", P), ("written", P), ("shared_size", I64), ("local", P), ("local_size", I64),
                ("shared_high", U64), ("local_high", U64), ("block_of", P), ("fault_key", U64), ("fault_address", U64),
                ("fault_what", U64),
                ("seen", P), ("windows", I64), ("window_bytes", I64), ("noted", P), ("flagged", P), ("stamp", I64),
                ("undefined", I64), ("contended", I64),
                ("shuffled", I64), ("turns", U64), ("order", P))  # fmt: skip


class Scheduler(ctypes.Structure):
    """struct machine."""

    _fields_ = (("lanes", I64), ("policy_random", I64), ("list", P), ("context", P), ("count", P), ("units", P),
                ("regs", P), ("preds", P), ("pc", P), ("alive", P), ("waiting", P), ("wait_for", P), ("wait_at", P),
                ("convergence", P), ("exclusive", P), ("yields", P), ("turn", P), ("executed", P), ("stamp", P),
                ("steps", I64), ("most_steps", I64), ("pause_at", I64), ("repeated", I64), ("picks", U64),
                ("index", I64), ("resumed", I64), ("program", I64))  # fmt: skip


@cache
def library() -> Any:
    """libcass_reference.so, or None where it has not been built for this version."""
    try:
        found = ctypes.CDLL(str(built("libcass_reference.so")))
        sizes = (ctypes.c_int64 * 3)()
        found.cass_reference_sizes(sizes)
    except (ToolFailed, OSError, AttributeError):
        return None
    if list(sizes) != [ctypes.sizeof(part) for part in (UnitRow, Memory, Scheduler)]:
        return None
    found.cass_reference_run.restype = ctypes.c_int32
    for name in HELPERS:
        address = ctypes.cast(getattr(found, f"cass_reference_{name}"), ctypes.c_void_p).value
        binding.add_symbol(f"cass_reference_{name}", address)
    return found


@cache
def _declarations() -> str:
    return "\n".join(f"declare i32 @cass_reference_{name}({types})" for name, types in HELPERS.items())


def compile_units(units: dict[int, Unit]) -> tuple[Any, dict[int, int]]:
    """The engine that owns the code, and the address of each function by its index."""
    assert library() is not None  # which names the helpers
    coded = {index: unit for index, unit in units.items() if unit.text}
    intrinsics = {line for unit in coded.values() for line in unit.intrinsics.values()}
    text = "\n".join([_declarations(), *sorted(intrinsics), *(unit.text for unit in coded.values())])
    module = binding.parse_assembly(text)
    machine = target_machine(OPTIMISE)
    engine = binding.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine, {index: engine.get_function_address(f"unit{index}") for index in coded}
