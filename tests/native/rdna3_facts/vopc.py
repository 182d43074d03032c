"""VOPC: comparisons, float classes, comparisons that write EXEC.

Facts: all 74 tests of tinygrad/tinygrad, test/amd/hw/test_vopc.py at 44fd923813da (validated on RDNA3 by its authors).
Classes, from bit 0: signalling NaN, quiet NaN, then -infinity, -normal, -subnormal, -0 and +0, +subnormal, +normal,
+infinity.
"""

from __future__ import annotations

from tests.native.rdna3_facts.row import table

ROWS = table("""
v0=0x7fc00000 v1=0x002 | v_cmp_class_f32 vcc_lo, v0, v1 | vcc=1
v0=0x7f800001 v1=0x001 | v_cmp_class_f32 vcc_lo, v0, v1 | vcc=1
v0=0x7f800000 v1=0x200 | v_cmp_class_f32 vcc_lo, v0, v1 | vcc=1
v0=0xff800000 v1=0x004 | v_cmp_class_f32 vcc_lo, v0, v1 | vcc=1
v0=1.0f v1=0x100 | v_cmp_class_f32 vcc_lo, v0, v1 | vcc=1
v0=-1.0f v1=0x008 | v_cmp_class_f32 vcc_lo, v0, v1 | vcc=1
v0=0x7fc00000 v1=0x001 | v_cmp_class_f32 vcc_lo, v0, v1 | vcc=0
v0=0x7f800001 v1=0x002 | v_cmp_class_f32 vcc_lo, v0, v1 | vcc=0
v0=0 v1=0x040 | v_cmp_class_f16 vcc_lo, v0.l, v1.l | vcc=1
v0=0x8000 v1=0x020 | v_cmp_class_f16 vcc_lo, v0.l, v1.l | vcc=1
v0=0x3c00 v1=0x100 | v_cmp_class_f16 vcc_lo, v0.l, v1.l | vcc=1
v0=0xbc00 v1=0x008 | v_cmp_class_f16 vcc_lo, v0.l, v1.l | vcc=1
v0=0x7c00 v1=0x200 | v_cmp_class_f16 vcc_lo, v0.l, v1.l | vcc=1
v0=0xfc00 v1=0x004 | v_cmp_class_f16 vcc_lo, v0.l, v1.l | vcc=1
v0=0x7e00 v1=0x002 | v_cmp_class_f16 vcc_lo, v0.l, v1.l | vcc=1
v0=0x7c01 v1=0x001 | v_cmp_class_f16 vcc_lo, v0.l, v1.l | vcc=1
v0=1 v1=0x080 | v_cmp_class_f16 vcc_lo, v0.l, v1.l | vcc=1
v0=0x8001 v1=0x010 | v_cmp_class_f16 vcc_lo, v0.l, v1.l | vcc=1
v0=0 v1=0x060 | v_cmp_class_f16 vcc_lo, v0.l, v1.l | vcc=1
v0=0 v1=0x1f8 | v_cmp_class_f16 vcc_lo, v0.l, v1.l | vcc=1
v0=0 s0=0x1f8 | v_cmp_class_f16_e64 vcc_lo, v0.l, s0 | vcc=1
v0=0x3c00 s1=0x1f8 | v_cmp_class_f16_e64 vcc_lo, v0.l, s1 | vcc=1
v0=0x7e00 s1=0x1f8 | v_cmp_class_f16_e64 vcc_lo, v0.l, s1 | vcc=0
v0=0x7c00 s1=0x1f8 | v_cmp_class_f16_e64 vcc_lo, v0.l, s1 | vcc=0

# ordered and unordered "not equal"
v0=0x7fc00000 v1=1.0f | v_cmp_lg_f32 vcc_lo, v0, v1 | vcc=0
v0=0x7fc00000 v1=1.0f | v_cmp_neq_f32 vcc_lo, v0, v1 | vcc=1

# integers
lanes=4 v0=5 v1=5 | v_cmp_eq_u32 vcc_lo, v0, v1 | vcc=0xf
lanes=2 v1=0,1 | v_cmp_ne_u32 vcc_lo, 0, v1; v_cndmask_b32_e64 v0, 0, 1, vcc_lo | v0=0,1 vcc=2
lanes=2 | v_cmp_eq_u32 vcc_lo, 1, v255; v_cndmask_b32_e64 v1, v1, 1, vcc_lo; v_cmp_ne_u32 vcc_lo, 0, v1 | v1=0,1 vcc=2
lanes=4 v1=5 | v_cmp_ne_u32 vcc_lo, 0, v1 | vcc=0xf
v0=0x12340005 v1=0xabcd0005 | v_cmp_eq_u16_e32 vcc_lo, v0.l, v1.l | vcc=1
v0=0x00051234 v1=0x0005abcd | v_cmp_eq_u16_e64 s0, v0.h, v1.h | s0=1
v0=0x12340005 v1=0x12340009 | v_cmp_eq_u16_e64 s0, v0.h, v1.h | s0=1
v0=0x99990005 v1=0x12340005 | v_cmp_gt_u16_e64 s0, v0.h, v1.h | s0=1
lanes=32 v0=5 v1=5 | v_cmp_eq_u32 vcc_lo, v0, v1 | vcc=0xffffffff
lanes=32 v0=16 | v_cmp_lt_u32 vcc_lo, v255, v0 | vcc=0xffff

# f16 halves
v0=0x3c000000 v1=0x40000000 | v_cmp_lt_f16_e64 s0, v0.h, v1.h | s0=1
v0=0x40000000 v1=0x3c000000 | v_cmp_gt_f16_e64 s0, v0.h, v1.h | s0=1
v0=0x42004200 | v_cmp_eq_f16_e32 vcc_lo, v0.l, v0.h | vcc=1
v0=0x40003c00 | v_cmp_lg_f16_e32 vcc_lo, v0.l, v0.h | vcc=1
v0=0xfc00fc00 | v_cmp_nge_f16_e32 vcc_lo, v0.l, v0.h | vcc=0
lanes=2 v0=0x40003c00,0x3c004000 | v_cmp_lt_f16_e32 vcc_lo, v0.l, v0.h | vcc=1

# |x|
v0=0 v1=-1.0f | v_cmp_ge_f32_e64 vcc_lo, abs(v0), abs(v1) | vcc=0
v0=-0.5f v1=-3.0f | v_cmp_ge_f32_e64 vcc_lo, abs(v0), abs(v1) | vcc=0
v0=-1.0f v1=1.0f | v_cmp_ge_f32_e64 vcc_lo, abs(v0), abs(v1) | vcc=1

# 64 bits
s0:1=0.0d s2:3=1.0d | v_cmp_lt_f64_e64 vcc_lo, s[0:1], s[2:3] | vcc=1
s0:1=-1.0d s2:3=0.0d | v_cmp_lt_f64_e64 vcc_lo, s[0:1], s[2:3] | vcc=1
s0:1=0 s2:3=-1 | v_cmp_lt_i64_e64 vcc_lo, s[0:1], s[2:3] | vcc=0
s0:1=0 s2:3=-1 | v_cmp_lt_u64_e64 vcc_lo, s[0:1], s[2:3] | vcc=1
v0:1=2.0d v2:3=3.0d | v_cmp_lt_f64_e32 vcc_lo, v[0:1], v[2:3] | vcc=1
v0:1=3.0d v2:3=2.0d | v_cmp_lt_f64_e32 vcc_lo, v[0:1], v[2:3] | vcc=0
v0:1=3.0d v2:3=2.0d | v_cmp_nlt_f64_e32 vcc_lo, v[0:1], v[2:3] | vcc=1
v0:1=2.0d v2:3=3.0d | v_cmp_nlt_f64_e32 vcc_lo, v[0:1], v[2:3] | vcc=0

# "not greater or equal" holds for NaN
v0=1.0f v1=2.0f | v_cmp_nge_f32 vcc_lo, v0, v1 | vcc=1
v0=1.0f v1=1.0f | v_cmp_nge_f32 vcc_lo, v0, v1 | vcc=0
v0=2.0f v1=1.0f | v_cmp_nge_f32 vcc_lo, v0, v1 | vcc=0
v0=-inff v1=1.0f | v_cmp_nge_f32 vcc_lo, v0, v1 | vcc=1
v0=0x7fc00000 v1=1.0f | v_cmp_nge_f32 vcc_lo, v0, v1 | vcc=1
v0=1.0f v1=0x7fc00000 | v_cmp_nge_f32 vcc_lo, v0, v1 | vcc=1
v0=0x7fc00000 v1=0x7fc00000 | v_cmp_nge_f32 vcc_lo, v0, v1 | vcc=1
# bits of lanes that are off become 0
lanes=16 vcc=-1 v0=1.0f | s_mov_b32 exec_lo, 1; v_cmp_nge_f32 vcc_lo, 0xff800000, v0 | vcc=1

# EXEC keeps the lanes that were on and compare true
lanes=3 v1=200000.0f,300000.0f,400000.0f | s_mov_b32 exec_lo, 7; v_cmpx_ngt_f32_e64 0x48000000, v1 | exec=7
lanes=3 v1=100000.0f,200000.0f,150000.0f | s_mov_b32 exec_lo, 7; v_cmpx_ngt_f32_e64 0x48000000, v1 | exec=6
lanes=3 v0=100.0f | s_mov_b32 exec_lo, 7; v_cmpx_ngt_f32_e64 0x48000000, v0 | exec=0
lanes=3 v1=859240.0f,1000000.0f,100594688.0f | s_mov_b32 exec_lo, 7; v_cmpx_ngt_f32_e64 0x48000000, v1 | exec=7
lanes=3 | v_cmpx_eq_u32_e32 1, v255 | exec=2
lanes=5 | v_cmpx_eq_u32_e32 3, v255 | exec=8
lanes=4 | v_cmpx_gt_u32_e32 2, v255 | exec=3
lanes=4 | v_cmpx_le_u32_e32 2, v255 | exec=0xc
lanes=3 | v_cmpx_ne_u32_e32 0x63, v255 | exec=7
lanes=3 | v_cmpx_eq_u32_e32 0x63, v255 | exec=0
lanes=4 v1=0.5f | v_cvt_f32_u32 v0, v255; v_cmpx_gt_f32_e32 v0, v1 | exec=0xe
lanes=4 | v_cmpx_eq_u32_e64 v255, 2 | exec=4
""")
