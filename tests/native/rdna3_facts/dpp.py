"""DPP16: lanes read from other lanes of their row of 16.

Facts: 8 of the 9 tests of tinygrad/tinygrad, test/amd/hw/test_dpp.py at 1057f7d27aa6 (validated on RDNA3 by its
authors), in two waves of 32. Left out: a comparison with control 0x142, which RDNA3 does not define (row_bcast of
earlier GPUs, of which the expected lanes are not the result either).
"""

from __future__ import annotations

from tests.native.rdna3_facts.row import table

SOURCE = "lanes=64 v0=" + ",".join(str(10 * lane + 3) for lane in range(64))
OR = "v_or_b32_dpp v1, v0, v2"
ALL = "row_mask:0xf bank_mask:0xf bound_ctrl:1"

ROWS = table(f"""
{SOURCE} | {OR} quad_perm:[3,2,1,0] {ALL} | v1[0]=33 v1[1]=23 v1[2]=13 v1[3]=3 v1[4]=73
{SOURCE} | {OR} row_shl:1 {ALL} | v1[0]=13 v1[7]=83 v1[14]=153 v1[15]=0 v1[16]=173
{SOURCE} | {OR} row_shr:1 {ALL} | v1[0]=0 v1[1]=3 v1[8]=73 v1[15]=143 v1[16]=0 v1[17]=163
{SOURCE} | {OR} row_ror:1 {ALL} | v1[0]=153 v1[1]=3 v1[15]=143 v1[16]=313
{SOURCE} | {OR} row_mirror {ALL} | v1[0]=153 v1[5]=103 v1[8]=73 v1[16]=313
{SOURCE} | {OR} row_half_mirror {ALL} | v1[0]=73 v1[7]=3 v1[8]=153 v1[15]=83 v1[16]=233
{SOURCE} v1=0xdeadbeef | {OR} row_shl:1 row_mask:0x5 bank_mask:0xf bound_ctrl:1 \
| v1[0]=13 v1[15]=0 v1[16]=0xdeadbeef v1[32]=333 v1[47]=0 v1[48]=0xdeadbeef
{SOURCE} v1=0xdeadbeef | {OR} row_shl:1 row_mask:0xf bank_mask:0x5 bound_ctrl:1 \
| v1[0]=13 v1[3]=43 v1[4]=0xdeadbeef v1[8]=93 v1[12]=0xdeadbeef
""")
