"""PTX instructions against results recorded on a real NVIDIA GPU, run on the emulated gfx1100.

Every recorded form (instruction × type × modifier, 512 lanes of special and random inputs) is compiled and run.
Exact forms must agree bit for bit, except that any NaN equals any NaN (PTX leaves payloads open); approximate ones
within the bound that the PTX manual states.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cass_shim.model.artifacts import PtxModule
from tests.translate.ptx_hip.emulated import build, device
from tools.sassvectors.forms import module
from tools.sassvectors.inputs import LANES, inputs

FILE = np.load(Path(__file__).resolve().parents[2] / "vectors" / "ptx" / "forms.npz")
FORMS: list[list[Any]] = json.loads(bytes(FILE["meta"]))["forms"]
RESULTS = FILE["results"]
GROUP = 60
GROUPS = range(0, len(FORMS), GROUP)
UNWRITTEN = 0xA5A5A5A5

# Approximate forms: largest relative error against the recorded result. Source: PTX ISA 9.0 §9.7.3 and §9.7.4: the
# stated bound of each side, added. sin and cos have an absolute bound inside [-pi, pi] only.
RELATIVE = {
    "rcp.approx.f32": 2.0**-22, "rcp.approx.ftz.f32": 2.0**-22, "sqrt.approx": 2.0**-22, "rsqrt.approx.f32": 2.0**-21,
    "rsqrt.approx.ftz.f32": 2.0**-21, "ex2.approx.f32": 2.0**-21, "ex2.approx.ftz.f32": 2.0**-21,
    "div.full": 2.0**-21, "div.approx": 2.0**-21, "tanh.approx.f32": 2.0**-10, "rcp.approx.ftz.f64": 2.0**-19,
    "rsqrt.approx.f64": 2.0**-19, "rsqrt.approx.ftz.f64": 2.0**-19, "tanh.approx.f16": 2.0**-9,
    "ex2.approx.f16": 2.0**-9, "tanh.approx.bf16": 2.0**-7, "ex2.approx.ftz.bf16": 2.0**-7,
}  # fmt: skip
ABSOLUTE = {"lg2.approx": 2.0**-21, "sin.approx": 2.0**-20, "cos.approx": 2.0**-20}
SMALLEST = {"f32": 2.0**-126, "bf16": 2.0**-126, "f16": 2.0**-24, "f64": 2.0**-1022}
FLOATS = {"f32": (np.uint32, np.float32, 1), "f64": (np.uint64, np.float64, 2), "f16": (np.uint16, np.float16, 1)}


def as_floats(words: NDArray[np.uint32], result: str) -> NDArray[np.float64]:
    """Results of a float type, one column per element, as f64."""
    element = result.removesuffix("x2")
    columns = words[:, : 2 if element == "f64" else 1].copy()
    if element == "bf16":
        halves = columns.view(np.uint16)
        return (halves.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return columns.view(FLOATS[element][1]).astype(np.float64)


def agrees(name: str, result: str, got: NDArray[np.uint32], want: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Per lane, whether a result may stand for the recorded one."""
    same: NDArray[np.bool_] = (got == want).all(axis=1)
    if result.removesuffix("x2") not in ("f16", "bf16", "f32", "f64"):
        return same
    with np.errstate(all="ignore"):
        a, b = as_floats(got, result), as_floats(want, result)
        close = (a == b) | (np.isnan(a) & np.isnan(b))
        for start, bound in ABSOLUTE.items():
            if name.startswith(start):
                inputs_in_range = np.abs(inputs(name)[:, :1].view(np.float32).astype(np.float64)) <= np.pi
                free = ~inputs_in_range if "lg2" not in name else False
                relative = bound if "lg2" in name else 0.0
                close |= (np.abs(a - b) <= bound + relative * np.abs(b)) | free
        for start, bound in RELATIVE.items():
            if name.startswith(start):
                close |= np.abs(a - b) <= bound * np.abs(b) + SMALLEST[result.removesuffix("x2")]
    if result in ("f16", "bf16"):
        close = close[:, :1]
    return same | close.all(axis=1)


@pytest.mark.parametrize("first", GROUPS)
def test_forms_agree_with_the_gpu(first: int) -> None:
    numbers = range(first, min(first + GROUP, len(FORMS)))
    code = build(PtxModule(module(), 90), [f"t{number}" for number in numbers])
    wrong = []
    for number in numbers:
        name, result, _ = FORMS[number]
        with (
            device().buffer(inputs(name)) as given,
            device().buffer(np.full((LANES, 4), UNWRITTEN, np.uint32)) as target,
        ):
            kernarg = struct.pack("<QQQ", given.address, target.address, 0)
            code.function(f"t{number}").launch((1,), (LANES,), kernarg)
            device().synchronize()
            good = agrees(name, result, target.read(), RESULTS[number])
        if not good.all():
            wrong.append(f"{name}: {int((~good).sum())} lanes, first {int(np.argmin(good))}")
    assert not wrong, "\n".join(wrong)
