"""What public wheels hold: the sample, the comparison and the count, on a wheel made of an example's binary."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from cass_shim.decode.nvdisasm import has_tool
from tools.wheels.__main__ import main
from tools.wheels.measure import expected, is_asked, reason
from tools.wheels.sources import sample

BINARY = Path(__file__).resolve().parents[2] / "examples" / "prebuilt" / "vector_add_static"


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "torchaudio-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("package/kernels.so", BINARY.read_bytes())
        archive.writestr("package/damaged.so", BINARY.read_bytes()[:5000])
        archive.writestr("package/text.py", "")
    return path


def test_the_sample_is_the_same_every_time(wheel: Path) -> None:
    first, second = ({}, {})
    count, chosen = sample(wheel, (80,), 5, first)
    assert (count, [f.kernel.name for f in chosen]) == (1, ["_Z10vector_addPKfS0_Pfi"])
    again = sample(wheel, (80,), 5, second)
    assert [f.key for f in again[1]] == [f.key for f in chosen] and first == second
    assert sample(wheel, (90,), 5, {}) == (0, [])


@pytest.mark.skipif(not has_tool("nvdisasm"), reason="nvdisasm is not installed")
def test_a_wheel_is_decoded_and_lifted(wheel: Path) -> None:
    output = wheel.parent / "wheels.json"
    options = ["--folder", str(wheel.parent), "--offline", "--only", "torchaudio", "--output", str(output)]
    assert main(options) == 0
    result = json.loads(output.read_text())
    (row,) = result["wheels"]
    assert (row["kernels"], row["sampled"], row["lifted"], row["failed"], row["wrong"]) == (1, 1, 1, 0, 0)
    assert result["mnemonics"]["FADD"] == [1, 0] and not result["reasons"]


def test_nothing_to_measure_is_an_error(tmp_path: Path) -> None:
    assert main(["--folder", str(tmp_path), "--offline", "--output", str(tmp_path / "w.json")]) == 2


def test_failures_are_counted_without_names_and_addresses() -> None:
    texts = [f"unsupported LDG.X at {at} in {name}: modifier X" for at, name in (("0x40", "f"), ("0xc0", "g"))]
    assert reason(texts[0], "f") == reason(texts[1], "g") == "unsupported LDG.X: modifier X"
    assert is_asked(texts[0]) and not is_asked("unsupported UTMALDG.2D at 0x40 in f")


def test_descriptors_that_nvdisasm_hides_before_sm_90_do_not_count() -> None:
    printed = "LDG.E R2, desc[UR20][R74.64] "
    assert expected(printed, 80) == "LDG.E R2, [R74.64]"
    assert expected(printed, 90) == "LDG.E R2, desc[UR20][R74.64]"
