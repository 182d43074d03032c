"""The toolchain probe: a fit LLVM is found, an unfit one is refused with the reason."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from cass_shim.assemble import toolchain
from cass_shim.assemble.llvm import generate_assembly
from cass_shim.model.errors import ToolFailed


def test_a_fit_toolchain_is_found_and_named() -> None:
    tools = toolchain.toolchain()
    assert "clang version" in tools.clang.version
    assert "LLD" in tools.lld.version
    assert tools.provenance["toolchain"] == tools.origin


def test_assembles_and_links_known_bytes() -> None:
    # Source: RDNA3 ISA manual, SOPP encoding: s_endpgm is 0xBFB00000.
    linked = toolchain.link(toolchain.assemble_object("s_endpgm\n"))
    assert toolchain.text_section(linked)[:4] == bytes.fromhex("0000b0bf")


def script(path: Path, text: str) -> tuple[str, ...]:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return (str(path),)


def test_a_clang_that_warns_is_refused(tmp_path: Path) -> None:
    real = toolchain.toolchain()
    forward = " ".join(real.clang.command)
    clang = script(tmp_path / "clang", f'{forward} "$@"; echo "not a recognized processor" >&2')
    reason = toolchain.probe("test", clang, real.lld.command).reason
    assert "not a recognized processor" in reason


def test_a_clang_that_writes_other_bytes_is_refused(tmp_path: Path) -> None:
    real = toolchain.toolchain()
    wrong = tmp_path / "wrong.s"
    wrong.write_text("s_nop 0\n")
    forward = " ".join(real.clang.command)
    clang = script(
        tmp_path / "clang",
        f'case "$*" in *--version*) echo clang version 99;; *) {forward} -target amdgcn-amd-amdhsa -mcpu=gfx1100 '
        f"-x assembler -c {wrong} -o probe.o;; esac",
    )
    assert "too old or broken" in toolchain.probe("test", clang, real.lld.command).reason


def test_a_missing_tool_is_refused() -> None:
    assert toolchain.probe("test", ("/nonexistent/clang",), ("/nonexistent/ld.lld",)).reason == "does not run"


def test_the_assembler_speaks_through_the_error() -> None:
    with pytest.raises(ToolFailed) as caught:
        toolchain.assemble_object("v_no_such_instruction v0\n")
    assert "kernel.s:1" in caught.value.stderr
    assert "v_no_such_instruction" in caught.value.stderr


def test_a_tool_that_hangs_is_killed(tmp_path: Path) -> None:
    tool = toolchain.Tool(script(tmp_path / "sleeper", "sleep 60 & wait"))
    with pytest.raises(ToolFailed, match="no answer after"):
        toolchain.run_tool(tool, [], tmp_path, timeout_s=0.2)


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ToolFailed):
        toolchain.assemble_object("nonsense!\n")
    assert list(tmp_path.iterdir()) == []


def test_link_refuses_an_undefined_symbol() -> None:
    text = "s_getpc_b64 s[0:1]\ns_add_u32 s0, s0, missing@rel32@lo+4\ns_endpgm\n"
    with pytest.raises(ToolFailed, match="undefined"):
        toolchain.link(toolchain.assemble_object(text))


# Source: a work-item by `take` must get `a`. LLVM 20.1.8 and 22.1.8 from assemble/toolchain.PROBE_IR, the end of each.
BOTH_VALUES = (
    "\ts_and_saveexec_b32 s1, s0\n\tv_dual_mov_b32 v0, s12 :: v_dual_mov_b32 v1, s13\n\ts_or_b32 exec_lo, exec_lo, s1\n"
)
ONE_VALUE = (
    "\ts_and_saveexec_b32 s1, s0\n\ts_or_b32 exec_lo, exec_lo, s1\n\tv_dual_mov_b32 v0, s14 :: v_dual_mov_b32 v1, s15\n"
)


def test_a_code_generator_that_loses_a_value_is_refused(tmp_path: Path) -> None:
    assert toolchain.loses_values(ONE_VALUE) and not toolchain.loses_values(BOTH_VALUES)
    real = toolchain.toolchain()
    (tmp_path / "wrong.s").write_text(ONE_VALUE)
    forward = " ".join(real.clang.command)
    clang = script(
        tmp_path / "clang", f'case "$*" in *probe.ll*) cp {tmp_path}/wrong.s probe.s;; *) exec {forward} "$@";; esac'
    )
    assert "makes one value of two" in toolchain.probe("test", clang, real.lld.command).reason


def test_the_code_generator_of_llvmlite_keeps_both_values() -> None:
    assert not toolchain.loses_values(generate_assembly(toolchain.PROBE_IR.decode()))
