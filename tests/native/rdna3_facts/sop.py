"""SOP1, SOP2, SOPC, SOPP: scalar arithmetic, bit fields, branches, the null register, barriers.

Facts: 75 of the 77 tests of tinygrad/tinygrad, test/amd/hw/test_sop.py at 1bb33e35e0df (validated on RDNA3 by its
authors). Left out: the two of s_fmamk_f32, an instruction of gfx1150 that gfx1100 does not have.
"""

from __future__ import annotations

from tests.native.rdna3_facts.row import table

EXCHANGE = (
    "v_lshlrev_b32 v2, 2, v255; ds_store_b32 v2, v1; s_waitcnt lgkmcnt(0); s_barrier; "
    "ds_load_b32 v5, v4; s_waitcnt lgkmcnt(0)"
)
OTHERS_OF_64 = ",".join(str((i + 32) % 64) for i in range(64))
OTHERS_OF_128 = ",".join(str((i + 32) % 128 // 32 * 0x1000 + i % 32) for i in range(128))

ROWS = table(f"""
s0=100 s1=200 | s_add_u32 s2, s0, s1 | s2=300
s0=64 s1=64 | s_not_b32 s0, s0; s_add_u32 s2, s0, s1; s_add_u32 s4, s2, 1 | s2=-1 s4=0 scc=1
s0=10 | s_brev_b32 s1, s0 | s1=0x50000000
s0=-1 | s_brev_b32 s1, s0 | s1=-1
s0=1 | s_brev_b32 s1, s0 | s1=0x80000000
s0=0xdeadaaaa s1=0xdeadbbbb | s_pack_ll_b32_b16 s2, s0, s1 | s2=0xbbbbaaaa
s0=0xdeadaaaa s1=0xdeadbbbb | s_pack_lh_b32_b16 s2, s0, s1 | s2=0xdeadaaaa
s0=0xdeadaaaa s1=0xdeadbbbb | s_pack_hh_b32_b16 s2, s0, s1 | s2=0xdeaddead
s0=0xdeadaaaa s1=0xdeadbbbb | s_pack_hl_b32_b16 s2, s0, s1 | s2=0xbbbbdead
s0=0xffffffff | s_quadmask_b32 s1, s0 | s1=0xff
s0=0x0f0f0f0f | s_quadmask_b32 s1, s0 | s1=0x55
s0=0 | s_quadmask_b32 s1, s0 | s1=0
s0=0x11111111 | s_quadmask_b32 s1, s0 | s1=0xff
s0=0xffffffff | s_wqm_b32 s1, s0 | s1=0xffffffff
s0=0x11111111 | s_wqm_b32 s1, s0 | s1=0xffffffff
s0=0 | s_wqm_b32 s1, s0 | s1=0

# a wave32 branches on the low half of VCC
vcc=0 | s_mov_b32 vcc_hi, 1; s_cbranch_vccnz 1; v_mov_b32 v0, 42 | v0=42
vcc=1 | s_mov_b32 vcc_hi, 0; s_cbranch_vccz 1; v_mov_b32 v0, 42 | v0=42
vcc=1 | s_cbranch_vccnz 1; v_mov_b32 v0, 42 | v0=0
s0=0 s1=0xc1f00000 | v_mov_b32 v0, s0; v_mov_b32 v1, s1 | v0:1=-4294967296.0d

# comparisons and overflow
s0=10 | s_cmp_eq_u32 s0, 10; s_cselect_b32 s1, 1, 0 | s1=1 scc=1
s0=10 | s_cmp_eq_u32 s0, 20; s_cselect_b32 s1, 1, 0 | s1=0 scc=0
s0=1 | s_add_i32 s1, s0, 1 | s1=2 scc=0
s0=0x7fffffff | s_add_i32 s1, s0, 1 | s1=0x80000000 scc=1
s0=-10 s1=20 | s_add_i32 s2, s0, s1 | s2=10 scc=0
s0=0x80000000 s1=-1 | s_add_i32 s2, s0, s1 | s2=0x7fffffff scc=1
s0=10 s1=5 | s_sub_i32 s2, s0, s1 | s2=5 scc=0
s0=0x7fffffff s1=-1 | s_sub_i32 s2, s0, s1 | s2=0x80000000 scc=1
s0=0x80000000 s1=4 | s_mul_hi_u32 s2, s0, s1 | s2=2
s0=-1 s1=-1 | s_mul_hi_u32 s2, s0, s1 | s2=0xfffffffe
s0=0x40000000 s1=4 | s_mul_hi_i32 s2, s0, s1 | s2=1
s0=-1 s1=-1 | s_mul_hi_i32 s2, s0, s1 | s2=0
s0=-1 s1=2 | s_mul_hi_i32 s2, s0, s1 | s2=-1
s0=0x80000000 s1=2 | s_mul_hi_i32 s2, s0, s1 | s2=-1
s0=-1 s1=10 | s_mul_i32 s2, s0, s1 | s2=-10
s10=0x28be60db | s_mov_b32 s18, 3; s_sub_i32 s11, 0, s18; s_mul_i32 s6, s10, 2; s_add_i32 s7, s6, 1 \
| s11=-3 s6=0x517cc1b6 s7=0x517cc1b7

# the position of a bit counts modulo 32
s0=0 s1=0 | s_bitset1_b32 s0, s1 | s0=1
s0=0 s1=31 | s_bitset1_b32 s0, s1 | s0=0x80000000
s0=0xff00ff00 s1=0 | s_bitset1_b32 s0, s1 | s0=0xff00ff01
s0=-1 s1=0 | s_bitset0_b32 s0, s1 | s0=0xfffffffe
s0=-1 s1=31 | s_bitset0_b32 s0, s1 | s0=0x7fffffff
s0=0 s1=37 | s_bitset1_b32 s0, s1 | s0=0x20

# signed fields extend to 64 bits
s0:1=1 s2=0x100000 | s_bfe_i64 s[4:5], s[0:1], s2 | s4:5=1
s0:1=0xffff s2=0x100000 | s_bfe_i64 s[4:5], s[0:1], s2 | s4:5=-1
s0:1=0xff s2=0x80000 | s_bfe_i64 s[4:5], s[0:1], s2 | s4:5=-1
s0:1=0x7f s2=0x80000 | s_bfe_i64 s[4:5], s[0:1], s2 | s4:5=0x7f
s0:1=0xff000000 s2=0x100010 | s_bfe_i64 s[4:5], s[0:1], s2 | s4:5=-256
s0:1=0x80000000 s2=0x200000 | s_bfe_i64 s[4:5], s[0:1], s2 | s4:5=0xffffffff80000000
s0:1=0x123456789abcdef0 s2:3=0x123456789abcdef0 | s_cmp_eq_u64 s[0:1], s[2:3] | scc=1
s0:1=0 s2:3=0x100000000 | s_cmp_eq_u64 s[0:1], s[2:3]; s_cselect_b32 s4, 1, 0 | scc=0 s4=0
s0:1=0 s2:3=0x100000000 | s_cmp_lg_u64 s[0:1], s[2:3]; s_cselect_b32 s4, 1, 0 | scc=1 s4=1
s0=42 | s_nop 0; s_mov_b32 s1, 100 | s0=42 s1=100
s0=1 | s_nop 3; s_add_u32 s0, s0, 1 | s0=2

# null reads as 0 and drops what is written, but SCC is set
s0=0xdeadbeef | s_mov_b32 s0, null | s0=0
s0=100 | s_add_u32 s1, s0, null | s1=100
s0=0xdeadbeef | s_mov_b32 null, 42 | s0=0xdeadbeef
s0=-1 s1=1 | s_add_u32 null, s0, s1; s_cselect_b32 s2, 1, 0 | s2=1 scc=1
s0=0xff00ff00 s1=0x0f0f0f0f | s_and_b32 null, s0, s1; s_cselect_b32 s2, 1, 0 | s2=1 scc=1
s0=0 s1=0 | s_or_b32 null, s0, s1; s_cselect_b32 s2, 1, 0 | s2=0 scc=0

# 64-bit constants: inline ones extend their sign, floats become f64, literals extend with zeros
s0:1=-1 | s_mov_b64 s[0:1], 0 | s0:1=0
s0:1=-1 | s_mov_b64 s[0:1], 16 | s0:1=16
s0:1=-1 | s_mov_b64 s[0:1], 64 | s0:1=64
s0:1=0 | s_mov_b64 s[0:1], -1 | s0:1=-1
s0:1=0 | s_mov_b64 s[0:1], -16 | s0:1=-16
s0:1=0 | s_mov_b64 s[0:1], 1.0 | s0:1=1.0d
s0:1=0 | s_or_b64 s[2:3], s[0:1], 16 | s2:3=16
s0:1=-1 | s_and_b64 s[2:3], s[0:1], 16 | s2:3=16
s0:1=-1 | s_mov_b64 s[0:1], 0x12345678 | s0:1=0x12345678
s0:1=0 | s_or_b64 s[2:3], s[0:1], 0x12345678 | s2:3=0x12345678
s0:1=-1 | s_and_b64 s[2:3], s[0:1], 0x12345678 | s2:3=0x12345678
# s_mov_b64 s[0:1], literal: words, since an assembler may choose another form
s0:1=0 | .long 0xbe8001ff, 0xffffffff | s0:1=0xffffffff
s0:1=0 | .long 0xbe8001ff, 0x80000000 | s0:1=0x80000000

# two and four waves exchange through LDS across a barrier
lanes=64 | v_mov_b32 v1, v255; v_add_nc_u32 v4, 32, v1; v_and_b32 v4, 63, v4; v_lshlrev_b32 v4, 2, v4; {EXCHANGE} \
| v5={OTHERS_OF_64}
lanes=64 | v_mov_b32 v1, v255; v_add_nc_u32 v4, 32, v1; v_and_b32 v4, 63, v4; v_lshlrev_b32 v4, 2, v4; {EXCHANGE}; \
v_add_nc_u32 v1, 1000, v5; s_barrier; {EXCHANGE} | v5={",".join(str(i + 1000) for i in range(64))}
lanes=128 | v_lshrrev_b32 v1, 5, v255; v_lshlrev_b32 v1, 12, v1; v_and_b32 v3, 31, v255; v_add_nc_u32 v1, v1, v3; \
v_add_nc_u32 v4, 32, v255; v_and_b32 v4, 127, v4; v_lshlrev_b32 v4, 2, v4; {EXCHANGE} | v5={OTHERS_OF_128}
""")
