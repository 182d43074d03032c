"""`cass disasm PROGRAM`: the machine code of its kernels, by our own decoder."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from cass_shim.cli.programs import read_program
from cass_shim.decode import decode_kernel
from cass_shim.decode.listing import listing
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.model.artifacts import EntryKind
from cass_shim.model.errors import Unsupported


@click.command("disasm")
@click.argument("program", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--kernel", "wanted", metavar="NAME", help="Only kernels whose (mangled) name contains NAME.")
@click.option("--sm", type=int, help="Only code for this architecture (80 for sm_80).")
def disasm_command(program: Path, wanted: str | None, sm: int | None) -> None:
    """List the machine code of every kernel, as cuobjdump -sass does; exit status 1 when there is none."""
    shown = refused = 0
    for fatbin in read_fatbins(read_program(program), str(program)):
        for entry in fatbin.entries:
            if entry.kind != EntryKind.ELF or (sm and entry.sm != sm):
                continue
            cubin = read_cubin(entry.payload, str(program))
            chosen = [kernel for name, kernel in cubin.kernels.items() if not wanted or wanted in name]
            if chosen:
                click.echo(f"\n\tcode for sm_{entry.sm}{entry.variant}")
            for kernel in chosen:
                try:
                    click.echo(listing(decode_kernel(kernel, cubin)))
                    shown += 1
                except Unsupported as error:
                    click.echo(f"cass: {error}", err=True)
                    refused += 1
    if not shown and not refused:
        click.echo(f"cass: {program} holds no machine code that was asked for", err=True)
    sys.exit(0 if shown and not refused else 1)
