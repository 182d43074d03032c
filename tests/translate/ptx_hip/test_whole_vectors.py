"""Ordered accesses of vectors are one instruction, as in ptxas's code: CUB's tiles hold a value and a flag beside it.

Two instructions saw the flag of a tile without its value where blocks ran side by side (11 of 40 runs).
"""

from __future__ import annotations

import re

import pytest

from cass_shim.assemble.hip import compile_to_assembly
from cass_shim.model.artifacts import PtxModule
from cass_shim.translate.ptx_hip import translate_kernel

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 words)
{{
    .reg .b64 %rd<4>; .reg .b32 %r<5>; .shared .align 16 .b8 tile[16];
    ld.param.u64 %rd0, [words]; {body}
    ret;
}}
"""
QUAD = "{%r1,%r2,%r3,%r4}"
CASES = [
    ("ld.relaxed.gpu.v2.u64 {%rd1,%rd2}, [%rd0]; st.global.v2.u64 [%rd0+16], {%rd1,%rd2};", "flat_load_b128"),
    (f"ld.volatile.global.v4.u32 {QUAD}, [%rd0]; st.global.v4.u32 [%rd0+16], {QUAD};", "global_load_b128"),
    ("ld.acquire.gpu.global.v2.u32 {%r1,%r2}, [%rd0]; st.global.v2.u32 [%rd0+16], {%r1,%r2};", "global_load_b64"),
    (f"ld.volatile.shared.v4.u32 {QUAD}, [tile]; st.global.v4.u32 [%rd0+16], {QUAD};", "ds_load_b128"),
    ("ld.global.u64 %rd1, [%rd0]; st.relaxed.gpu.v2.u64 [%rd0+16], {%rd1,%rd1};", "flat_store_b128"),
    ("ld.global.u32 %r1, [%rd0]; st.release.gpu.global.v2.u32 [%rd0+16], {%r1,%r1};", "global_store_b64"),
    (f"ld.global.v4.u32 {QUAD}, [%rd0]; st.volatile.shared.v4.u32 [tile], {QUAD};", "ds_store_b128"),
]


@pytest.mark.parametrize(("body", "instruction"), CASES)
def test_one_instruction(body: str, instruction: str) -> None:
    source = translate_kernel(PtxModule(KERNEL.format(body=body), 80), "k")
    code = compile_to_assembly(source).text
    assert re.findall(rf"\b{instruction.partition('_b')[0]}_\w+", code) == [instruction]


@pytest.mark.parametrize(
    ("body", "order"),
    [
        (
            "ld.acquire.gpu.v2.u64 {%rd1,%rd2}, [%rd0]; st.global.u64 [%rd0+16], %rd1;",
            r"flat_load_b128.*s_waitcnt vmcnt.*buffer_gl0_inv.*global_store_b64",
        ),
        (
            "st.global.u64 [%rd0+32], %rd0; st.release.gpu.v2.u64 [%rd0+16], {%rd0,%rd0};",
            r"global_store_b64.*s_waitcnt_vscnt null, 0x0.*flat_store_b128",
        ),
    ],
)
def test_wide_ones_keep_their_order(body: str, order: str) -> None:
    """An acquire empties the caches behind the load, a release waits for what came before the store."""
    source = translate_kernel(PtxModule(KERNEL.format(body=body), 80), "k")
    assert re.search(order, compile_to_assembly(source).text, re.DOTALL)
