"""The benchmark's side for tinygrad's emulator, in a checkout in miniature whose `run_asm` is ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.bench import emulator

SMALL = [("vadd", 8, 1, 2000), ("matmul_tiled", 2, 2, 32), ("reduce", 4, 1, 1024)]


def test_the_same_bits_as_on_the_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code, arguments and grid arrive as tinygrad's signature has them."""
    folder = tmp_path / "test/mockgpu/amd"
    folder.mkdir(parents=True)
    (folder / "emu.py").write_text("from tests.native.tinygrad_suite import run_asm\n")
    monkeypatch.setenv("TINYGRAD_REPO", str(tmp_path))
    monkeypatch.setattr(emulator, "workloads", lambda: SMALL)
    ours, theirs = emulator.on_emulator(CASS_EMU_THREADS="1", CASS_EMU_NATIVE="0"), emulator.on_tinygrad()
    assert {name: run.checksum for name, run in theirs.items()} == {name: run.checksum for name, run in ours.items()}
    (figure,) = emulator.tinygrad_figures("vadd", ours["vadd"], theirs["vadd"])
    assert figure.rival_name == "tinygrad" and figure.ratio > 0 and not figure.note
    wrong = emulator.Run(1.0, theirs["vadd"].checksum + 1)
    assert emulator.tinygrad_figures("vadd", ours["vadd"], wrong)[0].note


def test_without_a_checkout_there_is_no_rival(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TINYGRAD_REPO", raising=False)
    assert emulator.on_tinygrad() == {}
    assert emulator.tinygrad_figures("vadd", emulator.Run(1.0, 2), None) == []
