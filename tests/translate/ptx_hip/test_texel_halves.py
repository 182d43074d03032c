"""Filtered texels as halves: in the middle between two the one farther from 0, as an H100 gave them."""

from __future__ import annotations

import struct

import numpy as np

from cass_shim.assemble import toolchain
from cass_shim.assemble.hip import compile_to_assembly
from cass_shim.isa.ptx.prelude import HEADER, select, words_of
from cass_shim.model.artifacts import HipSource
from tests.translate.ptx_hip.emulated import device

KERNEL = """extern "C" __attribute__((global)) void k(const f32 *in, u32 *out) {
    u32 lane = __builtin_amdgcn_workitem_id_x();
    out[lane] = ptx_texel_halves(in[2 * lane], in[2 * lane + 1]);
}
"""


def test_a_middle_goes_away_from_zero_and_all_else_to_the_nearest() -> None:
    halves = np.array([1.5439453, 1.544922, 0.0999, -3.25, 2.0**-24, 0.0, 65472.0, 5.96e-8], np.float16)
    after = (halves.view(np.uint16) + 1).view(np.float16)
    low, high = halves.astype(np.float32), after.astype(np.float32)
    middle = (low + high) / 2
    below, above = np.nextafter(middle, low), np.nextafter(middle, high)
    given = np.concatenate([middle, below, above, low, [np.float32(1e6), np.float32(np.inf)]]).astype(np.float32)
    want = np.concatenate([after, halves, after, halves, np.array([np.inf, np.inf], np.float16)])
    text = "\n".join([HEADER, select(words_of(KERNEL)), "", KERNEL])
    code = toolchain.link(toolchain.assemble_object(compile_to_assembly(HipSource(text, "k")).text))
    count = len(given) // 2
    with device().buffer(given) as source, device().buffer(np.zeros(count, np.uint32)) as target:
        device().load(code).function("k").launch((1,), (count,), struct.pack("<QQ", source.address, target.address))
        device().synchronize()
        found = target.read().view(np.float16)
    assert found.tolist() == want.tolist()
