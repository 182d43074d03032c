"""Contract checks: limits, layout, privileged code and branches, on objects made by our own toolchain."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cass_shim.assemble.text import assemble_text
from cass_shim.model.artifacts import AmdgcnAsm, CodeObject
from cass_shim.model.errors import CassError, Rejected
from cass_shim.model.kernel_abi import KernelAbi, Param
from cass_shim.verify.contract import check_contract
from cass_shim.verify.gfx11 import walk

ABI = KernelAbi((Param(0, 0, 8),), 0x160, 8, 16)


def source(body: str, *, lds: int = 0, wave32: int = 1, kernarg: int = 16, user: int = 15) -> str:
    return f"""
.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
.amdhsa_code_object_version 5
.text
.globl k
.p2align 8
.type k,@function
k:
{body}
.size k, .-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
  .amdhsa_wavefront_size32 {wave32}
  .amdhsa_group_segment_fixed_size {lds}
  .amdhsa_kernarg_size {kernarg}
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_user_sgpr_count {user}
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: {kernarg}
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: 0
    .wavefront_size: {32 if wave32 else 64}
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 1024
    .args:
      - {{.offset: 0, .size: 8, .value_kind: by_value}}
      - {{.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}}
...
.end_amdgpu_metadata
"""


def build(body: str, **options: int) -> CodeObject:
    try:
        code = assemble_text(AmdgcnAsm(source(body, **options), "k"), ABI)
    except CassError as error:
        pytest.skip(f"the toolchain refuses it first: {error}")
    return replace(code, bindings_offset=8)


def test_a_plain_kernel_passes() -> None:
    facts = check_contract(build("s_waitcnt 0\ns_endpgm"), ABI)
    assert facts["instructions"] == 2


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("s_sethalt 1\ns_endpgm", "privileged"),
        ("s_setkill 1\ns_endpgm", "privileged"),
        ("s_subvector_loop_begin s8, 0x40\ns_endpgm", "privileged"),
        ("ds_gws_barrier v0 gds\ns_endpgm", "privileged"),
        ("s_trap 3\ns_endpgm", "s_trap 3"),
        ("s_sendmsg 1\ns_endpgm", "s_sendmsg 1"),
        ("s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0\ns_endpgm", "hardware register"),
        ("s_branch 100\ns_endpgm", "outside the kernel"),
        (".long 0xffffffff\ns_endpgm", "not an instruction"),
    ],
)
def test_code_that_may_not_run_is_refused(body: str, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        check_contract(build(body), ABI)


def test_the_abort_sequence_behind_a_trap_is_allowed() -> None:
    check_contract(build("s_trap 2\ns_sendmsg_rtn_b32 s0, 128\ns_waitcnt 0\ns_sendmsg 1\ns_sethalt 5\ns_endpgm"), ABI)


def test_a_branch_into_the_middle_of_an_instruction_is_refused() -> None:
    with pytest.raises(Rejected, match="outside the kernel"):
        check_contract(build("s_branch 1\ns_mov_b32 s0, 0x12345678\ns_endpgm"), ABI)


def test_layout_and_limits() -> None:
    code = build("s_endpgm")
    with pytest.raises(Rejected, match="binding"):
        check_contract(code, replace(ABI, params_bytes=16))
    with pytest.raises(Rejected, match="LDS"):
        check_contract(build("s_endpgm", lds=70_000), ABI)
    with pytest.raises(Rejected, match="asks for 15 initial scalar registers, of which gfx1100 needs 16"):
        check_contract(build("s_endpgm", user=14), ABI)


def test_instruction_lengths_agree_with_the_assembler() -> None:
    """Every encoding family with and without literals: the walk must end exactly at the end."""
    body = """
      s_mov_b32 s0, 0x12345678
      s_add_u32 s0, s1, 0x12345678
      s_cmp_eq_u32 s0, 0x12345678
      s_movk_i32 s0, 5
      s_load_b64 s[0:1], s[0:1], 0x10
      v_mov_b32 v0, 0x12345678
      v_add_f32 v0, v1, v2
      v_add_f32 v0, 0x12345678, v2
      v_fmaak_f32 v0, v1, v2, 0x12345678
      v_cmp_lt_i32 vcc_lo, v1, v2
      v_fma_f32 v0, v1, v2, v3
      v_fma_f32 v0, v1, v2, 0x12345678
      v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
      v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0]
      v_pk_fma_f16 v0, v1, v2, v3
      v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v5, v2
      v_dual_fmamk_f32 v0, v1, 0x12345678, v2 :: v_dual_mov_b32 v5, v3
      ds_load_b32 v6, v1 offset:4
      global_load_b128 v[0:3], v[4:5], off
      scratch_load_b32 v0, off, off offset:4
      buffer_load_b32 v0, v5, s[4:7], 0 offen
      s_endpgm"""
    code = build(body)
    facts = check_contract(code, ABI)
    assert facts["instructions"] == len([line for line in body.splitlines() if line.strip()])
    with pytest.raises(Rejected, match="cut off"):
        walk(bytes.fromhex("ff0080be"), "k")
