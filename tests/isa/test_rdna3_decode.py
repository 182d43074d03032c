"""Every opcode row against LLVM's gfx1100 assembler: number, name, length. The oracle is LLVM, not our tables."""

from __future__ import annotations

import ctypes
from io import BytesIO
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from cass_shim.isa.rdna3.generate import all_rows
from tests.isa.rdna3_forms import forms
from tests.native.emulator_core_support import assemble_object, library


def describe(code: bytes) -> tuple[int, str]:
    """Length in bytes and "name records" of the first instruction; -1 and the reason when it is refused."""
    name = ctypes.create_string_buffer(128)
    length = library().cass_emu_describe(code, len(code), name, 128)
    return length, name.value.decode()


@pytest.fixture(scope="module")
def assembled(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, bytes]]:
    """(row name, assembler line, LLVM's bytes) of every form of every row."""
    lines = [(row.name, line) for row in all_rows() for line in forms(row)]
    text = "".join(f"L{i}:\n{line}\n" for i, (_, line) in enumerate(lines)) + f"L{len(lines)}:\n"
    image = assemble_object(text, tmp_path_factory.mktemp("rows"))
    elf = ELFFile(BytesIO(image))
    code = elf.get_section_by_name(".text").data()
    at = {s.name: s["st_value"] for s in elf.get_section_by_name(".symtab").iter_symbols()}
    return [(name, line, code[at[f"L{i}"] : at[f"L{i + 1}"]]) for i, (name, line) in enumerate(lines)]


def test_every_supported_row_has_a_form() -> None:
    """A row without an assembler line would escape the comparison below."""
    supported = {row.name for row in all_rows() if row.fidelity != "unsupported" and row.encoding != "INTERNAL"}
    assert supported - {row.name for row in all_rows() if forms(row)} == set()


def test_rows_agree_with_llvm(assembled: list[tuple[str, str, bytes]]) -> None:
    """LLVM's bytes decode to the same mnemonic and the same length."""
    wrong = []
    for name, line, code in assembled:
        length, found = describe(code + bytes(16))
        if name == "s_code_end":
            assert length == -1 or found.startswith("s_code_end")
            continue
        if name.startswith("v_dual"):
            found = found.split()[0]
            ok = length == len(code) and found in line
        else:
            ok = length == len(code) and found.split()[0] == name
        if not ok:
            wrong.append((line, code.hex(), length, found))
    assert wrong == []


def test_truncated_code_is_refused(assembled: list[tuple[str, str, bytes]]) -> None:
    """A cut instruction never decodes past its end."""
    for _, line, code in assembled:
        if len(code) > 4:
            length, _ = describe(code[:-4])
            assert length == -1, line


@pytest.mark.parametrize("word", [0xA0000001 | 64 << 23, 0xBE800000 | 96 << 8, 0xBF000000 | 65 << 16])
def test_scalar_float_is_not_gfx1100(word: int) -> None:
    """SALU float operations exist from RDNA3.5 on; LLVM rejects them for gfx1100."""
    length, why = describe(word.to_bytes(4, "little") + bytes(8))
    assert (length, why) == (-1, "undefined opcode")


def test_refused_rows_name_themselves(tmp_path: Path) -> None:
    """A known but unimplemented instruction is refused by name."""
    code = assemble_object("ds_gws_init v0 gds\n", tmp_path)
    text = ELFFile(BytesIO(code)).get_section_by_name(".text").data()
    length, why = describe(text + bytes(8))
    assert length == -1 and "not implemented" in why
