"""Answers asked for ahead: which, of whom, and that they do not hold up the end of the process."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from cass_shim.cli.eval import eval_command, evaluate
from cass_shim.compat.evaluate import Measured, Options, asked_ahead
from cass_shim.compat.problems import Problem
from cass_shim.model.config import Config
from cass_shim.model.errors import ToolFailed, Unsupported
from cass_shim.translate.cass import models
from cass_shim.translate.cass.ahead import AT_ONCE, Ahead
from cass_shim.translate.cass.models import Answer, Decoding
from cass_shim.translate.cass.prompt import Message
from cass_shim.translate.cass.sampling import Drawing
from tests.compat.test_evaluate import problem, unit


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


class Talker:
    """A model that says who it is, and remembers how often it was asked."""

    contract = "fields-3"

    def __init__(self, name: str, window: int = 0) -> None:
        self.identity, self.window, self.asked = name, window, 0

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        self.asked += 1
        return [Answer(self.identity)]

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def of_sm(one: Problem, sm: int) -> Problem:
    return dataclasses.replace(one, module=dataclasses.replace(one.module, sm=sm))


def test_problems_are_asked_ahead_of_the_model_for_their_sm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talkers = {80: Talker("of 80"), 89: Talker("of 89"), 90: Talker("reads little", 1)}
    monkeypatch.setattr(models, "choose", lambda setting, sm: talkers[sm])
    problems = [of_sm(problem(tmp_path), sm) for sm in (80, 89, 90, 89)]
    with asked_ahead(problems, Config.read({}), Options()) as found:
        assert {sm: one.identity for sm, one in found.items()} == {sm: one.identity for sm, one in talkers.items()}
    found[80].wait()
    found[89].wait()
    assert {sm: one.asked for sm, one in talkers.items()} == {80: 2, 89: 2, 90: 0}


def test_nothing_is_asked_ahead_without_problems_or_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_there(setting: str, sm: int) -> Talker:
        raise Unsupported("translator cass", why="no model is configured")

    monkeypatch.setattr(models, "choose", none_there)
    with asked_ahead((), Config.read({}), Options()) as found:
        assert found == {}
    out = tmp_path / "out.json"
    done = CliRunner().invoke(eval_command, [str(unit(tmp_path)), "--translators", "cass,lift", "--json", str(out)])
    assert done.exit_code == 0, done.output
    kernels = {one["translator"]: one for one in json.loads(out.read_text())["kernels"]}
    assert "no model is configured" in kernels["cass"]["unsupported"] and kernels["lift"]["verified"]


@pytest.mark.parametrize("trouble", [KeyboardInterrupt, ValueError, None])
def test_an_interrupted_measurement_says_so_and_asks_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: type[BaseException] | None
) -> None:
    """The second of two problems ends it; what was asked ahead and nobody waits for is forgotten on every way out."""
    closed: list[Ahead] = []
    two = [problem(tmp_path)] * 2
    answers = [Measured("one", "g", "cass"), trouble or Measured("two", "g", "cass")]

    def measured(*_: object) -> Measured:
        answer = answers.pop(0)
        if isinstance(answer, Measured):
            return answer
        raise answer

    real = Ahead.close
    monkeypatch.setattr(Ahead, "close", lambda ahead: (closed.append(ahead), real(ahead)))
    monkeypatch.setattr(models, "choose", lambda setting, sm: Talker("it"))
    monkeypatch.setattr("cass_shim.cli.eval.read_problems", lambda path, limit: (two, []))
    monkeypatch.setattr("cass_shim.compat.crew.measure", measured)
    out = tmp_path / "out" / "eval.json"
    out.parent.mkdir()
    with pytest.raises(trouble) if trouble else contextlib.nullcontext():
        evaluate([tmp_path], ["cass"], Options(), 0, out, False)
    document = json.loads(out.read_text())
    assert (document["finished"], len(document["kernels"])) == ((False, 1) if trouble else (True, 2))
    assert len(closed) == 1 and [one.name for one in out.parent.iterdir()] == ["eval.json"]
    assert not closed[0]._asked
