"""Hazards that the hardware does not resolve: what must pass, and what is refused by name."""

from __future__ import annotations

import pytest

from cass_shim.model.errors import Rejected
from cass_shim.verify.contract import check_contract
from tests.verify.test_contract import ABI, build

RCP, ADD, MOVE = "v_rcp_f32 v1, v2\n", "v_add_f32 v3, v1, v1", "v_mov_b32 v9, v8\n"
WMMA = "v_wmma_f32_16x16x16_f16 v[24:31], v[8:15], v[16:23], v[24:31]\n"
AS_A = "v_wmma_f32_16x16x16_f16 v[40:47], v[24:31], v[16:23], v[40:47]"
PERMUTE = "v_permlane16_b32 v3, v4, s5, s6"
GOOD = {
    "waited for": RCP + "s_waitcnt_depctr 0xfff\n" + ADD,
    "six instructions between": RCP + 6 * MOVE + ADD,
    "two transcendental ones between": RCP + "v_exp_f32 v4, v5\nv_exp_f32 v6, v5\n" + ADD,
    "behind a store of something else": RCP + "global_store_b32 v[4:5], v6, off\n" + ADD,
    "behind an access of LDS": RCP + "ds_store_b32 v4, v6\n" + ADD,
    "on each of two paths": (
        f"{RCP}s_cbranch_scc0 other\n{4 * MOVE}s_branch met\nother:\nv_exp_f32 v4, v5\n"
        f"met:\n{MOVE}v_exp_f32 v6, v5\n{ADD}"
    ),
    "only written": RCP + "v_mov_b32 v1, v4",
    "stored": RCP + "global_store_b32 v[4:5], v1, off",
    "a matrix that is added to": WMMA + WMMA,
    "a matrix with an instruction between": WMMA + "v_nop\n" + AS_A,
    "permuted a while behind a comparison": "v_cmpx_lt_i32 v1, v2\n" + MOVE + PERMUTE,
    "permuted behind a comparison into VCC": "v_cmp_lt_i32 vcc_lo, v1, v2\n" + PERMUTE,
    "a product that is added to": "v_mad_u64_u32 v[2:3], null, v5, v4, v[2:3]",
    "registers given back": "s_nop 0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)",
}
BAD = {
    "at once": (RCP + ADD, "v_add_f32 at 0x4 reads v1 too soon behind .* 0x0"),
    "five instructions between": (RCP + 5 * MOVE + ADD, "reads v1 too soon"),
    "one transcendental one between": (RCP + "v_exp_f32 v4, v5\n" + ADD, "reads v1 too soon"),
    "on one of two paths": (
        f"{RCP}s_cbranch_scc0 other\n{4 * MOVE}s_branch met\nother:\nv_exp_f32 v4, v5\nmet:\n{MOVE}{ADD}",
        "reads v1 too soon",
    ),
    "overwritten meanwhile": (RCP + "v_mov_b32 v1, v2\n" + ADD, "reads v1 too soon"),
    "added to": (RCP + "v_fmac_f32 v1, v3, v4", "v_fmac_f32 at 0x4 reads v1"),
    "another wait": (RCP + "s_waitcnt_depctr 0xffe3\n" + ADD, "reads v1 too soon"),
    "dual issue": (RCP + "v_dual_mov_b32 v4, v6 :: v_dual_mov_b32 v7, v1", "reads v1 too soon"),
    "round a loop": (f"again:\n{ADD}\n{RCP}s_cbranch_scc0 again", "at 0x0 reads v1"),
    "halves": ("v_sqrt_f16 v1.h, v2.l\nv_add_f16 v3.l, v1.l, v1.l", "reads v1 too soon"),
    "doubles": ("v_rcp_f64 v[4:5], v[2:3]\nv_mov_b32 v1, v5", "reads v5 too soon"),
    "a matrix right behind another": (WMMA + AS_A, "takes the result of the matrix product"),
    "permuted right behind a comparison": ("v_cmpx_lt_i32 v1, v2\n" + PERMUTE, "behind v_cmpx"),
    "a product over its factor": ("v_mad_u64_u32 v[2:3], null, v3, v4, v[8:9]", "writes a register that it multiplies"),
    "registers given back at once": ("s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)", "without an s_nop"),
}


@pytest.mark.parametrize("name", GOOD)
def test_what_hardware_resolves_passes(name: str) -> None:
    check_contract(build(GOOD[name] + "\ns_endpgm"), ABI)


@pytest.mark.parametrize("name", BAD)
def test_a_hazard_is_refused(name: str) -> None:
    body, reason = BAD[name]
    with pytest.raises(Rejected, match=reason):
        check_contract(build(body + "\ns_endpgm"), ABI)
