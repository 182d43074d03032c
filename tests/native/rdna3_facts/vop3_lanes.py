"""VOP3, lanes: reading, writing and permuting lanes.

Facts: the 17 lane tests of the 253 in tinygrad/tinygrad, test/amd/hw/test_vop3.py at 2ba48375e825 (validated on RDNA3
by its authors).
"""

from __future__ import annotations

from tests.native.rdna3_facts.row import table


def lanes(values: list[int]) -> str:
    """A value for each lane."""
    return ",".join(str(value) for value in values)


SUM = "; ".join(f"v_readlane_b32 s1, v0, {i}; s_add_u32 s0, s0, s1" for i in range(4))

ROWS = table(f"""
lanes=4 v0=0,10,20,30 | v_readlane_b32 s0, v0, 2; v_mov_b32 v2, s0 | v2=20
lanes=4 v0=100,104,108,112 | v_readlane_b32 s0, v0, 0; v_mov_b32 v1, s0 | v1=100
lanes=4 v0=100,104,108,112 | v_readlane_b32 s0, v0, 3; v_mov_b32 v1, s0 | v1=112
lanes=4 v5=50,58,66,74 | v_readlane_b32 s0, v5, 1; v_mov_b32 v6, s0 | v6=58
lanes=4 v0=1,2,3,4 | {SUM}; v_mov_b32 v1, s0 | v1=10
lanes=4 v0=0,1,2,3 | {SUM} | s0=6
lanes=4 s0=999 | v_writelane_b32 v0, s0, 2 | v0=0,0,999,0
lanes=4 s0=0xdeadbeef | v_writelane_b32 v0, s0, 1; v_readlane_b32 s1, v0, 1; v_mov_b32 v1, s1 | v1=0xdeadbeef
lanes=4 s0=0x12345678 | v_writelane_b32 v5, s0, 1 | v0=0 v5=0,0x12345678,0,0
lanes=4 s0=0xcafebabe | v_writelane_b32 v15, s0, 0 | v0=0 v15=0xcafebabe,0,0,0
lanes=4 s0=100 s1=200 s2=300 | v_writelane_b32 v3, s0, 0; v_writelane_b32 v7, s1, 1; v_writelane_b32 v10, s2, 2 \
| v0=0 v3=100,0,0,0 v7=0,200,0,0 v10=0,0,300,0
lanes=4 s0=0xabcd1234 | v_writelane_b32 v8, s0, 2; v_readlane_b32 s1, v8, 2; v_mov_b32 v1, s1 | v0=0 v1=0xabcd1234
lanes=4 s0=10 s1=20 s2=30 s3=40 | v_writelane_b32 v6, s0, 0; v_writelane_b32 v6, s1, 1; v_writelane_b32 v6, s2, 2; \
v_writelane_b32 v6, s3, 3; v_mov_b32 v0, v6; s_mov_b32 s0, 0; {SUM}; v_mov_b32 v7, s0 | v6=10,20,30,40 v7=100
lanes=32 | v_mov_b32 v0, v255 | v0={lanes(list(range(32)))}

# nibble i of the 64-bit selector names the lane that lane i of each row of 16 reads, or of the other row
v0=0xdeadbeef s0=0x76543210 s1=0xfedcba98 | v_permlane16_b32 v1, v0, s0, s1 | v1=0xdeadbeef
lanes=32 s0=0 s1=0 | v_mov_b32 v0, v255; v_permlane16_b32 v1, v0, s0, s1 | v1={lanes([0] * 16 + [16] * 16)}
lanes=32 s0=0x76543210 s1=0xfedcba98 | v_mov_b32 v0, v255; v_permlanex16_b32 v1, v0, s0, s1 \
| v1={lanes([i ^ 16 for i in range(32)])}
""")
