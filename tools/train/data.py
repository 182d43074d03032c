"""Batches of pairs, all data on the device.

In: a split's .npz file. Out: id tensors, padded on the right to the longest pair of a batch: pairs of like length
come together, so that little is padding, and causal attention needs no mask.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

CHUNK = 8192  # pairs that are sorted by length together
BLOCK = 4  # registers that move together: wide operands need their alignment
BLOCKS = 16


@dataclass
class Split:
    """One split. ids: all tokens; starts, lengths, answers: per pair, where it begins, its size and its prompt's.

    answered: the tokens of each answer, its end among them, where no device need be asked.
    """

    ids: Any
    starts: Any
    lengths: np.ndarray
    answers: Any
    answered: np.ndarray
    families: np.ndarray
    names: list[str]

    def __len__(self) -> int:
        return len(self.lengths)

    def of_families(self, wanted: Sequence[str]) -> Split:
        """The pairs of some families. Raises ValueError for a name that the split has not."""
        chosen = np.flatnonzero(np.isin(self.families, [self.names.index(one) for one in wanted]))
        rows = torch.from_numpy(chosen).to(self.ids.device)
        here = (self.lengths[chosen], self.answers[rows], self.answered[chosen], self.families[chosen])
        return Split(self.ids, self.starts[rows], *here, self.names)

    def batch(self, chosen: np.ndarray, multiple: int = 32) -> tuple[Any, Any]:
        """Ids of some pairs, padded with 0, and which of them belong to answers."""
        device = self.ids.device
        width = -(-int(self.lengths[chosen].max()) // multiple) * multiple
        rows = torch.from_numpy(chosen).to(device)
        lengths = torch.from_numpy(self.lengths[chosen]).to(device)
        column = torch.arange(width, device=device)
        places = self.starts[rows][:, None] + torch.minimum(column[None], lengths[:, None] - 1)
        inside = column[None] < lengths[:, None]
        ids = torch.where(inside, self.ids[places].long(), 0)
        return ids, inside & (column[None] >= self.answers[rows][:, None])


def load(file: Path, device: str) -> Split:
    """Read a split and put it on the device."""
    with np.load(file) as stored:
        starts = stored["starts"]
        answered = np.diff(starts) - stored["answers"]
        return Split(
            torch.from_numpy(stored["ids"].astype(np.int16)).to(device),
            torch.from_numpy(starts[:-1]).to(device),
            np.diff(starts),
            torch.from_numpy(stored["answers"].astype(np.int64)).to(device),
            answered,
            stored["families"],
            [str(name) for name in stored["names"]],
        )


def batches(split: Split, tokens: int, longest: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """One pass over the pairs of at most `longest` tokens: pair numbers, about `tokens` tokens a batch."""
    order = rng.permutation(np.flatnonzero(split.lengths <= longest))
    for at in range(0, len(order), CHUNK):
        chunk = order[at : at + CHUNK]
        chunk = chunk[np.argsort(split.lengths[chunk], kind="stable")]
        made, start = [], 0
        while start < len(chunk):
            end = start + 1
            while end < len(chunk) and split.lengths[chunk[end]] * (end + 1 - start) <= tokens:
                end += 1
            made.append(chunk[start:end])
            start = end
        for number in rng.permutation(len(made)):
            yield made[number]


def rename_registers(ids: Any, register: int, zero: int, share: float) -> Any:
    """Give the SASS registers of a share of the rows other numbers, four by four: the meaning stays the same.

    register: the id of the class token R; zero: that of the number 0.
    """
    rows = ids.shape[0]
    renamed = torch.rand(rows, BLOCKS, device=ids.device).argsort(1)
    same = torch.arange(BLOCKS, device=ids.device).expand(rows, BLOCKS)
    to = torch.where(torch.rand(rows, 1, device=ids.device) < share, renamed, same)
    numbers = ids - zero
    follows = torch.zeros_like(ids, dtype=torch.bool)
    follows[:, 1:] = ids[:, :-1] == register
    affected = follows & (numbers >= 0) & (numbers < BLOCK * BLOCKS)
    place = torch.where(affected, numbers, 0)
    moved = to.gather(1, place // BLOCK) * BLOCK + place % BLOCK
    return torch.where(affected, zero + moved, ids)
