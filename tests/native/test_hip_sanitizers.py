"""The HIP half of the emulated device under ThreadSanitizer, AddressSanitizer and UBSan."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cass_shim.native.build import NATIVE
from cass_shim.native.emulator.hip_generate import generate
from tests.native.hip_support import compile_hip

HERE = Path(__file__).parent
SOURCE = "KERNEL vadd(const float *a, const float *b, float *c, int n) { if (TID < n) c[TID] = a[TID] + b[TID]; }"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc's sanitizers")]


def build(folder: Path, program: str, *flags: str) -> Path:
    """The HIP half, a core that runs nothing, and one test program, with a sanitizer."""
    generate(folder)
    emulator = NATIVE / "emulator"
    memory = (one for one in emulator.glob("memory*.c") if one.name != "memory_race.c")  # that one is of the core
    sources = [*emulator.glob("hip_*.c"), *memory, *emulator.glob("loader*.c")]
    sources += [NATIVE / "hip" / "image_descriptor.c"]
    sources += [folder / "emulator" / "hip_entry.c", HERE / "hip_core_stub.c", HERE / program]
    target = folder / "program"
    include = ("-I", str(NATIVE), "-I", str(folder))
    command = ["gcc", "-std=gnu17", "-O1", "-g", "-D_GNU_SOURCE", *flags, *include, *map(str, sources)]
    subprocess.run([*command, "-o", str(target), "-lpthread", "-ldl"], check=True, timeout=300)
    (folder / "k.hsaco").write_bytes(compile_hip(SOURCE))
    return target


def test_streams_are_free_of_races(tmp_path: Path) -> None:
    program = build(tmp_path, "hip_stress.c", "-fsanitize=thread")
    done = subprocess.run([program, tmp_path / "k.hsaco"], capture_output=True, text=True, timeout=200)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "done 1000\n")


def test_damaged_code_objects_neither_overrun_nor_leak(tmp_path: Path) -> None:
    program = build(tmp_path, "hip_fuzz.c", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
    done = subprocess.run([program, tmp_path / "k.hsaco", "7", "20000"], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0 and done.stderr == "" and done.stdout.endswith("of 20000\n"), done.stderr[:3000]
