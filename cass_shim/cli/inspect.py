"""`cass inspect PROGRAM`: modules, kernels and where each stands."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from cass_shim.cli.programs import KernelState, demangled, kernel_states, read_program
from cass_shim.extract.elf import Elf
from cass_shim.model.config import Config

EM_X86_64, EM_AMDGPU = 62, 224  # e_machine: System V ABI, and its registry for AMDGPU
COLUMNS = (
    "module",
    "kernel",
    "holds",
    "runs",
    "code",
    "regs",
    "shared",
    "local",
    "params",
    "route",
    "evidence",
    "cache",
)


def row_of(state: KernelState) -> tuple[str, ...]:
    """The table's row; sizes in bytes."""
    numbers = (state.code_bytes, state.registers, state.shared_bytes, state.local_bytes, state.params_bytes)
    chosen = f"sm_{state.sm}" if state.code_bytes else f"ptx_{state.sm}"
    name = demangled(state.kernel)
    texts = (str(state.module), name, state.generations, chosen)
    return (*texts, *map(str, numbers), state.route, state.evidence or "-", state.cache)


def what_then(program: Path) -> str:
    """What becomes of a file without CUDA kernels."""
    content = read_program(program)
    machine = Elf(content, str(program)).machine if content.startswith(b"\x7fELF") else EM_X86_64
    if machine == EM_X86_64:
        return "cass-run would run it unchanged"
    return f"built for {'an AMD GPU' if machine == EM_AMDGPU else f'another processor, ELF machine {machine}'}"


@click.command("inspect")
@click.argument("program", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
def inspect_command(program: Path, as_json: bool) -> None:
    """Show the CUDA modules and kernels in PROGRAM, and what the cache has for each.

    PROGRAM: an executable, a library, a fatbinary, a cubin or PTX text. A route with a question mark is the one
    that would be tried first. Exit status 1 when a module cannot be read.
    """
    states = list(kernel_states(program, Config.read()))
    kernels = [one for one in states if isinstance(one, KernelState)]
    errors = [str(one) for one in states if not isinstance(one, KernelState)]
    if as_json:
        rows = [
            {**asdict(one), "record": asdict(one.record) if one.record else None, "name": demangled(one.kernel)}
            for one in kernels
        ]
        print(json.dumps({"program": str(program), "kernels": rows, "errors": errors}, indent=2, default=str))
    elif kernels:
        table = Table(*COLUMNS, box=None, pad_edge=False)
        for one in kernels:
            table.add_row(*row_of(one))
        console = Console(soft_wrap=not sys.stdout.isatty(), width=None if sys.stdout.isatty() else 220)
        console.print(table)
    elif not errors:
        print(f"{program}: no CUDA kernels ({what_then(program)})")
    for error in errors:
        print(f"cass: {error}", file=sys.stderr)
    sys.exit(1 if errors else 0)
