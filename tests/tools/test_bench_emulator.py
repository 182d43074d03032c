"""The benchmark's side for tinygrad's emulator, in a checkout in miniature whose `run_asm` is ours."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from tools import environment, go_on_in_the_environment
from tools.bench import emulator, threads

SMALL = [("vadd", 8, 1, 2000), ("matmul_tiled", 2, 2, 32), ("reduce", 4, 1, 1024)]


def test_the_same_bits_as_on_the_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code, arguments and grid arrive as tinygrad's signature has them."""
    folder = tmp_path / "test/mockgpu/amd"
    folder.mkdir(parents=True)
    (folder / "emu.py").write_text("from tests.native.tinygrad_suite import run_asm\n")
    monkeypatch.setenv("TINYGRAD_REPO", str(tmp_path))
    monkeypatch.setattr(emulator, "workloads", lambda *_: SMALL)
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


def test_threads_are_told_by_both_gains() -> None:
    assert threads.counts(6) == [1, 2, 4, 6] and threads.counts(1) == [1]
    ours = {1: {"alu": emulator.Run(8.0, 1)}, 4: {"alu": emulator.Run(4.0, 1)}}
    theirs = {1: {"alu": emulator.Run(2.0, 1)}, 4: {"alu": emulator.Run(0.5, 1)}}
    (figure,) = threads.gains(ours, theirs, "alu")
    assert (figure.name, figure.ours, figure.rival, figure.ratio) == ("alu: 4 threads", 2.0, 4.0, 0.5)


def test_the_large_set_is_the_same_kernels() -> None:
    names = {name for name, *_ in emulator.workloads()}
    assert len(names) == 6 and {name for name, *_ in emulator.workloads(threads.SET)} == names - {"vadd"}


def test_a_python_without_the_requirements_goes_on_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, words: started.append(words))
    monkeypatch.setattr(sys, "orig_argv", ["python3", "-m", "tools.wheels", "--sample", "3"])
    go_on_in_the_environment()  # this one has them
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(environment, "ENVIRONMENT", tmp_path)
    go_on_in_the_environment()  # there is none
    assert not started
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").touch()
    go_on_in_the_environment()
    assert started == [[str(tmp_path / "bin" / "python"), "-m", "tools.wheels", "--sample", "3"]]
