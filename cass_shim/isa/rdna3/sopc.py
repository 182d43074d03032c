"""SOPC: scalar comparisons into SCC. Columns: opcode, name, destination (none), sources."""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "SOPC",
    """
   0  s_cmp_eq_i32               -      b32 b32
   1  s_cmp_lg_i32               -      b32 b32
   2  s_cmp_gt_i32               -      b32 b32
   3  s_cmp_ge_i32               -      b32 b32
   4  s_cmp_lt_i32               -      b32 b32
   5  s_cmp_le_i32               -      b32 b32
   6  s_cmp_eq_u32               -      b32 b32
   7  s_cmp_lg_u32               -      b32 b32
   8  s_cmp_gt_u32               -      b32 b32
   9  s_cmp_ge_u32               -      b32 b32
  10  s_cmp_lt_u32               -      b32 b32
  11  s_cmp_le_u32               -      b32 b32
  12  s_bitcmp0_b32              -      b32 b32
  13  s_bitcmp1_b32              -      b32 b32
  14  s_bitcmp0_b64              -      b64 b32
  15  s_bitcmp1_b64              -      b64 b32
  16  s_cmp_eq_u64               -      b64 b64
  17  s_cmp_lg_u64               -      b64 b64
""",
)
