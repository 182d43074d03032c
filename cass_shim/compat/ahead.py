"""A model whose answers to many prompts are asked for at the same time, so that they share batches.

In: a back end and prompts. Out: a back end that gives those answers when they are wanted, and asks for all else. On a
processor that reads the weights once for all, a set of held-out kernels takes a third of the time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Any

from cass_shim.translate.cass.models import Answer, Decoding, Model
from cass_shim.translate.cass.prompt import Message

AT_ONCE = 24


class Ahead:
    """A back end like the one it stands for. Failures are raised where the answer is wanted.

    at_once: requests that are under way together.
    """

    def __init__(
        self, model: Model, prompts: Iterable[str], decodings: Sequence[Decoding], at_once: int = AT_ONCE
    ) -> None:
        self._model, self.identity, self.window = model, model.identity, model.window
        self._queue = SimpleQueue[tuple[str, Decoding, Future[list[Answer]]]]()
        self._asked: dict[tuple[str, Decoding], Future[list[Answer]]] = {}
        for prompt in dict.fromkeys(prompts):
            for decoding in decodings:
                future = self._asked[prompt, decoding] = Future[list[Answer]]()
                # it waits behind others: the bound of one request is not for the wait
                self._queue.put((prompt, replace(decoding, timeout_s=at_once * decoding.timeout_s), future))
        # an executor's threads are waited for when the process ends: Ctrl-C would last as long as a slow server
        some = range(min(at_once, len(self._asked)))
        self._threads = [threading.Thread(target=self._ask, daemon=True) for _ in some]
        for one in self._threads:
            one.start()

    def _ask(self) -> None:
        """A thread: what is still to be asked, one after the other."""
        while True:
            try:
                prompt, decoding, future = self._queue.get_nowait()
            except Empty:
                return
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(self._model.generate((Message("user", prompt),), decoding))
                except Exception as error:  # raised again where the answer is wanted
                    future.set_exception(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        """What was asked ahead for a first turn, else the back end's own."""
        asked = self._asked.get((messages[0].content, decoding)) if len(messages) == 1 else None
        return self._model.generate(messages, decoding) if asked is None else asked.result()

    def count_tokens(self, text: str) -> int:
        """The back end's."""
        return self._model.count_tokens(text)

    def wait(self) -> None:
        """Return when nothing is under way any more."""
        for one in self._threads:
            one.join()

    def close(self) -> None:
        """Forget what was asked ahead; what is under way ends by itself."""
        for future in self._asked.values():
            future.cancel()
        self._asked.clear()
