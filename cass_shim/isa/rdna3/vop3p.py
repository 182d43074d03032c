"""VOP3P: packed 16-bit, dot products, mixed-precision and matrix instructions.

Columns: opcode, name, destination, sources.
"""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "VOP3P",
    """
   0  v_pk_mad_i16               pk16   pk16 pk16 pk16
   1  v_pk_mul_lo_u16            pk16   pk16 pk16
   2  v_pk_add_i16               pk16   pk16 pk16
   3  v_pk_sub_i16               pk16   pk16 pk16
   4  v_pk_lshlrev_b16           pk16   pk16 pk16
   5  v_pk_lshrrev_b16           pk16   pk16 pk16
   6  v_pk_ashrrev_i16           pk16   pk16 pk16
   7  v_pk_max_i16               pk16   pk16 pk16
   8  v_pk_min_i16               pk16   pk16 pk16
   9  v_pk_mad_u16               pk16   pk16 pk16 pk16
  10  v_pk_add_u16               pk16   pk16 pk16
  11  v_pk_sub_u16               pk16   pk16 pk16
  12  v_pk_max_u16               pk16   pk16 pk16
  13  v_pk_min_u16               pk16   pk16 pk16
  14  v_pk_fma_f16               pkf16  pkf16 pkf16 pkf16
  15  v_pk_add_f16               pkf16  pkf16 pkf16
  16  v_pk_mul_f16               pkf16  pkf16 pkf16
  17  v_pk_min_f16               pkf16  pkf16 pkf16
  18  v_pk_max_f16               pkf16  pkf16 pkf16
  19  v_dot2_f32_f16             f32    pkf16 pkf16 f32
  22  v_dot4_i32_iu8             b32    b32 b32 b32
  23  v_dot4_u32_u8              b32    b32 b32 b32
  24  v_dot8_i32_iu4             b32    b32 b32 b32
  25  v_dot8_u32_u4              b32    b32 b32 b32
  26  v_dot2_f32_bf16            f32    pkbf16 pkbf16 f32
  32  v_fma_mix_f32              f32    b32 b32 b32
  33  v_fma_mixlo_f16            f16    b32 b32 b32
  34  v_fma_mixhi_f16            f16    b32 b32 b32
  64  v_wmma_f32_16x16x16_f16    wdc_f32 wab_f16 wab_f16 wdc_f32
  65  v_wmma_f32_16x16x16_bf16   wdc_f32 wab_bf16 wab_bf16 wdc_f32
  66  v_wmma_f16_16x16x16_f16    wdc_f16 wab_f16 wab_f16 wdc_f16
  67  v_wmma_bf16_16x16x16_bf16  wdc_bf16 wab_bf16 wab_bf16 wdc_bf16
  68  v_wmma_i32_16x16x16_iu8    wdc_i32 wab_iu8 wab_iu8 wdc_i32
  69  v_wmma_i32_16x16x16_iu4    wdc_i32 wab_iu4 wab_iu4 wdc_i32
""",
)
