"""VOPD: two instructions in one; both read before either writes.

Facts: all 7 tests of tinygrad/tinygrad, test/amd/hw/test_vopd.py at 2cdc8a6f5496 (validated on RDNA3 by its authors).
"""

from __future__ import annotations

from tests.native.rdna3_facts.row import table

ROWS = table("""
v0=0x12345678 v1=0xdeadbeef | v_dual_mov_b32 v2, v0 :: v_dual_mov_b32 v3, v1 | v2=0x12345678 v3=0xdeadbeef
v0=10 v1=5 | v_dual_mov_b32 v2, 0x64 :: v_dual_add_nc_u32 v3, v0, v1 | v2=100 v3=15
v0=1 v1=0x99999999 v2=-1 | v_dual_mov_b32 v2, 0 :: v_dual_add_nc_u32 v1, v2, v0 | v2=0 v1=0
v1=0x99999999 v2=100 | v_dual_mov_b32 v2, 0 :: v_dual_add_nc_u32 v1, v2, v2 | v2=0 v1=200
# v_dual_fmaak_f32 v2, v0, v1, 10.0 :: v_dual_mov_b32 v3, v0 and v_dual_fmamk_f32 v2, v0, 5.0, v1: an assembler refuses
# them, since both halves read v0
v0=2.0f v1=3.0f | .long 0xc8500300, 0x02020100, 0x41200000 | v2=16.0f v3=2.0f
v0=2.0f v1=3.0f | .long 0xc8900300, 0x02020100, 0x40a00000 | v2=13.0f v3=2.0f
lanes=4 v0=5 v1=10 | v_dual_mov_b32 v2, 0x64 :: v_dual_add_nc_u32 v1, v0, v1 | v2=100 v1=15
""")
