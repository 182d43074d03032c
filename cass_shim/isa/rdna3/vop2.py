"""VOP2: vector instructions with two sources; as VOP3 the opcode is 0x100 higher.

Columns: opcode, name, destination, sources (accumulators listed last).
"""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "VOP2",
    """
   1  v_cndmask_b32              f32    f32 f32 m
   2  v_dot2acc_f32_f16          f32    pkf16 pkf16 f32 =v_dot2_f32_f16
   3  v_add_f32                  f32    f32 f32
   4  v_sub_f32                  f32    f32 f32
   5  v_subrev_f32               f32    f32 f32
   6  v_fmac_dx9_zero_f32        f32    f32 f32 f32 =v_fma_dx9_zero_f32
   7  v_mul_dx9_zero_f32         f32    f32 f32
   8  v_mul_f32                  f32    f32 f32
   9  v_mul_i32_i24              b32    b32 b32
  10  v_mul_hi_i32_i24           b32    b32 b32
  11  v_mul_u32_u24              b32    b32 b32
  12  v_mul_hi_u32_u24           b32    b32 b32
  15  v_min_f32                  f32    f32 f32
  16  v_max_f32                  f32    f32 f32
  17  v_min_i32                  b32    b32 b32
  18  v_max_i32                  b32    b32 b32
  19  v_min_u32                  b32    b32 b32
  20  v_max_u32                  b32    b32 b32
  24  v_lshlrev_b32              b32    b32 b32
  25  v_lshrrev_b32              b32    b32 b32
  26  v_ashrrev_i32              b32    b32 b32
  27  v_and_b32                  b32    b32 b32
  28  v_or_b32                   b32    b32 b32
  29  v_xor_b32                  b32    b32 b32
  30  v_xnor_b32                 b32    b32 b32
  32  v_add_co_ci_u32            b32    b32 b32 m
  33  v_sub_co_ci_u32            b32    b32 b32 m
  34  v_subrev_co_ci_u32         b32    b32 b32 m
  37  v_add_nc_u32               b32    b32 b32
  38  v_sub_nc_u32               b32    b32 b32
  39  v_subrev_nc_u32            b32    b32 b32
  43  v_fmac_f32                 f32    f32 f32 f32 =v_fma_f32
  44  v_fmamk_f32                f32    f32 f32 f32 =v_fma_f32
  45  v_fmaak_f32                f32    f32 f32 f32 =v_fma_f32
  47  v_cvt_pk_rtz_f16_f32       pkf16  f32 f32
  50  v_add_f16                  f16    f16 f16
  51  v_sub_f16                  f16    f16 f16
  52  v_subrev_f16               f16    f16 f16
  53  v_mul_f16                  f16    f16 f16
  54  v_fmac_f16                 f16    f16 f16 f16 =v_fma_f16
  55  v_fmamk_f16                f16    f16 f16 f16 =v_fma_f16
  56  v_fmaak_f16                f16    f16 f16 f16 =v_fma_f16
  57  v_max_f16                  f16    f16 f16
  58  v_min_f16                  f16    f16 f16
  59  v_ldexp_f16                f16    f16 b16
  60  v_pk_fmac_f16              pkf16  pkf16 pkf16 pkf16 =v_pk_fma_f16
""",
)
