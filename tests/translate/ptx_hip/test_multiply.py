"""m8n8k4 and sparse mma against matrices built by the fragment layouts of the PTX manual (§9.7.14.5.1, §9.7.14.6)."""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from cass_shim.model.artifacts import PtxModule
from tests.translate.ptx_hip.emulated import build, device
from tools.ptxforms.probes import Probe, module

Words = NDArray[np.uint32]
LANES = 32


def run(text: str, sources: list[Words], results: int) -> Words:
    """The instruction `text`: register %b32_k holds sources[k] of each lane; results are %b32_60 on."""
    loads = [f"ld.global.b32 %b32_{k}, [%at_in+{4 * k}];" for k in range(len(sources))]
    stores = [f"st.global.b32 [%at_out+{4 * k}], %b32_{60 + k};" for k in range(results)]
    code = build(PtxModule(module([Probe("one", (*loads, text, *stores))]), 90), ["p0"])
    given = np.zeros((LANES, 20), np.uint32)
    given[:, : len(sources)] = np.stack(sources, axis=1)
    with device().buffer(given) as source, device().buffer(np.zeros((LANES, 8), np.uint32)) as target:
        kernarg = struct.pack("<QQQ8x", source.address, target.address, 0) + bytes(64 + 8)
        code.function("p0").launch((1,), (LANES,), kernarg)
        device().synchronize()
        return np.asarray(target.read())[:, :results]


def halves(low: NDArray[np.float16], high: NDArray[np.float16]) -> Words:
    pair = np.stack([low, high], axis=-1).astype(np.float16)
    return np.ascontiguousarray(pair).view(np.uint32)[..., 0]


def test_quad_pairs_multiply_8_by_4_with_4_by_8() -> None:
    generator = np.random.default_rng(1)
    a = generator.integers(-4, 5, (4, 8, 4)).astype(np.float16)  # quad pair, row, k
    b = generator.integers(-4, 5, (4, 4, 8)).astype(np.float16)  # quad pair, k, column
    lanes = np.arange(LANES)
    pair, row = lanes // 4 % 4, lanes % 4 + lanes // 16 * 4
    a_words = [halves(a[pair, row, 2 * k], a[pair, row, 2 * k + 1]) for k in range(2)]
    b_words = [halves(b[pair, 2 * k, row], b[pair, 2 * k + 1, row]) for k in range(2)]
    zero = np.zeros(LANES, np.uint32)
    d = "{%b32_60, %b32_61, %b32_62, %b32_63}"
    c = "{%b32_4, %b32_4, %b32_4, %b32_4}"
    text = f"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {d}, {{%b32_0, %b32_1}}, {{%b32_2, %b32_3}}, {c};"
    got = np.ascontiguousarray(run(text, [*a_words, *b_words, zero], 4)).view(np.float16).reshape(LANES, 8)
    want = (a.astype(np.float32) @ b.astype(np.float32))[pair, row]
    assert np.array_equal(got.astype(np.float32), want)


def test_sparse_rows_keep_two_of_four() -> None:
    generator = np.random.default_rng(2)
    dense = generator.integers(-4, 5, (16, 16)).astype(np.float16)
    stored, metadata = np.zeros((16, 8), np.float16), np.zeros(16, np.uint32)
    for row in range(16):
        for group in range(4):
            kept = sorted(generator.choice(4, 2, replace=False))
            dense[row, [4 * group + k for k in range(4) if k not in kept]] = 0
            stored[row, 2 * group : 2 * group + 2] = dense[row, [4 * group + k for k in kept]]
            metadata[row] |= np.uint32((int(kept[0]) | int(kept[1]) << 2) << (4 * group))
    b = generator.integers(-4, 5, (16, 8)).astype(np.float16)
    lanes = np.arange(LANES)
    quad, within = lanes // 4, lanes % 4
    a_words = [halves(stored[quad + 8 * half, 2 * within], stored[quad + 8 * half, 2 * within + 1]) for half in (0, 1)]
    b_words = [halves(b[2 * within + 8 * k, quad], b[2 * within + 8 * k + 1, quad]) for k in (0, 1)]
    told = metadata[quad] | metadata[quad + 8] << np.uint32(16)
    told = np.where(within == 1, told, 0xFFFFFFFF).astype(np.uint32)  # selector 1: the second lane of a quad tells
    zero = np.zeros(LANES, np.uint32)
    c = "{%f32_5, %f32_5, %f32_5, %f32_5}"
    head = "mov.b32 %f32_5, %b32_5; mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
    d = "{%f32_60, %f32_61, %f32_62, %f32_63}"
    moved = " ".join(f"mov.b32 %b32_{60 + k}, %f32_{60 + k};" for k in range(4))
    text = f"{head} {d}, {{%b32_0, %b32_1}}, {{%b32_2, %b32_3}}, {c}, %b32_4, 1; {moved}"
    got = np.ascontiguousarray(run(text, [*a_words, *b_words, told, zero], 4)).view(np.float32)
    want = dense.astype(np.float32) @ b.astype(np.float32)
    for k in range(4):
        assert np.array_equal(got[:, k], want[quad + k // 2 * 8, 2 * within + k % 2])
