"""Whole kernels through nvdisasm and back to its text; damaged code is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cass_shim.decode import decode_kernel, nvdisasm
from cass_shim.decode.cuobjdump import print_sass
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.model.errors import Malformed, Unsupported
from cass_shim.model.instruction import RZ, Imm, Pred, Reg, Target, Word
from tests.decode.reprint import matches

DATA = Path(__file__).parent.parent / "extract" / "data"


def cubins() -> dict[str, bytes]:
    found = {"whole": (DATA / "sample.sm_80.cubin").read_bytes(), "linked": (DATA / "linked.sm_80.cubin").read_bytes()}
    for entry in read_fatbins((DATA / "sample_zstd.o").read_bytes())[0].entries:
        if entry.sm == 90 and entry.kind == 2:
            found["sm_90"] = entry.payload
    return found


@pytest.mark.parametrize("name", ["whole", "linked", "sm_90"])
def test_every_instruction_prints_back(name: str) -> None:
    cubin = read_cubin(cubins()[name])
    for kernel in cubin.kernels.values():
        sass = decode_kernel(kernel, cubin)
        assert [i.address for i in sass.instructions] == list(range(0, len(kernel.code), 16))
        assert sass.instructions[-1].mnemonic in ("NOP", "BRA")
        for instruction in sass.instructions:
            at = instruction.address
            assert instruction.word == int.from_bytes(kernel.code[at : at + 16], "little")
            if instruction.relocation is None:
                assert matches(instruction) == "", instruction.text


def test_callees_of_a_linked_kernel_are_decoded() -> None:
    cubin = read_cubin(cubins()["linked"])
    assert set(decode_kernel(cubin.kernels["pick"], cubin).callees) == {"_Z5twicef", "_Z6squaref"}
    assert not decode_kernel(cubin.kernels["add"], cubin).callees


def test_damaged_code_is_malformed() -> None:
    cubin = read_cubin(cubins()["whole"])
    kernel = cubin.kernels["add"]
    with pytest.raises(Malformed):
        decode_kernel(replace(kernel, code=kernel.code[:40]), cubin)
    with pytest.raises((Malformed, Unsupported)):
        decode_kernel(replace(kernel, code=b"\xff" * 64), cubin)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_flipped_code_bits(data: st.DataObject) -> None:
    cubin = read_cubin(cubins()["whole"])
    kernel = cubin.kernels["add"]
    code = bytearray(kernel.code[:256])
    for at in data.draw(st.lists(st.integers(0, len(code) - 1), min_size=1, max_size=6)):
        code[at] ^= data.draw(st.integers(1, 255))
    try:
        sass = decode_kernel(replace(kernel, code=bytes(code)), cubin)
    except (Malformed, Unsupported):
        return
    for instruction in sass.instructions:
        for operand in instruction.operands:
            assert not isinstance(operand, Target) or 0 <= operand.address < len(code)


def test_cuobjdump_text_is_kept_as_printed() -> None:
    cubin = read_cubin(cubins()["whole"])
    text = print_sass(cubin, "add")
    assert "\t\tFunction : add\n" in text and "Function : pick" not in text and "/*0000*/" in text
    with pytest.raises(Malformed):
        print_sass(cubin, "missing")


def test_p2r_keeps_its_predicate_file_and_its_guard() -> None:
    """nvdisasm's JSON has the operand PR under the guard's key (13.5); the words are P2R R6, PR, RZ, 0x1."""
    word = int.from_bytes(bytes.fromhex("037806ff010000000000000000e41f00"), "little")
    guarded = word & ~(0xF << 12) | 0xA << 12
    kernel = read_cubin(cubins()["whole"]).kernels["add"]
    code = b"".join(w.to_bytes(16, "little") for w in (word, guarded))
    plain, other = decode_kernel(replace(kernel, code=code), read_cubin(cubins()["whole"])).instructions
    assert plain.operands == other.operands == (Reg(6), Word("PR"), Reg(RZ), Imm(1))
    assert plain.guard is None and other.guard == Pred(2, negate=True)


def test_a_comma_that_nvdisasm_leaves_out() -> None:
    """13.0's JSON has none between a load's register and an address without a descriptor; 13.5's has."""
    for printed in ("R3[R6.64+0xc]", "R3,[R6.64+0xc]"):
        row = nvdisasm._row({"predicates": [], "opcode": "LDG.E", "operands": printed})
        assert row.text == "LDG.E R3, [R6.64+0xc]"
    assert nvdisasm._row({"predicates": [], "opcode": "STG.E", "operands": "[R6.64],R3"}).operands == "[R6.64],R3"
