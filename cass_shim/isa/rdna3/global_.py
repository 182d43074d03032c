"""GLOBAL: device memory. Columns: opcode, name."""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "GLOBAL",
    """
  16  global_load_u8
  17  global_load_i8
  18  global_load_u16
  19  global_load_i16
  20  global_load_b32
  21  global_load_b64
  22  global_load_b96
  23  global_load_b128
  24  global_store_b8
  25  global_store_b16
  26  global_store_b32
  27  global_store_b64
  28  global_store_b96
  29  global_store_b128
  30  global_load_d16_u8
  31  global_load_d16_i8
  32  global_load_d16_b16
  33  global_load_d16_hi_u8
  34  global_load_d16_hi_i8
  35  global_load_d16_hi_b16
  36  global_store_d16_hi_b8
  37  global_store_d16_hi_b16
  40  global_load_addtid_b32
  41  global_store_addtid_b32
  51  global_atomic_swap_b32
  52  global_atomic_cmpswap_b32
  53  global_atomic_add_u32
  54  global_atomic_sub_u32
  55  global_atomic_csub_u32
  56  global_atomic_min_i32
  57  global_atomic_min_u32
  58  global_atomic_max_i32
  59  global_atomic_max_u32
  60  global_atomic_and_b32
  61  global_atomic_or_b32
  62  global_atomic_xor_b32
  63  global_atomic_inc_u32
  64  global_atomic_dec_u32
  65  global_atomic_swap_b64
  66  global_atomic_cmpswap_b64
  67  global_atomic_add_u64
  68  global_atomic_sub_u64
  69  global_atomic_min_i64
  70  global_atomic_min_u64
  71  global_atomic_max_i64
  72  global_atomic_max_u64
  73  global_atomic_and_b64
  74  global_atomic_or_b64
  75  global_atomic_xor_b64
  76  global_atomic_inc_u64
  77  global_atomic_dec_u64
  80  global_atomic_cmpswap_f32
  81  global_atomic_min_f32
  82  global_atomic_max_f32
  86  global_atomic_add_f32
""",
)
