"""Problems asked ahead by a measurement: which, of whom, and that an interrupted one asks no more."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from cass_shim.cli.eval import eval_command, evaluate
from cass_shim.compat.evaluate import Measured, Options, asked_ahead
from cass_shim.compat.problems import Problem
from cass_shim.model.config import Config
from cass_shim.model.errors import Unsupported
from cass_shim.translate.cass import models
from cass_shim.translate.cass.ahead import Ahead
from cass_shim.translate.cass.models import Answer, Decoding
from cass_shim.translate.cass.prompt import Message
from tests.compat.test_evaluate import problem, unit


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
