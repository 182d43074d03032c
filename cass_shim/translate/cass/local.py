"""A checkpoint run in this process by transformers and torch (the extra `model`).

Nothing is imported before the first use. HF_HOME, HF_HUB_OFFLINE, HF_TOKEN and CASS_MODEL_REVISION are honoured
by the libraries or passed on.
"""

from __future__ import annotations

import os
import threading
from typing import Any

from cass_shim.model.errors import ToolFailed, Unsupported
from cass_shim.translate.cass.models import Answer, Decoding, estimate_tokens
from cass_shim.translate.cass.prompt import Message


class LocalModel:
    """One checkpoint, loaded on first use; requests of several threads take turns."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.revision = os.environ.get("CASS_MODEL_REVISION", "") or None
        self.identity = f"{name}@{self.revision or 'default'}"
        self.window = 0
        self._lock = threading.Lock()
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
        window = getattr(model.config, "max_position_embeddings", 0)
        self.window = window if isinstance(window, int) else 0
        self._loaded = (torch, tokenizer, model)
        return self._loaded

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        with self._lock:
            torch, tokenizer, model = self._load()
            chat = [{"role": message.role, "content": message.content} for message in messages]
            text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
            inputs = tokenizer([text], return_tensors="pt").to(model.device)
            options: dict[str, Any] = {"max_new_tokens": decoding.max_tokens, "max_time": decoding.timeout_s}
            if decoding.temperature > 0:
                options |= {"do_sample": True, "temperature": decoding.temperature}
                options["num_return_sequences"] = decoding.count
            else:
                options["do_sample"] = False
            try:
                with torch.inference_mode():
                    outputs = model.generate(**inputs, **options)
            except RuntimeError as error:  # torch: out of memory, unsupported operation
                raise ToolFailed("transformers", command=self.name, stderr=str(error)) from error
            start = inputs.input_ids.shape[1]
            return [self._answer(tokenizer, output[start:], decoding) for output in outputs]

    def _answer(self, tokenizer: Any, tokens: Any, decoding: Decoding) -> Answer:
        text = tokenizer.decode(tokens, skip_special_tokens=True)
        return Answer(text, len(tokens), len(tokens) < decoding.max_tokens)

    def count_tokens(self, text: str) -> int:
        if self._loaded is None:
            return estimate_tokens(text)
        return len(self._loaded[1](text).input_ids)
