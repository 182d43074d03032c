"""VOP1: moves, conversions, rounding, transcendental functions, bit counts.

Facts: all 142 tests of tinygrad/tinygrad, test/amd/hw/test_vop1.py at 2ba48375e825 (validated on RDNA3 by its authors).
"""

from __future__ import annotations

from tests.native.rdna3_facts.row import table

ROWS = table("""
# moves; a 16-bit move keeps the other half
s0=42 | v_mov_b32 v0, s0 | v0=42
lanes=4 s0=42 | v_mov_b32 v0, s0 | v0=42
v0=0xdead | v_mov_b16_e32 v0.h, 0x5678 | v0=0x5678dead
v0=0xbeef0000 | v_mov_b16_e32 v0.l, 0x1234 | v0=0xbeef1234
v0=0xbeefdead | v_mov_b16_e32 v1.l, v0.h | v1=0xbeef

# sine and cosine count in turns
v0=1.0f | v_sin_f32 v1, v0 | v1=0.0f~5e-5
v0=0.25f | v_sin_f32 v1, v0 | v1=1.0f~5e-5
v0=132000.0f | v_sin_f32 v1, v0 | v1=0.0f~5e-3
v0=0 | v_cos_f32 v1, v0 | v1=1.0f~5e-5
v0=0.25f | v_cos_f32 v1, v0 | v1=0.0f~5e-5
v0=0.5f | v_cos_f32 v1, v0 | v1=-1.0f~5e-5
v0=1.0f | v_cos_f32 v1, v0 | v1=1.0f~5e-5
v0=132000.0f | v_cos_f32 v1, v0 | v1=1.0f~5e-3

# rounding
v0=2.5f | v_rndne_f32 v1, v0 | v1=2.0f
v0=3.5f | v_rndne_f32 v1, v0 | v1=4.0f
v0=15915.494f | v_rndne_f32 v1, v0 | v1=15915.0f
v0=2.5f v1=3.5f v2=4.5f | v_rndne_f32 v3, v0; v_rndne_f32 v4, v1; v_rndne_f32 v5, v2 | v3=2.0f v4=4.0f v5=4.0f
v0=3.7f | v_floor_f32 v1, v0 | v1=3.0f
v0=-2.3f | v_floor_f32 v1, v0 | v1=-3.0f
v0=-0.0f | v_floor_f32 v1, v0 | v1=-0.0f
v0=0.9f | v_floor_f32 v1, v0 | v1=0
v0=-0.9f | v_floor_f32 v1, v0 | v1=-1.0f
v0=-3.7f | v_trunc_f32 v1, v0 | v1=-3.0f
v0=3.75f | v_fract_f32 v1, v0 | v1=0.75f
v0=132000.25f | v_fract_f32 v1, v0 | v1=0.25f
v0=-1.25f | v_fract_f32 v1, v0 | v1=0.75f
v0=-0.25f | v_fract_f32 v1, v0 | v1=0.75f
v0=5.0f | v_fract_f32 v1, v0 | v1=0
v0=-5.0f | v_fract_f32 v1, v0 | v1=0
v0=0 | v_fract_f32 v1, v0 | v1=0
v0=inff | v_fract_f32 v1, v0 | v1=nan
v0=0x7fc00000 | v_fract_f32 v1, v0 | v1=nan

# f32 and integers; NaN becomes 0, what does not fit the nearest integer that does
v0=42.7f | v_cvt_i32_f32 v1, v0 | v1=42
v0=-42.7f | v_cvt_i32_f32 v1, v0 | v1=-42
v0=15915.0f | v_cvt_i32_f32 v1, v0 | v1=15915
v0=2.9f v1=-2.9f | v_cvt_i32_f32 v2, v0; v_cvt_i32_f32 v3, v1 | v2=2 v3=-2
v0=-1.0f | v_cvt_u32_f32 v1, v0 | v1=0
v0=42 | v_cvt_f32_i32 v1, v0 | v1=42.0f
v0=0xffffffff | v_cvt_f32_u32 v1, v0 | v1=4294967296.0f
lanes=3 v0=0x7fc00000,0xffc00000,0x7f800001 | v_cvt_i32_f32 v1, v0 | v1=0
lanes=3 v0=0x7f800000,0x4f000000,0x4f800000 | v_cvt_i32_f32 v1, v0 | v1=0x7fffffff
lanes=2 v0=0xff800000,0xcf000001 | v_cvt_i32_f32 v1, v0 | v1=0x80000000
lanes=3 v0=0x7fc00000,0xffc00000,0x7f800001 | v_cvt_u32_f32 v1, v0 | v1=0
v0:1=0x7ff8000000000000 | v_cvt_i32_f64 v2, v[0:1] | v2=0
v0:1=4294967296.0d | v_cvt_i32_f64 v2, v[0:1] | v2=0x7fffffff

# f16; the other half of the destination is kept
v0=1.0f | v_cvt_f16_f32 v1.l, v0 | v1.l=0x3c00
v0=-2.0f | v_cvt_f16_f32 v1.l, v0 | v1.l=0xc000
v0=0.5f | v_cvt_f16_f32 v1.l, v0 | v1.l=0.5h
v0=1.0f v1=0xdead0000 | v_cvt_f16_f32 v1.l, v0 | v1=0xdead3c00
v0=1.0f | v_cvt_f16_f32 v0.l, v0 | v0=0x3f803c00
v0=0x3fc00000 | v_cvt_f16_f32 v1.l, v0 | v1.l=0x3e00
v0=100000.0f | v_cvt_f16_f32 v1.l, v0 | v1.l=0x7c00
v0=1e-10f | v_cvt_f16_f32 v1.l, v0 | v1.l=0
v0=3.5f | v_cvt_f16_f32 v1.l, v0; v_pack_b32_f16 v2, v1.l, v1.l | v2=0x43004300
v0=0 | v_cvt_i16_f16 v1.l, v0.l | v1.l=0
v0=0x3c00 | v_cvt_i16_f16 v1.l, v0.l | v1.l=1
v0=0xc000 | v_cvt_i16_f16 v1.l, v0.l | v1.l=0xfffe
v0=0x3c000000 | v_cvt_i16_f16_e64 v1.l, v0.h | v1.l=1
v0=0xc0003c00 | v_cvt_i16_f16_e32 v1.l, v0.h | v1.l=0xfffe
v0=1.5h | v_cvt_f32_f16 v1, v0.l | v1=1.5f
v0=1 | v_cvt_f32_f16 v1, v0.l | v1=0x33800000
v0=0x7c00 | v_cvt_f32_f16 v1, v0.l | v1=inff
v0=0xfc00 | v_cvt_f32_f16 v1, v0.l | v1=-inff
v0=0x7e00 | v_cvt_f32_f16 v1, v0.l | v1=nan
v0=0x8000 | v_cvt_f32_f16 v1, v0.l | v1=0x80000000
v0=0x40003c00 | v_cvt_f32_f16_e32 v1, v0.h | v1=2.0f
v0=0x40003c00 | v_cvt_f32_f16_e32 v1, v0.l; v_cvt_f32_f16_e32 v2, v0.h | v1=1.0f v2=2.0f
v1=-1.0h | v_cvt_f32_f16_e64 v0, abs(v1.l) | v0=1.0f
v1=2.0h | v_cvt_f32_f16_e64 v0, abs(v1.l) | v0=2.0f
v1=2.0h | v_cvt_f32_f16_e64 v0, neg(v1.l) | v0=-2.0f
v1=-2.0h | v_cvt_f32_f16_e64 v0, neg(v1.l) | v0=2.0f
v0=1.0h | v_rcp_f16 v1.l, v0.l | v1.l=1.0h~0.004
v0=2.0h | v_rcp_f16 v1.l, v0.l | v1.l=0.5h~0.004
v0=4.0h | v_rcp_f16 v1.l, v0.l | v1.l=0.25h~0.004
v0=1.0h | v_cvt_norm_i16_f16 v1.l, v0.l | v1.l=32767
v0=-1.0h | v_cvt_norm_i16_f16 v1.l, v0.l | v1.l=0x8001
v0=0 | v_cvt_norm_i16_f16 v1.l, v0.l | v1.l=0
v0=1.0h | v_cvt_norm_u16_f16 v1.l, v0.l | v1.l=65535
# one of the two integers next to 32767.5: the suite allows 32767 to 32769
v0=0.5h | v_cvt_norm_u16_f16 v1.l, v0.l; v_sub_nc_u16 v2.l, v1.l, 0x7fff; v_lshrrev_b16 v3.l, 1, v2.l | v3.l=0

# f64
v0=1.0f | v_cvt_f64_f32 v[2:3], v0 | v2:3=1.0d
v0=-2.5f | v_cvt_f64_f32 v[2:3], v0 | v2:3=-2.5d
v0=0x40490fdb | v_cvt_f64_f32 v[2:3], v0 | v2:3=0x400921fb60000000
v0=0 | v_cvt_f64_f32 v[2:3], v0 | v2:3=0
v0:1=1.0d | v_cvt_f32_f64 v2, v[0:1] | v2=1.0f
v0:1=-3.5d | v_cvt_f32_f64 v2, v[0:1] | v2=-3.5f
v0:1=123456.789d | v_cvt_f32_f64 v2, v[0:1] | v2=123456.789f
v0=42 | v_cvt_f64_i32 v[2:3], v0 | v2:3=42.0d
v0=0xffffffff | v_cvt_f64_i32 v[2:3], v0 | v2:3=-1.0d
v0=0xffffffff | v_cvt_f64_u32 v[2:3], v0 | v2:3=4294967295.0d
v0=0 | v_cvt_f64_u32 v[2:3], v0 | v2:3=0

# leading and trailing zeros; none is -1
v0=0 | v_clz_i32_u32 v1, v0 | v1=-1
v0=1 | v_clz_i32_u32 v1, v0 | v1=31
v0=0x80000000 | v_clz_i32_u32 v1, v0 | v1=0
v0=0x8000 | v_clz_i32_u32 v1, v0 | v1=16
v0=0xffffffff | v_clz_i32_u32 v1, v0 | v1=0
v0=0 | v_ctz_i32_b32 v1, v0 | v1=-1
v0=1 | v_ctz_i32_b32 v1, v0 | v1=0
v0=0x80000000 | v_ctz_i32_b32 v1, v0 | v1=31
v0=0x8000 | v_ctz_i32_b32 v1, v0 | v1=15
v0=0xffffffff | v_ctz_i32_b32 v1, v0 | v1=0

# reciprocals, roots, powers and logarithms of 2
v0=2.0f | v_rcp_f32 v1, v0 | v1=0.5f~5e-6
v0=inff | v_rcp_f32 v1, v0 | v1=0
v0=-inff | v_rcp_f32 v1, v0 | v1=0x80000000
v0=0 | v_rcp_f32 v1, v0 | v1=inff
v0=4.0f | v_sqrt_f32 v1, v0 | v1=2.0f~5e-6
v0=1.0f | v_sqrt_f32 v1, v0 | v1=1.0f~5e-6
v0=0 | v_sqrt_f32 v1, v0 | v1=0
v0=-0.0f | v_sqrt_f32 v1, v0 | v1=0x80000000
v0=inff | v_sqrt_f32 v1, v0 | v1=inff
v0=-1.0f | v_sqrt_f32 v1, v0 | v1=nan
v0=0x7fc00000 | v_sqrt_f32 v1, v0 | v1=nan
v0=0.25f | v_sqrt_f32 v1, v0 | v1=0.5f~5e-6
v0=4.0f | v_rsq_f32 v1, v0 | v1=0.5f~5e-6
v0=1.0f | v_rsq_f32 v1, v0 | v1=1.0f~5e-6
v0=0 | v_rsq_f32 v1, v0 | v1=inff
v0=-0.0f | v_rsq_f32 v1, v0 | v1=-inff
v0=inff | v_rsq_f32 v1, v0 | v1=0
v0=-1.0f | v_rsq_f32 v1, v0 | v1=nan
v0=1e10f | v_rsq_f32 v1, v0 | v1=1e-5f~5e-9
v0=1.0f | v_log_f32 v1, v0 | v1=0.0f~5e-5
v0=2.0f | v_log_f32 v1, v0 | v1=1.0f~5e-5
v0=4.0f | v_log_f32 v1, v0 | v1=2.0f~5e-5
v0=0.5f | v_log_f32 v1, v0 | v1=-1.0f~5e-5
v0=0 | v_log_f32 v1, v0 | v1=-inff
v0=inff | v_log_f32 v1, v0 | v1=inff
v0=-1.0f | v_log_f32 v1, v0 | v1=nan
v0=-100.0f | v_exp_f32 v1, v0 | v1=0.0f~1e-20
v0=100.0f | v_exp_f32 v1, v0 | v1=1.2676506e30f~1e27
v0=0 | v_exp_f32 v1, v0 | v1=1.0f~5e-6
v0=1.0f | v_exp_f32 v1, v0 | v1=2.0f~5e-6
v0=-1.0f | v_exp_f32 v1, v0 | v1=0.5f~5e-6
v0=inff | v_exp_f32 v1, v0 | v1=inff
v0=-inff | v_exp_f32 v1, v0 | v1=0
v0=0x7fc00000 | v_exp_f32 v1, v0 | v1=nan

# exponent and mantissa: an f32 subnormal counts as zero, an f64 one does not
lanes=3 v0=1,0x7fffff,0 | v_frexp_exp_i32_f32 v1, v0; v_frexp_mant_f32 v2, v0 | v1=0 v2=0
v0=0x80000001 | v_frexp_mant_f32 v2, v0 | v2=0x80000000
v0:1=1 | v_frexp_exp_i32_f64 v2, v[0:1] | v2=-1073
v0:1=0 | v_frexp_exp_i32_f64 v2, v[0:1] | v2=0

# lanes
lanes=4 v0=1000,1004,1008,1012 | v_readfirstlane_b32 s0, v0; v_mov_b32 v1, s0 | v1=1000
lanes=4 v7=200,232,264,296 | v_readfirstlane_b32 s0, v7; v_mov_b32 v8, s0 | v8=200
# nothing happens in a wave32
v0=0xcafebabe v1=0x12345678 | v_permlane64_b32 v1, v0 | v1=0x12345678
v0=42 v1=99 | v_swap_b32 v0, v1 | v0=99 v1=42
v0=0xdeadbeef | v_swap_b32 v0, v0 | v0=0xdeadbeef
lanes=4 v0=0,3,6,9 v1=0,100,200,300 | v_swap_b32 v0, v1 | v0=0,100,200,300 v1=0,3,6,9
v0=0xaaaaaaaa v1=0x55555555 | v_swap_b32 v0, v1; v_swap_b32 v0, v1 | v0=0xaaaaaaaa v1=0x55555555
""")
