"""A model that is asked ahead: questions that are put together share its batches, and an answer is given once.

In: a back end, and questions as they become known. Out: a back end that gives those answers when they are wanted, and
asks for all else. On a processor that reads the weights once for all, a set of held-out kernels takes a third of the
time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Any

from cass_shim.translate.cass.models import Answer, Decoding, Model
from cass_shim.translate.cass.prompt import Message

AT_ONCE = 24
Key = tuple[str, Decoding]  # the prompt, and the decoding without its bound of time


def _key(prompt: str, decoding: Decoding) -> Key:
    return prompt, replace(decoding, timeout_s=0.0)


class Ahead:
    """A back end like the one it stands for. Failures are raised where the answer is wanted.

    at_once: requests that are under way together. given: tokens of each answer of the back end.
    """

    def __init__(self, model: Model, at_once: int = AT_ONCE) -> None:
        self._model, self.identity, self.window = model, model.identity, model.window
        self._at_once = at_once
        self._queue = SimpleQueue[tuple[str, Decoding, Future[list[Answer]]]]()
        self._asked: dict[Key, Future[list[Answer]]] = {}
        self._threads: list[threading.Thread] = []
        self._busy, self._lock = 0, threading.Lock()  # threads that will look at the queue once more
        self.given: list[int] = []

    def ask(self, prompt: str, decoding: Decoding) -> None:
        """A first turn that will be wanted; the decoding's bound of time begins when its turn comes."""
        key = _key(prompt, decoding)
        if key in self._asked:
            return
        future = self._asked[key] = Future[list[Answer]]()
        with self._lock:
            self._queue.put((prompt, decoding, future))
            if self._busy == self._at_once:
                return
            self._busy += 1
        # an executor's threads are waited for when the process ends: Ctrl-C would last as long as a slow server
        self._threads = [one for one in self._threads if one.is_alive()]
        self._threads.append(threading.Thread(target=self._work, daemon=True))
        self._threads[-1].start()

    def ask_all(self, prompts: Iterable[str], decodings: Sequence[Decoding]) -> None:
        """Every decoding for every prompt. A question waits behind others in the back end: the bound of one is not for
        the wait."""
        for prompt in dict.fromkeys(prompts):
            for decoding in decodings:
                self.ask(prompt, replace(decoding, timeout_s=self._at_once * decoding.timeout_s))

    def _work(self) -> None:
        """A thread: what is still to be asked, one after the other."""
        while True:
            with self._lock:
                try:
                    prompt, decoding, future = self._queue.get_nowait()
                except Empty:
                    self._busy -= 1
                    return
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(self._given((Message("user", prompt),), decoding))
                except Exception as error:  # raised again where the answer is wanted
                    future.set_exception(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def known(self, prompt: str, decoding: Decoding) -> list[Answer] | None:
        """The answers that are there already."""
        asked = self._asked.get(_key(prompt, decoding))
        return asked.result() if asked is not None and asked.done() and asked.exception() is None else None

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        """What was asked ahead for a first turn, else the back end's own; a greedy one is kept, unless the clock has
        cut it off."""
        if len(messages) > 1:
            return self._given(messages, decoding)
        key, started = _key(messages[0].content, decoding), time.monotonic()
        if (asked := self._asked.get(key)) is not None:
            return asked.result()
        answers = self._given(messages, decoding)
        if not decoding.temperature and time.monotonic() - started < decoding.timeout_s:
            kept = self._asked[key] = Future[list[Answer]]()
            kept.set_result(answers)
        return answers

    def _given(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        answers = self._model.generate(messages, decoding)
        self.given += [one.tokens for one in answers]
        return answers

    def count_tokens(self, text: str) -> int:
        """The back end's."""
        return self._model.count_tokens(text)

    def wait(self) -> None:
        """Return when nothing is under way any more."""
        for one in self._threads:
            one.join()

    def forget(self) -> None:
        """Drop what nobody has begun to answer; what is under way ends by itself, and what is there stays."""
        for key, future in list(self._asked.items()):
            if future.cancel():
                del self._asked[key]

    def close(self) -> None:
        """Forget all."""
        self.forget()
        self._asked.clear()
