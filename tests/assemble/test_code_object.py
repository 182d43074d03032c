"""Code objects: facts of a compiled kernel, and what is refused. The compiler's own metadata is the oracle."""

from __future__ import annotations

import functools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cass_shim.assemble.code_object import check_cass1_layout, code_object_version, parse_code_object, read_descriptors
from cass_shim.assemble.hip import compile_hip, compile_to_assembly
from cass_shim.assemble.text import assemble_text
from cass_shim.model.artifacts import AmdgcnAsm, HipSource
from cass_shim.model.errors import Malformed, ToolFailed
from cass_shim.model.kernel_abi import AbiClass, KernelAbi, Param

ABI = KernelAbi(params=(Param(0, 0, 8), Param(1, 8, 4)), params_bytes=12)
SOURCE = HipSource(
    """struct __attribute__((packed, aligned(8))) Params { float *out; int n; int pad; };
static __attribute__((shared)) float tile[96];
extern "C" __attribute__((global)) void k(Params p, void *const *bindings) {
    int i = __builtin_amdgcn_workitem_id_x();
    tile[i] = i;
    __builtin_amdgcn_s_barrier();
    if (i < p.n) p.out[i] = tile[95 - i] + *(float *)bindings[0];
}
""",
    "k",
)


@functools.cache
def code() -> bytes:
    return compile_hip(SOURCE, ABI).elf


def test_facts_of_a_compiled_kernel() -> None:
    compiled = compile_hip(SOURCE, ABI)
    assert (compiled.symbol, compiled.abi, compiled.bindings_offset) == ("k", AbiClass.CASS1, 16)
    assert compiled.lds_bytes == 96 * 4
    assert compiled.scratch_bytes == 0
    assert compiled.kernarg_bytes >= 24
    assert 0 < compiled.vgprs < 32
    assert code_object_version(compiled.elf) == 5
    assert "clang version" in compiled.provenance["clang"]
    kernel = read_descriptors(compiled.elf)["k"]
    explicit = [argument for argument in kernel.arguments if not argument.hidden]
    assert [(argument.offset, argument.size) for argument in explicit] == [(0, 16), (16, 8)]


def test_assembly_and_source_routes_agree() -> None:
    text = compile_to_assembly(SOURCE)
    assert assemble_text(text, ABI).elf == code()


def test_a_different_parameter_block_is_refused() -> None:
    with pytest.raises(Malformed, match="binding pointer"):
        compile_hip(SOURCE, KernelAbi(params_bytes=24))
    compiled = parse_code_object(code(), "k", bindings_offset=16)
    with pytest.raises(Malformed):
        check_cass1_layout(compiled, KernelAbi(params_bytes=40))


def test_arguments_of_their_own_lie_where_cuda_has_them() -> None:
    text = SOURCE.text.replace("Params p,", "float *out, short low, int n,").replace("p.", "")
    ordered = KernelAbi(params=(Param(0, 0, 8), Param(1, 8, 2), Param(2, 12, 4)), params_bytes=16)
    assert compile_hip(HipSource(text, "k"), ordered).bindings_offset == 16
    swapped = KernelAbi(params=(Param(0, 0, 8), Param(1, 8, 4), Param(2, 12, 4)), params_bytes=16)
    with pytest.raises(Malformed, match="not where CUDA has them"):
        compile_hip(HipSource(text, "k"), swapped)


def test_a_missing_kernel_is_named() -> None:
    with pytest.raises(Malformed, match="no kernel 'other'; it has k"):
        parse_code_object(code(), "other")


def test_compiler_errors_are_passed_on() -> None:
    with pytest.raises(ToolFailed) as caught:
        compile_hip(HipSource("int x = ;", "k"), ABI)
    assert "kernel.hip:1" in caught.value.stderr


def test_wave64_is_refused() -> None:
    text = compile_to_assembly(SOURCE).text.replace(".amdhsa_wavefront_size32 1", ".amdhsa_wavefront_size32 0")
    text = text.replace(".wavefront_size: 32", ".wavefront_size: 64")
    with pytest.raises((Malformed, ToolFailed)):
        assemble_text(AmdgcnAsm(text, "k"), ABI)


@pytest.mark.parametrize("size", [0, 1, 7, 16, 63, 64, 100, 500])
def test_truncation_is_malformed(size: int) -> None:
    with pytest.raises(Malformed):
        parse_code_object(code()[:size], "k")


def test_every_truncation_of_the_tail_is_malformed_or_whole() -> None:
    whole = code()
    for size in range(len(whole) - 1, 0, -37):
        with pytest.raises(Malformed):
            parse_code_object(whole[:size], "k")


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_flipped_bytes_never_crash(data: st.DataObject) -> None:
    changed = bytearray(code())
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = parse_code_object(bytes(changed), "k")
    except Malformed:
        return
    assert found.symbol == "k"


def test_objects_of_other_machines_are_refused() -> None:
    whole = bytearray(code())
    whole[48] = 0x36  # EF_AMDGPU_MACH of gfx1030
    with pytest.raises(Malformed, match="gfx1100"):
        parse_code_object(bytes(whole), "k")
    whole = bytearray(code())
    whole[8] = 2  # code object version 4
    with pytest.raises(Malformed, match="ABI version"):
        parse_code_object(bytes(whole), "k")
