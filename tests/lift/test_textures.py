"""Texture and surface instructions become AMD's image instructions; lanes with different handles take turns."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from cass_shim.assemble.llvm import generate_assembly
from cass_shim.lift import lift_kernel
from cass_shim.model.errors import Unsupported
from cass_shim.model.kernel_abi import SlotKind
from tests.lift.support import HEAD, PARAMETERS, kernel, run

VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "sass" / "texture.json"
WORDS = json.loads(VECTORS.read_text())["words"]["80"]
TEXTS = sorted({text.split(" ", 1)[1] if text[0] == "@" else text for _, text in WORDS})
# What is refused, by a modifier: a level from neighbours outside of whole quads, results of f16, minimal levels.
REFUSED = re.compile(r"^TEX\.\S*(NDV|F16)|^(TLD|TLD4|TXD)\.\S*CL")
# Instruction, and the image instruction with its dimension that LLVM must have made of it.
EXPECTED = [
    ("TEX.SCR.LL R10, R8, R8, R10, 0x0, 0x58, 2D", "image_sample_l", "2D"),
    ("TEX.SCR.LZ R10, R8, R8, R9, 0x0, 0x58, 2D", "image_sample_lz", "2D"),
    ("TEX.SCR.LL R10, R8, R8, R10, 0x0, 0x58, 3D", "image_sample_l", "3D"),
    ("TEX.B.LL R18, R16, R8, R6, ARRAY_2D", "image_sample_l", "2D_ARRAY"),
    ("TEX.SCR.B.LL R18, R16, R8, R6, ARRAY_1D", "image_sample_l", "1D_ARRAY"),
    ("TEX.LL R14, R12, R12, R20, 0x0, 0x58, ARRAY_CUBE", "image_sample_l", "CUBE"),
    ("TLD.SCR.B.LZ R14, R12, R12, R14, 3D", "image_load", "3D"),
    ("TLD4.SCR.G R10, R8, R8, R9, 0x0, 0x58, 2D", "image_gather4_lz", "2D"),
    ("TLD4.SCR.R.B R18, R16, R16, R18, CUBE", "image_gather4_lz", "CUBE"),
    ("TXD R10, R8, R8, R24, 0x0, 0x58, 2D", "image_sample_d", "2D"),
    ("TXD.B R14, R12, R12, R6, ARRAY_1D", "image_sample_d", "1D_ARRAY"),
    ("TEX.SCR.LL.AOFFI R10, R8, R8, R10, 0x0, 0x58, 2D", "image_sample_l_o", "2D"),
    ("TEX.LL.AOFFI.DC R10, R8, R8, R12, 0x0, 0x58, ARRAY_2D", "image_sample_l_o", "2D_ARRAY"),
    ("TEX.LL.DC P1, R10, R8, R8, R12, 0x0, 0x58, CUBE", "image_sample_l", "CUBE"),
    ("TLD4.R.AOFFI.DC R10, R8, R8, R12, 0x0, 0x58, 2D", "image_gather4_lz_o", "2D"),
    ("TXD.AOFFI R14, R12, R12, R20, 0x0, 0x58, ARRAY_2D", "image_sample_d_o", "2D_ARRAY"),
    ("TLD.SCR.LZ.AOFFI R14, R12, R12, R14, 0x0, 0x58, 3D", "image_load", "3D"),
    ("SULD.D.BA.2D.64.STRONG.SM.TRAP R8, [R10], 0x0, 0x58", "image_load", "2D"),
    ("SUST.D.BA.2D_ARRAY.STRONG.SM.TRAP [R10], R14, 0x0, 0x58", "image_store", "2D_ARRAY"),
    ("SUST.P.3D.STRONG.SM.R [R10], R14, 0x0, 0x58", "image_store", "3D"),
    ("SURED.D.BA.2D.ADD.U64.STRONG.SYS.TRAP [R10], R14, 0x0, 0x58", "image_atomic_add", "2D"),
    ("SURED.D.2D.MIN.SD64.STRONG.SYS.TRAP [R10], R14, 0x0, 0x58", "image_atomic_smin image_atomic_umin", "2D"),
    ("SURED.D.BA.1D.MIN.S32.STRONG.SYS.TRAP [R10], R14, 0x0, 0x58", "image_atomic_smin", "1D"),
]


def around(text: str, sm: int = 80) -> str:
    """A kernel whose registers hold loaded values before the instruction and are stored behind it."""
    loads = "\n".join(f"LDG.E.128 R{n}, [R2.64+{16 * n:#x}]" for n in range(8, 40, 4))
    stores = "\n".join(f"STG.E.128 [R2.64+{16 * n:#x}], R{n}" for n in range(8, 40, 4))
    first = PARAMETERS[sm]
    head = HEAD.replace("[0x160]", f"[{first:#x}]").replace("[0x168]", f"[{first + 8:#x}]")
    if sm == 120:  # the words of the stack and of blockDim.x
        head = head.replace("[0x28]", "[0x37c]").replace("[0x0][0x0]", "[0x0][0x360]")
    return f"{head}\n{loads}\n{text}\n{stores}\nEXIT"


def assembly(text: str, sm: int = 80) -> str:
    module = lift_kernel(kernel(around(text, sm), sm))
    assert [slot.kind for slot in module.slots] == [SlotKind.TEXTURES]
    return generate_assembly(module.text)


@pytest.mark.parametrize(("text", "instruction", "dimension"), EXPECTED)
def test_image_instruction(text: str, instruction: str, dimension: str) -> None:
    found = re.findall(r"^\s*(image_\w+)\s.*dim:SQ_RSRC_IMG_(\w+)", assembly(text), re.MULTILINE)
    assert set(found) == {(one, dimension) for one in instruction.split()}  # a store has a second form for wider texels


def test_one_coordinate_reads_linear_memory_alone() -> None:
    """An array reads as 0 (recorded on an H200)."""
    made = assembly("TLD.SCR.LZ R14, R12, R0, 0x0, 0x58, 1D")
    assert "image_" not in made and "global_load_u8" in made


def test_a_uniform_handle_of_sm_90() -> None:
    made = assembly("R2UR UR4, R8\nTEX.LL RZ, R9, R10, R14, UR4, 0x0, 2D, 0x1", 90)
    assert "image_sample_l" in made


@pytest.mark.parametrize(
    ("text", "instruction"),
    [
        ("TEX R10, R12, R8, UR4, 2D", "image_sample_l"),
        ("TEX RZ, R12, R8, UR4, CUBE, 0x1", "image_sample_l"),
        ("TEX.LL RZ, R12, R8, R14, UR4, ARRAY_2D, 0x3", "image_sample_l"),
        ("TLD.LZ R10, R12, R8, UR4, 2D", "image_load"),
        ("TLD4.B R10, R12, R8, UR4, 2D", "image_gather4_lz"),
        ("TXD R10, R12, R8, R16, UR4, 2D", "image_sample_d"),
        ("SULD.D.BA.2D.64.STRONG.SM.TRAP R8, [R10], UR4", "image_load"),
        ("SUST.D.BA.2D_ARRAY.STRONG.SM.TRAP [R10], R14, UR4", "image_store"),
        ("TXQ RZ, R12, R8, TEX_HEADER_DIMENSION, UR4, 0x0, 0x1", ""),
    ],
)
def test_a_uniform_handle_of_sm_120(text: str, instruction: str) -> None:
    """No second number behind the handle, and no level where PTX's tex has none."""
    assert instruction in assembly(f"R2UR UR4, R8\n{text}", 120)


def test_two_uniform_registers_are_refused() -> None:
    with pytest.raises(Unsupported, match="handle"):
        lift_kernel(kernel(around("R2UR UR4, R8\nTEX R10, R12, R8, UR4, UR5, 2D", 120), 120))


@pytest.mark.parametrize("text", TEXTS)
def test_every_form_is_lifted_or_refused_by_name(text: str) -> None:
    if REFUSED.search(text):
        with pytest.raises(Unsupported, match=text.split(" ")[0].split(".")[0]):
            lift_kernel(kernel(around(text)))
    else:
        assert "call" in lift_kernel(kernel(around(text))).text


TURNS = (
    HEAD
    + """
    LDG.E R8, [R4.64]
    MOV R10, RZ
    PLOP3.LUT P1, PT, PT, PT, PT, 0x80, 0x0
    again:
    PLOP3.LUT P0, PT, P0, P1, PT, 0xa2, 0x0
    @P1 R2UR P0, UR4, R8
    @P1 R2UR.OR P0, UR5, RZ
    IADD3 R9, R9, 0x1, RZ
    @!P0 IMAD R10, R8, 0x2, R10
    @P1 PLOP3.LUT P1, PT, P0, PT, PT, 0x80, 0x0
    PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0
    @P1 BRA.U.ANY =again
    STG.E [R2.64], R10
    EXIT
    """
)


def test_lanes_with_different_handles_take_turns() -> None:
    """The loop nvcc puts around a texture instruction of sm_90: every lane is served once, and it ends."""
    given = (np.arange(32, dtype=np.uint32) % 5) + 1
    assert run(kernel(TURNS), given, 32).tolist() == (2 * given).tolist()


def in_quads(lane: int, dimension: str = "3D") -> str:
    """What ptxas makes of one lane's part of gradients that no instruction takes: x in R8 to R10, steps behind."""
    places = "".join(f"SHFL.IDX PT, R{20 + n}, R{8 + n}, {lane:#x}, 0x1c03\n" for n in range(9))
    steps = "".join(
        f"FSWZADD.NDV R{20 + n}, R{23 + 3 * way + n}, R{20 + n}, {pattern}\n"
        for way, pattern in enumerate(("ZPPPZPPP", "ZPZPPPPP"))
        for n in range(3)
    )
    return (
        f"BMOV.32 B15, MACTIVE\nBMOV.32.PQUAD MACTIVE, B15\n{places}{steps}"
        f"TEX.SCR.NDV R22, R20, R20, R22, 0x0, 0x58, {dimension}\nSHFL.IDX PT, R24, R20, RZ, 0x1c03\n"
        f"DEPBAR.LE SB0, 0x0\nBMOV.32 MACTIVE, B15\nMOV R32, R24, {1 << lane:#x}"
    )


@pytest.mark.parametrize(("dimension", "shown"), [("3D", "3D"), ("CUBE", "CUBE")])
def test_four_lanes_that_serve_each_other_become_one_sample(dimension: str, shown: str) -> None:
    """One for all lanes, which also gives what only the first one's registers keep (all channels, stored here)."""
    made = assembly("\n".join(in_quads(lane, dimension) for lane in range(4)))
    found = re.findall(r"^\s*(image_\w+)\s.*dim:SQ_RSRC_IMG_(\w+)", made, re.MULTILINE)
    assert found == [("image_sample_d", shown)]
    assert "ds_bpermute" not in made


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("BMOV.32 MACTIVE, B15", "BMOV.32 MACTIVE, B14"),  # other lanes than before
        ("0x1c03", "0x1f"),  # of another quad
        ("SHFL.IDX PT, R20, R8, 0x1", "SHFL.IDX PT, R20, R8, 0x2"),  # two lanes are served
        ("DEPBAR.LE SB0, 0x0", "LDG.E R40, [R2.64]"),  # an access by lanes that are not there
        ("FSWZADD.NDV R20,", "@P0 FSWZADD.NDV R20,"),
        ("BMOV.32 B15, MACTIVE", "BMOV.32 R40, MEXITED"),
        ("DEPBAR.LE SB0, 0x0", "BAR.SYNC 0x0"),
    ],
)
def test_other_uses_of_whole_quads_are_refused(old: str, new: str) -> None:
    text = in_quads(1)
    assert old in text
    with pytest.raises(Unsupported):
        lift_kernel(kernel(around(text.replace(old, new, 1))))
