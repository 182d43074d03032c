"""GLOBAL: loads, stores and atomics with a VGPR or an SGPR pair as base.

Facts: all 22 tests of tinygrad/tinygrad, test/amd/hw/test_global.py at 254834b892f1 (validated on RDNA3 by its
authors).
"""

from __future__ import annotations

from tests.native.rdna3_facts.row import table

DONE = "s_waitcnt vmcnt(0)"
WORD = f"global_store_b32 v0, v2, s[2:3] offset:256; {DONE}"
SEEN = f"{DONE}; global_load_b32 v5, v0, s[2:3] offset:256; {DONE}"
HALF = f"global_store_b16 v0, v2, s[2:3] offset:256; {DONE}"
BYTE = f"global_store_b8 v0, v2, s[2:3] offset:256; {DONE}"
PAIR = f"global_store_b32 v[0:1], v2, off offset:100; global_store_b32 v[0:1], v3, off offset:200; {DONE}"
AB = "v2=0xaaaaaaaa v3=0xbbbbbbbb"

ROWS = table(f"""
v0:1=@ v2=100 v3=50 | global_store_b32 v[0:1], v2, off offset:2000; {DONE}; \
global_atomic_add_u32 v4, v[0:1], v3, off offset:2000 glc; {DONE} | v4=100
v0:1=@ v2:3=0xffffffff v4:5=1 | global_store_b64 v[0:1], v[2:3], off offset:2000; {DONE}; \
global_atomic_add_u64 v[6:7], v[0:1], v[4:5], off offset:2000 glc; {DONE}; \
global_load_b64 v[8:9], v[0:1], off offset:2000; {DONE} | v6:7=0xffffffff v8:9=0x100000000
v0:1=@ v2:3=0xbbbbbbbbaaaaaaaa v4=0xcccccccc | global_store_b96 v[0:1], v[2:4], off offset:2000; {DONE}; \
global_load_b96 v[5:7], v[0:1], off offset:2000; {DONE} | v5:6=0xbbbbbbbbaaaaaaaa v7=0xcccccccc v8=0
v0:1=@ v2:3=0xcafebabedeadbeef v4:5=0x9abcdef012345678 | global_store_b128 v[0:1], v[2:5], off offset:2000; {DONE}; \
global_load_b128 v[6:9], v[0:1], off offset:2000; {DONE} | v6:7=0xcafebabedeadbeef v8:9=0x9abcdef012345678

# narrow stores leave the rest, at any byte address
s2:3=@ v2=0xdeadbeef v3=0x42 | {WORD}; global_store_b8 v0, v3, s[2:3] offset:256; {SEEN} | v5=0xdeadbe42
s2:3=@ v2=0xdeadbeef v3=0x42 | {WORD}; global_store_b8 v0, v3, s[2:3] offset:257; {SEEN} | v5=0xdead42ef
s2:3=@ v2=0xdeadbeef v3=0xcafe | {WORD}; global_store_b16 v0, v3, s[2:3] offset:256; {SEEN} | v5=0xdeadcafe
s2:3=@ v2=0xdeadbeef v3=0xcafe | {WORD}; global_store_b16 v0, v3, s[2:3] offset:258; {SEEN} | v5=0xcafebeef
s2:3=@ v2=0xddccbbaa v3=0xbeef | {WORD}; global_store_b16 v0, v3, s[2:3] offset:257; {SEEN} | v5=0xddbeefaa
s2:3=@ v2=0xddccbbaa v3=0xbeef v4=0x44332211 | {WORD}; global_store_b32 v0, v4, s[2:3] offset:260; {DONE}; \
global_store_b16 v0, v3, s[2:3] offset:259; {SEEN}; global_load_b32 v6, v0, s[2:3] offset:260; {DONE} \
| v5=0xefccbbaa v6=0x443322be
s2:3=@ v2:3=0xcafebabedeadbeef | global_store_b64 v0, v[2:3], s[2:3] offset:256; {DONE}; \
global_load_b64 v[4:5], v0, s[2:3] offset:256; {DONE} | v4:5=0xcafebabedeadbeef

# loads into the high half keep the low one; their data field means nothing
s2:3=@ v2=0xcafe v3=0xbeef | {HALF}; global_load_d16_hi_b16 v3, v0, s[2:3] offset:256; {DONE} | v3=0xcafebeef
s2:3=@ v2=0xcafe | {HALF}; v_mov_b32 v0, 0xdead; global_load_d16_hi_b16 v1, v1, s[2:3] offset:256; {DONE} \
| v1=0xcafe0000
s2:3=@ v2=0xcafe | {HALF}; global_load_d16_hi_b16 v0, v0, s[2:3] offset:256; {DONE} | v0=0xcafe0000
# global_load_d16_hi_u8 v5, v3, s[2:3] offset:256 and _i8, with v4 as data
s2:3=@ v2=0xab v4=0xdead v5=0xbeef | {BYTE}; .long 0xdc860100, 0x05020403; {DONE} | v5=0x00abbeef
s2:3=@ v2=0x80 v4=0xdead v5=0xbeef | {BYTE}; .long 0xdc8a0100, 0x05020403; {DONE} | v5=0xff80beef
s2:3=@ v2=0x01010101 v3=0x01010101 | global_store_b64 v0, v[2:3], s[2:3] offset:256; {DONE}; v_mov_b32 v0, 0x101; \
global_load_d16_hi_b16 v1, v1, s[2:3] offset:262; {DONE} | v1=0x01010000
# bytes 3 to 7 of one row of a lower-triangular matrix, put together from narrow loads
s2:3=@ v10=0x01010101 v11=0x01010101 v12=1 | global_store_b64 v0, v[10:11], s[2:3] offset:256; \
global_store_b8 v0, v12, s[2:3] offset:264; {DONE}; global_load_u16 v0, v2, s[2:3] offset:259; \
global_load_d16_hi_b16 v1, v1, s[2:3] offset:262; global_load_u8 v3, v2, s[2:3] offset:256; \
global_load_u8 v4, v2, s[2:3] offset:264; {DONE}; v_and_b32 v5, 0xffff, v0; v_lshlrev_b32 v0, 24, v0; \
v_lshrrev_b32 v5, 8, v5; v_or_b32 v0, v3, v0; v_or_b32 v1, v5, v1; global_store_b64 v2, v[0:1], s[2:3] offset:272; \
{DONE}; global_load_b64 v[6:7], v2, s[2:3] offset:272; {DONE} | v6=0x01000001 v7=0x01010001

# offsets
v0:1=@ {AB} | {PAIR}; global_load_b32 v4, v[0:1], off offset:100; global_load_b32 v5, v[0:1], off offset:200; {DONE} \
| v4=0xaaaaaaaa v5=0xbbbbbbbb
v0:1=@ {AB} | global_store_b32 v[0:1], v2, off offset:300; global_store_b32 v[0:1], v3, off offset:400; {DONE}; \
global_load_b32 v4, v[0:1], off offset:300; global_load_b32 v5, v[0:1], off offset:400; {DONE} \
| v4=0xaaaaaaaa v5=0xbbbbbbbb
v0:1=@ s2:3=@ {AB} | {PAIR}; s_add_u32 s4, s2, 200; s_addc_u32 s5, s3, 0; v_mov_b32 v4, s4; v_mov_b32 v5, s5; \
s_add_u32 s4, s2, 300; s_addc_u32 s5, s3, 0; v_mov_b32 v6, s4; v_mov_b32 v7, s5; \
global_load_b32 v8, v[4:5], off offset:-100; global_load_b32 v9, v[6:7], off offset:-100; {DONE} \
| v8=0xaaaaaaaa v9=0xbbbbbbbb
v0:1=@ s2:3=@ {AB} | {PAIR}; s_add_u32 s4, s2, 200; s_addc_u32 s5, s3, 0; s_add_u32 s6, s2, 300; s_addc_u32 s7, s3, 0; \
global_load_b32 v8, v10, s[4:5] offset:-100; global_load_b32 v9, v10, s[6:7] offset:-100; {DONE} \
| v8=0xaaaaaaaa v9=0xbbbbbbbb
""")
