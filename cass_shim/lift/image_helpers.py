"""LLVM functions that texture code calls: descriptors, texels of linear memory, coordinates of cubes.

Texts only; `lift.images` says when they are used. Fields of the table: `model.kernel_abi`.
"""

from __future__ import annotations

from cass_shim.model.kernel_abi import (
    TEXTURE_CHANNELS_SHIFT,
    TEXTURE_ENTRIES_LIMIT,
    TEXTURE_ENTRY_BYTES,
    TEXTURE_FORMAT_SHIFT,
    TEXTURE_NORMALIZED_FLOAT,
    TEXTURE_SAMPLER_DWORD,
    TextureFormat,
)

_TYPE_MASK, _TYPE_2D = 0x0FFF_FFFF, 9 << 28  # resource type: the upper four bits of dword 3
FLAGS, TEXEL_BYTES, DEPTH = 12, 8, 24  # offsets in an entry of the table

_ENTRY = f"""
define internal ptr addrspace(4) @cass.entry(ptr addrspace(4) %table, i32 %handle) alwaysinline nounwind {{
  %index = and i32 %handle, {TEXTURE_ENTRIES_LIMIT - 1}
  %offset = mul i32 %index, {TEXTURE_ENTRY_BYTES}
  %entry = getelementptr i8, ptr addrspace(4) %table, i32 %offset
  ret ptr addrspace(4) %entry
}}
"""

_OBJECT = """
define internal ptr addrspace(4) @cass.object(ptr addrspace(4) %entry) alwaysinline nounwind {
  %bits = load i64, ptr addrspace(4) %entry, align 8, !invariant.load !0
  %object = inttoptr i64 %bits to ptr addrspace(4)
  ret ptr addrspace(4) %object
}
"""

_SAMPLER = f"""
define internal <4 x i32> @cass.sampler(ptr addrspace(4) %object) alwaysinline nounwind {{
  %where = getelementptr i8, ptr addrspace(4) %object, i32 {4 * TEXTURE_SAMPLER_DWORD}
  %sampler = load <4 x i32>, ptr addrspace(4) %where, align 16, !invariant.load !0
  ret <4 x i32> %sampler
}}
"""

# The resource of an image that is sampled with two coordinates. ptxas samples a row of texels as an image of one row,
# with 0 as the second coordinate: halfway to the border, as the recorded results show.
_PLANE = f"""
define internal <8 x i32> @cass.plane(<8 x i32> %image, i1 %row) alwaysinline nounwind {{
  %word = extractelement <8 x i32> %image, i32 3
  %rest = and i32 %word, {_TYPE_MASK}
  %typed = or i32 %rest, {_TYPE_2D - (1 << 32)}
  %new = select i1 %row, i32 %typed, i32 %word
  %plane = insertelement <8 x i32> %image, i32 %new, i32 3
  ret <8 x i32> %plane
}}
"""


def _linear_channel(channel: int) -> str:
    """Channel `channel` of a texel of linear memory, from its 32-bit words."""
    c = channel
    return f"""
  %wide.{c} = extractelement <4 x i32> %raw, i32 {c}
  %word.{c} = extractelement <4 x i32> %raw, i32 {c // 2}
  %half.{c} = lshr i32 %word.{c}, {16 * (c % 2)}
  %byte.{c} = lshr i32 %first, {8 * c}
  %narrow.{c} = select i1 %is.byte, i32 %byte.{c}, i32 %half.{c}
  %bits.{c} = select i1 %is.wide, i32 %wide.{c}, i32 %narrow.{c}
  %up.{c} = shl i32 %bits.{c}, %spare
  %signed.{c} = ashr i32 %up.{c}, %spare
  %unsigned.{c} = lshr i32 %up.{c}, %spare
  %integer.{c} = select i1 %is.signed, i32 %signed.{c}, i32 %unsigned.{c}
  %f.signed.{c} = sitofp i32 %signed.{c} to float
  %f.unsigned.{c} = uitofp i32 %unsigned.{c} to float
  %f.{c} = select i1 %is.signed, float %f.signed.{c}, float %f.unsigned.{c}
  %quotient.{c} = fdiv float %f.{c}, %most
  %low.{c} = fcmp olt float %quotient.{c}, -1.0
  %unit.{c} = select i1 %low.{c}, float -1.0, float %quotient.{c}
  %unit.bits.{c} = bitcast float %unit.{c} to i32
  %h.{c} = trunc i32 %bits.{c} to i16
  %hf.{c} = bitcast i16 %h.{c} to half
  %hw.{c} = fpext half %hf.{c} to float
  %hb.{c} = bitcast float %hw.{c} to i32
  %float.{c} = select i1 %is.wide, i32 %bits.{c}, i32 %hb.{c}
  %normal.{c} = select i1 %normalized, i32 %unit.bits.{c}, i32 %integer.{c}
  %value.{c} = select i1 %is.float, i32 %float.{c}, i32 %normal.{c}
  %there.{c} = icmp ugt i32 %channels, {c}
  %final.{c} = select i1 %there.{c}, i32 %value.{c}, i32 0
  %texel.{c} = insertelement <4 x i32> {"poison" if c == 0 else f"%texel.{c - 1}"}, i32 %final.{c}, i32 {c}"""


def _linear_load(size: int) -> str:
    """The texel's bytes as up to four words, in a block of its own."""
    if size < 4:
        text = f"%v.{size} = load i{8 * size}, ptr addrspace(1) %at, align {size}\n  "
        text += f"%w.{size} = zext i{8 * size} %v.{size} to i32"
    elif size == 4:
        text = "%w.4 = load i32, ptr addrspace(1) %at, align 4"
    else:
        words = size // 4
        order = "i32 0, i32 1, i32 2, i32 3" if words == 4 else "i32 0, i32 1, i32 0, i32 1"
        text = f"%v.{size} = load <{words} x i32>, ptr addrspace(1) %at, align {size}\n  "
        text += f"%r.{size} = shufflevector <{words} x i32> %v.{size}, <{words} x i32> poison, <4 x i32> <{order}>"
    if size <= 4:
        text += f"\n  %r.{size} = insertelement <4 x i32> zeroinitializer, i32 %w.{size}, i32 0"
    return f"size.{size}:\n  {text}\n  br label %got"


_SIZES = (1, 2, 4, 8, 16)
_LINEAR = f"""
define internal <4 x i32> @cass.linear(ptr addrspace(4) %given, ptr addrspace(4) %object, i32 %x)
  alwaysinline nounwind {{
entry:
  %base = load i64, ptr addrspace(4) %object, align 8, !invariant.load !0
  %size.p = getelementptr i8, ptr addrspace(4) %object, i32 8
  %elements = load i32, ptr addrspace(4) %size.p, align 4, !invariant.load !0
  %bytes.p = getelementptr i8, ptr addrspace(4) %given, i32 {TEXEL_BYTES}
  %bytes = load i32, ptr addrspace(4) %bytes.p, align 4, !invariant.load !0
  %flags.p = getelementptr i8, ptr addrspace(4) %given, i32 {FLAGS}
  %flags = load i32, ptr addrspace(4) %flags.p, align 4, !invariant.load !0
  %inside = icmp ult i32 %x, %elements
  br i1 %inside, label %read, label %done
read:
  %x.wide = zext i32 %x to i64
  %bytes.wide = zext i32 %bytes to i64
  %offset = mul i64 %x.wide, %bytes.wide
  %address = add i64 %base, %offset
  %at = inttoptr i64 %address to ptr addrspace(1)
  switch i32 %bytes, label %done [ {" ".join(f"i32 {n}, label %size.{n}" for n in _SIZES)} ]
{chr(10).join(_linear_load(n) for n in _SIZES)}
got:
  %raw = phi <4 x i32> {", ".join(f"[ %r.{n}, %size.{n} ]" for n in _SIZES)}
  %first = extractelement <4 x i32> %raw, i32 0
  %channels.up = lshr i32 %flags, {TEXTURE_CHANNELS_SHIFT}
  %channels = and i32 %channels.up, 15
  %format.up = lshr i32 %flags, {TEXTURE_FORMAT_SHIFT}
  %format = and i32 %format.up, 15
  %log = call i32 @llvm.cttz.i32(i32 %channels, i1 false)
  %all = shl i32 %bytes, 3
  %width = lshr i32 %all, %log
  %spare = sub i32 32, %width
  %is.wide = icmp eq i32 %width, 32
  %is.byte = icmp eq i32 %width, 8
  %is.signed = icmp eq i32 %format, {int(TextureFormat.SIGNED)}
  %is.float = icmp eq i32 %format, {int(TextureFormat.FLOAT)}
  %unit.flag = and i32 %flags, {TEXTURE_NORMALIZED_FLOAT}
  %normalized = icmp ne i32 %unit.flag, 0
  %sign = zext i1 %is.signed to i32
  %drop = add i32 %spare, %sign
  %most.bits = lshr i32 -1, %drop
  %most = uitofp i32 %most.bits to float
{"".join(_linear_channel(c) for c in range(4))}
  br label %done
done:
  %result = phi <4 x i32> [ zeroinitializer, %entry ], [ zeroinitializer, %read ], [ %texel.3, %got ]
  ret <4 x i32> %result
}}
"""

_CUBE = """
define internal { float, float, float } @cass.cube(float %x, float %y, float %z) alwaysinline nounwind {
  %face = call float @llvm.amdgcn.cubeid(float %x, float %y, float %z)
  %sc = call float @llvm.amdgcn.cubesc(float %x, float %y, float %z)
  %tc = call float @llvm.amdgcn.cubetc(float %x, float %y, float %z)
  %ma = call float @llvm.amdgcn.cubema(float %x, float %y, float %z)
  %size = call float @llvm.fabs.f32(float %ma)
  %scale = fdiv float 1.0, %size
  %s = call float @llvm.fma.f32(float %sc, float %scale, float 1.5)
  %t = call float @llvm.fma.f32(float %tc, float %scale, float 1.5)
  %one = insertvalue { float, float, float } poison, float %s, 0
  %two = insertvalue { float, float, float } %one, float %t, 1
  %three = insertvalue { float, float, float } %two, float %face, 2
  ret { float, float, float } %three
}
"""

# One step of a direction on its face, of which the place in front of the step is (%s, %t): a step leads to another
# direction, and where that leaves the face, to a place beyond the edge, the neighbour unfolded into the plane. The same
# rule as `ptx_cube_step` of isa/ptx/prelude/texture_offset.hip (recorded on an H200: 118 of 120).
_CUBE_STEP = """
define internal { float, float, i1 } @cass.cube.step(float %face, float %s, float %t, float %x, float %y, float %z)
  alwaysinline nounwind {
  %number = fptoui float %face to i32
  %is.x = icmp ult i32 %number, 2
  %is.xy = icmp ult i32 %number, 4
  %is.0 = icmp eq i32 %number, 0
  %is.2 = icmp eq i32 %number, 2
  %is.3 = icmp eq i32 %number, 3
  %is.5 = icmp eq i32 %number, 5
  %odd = trunc i32 %number to i1
  %minus.y = fneg float %y
  %minus.z = fneg float %z
  %along.plain = select i1 %is.x, float %z, float %x
  %along.minus = fneg float %along.plain
  %turned = or i1 %is.0, %is.5
  %along = select i1 %turned, float %along.minus, float %along.plain
  %down.3 = select i1 %is.3, float %minus.z, float %minus.y
  %down = select i1 %is.2, float %z, float %down.3
  %out.yz = select i1 %is.xy, float %y, float %z
  %out.plain = select i1 %is.x, float %x, float %out.yz
  %out.minus = fneg float %out.plain
  %out = select i1 %odd, float %out.minus, float %out.plain
  %twice = call float @llvm.amdgcn.cubema(float %x, float %y, float %z)
  %twice.abs = call float @llvm.fabs.f32(float %twice)
  %longest = fmul float %twice.abs, 0.5
  %there = call float @llvm.amdgcn.cubeid(float %x, float %y, float %z)
  %leaves = fcmp une float %there, %face
  %a = fdiv float %along, %longest
  %b = fdiv float %down, %longest
  %height = fdiv float %out, %longest
  %beyond = fsub float 2.0, %height
  %a.abs = call float @llvm.fabs.f32(float %a)
  %b.abs = call float @llvm.fabs.f32(float %b)
  %wider = fcmp oge float %a.abs, %b.abs
  %sideways = and i1 %leaves, %wider
  %narrower = xor i1 %wider, true
  %downwards = and i1 %leaves, %narrower
  %a.far = call float @llvm.copysign.f32(float %beyond, float %a)
  %b.far = call float @llvm.copysign.f32(float %beyond, float %b)
  %a.new = select i1 %sideways, float %a.far, float %a
  %b.new = select i1 %downwards, float %b.far, float %b
  %ds = fsub float %a.new, %s
  %dt = fsub float %b.new, %t
  %ds.half = fmul float %ds, 0.5
  %dt.half = fmul float %dt, 0.5
  %one = insertvalue { float, float, i1 } poison, float %ds.half, 0
  %two = insertvalue { float, float, i1 } %one, float %dt.half, 1
  %three = insertvalue { float, float, i1 } %two, i1 %leaves, 2
  ret { float, float, i1 } %three
}
"""


def _cube_way(way: str) -> str:
    """The step of one gradient, and how far it reaches: the level's measure of a length (emulator/image_level.c)."""
    w = way
    return f"""
  %{w}.x = fadd float %x, %{w}x
  %{w}.y = fadd float %y, %{w}y
  %{w}.z = fadd float %z, %{w}z
  %{w}.step = call {{ float, float, i1 }} @cass.cube.step(float %face, float %s, float %t,
    float %{w}.x, float %{w}.y, float %{w}.z)
  %{w}.s = extractvalue {{ float, float, i1 }} %{w}.step, 0
  %{w}.t = extractvalue {{ float, float, i1 }} %{w}.step, 1
  %{w}.leaves = extractvalue {{ float, float, i1 }} %{w}.step, 2
  %{w}.s.abs = call float @llvm.fabs.f32(float %{w}.s)
  %{w}.t.abs = call float @llvm.fabs.f32(float %{w}.t)
  %{w}.least = call float @llvm.minnum.f32(float %{w}.s.abs, float %{w}.t.abs)
  %{w}.most = call float @llvm.maxnum.f32(float %{w}.s.abs, float %{w}.t.abs)
  %{w}.reach = call float @llvm.fma.f32(float %{w}.least, float 0x3FD603AFC0000000, float %{w}.most)"""


# Where a step leaves the face only the longer of the two counts, not their sum or difference.
_CUBE_GRADIENTS = f"""
define internal <4 x float> @cass.cube.gradients(float %x, float %y, float %z,
    float %ax, float %ay, float %az, float %dx, float %dy, float %dz) alwaysinline nounwind {{
  %face = call float @llvm.amdgcn.cubeid(float %x, float %y, float %z)
  %sc = call float @llvm.amdgcn.cubesc(float %x, float %y, float %z)
  %tc = call float @llvm.amdgcn.cubetc(float %x, float %y, float %z)
  %twice = call float @llvm.amdgcn.cubema(float %x, float %y, float %z)
  %twice.abs = call float @llvm.fabs.f32(float %twice)
  %longest = fmul float %twice.abs, 0.5
  %s = fdiv float %sc, %longest
  %t = fdiv float %tc, %longest{_cube_way("a")}{_cube_way("d")}
  %leaves = or i1 %a.leaves, %d.leaves
  %shorter = fcmp olt float %a.reach, %d.reach
  %exchanged = and i1 %leaves, %shorter
  %first.s = select i1 %exchanged, float %d.s, float %a.s
  %first.t = select i1 %exchanged, float %d.t, float %a.t
  %second.s = select i1 %leaves, float 0.0, float %d.s
  %second.t = select i1 %leaves, float 0.0, float %d.t
  %v.0 = insertelement <4 x float> poison, float %first.s, i32 0
  %v.1 = insertelement <4 x float> %v.0, float %first.t, i32 1
  %v.2 = insertelement <4 x float> %v.1, float %second.s, i32 2
  %v.3 = insertelement <4 x float> %v.2, float %second.t, i32 3
  ret <4 x float> %v.3
}}
"""

# A surface's resource with the texels as unsigned integers of their size (gfx11's formats 8, 16, 32, 32_32 and
# 32_32_32_32 UINT), no channel swapped, and the type that the access needs (a cube is an array of layers to it).
_RAW = """
define internal <8 x i32> @cass.raw(<8 x i32> %image, i32 %bytes, i32 %type) alwaysinline nounwind {
  %is.1 = icmp eq i32 %bytes, 1
  %is.2 = icmp eq i32 %bytes, 2
  %is.4 = icmp eq i32 %bytes, 4
  %is.8 = icmp eq i32 %bytes, 8
  %f.8 = select i1 %is.8, i32 48, i32 61
  %f.4 = select i1 %is.4, i32 20, i32 %f.8
  %f.2 = select i1 %is.2, i32 11, i32 %f.4
  %format = select i1 %is.1, i32 5, i32 %f.2
  %one = extractelement <8 x i32> %image, i32 1
  %one.rest = and i32 %one, -267386881
  %format.up = shl i32 %format, 20
  %one.new = or i32 %one.rest, %format.up
  %three = extractelement <8 x i32> %image, i32 3
  %three.rest = and i32 %three, 268431360
  %type.up = shl i32 %type, 28
  %three.type = or i32 %three.rest, %type.up
  %three.new = or i32 %three.type, 4012
  %half = insertelement <8 x i32> %image, i32 %one.new, i32 1
  %raw = insertelement <8 x i32> %half, i32 %three.new, i32 3
  ret <8 x i32> %raw
}
"""

# A raw image as texels of one word: 32_UINT, that many times as wide, and so is the pitch of images without slices.
_WORDS = """
define internal <8 x i32> @cass.words(<8 x i32> %image, i32 %bytes) alwaysinline nounwind {
  %one = extractelement <8 x i32> %image, i32 1
  %two = extractelement <8 x i32> %image, i32 2
  %three = extractelement <8 x i32> %image, i32 3
  %four = extractelement <8 x i32> %image, i32 4
  %low = lshr i32 %one, 30
  %upper = and i32 %two, 4095
  %high = shl i32 %upper, 2
  %last = or i32 %low, %high
  %width = add i32 %last, 1
  %row = mul i32 %width, %bytes
  %padded = add i32 %row, 3
  %words = lshr i32 %padded, 2
  %words.last = sub i32 %words, 1
  %one.rest = and i32 %one, 806354943
  %one.format = or i32 %one.rest, 20971520
  %words.low = shl i32 %words.last, 30
  %one.new = or i32 %one.format, %words.low
  %two.rest = and i32 %two, -4096
  %words.high = lshr i32 %words.last, 2
  %two.new = or i32 %two.rest, %words.high
  %type = lshr i32 %three, 28
  %flat = icmp ult i32 %type, 10
  %pitch = and i32 %four, 16383
  %given = icmp ne i32 %pitch, 0
  %scaled = and i1 %flat, %given
  %pitch.texels = add i32 %pitch, 1
  %pitch.bytes = mul i32 %pitch.texels, %bytes
  %pitch.words = lshr i32 %pitch.bytes, 2
  %pitch.last = sub i32 %pitch.words, 1
  %four.rest = and i32 %four, -16384
  %four.scaled = or i32 %four.rest, %pitch.last
  %four.new = select i1 %scaled, i32 %four.scaled, i32 %four
  %a = insertelement <8 x i32> %image, i32 %one.new, i32 1
  %b = insertelement <8 x i32> %a, i32 %two.new, i32 2
  %c = insertelement <8 x i32> %b, i32 %four.new, i32 4
  ret <8 x i32> %c
}
"""
HELPERS = {
    "cass.entry": _ENTRY, "cass.object": _OBJECT, "cass.sampler": _SAMPLER, "cass.plane": _PLANE,
    "cass.linear": _LINEAR, "cass.cube": _CUBE, "cass.raw": _RAW,
    "cass.words": _WORDS, "cass.cube.step": _CUBE_STEP, "cass.cube.gradients": _CUBE_GRADIENTS,
}  # fmt: skip
DECLARED = {
    "llvm.cttz.i32": "declare i32 @llvm.cttz.i32(i32, i1)",
    "llvm.fabs.f32": "declare float @llvm.fabs.f32(float)",
    "llvm.copysign.f32": "declare float @llvm.copysign.f32(float, float)",
    "llvm.maxnum.f32": "declare float @llvm.maxnum.f32(float, float)",
    "llvm.minnum.f32": "declare float @llvm.minnum.f32(float, float)",
    "llvm.fma.f32": "declare float @llvm.fma.f32(float, float, float)",
    **{
        f"llvm.amdgcn.cube{part}": f"declare float @llvm.amdgcn.cube{part}(float, float, float)"
        for part in ("id", "sc", "tc", "ma")
    },
}
