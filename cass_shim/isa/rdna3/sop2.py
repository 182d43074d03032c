"""SOP2: scalar instructions with two sources. Columns: opcode, name, destination, sources (register types)."""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "SOP2",
    """
   0  s_add_u32                  b32    b32 b32
   1  s_sub_u32                  b32    b32 b32
   2  s_add_i32                  b32    b32 b32
   3  s_sub_i32                  b32    b32 b32
   4  s_addc_u32                 b32    b32 b32
   5  s_subb_u32                 b32    b32 b32
   6  s_absdiff_i32              b32    b32 b32
   8  s_lshl_b32                 b32    b32 b32
   9  s_lshl_b64                 b64    b64 b32
  10  s_lshr_b32                 b32    b32 b32
  11  s_lshr_b64                 b64    b64 b32
  12  s_ashr_i32                 b32    b32 b32
  13  s_ashr_i64                 b64    b64 b32
  14  s_lshl1_add_u32            b32    b32 b32
  15  s_lshl2_add_u32            b32    b32 b32
  16  s_lshl3_add_u32            b32    b32 b32
  17  s_lshl4_add_u32            b32    b32 b32
  18  s_min_i32                  b32    b32 b32
  19  s_min_u32                  b32    b32 b32
  20  s_max_i32                  b32    b32 b32
  21  s_max_u32                  b32    b32 b32
  22  s_and_b32                  b32    b32 b32
  23  s_and_b64                  b64    b64 b64
  24  s_or_b32                   b32    b32 b32
  25  s_or_b64                   b64    b64 b64
  26  s_xor_b32                  b32    b32 b32
  27  s_xor_b64                  b64    b64 b64
  28  s_nand_b32                 b32    b32 b32
  29  s_nand_b64                 b64    b64 b64
  30  s_nor_b32                  b32    b32 b32
  31  s_nor_b64                  b64    b64 b64
  32  s_xnor_b32                 b32    b32 b32
  33  s_xnor_b64                 b64    b64 b64
  34  s_and_not1_b32             b32    b32 b32
  35  s_and_not1_b64             b64    b64 b64
  36  s_or_not1_b32              b32    b32 b32
  37  s_or_not1_b64              b64    b64 b64
  38  s_bfe_u32                  b32    b32 b32
  39  s_bfe_i32                  b32    b32 b32
  40  s_bfe_u64                  b64    b64 b32
  41  s_bfe_i64                  b64    b64 b32
  42  s_bfm_b32                  b32    b32 b32
  43  s_bfm_b64                  b64    b32 b32
  44  s_mul_i32                  b32    b32 b32
  45  s_mul_hi_u32               b32    b32 b32
  46  s_mul_hi_i32               b32    b32 b32
  48  s_cselect_b32              b32    b32 b32
  49  s_cselect_b64              b64    b64 b64
  50  s_pack_ll_b32_b16          b32    b16 b16
  51  s_pack_lh_b32_b16          b32    b16 b32
  52  s_pack_hh_b32_b16          b32    b32 b32
  53  s_pack_hl_b32_b16          b32    b32 b16
""",
)
