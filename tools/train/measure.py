"""Greedy exact match on held-out pairs: the whole answer, token for token."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch

from tools.train.data import Split

TOKENS = 98_304  # of a batch, prompt and answer together


def exact_match(network: Any, split: Split, seconds: float, end: int) -> dict[str, Any]:
    """How many answers are exactly the pair's, as far as the time goes; shortest first, so the count says how far."""
    network.eval()
    until = time.monotonic() + seconds
    order = np.argsort(split.lengths, kind="stable")
    tried = right = 0
    by_family: dict[str, list[int]] = {}
    while tried < len(order) and time.monotonic() < until:
        width = int(split.lengths[order[min(tried + 127, len(order) - 1)]])
        chosen = order[tried : tried + max(1, min(128, TOKENS // width))]
        for number, good in zip(chosen, _right(network, split, chosen, end, until), strict=True):
            counted = by_family.setdefault(split.names[split.families[number]], [0, 0])
            counted[0] += good
            counted[1] += 1
            right += good
        tried += len(chosen)
    network.train()
    return {"exact": right, "tried": tried, "of": len(order), "families": by_family}


def _right(network: Any, split: Split, chosen: np.ndarray, end: int, until: float) -> list[bool]:
    """Per pair, whether the greedy answer is the pair's. Prompts are padded on the left."""
    ids, _ = split.batch(chosen, 1)
    prompts = split.answers[torch.from_numpy(chosen).to(ids.device)].tolist()
    lengths = split.lengths[chosen].tolist()
    width = max(prompts)
    given = torch.zeros(len(chosen), width, dtype=torch.long, device=ids.device)
    mask = torch.zeros_like(given)
    for row, prompt in enumerate(prompts):
        given[row, width - prompt :] = ids[row, :prompt]
        mask[row, width - prompt :] = 1
    longest = max(length - prompt for length, prompt in zip(lengths, prompts, strict=True))
    with torch.inference_mode():
        made = network.generate(
            given,
            attention_mask=mask,
            max_new_tokens=longest,
            do_sample=False,
            eos_token_id=end,
            pad_token_id=0,
            max_time=max(1.0, until - time.monotonic()),
        )[:, width:]
    found = []
    for row, (prompt, length) in enumerate(zip(prompts, lengths, strict=True)):
        wanted = ids[row, prompt:length]
        found.append(made.shape[1] >= len(wanted) and bool((made[row, : len(wanted)] == wanted).all()))
    return found
