"""FLAT: loads and atomics at 64-bit addresses.

Facts: all 17 tests of tinygrad/tinygrad, test/amd/hw/test_flat.py at 254834b892f1 (validated on RDNA3 by its authors).
The suite checks what the atomics return; what they leave in memory is AMD's pseudocode.
"""

from __future__ import annotations

from tests.native.rdna3_facts.row import table

DONE = "s_waitcnt vmcnt(0) lgkmcnt(0)"
STORED = f"global_store_b32 v[0:1], v2, off offset:2000; {DONE}"
STORED64 = f"global_store_b64 v[0:1], v[2:3], off offset:2000; {DONE}"
SEEN = f"{DONE}; flat_load_b32 v5, v[0:1] offset:2000; {DONE}"
SEEN64 = f"{DONE}; flat_load_b64 v[8:9], v[0:1] offset:2000; {DONE}"

ROWS = table(f"""
v0:1=@ v2=100 v3=50 | {STORED}; flat_atomic_add_u32 v4, v[0:1], v3 offset:2000 glc; {SEEN} | v4=100 v5=150
v0:1=@ v2=0xaaaaaaaa v3=0xbbbbbbbb | {STORED}; flat_atomic_swap_b32 v4, v[0:1], v3 offset:2000 glc; {SEEN} \
| v4=0xaaaaaaaa v5=0xbbbbbbbb
v0:1=@ v2=0xff00ff00 v3=0xffff0000 | {STORED}; flat_atomic_and_b32 v4, v[0:1], v3 offset:2000 glc; {SEEN} \
| v4=0xff00ff00 v5=0xff000000
v0:1=@ v2=0x00ff0000 v3=0x0000ff00 | {STORED}; flat_atomic_or_b32 v4, v[0:1], v3 offset:2000 glc; {SEEN} \
| v4=0x00ff0000 v5=0x00ffff00
v0:1=@ v2=10 v3=100 | {STORED}; flat_atomic_inc_u32 v4, v[0:1], v3 offset:2000 glc; {SEEN} | v4=10 v5=11
v0:1=@ v2=10 v3=100 | {STORED}; flat_atomic_dec_u32 v4, v[0:1], v3 offset:2000 glc; {SEEN} | v4=10 v5=9
v0:1=@ v2=100 v3=30 | {STORED}; flat_atomic_sub_u32 v4, v[0:1], v3 offset:2000 glc; {SEEN} | v4=100 v5=70
v0:1=@ v2=0xaaaaaaaa v3=-1 | {STORED}; flat_atomic_xor_b32 v4, v[0:1], v3 offset:2000 glc; {SEEN} \
| v4=0xaaaaaaaa v5=0x55555555
v0:1=@ v2=100 v3=50 | {STORED}; flat_atomic_min_u32 v4, v[0:1], v3 offset:2000 glc; {SEEN} | v4=100 v5=50
v0:1=@ v2=50 v3=100 | {STORED}; flat_atomic_max_u32 v4, v[0:1], v3 offset:2000 glc; {SEEN} | v4=50 v5=100
v0:1=@ v2:3=0xcafebabedeadbeef v4:5=-1 | {STORED64}; flat_atomic_inc_u64 v[6:7], v[0:1], v[4:5] offset:2000 glc; \
{SEEN64} | v6:7=0xcafebabedeadbeef v8:9=0xcafebabedeadbef0
v0:1=@ v2:3=0x2222222211111111 v4:5=1 | {STORED64}; flat_atomic_add_u64 v[6:7], v[0:1], v[4:5] offset:2000 glc; \
{SEEN64} | v6:7=0x2222222211111111 v8:9=0x2222222211111112
v0:1=@ v2:3=0xbbbbbbbbaaaaaaaa v4:5=0xddddddddcccccccc | {STORED64}; \
flat_atomic_swap_b64 v[6:7], v[0:1], v[4:5] offset:2000 glc; {SEEN64} | v6:7=0xbbbbbbbbaaaaaaaa v8:9=0xddddddddcccccccc
v0:1=@ v2=0xdeadbeef | {STORED}; flat_load_b32 v4, v[0:1] offset:2000; {DONE} | v4=0xdeadbeef
v0:1=@ v2:3=0xcafebabedeadbeef | {STORED64}; flat_load_b64 v[4:5], v[0:1] offset:2000; {DONE} | v4:5=0xcafebabedeadbeef
v0:1=@ v2:3=0x2222222211111111 v4=0x33333333 | global_store_b96 v[0:1], v[2:4], off offset:2000; {DONE}; \
flat_load_b96 v[5:7], v[0:1] offset:2000; {DONE} | v5:6=0x2222222211111111 v7=0x33333333 v8=0
v0:1=@ v2:3=0x2222222211111111 v4:5=0x4444444433333333 | global_store_b128 v[0:1], v[2:5], off offset:2000; {DONE}; \
flat_load_b128 v[6:9], v[0:1] offset:2000; {DONE} | v6:7=0x2222222211111111 v8:9=0x4444444433333333
""")
