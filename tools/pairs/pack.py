"""Pairs on disk to the token set that `tools/train` reads.

In: a folder of `generate`. Out: `vocabulary.json`, `train.npz`, `seeds.npz`, `families.npz`. A file holds `ids`, all
pairs one after another as prompt, answer and end token; `starts`, where each begins, and the end of all; `answers`,
how long each prompt is; `families`, numbers into `names`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cass_shim.model.errors import Unsupported
from cass_shim.translate.cass.vocabulary import END, Vocabulary
from tools.pairs.generate import Pair, read_pairs
from tools.pairs.kernels import FAMILIES, SPLITS


def pack_all(pairs: Path, out: Path) -> str:
    """Every split; held-out pairs whose key training has are left out. Returns a line of counts for each."""
    out.mkdir(parents=True, exist_ok=True)
    train = list(read_pairs(pairs, "train"))
    trained = {pair.key for pair in train}
    vocabulary = Vocabulary.of_words({word for pair in train for word in f"{pair.source} {pair.target}".split()})
    vocabulary.write(out)
    report = [f"{len(vocabulary.tokens)} tokens in the vocabulary"]
    for split in SPLITS:
        chosen = train if split == "train" else [one for one in read_pairs(pairs, split) if one.key not in trained]
        report.append(f"{split}: {pack(chosen, vocabulary, out / f'{split}.npz')}")
    return "\n".join(report)


def encode(pair: Pair, vocabulary: Vocabulary) -> tuple[list[int], int]:
    """Ids of prompt and answer, and the prompt's length. Raises Unsupported for a word training never has."""
    prompt = vocabulary.prompt(pair.source)
    return [*prompt, *vocabulary.encode(pair.target), vocabulary.ids[END]], len(prompt)


def pack(pairs: list[Pair], vocabulary: Vocabulary, file: Path) -> str:
    """One split to its file."""
    names = list(FAMILIES)
    ids: list[np.ndarray] = []
    answers, families, foreign = [], [], 0
    for pair in pairs:
        try:
            tokens, prompt = encode(pair, vocabulary)
        except Unsupported:
            foreign += 1
            continue
        ids.append(np.array(tokens, np.uint16))
        answers.append(prompt)
        families.append(names.index(pair.family))
    starts = np.cumsum([0, *(len(one) for one in ids)])
    np.savez_compressed(
        file,
        ids=np.concatenate(ids) if ids else np.zeros(0, np.uint16),
        starts=starts.astype(np.int64),
        answers=np.array(answers, np.int32),
        families=np.array(families, np.uint8),
        names=np.array(names),
    )
    size = file.stat().st_size
    return f"{len(answers)} pairs, {int(starts[-1])} tokens, {size} bytes, {foreign} left out for words training lacks"
