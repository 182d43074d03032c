"""MUFU on denormals, and results that are denormals: zeros, as recorded on the GPU, whatever the kernel asks for."""

from __future__ import annotations

import numpy as np
import pytest

from tests.isa.sass import test_hardware_vectors as recorded
from tests.lift.support import HEAD, kernel, run
from tools.sassvectors.inputs import inputs


def edge_lanes(text: str) -> tuple[np.ndarray, np.ndarray]:
    """R12 and the recorded result where one of them is a denormal."""
    (probe,) = (one for one in recorded.document()["probes"] if one["text"] == text)
    given = inputs(text)[:, 4]
    results = recorded.words()[probe["offset"] : probe["offset"] + recorded.LANES]
    exponent, fraction = given >> 23 & 0xFF, given & 0x7F_FFFF
    tiny = (exponent == 0) & (fraction != 0)
    huge = (exponent > 252) & (exponent < 255) if ".RCP" in text else np.zeros_like(tiny)
    return given[tiny | huge], results[tiny | huge]


@pytest.mark.parametrize("function", ["RCP", "RSQ", "SQRT", "LG2", "EX2", "SIN", "COS"])
def test_denormals_are_flushed_in_a_kernel_that_keeps_them(function: str) -> None:
    text = f"MUFU.{function} R32, R12"
    given, expected = edge_lanes(text)
    assert len(given) > 20
    sass = kernel(HEAD + f"LDG.E R12, [R4.64]\n{text}\nFADD R10, R12, R12\nSTG.E [R2.64], R32\nEXIT")
    found = run(sass, given, len(given), block=(len(given),))
    assert [hex(n) for n in found] == [hex(n) for n in expected]
