"""Our decoder against nvdisasm: recorded encodings, and every kernel of the sample binaries."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cass_shim.decode.kernel import decode_code
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.isa.encoding.decoder import decode
from cass_shim.model.artifacts import EntryKind
from cass_shim.model.errors import Unsupported

ROOT = Path(__file__).resolve().parents[2]
PROBES = json.loads((ROOT / "tests" / "vectors" / "sass" / "sm90.json").read_text())["probes"]
SAMPLES = sorted(path for path in (ROOT / "examples" / "prebuilt").iterdir() if path.suffix == "")
# Forms whose rows are not written yet; one that starts to decode must leave this list.
MISSING: set[str] = set()


def test_recorded_encodings() -> None:
    """Texts are nvdisasm's. The probes' builder may leave a register number in a field that the instruction does not
    have (nvdisasm and the GPU ignore it, we refuse it): such words are no encoding test."""
    same = 0
    for probe in PROBES:
        mnemonic = probe["text"].split(" ")[0].split(".")[0]
        try:
            text = decode(int(probe["word"], 16), 0, 90).text
        except Unsupported as error:
            assert mnemonic in MISSING or "not described" in str(error), probe["text"]
            continue
        assert text.rstrip() == probe["text"].rstrip()
        same += 1
    assert same > 400


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_sample_binary(sample: Path) -> None:
    seen = 0
    for fatbin in read_fatbins(sample.read_bytes(), sample.name):
        for entry in fatbin.entries:
            if entry.kind != EntryKind.ELF:
                continue
            cubin = read_cubin(entry.payload, sample.name)
            for kernel in cubin.kernels.values():
                ours, theirs = (decode_code(kernel, cubin, name) for name in ("table", "nvdisasm"))
                for a, b in zip(ours, theirs, strict=True):
                    assert (a.mnemonic, a.modifiers, a.operands, a.targets) == (
                        b.mnemonic,
                        b.modifiers,
                        b.operands,
                        b.targets,
                    )
                    seen += 1
    assert seen


def test_an_undescribed_bit_is_refused() -> None:
    word = int(next(p["word"] for p in PROBES if p["text"].startswith("IADD3 ")), 16)
    with pytest.raises(Unsupported, match="not described"):
        decode(word | 1 << 104, 0, 90)


def test_an_unknown_opcode_is_refused() -> None:
    with pytest.raises(Unsupported, match="0xfff"):
        decode(0x7FFF, 0x40, 80)


ENCODINGS = sorted((ROOT / "tests" / "vectors" / "sass").glob("encodings-sm*.txt"))
# By SM, mnemonics whose rows are not written yet; one that starts to decode must leave this list.
NO_ROWS = {100: {"UBLKCP"}, 120: {"UBLKCP"}}


@pytest.mark.parametrize("path", ENCODINGS, ids=lambda path: path.stem)
def test_recorded_forms(path: Path) -> None:
    """One word of each form that ptxas emits for the corpus, with nvdisasm's text; ours is the same, character for
    character, but for the blank that nvdisasm prints after -0.0 and infinities."""
    sm = int(path.stem.removeprefix("encodings-sm"))
    seen, missing = 0, NO_ROWS.get(sm, set())
    for line in path.read_text().splitlines()[1:]:
        address, word, expected = line.split(" ", 2)
        mnemonic = re.sub(r"@\S+ ", "", expected).split(" ")[0]
        try:
            text = decode(int(word, 16), int(address, 16), sm).text
        except Unsupported as error:
            assert mnemonic.split(".")[0] in missing, f"{expected}: {error}"
            continue
        assert text.rstrip() == expected
        assert mnemonic.split(".")[0] not in missing, f"{mnemonic} decodes now: take it off the list"
        seen += 1
    assert seen > 500


def test_atomics_of_every_type() -> None:
    """What ptxas makes of PTX's atom and red."""
    lines = (ROOT / "tests" / "vectors" / "sass" / "atomics-sm90.txt").read_text().splitlines()[1:]
    for line in lines:
        address, word, expected = line.split(" ", 2)
        assert decode(int(word, 16), int(address, 16), 90).text == expected
    assert len(lines) > 300


@pytest.mark.parametrize("sm", [75, 80, 86, 89, 90, 100])
def test_a_barrier_whose_end_lies_in_front(sm: int) -> None:
    """A word of `quadrature` without optimisation; nvdisasm prints the same for all of these SMs."""
    assert decode(0x003FDE0003800000FFFFA2D000077945, 0xB880, sm).text == "BSSY B7, 0x5b60"


@pytest.mark.parametrize("sm", [75, 80, 86, 87, 89])
def test_functions_in_sections_of_their_own_return_to_addresses_of_memory(sm: int) -> None:
    """Words of `event_log -G`, as nvdisasm prints them; its 166 functions had nvdisasm started once each."""
    word = 0x003FDE0003E000000000000014007950
    assert decode(word, 0x50, sm).text == "RET.ABS.NODEC R20, 0x0"
    assert decode(word | 3 << 34, 0x50, sm).text == "RET.ABS.NODEC R20, 0xc"
    assert decode(0x000FEC00000050000000000000007992, 0, sm).text == "MEMBAR.SC.VC"


def test_a_part_of_a_constant_is_refused() -> None:
    """Bits that pick a byte of a register, on an instruction whose operand is a constant: an assertion failed."""
    lines = (ROOT / "tests" / "vectors" / "sass" / "encodings-sm100.txt").read_text().splitlines()
    word = next(int(line.split()[1], 16) for line in lines if "I2F.U8 " in line and ".B1" in line)
    assert decode(word, 0, 100).mnemonic == "I2F"
    with pytest.raises(Unsupported):
        decode(word & ~(7 << 9) | 5 << 9, 0, 100)


@pytest.mark.parametrize(
    ("word", "text"),
    [  # of generated kernel 8047, of training kernels, and of their kin, as nvdisasm prints them
        (0x000FC800078F080A0001FFFF090A7411, "LEA.HI R10, R9, R10, 0x1ffff, 0x1"),
        (0x000FC400078FF8FF0000000813137411, "LEA.HI R19, R19, RZ, 0x8, 0x1f"),
        (0x0040FE200000E00FF00000007040E7415, "VABSDIFF4.U8 R14, R4.reuse, RZ, 0x7"),
        (0x0040FE200000E00FF00000000040E7615, "VABSDIFF4.U8 R14, R4.reuse, RZ, c[0x0][0x0]"),
        (0x004FC800000E00040000000103077414, "VABSDIFF.U32 R7, R3, R4, 0x1"),
        (0x040FE400080E02070000000403097E14, "VABSDIFF R9, R3.reuse, R7, UR4"),
        (0x000FF0000380000000005C0000007B5D, "NANOSLEEP c[0x0][0x170]"),
        (0x000FE2000B8000000000000400007D5D, "NANOSLEEP UR4"),
        (0x000FE2000800000000000004FF087C1B, "BMSK R8, RZ, UR4"),
        (0x000FCE0008000000000000040B0D7C1A, "SGXT.U32 R13, R11, UR4"),
        (0x000FE200000000000000000414007204, "R2P PR, R20, R4"),
        (0x000FE2000000000000005C0014007A04, "R2P PR, R20, c[0x0][0x170]"),
        (0x004FCA00000030FF00005C0000077A39, "I2IP.S16.S32.SAT R7, R0, c[0x0][0x170], RZ"),
    ],
)
def test_operands_of_other_kinds(word: int, text: str) -> None:
    assert decode(word, 0, 80).text == text


def test_the_shift_of_an_address_stands_where_a_register_has_its_sign() -> None:
    with pytest.raises(Unsupported, match="third operand"):
        decode(0x000FC800078E080A0001FFFF090A7411, 0, 80)  # without .HI


def test_a_product_is_divided_by_what_nvdisasm_says() -> None:
    """FMUL.D8 was taken for .D2, and .D2 and .D4 were refused: no recorded word has them."""
    word = 0x004FCA000000000040A0000002077820
    names = ["D8", "D4", "D2", "", "M2", "M4", "M8"]
    assert [decode(word | n << 84, 0, 80).modifiers for n in range(1, 8)] == [(name,) if name else () for name in names]
    with pytest.raises(Unsupported, match="value 0"):
        decode(word, 0, 80)
