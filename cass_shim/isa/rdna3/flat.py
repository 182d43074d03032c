"""FLAT: generic addresses (global, LDS or scratch by aperture). Columns: opcode, name."""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "FLAT",
    """
  16  flat_load_u8
  17  flat_load_i8
  18  flat_load_u16
  19  flat_load_i16
  20  flat_load_b32
  21  flat_load_b64
  22  flat_load_b96
  23  flat_load_b128
  24  flat_store_b8
  25  flat_store_b16
  26  flat_store_b32
  27  flat_store_b64
  28  flat_store_b96
  29  flat_store_b128
  30  flat_load_d16_u8
  31  flat_load_d16_i8
  32  flat_load_d16_b16
  33  flat_load_d16_hi_u8
  34  flat_load_d16_hi_i8
  35  flat_load_d16_hi_b16
  36  flat_store_d16_hi_b8
  37  flat_store_d16_hi_b16
  51  flat_atomic_swap_b32
  52  flat_atomic_cmpswap_b32
  53  flat_atomic_add_u32
  54  flat_atomic_sub_u32
  56  flat_atomic_min_i32
  57  flat_atomic_min_u32
  58  flat_atomic_max_i32
  59  flat_atomic_max_u32
  60  flat_atomic_and_b32
  61  flat_atomic_or_b32
  62  flat_atomic_xor_b32
  63  flat_atomic_inc_u32
  64  flat_atomic_dec_u32
  65  flat_atomic_swap_b64
  66  flat_atomic_cmpswap_b64
  67  flat_atomic_add_u64
  68  flat_atomic_sub_u64
  69  flat_atomic_min_i64
  70  flat_atomic_min_u64
  71  flat_atomic_max_i64
  72  flat_atomic_max_u64
  73  flat_atomic_and_b64
  74  flat_atomic_or_b64
  75  flat_atomic_xor_b64
  76  flat_atomic_inc_u64
  77  flat_atomic_dec_u64
  80  flat_atomic_cmpswap_f32
  81  flat_atomic_min_f32
  82  flat_atomic_max_f32
  86  flat_atomic_add_f32
""",
)
