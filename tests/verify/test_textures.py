"""Kernels that read textures: right translations are verified, wrong ones rejected with a witness."""

from __future__ import annotations

import numpy as np
import pytest

from cass_shim.assemble.hip import compile_hip
from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import Evidence, PtxModule, SassKernel, Verified
from cass_shim.model.errors import Rejected, ToolFailed
from cass_shim.model.kernel_abi import TextureKind
from cass_shim.native.locate import emulated_hip
from cass_shim.translate.ptx_hip.translate import translate_kernel
from cass_shim.verify.kernel import open_device, verify_kernel
from cass_shim.verify.textures import EXTENTS, VARIANTS, contents
from tests.lift.support import HEAD, kernel

# Coordinates from the thread and from a loaded word; the handle (a parameter) is bound at c[0x0][0x170].
READS = (
    HEAD
    + """
    LDG.E R8, [R4.64]
    LOP3.LUT R9, R8, 0x1f, RZ, 0xc0, !PT
    I2F.U32 R10, R0
    I2F.U32 R11, R9
    LOP3.LUT R12, R8, 0x7, RZ, 0xc0, !PT
    MOV R13, 0xc2000000
    {read}
    STG.E [R2.64], R16
    EXIT
    """
)
# The third lane of each quad is served by all four, the others keep what they had.
_QUADS = """
    MOV R16, R9
    BMOV.32 B15, MACTIVE
    BMOV.32.PQUAD MACTIVE, B15
    SHFL.IDX PT, R20, R10, 0x2, 0x1c03
    SHFL.IDX PT, R21, R{}, 0x2, 0x1c03
    FSWZADD.NDV R20, R20, R20, ZPPPZPPP
    TEX.SCR.NDV RZ, R22, R20, R21, 0x0, 0x5c, 2D, 0x1
    SHFL.IDX PT, R23, R22, RZ, 0x1c03
    BMOV.32 MACTIVE, B15
    MOV R16, R23, 0x4
"""
RIGHT = {
    "sample": "TEX.SCR.LL RZ, R16, R10, R13, 0x0, 0x5c, 2D, 0x1",
    "channel": "TEX.SCR.LL RZ, R16, R10, R13, 0x0, 0x5c, 2D, 0x4",
    "layer": "TEX.SCR.LL RZ, R16, R12, R13, 0x0, 0x5c, ARRAY_1D, 0x1",
    "gather": "TLD4.SCR.G R20, R16, R10, R11, 0x0, 0x5c, 2D",
    "fetch": "TLD.SCR.LZ RZ, R16, R8, 0x0, 0x5c, 1D, 0x2",
    "bindless": "TLD.SCR.B.LZ RZ, R16, R9, R12, 1D, 0x1",
    "cube": "TEX.SCR.LL RZ, R16, R10, R12, 0x0, 0x5c, CUBE, 0x1",
    "offset": "TEX.SCR.LZ.AOFFI RZ, R16, R10, R8, 0x0, 0x5c, 2D, 0x1",
    "gather offset": "TLD4.SCR.G.AOFFI R20, R16, R10, R8, 0x0, 0x5c, 2D",
    "volume": "TLD.SCR.LZ RZ, R16, R0, R12, 0x0, 0x5c, 3D, 0x1",
    "quads": _QUADS.format(11),
}
WRONG = {
    "sample": "TEX.SCR.LL RZ, R16, R9, R13, 0x0, 0x5c, 2D, 0x1",
    "channel": "TEX.SCR.LL RZ, R16, R10, R13, 0x0, 0x5c, 2D, 0x8",
    "layer": "TEX.SCR.LL RZ, R16, R11, R13, 0x0, 0x5c, ARRAY_1D, 0x1",
    "gather": "TLD4.SCR.R R20, R16, R10, R11, 0x0, 0x5c, 2D",
    "fetch": "TLD.SCR.LZ RZ, R16, R9, 0x0, 0x5c, 1D, 0x2",
    "bindless": "TLD.SCR.B.LZ RZ, R16, R9, R0, 1D, 0x1",
    "cube": "TEX.SCR.LL RZ, R16, R12, R10, 0x0, 0x5c, CUBE, 0x1",
    "offset": "TEX.SCR.LZ.AOFFI RZ, R16, R10, R9, 0x0, 0x5c, 2D, 0x1",
    "gather offset": "TLD4.SCR.G.AOFFI R20, R16, R10, R9, 0x0, 0x5c, 2D",
    "volume": "TLD.SCR.LZ RZ, R16, R12, R0, 0x0, 0x5c, 3D, 0x1",
    "quads": _QUADS.format(12),
}

# What ptxas makes of tex.cube: the longest coordinate becomes 1 by the approximate reciprocal, 0 of 2^126 and more.
CUBE = """
    I2F.U32 R9, R0
    FMNMX R10, |R8|, |R9|, !PT
    FMNMX R10, |R13|, R10, !PT
    MUFU.RCP R10, R10
    FMUL R16, R8, R10
    FMUL R17, R9, R10
    FMUL R18, R13, R10
    MOV R19, 0xc2400000
    TEX.SCR.LL RZ, R16, R16, R18, 0x0, 0x5c, CUBE, 0x1
"""
CUBE_PTX = """
.version 8.7
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 tex)
{
    .reg .b64 %rd<6>; .reg .b32 %r<9>; .reg .f32 %f<4>;
    ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [tex]; cvt.u64.u32 %rd3, %r1;
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r2, %r2, %r3, %r4;
    mul.wide.s32 %rd4, %r2, 4; add.s64 %rd1, %rd1, %rd4; add.s64 %rd2, %rd2, %rd4;
    ld.global.f32 %f1, [%rd2]; cvt.rn.f32.u32 %f2, %r2; mov.f32 %f3, 0fC2000000;
    tex.cube.v4.s32.f32 {%r5,%r6,%r7,%r8}, [%rd3, {%f1,%f2,%f3,%f3}];
    st.global.u32 [%rd1], %r5;
    ret;
}
"""


def using(text: str, around: str) -> SassKernel:
    return kernel(around.format(read=text, write=text), params=(8, 8, 4))


def verified(candidate: str, original: str, around: str = READS) -> Verified:
    try:
        emulated_hip()
    except ToolFailed as missing:
        pytest.skip(str(missing))
    sass = using(original, around)
    code = assemble_llvm(lift_kernel(using(candidate, around)), sass.abi)
    return verify_kernel(code, sass, None, open_device("emulated"))


@pytest.mark.parametrize("what", RIGHT)
def test_a_right_translation_is_verified(what: str) -> None:
    assert verified(RIGHT[what], RIGHT[what]).evidence is Evidence.E1U


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_translation_is_rejected(what: str) -> None:
    with pytest.raises(Rejected):
        verified(WRONG[what], RIGHT[what])


def test_the_longest_coordinate_of_a_cube_is_shrunk_as_ptxas_does() -> None:
    """Huge and subnormal directions met other faces."""
    try:
        emulated_hip()
    except ToolFailed as missing:
        pytest.skip(str(missing))
    sass = using(CUBE, READS)
    code = compile_hip(translate_kernel(PtxModule(CUBE_PTX, 80), "k", sass.abi), sass.abi)
    assert verify_kernel(code, sass, None, open_device("emulated")).evidence is Evidence.E1U


# R8: a loaded word; x in bytes below 1 KB and y below 64 are inside every surface of two dimensions.
WRITES = (
    HEAD
    + """
    LDG.E R8, [R4.64]
    LOP3.LUT R12, R8, 0x3f, RZ, 0xc0, !PT
    IMAD.SHL.U32 R10, R12, 0x4, RZ
    LOP3.LUT R11, R0, 0x3f, RZ, 0xc0, !PT
    IMAD.SHL.U32 R14, R12, 0x2, RZ
    {write}
    EXIT
    """
)
WIDE = "IMAD.SHL.U32 R10, R12, 0x8, RZ\nIMAD R9, R8, 0x9e3779b1, RZ\n"
RIGHT_WRITES = {
    "store": "SUST.D.BA.2D.STRONG.SM.TRAP [R10], R0, 0x0, 0x5c",
    "clamp": "SUST.D.BA.1D.U16.STRONG.SM [R14], R0, 0x0, 0x5c",
    "layer": "SUST.D.BA.1D_ARRAY.STRONG.SM.IGN [R10], R0, 0x0, 0x5c",
    "reduce": "SURED.D.BA.2D.ADD.STRONG.SYS.TRAP [R10], R8, 0x0, 0x5c",
    "reduce64": f"{WIDE}SURED.D.BA.2D.MAX.S64.STRONG.SYS [R10], R8, 0x0, 0x5c",
    "load": "SULD.D.BA.2D.STRONG.SM.TRAP R16, [R10], 0x0, 0x5c\nSTG.E [R2.64], R16",
}
WRONG_WRITES = {
    "store": "SUST.D.BA.2D.STRONG.SM.TRAP [R10], R8, 0x0, 0x5c",
    "clamp": "SUST.D.BA.1D.U16.STRONG.SM [R10], R0, 0x0, 0x5c",
    "layer": "SUST.D.BA.1D_ARRAY.STRONG.SM [R10], R0, 0x0, 0x5c",
    "reduce": "SURED.D.BA.2D.ADD.STRONG.SYS.TRAP [R10], R0, 0x0, 0x5c",
    "reduce64": f"{WIDE}SURED.D.BA.2D.MAX.U64.STRONG.SYS [R10], R8, 0x0, 0x5c",
    "load": "SULD.D.BA.2D.STRONG.SM.TRAP R16, [R11], 0x0, 0x5c\nSTG.E [R2.64], R16",
}


@pytest.mark.parametrize("what", RIGHT_WRITES)
def test_a_right_use_of_a_surface_is_verified(what: str) -> None:
    assert verified(RIGHT_WRITES[what], RIGHT_WRITES[what], WRITES).evidence is Evidence.E1U


@pytest.mark.parametrize("what", WRONG_WRITES)
def test_a_wrong_use_of_a_surface_is_rejected(what: str) -> None:
    with pytest.raises(Rejected):
        verified(WRONG_WRITES[what], RIGHT_WRITES[what], WRITES)


TURNS = (
    HEAD.replace("[0x160]", "[0x210]").replace("[0x168]", "[0x218]")
    + """
    LDG.E R8, [R4.64]
    LOP3.LUT R8, R8, 0x3, RZ, 0xc0, !PT
    I2F.U32 R10, R0
    I2F.U32 R11, R8
    MOV R13, 0xc2000000
    PLOP3.LUT P1, PT, PT, PT, PT, 0x80, 0x0
    again:
    PLOP3.LUT P0, PT, P0, P1, PT, 0xa2, 0x0
    @P1 R2UR P0, UR4, R8
    @!P0 {read}
    @P1 PLOP3.LUT P1, PT, P0, PT, PT, 0x80, 0x0
    PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0
    @P1 BRA.U.ANY =again
    STG.E [R2.64], R16
    EXIT
    """
)


@pytest.mark.parametrize(("read", "right"), [("R10", True), ("R11", False)])
def test_lanes_with_handles_of_their_own(read: str, right: bool) -> None:
    """sm_90 serves one handle after the other in a loop of the program's own."""
    texts = [f"TEX.LL RZ, R16, {r}, R13, UR4, 0x0, 2D, 0x1" for r in (read, "R10")]
    candidate, sass = (kernel(TURNS.format(read=text), 90) for text in texts)
    code = assemble_llvm(lift_kernel(candidate), sass.abi)
    try:
        found = verify_kernel(code, sass, None, open_device("emulated"))
    except Rejected:
        assert not right
    except ToolFailed as missing:
        pytest.skip(str(missing))
    else:
        assert right
        assert found.evidence is Evidence.E1U


def test_a_store_with_conversion_stays_unverified_with_the_reason() -> None:
    text = "SUST.P.1D.STRONG.SM.R.TRAP [R12], R0, 0x0, 0x5c"
    found = verified(text, text, WRITES)
    assert found.evidence is Evidence.E0
    assert "a surface store with conversion" in str(found.report["skipped"])


def test_contents_tell_objects_and_texels_apart() -> None:
    texels = [contents(kind, variant).reshape(-1, 4) for kind in EXTENTS for variant in range(VARIANTS)]
    words = np.concatenate([t.reshape(-1) for t in texels])
    assert len(np.unique(words)) > 0.95 * len(words)
    assert contents(TextureKind.ARRAY_2D, 0).shape == (1, 32, 64, 4)
