"""A checkpoint run in this process by transformers and torch (the extra `model`).

Nothing is imported before the first use. HF_HOME, HF_HUB_OFFLINE, HF_TOKEN and CASS_MODEL_REVISION are honoured
by the libraries or passed on. Requests that wait at the same time, with the same decoding, are answered in one batch.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from cass_shim.model.errors import ToolFailed, Unsupported
from cass_shim.translate.cass.models import Answer, Decoding, estimate_tokens
from cass_shim.translate.cass.prompt import Message

MOST_PROMPTS = 8  # of one batch


@dataclass(eq=False)
class _Asked:
    """One thread's request."""

    messages: tuple[Message, ...]
    decoding: Decoding
    answers: list[Answer] = field(default_factory=list)
    failed: str = ""
    done: bool = False

    def goes_with(self, other: _Asked) -> bool:
        one, two = self.decoding, other.decoding
        return (one.count, one.temperature, one.max_tokens) == (two.count, two.temperature, two.max_tokens)


class LocalModel:
    """One checkpoint, loaded on first use; requests of several threads share batches."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.revision = os.environ.get("CASS_MODEL_REVISION", "") or None
        self.identity = f"{name}@{self.revision or 'default'}"
        self.window = 0
        self.batches: list[int] = []  # prompts of each batch so far
        self._lock = threading.Lock()
        self._waiting: deque[_Asked] = deque()
        self._loaded: tuple[Any, Any, Any] | None = None

    def _load(self) -> tuple[Any, Any, Any]:
        """torch, tokenizer, model."""
        if self._loaded is not None:
            return self._loaded
        try:
            import torch
            import transformers
        except ImportError as error:
            raise Unsupported("translator cass", why=f"{error}; fix: pip install 'cass-shim[model]'") from error
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(self.name, revision=self.revision)
            model = transformers.AutoModelForCausalLM.from_pretrained(
                self.name, revision=self.revision, torch_dtype="auto"
            )
        except (OSError, ValueError) as error:
            first = str(error).strip().splitlines()[0]
            raise Unsupported("translator cass", why=f"model {self.name} cannot be loaded: {first}") from error
        device = "cuda" if torch.cuda.is_available() else "cpu"  # ROCm's torch calls its devices "cuda" too
        model = model.to(device).eval()
        tokenizer.padding_side = "left"
        known = model.get_input_embeddings().num_embeddings
        if (
            tokenizer.pad_token_id is None or tokenizer.pad_token_id >= known
        ):  # the tokenizer's default, not the model's
            tokenizer.pad_token = tokenizer.eos_token
        window = getattr(model.config, "max_position_embeddings", 0)
        self.window = window if isinstance(window, int) else 0
        self._loaded = (torch, tokenizer, model)
        return self._loaded

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        """In one batch with whatever waits beside it."""
        own = _Asked(messages, decoding)
        self._waiting.append(own)
        with self._lock:
            if not own.done:
                try:
                    loaded = self._load()
                except BaseException:
                    self._waiting.remove(own)
                    raise
                self._run(loaded, self._take(own))
        if own.failed:
            raise ToolFailed("transformers", command=self.name, stderr=own.failed)
        return own.answers

    def _take(self, own: _Asked) -> list[_Asked]:
        """This request and those that can be answered with it."""
        same = [one for one in list(self._waiting) if one is own or one.goes_with(own)]
        same = [own, *(one for one in same if one is not own)][:MOST_PROMPTS]
        for one in same:
            self._waiting.remove(one)
        return same

    def _run(self, loaded: tuple[Any, Any, Any], asked: list[_Asked]) -> None:
        torch, tokenizer, model = loaded
        decoding = asked[0].decoding
        texts = [
            tokenizer.apply_chat_template(
                [{"role": message.role, "content": message.content} for message in one.messages],
                tokenize=False,
                add_generation_prompt=True,
            )
            for one in asked
        ]
        options: dict[str, Any] = {"max_new_tokens": decoding.max_tokens, "do_sample": False}
        options["max_time"] = min(one.decoding.timeout_s for one in asked)
        if decoding.temperature > 0:
            options |= {"do_sample": True, "temperature": decoding.temperature}
            options["num_return_sequences"] = decoding.count
        self.batches.append(len(asked))
        try:
            inputs = tokenizer(texts, return_tensors="pt", padding=True).to(model.device)
            with torch.inference_mode():
                outputs = model.generate(**inputs, **options, pad_token_id=tokenizer.pad_token_id)
            start, each = inputs.input_ids.shape[1], len(outputs) // len(asked)
            for number, one in enumerate(asked):
                rows = outputs[number * each : (number + 1) * each]
                one.answers = [self._answer(tokenizer, row[start:], decoding) for row in rows]
        except Exception as error:  # torch: out of memory, unsupported operation; nobody may wait for ever
            for one in asked:
                one.failed = f"{type(error).__name__}: {error}"
        finally:
            for one in asked:
                one.done = True

    def _answer(self, tokenizer: Any, tokens: Any, decoding: Decoding) -> Answer:
        """Without the padding behind the end of an answer that others are longer than."""
        ids = tokens.tolist()
        length = ids.index(tokenizer.eos_token_id) + 1 if tokenizer.eos_token_id in ids else len(ids)
        text = tokenizer.decode(ids[:length], skip_special_tokens=True)
        return Answer(text, length, length < decoding.max_tokens and tokenizer.eos_token_id in ids)

    def count_tokens(self, text: str) -> int:
        if self._loaded is None:
            return estimate_tokens(text)
        return len(self._loaded[1](text).input_ids)
