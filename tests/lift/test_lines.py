"""SASS addresses as debug lines: where LLVM puts them, and that they change no machine code."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from cass_shim.assemble.llvm import generate_assembly, generate_object
from cass_shim.assemble.toolchain import link, text_section
from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.lift import lift_kernel
from cass_shim.model.config import Config
from cass_shim.pipeline import Work
from tests.lift.support import HEAD, kernel

PROGRAMS = Path(__file__).resolve().parents[2] / "examples" / "prebuilt"
LINKED = Path(__file__).resolve().parents[1] / "extract" / "data" / "linked.sm_80.cubin"
STORE = f"""{HEAD}
LDG.E R8, [R4.64]
IADD3 R8, R8, 0x3, RZ
STG.E [R2.64], R8
EXIT
"""


def rows(elf: bytes) -> set[tuple[str, int]]:
    """(file, line) of every row of the line table, read by pyelftools."""
    found = set()
    dwarf = ELFFile(io.BytesIO(elf)).get_dwarf_info()
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        assert program is not None
        files = program.header["file_entry"]
        for entry in program.get_entries():
            if entry.state is not None and not entry.state.end_sequence and entry.state.line:
                found.add((files[entry.state.file].name.decode(), entry.state.line))
    return found


def test_every_effect_has_the_line_of_its_instruction() -> None:
    """Load, addition and store are lines 8, 9 and 10 of the listing, in that order."""
    text = generate_assembly(lift_kernel(kernel(STORE), lines=True).text)
    at, places = 0, {}
    for line in text.splitlines():
        words = line.split()
        if words[:1] == [".loc"]:
            at = int(words[2])
        elif words and words[0].startswith(("global_load", "global_store", "v_add_nc_u32")):
            places.setdefault(words[0], set()).add(at)
    assert places["global_load_b32"] == {8}
    assert places["global_store_b32"] == {10}
    assert 9 in places["v_add_nc_u32_e32"]


def test_the_object_holds_them() -> None:
    found = rows(link(generate_object(lift_kernel(kernel(STORE), lines=True).text)))
    assert {("k.sass", 8), ("k.sass", 9), ("k.sass", 10)} <= found


def test_a_callee_of_another_section_has_a_file_of_its_own() -> None:
    cubin = read_cubin(LINKED.read_bytes())
    module = lift_kernel(decode_kernel(cubin.kernels["pick"], cubin), lines=True)
    assert {name for name, _ in rows(link(generate_object(module.text)))} >= {"pick.sass", "_Z5twicef.sass"}


@pytest.mark.parametrize("program", sorted(one.name for one in PROGRAMS.iterdir() if one.suffix != ".json"))
def test_the_machine_code_is_the_same(program: str) -> None:
    from cass_shim.cli.programs import find_modules

    kernels = 0
    for found in find_modules(PROGRAMS / program, Config()):
        for name in found.module.kernels:
            sass = Work(found.module, name, Config()).sass
            plain, lined = lift_kernel(sass), lift_kernel(sass, lines=True)
            assert text_section(generate_object(lined.text)) == text_section(generate_object(plain.text))
            assert lined.slots == plain.slots
            kernels += 1
    assert kernels
