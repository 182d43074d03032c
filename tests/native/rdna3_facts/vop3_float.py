"""VOP3, floating point: fused multiply-add, division steps, modifiers, minima, f16, f64.

Facts: the 143 floating-point tests of the 253 in tinygrad/tinygrad, test/amd/hw/test_vop3.py at 2ba48375e825 (validated
on RDNA3 by its authors); of these WMMA and V_FMA_MIX_F32 are in `vop3p.py`.
"""

from __future__ import annotations

from tests.native.rdna3_facts.row import table

TO_I64 = (
    "v_trunc_f64 v[0:1], v[0:1]; v_ldexp_f64 v[2:3], v[0:1], 0xffffffe0; v_floor_f64 v[2:3], v[2:3]; "
    "v_fma_f64 v[0:1], 0xc1f00000, v[2:3], v[0:1]; v_cvt_u32_f64 v4, v[0:1]; v_cvt_i32_f64 v5, v[2:3]"
)

ROWS = table(f"""
v0=2.0f v1=4.0f v2=1.0f | v_fma_f32 v3, v0, v1, v2 | v3=9.0f
v0=2.0f v1=3.0f v2=1.0f | v_mullit_f32 v3, v0, v1, v2 | v3=6.0f
v0=2.0f v1=3.0f v2=0 | v_mullit_f32 v3, v0, v1, v2 | v3=0xff7fffff
v0=-2.0f v1=4.0f v2=1.0f | v_fma_f32 v3, v0, v1, v2 | v3=-7.0f
v0=2.0f v1=3.0f v2=4.0f | v_fma_f32 v3, v0, v1, v2 | v3=10.0f
v0=1.0f v1=inff v2=0 | v_fma_f32 v3, v0, v1, v2 | v3=inff
v0=0x7fc00000 | v_fma_f32 v1, v0, 1.0, 0 | v1=nan
v0=2.0f v1=3.0f v2=1.0f | v_fmac_f32_e64 v2, v0, v1 | v2=7.0f
v0=5.0f s4=2.0f | v_fmac_f32_e64 v0, s4, 0 | v0=5.0f
v9=2.0f s10=3.0f s12=4.0f | v_fmac_f32_e64 v9, s10, s12 | v9=14.0f
v1=1.0f v2=2.0f | v_fmac_f32_e64 v0, v1, v2; v_fmac_f32_e64 v0, v1, v2; v_fmac_f32_e64 v0, v1, v2 | v0=6.0f
v0=2.0f v1=3.0f v2=-10.0f | v_fmac_f32_e64 v2, v0, v1 | v2=-4.0f

# division, f32: scaling
v0=1.0f v1=4.0f vcc=-1 | v_div_scale_f32 v2, vcc_lo, v0, v1, v0 | vcc=0
lanes=4 v0=1.0f v1=4.0f vcc=-1 | v_div_scale_f32 v2, vcc_lo, v0, v1, v0 | vcc=0
v0=2.0f v1=4.0f | v_div_scale_f32 v2, vcc_lo, v0, v1, v0 | v2=2.0f
v0=1.0f v1=0 | v_div_scale_f32 v2, vcc_lo, v0, v1, v0 | v2=nan vcc=1
v0=0 v1=1.0f | v_div_scale_f32 v2, vcc_lo, v0, v1, v0 | v2=nan vcc=1
v0=0x7f7fffff v1=1.0f | v_div_scale_f32 v2, vcc_lo, v1, v1, v0 | v2=0x5f800000 vcc=1
v0=1.0f v1=1 | v_div_scale_f32 v2, vcc_lo, v1, v1, v0 | v2=nan vcc=1
v0=0x00800000 v1=1.0f | v_div_scale_f32 v2, vcc_lo, v0, v1, v0 | v2=0x20800000 vcc=1
v0=1.0f v1=0x7f000000 | v_div_scale_f32 v2, vcc_lo, v0, v1, v0 | v2=1.0f vcc=1
vcc=0 v0=2.0f v1=3.0f v2=1.0f | v_div_fmas_f32 v3, v0, v1, v2 | v3=7.0f
vcc=1 v0=1.0f v1=1.0f v2=2.0f | v_div_fmas_f32 v3, v0, v1, v2 | v3=0x60400000
vcc=1 v0=2.0f v1=3.0f v2=1.0f | v_div_fmas_f32 v3, v0, v1, v2 | v3=0x20e00000
lanes=4 vcc=5 v0=1.0f v1=1.0f v2=1.0f | v_div_fmas_f32 v3, v0, v1, v2 | v3=0x20000000,2.0f,0x20000000,2.0f

# and the special quotients
v0=3.0f v1=2.0f v2=6.0f | v_div_fixup_f32 v3, v0, v1, v2 | v3=3.0f
v0=1.0f v1=0 v2=0 | v_div_fixup_f32 v3, v0, v1, v2 | v3=nan
v0=1.0f v1=0 v2=1.0f | v_div_fixup_f32 v3, v0, v1, v2 | v3=inff
v0=0 s1=inff s2=1.0f | v_div_fixup_f32 v1, v0, s1, s2 | v1=0
v0=0 s1=inff s2=inff | v_div_fixup_f32 v1, v0, s1, s2 | v1=nan
v0=1.0f v1=1.0f v2=0x7fc00000 | v_div_fixup_f32 v3, v0, v1, v2 | v3=nan
v0=1.0f v1=0x7fc00000 v2=1.0f | v_div_fixup_f32 v3, v0, v1, v2 | v3=nan
v0=1.0f v1=0 v2=-1.0f | v_div_fixup_f32 v3, v0, v1, v2 | v3=-inff
v0=1.0f v1=2.0f v2=0 | v_div_fixup_f32 v3, v0, v1, v2 | v3=0
v0=1.0f v1=inff v2=1.0f | v_div_fixup_f32 v3, v0, v1, v2 | v3=0
v0=1.0f v1=1.0f v2=inff | v_div_fixup_f32 v3, v0, v1, v2 | v3=inff
v0=3.0f v1=-2.0f v2=6.0f | v_div_fixup_f32 v3, v0, v1, v2 | v3=-3.0f
v0=3.0f v1=-2.0f v2=-6.0f | v_div_fixup_f32 v3, v0, v1, v2 | v3=3.0f
v0=0x7fc00000 v1=1.0f v2=1.0f | v_div_fixup_f32 v3, v0, v1, v2 | v3=0x7f800000
v0=0x7fc00000 v1=-1.0f v2=1.0f | v_div_fixup_f32 v3, v0, v1, v2 | v3=0xff800000
v0=0 v1=-inff v2=1.0f | v_div_fixup_f32 v3, v0, v1, v2 | v3=0x80000000

# f16: constants, signs, halves, minima
v4=0.325928h v6=-0.486572h | v_fma_f16 v4.l, v4.l, v6.l, 1.0 | v4.l=0.841413h~0.01
v0=2.0h v1=3.0h | v_fma_f16 v2.l, v0.l, v1.l, 0.5 | v2.l=6.5h
v0=2.0h v1=3.0h | v_fma_f16 v2.l, v0.l, v1.l, -1.0 | v2.l=5.0h
v0=-2.0h v1=-3.0h | v_add_f16_e64 v2.l, abs(v0.l), abs(v1.l) | v2.l=5.0h
v0=2.0h v1=-3.0h | v_mul_f16_e64 v2.l, neg(v0.l), abs(v1.l) | v2.l=-6.0h
v0=0x38003c00 v1=0x38000000 | v_fmac_f16_e32 v0.h, 0x3518, v1.l | v0=0x38003c00
v0=3.0h v1=1.0h v2=2.0h | v_min3_f16 v3.l, v0.l, v1.l, v2.l | v3.l=1.0h
v0=1.0h v1=3.0h v2=2.0h | v_max3_f16 v3.l, v0.l, v1.l, v2.l | v3.l=3.0h
v0=3.0h v1=1.0h v2=2.0h | v_med3_f16 v3.l, v0.l, v1.l, v2.l | v3.l=2.0h
v0=2.5h v1=1.0h v2=2.0h | v_minmax_f16 v3.l, v0.l, v1.l, v2.l | v3.l=2.0h
v0=0.5h v1=2.0h v2=1.0h | v_maxmin_f16 v3.l, v0.l, v1.l, v2.l | v3.l=1.0h
v0=3.0h v1=1.0h v2=2.0h | v_min3_f16 v3.l, neg(v0.l), v1.l, v2.l | v3.l=-3.0h
v0=-3.0h v1=1.0h v2=2.0h | v_max3_f16 v3.l, abs(v0.l), v1.l, v2.l | v3.l=3.0h
v0=0x45003c00 v1=3.0h v2=4.0h | v_med3_f16 v3.l, v0.h, v1.l, v2.l | v3.l=4.0h
v0=1.0f v1=2.0f | v_cvt_pk_rtz_f16_f32_e64 v2, v0, v1 | v2=0x40003c00
v0=1.0f v1=-1.0f | v_cvt_pk_norm_i16_f32 v2, v0, v1 | v2=0x80017fff
# one of the two integers next to 32767.5: the suite allows 32767 to 32769
v0=1.0f v1=0.5f | v_cvt_pk_norm_u16_f32 v2, v0, v1; v_sub_nc_u16 v3.l, v2.h, 0x7fff; v_lshrrev_b16 v3.l, 1, v3.l \
| v2.l=0xffff v3.l=0

# f64
v0:1=1.0d | v_add_f64 v[2:3], v[0:1], 1.0 | v2:3=2.0d
v0:1=2.0d v2:3=3.0d | v_mul_f64 v[4:5], v[0:1], v[2:3] | v4:5=6.0d
v0:1=-1.0d v3=0xdeadbeef | v_cvt_i32_f64 v2, v[0:1] | v2=-1 v3=0xdeadbeef
v0:1=-8.0d | v_ldexp_f64 v[2:3], v[0:1], 0xffffffe0 | v2:3=-1.862645149230957e-09d
v0:1=-41.0d | v_ldexp_f64 v[2:3], v[0:1], 0xffffffe0 | v2:3=-9.546056389808655e-09d
s0:1=2.0d | v_frexp_mant_f64 v[0:1], s[0:1]; v_frexp_exp_i32_f64 v2, s[0:1] | v0:1=0.5d v2=2
v0:1=1.4142135623730951d v2:3=1.0d | v_div_scale_f64 v[4:5], s10, v[0:1], v[0:1], v[2:3] | v4:5=1.4142135623730951d
s0:1=-8.0d | v_mov_b32 v0, s0; v_mov_b32 v1, s1; {TO_I64} | v4:5=-8
v0:1=-41.0d | {TO_I64} | v4:5=-41
v0:1=-1000000.0d | {TO_I64} | v4:5=-1000000
v0:1=1000000.0d | {TO_I64} | v4:5=1000000
v0:1=5000000000.0d | {TO_I64} | v4:5=5000000000
v0:1=-41.0d v2:3=-1.0d | v_fma_f64 v[4:5], 0xc1f00000, v[2:3], v[0:1] | v4:5=4294967255.0d
v0:1=1.0000000001d v2:3=1.0000000002d v4:5=-1.0000000003d | v_fma_f64 v[6:7], v[0:1], v[2:3], v[4:5] \
| v6:7=0x3bd79ca14e200000
s0:1=1.0d | v_trig_preop_f64 v[0:1], abs(s[0:1]), 0 | v0:1=0x3fe45f306dc9c882
s0:1=1.0d | v_trig_preop_f64 v[0:1], abs(s[0:1]), 1 | v0:1=0x3c94a7f09d5f47d4
s0:1=1.0d | v_trig_preop_f64 v[0:1], abs(s[0:1]), 2 | v0:1=0.0d~1e-30
s0:1=1.0d | v_trig_preop_f64 v[0:1], abs(s[0:1]), 0; v_trig_preop_f64 v[2:3], abs(s[0:1]), 1; \
v_trig_preop_f64 v[4:5], abs(s[0:1]), 2; v_add_f64 v[0:1], v[0:1], v[2:3]; v_add_f64 v[0:1], v[0:1], v[4:5] \
| v0:1=0.6366197723675814d~5e-15
s0:1=1152921504606846976.0d | v_trig_preop_f64 v[0:1], abs(s[0:1]), 0 | v0:1=0x3f87cc1b727220a9

# division, f64: a bit of the mask for each lane
v0:1=1.4142135623730951d v2:3=1.0d | v_div_scale_f64 v[4:5], vcc_lo, v[0:1], v[0:1], v[2:3] \
| v4:5=1.4142135623730951d vcc=0
lanes=4 v0:1=2.0d | v_div_scale_f64 v[2:3], vcc_lo, v[0:1], v[0:1], v[0:1] | v2:3=2.0d vcc=0
lanes=4 | v_cvt_f64_i32 v[0:1], v255; v_add_f64 v[0:1], v[0:1], 2.0; \
v_div_scale_f64 v[2:3], vcc_lo, v[0:1], v[0:1], v[0:1] | v2:3=2.0d,3.0d,4.0d,5.0d vcc=0
v0:1=1.0d v2:3=0 | v_div_scale_f64 v[4:5], vcc_lo, v[0:1], v[2:3], v[0:1] | v4:5=nan vcc=1
lanes=4 v0:1=2.0d v2:3=2.0d,0,2.0d,0 | v_div_scale_f64 v[4:5], vcc_lo, v[0:1], v[2:3], v[0:1] \
| v4:5=2.0d,nan,2.0d,nan vcc=0xa
vcc=0 v0:1=2.0d v2:3=3.0d v4:5=1.0d | v_div_fmas_f64 v[6:7], v[0:1], v[2:3], v[4:5] | v6:7=7.0d
vcc=1 v0:1=1.0d v2:3=1.0d v4:5=2.0d | v_div_fmas_f64 v[6:7], v[0:1], v[2:3], v[4:5] | v6:7=0x4808000000000000
vcc=1 v0:1=2.0d v2:3=3.0d v4:5=1.0d | v_div_fmas_f64 v[6:7], v[0:1], v[2:3], v[4:5] | v6:7=0x381c000000000000
lanes=4 vcc=5 v0:1=1.0d v2:3=1.0d v4:5=1.0d | v_div_fmas_f64 v[6:7], v[0:1], v[2:3], v[4:5] \
| v6:7=0x3800000000000000,2.0d,0x3800000000000000,2.0d
lanes=4 v2:3=1.0d | v_cvt_f64_i32 v[0:1], v255; v_add_f64 v[0:1], v[0:1], 2.0; \
v_div_scale_f64 v[4:5], vcc_lo, v[0:1], v[2:3], v[0:1]; v_mov_b32 v6, v4; v_mov_b32 v7, v5; \
v_div_fmas_f64 v[8:9], v[6:7], v[2:3], v[4:5] | v8:9=4.0d,6.0d,8.0d,10.0d vcc=0

# argument reduction of sin(1e5)
v0=100000.0f s1=0.15915494309189535f | v_mul_f32 v1, s1, v0 | v1=15915.494f~0.5
v0=15915.494f | v_rndne_f32 v1, v0 | v1=15915.0f
v0=-1.5707963267948966f v1=15915.0f v2=100000.0f | v_fma_f32 v3, v0, v1, v2 | v3=75000.776f~0.005
v0=100000.0f s1=0.15915494309189535f s2=-1.5707963267948966f | v_mul_f32 v1, s1, v0; v_rndne_f32 v2, v1; \
v_fma_f32 v3, s2, v2, v0; v_cvt_i32_f32 v4, v2; v_and_b32 v5, 3, v4 | v1=15915.494f~0.5 v2=15915.0f v5=3

# input signs, clamping, output scale (off while IEEE is on), NaN
v0=-5.0f | v_mul_f32_e64 v1, 1.0, neg(abs(v0)) | v1=-5.0f
v0=-0.0f v1=-1 | v_mul_f32_e64 v1, 1.0, abs(v0); v_mul_f32_e64 v2, 1.0, neg(abs(v0)) | v1=0 v2=0x80000000
v0=0x7fc00000 v1=-1 | v_add_f32_e64 v1, v0, 0 clamp | v1=0
v0=3.0f | v_add_f32_e64 v1, v0, 1.0 mul:2 | v1=4.0f
v0=0xffc00000 v3=0 s5=-1 | v_cmp_ge_f32_e64 s5, abs(v0), abs(v3) | s5=0
v0=2.5f | v_max_f32_e64 v1, v0, v0 clamp | v1=1.0f
v0=-1.5f v1=-1 | v_max_f32_e64 v1, v0, v0 clamp | v1=0
v0=0.5f | v_max_f32_e64 v1, v0, v0 clamp | v1=0.5f
v0=2.5f | v_max_f32_e64 v1, v0, v0 | v1=2.5f
v0=-2.0f v1=-1 | v_min_f32_e64 v1, v0, v0 clamp | v1=0
v0=0.7f v1=0.8f | v_add_f32_e64 v2, v0, v1 clamp | v2=1.0f
v0=0.5f v1=-2.0f v2=-1 | v_mul_f32_e64 v2, v0, v1 clamp | v2=0
v0=2.0f v1=2.0f v2=1.0f | v_fma_f32 v3, v0, v1, v2 clamp | v3=1.0f
lanes=4 v0=-0.5f,0.5f,1.5f,2.5f | v_max_f32_e64 v1, v0, v0 clamp | v1=0,0.5f,1.0f,1.0f
v0=-0.0f v1=-0.0f v2=-1 | v_add_f32_e64 v2, v0, v1 clamp | v2=0
v0=1.0f v1=-0.0f v2=-1 | v_min_f32_e64 v2, v0, v1 clamp | v2=0
v0=-0.0f v1=0x80000000 | v_ldexp_f32 v2, v0, v1 | v2=0x80000000
v0=inff v1=0xffffff80 | v_ldexp_f32 v2, v0, v1 | v2=inff
lanes=2 v0=1,0x80000001 v1=1,250 v2=-1 | v_ldexp_f32 v2, v0, v1 | v2=0,0x80000000
# v_mul_f32_e64 v2, -v0, -|v1| with a third sign on an operand that does not exist
v0=0xc96cf47f v1=0x7fc00000 | .long 0xd5080602, 0xe0020300 | v2=0xffc00000
v0=-1.0f v1=2.0f | v_mul_f32_e64 v2, v0, neg(v1) | v2=2.0f
# the first NaN is the result, made quiet, with its sign and payload
lanes=2 v0=0x7fc00001,0xffc00005 v1=0x7f800003 | v_mul_f32 v2, v0, v1 | v2=0x7fc00001,0xffc00005
lanes=2 v0=0x7f800001,0xff9f1800 v1=0xffc00005,0x7f800001 | v_mul_f32 v2, v0, v1 | v2=0x7fc00001,0xffdf1800

# minima, maxima, medians; rounding up
v0=1.0f v1=2.0f v2=3.0f | v_med3_f32 v3, v0, v1, v2 | v3=2.0f
v0=3.0f v1=2.0f v2=1.0f | v_med3_f32 v3, v0, v1, v2 | v3=2.0f
v0=1.0f v1=3.0f v2=3.0f | v_med3_f32 v3, v0, v1, v2 | v3=3.0f
v0=5.0f v1=5.0f v2=5.0f | v_med3_f32 v3, v0, v1, v2 | v3=5.0f
v0=-1.0f v1=0 v2=1.0f v3=-1 | v_med3_f32 v3, v0, v1, v2 | v3=0
v0=0x7fc00000 v1=1.0f v2=2.0f | v_med3_f32 v3, v0, v1, v2 | v3=1.0f
v0=1 v1=1.0f v2=2.0f v3=-1 | v_min3_f32 v3, v0, v1, v2 | v3=0
v0=0x80000001 v1=1.0f v2=2.0f | v_med3_f32 v3, v0, v1, v2 | v3=1.0f
v0=1.0f v1=2.0f | v_min_f32 v2, v0, v1; v_max_f32 v3, v0, v1 | v2=1.0f v3=2.0f
v0=0x7fc00000 v1=1.0f | v_min_f32 v2, v0, v1 | v2=1.0f
v0=1.0f v1=0x7fc00000 | v_min_f32 v2, v0, v1 | v2=1.0f
v0=0x7fc00000 v1=1.0f | v_max_f32 v2, v0, v1 | v2=1.0f
v0=0 v1=-0.0f v3=-1 | v_min_f32 v2, v0, v1; v_max_f32 v3, v0, v1 | v2=0x80000000 v3=0
v0=2.3f | v_ceil_f32 v1, v0 | v1=3.0f
v0=-2.3f | v_ceil_f32 v1, v0 | v1=-2.0f
v0=5.0f | v_ceil_f32 v1, v0 | v1=5.0f
v0=0 v1=-1 | v_ceil_f32 v1, v0 | v1=0
v0=-0.0f | v_ceil_f32 v1, v0 | v1=0x80000000
v0=0.1f | v_ceil_f32 v1, v0 | v1=1.0f
v0=-0.1f | v_ceil_f32 v1, v0 | v1=0x80000000

# products and sums of infinities and zeros
v0=inff v1=0 | v_mul_f32 v2, v0, v1 | v2=nan
v0=inff v1=inff | v_mul_f32 v2, v0, v1 | v2=inff
v0=-0.0f v1=1.0f | v_mul_f32 v2, v0, v1 | v2=0x80000000
v0=-0.0f v1=-1.0f v2=-1 | v_mul_f32 v2, v0, v1 | v2=0
v0=inff v1=-inff | v_add_f32 v2, v0, v1 | v2=nan
v0=0 v1=-0.0f v2=-1 | v_add_f32 v2, v0, v1 | v2=0
v0=-0.0f v1=-0.0f | v_add_f32 v2, v0, v1 | v2=0x80000000
""")
