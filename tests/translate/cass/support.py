"""A kernel's SASS and its good answer, for the tests of the CASS translator."""

from __future__ import annotations

import functools
import json
from pathlib import Path

from cass_shim.model.artifacts import CubinKernel, SassKernel
from cass_shim.model.kernel_abi import KernelAbi, Param

ANSWERS = Path(__file__).with_name("answers")
NAME = "_Z10vector_addPKfS0_Pfi"
ABI = KernelAbi(
    params=(Param(0, 0, 8), Param(1, 8, 8), Param(2, 16, 8), Param(3, 24, 4)), params_bytes=28, registers=12
)
SASS = SassKernel(CubinKernel(NAME, 80, ABI, bytes(16)), ())
# Shaped as cuobjdump prints it; what it says is of no importance to these tests.
TEXT = f"""
\tcode for sm_80
\t\tFunction : {NAME}
\t.headerflags\t@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM80"
        /*0000*/                   MOV R1, c[0x0][0x28] ;    /* 0x00000a0000017a02 */
                                                             /* 0x000fe40000000f00 */
        /*0010*/                   EXIT ;                    /* 0x000000000000794d */
                                                             /* 0x000fea0003800000 */
\t\t..........
"""


@functools.cache
def good_answer() -> str:
    """The recorded answer for vector_add."""
    index = json.loads((ANSWERS / "answers.json").read_text())["answers"]
    file = next(entry["file"] for entry in index.values() if entry["kernel"] == NAME)
    return (ANSWERS / file).read_text()
