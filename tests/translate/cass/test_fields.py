"""Our own model's language: fields there and back, the frame, and the shipped checkpoint's loader."""

from __future__ import annotations

import builtins
import dataclasses
import functools
import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cass_shim.assemble.text import assemble_text
from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.model.artifacts import CodeObject, Cubin, EntryKind, Evidence, SassKernel
from cass_shim.model.config import Config
from cass_shim.model.errors import Malformed, Rejected, Unsupported
from cass_shim.model.instruction import Const, Instruction, Mem, Reg
from cass_shim.translate.cass import models, translate_kernel
from cass_shim.translate.cass.contracts import FIELDS
from cass_shim.translate.cass.fields import Line, _Source, source_lines, target_lines, target_text
from cass_shim.translate.cass.frame import descriptor
from cass_shim.translate.cass.models import CONTRACT_FILE, Answer, Decoding, Doubt, Message, choose
from cass_shim.translate.cass.search import Budget, Check, Search
from cass_shim.translate.cass.shipped import ShippedModel
from cass_shim.translate.cass.vocabulary import END, NEWLINE, Vocabulary
from cass_shim.verify import verify_kernel

PREBUILT = Path(__file__).parents[3] / "examples" / "prebuilt"
VECTOR_ADD = """
\ts_clause 0x1
\ts_load_b32 s2, s[0:1], 0x18
\ts_load_b32 s3, s[0:1], 0x2c
\ts_waitcnt lgkmcnt(0)
\ts_and_b32 s3, s3, 0xffff
\tv_mad_u64_u32 v[1:2], null, s15, s3, v[0:1]
\ts_delay_alu instid0(VALU_DEP_1)
\tv_cmp_gt_i32_e32 vcc_lo, s2, v1
\ts_and_saveexec_b32 s2, vcc_lo
\ts_cbranch_execz .LBB0_2
; %bb.1:
\tv_ashrrev_i32_e32 v2, 31, v1
\tv_lshlrev_b64 v[0:1], 2, v[1:2]
\ts_load_b128 s[4:7], s[0:1], 0x0
\ts_load_b64 s[0:1], s[0:1], 0x10
\ts_waitcnt lgkmcnt(0)
\tv_add_co_u32 v2, vcc_lo, s6, v0
\tv_add_co_ci_u32_e64 v3, null, s7, v1, vcc_lo
\tv_add_co_u32 v4, vcc_lo, s4, v0
\tv_add_co_ci_u32_e64 v5, null, s5, v1, vcc_lo
\tglobal_load_b32 v2, v[2:3], off
\tglobal_load_b32 v3, v[4:5], off
\tv_add_co_u32 v0, vcc_lo, s0, v0
\tv_add_co_ci_u32_e64 v1, null, s1, v1, vcc_lo
\ts_waitcnt vmcnt(0)
\t.p2align\t6
\tv_add_f32_e32 v2, v2, v3
\tglobal_store_b32 v[0:1], v2, off
.LBB0_2:
\ts_endpgm
"""


@functools.cache
def kernel(program: str = "vector_add_static") -> tuple[SassKernel, Cubin]:
    """The one kernel of a prebuilt sample, and its cubin."""
    for fatbin in read_fatbins((PREBUILT / program).read_bytes(), program):
        for entry in fatbin.entries:
            if entry.kind is EntryKind.ELF and entry.sm in (80, 89):
                cubin = read_cubin(entry.payload)
                return decode_kernel(next(iter(cubin.kernels.values())), cubin), cubin
    raise AssertionError(program)


def joined(lines: list[Line]) -> str:
    return "\n".join(" ".join(line) for line in lines)


def vocabulary() -> Vocabulary:
    words = f"{joined(source_lines(kernel()[0]))} {joined(target_lines(VECTOR_ADD.splitlines()))}".split()
    return Vocabulary.of_words(words)


def test_a_vocabulary_that_grows_keeps_its_numbers() -> None:
    first = vocabulary()
    more = first.extended({"NEW", "OTHER", first.tokens[300]})
    changed = [(old, new) for old, new in zip(first.tokens, more.tokens, strict=True) if old != new]
    assert [new for _, new in changed] == ["NEW", "OTHER"]
    assert all(old.startswith("<spare") for old, _ in changed)
    larger = first.extended(f"W{number}" for number in range(len(first.tokens)))
    assert len(larger.tokens) % 256 == 0
    assert len(larger.tokens) > len(first.tokens)


def test_local_memory_is_told_where_it_is_accessed() -> None:
    sass, _ = kernel()
    framed = dataclasses.replace(
        sass, kernel=dataclasses.replace(sass.kernel, abi=dataclasses.replace(sass.abi, local_bytes=40))
    )
    assert source_lines(framed)[0] == source_lines(sass)[0]
    store = Instruction(0, "STL", (), (Mem(Reg(1), 8), Reg(0)), text="STL [R1+0x8], R0")
    accessed = dataclasses.replace(framed, instructions=(store, *framed.instructions))
    assert source_lines(accessed)[0][-2:] == ["local", "#48"]
    assert descriptor(framed)["private_segment_fixed_size"] == 0
    assert descriptor(accessed)["private_segment_fixed_size"] == 64


def test_sass_fields_keep_what_matters_and_nothing_else() -> None:
    lines = [" ".join(line) for line in source_lines(kernel()[0])]
    assert lines[0] == "shared #0 hidden #32"
    assert lines[4] == "IMAD R #3 , R #1 , ntid.x #44 , R #2"
    assert lines[6] == "@ P #0 EXIT"
    assert lines[11] == "LDG .E R #9 , [ R #5 .64 ]"
    assert lines[-1] == "EXIT"


def test_the_older_contract_shows_registers_as_they_are() -> None:
    lines = [" ".join(line) for line in source_lines(kernel()[0], values=False)]
    assert lines[4] == "IMAD R #6 , R #6 , ntid.x #44 , R #3"
    assert lines[11] == "LDG .E R #4 , [ R #4 .64 ]"


def test_branches_name_labels_in_order() -> None:
    lines = [" ".join(line) for line in source_lines(kernel("matmul_tiled_static_sass")[0])]
    met = [line.split("L ")[1].split()[0] for line in lines if "L #" in line]
    assert list(dict.fromkeys(met)) == [f"#{number}" for number in range(len(set(met)))]
    assert any(line.endswith(("BRA L #0", "BRA L #1")) for line in lines)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("s_load_b128 s[4:7], s[0:1], 0x118", "s_load_b128 s*4 #4 , s*2 #0 , 0x #1 #24"),
        ("v_cndmask_b32_e64 v0, -v1, |v2|, vcc_lo", "v_cndmask_b32 v #0 , - v #1 , | v #2 | , vcc_lo"),
        ("s_waitcnt vmcnt(0) & lgkmcnt(1)", ""),  # waits are generated
        ("s_sendmsg_rtn_b32 s2, sendmsg(MSG_RTN_GET_DOORBELL)", ""),
        ("s_getreg_b32 s2, hwreg(HW_REG_MODE)", "s_getreg_b32 s #2 , hwreg ( HW_REG_MODE )"),
        ("ds_load_b32 v1, v2 offset:252 gds", "ds_load_b32 v #1 , v #2 offset : #252 gds"),
        ("v_mul_f32_e32 v0, -0.5, v1", "v_mul_f32 v #0 , - 0.5 , v #1"),
        ("v_fma_f32 v0, |v1|, -|s2|, 2.0 clamp", "v_fma_f32 v #0 , | v #1 | , - | s #2 | , 2.0 clamp"),
        ("v_pk_add_f16 v0, v1, v2 op_sel:[0,1] neg_lo:[1,0]",
         "v_pk_add_f16 v #0 , v #1 , v #2 op_sel : [ #0 , #1 ] neg_lo : [ #1 , #0 ]"),
    ],
)  # fmt: skip
def test_rdna3_fields_there_and_back(text: str, fields: str) -> None:
    lines = target_lines([text])
    assert joined(lines) == fields
    assert target_lines(target_text(lines).splitlines()) == lines


def test_the_text_of_fields_assembles_to_the_same_code() -> None:
    lines = target_lines(VECTOR_ADD.splitlines())
    assert target_lines(target_text(lines).splitlines()) == lines
    hints = ("s_clause", "s_delay", ".p2", "s_waitcnt")
    own = [line for line in VECTOR_ADD.splitlines() if not line.strip().startswith(hints)]
    codes = [_answer(text).elf for text in ("\n".join(own), target_text(lines))]
    assert codes[0] == codes[1]


def _answer(body: str) -> Any:
    from cass_shim.translate.cass.answer import parse_answer
    from cass_shim.translate.cass.contract import rebuild
    from cass_shim.translate.cass.frame import framed

    sass, _ = kernel()
    return assemble_text(rebuild(parse_answer(framed(sass, body), sass.name), sass.abi), sass.abi)


@pytest.mark.parametrize("text", ["v_mov_b32 v0, <script>", 'v_mov_b32 v0, "x"', "v_mov_b32 v0, \x00"])
def test_what_fields_cannot_hold_is_refused(text: str) -> None:
    with pytest.raises(Rejected, match="not assembly"):
        target_lines([text])


def test_a_register_without_a_number_is_refused() -> None:
    with pytest.raises(Rejected, match="without a number"):
        target_text([["v_mov_b32", "v", ",", "v", "#1"]])


@pytest.mark.parametrize(("mnemonic", "shown"), [("FADD", "0x #64 #73 #15 #219"), ("DADD", "0x #1 #64 #73 #15 #219")])
def test_what_ptxas_put_into_a_bank_of_the_kernels_own_is_a_number(mnemonic: str, shown: str) -> None:
    sass = kernel()[0]
    banks = {2: bytes(4) + struct.pack("<II", 0x40490FDB, 1)}
    one = Instruction(0, mnemonic, (), (Reg(0), Reg(1), Const(2, 4)))
    source = _Source(dataclasses.replace(sass, kernel=dataclasses.replace(sass.kernel, constants=banks)), False)
    assert " ".join(source.instruction(one)).endswith(f"R #1 , const {shown}")
    for beyond in (Const(2, 12), Const(3, 4), Const(2, 4, Reg(3))):
        with pytest.raises(Unsupported, match="constant bank"):
            source.instruction(dataclasses.replace(one, operands=(Reg(0), beyond)))


def test_vocabularies_of_about_as_many_words_are_of_one_size() -> None:
    for many in (1, 200):
        words = Vocabulary.of_words(f"w{number}" for number in range(many))
        assert len(words.tokens) == 512
        assert Vocabulary(words.tokens).ids[f"w{many - 1}"] < 512


def test_what_the_prompt_has_no_words_for_is_named() -> None:
    with pytest.raises(Unsupported, match="constant bank 4"):
        source_lines(kernel("symbols_shared_sass")[0])


def test_a_vocabulary_gives_back_what_it_took(tmp_path: Path) -> None:
    words = vocabulary()
    for text in (joined(source_lines(kernel()[0])), joined(target_lines(VECTOR_ADD.splitlines()))):
        assert words.decode(words.encode(text)) == text
        assert words.decode([*words.encode(text), words.ids[END], words.ids[NEWLINE]]) == text
    words.write(tmp_path)
    assert Vocabulary.read(tmp_path).tokens == words.tokens
    with pytest.raises(Unsupported, match=r"HMMA.*never saw"):
        words.encode("HMMA R #0")


class Speaker:
    """A model of the field contract that says one thing."""

    identity, window, contract = "speaker", 2048, FIELDS

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[Decoding] = []

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        assert messages == (Message("user", joined(source_lines(kernel()[0]))),)
        self.asked.append(decoding)
        return [Answer(self.answers.pop(0), 10) for _ in range(min(decoding.count, len(self.answers)))]

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def verified(code: CodeObject) -> None:
    sass, cubin = kernel()
    assert verify_kernel(code, sass, cubin).evidence >= Evidence.E1U


check = Check(lambda source: assemble_text(source, kernel()[0].abi), verified)


def test_a_good_body_is_framed_assembled_and_verified() -> None:
    good = joined(target_lines(VECTOR_ADD.splitlines()))
    outcome = Search(kernel()[0], "", Speaker(good), check, Budget()).run()
    assert outcome.source is not None, outcome.attempts


def test_an_answer_without_doubts_is_followed_by_samples_the_commonest_first() -> None:
    good = joined(target_lines(VECTOR_ADD.splitlines()))
    wrong = good.replace("v_add_f32", "v_sub_f32")
    speaker = Speaker(wrong, wrong, "v_nonsense", good, good)
    outcome = Search(kernel()[0], "", speaker, check, Budget()).run()
    kinds = [one.kind for one in outcome.attempts]
    assert kinds == ["greedy", "sample 1", "sample 2", "sample 3"]  # the fourth is the third again
    assert "differs from the reference" in outcome.attempts[0].reason
    assert "same assembly" in outcome.attempts[1].reason
    assert outcome.source is not None


def test_a_rejected_answer_is_given_again_where_it_was_least_sure() -> None:
    """Three places are doubtful: the two likeliest are tried, in one request."""
    good = joined(target_lines(VECTOR_ADD.splitlines()))
    wrong = good.replace("v_add_f32", "v_sub_f32")
    doubts = (Doubt(1, 9, 2.5), Doubt(2, 8, 0.5), Doubt(3, 7, 2.0))
    answers = [
        [Answer(wrong, 10, ids=(1, 2, 3, 4), doubts=doubts)],
        [Answer(f"{wrong}\ns_nop #0", 10), Answer(good, 10)],
    ]
    speaker = Speaker()
    speaker.generate = lambda messages, decoding: speaker.asked.append(decoding) or answers.pop(0)  # type: ignore[method-assign,func-returns-value]
    outcome = Search(kernel()[0], "", speaker, check, Budget()).run()
    assert [one.kind for one in outcome.attempts] == ["greedy", "repair 1", "repair 2"]
    assert [one.prefixes for one in speaker.asked] == [(), ((1, 2, 8), (1, 2, 3, 7))]
    assert outcome.source is not None
    assert outcome.provenance["decoding"] == "repair 2, temperature 0"


# ---- the checkpoint's loader ----------------------------------------------------------------------------------


def folder_of(path: Path, **changes: object) -> Path:
    """A checkpoint's folder without weights."""
    (path / CONTRACT_FILE).write_text(json.dumps({"contract": FIELDS, **changes}))
    (path / "config.json").write_text(json.dumps({"max_position_embeddings": 2048, **changes}))
    vocabulary().write(path)
    return path


def test_a_folder_with_a_contract_is_a_checkpoint_of_ours(tmp_path: Path) -> None:
    assert isinstance(choose(str(folder_of(tmp_path)), 80), ShippedModel)


def test_what_ships_is_the_model_when_nothing_is_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setattr(models, "SHIPPED", folder_of(tmp_path))
    assert isinstance(choose("", 80), ShippedModel)


@pytest.mark.parametrize("file", [CONTRACT_FILE, "config.json", "vocabulary.json"])
@pytest.mark.parametrize("content", ["", "{}", "[1]", "\x00"])
def test_damaged_descriptions_are_malformed(tmp_path: Path, file: str, content: str) -> None:
    (folder_of(tmp_path) / file).write_text(content)
    with pytest.raises(Malformed):
        ShippedModel(tmp_path)


def test_an_unknown_contract_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="speaks fields-99"):
        ShippedModel(folder_of(tmp_path, contract="fields-99"))


def test_without_torch_the_fix_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Mapping[str, object]) -> Any:
        if name == "torch":
            raise ImportError("No module named 'torch'")
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    config = Config.read({"CASS_MODEL": str(folder_of(tmp_path))})
    with pytest.raises(Unsupported, match=r"torch.*pip install 'cass-shim\[model\]'"):
        translate_kernel("", kernel()[0], config, check)


def test_missing_weights_are_one_line(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="no torch")
    model = ShippedModel(folder_of(tmp_path))
    with pytest.raises(Unsupported, match="cannot be loaded") as raised:
        model.generate((Message("user", "EXIT"),), Decoding())
    assert "\n" not in str(raised.value)


def test_a_kernel_longer_than_the_context_is_unsupported_with_numbers(tmp_path: Path) -> None:
    config = Config.read({"CASS_MODEL": str(folder_of(tmp_path, max_position_embeddings=100))})
    with pytest.raises(Unsupported, match=r"\d+ tokens, the model reads 100"):
        translate_kernel("", kernel()[0], config, check)


def test_a_frame_says_what_the_sass_reads() -> None:
    from cass_shim.translate.cass.frame import descriptor

    flat, plane = descriptor(kernel()[0]), descriptor(kernel("matmul_tiled_static_sass")[0])
    assert (flat["system_vgpr_workitem_id"], flat["user_sgpr_count"]) == (0, 15)
    assert (plane["system_vgpr_workitem_id"], plane["user_sgpr_count"]) == (1, 14)
    assert plane["group_segment_fixed_size"] == kernel("matmul_tiled_static_sass")[0].abi.shared_bytes > 0


def test_numbers_of_thousands_of_digits_are_no_python_errors() -> None:
    """Found by fuzzing: Python refuses to read them."""
    (line,) = target_lines([f"v_mov_b32 v1, v{'0' * 6000}"])
    assert line[:4] == ["v_mov_b32", "v", "#1", ","]
    with pytest.raises(Rejected, match="not assembly"):
        target_lines([f"v_mov_b32 v1, {'1' * 6000}"])
