"""VOP2: two-operand arithmetic, f16 halves, carries.

Facts: all 61 tests of tinygrad/tinygrad, test/amd/hw/test_vop2.py at 07212d8ac254 (validated on RDNA3 by its authors).
"""

from __future__ import annotations

from tests.native.rdna3_facts.row import table

ROWS = table("""
v0=1.0f v1=2.0f | v_add_f32 v2, v0, v1 | v2=3.0f
v0=2.0f v1=4.0f | v_mul_f32 v2, v0, v1 | v2=8.0f
v0=2.0f v1=4.0f v2=1.0f | v_fmac_f32 v2, v0, v1 | v2=9.0f
v0=2.0f v1=4.0f | v_fmaak_f32 v2, v0, v1, 0x3f800000 | v2=9.0f
v0=2.0f v1=1.0f | v_fmamk_f32 v2, v0, 0x40800000, v1 | v2=9.0f
v0=4.0f v1=1.0f | v_fmamk_f32 v2, v0, 0x3f000000, v1 | v2=3.0f

# bits
v0=0xff s1=0x0f | v_and_b32 v1, s1, v0 | v1=0x0f
v0=15915 | v_and_b32 v1, 3, v0 | v1=3
v0=0xff00 | v_lshrrev_b32 v1, 8, v0 | v1=0xff
v0=0xff | v_lshlrev_b32 v1, 8, v0 | v1=0xff00
v0=1.0f s0=0x80000000 | v_xor_b32 v1, s0, v0 | v1=-1.0f
v0=-2.0f s0=0x80000000 | v_xor_b32 v1, s0, v0 | v1=2.0f

# infinities, NaN, signed zeros, subnormals
v0=0 v1=inff | v_mul_f32 v2, v0, v1 | v2=nan
v0=inff v1=-inff | v_add_f32 v2, v0, v1 | v2=nan
v0=inff v1=-inff | v_sub_f32 v2, v0, v1; v_add_f32 v3, v0, v1 | v2=inff v3=nan
v0=-0.0f | v_add_f32 v1, 0, v0 | v1=0
v0=-0.0f | v_mul_f32 v1, -1.0, v0 | v1=0
v0=1 | v_mul_f32 v1, 2.0, v0 | v1=0

# f16
v0=1.0h v1=2.0h | v_add_f16 v2.l, v0.l, v1.l | v2.l=0x4200
v0=1.0h v1=-2.0h | v_add_f16 v2.l, v0.l, v1.l | v2.l=0xbc00
v0=2.0h v1=3.0h | v_mul_f16 v2.l, v0.l, v1.l | v2.l=0x4600
v0=2.0h v1=0 | v_mul_f16 v2.l, v0.l, v1.l | v2.l=0
v0=2.0h v1=3.0h v2=1.0h | v_fmac_f16 v2.l, v0.l, v1.l | v2.l=0x4700
v0=1.0h v1=2.0h | v_max_f16 v2.l, v0.l, v1.l | v2.l=0x4000
v0=1.0h v1=2.0h | v_min_f16 v2.l, v0.l, v1.l | v2.l=0x3c00
v0=2.0h v1=3.0h | v_fmaak_f16 v2.l, v0.l, v1.l, 0x3c00 | v2.l=0x4700
lanes=4 v0=1.0h v1=2.0h | v_add_f16 v2.l, v0.l, v1.l | v2.l=0x4200

# f16 halves in the 64-bit encoding
v0=0x40003c00 | v_add_f16_e64 v1.l, v0.h, v0.l | v1.l=0x4200
v0=0x40000000 v1=0x3c00 | v_add_f16_e64 v2.l, v0.h, v1.l | v2.l=0x4200
v0=0x40000000 v1=0x4200 | v_mul_f16_e64 v2.l, v0.h, v1.l | v2.l=0x4600
v0=0x40003c00 | v_mul_f16_e64 v1.l, v0.h, v0.h | v1.l=0x4400
v0=0x3c000000 v1=2.0h v2=3.0h | v_fma_f16 v0.h, v1.l, v2.l, v0.h | v0.h=0x4700

# and in the 32-bit encoding
v0=0x40003c00 | v_add_f16_e32 v1.l, v0.l, v0.h | v1.l=0x4200
v0=0x42004000 | v_mul_f16_e32 v1.l, v0.l, v0.h | v1.l=0x4600
v0=0xbeef v1=1.0h v2=2.0h | v_add_f16_e32 v0.h, v1.l, v2.l | v0=0x4200beef
v0=0xdead v1=2.0h v2=4.0h | v_mul_f16_e32 v0.h, v1.l, v2.l | v0=0x4800dead
v0=0x40000000 v1=0x3c00 v2=0xcafe | v_add_f16_e32 v2.h, v1.l, v0.h | v2=0x4200cafe
v0=0x40003c00 v1=3.0h | v_fmac_f16_e32 v1.l, v0.l, v0.h | v1.l=0x4500
v0=0x3800dead v1=2.0h v2=3.0h | v_fmac_f16_e32 v0.h, v1.l, v2.l | v0=0x4680dead
v0=0x40003c00 v1=3.0h | v_mul_f16_e32 v2.l, v0.h, v1.l | v2.l=0x4600
v0=0x40003c00 v1=5.0h | v_add_f16_e32 v2.l, v0.h, v1.l | v2.l=0x4700

# inline constants of f16 instructions are f16
v0=1.0h | v_add_f16 v1.l, 1.0, v0.l | v1.l=0x4000
v0=3.0h | v_add_f16 v1.l, 2.0, v0.l | v1.l=0x4500
v0=3.0h | v_mul_f16 v1.l, 2.0, v0.l | v1.l=0x4600

vcc=0 v0=1.0h v1=2.0h | v_cndmask_b16 v2.l, v0.l, v1.l, vcc_lo | v2.l=0x3c00
vcc=1 v0=1.0h v1=2.0h | v_cndmask_b16 v2.l, v0.l, v1.l, vcc_lo | v2.l=0x4000
vcc=0 v0=0x3c003800 v1=0x4000c000 v2=0xdead0000 | v_cndmask_b16 v2.h, v0.h, v1.h, vcc_lo | v2=0x3c000000

# carries; the mask of carries out is written whole
vcc=0 v0=5 v1=10 | v_subrev_co_ci_u32_e32 v2, vcc_lo, v0, v1, vcc_lo | v2=5 vcc=0
vcc=1 v0=5 v1=10 | v_subrev_co_ci_u32_e32 v2, vcc_lo, v0, v1, vcc_lo | v2=4 vcc=0
vcc=0 v0=10 v1=5 | v_subrev_co_ci_u32_e32 v2, vcc_lo, v0, v1, vcc_lo | v2=-5 vcc=1
vcc=0 v0=5 v1=10 | v_add_co_ci_u32_e32 v2, vcc_lo, v0, v1, vcc_lo | v2=15 vcc=0
vcc=1 v0=5 v1=10 | v_add_co_ci_u32_e32 v2, vcc_lo, v0, v1, vcc_lo | v2=16 vcc=0
vcc=1 v0=0xffffffff v1=0 | v_add_co_ci_u32_e32 v2, vcc_lo, v0, v1, vcc_lo | v2=0 vcc=1
vcc=1 v0=1 v1=1 | v_add_co_ci_u32_e32 v2, vcc_lo, v0, v1, vcc_lo | v2=3 vcc=0
lanes=2 vcc=3 v0=1 v1=1 | v_add_co_ci_u32_e32 v2, vcc_lo, v0, v1, vcc_lo | v2=3 vcc=0
lanes=4 vcc=0x10000 v0=1 v1=1 | v_add_co_ci_u32_e32 v2, vcc_lo, v0, v1, vcc_lo | v2=2 vcc=0
lanes=4 vcc=0 v1=5 | v_add_co_ci_u32_e32 v1, vcc_lo, 3, v1, vcc_lo | v1=8
vcc=0 v0=10 v1=5 | v_sub_co_ci_u32_e32 v2, vcc_lo, v0, v1, vcc_lo | v2=5 vcc=0
s6=1 s10=0 | v_sub_co_ci_u32_e64 v0, s10, 0, 0, s6 | v0=-1 s10=1
s6=1 s10=0 | v_add_co_ci_u32_e64 v0, s10, 5, 10, s6 | v0=16 s10=0
vcc=0xdeadbeef s6=0 | v_add_co_ci_u32_e64 v0, null, -1, 1, s6 | v0=0 vcc=0xdeadbeef
""")
