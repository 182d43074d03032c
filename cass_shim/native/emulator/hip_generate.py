"""Generates the exported entries of the emulated `libamdhip64.so` from `hip_table.py`.

In: the table's rows. Out, below the generated folder: `emulator/hip_calls.h` (prototypes of the bodies) and
`emulator/hip_entry.c` (one exported function per row, and the name table behind hipGetProcAddress).
"""

from __future__ import annotations

import re
from pathlib import Path

from cass_shim.native.emulator.hip_table import Function, functions

ASK_LAST_ERROR = ("hipGetLastError", "hipPeekAtLastError", "hipExtGetLastError")  # they do not set it
NOTICE = "/* Generated from hip_table.py; never edited, never committed. */\n"


def argument_names(parameters: str) -> list[str]:
    """The names in a C parameter list, in order."""
    if parameters in ("", "void"):
        return []
    return [re.findall(r"\w+", part)[-1] for part in parameters.split(",")]


def entry(row: Function) -> str:
    """The exported C function of a row."""
    arguments = ", ".join(argument_names(row.parameters))
    head = f"EMU_EXPORT {row.returns} {row.name}({row.parameters or 'void'}) {{\n"
    if row.returns != "hipError_t":
        if not row.implemented:
            ignored = "".join(f"    (void){name};\n" for name in argument_names(row.parameters))
            return f'{head}{ignored}    emu_not_supported("{row.name}");\n    return 0;\n}}\n'
        give = "" if row.returns == "void" else "return "
        return f"{head}    {give}emu_{row.body}({arguments});\n}}\n"
    if not row.implemented:
        ignored = "".join(f"    (void){name};\n" for name in argument_names(row.parameters))
        return f'{head}{ignored}    return emu_leave(emu_not_supported("{row.name}"));\n}}\n'
    guard = f"emu_enter(EMU_GUARD_{row.guard.value}, {int(row.per_thread)})"
    call = f"emu_{row.body}({arguments})"
    leave = "emu_leave_peek" if row.name in ASK_LAST_ERROR else "emu_leave"
    return f"{head}    hipError_t error = {guard};\n    return {leave}(error ? error : {call});\n}}\n"


def generate(folder: Path) -> None:
    """Write the two files below `folder`, only where they changed."""
    rows = functions()
    bodies = {row.body: row for row in rows if row.implemented}
    prototypes = "".join(
        f"{row.returns} emu_{body}({row.parameters or 'void'});\n" for body, row in sorted(bodies.items())
    )
    header = f'{NOTICE}#ifndef CASS_EMU_HIP_CALLS_H\n#define CASS_EMU_HIP_CALLS_H\n#include "emulator/hip_types.h"\n\n'
    names = "".join(f'    {{"{row.name}", (void *){row.name}}},\n' for row in sorted(rows, key=lambda row: row.name))
    source = (
        f'{NOTICE}#include "emulator/hip_state.h"\n#include "emulator/hip_calls.h"\n\n'
        + "".join(f"EMU_EXPORT {row.returns} {row.name}({row.parameters or 'void'});\n" for row in rows)
        + "\n"
        + "\n".join(entry(row) for row in rows)
        + f"\nconst emu_export emu_exports[] = {{\n{names}}};\n"
        + "const size_t emu_export_count = sizeof emu_exports / sizeof emu_exports[0];\n"
    )
    target = folder / "emulator"
    target.mkdir(parents=True, exist_ok=True)
    for name, text in (("hip_calls.h", f"{header}{prototypes}\n#endif\n"), ("hip_entry.c", source)):
        path = target / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
