"""Code whose single-precision instructions all flush denormals (-ftz): sums and products that LLVM simplifies away."""

from __future__ import annotations

import numpy as np
import pytest

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
