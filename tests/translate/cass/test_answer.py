"""Answers of a model are data from a stranger: what is read, and every hostile shape that is refused."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cass_shim.assemble.text import assemble_text
from cass_shim.model.errors import Rejected
from cass_shim.model.kernel_abi import AbiClass, KernelAbi, Param, Slot, SlotKind
from cass_shim.translate.cass.answer import fenced, parse_answer
from cass_shim.translate.cass.contract import rebuild
from tests.translate.cass.support import ABI, NAME, good_answer


def changed(old: str, new: str) -> str:
    assert old in good_answer()
    return good_answer().replace(old, new)


def refused(answer: str, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        rebuild(parse_answer(answer, NAME), ABI)


def test_a_good_answer_becomes_a_code_object() -> None:
    source = rebuild(parse_answer(good_answer(), NAME), ABI)
    code = assemble_text(source, ABI)
    assert (code.symbol, code.abi, code.slots) == (NAME, AbiClass.HIP, ())
    assert code.kernarg_bytes == ABI.bindings_offset + 256


@pytest.mark.parametrize(
    "answer",
    ["Here it is:\n{}\nI hope this helps!", "```text\nfirst try\n```\n```hipasm\n{}\n```", "{}", "```hipasm\n{}"],
    ids=["prose", "two fences", "no fence", "fence not closed"],
)
def test_the_assembly_is_found_in(answer: str) -> None:
    inner = fenced(good_answer())
    assert parse_answer(answer.format(inner), NAME).lines == parse_answer(good_answer(), NAME).lines


@pytest.mark.parametrize(
    ("name", "reason"),
    [("_Z5otherPf", "the kernel is named _Z5otherPf")],
)
def test_a_wrong_kernel_name_is_refused(name: str, reason: str) -> None:
    refused(good_answer().replace(NAME, name), reason)


def test_empty_answers_are_refused() -> None:
    for answer in ("", "   \n", "```hipasm\n```"):
        refused(answer, "empty")


def test_prose_without_code_is_refused() -> None:
    refused("I cannot translate this kernel.", "no code for the kernel")


def test_ten_megabytes_are_refused() -> None:
    refused("v_mov_b32 v0, v0\n" * 600_000, "characters, at most")


def test_too_many_lines_are_refused() -> None:
    refused("```hipasm\n" + "x\n" * 50_000 + "```", "50000 lines")


def test_a_cut_off_answer_is_refused() -> None:
    inner = fenced(good_answer())
    refused(inner[: inner.index("s_endpgm")], "cut off")


def test_two_kernels_are_refused() -> None:
    inner = fenced(good_answer())
    refused(inner + inner.replace(NAME, "_Z5otherPf"), "2 kernels")


def test_a_second_function_is_refused() -> None:
    refused(changed("\ts_endpgm", "\ts_endpgm\nhelper:\n\ts_setpc_b64 s[30:31]"), "second function")


@pytest.mark.parametrize(
    "line",
    ['.incbin "/etc/passwd"', '.include "/etc/passwd"', ".macro m", ".rept 1000000000", ".irp x, 1", ".org 0x7fffffff",
     ".space 0x7fffffff", ".pushsection .data", ".byte 0", ".long 0xbf800000", ".reloc 0, R_AMDGPU_ABS64, x", ".err",
     ".if 1", ".altmacro", ".cfi_personality 0, x", ".symver a, b@c", ".weakref a, b"],
)  # fmt: skip
def test_directives_that_read_grow_or_hide_are_refused(line: str) -> None:
    refused(changed("\ts_endpgm", f"\t{line}\n\ts_endpgm"), "directive")


@pytest.mark.parametrize(
    "line",
    ["s_trap 2", "s_sethalt 1", "s_rfe_b64 s[0:1]", "s_setkill 1", "s_sendmsghalt sendmsg(MSG_INTERRUPT)",
     "s_sendmsg sendmsg(MSG_INTERRUPT)", "s_ttracedata", "s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0",
     "s_setreg_imm32_b32 hwreg(HW_REG_SHADER_CYCLES), 0", "s_icache_inv"],
)  # fmt: skip
def test_privileged_instructions_are_refused(line: str) -> None:
    refused(changed("\ts_endpgm", f"\t{line}\n\ts_endpgm"), "not a kernel's to use")


def test_the_mode_register_and_dealloc_are_allowed() -> None:
    answer = changed(
        "\ts_endpgm",
        "\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0\n\ts_sendmsg sendmsg(MSG_DEALLOC_VGPRS)\n\ts_endpgm",
    )
    assemble_text(rebuild(parse_answer(answer, NAME), ABI), ABI)


def test_text_that_is_no_instruction_is_refused() -> None:
    refused(changed("\ts_endpgm", "\t<script>\n\ts_endpgm"), "not an instruction")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (".amdhsa_group_segment_fixed_size 0", ".amdhsa_group_segment_fixed_size 9999999", "at most"),
        (".amdhsa_wavefront_size32 1", ".amdhsa_wavefront_size32 0", "64 lanes"),
        (".amdhsa_dx10_clamp 1", ".amdhsa_no_such_value 1", "descriptor value"),
        (".amdhsa_uses_dynamic_stack 0", ".amdhsa_uses_dynamic_stack 1", "uses_dynamic_stack"),
    ],
)
def test_impossible_descriptors_are_refused(old: str, new: str, reason: str) -> None:
    refused(changed(old, new), reason)


def test_another_parameter_layout_is_refused() -> None:
    other = KernelAbi(params=(Param(0, 0, 8), Param(1, 8, 4)), params_bytes=12)
    with pytest.raises(Rejected, match="parameters are at"):
        rebuild(parse_answer(good_answer(), NAME), other)


def test_metadata_is_rebuilt_when_missing() -> None:
    inner = fenced(good_answer())
    start, end = inner.index("\t.amdgpu_metadata"), inner.index("\t.end_amdgpu_metadata")
    code = assemble_text(rebuild(parse_answer(inner[:start] + inner[end:], NAME), ABI), ABI)
    assert code.kernarg_bytes == ABI.bindings_offset + 256


ADDRESS = """\ts_getpc_b64 s[4:5]
\ts_add_u32 s4, s4, counter@{kind}@lo+{low}
\ts_addc_u32 s5, s5, counter@{kind}@hi+{high}
\ts_endpgm"""


def test_a_module_variable_becomes_a_slot() -> None:
    answer = changed("\ts_endpgm", ADDRESS.format(kind="rel32", low=4, high=12))
    source = rebuild(parse_answer(answer, NAME), ABI)
    assert source.slots == (Slot(SlotKind.SYMBOL, "counter"),)
    assert "counter" not in source.text
    assert "s_load_b64 s[4:5], s[4:5], 0x0" in source.text
    assert assemble_text(source, ABI).slots == source.slots


def test_an_offset_into_a_variable_is_the_slots_addend() -> None:
    answer = changed("\ts_endpgm", ADDRESS.format(kind="rel32", low=36, high=44))
    assert rebuild(parse_answer(answer, NAME), ABI).slots == (Slot(SlotKind.SYMBOL, "counter", 32),)


def test_a_table_entry_keeps_the_programs_own_load() -> None:
    answer = changed("\ts_endpgm", ADDRESS.format(kind="gotpcrel32", low=4, high=12))
    source = rebuild(parse_answer(answer, NAME), ABI)
    assert source.slots == (Slot(SlotKind.SYMBOL, "counter"),)
    assert "s_load_b64 s[4:5], s[4:5], 0x0" not in source.text


@pytest.mark.parametrize(
    "line",
    ["s_mov_b32 s4, counter@rel32@lo", "s_add_u32 s4, s6, counter@rel32@lo+4", "v_mov_b32 v0, counter@rel32@lo+4"],
)
def test_any_other_use_of_a_symbol_is_refused(line: str) -> None:
    refused(changed("\ts_endpgm", f"\t{line}\n\ts_endpgm"), "other than by its address")


def test_a_call_out_of_the_answer_is_refused() -> None:
    answer = changed("\ts_endpgm", ADDRESS.format(kind="rel32", low=4, high=12))
    with pytest.raises(Rejected, match="a call of counter"):
        rebuild(parse_answer(answer, NAME), ABI, frozenset({"counter"}))


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_damaged_answers_are_refused_or_parsed(data: st.DataObject) -> None:
    lines = good_answer().splitlines()
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(lines) - 1))
        lines[at] = data.draw(st.one_of(st.text(max_size=60), st.sampled_from(lines)))
    with contextlib.suppress(Rejected):
        rebuild(parse_answer("\n".join(lines), NAME), ABI)
