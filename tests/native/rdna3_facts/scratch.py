"""SCRATCH: private memory of a work-item.

Facts: all 13 tests of tinygrad/tinygrad, test/amd/hw/test_scratch.py at 254834b892f1 (validated on RDNA3 by its
authors).
"""

from __future__ import annotations

from tests.native.rdna3_facts.row import table

DONE = "s_waitcnt vmcnt(0)"
WORD = f"scratch_store_b32 off, v2, off offset:256; {DONE}"
SEEN = f"{DONE}; scratch_load_b32 v5, off, off offset:256; {DONE}"

ROWS = table(f"""
v2=0xdeadbeef | {WORD}; {SEEN} | v5=0xdeadbeef
v2:3=0xcafebabedeadbeef | scratch_store_b64 off, v[2:3], off offset:256; {DONE}; \
scratch_load_b64 v[4:5], off, off offset:256; {DONE} | v4:5=0xcafebabedeadbeef
v2=0xdeadbeef v3=0x42 | {WORD}; scratch_store_b8 off, v3, off offset:256; {SEEN} | v5=0xdeadbe42
v2=0xdeadbeef v3=0xcafe | {WORD}; scratch_store_b16 off, v3, off offset:256; {SEEN} | v5=0xdeadcafe
v2:3=0xbbbbbbbbaaaaaaaa v4=0xcccccccc | scratch_store_b96 off, v[2:4], off offset:256; {DONE}; \
scratch_load_b96 v[5:7], off, off offset:256; {DONE} | v5:6=0xbbbbbbbbaaaaaaaa v7=0xcccccccc
v2:3=0xcafebabedeadbeef v4:5=0x9abcdef012345678 | scratch_store_b128 off, v[2:5], off offset:256; {DONE}; \
scratch_load_b128 v[6:9], off, off offset:256; {DONE} | v6:7=0xcafebabedeadbeef v8:9=0x9abcdef012345678
v2=0xdeadbeab | {WORD}; scratch_load_u8 v5, off, off offset:256; {DONE} | v5=0xab
v2=0x80 | scratch_store_b8 off, v2, off offset:256; {DONE}; scratch_load_i8 v5, off, off offset:256; {DONE} \
| v5=0xffffff80
v2=0xdeadcafe | {WORD}; scratch_load_u16 v5, off, off offset:256; {DONE} | v5=0xcafe
v2=0x8000 | scratch_store_b16 off, v2, off offset:256; {DONE}; scratch_load_i16 v5, off, off offset:256; {DONE} \
| v5=0xffff8000

# the address register counts only when the instruction says so (its sve bit)
v0=100 v2=0xaaaaaaaa v3=0xbbbbbbbb | {WORD}; scratch_store_b32 off, v3, off offset:256; {SEEN} | v5=0xbbbbbbbb
v0=100 v2=0xaaaaaaaa v3=0xbbbbbbbb | scratch_store_b32 v10, v2, off offset:256; {DONE}; \
scratch_store_b32 v0, v3, off offset:256; {SEEN}; scratch_load_b32 v6, v0, off offset:256; {DONE} \
| v5=0xaaaaaaaa v6=0xbbbbbbbb
lanes=4 | scratch_store_b32 off, v255, off offset:256; {SEEN} | v5=0,1,2,3
""")
