"""Pairs on disk to the token set that `tools/train` reads.

In: a folder of `generate`. Out: `vocabulary.json`, `train.npz`, `seeds.npz`, `families.npz`. A file holds `ids`, all
pairs one after another as prompt, answer and end token; `starts`, where each begins, and the end of all; `answers`,
how long each prompt is; `families`, numbers into `names`.
"""

from __future__ import annotations

import functools
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cass_shim.model.errors import Unsupported
from cass_shim.translate.cass.vocabulary import END, NAMES, Vocabulary
from tools.pairs.generate import Pair, read_file
from tools.pairs.kernels import FAMILIES, SPLITS


def pack_all(
    pairs: Path,
    out: Path,
    jobs: int = 1,
    known: Path | None = None,
    extend: bool = False,
    splits: Sequence[str] = tuple(SPLITS),
) -> str:
    """Every split; held-out pairs whose key training has are left out. Returns a line of counts for each.

    known: a checkpoint whose vocabulary is kept; pairs with other words are left out, or with extend, get them. splits:
    the ones to pack, where the others are there already: a set that grows is packed again for "train" alone.
    """
    out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        files = sorted(pairs.glob("train/*.jsonl.gz"))
        trained: set[str] = set()
        words: set[str] = set()
        for keys, own in pool.map(_look, files if extend or known is None or len(splits) > 1 else (), chunksize=8):
            trained |= keys
            words |= own
        vocabulary = Vocabulary.read(known) if known is not None else Vocabulary.of_words({*words, *NAMES})
        vocabulary = vocabulary.extended({*words, *NAMES}) if extend else vocabulary
        vocabulary.write(out)
        report = [f"{len(vocabulary.tokens)} tokens in the vocabulary"]
        for split in splits:
            taken = set() if split == "train" else trained
            files = sorted(pairs.glob(f"{split}/*.jsonl.gz"))
            encode_one = functools.partial(_encode_file, tokens=vocabulary.tokens, known=taken)
            packed = list(pool.map(encode_one, files, chunksize=8))
            report.append(f"{split}: {pack(packed, out / f'{split}.npz')}")
    return "\n".join(report)


@dataclass
class Packed:
    """One file's pairs. ids: all tokens; lengths, answers, families: per pair."""

    ids: np.ndarray
    lengths: list[int]
    answers: list[int]
    families: list[int]
    foreign: int = 0


def _look(file: Path) -> tuple[set[str], set[str]]:
    """A file's keys and words."""
    found = list(read_file(file))
    return {pair.key for pair in found}, {word for pair in found for word in f"{pair.source} {pair.target}".split()}


def encode(pair: Pair, vocabulary: Vocabulary) -> tuple[list[int], int]:
    """Ids of prompt and answer, and the prompt's length. Raises Unsupported for a word training never has."""
    prompt = vocabulary.prompt(pair.source)
    return [*prompt, *vocabulary.encode(pair.target), vocabulary.ids[END]], len(prompt)


def _encode_file(file: Path, tokens: tuple[str, ...], known: set[str]) -> Packed:
    vocabulary, names = Vocabulary(tokens), list(FAMILIES)
    ids: list[int] = []
    made = Packed(np.zeros(0, np.uint16), [], [], [])
    for pair in read_file(file):
        if pair.key in known:
            continue
        try:
            encoded, prompt = encode(pair, vocabulary)
        except Unsupported:
            made.foreign += 1
            continue
        ids += encoded
        made.lengths.append(len(encoded))
        made.answers.append(prompt)
        made.families.append(names.index(pair.family))
    made.ids = np.array(ids, np.uint16)
    return made


def pack(parts: list[Packed], file: Path) -> str:
    """One split to its file."""
    starts = np.cumsum([0, *(length for part in parts for length in part.lengths)])
    beside = file.with_suffix(".part.npz")  # the file is there once it is whole
    np.savez(  # not compressed: that takes one processor tens of seconds
        beside,
        ids=np.concatenate([np.zeros(0, np.uint16), *(part.ids for part in parts)]),
        starts=starts.astype(np.int64),
        answers=np.array([one for part in parts for one in part.answers], np.int32),
        families=np.array([one for part in parts for one in part.families], np.uint8),
        names=np.array(list(FAMILIES)),
    )
    beside.rename(file)
    foreign = sum(part.foreign for part in parts)
    size = file.stat().st_size
    return f"{len(starts) - 1} pairs, {starts[-1]} tokens, {size} bytes, {foreign} left out for words training lacks"
