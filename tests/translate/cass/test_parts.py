"""Kernels in parts: cutting, edges, and the search over parts, with a model whose answers are written here."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

import pytest

from cass_shim.assemble.text import assemble_text
from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.model.artifacts import CodeObject, Cubin, Evidence, SassKernel
from cass_shim.model.config import Config
from cass_shim.model.errors import Rejected, Unsupported
from cass_shim.model.instruction import Instruction, Mem, Reg, Target
from cass_shim.pipeline import region
from cass_shim.translate.cass import models, translate_kernel
from cass_shim.translate.cass.answer import Body, parse_answer
from cass_shim.translate.cass.contracts import CONTRACTS, FIELDS
from cass_shim.translate.cass.edges import framed_accesses, joined
from cass_shim.translate.cass.models import Answer, Decoding
from cass_shim.translate.cass.parts import FIRST_WORD, FRAME, Part, Splitter, listing
from cass_shim.translate.cass.prompt import Message, build_prompt
from cass_shim.translate.cass.search import Budget, Check, complete
from cass_shim.translate.cass.splitting import InParts
from cass_shim.verify import verify_kernel
from tests.translate.cass.fielded import right_answers
from tests.translate.cass.test_fields import kernel
from tools import samples
from tools.pairs.overlap import compile_cubin

LOOPS, SHARED = "mandelbrot_shared", "matmul_tiled_static_sass"  # a loop of divergent length; barriers


@functools.cache
def cut(program: str, limit: int = 14) -> tuple[Splitter, list[Part]]:
    splitter = Splitter(kernel(program)[0])
    return splitter, splitter.split(lambda sass: len(sass.instructions) <= limit)


@functools.cache
def lifted(program: str, number: int) -> str:
    text = region(cut(program)[1][number - 1].plain)
    return text.split("\t.amdgpu_metadata")[0]  # whose arguments are one block, as the lifter has them


def check(program: str) -> Check:
    sass, cubin = kernel(program)

    def verify(code: CodeObject) -> None:
        assert verify_kernel(code, sass, cubin).evidence >= Evidence.E1U

    return Check(lambda source: assemble_text(source, sass.abi), verify)


@dataclasses.dataclass
class Speaker:
    """A model that reads 112 tokens, two for each instruction; it knows the parts of LOOPS, by their prompts."""

    texts: list[str]
    window: int = 112
    identity: str = "speaker"
    asked: list[str] = dataclasses.field(default_factory=list)

    def count_tokens(self, text: str) -> int:
        return 2 * text.count(" ;\n")

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        self.asked.append(messages[0].content)
        prompts = [build_prompt(listing(part.sass, head(LOOPS))) for part in cut(LOOPS)[1]]
        return [Answer(self.texts[prompts.index(messages[0].content)], 10)] * decoding.count


def head(program: str) -> str:
    sass = kernel(program)[0]
    lines = [f"\t/*{one.address:04x}*/ {one.text} ;" for one in sass.instructions]
    return "\n".join(["\tcode for sm_80", f"\t\tFunction : {sass.name}", *lines, "\t\t.........."])


def search(program: str, speaker: Speaker, use: bool = True) -> InParts:
    budget = Budget(repairs=1, samples=1)
    sass = kernel(program)[0]
    return InParts(sass, head(program), speaker, check(program), budget, region if use else None)


@pytest.mark.parametrize("program", [LOOPS, SHARED])
def test_parts_hold_every_instruction_once_and_branches_stay_inside(program: str) -> None:
    splitter, parts = cut(program)
    assert len(parts) > 2
    assert [part.begin for part in parts] == [0, *(part.end for part in parts[:-1])]
    assert parts[-1].end == len(splitter.code)
    for part in parts:
        code = part.sass.instructions
        assert [one.address for one in code] == list(range(0, 16 * len(code), 16))
        targets = [o.address for one in code for o in one.operands if isinstance(o, Target)]
        assert all(0 <= target < 16 * len(code) for target in targets)
        assert len(code) <= 14
        assert code[-1].mnemonic == "EXIT"


@pytest.mark.parametrize("program", [LOOPS, SHARED])
@pytest.mark.parametrize("limit", [24, 60])
def test_the_lifter_s_parts_together_are_the_kernel(program: str, limit: int) -> None:
    splitter, parts = cut(program, limit)
    sass = kernel(program)[0]
    bodies = {part.number: parse_answer(region(part.plain), sass.name) for part in parts}
    body = joined(sass.name, bodies, FIRST_WORD + len(splitter.words))
    judge = check(program)
    judge.verify(judge.assemble(complete(sass, body)))


QUOTIENTS = """extern "C" __global__ void k(const float *a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] / out[i] + out[i] / (a[i] + 2.0f);
}
"""


@pytest.mark.nvcc
@pytest.mark.skipif(bool(samples.can_build()), reason=samples.can_build() or "")
def test_calls_lead_from_part_to_part_and_back(tmp_path: Path) -> None:
    """Division of reals calls its slow way from two places; lanes come back to their own."""
    (tmp_path / "k.cu").write_text(QUOTIENTS)
    cubin = read_cubin(compile_cubin(tmp_path / "k.cu", tmp_path))
    sass = decode_kernel(cubin.kernels["k"], cubin)
    assert sum(one.mnemonic == "CALL" for one in sass.instructions) == 2
    parts = lifted_together(sass, cubin, 32)
    assert not any(one.mnemonic in ("CALL", "RET") for part in parts for one in part.sass.instructions)


CORPUS = Path(__file__).parents[2] / "corpus"


def lifted_together(sass: SassKernel, cubin: Cubin, limit: int) -> list[Part]:
    """The parts, all of them the lifter's; what they make is verified. Raises Rejected."""
    splitter = Splitter(sass)
    parts = splitter.split(lambda one: len(one.instructions) <= limit)
    bodies = {part.number: parse_answer(region(part.plain), sass.name) for part in parts}
    code = assemble_text(complete(sass, joined(sass.name, bodies, FIRST_WORD + len(splitter.words))), sass.abi)
    assert verify_kernel(code, sass, cubin).evidence >= Evidence.E1U
    return parts


@pytest.mark.nvcc
@pytest.mark.skipif(bool(samples.can_build()), reason=samples.can_build() or "")
def test_local_memory_is_kept_from_part_to_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cubin = read_cubin(compile_cubin(CORPUS / "k14_local_arrays.cu", tmp_path))
    (name,) = cubin.kernels
    sass = decode_kernel(cubin.kernels[name], cubin)
    parts = lifted_together(sass, cubin, 24)
    accessed = [{one.mnemonic for one in part.sass.instructions} & {"LDL", "STL"} for part in parts]
    assert sum("STL" in each for each in accessed) > 1 and sum("LDL" in each for each in accessed) > 1
    assert not any("c[0x0][0x28]" in one.text for part in parts for one in part.sass.instructions)
    monkeypatch.setattr("cass_shim.translate.cass.edges.frame_kept", lambda text: text)
    with pytest.raises(Rejected):  # LLVM drops what a part stores for another
        lifted_together(sass, cubin, 24)


@pytest.mark.nvcc
@pytest.mark.skipif(bool(samples.can_build()), reason=samples.can_build() or "")
def test_a_part_has_no_callees(tmp_path: Path) -> None:
    """Where functions begin in the whole kernel says nothing about the addresses of a part."""
    cubin = read_cubin(compile_cubin(CORPUS / "k15_devcalls.cu", tmp_path))
    sass = decode_kernel(cubin.kernels["calls"], cubin)
    assert sass.kernel.symbols
    parts = lifted_together(sass, cubin, 24)
    assert all(text.endswith("s_endpgm") for text in right_answers([part.sass for part in parts]).values())


@pytest.mark.nvcc
@pytest.mark.skipif(bool(samples.can_build()), reason=samples.can_build() or "")
def test_uniform_predicates_go_from_part_to_part(tmp_path: Path) -> None:
    cubin = read_cubin(compile_cubin(CORPUS / "k21_wmma.cu", tmp_path))
    sass = decode_kernel(cubin.kernels["wmma_f64"], cubin)
    parts = lifted_together(sass, cubin, 24)
    edges = [one.text for part in parts for one in part.sass.instructions if one.mnemonic in ("USEL", "UISETP")]
    assert any(text.startswith("USEL") for text in edges) and any(", URZ, UPT" in text for text in edges)


@pytest.mark.nvcc
@pytest.mark.skipif(bool(samples.can_build()), reason=samples.can_build() or "")
def test_generic_addresses_of_local_memory_are_refused(tmp_path: Path) -> None:
    cubin = read_cubin(compile_cubin(CORPUS / "k38_generic_ptr.cu", tmp_path))
    sass = decode_kernel(cubin.kernels["generic"], cubin)
    with pytest.raises(Unsupported, match=r"IADD3 at 0x\w+ makes a generic address of local memory"):
        Splitter(sass)


def test_a_value_that_an_edge_loses_is_found_by_the_verifier() -> None:
    splitter, parts = cut(LOOPS)
    sass = kernel(LOOPS)[0]
    bodies = {part.number: parse_answer(lifted(LOOPS, part.number), sass.name) for part in parts}
    body = joined(sass.name, bodies, FIRST_WORD + len(splitter.words))
    own = [
        at
        for at, line in enumerate(body.lines)
        if "scratch_store" in line and not line.endswith(("offset:0", "offset:4"))
    ]
    del body.lines[own[0]]
    judge = check(LOOPS)
    with pytest.raises(Rejected):
        judge.verify(judge.assemble(complete(sass, body)))


def test_a_kernel_beyond_the_window_is_the_model_s_in_parts() -> None:
    _, parts = cut(LOOPS)
    speaker = Speaker([lifted(LOOPS, part.number) for part in parts])
    outcome = search(LOOPS, speaker).run()
    assert outcome.source is not None, outcome.attempts
    assert outcome.provenance["decoding"] == f"in {len(parts)} parts"
    assert len(speaker.asked) == len(parts)
    assert f"[R{cut(LOOPS)[0].lane.index}.X4+{FRAME:#x}]" in "".join(speaker.asked)


def test_a_part_without_a_right_answer_stays_the_lifter_s() -> None:
    _, parts = cut(LOOPS)
    texts = [lifted(LOOPS, part.number) for part in parts]
    texts[1] = texts[1].replace("\ts_endpgm", "\tv_frobnicate v0\n\ts_endpgm")  # does not assemble
    changed = next(at for at, text in enumerate(texts) if at != 1 and "v_mul_f32" in text)
    texts[changed] = texts[changed].replace("v_mul_f32", "v_add_f32", 1)  # assembles, and is wrong
    outcome = search(LOOPS, Speaker(texts)).run()
    assert outcome.source is not None, outcome.attempts
    wrong = " ".join(str(number) for number in sorted((2, changed + 1)))
    assert outcome.provenance["decoding"] == f"in {len(parts)} parts, by the lifter: {wrong}"
    judge = check(LOOPS)
    judge.verify(judge.assemble(outcome.source))


def test_without_one_right_part_there_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    _, parts = cut(LOOPS)
    monkeypatch.setattr("cass_shim.translate.cass.choose", lambda setting, sm: Speaker(["no"] * len(parts)))
    with pytest.raises(Rejected, match="no label of its name"):
        translate_kernel(head(LOOPS), kernel(LOOPS)[0], Config.read({}), check(LOOPS), region)


def test_the_whole_translator_falls_into_parts_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    _, parts = cut(LOOPS)
    texts = [lifted(LOOPS, part.number) for part in parts]
    monkeypatch.setattr("cass_shim.translate.cass.choose", lambda setting, sm: Speaker(texts))
    source = translate_kernel(head(LOOPS), kernel(LOOPS)[0], Config.read({}), check(LOOPS))
    assert f"; cass decoding: in {len(parts)} parts\n" in source.text


def test_parts_are_said_in_the_shipped_model_s_words() -> None:
    """Its vocabulary has every word of every part but those that the whole has not either."""
    if not (models.SHIPPED / models.CONTRACT_FILE).is_file():
        pytest.skip("no checkpoint in this package")
    from cass_shim.translate.cass.vocabulary import Vocabulary

    words = Vocabulary.read(models.SHIPPED)
    for part in cut(LOOPS)[1]:
        words.prompt(CONTRACTS[FIELDS].prompt(part.sass, ""))


def frame(*lines: str) -> list[str]:
    return framed_accesses([f"\t{line}" for line in lines], 16)


def test_every_way_to_say_a_word_of_the_frame() -> None:
    assert frame("ds_load_b32 v1, v0 offset:49160")[0] == "\tscratch_load_b32 v1, off, off offset:24"
    assert frame("v_mov_b32 v0, 0xc00c", "ds_store_b32 v0, v3")[1] == "\tscratch_store_b32 off, v3, off offset:28"
    two = frame("v_add_nc_u32_e64 v4, 0xc000, 0", "ds_store_2addr_b32 v4, v1, v0 offset0:7 offset1:8")
    assert two[1:] == ["\tscratch_store_b32 off, v1, off offset:44", "\tscratch_store_b32 off, v0, off offset:48"]
    both = frame("v_lshl_add_u32 v2, v0, 2, 0xc008", "ds_load_2addr_b32 v[5:6], v2 offset1:1")
    assert both[1:3] == ["\tscratch_load_b32 v5, off, off offset:24", "\tscratch_load_b32 v6, off, off offset:28"]
    wide = frame("v_dual_mov_b32 v7, 0xc010 :: v_dual_mov_b32 v8, 0", "ds_load_b128 v[0:3], v7")
    assert wide[1:] == ["\tscratch_load_b128 v[0:3], off, off offset:32", "\ts_waitcnt vmcnt(0)"]


def test_what_is_not_of_the_frame_stays() -> None:
    own = ("v_lshlrev_b32 v0, 2, v0", "ds_load_b32 v1, v0 offset:4096", "v_mov_b32 v3, 0x80", "ds_store_b32 v3, v1")
    assert frame(*own) == [f"\t{line}" for line in own]
    lost = ("v_mov_b32 v0, 0xc000", "v_mov_b32 v0, v5", "ds_load_b32 v1, v0")
    assert frame(*lost) == [f"\t{line}" for line in lost]
    branched = ("v_mov_b32 v0, 0xc000", "s_cbranch_vccz .LBB0_1", "v_mov_b32 v0, 0")
    lines = [*(f"\t{line}" for line in branched), ".LBB0_1:", "\tds_load_b32 v1, v0"]
    assert framed_accesses(lines, 0) == lines


@pytest.mark.parametrize("line", ["ds_load_b32 v1, v0 offset:49161", "ds_load_b32 v1, v0 offset:65532"])
def test_an_access_beside_the_words_is_rejected(line: str) -> None:
    with pytest.raises(Rejected, match="an access of the edges"):
        frame(line)


def test_parts_that_cannot_stand_beside_others_are_rejected() -> None:
    good = Body("k", ["\ts_endpgm"], {"user_sgpr_count": 15})
    for bad, said in (
        (Body("k", ["\ts_mov_b32 s97, 0", "\ts_endpgm"]), "s97"),
        (Body("k", ["\ts_endpgm"], {"user_sgpr_dispatch_ptr": 1}), "dispatch_ptr"),
        (Body("k", ["\ts_endpgm"], {"private_segment_fixed_size": 4090}), "beyond a scratch access"),
    ):
        with pytest.raises(Rejected, match=said):
            joined("k", {1: good, 2: bad}, 3)
    with pytest.raises(Rejected, match="different float_round_mode_32"):
        joined("k", {1: Body("k", ["\ts_endpgm"], {"float_round_mode_32": 0}),
                     2: Body("k", ["\ts_endpgm"], {"float_round_mode_32": 1})}, 3)  # fmt: skip
    with pytest.raises(Rejected, match="at most"):
        joined("k", {1: good}, 2000)


@pytest.mark.parametrize("mnemonic", ["CALL", "BMOV", "BRX", "RET"])
def test_what_reaches_beyond_a_part_is_refused_by_name(mnemonic: str) -> None:
    sass: SassKernel = kernel(LOOPS)[0]
    code = (
        Instruction(0, mnemonic),
        *(dataclasses.replace(one, address=one.address + 16) for one in sass.instructions),
    )
    with pytest.raises(Unsupported, match=mnemonic):
        Splitter(dataclasses.replace(sass, instructions=code))


def test_local_memory_of_later_generations_is_refused_by_name() -> None:
    """Its end is another word of constant bank 0."""
    sass: SassKernel = kernel(LOOPS)[0]
    abi = dataclasses.replace(sass.abi, local_bytes=40)
    store = Instruction(0, "STL", (), (Mem(Reg(1), 8), Reg(0)), text="STL [R1+0x8], R0")
    local = dataclasses.replace(sass, kernel=dataclasses.replace(sass.kernel, abi=abi), instructions=(store,))
    assert Splitter(local).local == 48
    with pytest.raises(Unsupported, match="local memory of sm_100"):
        Splitter(dataclasses.replace(local, kernel=dataclasses.replace(local.kernel, sm=100)))


def test_nothing_is_cut_smaller_than_an_instruction() -> None:
    with pytest.raises(Unsupported, match="small enough"):
        Splitter(kernel(LOOPS)[0]).split(lambda sass: False)


def test_a_part_s_listing_is_shaped_like_cuobjdump_s() -> None:
    part = cut(LOOPS)[1][1]
    lines = listing(part.sass, head(LOOPS)).splitlines()
    assert lines[0] == "\tcode for sm_80"
    assert len(lines) == 2 + len(part.sass.instructions) + 1
    assert lines[2].startswith("\t/*0000*/ S2R R")
    assert lines[-2].endswith(" EXIT ;")
