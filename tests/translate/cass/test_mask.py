"""The grammar of our own model's answers: what may follow what."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from cass_shim.model.errors import CassError
from cass_shim.translate.cass.fields import target_lines
from cass_shim.translate.cass.forms import forms, rows
from cass_shim.translate.cass.mask import Mask
from cass_shim.translate.cass.models import SHIPPED
from cass_shim.translate.cass.vocabulary import END, NEWLINE, Vocabulary
from tests.isa.rdna3_forms import forms as lines_of
from tests.translate.cass.test_fields import VECTOR_ADD, joined, vocabulary

TARGETS = Path(__file__).with_name("targets.json.gz")  # answers of held-out pairs, as LLVM wrote them and named


def tokens(text: str) -> list[str]:
    return [*text.replace("\n", f" {NEWLINE} ").split(), END]


def first_refused(words: Vocabulary, text: str, in_order: bool = True) -> str:
    """The token that the mask refuses, with its line; "" for an answer that it lets pass."""
    mask, line = Mask(words, in_order), list[str]()
    for token in tokens(text):
        if token not in mask.allowed:
            return " ".join([*line, f"<{token}>"])
        mask.take(token)
        line = [] if token == NEWLINE else [*line, token]
    return ""


def words_of(*texts: str) -> Vocabulary:
    return Vocabulary.of_words([word for text in texts for word in text.split()] + ["v_mov_b32", "s_nop", "|", "-"])


def test_real_answers_pass() -> None:
    """Answers of pairs that training never showed, which LLVM made: the grammar takes nothing away from them."""
    texts = json.loads(gzip.decompress(TARGETS.read_bytes()))
    words = words_of(*texts)
    assert len(texts) >= 40
    assert [refused for text in texts if (refused := first_refused(words, text))] == []


def test_every_form_that_llvm_takes_passes() -> None:
    """Each opcode row in the forms that LLVM's assembler accepts (tests/isa/rdna3), as fields."""
    taken, refused = 0, []
    for row in rows():
        for text in lines_of(row):
            try:
                (line,) = target_lines([text])
            except (CassError, ValueError):
                continue  # not in the language of fields: halves of registers, waits
            if row.encoding == "VOPD" or "branch" in row.name:
                continue  # nor are pairs of instructions in one, and branches by distance
            mask = Mask(Vocabulary.of_words([*line, "s_endpgm", "L", ":"]), True)
            mask.known.high = {"v": 255, "s": 105}
            taken += 1
            for token in [*line, NEWLINE]:
                if token not in mask.allowed:
                    refused.append(f"{text}: {token}")
                    break
                mask.take(token)
    assert taken > 900
    assert refused == []


def test_no_answer_is_ever_stuck() -> None:
    """Random answers that the mask allows: there is always a token that may follow."""
    words = words_of(*json.loads(gzip.decompress(TARGETS.read_bytes())))
    for seed in range(6):
        rng, mask = random.Random(seed), Mask(words, seed % 2 == 0)
        for _ in range(200):
            possible = sorted(mask.allowed & mask.words)
            assert possible, mask.known
            token = rng.choice(possible)
            if token == END:
                break
            mask.take(token)


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("v_frobnicate v #4", "<v_frobnicate>"),
        ("v_mov_b32 v*2 #4 , v #0", "v_mov_b32 <v*2>"),
        ("v_mov_b32 v #4 , off", "v_mov_b32 v #4 , <off>"),
        ("v_mov_b32 v #4 <newline>", "v_mov_b32 v #4 <<newline>>"),
        ("v_mov_b32 v #200 , v #0", "v_mov_b32 v <#200>"),
        ("s_load_b64 s*2 #14 , s*2 #0 , #0", "s_load_b64 s*2 <#15>"),
        ("s_branch v #1", "s_branch <v>"),
        ("L #1 :", "L <#1>"),
        ("v_mov_b32 v #4 , 0x #0", "v_mov_b32 v #4 , 0x <#0>"),
    ],
)
def test_what_cannot_be_is_refused(line: str, refused: str) -> None:
    given = line.replace("s*2 #14", "s*2 #15").replace(" <newline>", "\nv")
    words = Vocabulary.of_words([*given.split(), "v", "s", "s*2", "v*2", ",", "off", "0x", "v_frobnicate", "L", ":"])
    assert first_refused(words, given) == refused


def test_an_answer_ends_when_every_label_and_value_is_there() -> None:
    words = words_of(joined(target_lines(VECTOR_ADD.splitlines())), "s_branch s_mov_b32 exec_lo")
    mask = Mask(words, True)
    for token in tokens("s_branch L #0\ns_mov_b32 exec_lo , s #18\ns_endpgm")[:-1]:
        assert token in mask.allowed, token
        mask.take(token)
    assert END not in mask.allowed  # L0 is nowhere, s18 is never written
    for token in [NEWLINE, *tokens("s_mov_b32 s #18 , exec_lo\nL #0 :\ns_endpgm")[:-1]]:
        assert END not in mask.allowed
        assert token in mask.allowed, token
        mask.take(token)
    assert END in mask.allowed


def test_labels_of_values_are_numbered_as_they_are_met() -> None:
    words = words_of("s_branch L : s_endpgm")
    text = "L #0 :\ns_branch L #2\nL #1 :\ns_branch L #0\ns_endpgm"
    assert first_refused(words, text, in_order=False) == "s_branch L <#2>"
    assert first_refused(words, text.replace("#2", "#1"), in_order=False) == ""


def test_every_row_has_a_form() -> None:
    named = {row.name for row in rows()}
    assert named <= set(forms())
    assert not [name for name in vocabulary().tokens if name.startswith(("v_", "ds_")) and name not in forms()]


@pytest.mark.skipif(not SHIPPED.is_dir(), reason="this package ships no checkpoint")
def test_the_shipped_models_words_have_forms() -> None:
    words = Vocabulary.read(SHIPPED).tokens
    starts = [word for word in words if word.startswith(("v_", "s_", "ds_", "global_", "buffer_"))]
    assert [word for word in starts if word not in forms()] == []


def test_a_line_that_means_nothing_ends_the_answer_and_not_the_batch() -> None:
    """Forms whose operands no table knows take any words: a class of registers without a number too."""
    form = next(name for name, one in sorted(forms().items()) if one.operands is None)
    mask = Mask(words_of(f"{form} v @\n"), in_order=True)
    for token in (form, "v", "@", NEWLINE):
        mask.take(token)
    assert not mask.allowed
