"""A checkpoint that speaks fields: the one that ships with the package, or another made by `tools/train`.

In: a folder with `cass_contract.json`, `vocabulary.json`, `config.json` and safetensors. torch is imported when the
first answer is wanted.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cass_shim.model.errors import Malformed, ToolFailed, Unsupported
from cass_shim.translate.cass.contracts import CONTRACTS, REGISTERS
from cass_shim.translate.cass.mask import Mask
from cass_shim.translate.cass.models import CONTRACT_FILE, Answer, Decoding
from cass_shim.translate.cass.prompt import TOO_LONG, Message
from cass_shim.translate.cass.vocabulary import END, Vocabulary

if TYPE_CHECKING:  # they import torch
    from cass_shim.translate.cass.batch import Batch, Wish

log = logging.getLogger(__name__)

MAX_ANSWER = 3072  # tokens
# An answer longer than this for its prompt never ends: three in 2,000 of 74,253 training pairs are (2026-11-27). One
# that is nothing but repetition costs a processor as much as ten that end.
STRETCH, BESIDES = 2, 400  # tokens of an answer for one of the prompt, and so many more
MOST_ROWS = 32  # answers at a time: 34 MB of keys and values each, where they are as long as the window; in bf16 half
MISSING = "fix: pip install 'cass-shim[model]', or leave cass out of CASS_TRANSLATORS"


class ShippedModel:
    """One checkpoint, its weights read on first use; requests of several threads share a batch.

    is_masked: impossible tokens have probability 0 (`mask.py`). longest_part: tokens of a part's prompt, where a kernel
    is cut: parts that training showed are shorter. most_on_gpu: answers at a time on one, for who has it for himself.
    """

    longest_part = 512
    most_on_gpu = 128  # answers at a time there: 2.2 GB at most

    def __init__(self, folder: Path, is_masked: bool = True) -> None:
        self.folder, self.is_masked = folder, is_masked
        try:
            self.contract = str(json.loads((folder / CONTRACT_FILE).read_text())["contract"])
            self.window = int(json.loads((folder / "config.json").read_text())["max_position_embeddings"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Malformed(f"not a checkpoint of the cass route: {error}", where=str(folder)) from error
        if self.contract not in CONTRACTS:
            raise Unsupported(
                "translator cass", why=f"{folder} speaks {self.contract}, known are {', '.join(CONTRACTS)}"
            )
        self.vocabulary = Vocabulary.read(folder)
        self.identity = f"{folder.name} {_digest(folder)}"
        self._loading = threading.Lock()
        self._turn, self._busy = threading.Condition(), False  # busy: one thread works for all
        self._waiting: deque[list[Wish]] = deque()
        self._loaded: tuple[Any, Batch] | None = None

    def _ready(self) -> tuple[Any, Batch]:
        """torch and the batch."""
        if self._loaded is None:
            with self._loading:
                if self._loaded is None:
                    self._loaded = self._load()
        return self._loaded

    def _load(self) -> tuple[Any, Batch]:
        """torch and the network, in f32 where there is only a processor."""
        try:
            import torch

            from cass_shim.translate.cass.batch import Batch
            from cass_shim.translate.cass.decoder import Network
        except ImportError as error:
            raise Unsupported("translator cass", why=f"{error}; {MISSING}") from error
        on_gpu = torch.cuda.is_available()  # ROCm's torch calls its devices "cuda" too
        try:
            network = Network(self.folder, *(("cuda", torch.bfloat16) if on_gpu else ("cpu", torch.float32)))
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            first = f"{type(error).__name__}: {error}".splitlines()[0]
            raise Unsupported("translator cass", why=f"checkpoint {self.folder} cannot be loaded: {first}") from error
        if network.vocabulary_size != len(self.vocabulary.tokens):
            raise Unsupported("translator cass", why=f"checkpoint {self.folder}: weights and vocabulary differ in size")
        return torch, Batch(network, self.vocabulary)

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        """Answers to the first turn; it knows no later turns. Requests of several threads share one batch."""
        prompt = self.vocabulary.prompt(messages[0].content)
        room = self.room(len(prompt), decoding.max_tokens)
        if room <= 0:
            raise Unsupported(TOO_LONG, why=f"{len(prompt)} tokens, the model reads {self.window}")
        torch, batch = self._ready()
        wishes = self._wishes(torch, prompt, room, decoding)
        self._waiting.append(wishes)
        while self._is_my_turn(wishes):
            try:
                self._work(torch, batch, wishes)
            finally:
                with self._turn:
                    self._busy = False
                    self._turn.notify_all()
        lost = [one.lost for one in wishes if one.lost]
        if lost:
            raise ToolFailed("torch", command=str(self.folder), stderr=lost[0])
        return [self._answer(one) for one in wishes]

    def _is_my_turn(self, wishes: list[Wish]) -> bool:
        """Wait until these wishes are answered (False) or nobody works for all any more. Who has an answer goes with
        it at once, however long the answers of whoever works may be."""

        def is_answered() -> bool:
            return all(one.done for one in wishes)

        with self._turn:
            self._turn.wait_for(lambda: is_answered() or not self._busy)
            if is_answered():
                return False
            self._busy = True
            return True

    def _wishes(self, torch: Any, prompt: list[int], room: int, decoding: Decoding) -> list[Wish]:
        from cass_shim.translate.cass.batch import Wish

        until = time.monotonic() + decoding.timeout_s
        if decoding.prefixes:
            starts = [list(one[:room]) for one in decoding.prefixes]
        else:
            starts = [[] for _ in range(decoding.count if decoding.temperature > 0 else 1)]
        chance = None
        if decoding.temperature > 0:
            chance = torch.Generator(device="cuda" if torch.cuda.is_available() else "cpu")
            chance.manual_seed(decoding.seed or int.from_bytes(os.urandom(4)))
        return [
            Wish(prompt, room, until, decoding.temperature, start, self._mask(), chance) for start in starts
        ]  # fmt: skip

    def _mask(self) -> Mask | None:
        return Mask(self.vocabulary, self.contract == REGISTERS) if self.is_masked else None

    def _work(self, torch: Any, batch: Batch, mine: list[Wish]) -> None:
        """Tokens for everybody until these wishes are answered. A failure is everybody's."""
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # a network this small gains nothing from more, and loses when they must wait
        most = self.most_on_gpu if batch.network.embedding.is_cuda else MOST_ROWS
        joining: list[Wish] = []
        try:
            with torch.inference_mode():
                while not all(one.done for one in mine):
                    while self._waiting and len(batch.rows) < most:
                        joining = self._waiting.popleft()
                        batch.add(joining)
                    before = len(batch.rows)
                    batch.step()
                    if len(batch.rows) < before:  # some have their answers
                        with self._turn:
                            self._turn.notify_all()
        except Exception as error:  # out of memory, an unsupported operation: nobody may wait for ever
            if not isinstance(error, RuntimeError):
                log.exception("the model failed")
            for one in (*batch.clear(), *joining, *mine, *(one for other in self._waiting for one in other)):
                one.lost, one.done = one.lost or f"{type(error).__name__}: {error}", True
            self._waiting.clear()
        finally:
            torch.set_num_threads(threads)

    def _answer(self, wish: Wish) -> Answer:
        ids = wish.made
        end = self.vocabulary.ids[END]
        return Answer(
            self.vocabulary.decode(ids), len(ids), ids[-1:] == [end], tuple(ids), tuple(wish.doubts), wish.masked
        )

    def room(self, prompt: int, most: int) -> int:
        """Tokens that the answer to a prompt of so many may have."""
        return min(MAX_ANSWER, STRETCH * prompt + BESIDES, most, self.window - prompt)

    def count_tokens(self, text: str) -> int:
        """Of a prompt; Unsupported for words that training never saw."""
        return len(self.vocabulary.prompt(text))


def _digest(folder: Path) -> str:
    """Names the weights by what the checkpoint's index and contract say of them."""
    state = hashlib.sha256()
    for file in sorted(folder.glob("*.json")):
        state.update(file.read_bytes())
    for file in sorted(folder.glob("*.safetensors")):
        state.update(file.read_bytes())
    return state.hexdigest()[:12]
