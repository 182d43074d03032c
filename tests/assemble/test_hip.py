"""clang's assembly text: what it left out must not go unseen."""

from __future__ import annotations

import lzma
import re
from pathlib import Path

import pytest

from cass_shim.assemble import toolchain
from cass_shim.assemble.hip import check_complete, compile_to_assembly
from cass_shim.model.artifacts import HipSource
from cass_shim.model.errors import ToolFailed


def test_an_instruction_without_text_is_refused() -> None:
    check_complete("k:\n\tv_mov_b32 v0, 0\n\n\ts_endpgm\n")
    with pytest.raises(ToolFailed, match="line 3"):
        check_complete("k:\n\tv_mov_b32 v0, 0\n\t\n\ts_endpgm\n")


def test_a_difference_from_zero_is_no_negation() -> None:
    """+0 - x is +0 for x = +0; the sign that a conversion takes for free would make it -0 (`assemble/zeros.py`)."""
    text = """extern "C" __attribute__((global)) void k(const float *from, double *to, int n) {
    to[n] = (double)(0.0f - from[n]);
}
"""
    made = compile_to_assembly(HipSource(text, "k", ())).text
    assert re.search(r"v_(dual_)?sub\w*_f32", made), made
    assert not re.search(r"v_cvt_f64_f32\S* \S+, -", made), made


def test_registers_are_not_halved() -> None:
    """LLVM 21 writes the upper half of a register whose lower half a load is still to bring (generated kernel 3072)."""
    text = """extern "C" __attribute__((global)) void k(const unsigned short *from, unsigned short *to, int n) {
    unsigned lane = __builtin_amdgcn_workitem_id_x();
    unsigned short a = from[lane], b = (unsigned short)(from[lane + n] + a);
    to[lane] = (unsigned short)(a * b) > 6 ? (unsigned short)(a ^ b) : (unsigned short)(a - b);
}
"""
    made = compile_to_assembly(HipSource(text, "k", ())).text
    assert "v_mul_lo_u16" in made, made
    assert not re.search(r"\bv\d+\.[hl]\b", made), made


def test_a_code_generator_that_ends_is_asked_once_more() -> None:
    """LLVM 21 ends by a signal on generated kernel 8954."""
    source = lzma.decompress((Path(__file__).parent / "crash_8954.hip.xz").read_bytes()).decode()
    assert "s_endpgm" in compile_to_assembly(HipSource(source, "_Z5k8954PKjPjj", ())).text


@pytest.mark.parametrize(("said", "times"), [("zig: error: clang frontend command failed with exit code 139", 2),
                                             ("exit status -11", 2), ("kernel.ll:3: error: a type", 1)])  # fmt: skip
def test_only_a_crash_is_tried_again(said: str, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    real = toolchain.run_tool

    def fails(tool: toolchain.Tool, arguments: list[str], directory: Path, *rest: float) -> str:
        if "ir" not in arguments:
            return real(tool, arguments, directory, *rest)
        asked.append(arguments)
        raise ToolFailed("clang", stderr=said)

    toolchain.toolchain()
    monkeypatch.setattr(toolchain, "run_tool", fails)
    with pytest.raises(ToolFailed, match=re.escape(said.splitlines()[0])):
        compile_to_assembly(HipSource('extern "C" __attribute__((global)) void k() {}', "k", ()))
    assert len(asked) == times
    assert all(("-amdgpu-sdwa-peephole=false" in one) == bool(at) for at, one in enumerate(asked))
