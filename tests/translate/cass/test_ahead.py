"""Answers asked for ahead: given once, forgotten in time, and no hindrance to the end of the process."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from cass_shim.model.errors import ToolFailed
from cass_shim.translate.cass.ahead import AT_ONCE, Ahead
from cass_shim.translate.cass.models import Answer, Decoding
from cass_shim.translate.cass.prompt import Message
from cass_shim.translate.cass.sampling import Drawing


def test_ctrl_c_does_not_wait_for_a_slow_server() -> None:
    code = (
        "import signal, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell without job control lets it be ignored
        "from cass_shim.translate.cass.ahead import Ahead\n"
        "from cass_shim.translate.cass.models import Decoding\n"
        "class Model:\n"
        "    identity, window = 'm', 1\n"
        "    def generate(self, messages, decoding):\n"
        "        print('asked', flush=True); time.sleep(600)\n"
        "Ahead(Model()).ask_all(['a', 'b'], [Decoding()])\n"
        "time.sleep(600)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline().startswith("asked")
    began = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in err
    assert process.returncode != 0 and time.monotonic() - began < 30


def test_answers_are_asked_for_ahead_and_all_else_when_it_is_wanted() -> None:
    asked: list[tuple[str, float, float]] = []

    class Counting:
        identity, window, contract = "counting", 7, "fields-3"

        def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
            asked.append((messages[0].content, decoding.temperature, decoding.timeout_s))
            if messages[0].content == "bad":
                raise ToolFailed("torch", stderr="no memory")
            return [Answer(messages[0].content.upper())] * decoding.count

        def count_tokens(self, text: str) -> int:
            return len(text)

    how = Drawing(samples=3, temperature=0.5, repairs=0, seconds=2.0)
    ahead = Ahead(Counting())
    ahead.ask_all(["one", "two", "one", "bad"], (how.greedy, how.sampled))
    first = (Message("user", "one"),)
    assert ahead.generate(first, how.greedy) == ahead.generate(first, how.greedy) == [Answer("ONE")]
    assert len(ahead.generate(first, how.sampled)) == 3
    assert len(ahead.generate(first, Decoding(2, prefixes=((1,), (2,))))) == 2
    assert ahead.generate((Message("user", "three"),), how.greedy) == [Answer("THREE")]
    with pytest.raises(ToolFailed, match="no memory"):
        ahead.generate((Message("user", "bad"),), how.greedy)
    ahead.wait()
    ahead.close()
    assert (ahead.identity, ahead.window, ahead.contract, ahead.count_tokens("four")) == ("counting", 7, "fields-3", 4)
    late = 2.0 * AT_ONCE  # what is asked ahead waits behind others
    before = [(one, heat, late) for one in ("bad", "one", "two") for heat in (0.0, 0.5)]
    assert sorted(asked) == sorted([*before, ("one", 0.0, 600.0), ("three", 0.0, 2.0)])


class Echo:
    """A model that gives the question back, and waits where it is told to."""

    identity, window, contract = "echo", 7, "fields-3"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.may = threading.Event()
        self.may.set()

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        self.asked.append(messages[0].content)
        assert self.may.wait(30)
        return [Answer(messages[0].content, 3)] * decoding.count

    def count_tokens(self, text: str) -> int:
        return len(text)


def test_questions_that_come_one_by_one_are_all_answered() -> None:
    """A thread that has just found nothing to do is no reason to start none."""
    model = Echo()
    ahead = Ahead(model, 2)
    for number in range(300):
        ahead.ask(str(number), Decoding())
        if number % 7 == 0:
            assert ahead.generate((Message("user", str(number)),), Decoding())[0].text == str(number)
    for number in range(300):
        assert ahead.generate((Message("user", str(number)),), Decoding())[0].text == str(number)
    assert sorted(model.asked) == sorted(str(number) for number in range(300))
    assert sum(ahead.given) == 3 * 300  # an answer that is wanted twice is counted once


def test_what_nobody_has_begun_to_answer_can_be_forgotten() -> None:
    model = Echo()
    model.may.clear()
    ahead, greedy = Ahead(model, 1), Decoding()
    ahead.ask("first", greedy)
    while not model.asked:
        time.sleep(0.01)
    ahead.ask("second", greedy)
    assert ahead.known("first", greedy) is None
    ahead.forget()
    model.may.set()
    assert ahead.generate((Message("user", "first"),), greedy)[0].text == "first"
    ahead.wait()
    assert model.asked == ["first"]
    assert ahead.known("first", dataclasses.replace(greedy, timeout_s=1.0)) == [Answer("first", 3)]
    assert ahead.generate((Message("user", "second"),), greedy)[0].text == "second"
    assert model.asked == ["first", "second"]
