"""Generic addresses of shared and local memory, as debug builds form them, and where shared memory ends."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import SassKernel
from cass_shim.model.errors import Unsupported
from cass_shim.verify import mufu
from cass_shim.verify.interpreter import Interpreter, Launch
from cass_shim.verify.memory import Arena
from cass_shim.verify.program import prepare
from cass_shim.verify.state import Geometry
from tests.lift.support import HEAD, emulated, kernel, run
from tests.verify.text import BASE


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


SIZES = {  # offset in bank 0 of what launches give, of the groups' part of the reserved KiB, of the KiB's end
    80: (0x2C, 0x124, 0x120),
    90: (0x2C, 0x6C, 0x68),
    120: (0x2AC, 0x27C, 0x278),
}
WITH_RESERVED = """
    MOV R1, c[0x0][{stack:#x}]
    S2R R0, SR_TID.X
    MOV R2, c[0x0][{out:#x}]
    MOV R3, c[0x0][{out:#x}+0x4]
    IMAD.WIDE R2, R0, 0x4, R2
    MOV R8, {dynamic:#x}
    LDC R8, c[0x0][R8]
    MOV R9, {groups:#x}
    LDC R9, c[0x0][R9]
    MOV R10, {end:#x}
    LDC R10, c[0x0][R10]
    IADD3 R11, R10, -0x4, RZ
    IADD3 R12, R8, {last:#x}, RZ
    ISETP.NE.AND P0, PT, R0, RZ, PT
    @!P0 STS [R11], R9
    @!P0 STS [R12], R10
    BAR.SYNC.DEFER_BLOCKING 0x0
    LDS R13, [R11]
    LDS R14, [R12]
    STG.E [R2.64], R8
    STG.E [R2.64+0x80], R13
    STG.E [R2.64+0x100], R14
    EXIT
"""


@pytest.mark.parametrize("sm", SIZES)
def test_the_reserved_part_of_shared_memory(sm: int) -> None:
    """Device and interpreter say the same of it, and its last word is none of the program's."""
    dynamic, groups, end = SIZES[sm]
    static, given = 64 + (0x400 if sm >= 90 else 0), 200
    out, stack = {80: (0x160, 0x28), 90: (0x210, 0x28), 120: (0x380, 0x37C)}[sm]
    body = WITH_RESERVED.format(dynamic=dynamic, groups=groups, end=end, out=out, stack=stack, last=static - 4)
    sass = kernel(body.replace(f"{out:#x}+0x4", f"{out + 4:#x}"), sm, params=(8,), shared_bytes=static)
    begin = 0 if sm >= 90 else 384  # 64 + 200 bytes, in units of 128
    expected = [given] * 32 + [begin + 0x100] * 32 + [begin + 0x400] * 32
    assert both(sass, 96, given) == expected


def both(sass: SassKernel, words: int, given: int) -> list[int]:
    """What a kernel over (out) leaves on the device, and by the interpreter; given: bytes of shared memory."""
    code = assemble_llvm(lift_kernel(sass), sass.abi)
    with emulated() as device:
        out, table = device.buffer(np.zeros(words, np.uint32)), device.buffer(np.zeros(1, np.uint64))
        kernarg = bytearray(code.bindings_offset + 8)
        struct.pack_into("<Q", kernarg, 0, out.address)
        struct.pack_into("<Q", kernarg, code.bindings_offset, table.address)
        device.load(code.elf).function("k").launch((1,), (32,), bytes(kernarg), given)
        device.synchronize()
        found: list[int] = np.asarray(out.read()).tolist()
    arena = Arena(BASE, np.zeros(4 * words, np.uint8), np.ones(4 * words, bool))
    launch = Launch(Geometry((1, 1, 1), (32, 1, 1)), struct.pack("<Q", BASE), given)
    machine = Interpreter(prepare(sass, {}, b""), sass.abi, launch, arena, seed=1, mufu=mufu.nearest)
    machine.run()
    assert arena.content.view(np.uint32).tolist() == found
    return found


TOTAL = """
    S2R R0, SR_TID.X
    MOV R2, c[0x0][{out:#x}]
    MOV R3, c[0x0][{high:#x}]
    IMAD.WIDE R2, R0, 0x4, R2
    {read}
    STG.E [R2.64], R8
    EXIT
"""


@pytest.mark.parametrize("given", [0, 1, 24, 1000])
@pytest.mark.parametrize(("sm", "unit"), [(75, 256), (80, 128), (90, 128), (120, 128)])
@pytest.mark.parametrize("static", [0, 100, 128])
def test_the_size_of_all_shared_memory(sm: int, unit: int, static: int, given: int) -> None:
    """Recorded on an H200: in units of 128 bytes, without the system's KiB; ptxas counts that where there is any."""
    out = {75: 0x160, 80: 0x160, 90: 0x210, 120: 0x380}[sm]
    read = "S2R R8, SR_SMEMSZ" if sm < 90 else "S2UR UR4, SR_SMEMSZ\nMOV R8, UR4"
    counted = static + (0x400 if sm >= 90 and static else 0)
    sass = kernel(TOTAL.format(out=out, high=out + 4, read=read), sm, params=(8,), shared_bytes=counted)
    assert both(sass, 32, given) == [-(-(static + given) // unit) * unit] * 32


def test_a_generic_address_of_a_parameter() -> None:
    """As CUB's `DeviceSelectSweepKernel` built with -G forms it for sm_80; a member function is called on it."""
    sass = kernel(
        HEAD
        + """
        MOV R6, c[0x0][0x40]
        IADD3 R6, P0, R6, 0x160, RZ
        IADD3.X R7, RZ, c[0x0][0x44], RZ, P0, !PT
        IADD3 R10, P0, R6, 0x10, RZ
        IADD3.X R11, RZ, R7, RZ, P0, !PT
        LD.E R8, [R10.64]
        STG.E [R2.64], R8
        EXIT
        """
    )
    assert run(sass, np.zeros(7, np.uint32), 32).tolist() == [7] * 32


def test_the_address_of_parameters_that_there_are_none_of_is_refused() -> None:
    with pytest.raises(Unsupported, match="parameters"):
        lift_kernel(kernel("MOV R6, c[0x0][0x40]\nST.E [R6.64], R6\nEXIT\n", params=()))
