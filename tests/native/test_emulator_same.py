"""The same C source compiled for this processor and for gfx1100, by one LLVM: equal output, bit for bit."""

from __future__ import annotations

import ctypes
import platform
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.native.emulator_core_support import ZIG, CodeObject, compile_hip

SHARED = Path(__file__).with_name("emulator_same.h")
COUNT = 4096
DEVICE = """
#define FUNCTION static __attribute__((device)) inline
#include "{header}"
#define KERNEL(name) \\
    extern "C" __attribute__((global)) void name##_all(const u64 *a, const u64 *b, u64 *out) {{ \\
        u32 i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x(); \\
        out[i] = name(a[i], b[i]); \\
    }}
EACH(KERNEL)
"""
HOST = """
#define FUNCTION static inline
#include "{header}"
#define LOOP(name) \\
    void name##_all(const u64 *a, const u64 *b, u64 *out) {{ \\
        for (u32 i = 0; i < {count}; i++) out[i] = name(a[i], b[i]); \\
    }}
EACH(LOOP)
"""
NAMES = SHARED.read_text().rpartition("EACH(X)")[2].replace("\\", " ").replace("X(", " ").replace(")", " ").split()
FLAGS = ("-w", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-fno-sanitize=all")


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The functions as loops on this processor, with its fused multiply-add."""
    folder = tmp_path_factory.mktemp("host")
    source, target = folder / "same.c", folder / "same.so"
    source.write_text(HOST.format(header=SHARED, count=COUNT))
    machine = "x86_64-linux-gnu" if platform.machine() == "x86_64" else "aarch64-linux-gnu"
    extra = ("-mcpu=x86_64_v3",) if platform.machine() == "x86_64" else ()
    subprocess.run([*ZIG, "cc", "-target", machine, *extra, *FLAGS, str(source), "-o", str(target), "-lm"], check=True)
    return ctypes.CDLL(str(target))


@pytest.fixture(scope="module", params=["-O0", "-O3"])
def device(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> CodeObject:
    folder = tmp_path_factory.mktemp("device")
    source = folder / "same.hip"
    source.write_text("#pragma STDC FP_CONTRACT OFF\n" + DEVICE.format(header=SHARED))
    return CodeObject(compile_hip(source, folder, request.param))


def inputs(seed: int) -> np.ndarray:
    """Random bits, small numbers of both signs, numbers near powers of two, floats and doubles of every size."""
    rng = np.random.default_rng(seed)
    kinds = np.empty((6, COUNT), np.uint64)
    kinds[0] = rng.integers(0, 2**64, COUNT, np.uint64)
    kinds[1] = rng.integers(-9, 10, COUNT).view(np.uint64)
    kinds[2] = (np.uint64(1) << rng.integers(0, 64, COUNT, np.uint64)) - rng.integers(0, 2, COUNT, np.uint64)
    kinds[3] = (rng.normal(0, 1, COUNT) * 10.0 ** rng.integers(-40, 40, COUNT)).view(np.uint64)
    with np.errstate(over="ignore"):
        kinds[4] = (rng.normal(0, 1, COUNT) * 10.0 ** rng.integers(-44, 38, COUNT)).astype(np.float32).view(np.uint32)
    kinds[5] = rng.choice(
        np.array([0, 1 << 31, 1 << 63, 0x7F800000, 0x7FF0000000000000, 1, 0x3F800000], np.uint64), COUNT
    )
    return kinds[rng.integers(0, len(kinds), COUNT), np.arange(COUNT)]


@pytest.mark.parametrize("name", NAMES)
def test_both_compute_the_same_bits(name: str, host: ctypes.CDLL, device: CodeObject) -> None:
    a, b = inputs(1), inputs(2)
    want, got = np.zeros(COUNT, np.uint64), np.zeros(COUNT, np.uint64)
    pointers = (ctypes.c_void_p(array.ctypes.data) for array in (a, b, want))
    getattr(host, f"{name}_all")(*pointers)
    done = device.launch(f"{name}_all", (COUNT // 64,), (64,), [a, b, got], scratch=4096)
    assert done.status == "ok", done.text
    assert len(np.unique(want)) > COUNT // 50
    wrong = np.flatnonzero(got != want)
    assert not len(wrong), [(hex(a[i]), hex(b[i]), hex(got[i]), hex(want[i])) for i in wrong[:5]]
