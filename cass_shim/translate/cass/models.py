"""Where answers come from: a protocol, and the choice of a back end by name.

A back end answers a conversation with texts. It knows nothing of assembly; `search` judges.
"""

from __future__ import annotations

import functools
import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cass_shim.model.errors import ToolFailed, Unsupported
from cass_shim.translate.cass.prompt import Message, family

log = logging.getLogger(__name__)

INDEX = "answers.json"
CONTRACT_FILE = "cass_contract.json"
SHIPPED = Path(__file__).with_name("checkpoint")  # the model of our own, where the package has one


@dataclass(frozen=True, slots=True)
class Doubt:
    """A token of an answer that might have been another. cost: how much less likely that one was, in nats."""

    at: int
    token: int
    cost: float


@dataclass(frozen=True, slots=True)
class Answer:
    """One completion. tokens: generated, 0 when the back end does not say. finished: not cut off by a limit.

    ids, doubts: of a greedy answer of our own model, for another one that differs where this one was least sure.
    masked: tokens that its grammar refused.
    """

    text: str
    tokens: int = 0
    finished: bool = True
    ids: tuple[int, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    masked: int = 0


@dataclass(frozen=True, slots=True)
class Decoding:
    """How to decode. temperature 0 is greedy. timeout_s: for the whole request.

    prefixes: ids that answers begin with, one answer each (our own model). seed: of the samples.
    """

    count: int = 1
    temperature: float = 0.0
    max_tokens: int = 8192
    timeout_s: float = 600.0
    prefixes: tuple[tuple[int, ...], ...] = ()
    seed: int = 0


class Model(Protocol):
    """A source of answers. identity: name and revision, for provenance. window: tokens, 0 when unknown.

    A back end whose models speak another contract than the CASS authors' names it in `contract` (contracts.py).
    """

    identity: str
    window: int

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        """Up to `decoding.count` answers. Raises ToolFailed when the back end fails."""

    def count_tokens(self, text: str) -> int:
        """Tokens of a text, or an estimate."""


def estimate_tokens(text: str) -> int:
    """About two characters a token: SASS with encodings is mostly hexadecimal digits."""
    return len(text) // 2 + 1


def choose(setting: str, sm: int) -> Model:
    """The back end that CASS_MODEL names; `{family}` in it becomes smA100 or sm4090 after the SM.

    A URL is an OpenAI-compatible server, a directory with an index of answers is recorded, one with a contract is a
    checkpoint of `tools/train`, anything else a transformers checkpoint. With nothing configured it is the checkpoint
    that ships. Raises Unsupported when there is none.
    """
    name = setting.replace("{family}", family(sm)) or os.environ.get("OPENAI_BASE_URL", "")
    if not name and not (SHIPPED / CONTRACT_FILE).is_file():
        raise Unsupported(
            "translator cass",
            why="no model is configured and this package ships none; "
            "set CASS_MODEL to a directory, a model's name or a server's URL",
        )
    return _opened(name or str(SHIPPED))


_shared: Path | None = None  # the socket of the process that holds the models of this daemon (host.py)


def share(path: Path | None) -> None:
    """From now on, models that run on this machine are those of the process behind this socket; None: our own."""
    global _shared
    _shared = path
    _opened.cache_clear()


@functools.cache
def _opened(name: str) -> Model:
    """One back end per name and process."""
    if _shared is not None and not name.startswith(("http://", "https://")) and not (Path(name) / INDEX).is_file():
        from cass_shim.translate.cass.host import SharedModel

        try:
            return SharedModel(_shared, name)
        except ToolFailed as error:
            log.warning("%s; the model is loaded here", error)
    return opened_here(name)


@functools.cache
def opened_here(name: str) -> Model:
    """One back end per name and process: a checkpoint is loaded once for everyone."""
    if name.startswith(("http://", "https://")):
        from cass_shim.translate.cass.openai import OpenAiModel

        return OpenAiModel(name)
    if (Path(name) / INDEX).is_file():
        from cass_shim.translate.cass.recorded import RecordedModel

        return RecordedModel(Path(name))
    if (Path(name) / CONTRACT_FILE).is_file():
        from cass_shim.translate.cass.shipped import ShippedModel

        return ShippedModel(Path(name))
    from cass_shim.translate.cass.local import LocalModel

    return LocalModel(name)
