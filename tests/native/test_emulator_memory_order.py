"""What a lane may see of memory that another workgroup changes: whole 64-bit words and aligned ones of 128 bits, and
one moment for all lanes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.native.emulator_core_support import CodeObject, compile_hip

SOURCE = """
#define __global__ __attribute__((global))
typedef unsigned u32; typedef unsigned long u64;
extern "C" __global__ void watch(u64 *word, u32 *torn, u32 *split, int rounds, int apart, int mixed) {
    static __attribute__((shared)) u64 own;
    u32 lane = __builtin_amdgcn_workitem_id_x();
    u64 *mine = word + (apart ? lane * 2 : 0);
    if (__builtin_amdgcn_workgroup_id_x() == 0) {
        for (u32 n = 1; n <= (u32)rounds; n++)
            if (lane == 0 || apart) __hip_atomic_store(mine, (u64)n << 32 | n, 0, 4);
    } else {
        own = 0;
        int other = mixed && lane == 31;  // looks into the workgroup's own memory in the same instruction
        u64 *from = other ? &own : mine;
        for (int n = 0; n < rounds; n++) {
            u64 seen = __hip_atomic_load(from, 0, 4);
            u32 low = (u32)seen, first;
            asm volatile("v_readfirstlane_b32 %0, %1" : "=s"(first) : "v"(low));
            if (low != (u32)(seen >> 32)) __hip_atomic_fetch_add(torn, 1u, 0, 4);
            if (!apart && !other && low != first) __hip_atomic_fetch_add(split, 1u, 0, 4);
        }
    }
}
"""


@pytest.mark.parametrize(("apart", "mixed"), [(0, 0), (1, 0), (1, 1)])
def test_a_lane_sees_whole_words_and_all_lanes_the_same(apart: int, mixed: int, tmp_path: Path) -> None:
    """LLVM takes a load from one address for uniform: lanes that saw different moments corrupted the device's heap."""
    source = tmp_path / "watch.hip"
    source.write_text(SOURCE)
    code = CodeObject(compile_hip(source, tmp_path, "-O2"))
    word, torn, split = np.zeros(64, np.uint64), np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    numbers = [np.int32(value) for value in (400000, apart, mixed)]
    outcome = code.launch("watch", (2,), (32,), [word, torn, split, *numbers])
    assert outcome.status == "ok", outcome.text
    assert (int(torn[0]), int(split[0])) == (0, 0)


QUADS = """
#define __global__ __attribute__((global))
typedef unsigned u32; typedef u32 quad __attribute__((ext_vector_type(4)));
extern "C" __global__ void watch(quad *word, u32 *torn, u32 *changes, int rounds, int apart) {
    u32 lane = __builtin_amdgcn_workitem_id_x();
    quad *mine = word + (apart ? lane : 0);
    if (__builtin_amdgcn_workgroup_id_x() == 0) {
        for (u32 n = 1; n <= (u32)rounds; n++) {
            quad all = n;
            if (lane == 0 || apart) asm volatile("global_store_b128 %0, %1, off" : : "v"(mine), "v"(all) : "memory");
        }
    } else {
        u32 last = 0;
        for (int n = 0; n < rounds; n++) {
            quad seen;
            asm volatile("global_load_b128 %0, %1, off glc\\n\\ts_waitcnt vmcnt(0)"
                         : "=&v"(seen) : "v"(mine) : "memory");
            if (seen.x != seen.y || seen.x != seen.z || seen.x != seen.w) __hip_atomic_fetch_add(torn, 1u, 0, 4);
            if (seen.x != last) __hip_atomic_fetch_add(changes, 1u, 0, 4);
            last = seen.x;
        }
    }
}
"""


@pytest.mark.parametrize("native", ["0", "wait"])
@pytest.mark.parametrize("apart", [0, 1])
def test_aligned_accesses_of_16_bytes_are_whole(apart: int, native: str, tmp_path: Path) -> None:
    """As on the hardware: CUB's tiles say in one such word that they are there and what they hold."""
    source, code = tmp_path / "watch.hip", tmp_path / "code"
    source.write_text(QUADS)
    code.write_bytes(compile_hip(source, tmp_path, "-O2"))
    settings = {**os.environ, "CASS_EMU_NATIVE": native, "CASS_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, str(Path(__file__).with_name("emulator_quads.py")), str(code), str(apart)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=settings)
    torn, changes = map(int, done.stdout.split())
    assert torn == 0 and changes > 0
