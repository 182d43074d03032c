"""A checkpoint that speaks fields: the one that ships with the package, or another made by `tools/train`.

In: a folder with `cass_contract.json`, `vocabulary.json`, `config.json` and safetensors. torch is imported when the
first answer is wanted.
"""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path
from typing import Any

from cass_shim.model.errors import Malformed, ToolFailed, Unsupported
from cass_shim.translate.cass.contracts import CONTRACTS
from cass_shim.translate.cass.models import CONTRACT_FILE, Answer, Decoding
from cass_shim.translate.cass.prompt import Message
from cass_shim.translate.cass.vocabulary import END, Vocabulary

MAX_ANSWER = 1024  # tokens
MISSING = "fix: pip install 'cass-shim[model]', or leave cass out of CASS_TRANSLATORS"


class ShippedModel:
    """One checkpoint, its weights read on first use; requests of several threads take turns."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
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
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def _load(self) -> tuple[Any, Any]:
        """torch and the network, in f32 where there is only a processor."""
        if self._loaded is not None:
            return self._loaded
        try:
            import torch

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
        self._loaded = (torch, network)
        return self._loaded

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        """Answers to the first turn, all in one batch; it knows no later turns."""
        prompt = self.vocabulary.prompt(messages[0].content)
        room = min(MAX_ANSWER, decoding.max_tokens, self.window - len(prompt))
        if room <= 0:
            raise Unsupported("prompt length", why=f"{len(prompt)} tokens, the model reads {self.window}")
        end = self.vocabulary.ids[END]
        with self._lock:
            torch, network = self._load()
            from cass_shim.translate.cass.decoder import answers

            threads = torch.get_num_threads()
            torch.set_num_threads(1)  # a network this small gains nothing from more, and loses when they must wait
            try:
                with torch.inference_mode():
                    made = answers(network, prompt, end, decoding.count, decoding.temperature, room, decoding.timeout_s)
            except RuntimeError as error:  # torch: out of memory, unsupported operation
                raise ToolFailed("torch", command=str(self.folder), stderr=str(error)) from error
            finally:
                torch.set_num_threads(threads)
        return [self._answer(ids, end) for ids in made]

    def _answer(self, ids: list[int], end: int) -> Answer:
        finished = end in ids
        length = ids.index(end) + 1 if finished else len(ids)
        return Answer(self.vocabulary.decode(ids), length, finished)

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
