"""Answers read from a directory, by the digest of the conversation: for tests, replays and demonstrations.

`answers.json` maps digest → {"file", "kernel", "note"}; each file holds one raw answer. Made by
`tools/record_cass_answer.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

from cass_shim.model.errors import Malformed, ToolFailed
from cass_shim.translate.cass.models import INDEX, Answer, Decoding, estimate_tokens
from cass_shim.translate.cass.prompt import Message, digest

MAX_ANSWER = 16 << 20


class RecordedModel:
    """The back end over one directory."""

    window = 0

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.identity = f"recorded answers ({directory.name})"
        try:
            index = json.loads((directory / INDEX).read_text())
            self.files = {str(key): str(entry["file"]) for key, entry in index["answers"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise Malformed(f"not an index of recorded answers: {error}", where=str(directory / INDEX)) from error

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        """The one recorded answer of this conversation, at any temperature."""
        name = self.files.get(digest(messages))
        if name is None:
            raise ToolFailed("recorded answers", stderr=f"none for conversation {digest(messages)[:16]}")
        path = self.directory / name
        if path.resolve().parent != self.directory.resolve():
            raise Malformed(f"{name} lies outside", where=str(self.directory / INDEX))
        try:
            if path.stat().st_size > MAX_ANSWER:
                raise Malformed(f"{path.stat().st_size} bytes", where=str(path))
            return [Answer(path.read_text(errors="replace"))]
        except OSError as error:
            raise ToolFailed("recorded answers", stderr=str(error)) from error

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)
