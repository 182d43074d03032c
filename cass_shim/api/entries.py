"""From rows to entry points: what each exported name is in C.

In: the table. Out: `Entry` objects in index order and the C text of one entry. An entry keeps errno, remembers
the runtime's last error, logs a failure and leaves its fast path only while tracing or after a fork.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from cass_shim.api.c_types import as_value, kind
from cass_shim.api.spec import IMPLEMENTED, Parameter, Row
from cass_shim.api.table import table

ERRORS = {"cudaError_t": "cudaErrorInitializationError", "CUresult": "CUDA_ERROR_NOT_INITIALIZED"}
STREAMS = {"cudaStream_t": "cudaStreamPerThread", "CUstream": "CU_STREAM_PER_THREAD"}
OPAQUE = {"hostFun", "hostVar", "deviceAddress", "fatCubinHandle", "args"}  # addresses, whatever their type says
RESULT_LETTERS = {"cudaError_t": "r", "CUresult": "c", "void *": "p", "void **": "p", "const char *": "s", "void": "v"}


@dataclass(frozen=True)
class Entry:
    """One exported name in one range of versions; `variant` is "", "ptsz" or "ptds"."""

    index: int
    row_index: int
    row: Row
    variant: str

    @property
    def symbol(self) -> str:
        """The name programs see."""
        return f"{self.row.name}_{self.variant}" if self.variant else self.row.name

    @property
    def function(self) -> str:
        """The C function that is the entry."""
        return f"cass_enter_{self.row.key}" + (f"_{self.variant}" if self.variant else "")


@functools.cache
def entries() -> tuple[Entry, ...]:
    """Every entry, in the order of the generated entry table."""
    found: list[Entry] = []
    for row_index, row in enumerate(table()):
        for variant in ("", row.pt) if row.pt else ("",):
            found.append(Entry(len(found), row_index, row, variant))
    return tuple(found)


def spaced(c_type: str) -> str:
    return c_type if c_type.endswith("*") else c_type + " "


def declare(parameters: tuple[Parameter, ...]) -> str:
    """A C parameter list."""
    return ", ".join(spaced(p.type) + p.name for p in parameters) or "void"


def prototype(result: str, name: str, parameters: tuple[Parameter, ...]) -> str:
    return f"{spaced(result)}{name}({declare(parameters)})"


def constant(row: Row) -> str:
    """The C enumerator of a row's index."""
    return f"CASS_ROW_{row.key}"


def call_body(row: Row) -> str:
    """The expression that does the work: the body, or the counted "not supported"."""
    if row.status is IMPLEMENTED:
        return f"cass_{row.body}({', '.join(p.name for p in row.parameters)})"
    stub = f"cass_stub({constant(row)})"
    return f"({row.result}){stub}" if row.result in ERRORS else stub


def values(row: Row) -> str:
    items = ", ".join(as_value(p.type, p.name) for p in row.parameters)
    return items or "{.bits = 0}"


def stub_without_error(row: Row) -> str:
    """A stub whose result is no error code: zero of its type."""
    lines = [f"    cass_stub({constant(row)});"]
    lines += [f"    (void){p.name};" for p in row.parameters]
    if row.result == "const char *":
        lines.append('    return "not supported by cass-shim";')
    elif row.result.startswith("struct"):
        lines.append(f"    return ({row.result}){{0}};")
    elif row.result != "void":
        lines.append("    return 0;")
    return f"{prototype(row.result, f'cass_enter_{row.key}', row.parameters)}\n{{\n" + "\n".join(lines) + "\n}\n"


def slow_path(row: Row) -> str:
    """The cold twin of an entry: refuses after fork, traces."""
    refuse = ""
    if row.result in ERRORS and not row.pure:
        refuse = f"    if (cass_gate_refuses())\n        return {ERRORS[row.result]};\n"
    if row.result == "void":
        run, shown, done = f"    {call_body(row)};\n", "0", ""
    else:
        run = f"    {spaced(row.result)}cass_result = {call_body(row)};\n"
        shown = "(uint64_t)(uintptr_t)cass_result" if "*" in row.result else "(uint64_t)cass_result"
        shown = "0" if row.result.startswith("struct") else shown
        done = "    return cass_result;\n"
    return (
        f"static CASS_COLD {prototype(row.result, f'slow_{row.key}', row.parameters)}\n{{\n"
        f"{refuse}    cass_traced cass_traced_call;\n    cass_trace_begin(&cass_traced_call, {constant(row)});\n{run}"
        f"    const cass_value cass_values[] = {{{values(row)}}};\n"
        f"    cass_trace_end(&cass_traced_call, cass_values, {shown});\n{done}}}\n"
    )


def main_entry(row: Row) -> str:
    """Slow path and entry of one row."""
    arguments = ", ".join(p.name for p in row.parameters)
    head = prototype(row.result, f"cass_enter_{row.key}", row.parameters)
    choose = f"CASS_RARE(cass_gate) ? slow_{row.key}({arguments}) : {call_body(row)}"
    if row.result == "void":
        test = f"    if (CASS_RARE(cass_gate))\n        slow_{row.key}({arguments});\n"
        fast = f"{test}    else\n        {call_body(row)};\n"
        return f"{slow_path(row)}{head}\n{{\n    int cass_saved = errno;\n{fast}    errno = cass_saved;\n}}\n"
    record = ""
    if row.result in ERRORS and not row.quiet:
        remember = "        cass_entry_failed(cass_result);\n" if row.result == "cudaError_t" else ""
        log = f"        cass_log_failure({constant(row)}, (int)cass_result);\n"
        record = f"    if (CASS_RARE(cass_result != 0)) {{\n{remember}{log}    }}\n"
    return (
        f"{slow_path(row)}{head}\n{{\n    int cass_saved = errno;\n    {spaced(row.result)}cass_result = {choose};\n"
        f"{record}    errno = cass_saved;\n    return cass_result;\n}}\n"
    )


def variant_entry(entry: Entry) -> str:
    """A _ptsz/_ptds entry: the same call with the per-thread stream in place of stream 0."""
    row = entry.row
    passed = []
    for p in row.parameters:
        handle = STREAMS.get(p.type)
        passed.append(f"{p.name} ? {p.name} : {handle}" if handle else p.name)
    return (
        f"{prototype(row.result, entry.function, row.parameters)}\n{{\n"
        f"    cass_current_call.per_thread_stream = 1;\n"
        f"    {spaced(row.result)}cass_result = cass_enter_{row.key}({', '.join(passed)});\n"
        f"    cass_current_call.per_thread_stream = 0;\n    return cass_result;\n}}\n"
    )


def entry_text(entry: Entry) -> str:
    """C text of one entry point."""
    row = entry.row
    if entry.variant:
        return variant_entry(entry)
    if not row.declared and row.result in ERRORS:
        return f"{row.result} {entry.function}(void)\n{{\n    return {call_body(row)};\n}}\n"
    if row.status is not IMPLEMENTED and row.result not in ERRORS:
        return stub_without_error(row)
    return main_entry(row)


def argument_text(row: Row) -> str:
    """The trace's description of the parameters: "P:devPtr u:size"."""
    return " ".join(f"{'p' if p.name in OPAQUE else kind(p.type)}:{p.name}" for p in row.parameters)
