"""SMEM: scalar loads. Columns: opcode, name, destination."""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "SMEM",
    """
   0  s_load_b32                 b32
   1  s_load_b64                 b64
   2  s_load_b128                b128
   3  s_load_b256                b256
   4  s_load_b512                b512
   8  s_buffer_load_b32          b32
   9  s_buffer_load_b64          b64
  10  s_buffer_load_b128         b128
  11  s_buffer_load_b256         b256
  12  s_buffer_load_b512         b512
  32  s_gl1_inv                  - =s_nop
  33  s_dcache_inv               - =s_nop
  34  s_atc_probe                - =s_nop
  35  s_atc_probe_buffer         - =s_nop
""",
)
