"""A model of our own contract that is right about the parts of a kernel, for tests of the search over parts."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor

from cass_shim.model.artifacts import SassKernel
from cass_shim.translate.cass.contracts import CONTRACTS, FIELDS
from cass_shim.translate.cass.models import Answer, Decoding
from cass_shim.translate.cass.parts import Part
from cass_shim.translate.cass.prompt import Message
from cass_shim.translate.cass.search import Budget
from cass_shim.translate.cass.splitting import SMALL, InParts
from tools.pairs.generate import make_pair

_known: dict[str, str] = {}  # right answers by their prompts


def target(sass: SassKernel) -> str:
    return make_pair(sass, "", set()).target


def right_answers(kernels: list[SassKernel]) -> dict[str, str]:
    """By prompt; made in a process of its own, for the options of LLVM that they need are the whole process's."""
    prompts = [CONTRACTS[FIELDS].prompt(sass, "") for sass in kernels]
    new = {prompt: sass for prompt, sass in zip(prompts, kernels, strict=True) if prompt not in _known}
    if new:
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            _known.update(zip(new, pool.map(target, new.values()), strict=True))
    return {prompt: _known[prompt] for prompt in prompts}


class Fielded:
    """A model of our own contract that is wrong about the whole and right about parts, but for those in `wrong`."""

    contract, window, identity = FIELDS, 2048, "fielded"

    def __init__(self, sass: SassKernel, wrong: tuple[int, ...] = (), largest: int = SMALL) -> None:
        self.search = InParts(sass, "", self, None, Budget(), None, largest)
        self.parts = self.search.parts
        self.known: dict[str, str] = {}
        self.learn(part for part in self.parts if part.number not in wrong)

    def learn(self, parts: Iterable[Part]) -> None:
        self.known |= right_answers([part.sass for part in parts])

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        return [Answer(self.known.get(messages[0].content, "s_endpgm"), 10)] * decoding.count
