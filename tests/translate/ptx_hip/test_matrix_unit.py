"""Why `mma` becomes fused multiply-adds and not RDNA3's matrix unit (docs/adr/0013-no-matrix-unit.md), as counts.

The unit multiplies 16 by 16 by 16, with whole rows in a lane and results that alternate between the halves of a wave;
PTX's fragments, which programs take apart and recordings show, spread a row over four lanes. Both ways are written
here for f16 with sums of f32, 8 and 16 columns (two fragments of b, as of `wmma`), give the same, and are counted as
clang compiles them.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from cass_shim.assemble import toolchain
from cass_shim.assemble.hip import compile_to_assembly
from cass_shim.isa.ptx.prelude import HEADER, select, words_of
from cass_shim.model.artifacts import HipSource
from tests.translate.ptx_hip.emulated import device

LANES = 32
FUSED = "ptx_mma<PtxF16, 2, N, 2>(sums, a, b, false);"
MATRIX_UNIT = """
    u32 lane = ptx_lane(), row = lane & 15, half = lane >> 4;
    union { u32 word[8]; half16 values; } rows, columns;
    float8 sum;
    for (u32 group = 0; group < 2; group++)
        for (u32 k = 0; k < 4; k++) {
            u32 from = (row & 7) * 4 + k;
            u32 low = ptx_read_lane(a[group * 2], from), high = ptx_read_lane(a[group * 2 + 1], from);
            rows.word[group * 4 + k] = row < 8 ? low : high;
            u32 left = ptx_read_lane(b[group], from), right = left;
            if (N == 2) right = ptx_read_lane(b[(N - 1) * 2 + group], from);
            columns.word[group * 4 + k] = row < 8 ? left : right;
        }
    for (u32 i = 0; i < 8; i++) {
        u32 from = ((2 * i + half) & 7) * 4 + (row & 7) / 2, found = 0;
        for (u32 at = 0; at < 2 * N; at++) {
            u32 got = ptx_read_lane(as<u32>(sums[at / 2 * 4 + i / 4 * 2 + at % 2]), from);
            if ((row & 1) == at % 2 && (N == 1 || row / 8 == at / 2)) found = got;
        }
        sum[i] = as<f32>(found);
    }
    sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(rows.values, columns.values, sum);
    for (u32 at = 0; at < 4 * N; at++) {
        u32 from = (lane / 4 & 1) * 16 + at / 4 * 8 + (lane & 3) * 2 + at % 2;
        for (u32 i = 0; i < 4; i++) {
            u32 got = ptx_read_lane(as<u32>((f32)sum[at / 2 % 2 * 4 + i]), from);
            if (lane / 8 == i) sums[at] = as<f32>(got);
        }
    }
"""
KERNEL = """
typedef _Float16 half16 __attribute__((ext_vector_type(16)));
typedef float float8 __attribute__((ext_vector_type(8)));
constexpr u32 N = @N@;
extern "C" __attribute__((global)) void k(f32 *c, const u32 *left, const u32 *right) {
    u32 place = __builtin_amdgcn_workitem_id_x(), a[4], b[2 * N];
    f32 sums[4 * N];
    for (u32 i = 0; i < 4; i++) a[i] = left[place * 4 + i];
    for (u32 i = 0; i < 4 * N; i++) sums[i] = c[place * 4 * N + i];
    for (u32 i = 0; i < 2 * N; i++) b[i] = right[place * 2 * N + i];
    @WAY@
    for (u32 i = 0; i < 4 * N; i++) c[place * 4 * N + i] = sums[i];
}
"""


def assembly(way: str, blocks: int) -> str:
    """blocks: of eight columns."""
    body = KERNEL.replace("@WAY@", way).replace("@N@", str(blocks))
    return compile_to_assembly(HipSource("\n".join([HEADER, select(words_of(body)), body]), "k")).text


def instructions(text: str) -> list[str]:
    return re.findall(r"^\s+((?:v|s|ds|global)_\w+)", text, re.M)


def result(text: str, blocks: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    random = np.random.default_rng(5)
    c = random.standard_normal((LANES, 4 * blocks)).astype(np.float32)
    sizes = (4, 2 * blocks)
    a, b = (random.standard_normal((LANES, 2 * words)).astype(np.float16).view(np.uint32) for words in sizes)
    here = device()
    function = here.load(toolchain.link(toolchain.assemble_object(text))).function("k")
    with here.buffer(c) as sums, here.buffer(a) as left, here.buffer(b) as right:
        addresses = np.array([sums.address, left.address, right.address], np.uint64)
        function.launch((1,), (LANES,), addresses.tobytes())
        here.synchronize()
        return sums.read().view(np.float32)


@pytest.mark.parametrize(("blocks", "exchanged"), [(1, [32, 56]), (2, [48, 96])], ids=["m16n8k16", "m16n16k16"])
def test_the_matrix_unit_would_take_more_instructions(blocks: int, exchanged: list[int]) -> None:
    fused, unit = assembly(FUSED, blocks), assembly(MATRIX_UNIT, blocks)
    assert sum(name.startswith("v_wmma") for name in instructions(unit)) == 1
    np.testing.assert_allclose(result(unit, blocks), result(fused, blocks), rtol=1e-5, atol=1e-5)
    assert [sum("permute" in name for name in instructions(text)) for text in (fused, unit)] == exchanged
    assert len(instructions(fused)) < len(instructions(unit))
