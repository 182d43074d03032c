"""DS: loads, stores, pairs, atomics and permutes of LDS.

Facts: all 42 tests of tinygrad/tinygrad, test/amd/hw/test_ds.py at 1bb33e35e0df (validated on RDNA3 by its authors).
"""

from __future__ import annotations

from tests.native.rdna3_facts.row import table

DONE = "s_waitcnt lgkmcnt(0)"
STORED = f"ds_store_b32 v10, v0; {DONE}"
SEEN = f"{DONE}; ds_load_b32 v3, v10; {DONE}"
AB = "v0=0xaaaaaaaa v1=0xbbbbbbbb"
ONES = "v0=0x11111111 v1=0x22222222"
FOUR = "v0=0x11111111 v1=0x22222222 v2=0x33333333 v3=0x44444444"
TWO64 = "v0:1=0xcafebabedeadbeef v2:3=0x9abcdef012345678"

ROWS = table(f"""
# two addresses: offsets count elements, or 64 of them
{AB} | ds_store_2addr_b32 v10, v0, v1 offset1:1; {DONE}; ds_load_2addr_b32 v[2:3], v10 offset1:1; {DONE} \
| v2=0xaaaaaaaa v3=0xbbbbbbbb
{TWO64} | ds_store_2addr_b64 v10, v[0:1], v[2:3] offset1:2; {DONE}; ds_load_2addr_b64 v[4:7], v10 offset1:2; {DONE} \
| v4:5=0xcafebabedeadbeef v6:7=0x9abcdef012345678
{ONES} | ds_store_2addr_b32 v10, v0, v1 offset0:2 offset1:5; {DONE}; \
ds_load_2addr_b32 v[2:3], v10 offset0:2 offset1:5; ds_load_b32 v4, v10 offset:8; ds_load_b32 v5, v10 offset:20; {DONE} \
| v2=0x11111111 v3=0x22222222 v4=0x11111111 v5=0x22222222
{FOUR} | ds_store_b32 v10, v0; ds_store_b32 v10, v1 offset:4; ds_store_b32 v10, v2 offset:8; \
ds_store_b32 v10, v3 offset:12; {DONE}; ds_load_2addr_b64 v[4:7], v10 offset1:1; {DONE} \
| v4:5=0x2222222211111111 v6:7=0x4444444433333333
{AB} v4=0xdeadbeef | ds_store_2addr_b32 v10, v0, v1 offset1:1; {DONE}; ds_load_2addr_b32 v[2:3], v10 offset1:1; {DONE} \
| v2=0xaaaaaaaa v3=0xbbbbbbbb v4=0xdeadbeef
v0:1=0xcafebabedeadbeef v4=0x12345678 | ds_store_b64 v10, v[0:1]; {DONE}; ds_load_b64 v[2:3], v10; {DONE} \
| v2:3=0xcafebabedeadbeef v4=0x12345678
{AB} | ds_store_2addr_stride64_b32 v10, v0, v1 offset0:1 offset1:2; {DONE}; \
ds_load_2addr_stride64_b32 v[2:3], v10 offset0:1 offset1:2; ds_load_b32 v4, v10 offset:256; \
ds_load_b32 v5, v10 offset:512; {DONE} | v2=0xaaaaaaaa v3=0xbbbbbbbb v4=0xaaaaaaaa v5=0xbbbbbbbb
{TWO64} | ds_store_2addr_stride64_b64 v10, v[0:1], v[2:3] offset0:1 offset1:2; {DONE}; \
ds_load_2addr_stride64_b64 v[4:7], v10 offset0:1 offset1:2; ds_load_b64 v[8:9], v10 offset:1024; {DONE} \
| v4:5=0xcafebabedeadbeef v6:7=0x9abcdef012345678 v8:9=0x9abcdef012345678
{ONES} | ds_store_2addr_stride64_b64 v10, v[0:1], v[0:1] offset0:1 offset1:2; {DONE}; \
ds_load_2addr_stride64_b64 v[2:5], v10 offset0:1 offset1:2; {DONE} | v2:3=0x2222222211111111 v4:5=0x2222222211111111

# 96 and 128 bits
{FOUR} | ds_store_b96 v10, v[0:2]; {DONE}; ds_load_b96 v[4:6], v10; {DONE} | v4:5=0x2222222211111111 v6=0x33333333 v7=0
{FOUR} | ds_store_b96 v10, v[0:2] offset:12; {DONE}; ds_load_b96 v[4:6], v10 offset:12; {DONE} \
| v4:5=0x2222222211111111 v6=0x33333333
{FOUR} | ds_store_b128 v10, v[0:3]; {DONE}; ds_load_b128 v[4:7], v10; {DONE} \
| v4:5=0x2222222211111111 v6:7=0x4444444433333333
{FOUR} | ds_store_b128 v10, v[0:3] offset:16; {DONE}; ds_load_b128 v[4:7], v10 offset:16; {DONE} \
| v4:5=0x2222222211111111 v6:7=0x4444444433333333

# atomics return what was there
v0=100 v1=200 | {STORED}; ds_max_rtn_u32 v2, v10, v1; {SEEN} | v2=100 v3=200
v0=200 v1=100 | {STORED}; ds_min_rtn_u32 v2, v10, v1; {SEEN} | v2=200 v3=100
v0=0xff00ff00 v1=0xffff0000 | {STORED}; ds_and_rtn_b32 v2, v10, v1; {SEEN} | v2=0xff00ff00 v3=0xff000000
v0=0x00ff0000 v1=0x000000ff | {STORED}; ds_or_rtn_b32 v2, v10, v1; {SEEN} | v2=0x00ff0000 v3=0x00ff00ff
v0=0xaaaaaaaa v1=-1 | {STORED}; ds_xor_rtn_b32 v2, v10, v1; {SEEN} | v2=0xaaaaaaaa v3=0x55555555
v0=5 v1=10 | {STORED}; ds_inc_rtn_u32 v2, v10, v1; {SEEN} | v2=5 v3=6
v0=5 v1=10 | {STORED}; ds_dec_rtn_u32 v2, v10, v1; {SEEN} | v2=5 v3=4
v0=0 v1=10 | {STORED}; ds_dec_rtn_u32 v2, v10, v1; {SEEN} | v2=0 v3=10
v0=100 v1=200 v2=100 | {STORED}; ds_cmpstore_b32 v10, v1, v2; {SEEN} | v3=200
v0=100 v1=200 v2=50 | {STORED}; ds_cmpstore_b32 v10, v1, v2; {SEEN} | v3=100
v0=100 v1=200 | {STORED}; ds_max_u32 v10, v1; {SEEN} | v3=200
# ds_add_u32 v10, v1 with 2 in its unused destination field
v0=100 v1=50 v2=0xdeadbeef | {STORED}; .long 0xd8000000, 0x0200010a; {SEEN} | v2=0xdeadbeef v3=150
v0=100 v1=50 v2=0xdeadbeef | {STORED}; ds_add_rtn_u32 v2, v10, v1; {SEEN} | v2=100 v3=150
v0=100 v1=25 | {STORED}; ds_add_rtn_u32 v2, v10, v1; {DONE}; ds_add_rtn_u32 v4, v10, v1; {SEEN} | v2=100 v4=125 v3=150
{AB} | {STORED}; ds_storexchg_rtn_b32 v2, v10, v1; {SEEN} | v2=0xaaaaaaaa v3=0xbbbbbbbb
{FOUR} | ds_store_2addr_b32 v10, v0, v1 offset1:1; {DONE}; ds_storexchg_2addr_rtn_b32 v[4:5], v10, v2, v3 offset1:1; \
{DONE}; ds_load_2addr_b32 v[6:7], v10 offset1:1; {DONE} | v4:5=0x2222222211111111 v6:7=0x4444444433333333
{TWO64} | ds_store_b64 v10, v[0:1]; {DONE}; ds_storexchg_rtn_b64 v[4:5], v10, v[2:3]; {DONE}; \
ds_load_b64 v[6:7], v10; {DONE} | v4:5=0xcafebabedeadbeef v6:7=0x9abcdef012345678
{FOUR} | ds_store_2addr_stride64_b32 v10, v0, v1 offset0:1 offset1:2; {DONE}; \
ds_storexchg_2addr_stride64_rtn_b32 v[4:5], v10, v2, v3 offset0:1 offset1:2; {DONE}; \
ds_load_2addr_stride64_b32 v[6:7], v10 offset0:1 offset1:2; {DONE} | v4:5=0x2222222211111111 v6:7=0x4444444433333333
{ONES} v6=0xaaaaaaaa v7=0xbbbbbbbb | ds_store_2addr_stride64_b64 v10, v[0:1], v[0:1] offset0:1 offset1:2; {DONE}; \
ds_storexchg_2addr_stride64_rtn_b64 v[8:11], v10, v[6:7], v[6:7] offset0:1 offset1:2; {DONE} \
| v8:9=0x2222222211111111 v10:11=0x2222222211111111
v0=0 v1=0xdeadbeef v2=0x11111111 | ds_store_b32 v0, v1; {DONE}; ds_load_b32 v1, v0; {DONE} | v1=0xdeadbeef v2=0x11111111

# permutes: byte addresses of lanes
v0=0 v1=0xdeadbeef | ds_permute_b32 v2, v0, v1; {DONE} | v2=0xdeadbeef
v0=0 v1=0xcafebabe | ds_bpermute_b32 v2, v0, v1; {DONE} | v2=0xcafebabe
lanes=4 v0=0 v1=0x11111111 | ds_permute_b32 v2, v0, v1; {DONE} | v2[0]=0x11111111

# offsets beyond a byte
v0=0xdeadbeef | ds_store_b32 v10, v0 offset:256; {DONE}; ds_load_b32 v1, v10 offset:256; {DONE} | v1=0xdeadbeef
v0=0xcafebabe | ds_store_b32 v10, v0 offset:300; {DONE}; ds_load_b32 v1, v10 offset:300; {DONE} | v1=0xcafebabe
v0=0x12345678 | ds_store_b32 v10, v0 offset:448; {DONE}; ds_load_b32 v1, v10 offset:448; {DONE} | v1=0x12345678
{ONES} | ds_store_b64 v10, v[0:1] offset:512; {DONE}; ds_load_b64 v[2:3], v10 offset:512; {DONE} \
| v2:3=0x2222222211111111
{ONES} | ds_store_b64 v10, v[0:1] offset:392; {DONE}; ds_load_b64 v[2:3], v10 offset:392; {DONE} \
| v2:3=0x2222222211111111
{AB} | ds_store_b32 v10, v0; ds_store_b32 v10, v1 offset:256; {DONE}; ds_load_b32 v2, v10; \
ds_load_b32 v3, v10 offset:256; {DONE} | v2=0xaaaaaaaa v3=0xbbbbbbbb
""")
