"""SCRATCH: per-lane memory. Columns: opcode, name."""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "SCRATCH",
    """
  16  scratch_load_u8
  17  scratch_load_i8
  18  scratch_load_u16
  19  scratch_load_i16
  20  scratch_load_b32
  21  scratch_load_b64
  22  scratch_load_b96
  23  scratch_load_b128
  24  scratch_store_b8
  25  scratch_store_b16
  26  scratch_store_b32
  27  scratch_store_b64
  28  scratch_store_b96
  29  scratch_store_b128
  30  scratch_load_d16_u8
  31  scratch_load_d16_i8
  32  scratch_load_d16_b16
  33  scratch_load_d16_hi_u8
  34  scratch_load_d16_hi_i8
  35  scratch_load_d16_hi_b16
  36  scratch_store_d16_hi_b8
  37  scratch_store_d16_hi_b16
""",
)
