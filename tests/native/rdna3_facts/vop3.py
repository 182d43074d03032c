"""VOP3, integers: bit fields, shifts, products, minima, saturation, carries, packing, dot products.

Facts: the 93 integer tests of the 253 in tinygrad/tinygrad, test/amd/hw/test_vop3.py at 2ba48375e825 (validated on
RDNA3 by its authors); `vop3_float.py` and `vop3_lanes.py` have the rest.
"""

from __future__ import annotations

from tests.native.rdna3_facts.row import table

ROWS = table("""
s0=0x12 s1=0x34 v0=4 | v_alignbit_b32 v1, s0, s1, v0.l | v1=0x20000003
v0=0x12345678 v1=0xaabbccdd v2=0 | v_alignbit_b32 v3, v0, v1, v2.l | v3=0xaabbccdd
v0=0x12345678 v1=0xaabbccdd v2=8 | v_alignbit_b32 v3, v0, v1, v2.l | v3=0x78aabbcc
v0=0x12345678 v1=0xaabbccdd v2=16 | v_alignbit_b32 v3, v0, v1, v2.l | v3=0x5678aabb
v0=0x12345678 v1=0xaabbccdd v2=32 | v_alignbit_b32 v3, v0, v1, v2.l | v3=0xaabbccdd
v0=0x12345678 v1=0xaabbccdd v2=1 | v_alignbyte_b32 v3, v0, v1, v2.l | v3=0x78aabbcc
v0=0x12345678 v1=0xaabbccdd v2=3 | v_alignbyte_b32 v3, v0, v1, v2.l | v3=0x345678aa
v0=0x7f | v_bfe_i32 v1, v0, 0, 7 | v1=-1
v0=0xff | v_bfe_i32 v1, v0, 0, 8 | v1=-1
v0=0xf0 | v_bfe_i32 v1, v0, 4, 4 | v1=-1
v0=0xdeadbeef | v_bfe_u32 v1, v0, 0, 31 | v1=0x5eadbeef
v0=-1 v1=-1 | v_bfe_u32 v1, v0, 16, 0 | v1=0
v0=0x0000ffff v1=0xaaaaaaaa v2=0x55555555 | v_bfi_b32 v3, v0, v1, v2 | v3=0x5555aaaa
v0=0x03020100 v1=0x07060504 v2=0x04050607 | v_perm_b32 v3, v0, v1, v2 | v3=0x00010203
v0=0x12345678 v1=0xabcdef01 v2=0x0c0d0e0f | v_perm_b32 v3, v0, v1, v2 | v3=0x00ffffff
v0=0x00008000 v1=0x80000080 v2=0x08090a0b | v_perm_b32 v3, v0, v1, v2 | v3=0x00ffff00

# 64-bit products and shifts; a literal extends with zeros
s0=3 s1=4 v2:3=5 | v_mad_u64_u32 v[4:5], null, s0, s1, v[2:3] | v4:5=17
s0=0x80000000 s1=2 v2:3=0 | v_mad_u64_u32 v[4:5], null, s0, s1, v[2:3] | v4:5=0x100000000
s0=1000 s1=1000 v2:3=0x100000000 | v_mad_u64_u32 v[4:5], null, s0, s1, v[2:3] | v4:5=0x1000f4240
s0=-1 s1=-1 v2:3=0 | v_mad_u64_u32 v[4:5], null, s0, s1, v[2:3] | v4:5=0xfffffffe00000001
v0:1=1 | v_lshlrev_b64 v[2:3], 0x64, v[0:1] | v2:3=0x1000000000
v0:1=0 | v_lshlrev_b64 v[0:1], 4, 0xdeadbeef | v0:1=0xdeadbeef0

# shift counts are modulo 32
v0=0x12345678 | v_lshlrev_b32 v1, 0, v0 | v1=0x12345678
v0=1 | v_lshlrev_b32 v1, 31, v0 | v1=0x80000000
v0=1 | v_lshlrev_b32 v1, 32, v0 | v1=1
v0=0x80000000 | v_lshrrev_b32 v1, 32, v0 | v1=0x80000000
v0=0x80000000 | v_lshrrev_b32 v1, 31, v0 | v1=1
v0=0x80000000 | v_ashrrev_i32 v1, 4, v0 | v1=0xf8000000
v0=0x80000000 | v_ashrrev_i32 v1, 31, v0 | v1=-1
v0=100 v1=200 | v_mul_lo_u32 v2, v0, v1 | v2=20000
v0=0x10000 v1=0x10000 v2=-1 | v_mul_lo_u32 v2, v0, v1 | v2=0
v0=0x10000 v1=0x10000 | v_mul_hi_u32 v2, v0, v1 | v2=1
v0=-1 v1=-1 | v_mul_hi_u32 v2, v0, v1 | v2=0xfffffffe
v0=0x10000 v1=0x10000 | v_mul_hi_i32 v2, v0, v1 | v2=1
v0=-10000 v1=100000 | v_mul_hi_i32 v2, v0, v1 | v2=-1
v0=-0x10000 v1=-0x10000 | v_mul_hi_i32 v2, v0, v1 | v2=1

# minima, maxima, medians
v0=-5 v1=0 v2=10 | v_med3_i32 v3, v0, v1, v2 | v3=0
v0=-10 v1=-5 v2=-1 | v_med3_i32 v3, v0, v1, v2 | v3=-5
v0=100 v1=200 v2=150 | v_med3_u32 v3, v0, v1, v2 | v3=150
v0=0xffffffff v1=0x80000000 v2=0 | v_med3_u32 v3, v0, v1, v2 | v3=0x80000000
v0=-5 v1=5 | v_min_i32 v2, v0, v1 | v2=-5
v0=-1 v1=100 | v_max_u32 v2, v0, v1 | v2=-1
v0=0 v1=-1 s1=3 s2=5 | v_min3_u16 v1.l, v0.l, s1, s2 | v1.l=0
v0=2 s1=5 s2=3 | v_min3_u16 v1.l, v0.l, s1, s2 | v1.l=2
v0=0 v1=-1 s1=100 s2=50 | v_min3_u32 v1, v0, s1, s2 | v1=0
v0=0 s1=3 s2=5 | v_max3_u16 v1.l, v0.l, s1, s2 | v1.l=5
v0=0 v1=-1 s1=5 | v_min_u16 v1.l, v0.l, s1 | v1.l=0

# carries
v0=100 v1=50 | v_add_co_u32 v2, vcc_lo, v0, v1 | v2=150 vcc=0
v0=-1 v1=2 | v_add_co_u32 v2, vcc_lo, v0, v1 | v2=1 vcc=1
v0=100 v1=50 | v_sub_co_u32 v2, vcc_lo, v0, v1 | v2=50 vcc=0
v0=50 v1=100 | v_sub_co_u32 v2, vcc_lo, v0, v1 | v2=0xffffffce vcc=1
v0=-1 v1=1 v2=1 v3=1 | v_add_co_u32 v4, vcc_lo, v0, v2; v_add_co_ci_u32_e32 v5, vcc_lo, v1, v3, vcc_lo | v4=0 v5=3
v0=-1 | v_add_co_u32 v0, vcc_lo, v0, 1 | v0=0 vcc=1
v0=100 | v_add_co_u32 v0, vcc_lo, v0, 1 | v0=101 vcc=0

# saturation
v0=0 v1=1 v2=-1 | v_sub_nc_u32_e64 v2, v0, v1 clamp | v2=0
v0=100 v1=50 | v_sub_nc_u32_e64 v2, v0, v1 clamp | v2=50
v0=-1 v1=1 | v_add_nc_u32_e64 v2, v0, v1 clamp | v2=-1
v0=100 v1=50 | v_add_nc_u32_e64 v2, v0, v1 clamp | v2=150
v0=0 v1=1 v2=-1 | v_sub_nc_u16 v2.l, v0.l, v1.l clamp | v2.l=0
v0=100 v1=50 | v_sub_nc_u16 v2.l, v0.l, v1.l clamp | v2.l=50
v0=0xffff v1=1 | v_add_nc_u16 v2.l, v0.l, v1.l clamp | v2.l=0xffff
v0=100 v1=50 | v_add_nc_u16 v2.l, v0.l, v1.l clamp | v2.l=150
v0=0x7fffffff v1=1 | v_add_nc_i32 v2, v0, v1 clamp | v2=0x7fffffff
v0=0x80000000 v1=-1 | v_add_nc_i32 v2, v0, v1 clamp | v2=0x80000000
v0=0x80000000 v1=1 | v_sub_nc_i32 v2, v0, v1 clamp | v2=0x80000000
v0=0x7fffffff v1=-1 | v_sub_nc_i32 v2, v0, v1 clamp | v2=0x7fffffff
v0=100 v1=200 | v_add_nc_i32 v2, v0, v1 clamp | v2=300
v0=-100 v1=-200 | v_add_nc_i32 v2, v0, v1 clamp | v2=-300
v0=-1 v1=1 | v_add_co_u32 v2, vcc_lo, v0, v1 clamp | v2=-1
v0=100 v1=200 | v_add_co_u32 v2, vcc_lo, v0, v1 clamp | v2=300
v0=0 v1=1 v2=-1 | v_sub_co_u32 v2, vcc_lo, v0, v1 clamp | v2=0
v0=300 v1=100 | v_sub_co_u32 v2, vcc_lo, v0, v1 clamp | v2=200
v0=1 v1=0 v2=-1 | v_subrev_co_u32 v2, vcc_lo, v0, v1 clamp | v2=0
vcc=0 v0=-1 v1=1 | v_add_co_ci_u32_e64 v2, vcc_lo, v0, v1, vcc_lo clamp | v2=-1
vcc=1 v0=0xfffffffe v1=1 | v_add_co_ci_u32_e64 v2, vcc_lo, v0, v1, vcc_lo clamp | v2=-1
vcc=0 v0=0 v1=1 v2=-1 | v_sub_co_ci_u32_e64 v2, vcc_lo, v0, v1, vcc_lo clamp | v2=0
vcc=0 v0=1 v1=0 v2=-1 | v_subrev_co_ci_u32_e64 v2, vcc_lo, v0, v1, vcc_lo clamp | v2=0
v0=0xffff v1=2 v2=0 | v_mad_u16 v3.l, v0.l, v1.l, v2.l clamp | v3.l=0xffff
v0=0x8000 v1=2 v2=0x1000 | v_mad_u16 v3.l, v0.l, v1.l, v2.l clamp | v3.l=0xffff
v0=100 v1=100 v2=50 | v_mad_u16 v3.l, v0.l, v1.l, v2.l clamp | v3.l=10050
v0=0xffff v1=2 v2=0 | v_mad_u16 v3.l, v0.l, v1.l, v2.l | v3.l=0xfffe
# v_mad_i32_i16 v0, -|s4|, -v3.l, |v1| clamp: signs act on the integers as on floats; no assembler writes them
s4=0x49742400 v3=0x80000000 v1=0x7f7fffff | .long 0xd65a8500, 0x64060604 | v0=0x7fffffff
# v_mad_i32_i24 v0, s7, v1, v1 clamp, with an output scale that means nothing
s7=0xffc00000 v1=0x40400000 | .long 0xd60a8000, 0x0c060207 | v0=0x80000000

# packing
v0=100 v1=-100 | v_cvt_pk_i16_i32 v2, v0, v1 | v2=0xff9c0064
v0=1000 v1=2000 | v_cvt_pk_u16_u32 v2, v0, v1 | v2=0x07d003e8
v0=100.5f v1=-50.7f | v_cvt_pk_i16_f32 v2, v0, v1 | v2=0xffce0064
v0=100.9f v1=200.1f | v_cvt_pk_u16_f32 v2, v0, v1 | v2=0x00c80064
v0=128.5f v1=0 v2=0 | v_cvt_pk_u8_f32 v2, v0, v1, v2 | v2=128

# dot products, sums of absolute differences
v0=0x04030201 v1=0x01010101 v2=0 | v_dot4_u32_u8 v2, v0, v1, v2 | v2=10
v0=0x02020202 v1=0x03030303 v2=100 | v_dot4_u32_u8 v2, v0, v1, v2 | v2=124
v0=0x87654321 v1=0x11111111 v2=0 | v_dot8_u32_u4 v2, v0, v1, v2 | v2=36
v0=0x04030201 v1=0x08070605 v2=100 | v_sad_hi_u8 v3, v0, v1, v2 | v3=0x100064
v0=0x12345678 v2=50 | v_sad_hi_u8 v3, v0, v0, v2 | v3=50
""")
