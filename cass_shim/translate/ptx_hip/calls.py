"""Functions that the CUDA runtime provides to device code: declared in PTX, without a body there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cass_shim.translate.ptx_hip.writer import FunctionWriter

if TYPE_CHECKING:
    from cass_shim.translate.ptx_hip.program import Program


def runtime_call(program: Program, writer: FunctionWriter, name: str, values: list[str]) -> str | None:
    """The C++ call that stands for a runtime function, None when there is none for it."""
    if name == "vprintf":
        return f"ptx_vprintf({writer.slot('PRINTF')}, {', '.join(values)})"
    if name == "__assertfail":
        return f"ptx_assertfail({writer.slot('PRINTF')}, {', '.join(values)})"
    if name == "malloc":
        return f"ptx_malloc({writer.slot('HEAP')}, {', '.join(values)})"
    if name == "free":
        return f"ptx_free({writer.slot('HEAP')}, {', '.join(values)})"
    if name == "cudaGraphSetConditional":
        return f"ptx_set_condition({', '.join(values)})"
    return None
