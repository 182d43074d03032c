"""Code whose single-precision instructions all flush denormals (-ftz): sums and products that LLVM simplifies away."""

from __future__ import annotations

import numpy as np
import pytest

from cass_shim.lift import lift_kernel
from tests.lift.support import HEAD, kernel, run

GIVEN = np.array([0x2B, 0x8000_0001, 0x007F_FFFF, 0x0080_0000, 0x3F80_0001, 0x8000_0000, 0x7F80_0000], np.uint32)
FLUSHED = np.array([0, 0x8000_0000, 0, 0x0080_0000, 0x3F80_0001, 0x8000_0000, 0x7F80_0000], np.uint32)


@pytest.mark.parametrize(
    "line",
    [
        "FADD.FTZ R9, -RZ, R8",
        "FADD.FTZ R9, R8, -RZ",
        "FMUL.FTZ R9, R8, R7",
        "FFMA.FTZ R9, R8, R7, -RZ",
        "F2F.FTZ.F32.F32 R9, R8",
    ],
)
def test_a_denormal_becomes_zero(line: str) -> None:
    """Recorded on an H200 of PTX's cvt.ftz.f32.f32, which ptxas makes the first of these."""
    text = f"{HEAD}LDG.E R8, [R4.64]\nMOV R7, 0x3f800000\n{line}\nSTG.E [R2.64], R9\nEXIT\n"
    found = run(kernel(text), GIVEN, len(GIVEN), block=(len(GIVEN),))
    assert found.tolist() == FLUSHED.tolist()


def _apart(line: str) -> str:
    """Code in which one instruction flushes, whose result is not looked at, beside the line."""
    return f"{HEAD}LDG.E R8, [R4.64]\nFADD.FTZ R6, R8, R8\n{line}\nSTG.E [R2.64], R9\nEXIT\n"


def _towards_zero(a: int, b: int) -> int:
    """The product of two f32 that are not both tiny, rounded towards zero: by exact integers and f64."""
    x, y = (np.array([bits], np.uint32).view(np.float32).astype(np.float64)[0] for bits in (a, b))
    near = np.float64(x * y).astype(np.float32)
    bits = int(near.view(np.uint32))
    return bits - 1 if abs(np.float64(near)) > abs(x * y) else bits


@pytest.mark.parametrize("scale", [0x3E22_F983, 0xBE22_F983, 0x3F80_0000, 0x0080_0001])
def test_a_product_towards_zero_keeps_denormals_where_the_mode_flushes(scale: int) -> None:
    """What -use_fast_math has before a sine: all else in the kernel flushes, so the mode does it."""
    text = _apart(f"MOV R7, {scale:#x}\nFMUL.RZ R9, R8, R7")
    assert '"denormal-fp-math-f32"="preserve-sign' in lift_kernel(kernel(text)).text
    given = np.array([*GIVEN, 0x0100_0001, 0x0040_0001, 0x8180_1235, 0x3FC9_0FDB, 0xFF80_0000, 0x7FC0_0000], np.uint32)
    found = run(kernel(text), given, len(given), block=(len(given),))
    numbers = given & 0x7FFF_FFFF <= 0x7F80_0000
    with np.errstate(all="ignore"):
        wanted = [_towards_zero(int(bits), scale) for bits in given[numbers]]
    assert [hex(bits) for bits in found[numbers]] == [hex(bits) for bits in wanted]
    assert (found[~numbers] & 0x7FFF_FFFF > 0x7F80_0000).all()


def test_bf16_keeps_its_denormals_beside_code_that_flushes() -> None:
    """They are f32's, which it is computed as (PTX ISA, fma.bf16: subnormal numbers are supported)."""
    text = _apart("MOV R7, 0x3f803f80\nHFMA2.BF16_V2 R9, R8, R7, RZ")
    given = np.array([0x0001_0001, 0x807F_0040, 0x3F80_3F80], np.uint32)
    assert run(kernel(text), given, len(given), block=(len(given),)).tolist() == given.tolist()


@pytest.mark.parametrize("line", ["F2F.F16.F32 R9, R8", "F2FP.BF16.PACK_AB R9, RZ, R8", "F2I.NTZ R9, R8"])
def test_what_cannot_tell_leaves_flushing_to_the_mode(line: str) -> None:
    """And gives with it what it gives without."""
    plain = f"{HEAD}LDG.E R8, [R4.64]\n{line}\nSTG.E [R2.64], R9\nEXIT\n"
    assert '"denormal-fp-math-f32"="preserve-sign' in lift_kernel(kernel(_apart(line))).text
    found = [run(kernel(text), GIVEN, len(GIVEN), block=(len(GIVEN),)).tolist() for text in (plain, _apart(line))]
    assert found[0] == found[1]


@pytest.mark.parametrize("line", ["F2FP.BF16.FTZ.PACK_AB R9, RZ, R8", "F2FP.BF16.FTZ.PACK_AB.RZ R9, RZ, R8"])
def test_conversion_to_bf16_flushes_by_itself(line: str) -> None:
    """It works on bits: the mode that flushes the rest of the kernel does not reach it."""
    plain = f"{HEAD}LDG.E R8, [R4.64]\nFADD R6, R8, R8\n{line}\nSTG.E [R2.64], R9\nSTG.E [R2.64+0x100], R6\nEXIT\n"
    assert '"denormal-fp-math-f32"="preserve-sign' not in lift_kernel(kernel(plain)).text
    found = run(kernel(_apart(line)), GIVEN, len(GIVEN), block=(len(GIVEN),)).tolist()
    assert [bits & 0x7FFF for bits in found[:3]] == [0, 0, 0] and found[4] == 0x3F80
    assert found == run(kernel(plain), GIVEN, 256, block=(len(GIVEN),))[: len(GIVEN)].tolist()


def test_what_is_flushed_is_not_flushed_again() -> None:
    """Where one instruction keeps denormals, the others flush what they read and give: the second one its result."""
    chain = "FADD R6, R8, 1\nFMUL.FTZ R9, R8, R8\nFADD.FTZ R9, -R9, |R9|\nFMUL.FTZ R9, R9, 2"
    code = f"{HEAD}LDG.E R8, [R4.64]\n{chain}\nSTG.E [R2.64], R9\nSTG.E [R2.64+0x4], R6\nEXIT\n"
    text = lift_kernel(kernel(code)).text
    assert text.count("call i1 @llvm.is.fpclass.f32") == 5  # the two operands of the first, and three results
