"""`cass extract|decode|translate|assemble|verify FILE`: enter the pipeline at any artifact, by its extension.

Each command reads what the one before it wrote; files are named as `--keep DIR` names them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from cass_shim.cli.programs import demangled, find_modules, no_kernel, read_program
from cass_shim.cli.signature import with_types
from cass_shim.model.artifacts import EntryKind
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError, Malformed
from cass_shim.model.sidecar import Sidecar, read_sidecar
from cass_shim.module import Module
from cass_shim.pipeline import Work, assemble, file_name, translate_source, verify

FILE = click.argument("file", type=click.Path(path_type=Path))
OUT = click.option("--out", type=click.Path(path_type=Path), default=Path("."), help="Where the result goes.")
KERNEL = click.option("--kernel", "-k", default="", help="Kernel name, mangled or as C++ prints it; default all.")


def write(path: Path, content: str | bytes) -> None:
    """Write a result and say where it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    print(path)


def chosen_kernels(file: Path, kernel: str) -> list[tuple[Module, str]]:
    """The kernels of a program, cubin or PTX file that a person means; CassError when there is none."""
    modules = [found.module for found in find_modules(file, Config.read())]
    known = [(module, name) for module in modules for name in module.kernels]
    wanted = [
        (module, name)
        for module, name in known
        if not kernel or kernel in (name, demangled(name), demangled(name).split("(")[0])
    ]
    if not wanted:
        raise no_kernel(file, (name for _, name in known), kernel)
    return wanted


def sidecar_of(file: Path) -> Sidecar:
    """The facts beside an artifact. Raises Malformed."""
    path = file.with_suffix(".json")
    if not file.is_file():
        raise Malformed("no such file; `cass translate` and `cass assemble` write such files", where=str(file))
    if not path.is_file():
        raise Malformed(
            f"{path.name} is not beside it; `cass translate` and `cass assemble` write both", where=str(file)
        )
    return read_sidecar(read_program(path).decode(errors="replace"), str(path))


@click.command("extract")
@FILE
@OUT
def extract_command(file: Path, out: Path) -> None:
    """Write every cubin and PTX text in a program, decompressed."""
    from cass_shim.extract.fatbin import read_fatbins

    for number, fatbin in enumerate(read_fatbins(read_program(file), str(file))):
        for entry in fatbin.entries:
            if entry.kind is not EntryKind.NVVM:
                kind = "ptx" if entry.kind is EntryKind.PTX else "cubin"
                write(out / f"{file.stem}.{number}.sm_{entry.sm}{entry.variant}.{kind}", entry.payload)


@click.command("decode")
@FILE
@KERNEL
def decode_command(file: Path, kernel: str) -> None:
    """Print the machine code of a program or cubin as SASS."""
    config = Config.read()
    for module, name in chosen_kernels(file, kernel):
        sass = Work(module, name, config).sass
        print(f"// {demangled(name)} (sm_{sass.sm}, {sass.decoder})\n{name}:")
        for one in sass.instructions:
            print(f"  /*{one.address:04x}*/  {one.text}")


_ROUTE_TO = {"hip": "ptx-hip", "llvm": "lift", "asm": "cass"}


@click.command("translate")
@FILE
@KERNEL
@OUT
@click.option("--to", "language", type=click.Choice(list(_ROUTE_TO)), help="What to write; says the route.")
@click.option("--route", default="", help="lift, ptx-hip or cass; default the first of CASS_TRANSLATORS.")
@click.option("--lines", is_flag=True, help="A comment with the PTX line at each statement (ptx-hip).")
def translate_command(file: Path, kernel: str, out: Path, language: str | None, route: str, lines: bool) -> None:
    """Translate kernels of a program, cubin or PTX file to .ll, .hip or .s.

    --to hip writes HIP C++ from the PTX in the file, to be read and ported; --to llvm and asm come from machine code.
    """
    from dataclasses import replace

    if language is not None and route not in ("", _ROUTE_TO[language]):
        raise click.UsageError(f"--to {language} is route {_ROUTE_TO[language]}, not {route}")
    route = route or _ROUTE_TO.get(language or "", "")

    config = replace(Config.read(), keep=str(out))
    failed = False
    for module, name in chosen_kernels(file, kernel):
        chosen = route or config.translator_order[0]
        try:
            work = Work(module, name, config)
            work.line_references = lines
            translate_source(work, chosen)
        except CassError as error:
            print(f"cass: {demangled(name)}: {error}", file=sys.stderr)
            failed = True
            continue
        for path in sorted(out.glob(f"{file_name(name)}.{chosen}.*")):
            if path.suffix == ".hip" and demangled(name) != name:
                source = with_types(path.read_text(encoding="utf-8"), name, demangled(name))
                path.write_text(f"// {demangled(name)}\n{source}", encoding="utf-8")
            print(path)
    sys.exit(1 if failed else 0)


@click.command("assemble")
@FILE
@OUT
def assemble_command(file: Path, out: Path) -> None:
    """Assemble a .ll, .hip or .s file (its .json beside it) to a gfx1100 code object."""
    sidecar = sidecar_of(file)
    source = sidecar.source(file.suffix, read_program(file).decode(errors="surrogateescape"))
    code = assemble(source, sidecar.abi)
    write(out / f"{file.stem}.hsaco", code.elf)
    print(f"{code.vgprs} VGPRs, {code.sgprs} SGPRs, {code.lds_bytes} bytes LDS, {code.scratch_bytes} bytes scratch")


def block_shape(text: str) -> tuple[int, int, int]:
    """A block as it is written on the command line, "32,8" or "64". Raises click.BadParameter."""
    try:
        parts = [int(part) for part in text.split(",")]
    except ValueError:
        parts = []
    x, y, z = [*parts, 1, 1, 1][:3]
    if not 1 <= len(parts) <= 3 or min(parts) < 1 or x * y * z > 1024:
        raise click.BadParameter(f"{text} is no block shape; write for example 32,8,1", param_hint="--block")
    return x, y, z


@click.command("verify")
@FILE
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    required=True,
    help="The program, cubin or PTX that the code object is a translation of.",
)
@click.option("--prove", is_flag=True, help="Also try to prove it equal for all inputs within bounds (E4).")
@click.option("--second", is_flag=True, help="Also compare with code derived from the program's PTX (E2).")
@click.option("--seconds", type=float, default=60.0, show_default=True, help="How long each of these may take.")
@click.option("--block", "blocks", multiple=True, help="A block shape to prove, for example 32,8,1; may be repeated.")
def verify_command(
    file: Path, against: Path, prove: bool, second: bool, seconds: float, blocks: tuple[str, ...]
) -> None:
    """Check a .hsaco (its .json beside it) against the original. Exit status 1 when it is rejected."""
    from dataclasses import replace

    from cass_shim.assemble.code_object import parse_code_object
    from cass_shim.model.errors import Rejected

    sidecar = sidecar_of(file)
    code = parse_code_object(
        read_program(file), sidecar.symbol, sidecar.contract, sidecar.slots, sidecar.bindings_offset
    )
    module, name = chosen_kernels(against, sidecar.kernel)[0]
    try:
        config = replace(Config.read(), prove=str(seconds), kernel_timeout=str(2 * seconds)) if prove else Config.read()
        config = replace(config, second=str(seconds)) if second else config
        verified = verify(Work(module, name, config), code, [block_shape(text) for text in blocks], sidecar.route)
    except Rejected as error:
        print(f"rejected: {error}")
        sys.exit(1)
    print(f"{verified.evidence.label}\n{json.dumps(dict(verified.report), indent=1, default=str)}")
