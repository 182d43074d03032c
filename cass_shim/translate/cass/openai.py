"""A client of any OpenAI-compatible server: vLLM, SGLang, llama.cpp's server, transformers serve.

Only the standard library. The key is read from OPENAI_API_KEY, the model's name from CASS_MODEL_NAME or, when the
server has one model only, from the server.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

from cass_shim.model.errors import ToolFailed
from cass_shim.translate.cass.gbnf import grammar
from cass_shim.translate.cass.models import Answer, Decoding, estimate_tokens
from cass_shim.translate.cass.prompt import Message

log = logging.getLogger(__name__)

MAX_RESPONSE = 64 << 20
LIST_TIMEOUT_S = 10.0
# How a server is given a grammar, by the owner that it names in its list of models. Source: vLLM (from 0.12 on),
# "Structured Outputs"; SGLang, "Structured Outputs"; llama.cpp, tools/server/README.md.
CONSTRAIN: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "vllm": lambda text: {"structured_outputs": {"grammar": text}},
    "sglang": lambda text: {"ebnf": text},
    "llamacpp": lambda text: {"grammar": text},
}


class OpenAiModel:
    """One server. base: its URL up to and including /v1 (added when missing)."""

    def __init__(self, base: str, name: str = "") -> None:
        trimmed = base.rstrip("/")
        self.base = trimmed if trimmed.endswith("/v1") else f"{trimmed}/v1"
        self.name = name or os.environ.get("CASS_MODEL_NAME", "")
        self.window = 0
        self.constrain: Callable[[str], dict[str, Any]] | None = None
        self.described = not self.name
        if not self.name:
            self._ask_name()
        self.identity = f"{self.name} at {self.base}"

    def _listed(self) -> list[dict[str, Any]]:
        listed = self._request("/models", None, LIST_TIMEOUT_S).get("data")
        return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []

    def _ask_name(self) -> None:
        listed = self._listed()
        if not listed:
            raise ToolFailed("model server", command=self.base, stderr="it lists no model")
        if len(listed) > 1:
            names = ", ".join(str(entry.get("id")) for entry in listed[:8])
            raise ToolFailed("model server", command=self.base, stderr=f"set CASS_MODEL_NAME to one of: {names}")
        self.name = str(listed[0].get("id", ""))
        self._describe(listed)

    def _describe(self, listed: list[dict[str, Any]]) -> None:
        """What the list says of this model: its window, and who serves it."""
        own = next((one for one in listed if one.get("id") == self.name), {})
        window = own.get("max_model_len", 0)
        self.window = window if isinstance(window, int) else 0
        self.constrain = CONSTRAIN.get(str(own.get("owned_by", "")))

    def _constraint(self) -> dict[str, Any]:
        """The grammar of an answer, in the words of the server; {} for one that is not known to read any."""
        if not self.described:
            self.described = True
            with contextlib.suppress(ToolFailed):  # a server without a list may answer all the same
                self._describe(self._listed())
        return self.constrain(grammar()) if self.constrain is not None else {}

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        constraint = self._constraint()
        try:
            return self._ask(messages, decoding, constraint)
        except ToolFailed as error:
            if not constraint or not error.stderr.startswith(("400", "422")):
                raise
            log.warning("%s takes no grammar: %s", self.base, error.stderr.splitlines()[0][:200])
            self.constrain = None
            return self._ask(messages, decoding, {})

    def _ask(
        self, messages: tuple[Message, ...], decoding: Decoding, constraint: dict[str, Any]
    ) -> list[Answer]:  # fmt: skip
        answer = self._request(
            "/chat/completions",
            {
                "model": self.name,
                "messages": [{"role": message.role, "content": message.content} for message in messages],
                "n": decoding.count,
                "temperature": decoding.temperature,
                "max_tokens": decoding.max_tokens,
                **constraint,
            },
            decoding.timeout_s,
        )
        choices = answer.get("choices")
        if not isinstance(choices, list) or not choices:
            raise ToolFailed("model server", command=self.base, stderr="an answer without choices")
        usage = answer.get("usage")
        total = usage.get("completion_tokens", 0) if isinstance(usage, dict) else 0
        tokens = total // len(choices) if isinstance(total, int) else 0
        return [_read(choice, tokens, self.base) for choice in choices[: decoding.count]]

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    def _request(self, path: str, body: Mapping[str, Any] | None, timeout_s: float) -> dict[str, Any]:
        headers = {"Content-Type": "application/json"}
        key = os.environ.get("OPENAI_API_KEY", "")
        if key:
            headers["Authorization"] = f"Bearer {key}"
        content = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, data=content, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=timeout_s) as response:
                raw = response.read(MAX_RESPONSE + 1)
        except urllib.error.HTTPError as error:
            detail = error.read(2000).decode("utf-8", "replace")
            raise ToolFailed("model server", command=self.base + path, stderr=f"{error.code}: {detail}") from error
        except (OSError, ValueError) as error:
            raise ToolFailed("model server", command=self.base + path, stderr=str(error)) from error
        if len(raw) > MAX_RESPONSE:
            raise ToolFailed("model server", command=self.base + path, stderr=f"more than {MAX_RESPONSE} bytes")
        try:
            decoded = json.loads(raw)
        except ValueError as error:
            raise ToolFailed("model server", command=self.base + path, stderr="the answer is not JSON") from error
        if not isinstance(decoded, dict):
            raise ToolFailed("model server", command=self.base + path, stderr="the answer is not an object")
        return decoded


def _read(choice: object, tokens: int, base: str) -> Answer:
    message = choice.get("message") if isinstance(choice, dict) else None
    text = message.get("content") if isinstance(message, dict) else None
    if not isinstance(choice, dict) or not isinstance(text, str):
        raise ToolFailed("model server", command=base, stderr="a choice without text")
    return Answer(text, tokens, choice.get("finish_reason") != "length")
