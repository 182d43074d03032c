"""What a PTX-only module's manifest is made of, against the cubin that ptxas makes of the same text."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cass_shim.extract.cubin import read_cubin
from cass_shim.model.artifacts import Cubin, PtxModule
from cass_shim.model.errors import Malformed, Unsupported
from cass_shim.translate.ptx_hip import data, kernel_abi, kernels, module_data, module_tokens, translate_kernel

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
TEXT = (
    HEAD
    + """
.visible .global .align 4 .u32 counter;
.visible .global .align 4 .u32 table[5] = {1, 2, 3};
.visible .const .align 8 .f64 scale[2] = {0d3FF8000000000000, 0d4000000000000000};
.visible .const .align 4 .f32 bias = 0f3F000000;
.global .align 1 .b8 text[6] = {104, 101, 108, 108, 111};
.visible .global .align 8 .u64 pointers[3] = {generic(text), generic(table)+8, 0};
.visible .global .align 2 .b16 halves[2] = {0x3C00, 0xBC00};
.visible .global .align 1 .b8 low_bytes[3] = {1, 1.7, 0f3f812345};
.visible .global .align 2 .b16 low_halves[2] = {1.7, 0f3f812345};
.visible .global .align 4 .b32 words[2] = {1.7, 0f3f812345};
.visible .global .align 8 .b64 doubles[2] = {1.7, 0f3f812345};
.visible .global .align 4 .f32 floats[1] = {0d3ff123456789abcd};
.shared .align 4 .b8 tile[256];
.func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %r<3>; ld.param.u32 %r1, [x]; shl.b32 %r2, %r1, 1;
  st.param.b32 [r], %r2; ret; }
.visible .global .align 8 .u64 functions[1] = {twice};
.visible .entry k(.param .u64 a, .param .align 16 .b8 s[24], .param .u8 c, .param .f64 d, .param .u32 n)
  .maxntid 128, 2, 1
{ .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f64 %fd<3>;
  ld.param.u64 %rd1, [a]; mov.u64 %rd2, counter; ld.global.u32 %r1, [%rd2]; mov.u64 %rd3, functions;
  ld.global.u64 %rd4, [%rd3]; mov.u64 %rd5, pointers; ld.global.u64 %rd6, [%rd5]; mov.u64 %rd7, halves;
  ld.const.f64 %fd1, [scale+8]; ld.const.f32 %r3, [bias]; mov.u32 %r2, tile; st.shared.u32 [%r2], %r1;
  ld.global.u16 %r4, [%rd7]; st.global.u64 [%rd1], %rd6; st.global.u64 [%rd1+8], %rd4; st.global.u32 [%rd1+16], %r3;
  st.global.f64 [%rd1+24], %fd1; ret; }
"""
)
MODULE = PtxModule(TEXT, 80)


@pytest.fixture(scope="module")
def cubin(tmp_path_factory: pytest.TempPathFactory) -> Cubin:
    if shutil.which("ptxas") is None:
        pytest.skip("no ptxas")
    folder: Path = tmp_path_factory.mktemp("data")
    (folder / "a.ptx").write_text(TEXT)
    subprocess.run(["ptxas", "-arch=sm_80", "a.ptx", "-o", "a.cubin"], cwd=folder, check=True)
    return read_cubin((folder / "a.cubin").read_bytes())


def contents(images: tuple[object, ...], variables: tuple[object, ...]) -> dict[str, bytes]:
    """Initial bytes of each variable."""
    found = {}
    for variable in variables:
        image = images[variable.image]  # type: ignore[attr-defined]
        content = image.content.ljust(image.size, b"\0")  # type: ignore[attr-defined]
        found[variable.name] = content[variable.offset : variable.offset + variable.size]  # type: ignore[attr-defined]
    return found


def test_contents_are_those_of_the_cubin(cubin: Cubin) -> None:
    ours, theirs = contents(*module_data(MODULE)), contents(cubin.images, cubin.variables)
    for name in ("counter", "table", "scale", "bias", "halves", "text"):
        assert ours[name] == theirs[name], name


def test_addresses_are_relocations_of_the_same_symbols(cubin: Cubin) -> None:
    images, variables = module_data(MODULE)
    by_name = {variable.name: images[variable.image] for variable in variables}
    ours = [(one.offset, one.symbol, one.addend) for one in by_name["pointers"].relocations]
    assert ours == [(0, "text", 0), (8, "table", 8)]
    theirs = {one.symbol for image in cubin.images for one in image.relocations}
    assert {"text", "table"} <= theirs


def test_functions_have_tokens() -> None:
    tokens = module_tokens(MODULE)
    assert list(tokens) == ["twice"]
    images, variables = module_data(MODULE)
    by_name = {variable.name: images[variable.image] for variable in variables}
    assert [one.symbol for one in by_name["functions"].relocations] == ["twice"]


def test_functions_are_looked_for_once_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once a kernel: a module of many kernels took time as the square of their number."""
    looked = []
    find = data.address_taken
    monkeypatch.setattr(data, "address_taken", lambda tree: looked.append(tree) or find(tree))
    body = "(.param .u64 a) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [a]; st.global.u32 [%rd1], 1; ret; }\n"
    module = PtxModule(HEAD + ".func f() { ret; }\n" + "".join(f".entry k{n}{body}" for n in range(20)), 80)
    for name in kernels(module):
        translate_kernel(module, name)
    assert len(looked) == 1


def test_the_parameter_layout_is_the_cubins(cubin: Cubin) -> None:
    ours, theirs = kernel_abi(MODULE, "k"), cubin.kernels["k"].abi
    assert kernels(MODULE) == ("k",)
    assert ours.params == theirs.params
    assert ours.params_bytes == theirs.params_bytes
    assert ours.bindings_offset == theirs.bindings_offset
    assert ours.shared_bytes == theirs.shared_bytes
    assert ours.max_threads == 256


def test_slots_are_the_variables_that_the_kernel_names() -> None:
    slots = translate_kernel(MODULE, "k").slots
    assert {slot.symbol for slot in slots} == {"counter", "functions", "pointers", "halves", "scale", "bias"}


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(Malformed, match="is not declared"):
        module_data(PtxModule(HEAD + ".global .u64 x = missing;", 80))
    with pytest.raises(Malformed, match=r"a float for an element of x, which is \.u8"):  # the fuzzer's, 2026-11-22
        module_data(PtxModule(HEAD + ".global .u8 x[2] = {1, 1.5};", 80))
    with pytest.raises(Malformed, match="4-byte element"):
        module_data(PtxModule(HEAD + ".global .u32 y; .global .u32 x = y;", 80))
    with pytest.raises(Malformed, match="no kernel other"):
        kernel_abi(MODULE, "other")
    with pytest.raises(Unsupported, match="shared memory"):
        text = HEAD + ".entry k() { .shared .b8 s[70000]; .reg .b32 %r; mov.u32 %r, s; st.shared.u32 [%r], 1; ret; }"
        translate_kernel(PtxModule(text, 80), "k")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("add.u64 %rd1, %r1, 1;", "expected .u64"),
        ("mov.u32 %r1, missing;", "not declared"),
        ("ld.param.u64 %rd1, [a+8];", "8 bytes at offset 8"),
        ("call missing;", "not declared"),
        ("selp.u32 %r1, 1, 2, %r2;", "expected .pred"),
        ("st.shared.u32 %r1, 5;", "expected an address"),
        ("add.u32 %r1, %r2;", "2 operands, expected 3"),
        ("ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];", "a vector of 3, expected 2"),
        ("add.u32 5, %r1, %r2;", "not a register"),
    ],
)
def test_impossible_instructions_are_refused(body: str, reason: str) -> None:
    text = f"{HEAD}.entry k(.param .u64 a) {{ .reg .b32 %r<4>; .reg .b64 %rd<4>; {body} ret; }}"
    with pytest.raises((Malformed, Unsupported), match=reason):
        translate_kernel(PtxModule(text, 80), "k")
