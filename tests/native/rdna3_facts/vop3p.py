"""VOP3P and the packing VOP3s: packed f16, mixed fused multiply-add, dot products, matrix products.

Facts: all 55 tests of tinygrad/tinygrad, test/amd/hw/test_vop3p.py at 2cdc8a6f5496 (validated on RDNA3 by its authors).
"""

from __future__ import annotations

from tests.native.rdna3_facts.row import table


def fill(first: int, count: int, value: str) -> str:
    """Instructions that put one value into registers."""
    return "; ".join(f"v_mov_b32 v{first + i}, {value}" for i in range(count))


def products(first: str, value: str) -> str:
    """A and B of a matrix product, in v16 to v31."""
    return f"lanes=32 {first} s0={value} | {fill(16, 16, 's0')}"


def each(value: str) -> str:
    """The same value in v0 to v7."""
    return " ".join(f"v{i}={value}" for i in range(8))


LOW = "v[0:7], v[16:23], v[24:31], v[0:7]"
HIGH = "v[96:103], v[64:71], v[80:87], v[96:103]"
APART = f"lanes=32 s0=0x3c003c00 | {fill(64, 8, 's0')}; {fill(80, 8, 's0')}; {fill(96, 8, '0')}"
BACK = "; ".join(f"v_mov_b32 v{i}, v{96 + i}" for i in range(8))

ROWS = table(f"""
v0=0x3c00 v1=0x4000 | v_pack_b32_f16 v2, v0.l, v1.l | v2=0x40003c00
v0=0x40003c00 v1=0x44004200 | v_pack_b32_f16 v2, v0.h, v1.h | v2=0x44004000
v0=1.0f v1=1.0f | v_cvt_f16_f32 v2.l, v0; v_cvt_f16_f32 v3.l, v1; v_pack_b32_f16 v4, v2.l, v3.l | v4=0x3c003c00
v0=0x40003c00 v1=0x44004200 | v_pack_b32_f16 v2, v0.l, v1.l | v2=0x42003c00
v0=0x40003c00 v1=0x44004200 | v_pack_b32_f16 v2, v0.l, v1.h | v2=0x44003c00
v0=0x40003c00 v1=0x44004200 | v_pack_b32_f16 v2, v0.h, v1.l | v2=0x42004000
v0=0 v1=0 v2=-1 | v_pack_b32_f16 v2, v0.l, v1.l | v2=0
v0=0x4200 v1=0x4400 | v_pack_b32_f16 v2, v0.l, v1.l | v2=0x44004200

# mixed precision: op_sel_hi marks f16 sources, op_sel picks their half
v0=2.0f v1=3.0f v2=1.0f | v_fma_mix_f32 v3, v0, v1, v2 | v3=7.0f
v0=1.0f v1=3.0f v2=2.0h | v_fma_mix_f32 v3, v0, v1, v2 op_sel_hi:[0,0,1] | v3=5.0f
v0=1.0f v1=3.0f v2=0x40000000 | v_fma_mix_f32 v3, v0, v1, v2 op_sel:[0,0,1] op_sel_hi:[0,0,1] | v3=5.0f
v0=2.0f v1=3.0f v2=-1.0f | v_fma_mix_f32 v3, v0, v1, abs(v2) | v3=7.0f
v0=0 v1=1.0f v2=-1.0h | v_fma_mix_f32 v3, v0, v1, abs(v2) op_sel_hi:[0,0,1] | v3=1.0f
v0=0 v1=1.0f v2=1.0h | v_fma_mix_f32 v3, v0, v1, neg(v2) op_sel_hi:[0,0,1] | v3=-1.0f
v0=0 v1=1.0f v2=0xbc000000 | v_fma_mix_f32 v3, v0, v1, abs(v2) op_sel:[0,0,1] op_sel_hi:[0,0,1] | v3=1.0f
v0=2.0f v1=3.0f v2=1.0f v3=0xdead0000 | v_fma_mixlo_f16 v3, v0, v1, v2 | v3=0xdead4700
v0=1.0f v1=2.0f v2=3.0f | v_fma_mixlo_f16 v3, v0, v1, v2 | v3.l=5.0h
v3=1.0f s6=0xaf05a309 v5=0xc0490fdb | v_fma_mixlo_f16 v3, v3, s6, v5 | v3.l=0xc248

# packed f16; an inline constant is in the low half only
v0=0x40003c00 v1=0x44004200 | v_pk_add_f16 v2, v0, v1 | v2=0x46004400
v0=0x42004000 v1=0x45004400 | v_pk_mul_f16 v2, v0, v1 | v2=0x4b804800
v0=0x42004000 v1=0x45004400 v2=0x3c003c00 | v_pk_fma_f16 v3, v0, v1, v2 | v3=0x4c004880
v0=0x3c003c00 | v_pk_add_f16 v1, v0, 1.0 | v1=0x3c004000
v0=0x44004200 | v_pk_mul_f16 v1, v0, 2.0 | v1=0x00004600
v0=0x00030005 | v_pk_add_u16 v1, v0, 2.0 | v1=0x40030005
v0=0xc0003c00 v1=0x3c003c00 | v_pk_add_f16 v2, v0, v1 | v2=0xbc004000
v0=0x40004000 v1=0 v2=-1 | v_pk_mul_f16 v2, v0, v1 | v2=0
v0=0x42003c00 v1=0x40004400 | v_pk_min_f16 v2, v0, v1 | v2=0x40003c00
v0=0x42003c00 v1=0x40004400 | v_pk_max_f16 v2, v0, v1 | v2=0x42004400

# matrices of ones
{products("", "0x3c003c00")}; v_wmma_f16_16x16x16_f16 {LOW} | {each("0x4c00")}
{products(each("0x4500"), "0x3c003c00")}; v_wmma_f16_16x16x16_f16 {LOW} | {each("0x4d40")}
{APART}; v_wmma_f16_16x16x16_f16 {HIGH}; {BACK} | {each("0x4c00")}
{products("", "0x3c003c00")}; v_wmma_f32_16x16x16_f16 {LOW} | {each("16.0f")}
{products(each("5.0f"), "0x3c003c00")}; v_wmma_f32_16x16x16_f16 {LOW} | {each("21.0f")}
{APART}; v_wmma_f32_16x16x16_f16 {HIGH}; {BACK} | {each("16.0f")}
{products("", "0x3f803f80")}; v_wmma_f32_16x16x16_bf16 {LOW} | {each("16.0f")}
{products(each("5.0f"), "0x3f803f80")}; v_wmma_f32_16x16x16_bf16 {LOW} | {each("21.0f")}

# sums of absolute differences, byte permutation
v0=0x04030201 v1=0x05040302 | v_sad_u8 v3, v0, v1, v2 | v3=4
v0=0x04030201 v2=10 | v_sad_u8 v3, v0, v0, v2 | v3=10
v0=0x00030001 v1=0x00050002 | v_sad_u16 v3, v0, v1, v2 | v3=3
v0=100 v1=70 | v_sad_u32 v3, v0, v1, v2 | v3=30
v0=0x04030201 v1=0x05040302 | v_msad_u8 v3, v0, v1, v2 | v3=4
v0=0x44332211 v1=0x88776655 s2=0x07060504 | v_perm_b32 v2, v0, v1, s2 | v2=0x44332211

# dot products
v0=0x3f803f80 v1=0x40003f80 | v_dot2_f32_bf16 v3, v0, v1, v2 | v3=3.0f
v0=0x40003c00 v1=0x44004200 | v_dot2_f32_f16 v3, v0, v1, v2 | v3=11.0f
v0=0x3c003c00 v1=0x3c003c00 v2=5.0f | v_dot2_f32_f16 v3, v0, v1, v2 | v3=7.0f
v0=0xc0004200 v1=0x3c004000 | v_dot2_f32_f16 v3, v0, v1, v2 | v3=4.0f
v0=0x40003c00 v1=0x42004000 | v_dot2_f16_f16 v3.l, v0, v1, v2.l | v3.l=8.0h
v0=0x3c003c00 v1=0x3c003c00 v2=3.0h | v_dot2_f16_f16 v3.l, v0, v1, v2.l | v3.l=5.0h
v0=0xfffe0304 v1=0x01010101 | v_dot4_i32_iu8 v3, v0, v1, v2 neg_lo:[1,1,0] | v3=4
v0=0xffffffff v1=0x02020202 | v_dot4_i32_iu8 v3, v0, v1, v2 neg_lo:[1,0,0] | v3=-8
v0=0x02020202 v1=0xffffffff | v_dot4_i32_iu8 v3, v0, v1, v2 neg_lo:[0,1,0] | v3=-8
v0=0xffffffff v1=0x01010101 | v_dot4_i32_iu8 v3, v0, v1, v2 | v3=1020
v0=0xfe34fe34 v1=0x11111111 | v_dot8_i32_iu4 v3, v0, v1, v2 neg_lo:[1,1,0] | v3=8
v0=0xffffffff v1=0x11111111 | v_dot8_i32_iu4 v3, v0, v1, v2 neg_lo:[1,1,0] | v3=-8
""")
