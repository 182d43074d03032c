"""VOPC: vector comparisons; as VOP3 the opcode is the same.

v_cmpx_* (opcode 0x80 higher) is the same body writing EXEC. Columns: opcode, name, destination mask, sources.
"""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "VOPC",
    """
   0  v_cmp_f_f16                m      f16 f16
   1  v_cmp_lt_f16               m      f16 f16
   2  v_cmp_eq_f16               m      f16 f16
   3  v_cmp_le_f16               m      f16 f16
   4  v_cmp_gt_f16               m      f16 f16
   5  v_cmp_lg_f16               m      f16 f16
   6  v_cmp_ge_f16               m      f16 f16
   7  v_cmp_o_f16                m      f16 f16
   8  v_cmp_u_f16                m      f16 f16
   9  v_cmp_nge_f16              m      f16 f16
  10  v_cmp_nlg_f16              m      f16 f16
  11  v_cmp_ngt_f16              m      f16 f16
  12  v_cmp_nle_f16              m      f16 f16
  13  v_cmp_neq_f16              m      f16 f16
  14  v_cmp_nlt_f16              m      f16 f16
  15  v_cmp_t_f16                m      f16 f16
  16  v_cmp_f_f32                m      f32 f32
  17  v_cmp_lt_f32               m      f32 f32
  18  v_cmp_eq_f32               m      f32 f32
  19  v_cmp_le_f32               m      f32 f32
  20  v_cmp_gt_f32               m      f32 f32
  21  v_cmp_lg_f32               m      f32 f32
  22  v_cmp_ge_f32               m      f32 f32
  23  v_cmp_o_f32                m      f32 f32
  24  v_cmp_u_f32                m      f32 f32
  25  v_cmp_nge_f32              m      f32 f32
  26  v_cmp_nlg_f32              m      f32 f32
  27  v_cmp_ngt_f32              m      f32 f32
  28  v_cmp_nle_f32              m      f32 f32
  29  v_cmp_neq_f32              m      f32 f32
  30  v_cmp_nlt_f32              m      f32 f32
  31  v_cmp_t_f32                m      f32 f32
  32  v_cmp_f_f64                m      f64 f64
  33  v_cmp_lt_f64               m      f64 f64
  34  v_cmp_eq_f64               m      f64 f64
  35  v_cmp_le_f64               m      f64 f64
  36  v_cmp_gt_f64               m      f64 f64
  37  v_cmp_lg_f64               m      f64 f64
  38  v_cmp_ge_f64               m      f64 f64
  39  v_cmp_o_f64                m      f64 f64
  40  v_cmp_u_f64                m      f64 f64
  41  v_cmp_nge_f64              m      f64 f64
  42  v_cmp_nlg_f64              m      f64 f64
  43  v_cmp_ngt_f64              m      f64 f64
  44  v_cmp_nle_f64              m      f64 f64
  45  v_cmp_neq_f64              m      f64 f64
  46  v_cmp_nlt_f64              m      f64 f64
  47  v_cmp_t_f64                m      f64 f64
  49  v_cmp_lt_i16               m      b16 b16
  50  v_cmp_eq_i16               m      b16 b16
  51  v_cmp_le_i16               m      b16 b16
  52  v_cmp_gt_i16               m      b16 b16
  53  v_cmp_ne_i16               m      b16 b16
  54  v_cmp_ge_i16               m      b16 b16
  57  v_cmp_lt_u16               m      b16 b16
  58  v_cmp_eq_u16               m      b16 b16
  59  v_cmp_le_u16               m      b16 b16
  60  v_cmp_gt_u16               m      b16 b16
  61  v_cmp_ne_u16               m      b16 b16
  62  v_cmp_ge_u16               m      b16 b16
  64  v_cmp_f_i32                m      b32 b32
  65  v_cmp_lt_i32               m      b32 b32
  66  v_cmp_eq_i32               m      b32 b32
  67  v_cmp_le_i32               m      b32 b32
  68  v_cmp_gt_i32               m      b32 b32
  69  v_cmp_ne_i32               m      b32 b32
  70  v_cmp_ge_i32               m      b32 b32
  71  v_cmp_t_i32                m      b32 b32
  72  v_cmp_f_u32                m      b32 b32
  73  v_cmp_lt_u32               m      b32 b32
  74  v_cmp_eq_u32               m      b32 b32
  75  v_cmp_le_u32               m      b32 b32
  76  v_cmp_gt_u32               m      b32 b32
  77  v_cmp_ne_u32               m      b32 b32
  78  v_cmp_ge_u32               m      b32 b32
  79  v_cmp_t_u32                m      b32 b32
  80  v_cmp_f_i64                m      b64 b64
  81  v_cmp_lt_i64               m      b64 b64
  82  v_cmp_eq_i64               m      b64 b64
  83  v_cmp_le_i64               m      b64 b64
  84  v_cmp_gt_i64               m      b64 b64
  85  v_cmp_ne_i64               m      b64 b64
  86  v_cmp_ge_i64               m      b64 b64
  87  v_cmp_t_i64                m      b64 b64
  88  v_cmp_f_u64                m      b64 b64
  89  v_cmp_lt_u64               m      b64 b64
  90  v_cmp_eq_u64               m      b64 b64
  91  v_cmp_le_u64               m      b64 b64
  92  v_cmp_gt_u64               m      b64 b64
  93  v_cmp_ne_u64               m      b64 b64
  94  v_cmp_ge_u64               m      b64 b64
  95  v_cmp_t_u64                m      b64 b64
 125  v_cmp_class_f16            m      f16 b16
 126  v_cmp_class_f32            m      f32 b32
 127  v_cmp_class_f64            m      f64 b32
""",
)
