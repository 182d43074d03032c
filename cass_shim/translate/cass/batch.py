"""Answers of the shipped model's network, many at a time: each has its own prompt, position, mask and end.

In: `Wish`es, added at any time, of one prompt or several. Out: token ids. A row that ends leaves the batch and others
may join it between two tokens (continuous batching), so requests of several programs share each reading of the
weights.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import torch

from cass_shim.translate.cass.decoder import Cache, Network
from cass_shim.translate.cass.mask import Mask
from cass_shim.translate.cass.models import Doubt
from cass_shim.translate.cass.vocabulary import END, Vocabulary

ROOM = 128  # positions of a cache come in so many
GROWTH = 8  # the part of itself by which a cache grows at least
SLACK = 2  # times what is needed, above which it shrinks
CHOICES = 8  # likeliest tokens that are looked at before all others
TINY = 1e-30  # of noise: its logarithm is taken
DOUBTFUL = 10.0  # nats below the likeliest token, from which another one is not worth a second look


@dataclass
class Wish:
    """One answer on its way. prefix: ids that it begins with. until: time.monotonic() at which it is cut off.

    mask: what may follow, None for anything. doubts: of greedy answers. masked: how often the mask refused a choice.
    lost: why there is no answer.
    """

    prompt: list[int]
    most: int
    until: float
    temperature: float = 0.0
    prefix: list[int] = field(default_factory=list)
    mask: Mask | None = None
    chance: Any = None
    made: list[int] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    masked: int = 0
    done: bool = False
    lost: str = ""


class Batch:
    """The answers under way. Not for several threads at a time."""

    def __init__(self, network: Network, vocabulary: Vocabulary) -> None:
        self.network, self.tokens = network, vocabulary.tokens
        self.end = vocabulary.ids[END]
        self.rows: list[Wish] = []
        self.logits: Any = None
        self.cache: Cache = []

    def add(self, wishes: Sequence[Wish]) -> None:
        """Wishes of one prompt; it is read once, with the longest of the prefixes."""
        left = list(wishes)
        while left:
            longest = max((one.prefix for one in left), key=len)
            given = longest[:-1]  # the last one is chosen, like every later token, by `_choose`
            every = self._read([*left[0].prompt, *given])
            same = [one for one in left if one.prefix[:-1] == given[: max(0, len(one.prefix) - 1)]]
            for one in same:
                for token in one.prefix[:-1]:
                    self._append(one, token)
            self._join(every[[len(one.prompt) + len(one.made) - 1 for one in same]], same)
            left = [one for one in left if one not in same]

    def _read(self, ids: list[int]) -> Any:
        """Into a cache of one row; the logits behind every one of `ids`."""
        network = self.network
        network.cache = network.blank(1, -(-len(ids) // ROOM) * ROOM)
        given = torch.tensor([ids], device=network.embedding.device)
        places = torch.arange(len(ids), device=given.device)[None]
        return network.read(given, places, len(ids), None)[0]

    def _join(self, logits: Any, wishes: list[Wish]) -> None:
        """More rows, each with a copy of the network's cache: all that is there is copied once for all of them."""
        fresh = self.network.cache
        if not self.rows:
            self.cache = [(_repeated(keys, wishes), _repeated(values, wishes)) for keys, values in fresh]
            self.logits = logits
        else:
            room = max(self.cache[0][0].shape[2], fresh[0][0].shape[2])
            self.cache = [
                tuple(
                    torch.cat([_widened(old, room), _repeated(_widened(new, room), wishes)])
                    for old, new in zip(layer, more, strict=True)
                )
                for layer, more in zip(self.cache, fresh, strict=True)
            ]
            self.logits = torch.cat([self.logits, logits])
        self.rows += wishes

    def step(self) -> None:
        """One token for every row; those that end with it leave."""
        places = []
        for one, token in zip(self.rows, self._choose(), strict=True):
            places.append(len(one.prompt) + len(one.made))
            self._append(one, token)
            late = len(one.made) >= one.most or time.monotonic() >= one.until
            one.done = token == self.end or late or places[-1] + 1 >= self.network.shape.window
        going = [row for row, one in enumerate(self.rows) if not one.done]
        if not going:
            self.rows, self.cache, self.logits = [], [], None
            return
        network = self.network
        device = network.embedding.device
        network.cache = self.cache
        if len(going) < len(self.rows):
            network.keep(torch.tensor(going, device=device))
            self.rows = [self.rows[row] for row in going]
            self.cache = network.cache
        self._fit(1 + max(places[row] for row in going))
        last = torch.tensor([one.made[-1] for one in self.rows], device=device)
        at = torch.tensor([places[row] for row in going], device=device)
        self.logits = network.step_apart(last, at)

    def _fit(self, need: int) -> None:
        """Room in the cache for so many positions, and not far more: most answers are far from the longest there may
        be, and joining and leaving copy all of it."""
        room = self.cache[0][0].shape[2]
        if need <= room <= SLACK * max(need, ROOM):
            return
        room = -(-max(need + ROOM, need + need // GROWTH) // ROOM) * ROOM
        fitted = [(_widened(keys, room), _widened(values, room)) for keys, values in self.cache]
        self.cache = self.network.cache = fitted

    def clear(self) -> list[Wish]:
        """Give everything up; what was under way."""
        left, self.rows, self.cache, self.logits = self.rows, [], [], None
        return left

    def _append(self, wish: Wish, token: int) -> None:
        wish.made.append(token)
        if wish.mask is not None:
            wish.mask.take(self.tokens[token])

    def _choose(self) -> list[int]:
        scores = self._scores()
        likeliest, order = scores.topk(min(CHOICES, scores.shape[-1]))  # of all rows: reading one waits for the GPU
        found = []
        for row, (one, values, ids) in enumerate(zip(self.rows, likeliest.tolist(), order.tolist(), strict=True)):
            if len(one.made) < len(one.prefix):
                found.append(one.prefix[len(one.made)])
            else:
                found.append(self._best(one, scores[row], values, ids))
        return found

    def _scores(self) -> Any:
        """By which tokens are taken, the highest possible one first: logits, for samples with noise.

        Gumbel's noise makes the order that of drawing by probability without putting back: what is impossible is
        passed over as if it had been drawn and put aside.
        """
        scores = self.logits.float().clone()
        row = 0
        for (temperature, chance), same in groupby(self.rows, key=lambda one: (one.temperature, one.chance)):
            rows = slice(row, row := row + len(list(same)))
            if temperature > 0:
                noise = torch.empty_like(scores[rows]).exponential_(generator=chance).clamp_min_(TINY)
                scores[rows] = scores[rows] / temperature - noise.log()
        return scores

    def _is_possible(self, one: Wish, token: int) -> bool:
        return one.mask is None or self.tokens[token] in one.mask.allowed

    def _best(self, one: Wish, scores: Any, values: list[float], ids: list[int]) -> int:
        """The first possible token; of greedy answers the next ones are remembered where they come near."""
        one.masked += not self._is_possible(one, ids[0])
        possible = [(value, token) for value, token in zip(values, ids, strict=True) if self._is_possible(one, token)]
        if not possible:
            every, order = scores.sort(descending=True)
            pairs = zip(every.tolist(), order.tolist(), strict=True)
            possible = [next((pair for pair in pairs if self._is_possible(one, pair[1])), (0.0, self.end))]
        (best, chosen), *others = possible
        for value, token in others[:2]:
            if one.temperature == 0 and best - value < DOUBTFUL:
                one.doubts.append(Doubt(len(one.made), token, best - value))
        return chosen


def _repeated(tensor: Any, wishes: list[Wish]) -> Any:
    """One row as a row for each."""
    return tensor.repeat(len(wishes), 1, 1, 1)


def _widened(tensor: Any, room: int) -> Any:
    """With room for so many positions, or cut to them."""
    rows, shared, own, width = tensor.shape
    if own >= room:
        return tensor if own == room else tensor[:, :, :room].contiguous()
    return torch.cat([tensor, tensor.new_zeros(rows, shared, room - own, width)], 2)
