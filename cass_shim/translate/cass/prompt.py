"""The CASS authors' prompt contract: cuobjdump's text in, a fenced HIP assembly out.

Source: the model cards' usage example. The text starts with `code for sm_80`, `Function : <name>` and
`.headerflags`, keeps the encodings, and has runs of blanks squeezed, as the training data had.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

INSTRUCTION = "Convert the following CUDA device assembly code to HIP device assembly:"
TOO_LONG = "prompt length"  # what is Unsupported as a whole, and can be tried in parts
INPUT_FENCE, OUTPUT_FENCE = "cudaasm", "hipasm"

# SM → the checkpoint family trained on it; others take the nearest, and provenance says so.
FAMILIES = {80: "smA100", 89: "sm4090"}

_ENCODING = re.compile(r"/\* 0x[0-9a-f]{16} \*/")


@dataclass(frozen=True, slots=True)
class Message:
    """One turn: role "user" or "assistant"."""

    role: str
    content: str


def normalize(sass: str, encodings: bool = True) -> str:
    """One kernel's part of `cuobjdump -sass`, squeezed. encodings: keep the hexadecimal words, as in training."""
    lines: list[str] = []
    inside = False
    for line in sass.splitlines():
        text = re.sub(r"[ \t]+", " ", line).strip()
        if text.startswith("code for sm_"):
            inside, lines = True, []
        if not inside:
            continue
        if not encodings:
            text = _ENCODING.sub("", text).strip()
        if text:
            lines.append(text)
        if text.startswith("....."):
            inside = False
    return "\n".join(lines)


def build_prompt(sass: str, encodings: bool = True) -> str:
    """The user turn for one kernel."""
    return f"{INSTRUCTION}\n```{INPUT_FENCE}\n{normalize(sass, encodings)}\n```"


def repair_turn(reason: str) -> str:
    """The user turn after a rejected answer: the assembler's or verifier's words, nothing else."""
    return f"This assembly was rejected:\n{reason.strip()[:2000]}\nGive the corrected HIP device assembly."


def digest(messages: Sequence[Message]) -> str:
    """SHA-256 over a conversation, the name of a recorded answer."""
    state = hashlib.sha256()
    for message in messages:
        for text in (message.role, message.content):
            content = text.encode()
            state.update(len(content).to_bytes(8, "little") + content)
    return state.hexdigest()


def family(sm: int) -> str:
    """The checkpoint family for an SM: its own, else the nearest by number."""
    return FAMILIES[min(FAMILIES, key=lambda known: (abs(known - sm), known))]
