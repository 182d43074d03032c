"""Generic addresses of shared and local memory, as debug builds form them; on the emulated device."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lift.support import HEAD, kernel, run


@pytest.mark.parametrize("meet", ["BAR.RED.POPC.DEFER_BLOCKING 0x0, P0", "BAR.SYNC.DEFER_BLOCKING 0x1, 0x20"])
def test_a_generic_address_of_shared_memory_names_the_same_byte(meet: str) -> None:
    """Also where barriers keep counters in front of it (`__syncthreads_count` in ising's `magnetisation` as built
    with -G): what a thread stores through the window is there behind the barrier, and under the plain address."""
    sass = kernel(
        HEAD
        + f"""
        IMAD R8, R0, 0x4, RZ
        IADD3 R10, P0, R8, c[0x0][0x18], RZ
        IADD3.X R11, RZ, c[0x0][0x1c], RZ, P0, !PT
        IADD3 R12, R0, 0x7, RZ
        ST.E [R10.64], R12
        LOP3.LUT P0, RZ, R0, 0x3, RZ, 0xc0, !PT
        {meet}
        LDS R13, [R8]
        IADD3 R14, R10, -c[0x0][0x18], RZ
        LDS R15, [R14]
        IADD3 R13, R13, R15, RZ
        STG.E [R2.64], R13
        EXIT
        """,
        shared_bytes=128,
    )
    assert run(sass, np.zeros(32, np.uint32), 32).tolist() == [2 * (n + 7) for n in range(32)]


def test_the_frame_through_its_window_in_a_later_block() -> None:
    """LLVM 22 asserted over it: an OR of the frame's address and what only code generation sees to be zero (here
    the low half of an aperture that another block made) became `COPY %stack.0` (`linear_textures` as built with -G)."""
    sass = kernel(
        HEAD
        + """
        MOV R8, c[0x0][0x20]
        MOV R9, c[0x0][0x24]
        IADD3 R10, P0, R8, 0x8, RZ
        IADD3.X R11, R9, RZ, RZ, P0, !PT
        ST.E [R10.64], R0
        ISETP.GE.AND P1, PT, R0, 0x10, PT
        @P1 BRA =end
        ST.E.U16 [R8.64], R0
        IADD3 R14, P0, R8, 0x2, RZ
        IADD3.X R15, R9, RZ, RZ, P0, !PT
        ST.E.U16 [R14.64], R0
        LD.E R13, [R10.64]
        LD.E R12, [R8.64]
        IADD3 R12, R12, R13, RZ
        STG.E [R2.64], R12
        end:
        EXIT
        """,
        local_bytes=16,
    )
    found = run(sass, np.zeros(32, np.uint32), 32)
    assert found.tolist() == [(n << 16 | n) + n for n in range(16)] + [0] * 16
