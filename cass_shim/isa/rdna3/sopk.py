"""SOPK: scalar instructions with a 16-bit immediate. Columns: opcode, name, destination."""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "SOPK",
    """
   0  s_movk_i32                 b32 =s_mov_b32
   1  s_version                  - =s_nop
   2  s_cmovk_i32                b32 =s_cmov_b32
   3  s_cmpk_eq_i32              b32 =s_cmp_eq_i32
   4  s_cmpk_lg_i32              b32 =s_cmp_lg_i32
   5  s_cmpk_gt_i32              b32 =s_cmp_gt_i32
   6  s_cmpk_ge_i32              b32 =s_cmp_ge_i32
   7  s_cmpk_lt_i32              b32 =s_cmp_lt_i32
   8  s_cmpk_le_i32              b32 =s_cmp_le_i32
   9  s_cmpk_eq_u32              b32 =s_cmp_eq_u32
  10  s_cmpk_lg_u32              b32 =s_cmp_lg_u32
  11  s_cmpk_gt_u32              b32 =s_cmp_gt_u32
  12  s_cmpk_ge_u32              b32 =s_cmp_ge_u32
  13  s_cmpk_lt_u32              b32 =s_cmp_lt_u32
  14  s_cmpk_le_u32              b32 =s_cmp_le_u32
  15  s_addk_i32                 b32 =s_add_i32
  16  s_mulk_i32                 b32 =s_mul_i32
  17  s_getreg_b32               b32
  18  s_setreg_b32               b32
  19  s_setreg_imm32_b32         - =s_setreg_b32
  20  s_call_b64                 b64
  22  s_subvector_loop_begin     b32 !
  23  s_subvector_loop_end       b32 !
  24  s_waitcnt_vscnt            b32 =s_nop
  25  s_waitcnt_vmcnt            b32 =s_nop
  26  s_waitcnt_expcnt           b32 =s_nop
  27  s_waitcnt_lgkmcnt          b32 =s_nop
""",
)
