"""Texture and surface instructions of PTX as HIP: every form compiles to the image instruction it should."""

from __future__ import annotations

import re

import pytest

from cass_shim.assemble.hip import compile_to_assembly
from cass_shim.isa.ptx.prelude import HEADER, select, words_of
from cass_shim.model.artifacts import HipSource, PtxModule
from cass_shim.model.errors import Unsupported
from cass_shim.model.kernel_abi import SlotKind
from cass_shim.translate.ptx_hip.program import write_own
from cass_shim.translate.ptx_hip.translate import kernel_abi, parsed, translate_kernel

# Instruction, and the image instruction with its dimension that clang must have made of it.
FORMS = [
    ("tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5}]", "image_sample_lz 2D"),
    ("tex.2d.v4.s32.f32 {%r1,%r2,%r3,%r4}, [%tex, {%f5,%f6}]", "image_sample_lz 2D"),
    ("tex.base.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5,%f6,%f7,%f7}]", "image_sample_lz 3D"),
    ("tex.a1d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%tex, {%r5,%f5}]", "image_sample_lz 1D_ARRAY"),
    ("tex.a2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%r5,%f5,%f6,%f6}]", "image_sample_lz 2D_ARRAY"),
    ("tex.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5,%f6,%f7,%f7}]", "image_sample_lz CUBE"),
    ("tex.acube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%r5,%f5,%f6,%f7}]", "image_sample_lz CUBE"),
    ("tex.level.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5,%f6}], %f7", "image_sample_l 2D"),
    ("tex.level.acube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%r5,%f5,%f6,%f7}], %f8", "image_sample_l CUBE"),
    ("tex.grad.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5}], {%f6}, {%f7}", "image_sample_d 2D"),
    ("tex.grad.a2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%r5,%f5,%f6,%f6}], {%f7,%f8}, {%f5,%f6}",
     "image_sample_d 2D_ARRAY"),
    ("tex.grad.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5,%f6,%f7,%f7}], {%f7,%f8,%f5,%f5}, {%f5,%f6,%f6,%f6}",
     "image_sample_d 3D"),
    ("tex.grad.acube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%r5,%f5,%f6,%f7}], {%f7,%f8,%f5,%f5}, {%f5,%f6,%f6,%f6}",
     "image_sample_d CUBE"),
    ("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5,%f6}], {%r1,-3}", "image_sample_lz_o 2D"),
    ("tex.level.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5,%f6,%f7,%f7}], %f8, {%r1,%r2,%r3,%r3}",
     "image_sample_l_o 3D"),
    ("tex.grad.a1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%r5,%f5}], {%f6}, {%f7}, {%r6}", "image_sample_d_o 1D_ARRAY"),
    ("tex.a2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%tex, {%r5,%r6,%r7,%r7}], {%r1,%r2}", "image_load 2D_ARRAY"),
    ("tld4.a.a2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%r5,%f5,%f6,%f6}], {%r1,%r2}", "image_gather4_lz_o 2D_ARRAY"),
    ("sured.b.min.3d.s64.clamp [%tex, {%r5,%r6,%r7,%r7}], %d1", "image_atomic_smin 3D"),
    ("sured.b.add.2d.u64.trap [%tex, {%r5,%r6}], %d1", "image_atomic_add 2D"),
    ("sured.p.min.2d.b64.trap [%tex, {%r5,%r6}], %d1", "image_atomic_smin 2D, image_atomic_umin 2D"),
    ("sured.p.max.3d.b64.zero [%tex, {%r5,%r6,%r7,%r7}], %d1", "image_atomic_smax 3D, image_atomic_umax 3D"),
    ("tex.grad.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5}], {%f6}, {%f7}, %f8", ""),
    ("tex.grad.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5,%f6}], {%f6,%f5}, {%f7,%f8}, %f8", "image_sample_d 2D"),
    ("tex.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5,%f6,%f7,%f7}], %f8", "image_sample_lz CUBE"),
    ("tld4.r.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5,%f6}], {%r1,%r2}, %f8", "image_gather4_lz_o 2D"),
    ("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%tex, {%r5}]", ""),
    ("tex.2d.v4.u32.s32 {%r1,%r2,%r3,%r4}, [%tex, {%r5,%r6}]", "image_load 2D"),
    ("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}|%p1, [%tex, {%f5,%f6}]", "image_sample_lz 2D"),
    ("tex.level.3d.v2.f16x2.f32 {%r1,%r2}, [%tex, {%f5,%f6,%f7,%f7}], %f8", "image_sample_l 3D"),
    ("tld4.b.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5,%f6}]", "image_gather4_lz 2D"),
    ("tld4.r.acube.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%tex, {%r5,%f5,%f6,%f7}]", "image_gather4_lz CUBE"),
    ("suld.b.1d.v4.b8.trap {%h1,%h2,%h3,%h4}, [%tex, {%r5}]", "image_load 1D"),
    ("suld.b.2d.v2.b64.clamp {%d1,%d2}, [%tex, {%r5,%r6}]", "image_load 2D"),
    ("suld.b.a2d.b16.zero %h1, [%tex, {%r5,%r6,%r7,%r7}]", "image_load 2D_ARRAY"),
    ("sust.b.3d.v4.b32.trap [%tex, {%r5,%r6,%r7,%r7}], {%r1,%r2,%r3,%r4}", "image_store 3D"),
    ("sust.b.a1d.b8.zero [%tex, {%r5,%r6}], %h1", "image_store 1D_ARRAY"),
    ("sust.p.2d.v2.b32.clamp [%tex, {%r5,%r6}], {%r1,%r2}", "image_store 2D"),
    ("sured.b.min.2d.s32.trap [%tex, {%r5,%r6}], %r1", "image_atomic_smin 2D"),
    ("sured.b.add.1d.u32.zero [%tex, {%r5}], %r1", "image_atomic_add 1D"),
    ("sured.p.or.3d.b32.clamp [%tex, {%r5,%r6,%r7,%r7}], %r1", "image_atomic_or 3D"),
    ("txq.width.b32 %r1, [%tex]", ""),
    ("txq.level.depth.b32 %r1, [%tex], %r5", ""),
    ("suq.array_size.b32 %r1, [%tex]", ""),
    ("istypep.surfref %p1, %tex", ""),
]  # fmt: skip
REFUSED = [
    ("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, %tex, {%f5,%f6}]", "a sampler of its own"),
    ("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5,%f6}], {%r1,%r2,%r3}", "a vector of 3"),
    ("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5}]", "a vector of 1"),
    ("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5,%f6}], %f7, %f8", "operands behind the comparand"),
    ("tex.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%tex, {%f5,%f6,%f7,%f7}], {%r1,%r2,%r3,%r3}", "no texel offsets"),
    ("sured.b.add.2d.s64.trap [%tex, {%r5,%r6}], %d1", "no such form"),
    ("txq.filter_mode.b32 %r1, [%tex]", "no such form"),
]  # fmt: skip
HEAD = ".version 8.7\n.target sm_80\n.address_size 64\n.global .texref image;\n"


def entry(name: str, form: str) -> str:
    """A kernel that loads every register, runs the form and stores every register."""
    floats, words = (",".join(f"%{kind}{n}" for n in range(1, 5)) for kind in "fr")
    return f"""
.visible .entry {name}(.param .u64 handle, .param .u64 out)
{{
    .reg .b64 %tex, %o; .reg .b64 %d<3>; .reg .f32 %f<9>; .reg .b32 %r<9>; .reg .b16 %h<5>;
    .reg .pred %p<2>; .reg .b32 %t;
    ld.param.u64 %tex, [handle]; ld.param.u64 %o, [out];
    ld.global.v4.f32 {{%f5,%f6,%f7,%f8}}, [%o]; ld.global.v4.u32 {{%r5,%r6,%r7,%r8}}, [%o+16];
    ld.global.v4.f32 {{{floats}}}, [%o+32]; ld.global.v4.u32 {{{words}}}, [%o+48];
    ld.global.v2.u64 {{%d1,%d2}}, [%o+64]; ld.global.v4.u16 {{%h1,%h2,%h3,%h4}}, [%o+80];
    setp.eq.u32 %p1, %r1, 0;
    {form};
    selp.u32 %t, 1, 0, %p1;
    st.global.v4.f32 [%o+32], {{{floats}}}; st.global.v4.u32 [%o+48], {{{words}}};
    st.global.v2.u64 [%o+64], {{%d1,%d2}}; st.global.v4.u16 [%o+80], {{%h1,%h2,%h3,%h4}}; st.global.u32 [%o+96], %t;
    ret;
}}
"""


def test_forms_compile_to_image_instructions() -> None:
    """One compiler call for all of them."""
    parts = []
    for number, (form, _) in enumerate(FORMS):
        module = PtxModule(HEAD + entry(f"k{number}", form), 80)
        program, own = write_own(parsed(module.text), f"k{number}", kernel_abi(module, f"k{number}"), {})
        assert [slot.kind for slot in program.slots] == [SlotKind.TEXTURES], form
        parts.append(f"namespace of_k{number} {{\n{own}\n}}")
    body = "\n".join(parts)
    text = "\n".join([HEADER, select(words_of(body)), "", body])
    assembly = compile_to_assembly(HipSource(text, "k0")).text
    assert not re.search(r"^\t$", assembly, re.MULTILINE)  # what LLVM 22 prints for an instruction it left unexpanded
    for number, (form, expected) in enumerate(FORMS):
        code = assembly.split(f"\nk{number}:", 1)[1].split("s_endpgm", 1)[0]
        found = re.findall(r"^\s*(image_\w+)\s.*dim:SQ_RSRC_IMG_(\w+)", code, re.MULTILINE)
        assert {" ".join(one) for one in found} == set(filter(None, expected.split(", "))), form


@pytest.mark.parametrize(("form", "why"), REFUSED)
def test_refused_by_name(form: str, why: str) -> None:
    with pytest.raises(Unsupported, match=why):
        translate_kernel(PtxModule(HEAD + entry("k", form), 80), "k")
