"""SOP1: scalar instructions with one source. Columns: opcode, name, destination, sources (register types)."""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "SOP1",
    """
   0  s_mov_b32                  b32    b32
   1  s_mov_b64                  b64    b64
   2  s_cmov_b32                 b32    b32
   3  s_cmov_b64                 b64    b64
   4  s_brev_b32                 b32    b32
   5  s_brev_b64                 b64    b64
   8  s_ctz_i32_b32              b32    b32
   9  s_ctz_i32_b64              b32    b64
  10  s_clz_i32_u32              b32    b32
  11  s_clz_i32_u64              b32    b64
  12  s_cls_i32                  b32    b32
  13  s_cls_i32_i64              b32    b64
  14  s_sext_i32_i8              b32    b16
  15  s_sext_i32_i16             b32    b16
  16  s_bitset0_b32              b32    b32
  17  s_bitset0_b64              b64    b32
  18  s_bitset1_b32              b32    b32
  19  s_bitset1_b64              b64    b32
  20  s_bitreplicate_b64_b32     b64    b32
  21  s_abs_i32                  b32    b32
  22  s_bcnt0_i32_b32            b32    b32
  23  s_bcnt0_i32_b64            b32    b64
  24  s_bcnt1_i32_b32            b32    b32
  25  s_bcnt1_i32_b64            b32    b64
  26  s_quadmask_b32             b32    b32
  27  s_quadmask_b64             b64    b64
  28  s_wqm_b32                  b32    b32
  29  s_wqm_b64                  b64    b64
  30  s_not_b32                  b32    b32
  31  s_not_b64                  b64    b64
  32  s_and_saveexec_b32         b32    b32
  33  s_and_saveexec_b64         b64    b64
  34  s_or_saveexec_b32          b32    b32
  35  s_or_saveexec_b64          b64    b64
  36  s_xor_saveexec_b32         b32    b32
  37  s_xor_saveexec_b64         b64    b64
  38  s_nand_saveexec_b32        b32    b32
  39  s_nand_saveexec_b64        b64    b64
  40  s_nor_saveexec_b32         b32    b32
  41  s_nor_saveexec_b64         b64    b64
  42  s_xnor_saveexec_b32        b32    b32
  43  s_xnor_saveexec_b64        b64    b64
  44  s_and_not0_saveexec_b32    b32    b32
  45  s_and_not0_saveexec_b64    b64    b64
  46  s_or_not0_saveexec_b32     b32    b32
  47  s_or_not0_saveexec_b64     b64    b64
  48  s_and_not1_saveexec_b32    b32    b32
  49  s_and_not1_saveexec_b64    b64    b64
  50  s_or_not1_saveexec_b32     b32    b32
  51  s_or_not1_saveexec_b64     b64    b64
  52  s_and_not0_wrexec_b32      b32    b32
  53  s_and_not0_wrexec_b64      b64    b64
  54  s_and_not1_wrexec_b32      b32    b32
  55  s_and_not1_wrexec_b64      b64    b64
  64  s_movrels_b32              b32    b32
  65  s_movrels_b64              b64    b64
  66  s_movreld_b32              b32    b32
  67  s_movreld_b64              b64    b64
  68  s_movrelsd_2_b32           b32    b32
  71  s_getpc_b64                b64
  72  s_setpc_b64                -      b64
  73  s_swappc_b64               b64    b64
  74  s_rfe_b64                  -      b64
  76  s_sendmsg_rtn_b32          b32    b32
  77  s_sendmsg_rtn_b64          b64    b32
""",
)
