"""SMEM: scalar loads with immediate and register offsets.

Facts: all 12 tests of tinygrad/tinygrad, test/amd/hw/test_smem.py at 254834b892f1 (validated on RDNA3 by its authors).
"""

from __future__ import annotations

from tests.native.rdna3_facts.row import table

SEEN = "s_waitcnt vmcnt(0); s_gl1_inv; s_dcache_inv; s_wait_idle"
AB = f"global_store_b64 v0, v[2:3], s[2:3] offset:2000; {SEEN}"
WIDE = (
    "; ".join(
        f"v_mov_b32 v1, {(i + 1) * 0x11111111 & 0xFFFFFFFF:#x}; global_store_b32 v0, v1, s[2:3] offset:{2000 + 4 * i}"
        for i in range(16)
    )
    + f"; {SEEN}"
)
GIVEN = "s2:3=@ v2=0xaaaaaaaa v3=0xbbbbbbbb"
EIGHT = " ".join(f"s{4 + i}={(i + 1) * 0x11111111}" for i in range(8))

ROWS = table(f"""
{GIVEN} s4=4 | {AB}; s_load_b32 s5, s[2:3], s4 offset:2000; s_waitcnt lgkmcnt(0) | s5=0xbbbbbbbb
{GIVEN} s4=4 | {AB}; s_load_b32 s5, s[2:3], 2000; s_load_b32 s6, s[2:3], s4 offset:2000; s_waitcnt lgkmcnt(0) \
| s5=0xaaaaaaaa s6=0xbbbbbbbb
# the offset is read before the destination is written
{GIVEN} s4=4 | {AB}; s_load_b32 s4, s[2:3], s4 offset:2000; s_load_b32 s5, s[2:3], 2004; s_waitcnt lgkmcnt(0) \
| s4=0xbbbbbbbb s5=0xbbbbbbbb
{GIVEN} s4=0 | {AB}; s_load_b32 s5, s[2:3], s4 offset:2000; s_load_b32 s6, s[2:3], 2000; s_waitcnt lgkmcnt(0) \
| s5=0xaaaaaaaa s6=0xaaaaaaaa
{GIVEN} s4=4 s6=0 | {AB}; s_load_b32 s5, s[2:3], s4 offset:2000; s_load_b32 s7, s[2:3], s6 offset:2004; \
s_waitcnt lgkmcnt(0) | s5=0xbbbbbbbb s7=0xbbbbbbbb
{GIVEN} s4=0 | {AB}; s_load_b64 s[6:7], s[2:3], s4 offset:2000; s_load_b64 s[8:9], s[2:3], 2000; \
s_waitcnt lgkmcnt(0) | s6:7=0xbbbbbbbbaaaaaaaa s8:9=0xbbbbbbbbaaaaaaaa
s2:3=@ s15=0 | {WIDE}; s_load_b128 s[4:7], s[2:3], s15 offset:2000; s_load_b128 s[8:11], s[2:3], 2000; \
s_waitcnt lgkmcnt(0) | s4:5=0x2222222211111111 s6:7=0x4444444433333333 s8:9=0x2222222211111111 s10:11=0x4444444433333333
s2:3=@ | {WIDE}; s_load_b256 s[4:11], s[2:3], 2000; s_waitcnt lgkmcnt(0) | {EIGHT}
s2:3=@ | {WIDE}; s_load_b512 s[64:79], s[2:3], 2000; s_waitcnt lgkmcnt(0); s_mov_b64 s[4:5], s[64:65]; \
s_mov_b64 s[6:7], s[78:79] | s4=0x11111111 s5=0x22222222 s6=0xffffffff s7=0x11111110
s2:3=@ s15=8 | {WIDE}; s_load_b256 s[4:11], s[2:3], s15 offset:1992; s_waitcnt lgkmcnt(0) | {EIGHT}
{GIVEN} | global_store_b32 v0, v2, s[2:3] offset:100; global_store_b32 v0, v3, s[2:3] offset:200; {SEEN}; \
s_load_b32 s4, s[2:3], 100; s_load_b32 s5, s[2:3], 200; s_waitcnt lgkmcnt(0) | s4=0xaaaaaaaa s5=0xbbbbbbbb
{GIVEN} | global_store_b32 v0, v2, s[2:3] offset:100; global_store_b32 v0, v3, s[2:3] offset:200; {SEEN}; \
s_add_u32 s6, s2, 200; s_addc_u32 s7, s3, 0; s_load_b32 s4, s[6:7], -100; s_add_u32 s8, s2, 300; s_addc_u32 s9, s3, 0; \
s_load_b32 s5, s[8:9], -100; s_waitcnt lgkmcnt(0) | s4=0xaaaaaaaa s5=0xbbbbbbbb
""")
