"""VOPD: halves of dual-issue instructions; each runs the body of the named single instruction.

Columns: opcode, name, destination, sources.
"""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "VOPD",
    """
   0  v_dual_fmac_f32            f32    f32 f32 f32 =v_fma_f32
   1  v_dual_fmaak_f32           f32    f32 f32 f32 =v_fma_f32
   2  v_dual_fmamk_f32           f32    f32 f32 f32 =v_fma_f32
   3  v_dual_mul_f32             f32    f32 f32 =v_mul_f32
   4  v_dual_add_f32             f32    f32 f32 =v_add_f32
   5  v_dual_sub_f32             f32    f32 f32 =v_sub_f32
   6  v_dual_subrev_f32          f32    f32 f32 =v_subrev_f32
   7  v_dual_mul_dx9_zero_f32    f32    f32 f32 =v_mul_dx9_zero_f32
   8  v_dual_mov_b32             b32    b32 =v_mov_b32
   9  v_dual_cndmask_b32         f32    f32 f32 m =v_cndmask_b32
  10  v_dual_max_f32             f32    f32 f32 =v_max_f32
  11  v_dual_min_f32             f32    f32 f32 =v_min_f32
  12  v_dual_dot2acc_f32_f16     f32    pkf16 pkf16 f32 =v_dot2_f32_f16
  13  v_dual_dot2acc_f32_bf16    f32    pkbf16 pkbf16 f32 =v_dot2_f32_bf16
  16  v_dual_add_nc_u32          b32    b32 b32 =v_add_nc_u32
  17  v_dual_lshlrev_b32         b32    b32 b32 =v_lshlrev_b32
  18  v_dual_and_b32             b32    b32 b32 =v_and_b32
""",
)
