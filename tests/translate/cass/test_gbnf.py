"""The grammar that servers are given, judged by xgrammar, which vLLM and SGLang use."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest

from cass_shim.translate.cass.forms import forms
from cass_shim.translate.cass.gbnf import grammar
from tests.translate.cass.support import ANSWERS, good_answer


@functools.cache
def reader() -> Callable[[str], bool]:
    """Whether xgrammar takes a text by our grammar, byte for byte."""
    xgrammar = pytest.importorskip("xgrammar", reason="no xgrammar")
    end = 256
    words = xgrammar.TokenizerInfo([*(bytes([one]) for one in range(end)), b"<eos>"], stop_token_ids=[end])
    compiled = xgrammar.GrammarCompiler(words).compile_grammar(grammar())

    def takes(text: str) -> bool:
        matcher = xgrammar.GrammarMatcher(compiled)
        return all(matcher.accept_token(one) for one in text.encode()) and bool(matcher.accept_token(end))

    return takes


def block(text: str) -> str:
    """The fenced part of an answer."""
    return text[text.index("```hipasm") :].rstrip("\n")


def test_what_clang_writes_is_in_the_grammar() -> None:
    """Sixteen recorded answers: whole files with directives, comments and metadata."""
    takes = reader()
    files = sorted(ANSWERS.glob("*.md"))[::3]
    assert len(files) >= 10
    assert [file.name for file in files if not takes(block(file.read_text()))] == []


@pytest.mark.parametrize(
    "line",
    [
        "v_frobnicate_b32 v0, v1",
        "v_mov_b32_e32 s0, v1",
        "v_mov_b32_e32 v[0:1], v2",
        "v_add_f32_e32 v0, v1",
        "global_load_b32 v0, s3, off",
        "s_load_b64 s2, s[0:1], 0x0",
        "s_add_u32 s0, v1, s2",
        "s_sethalt 1",
        "ds_store_b32 v0, s1",
    ],
)
def test_what_cannot_be_is_not(line: str) -> None:
    takes, good = reader(), block(good_answer())
    assert takes(good)
    assert not takes(good.replace("\ts_endpgm", f"\t{line}\n\ts_endpgm", 1))


def test_every_mnemonic_but_forbidden_ones_is_in_it() -> None:
    text = grammar()
    missing = [name for name in forms() if f'"{name}"' not in text]
    assert set(missing) <= {
        "s_sethalt", "s_setkill", "s_rfe_b64", "s_trap", "s_ttracedata", "s_ttracedata_imm", "s_sendmsghalt",
        "s_setprio", "s_icache_inv", "s_incperflevel", "s_decperflevel", "s_wait_event",
        "s_subvector_loop_begin", "s_subvector_loop_end", "s_endpgm_ordered_ps_done", "s_atc_probe",
        "s_atc_probe_buffer", "ds_gws_init", "ds_gws_barrier", "ds_gws_sema_v", "ds_gws_sema_p", "ds_gws_sema_br",
        "ds_gws_sema_release_all",
        "global_load_addtid_b32", "global_store_addtid_b32",
    }  # fmt: skip
    assert "s_sethalt" in missing
    assert len(text) < 60_000  # it travels with every request
