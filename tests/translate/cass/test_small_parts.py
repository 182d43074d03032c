"""Small parts of kernels whose answers are wrong as a whole, with a model that is wrong where a test says so."""

from __future__ import annotations

import threading
import time

import pytest

from cass_shim.model.config import Config
from cass_shim.model.errors import Rejected
from cass_shim.pipeline import region
from cass_shim.translate.cass import translate_kernel
from cass_shim.translate.cass.models import Answer, Decoding
from cass_shim.translate.cass.prompt import Message
from cass_shim.translate.cass.search import Budget
from cass_shim.translate.cass.splitting import SMALL, InParts
from tests.translate.cass.fielded import Fielded
from tests.translate.cass.test_fields import kernel
from tests.translate.cass.test_parts import LOOPS, check


def test_a_kernel_whose_answers_are_wrong_is_tried_in_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Fielded(kernel(LOOPS)[0])
    monkeypatch.setattr("cass_shim.translate.cass.choose", lambda setting, sm: model)
    source = translate_kernel("", kernel(LOOPS)[0], Config.read({}), check(LOOPS), region)
    assert f"; cass decoding: in {len(model.parts)} parts\n" in source.text
    with pytest.raises(Rejected):  # who has no check cannot tell that the whole is wrong, and gets it
        check(LOOPS).verify(
            check(LOOPS).assemble(translate_kernel("", kernel(LOOPS)[0], Config.read({}), None, region))
        )


def test_a_kernel_that_fits_is_not_served_with_parts_of_the_lifter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own translation is better than a mixture; what was tried is said, the whole's answer first."""
    monkeypatch.setattr("cass_shim.translate.cass.choose", lambda setting, sm: Fielded(kernel(LOOPS)[0], wrong=(2,)))
    with pytest.raises(Rejected, match=r"greedy: .*parts together: .*part 2 greedy: "):
        translate_kernel("", kernel(LOOPS)[0], Config.read({}), check(LOOPS), region)


@pytest.mark.parametrize("tokens", [20, 2048])
def test_an_answer_that_never_ends_is_not_one_beyond_the_window(tokens: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the window has room for more, the kernel fits: all of the parts have to be the model's."""
    model = Fielded(kernel(LOOPS)[0], wrong=(2,))
    answer = model.generate

    def endless(messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        if messages[0].content in model.known:
            return answer(messages, decoding)
        return [Answer("s_endpgm", tokens, finished=False)]

    model.generate = endless  # type: ignore[method-assign]
    monkeypatch.setattr("cass_shim.translate.cass.choose", lambda setting, sm: model)
    monkeypatch.setattr("cass_shim.translate.cass.splitting.FINER", 0)
    if tokens < model.window:
        with pytest.raises(Rejected, match=r"greedy: .*the answer does not end"):
            translate_kernel("", kernel(LOOPS)[0], Config.read({}), check(LOOPS), region)
    else:
        source = translate_kernel("", kernel(LOOPS)[0], Config.read({}), check(LOOPS), region)
        assert f"in {len(model.parts)} parts, by the lifter: 2\n" in source.text


def test_a_part_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alone and among others: the greedy answer is the same."""
    asked: list[str] = []
    model = Fielded(kernel(LOOPS)[0], wrong=(1,))
    answer = model.generate

    def counted(messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        asked.append(messages[0].content)
        return answer(messages, decoding)

    model.generate = counted  # type: ignore[method-assign]
    monkeypatch.setattr("cass_shim.translate.cass.splitting.FINER", 0)
    search = InParts(kernel(LOOPS)[0], "", model, check(LOOPS), Budget(samples=0), region, SMALL, is_own=True)
    search.run()
    assert len(asked) == len(set(asked)) == len(search.parts)
    assert search.tokens == 10 * len(search.parts)  # ten each, however often an answer is judged


def test_who_wants_no_parts_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a program only faster code is looked for."""
    monkeypatch.setattr("cass_shim.translate.cass.choose", lambda setting, sm: Fielded(kernel(LOOPS)[0]))
    with pytest.raises(Rejected) as caught:
        translate_kernel("", kernel(LOOPS)[0], Config.read({}), check(LOOPS), region, cuts=False)
    assert "greedy: " in str(caught.value) and "part" not in str(caught.value)


def test_parts_end_with_their_time() -> None:
    """The first answers take all of it: nothing is lifted, nothing is asked again."""
    sass = kernel(LOOPS)[0]
    model = Fielded(sass, wrong=(1, 2))
    asked: list[float] = []
    answer = model.generate

    def slow(messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        asked.append(decoding.timeout_s)
        time.sleep(0.3)
        return answer(messages, decoding)

    model.generate = slow  # type: ignore[method-assign]
    search = InParts(sass, "", model, check(LOOPS), Budget(0.25), region, SMALL, is_own=True)
    assert search.run().source is None
    assert len(asked) == len(search.parts)
    assert not any("lifter" in one.kind for one in search.outcome.attempts)


def test_a_part_without_a_right_answer_is_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Fielded(kernel(LOOPS)[0], wrong=(1,))
    splitter, wrong = model.search.splitter, model.parts[0]
    finer = splitter.split(lambda sass: len(sass.instructions) <= SMALL, {splitter.middle(wrong)})
    assert len(finer) > len(model.parts) and finer[0].end < wrong.end
    model.learn(finer)
    monkeypatch.setattr("cass_shim.translate.cass.choose", lambda setting, sm: model)
    source = translate_kernel("", kernel(LOOPS)[0], Config.read({}), check(LOOPS), region)
    assert f"; cass decoding: in {len(finer)} parts\n" in source.text
    check(LOOPS).verify(check(LOOPS).assemble(source))


def test_what_follows_a_wrong_answer_is_asked_for_together() -> None:
    """Second looks and samples of all wrong parts are under way at once, and each is asked for once."""
    model = Fielded(kernel(LOOPS)[0], wrong=(1, 2))
    together, asked = threading.Barrier(2, timeout=60), list[Decoding]()
    answer = model.generate

    def counted(messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        if decoding.temperature:
            asked.append(decoding)
            together.wait()  # neither goes on before the other is asked for too
        return answer(messages, decoding)

    model.generate = counted  # type: ignore[method-assign]
    search = InParts(kernel(LOOPS)[0], "", model, check(LOOPS), Budget(), region, SMALL, is_own=False)
    assert search.run().source is not None
    assert len(asked) == 2
    assert search.outcome.provenance["decoding"] == f"in {len(search.parts)} parts, by the lifter: 1 2"


def test_most_first_answers_wrong_is_hopeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing more is asked for then."""
    model = Fielded(kernel(LOOPS)[0], wrong=tuple(range(1, 40)), largest=14)
    monkeypatch.setattr("cass_shim.translate.cass.splitting.FEW", 1)
    asked: list[Decoding] = []
    answer = model.generate

    def counted(messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        asked.append(decoding)
        return answer(messages, decoding)

    model.generate = counted  # type: ignore[method-assign]
    search = InParts(kernel(LOOPS)[0], "", model, check(LOOPS), Budget(), region, 14, is_own=True)
    assert len(search.parts) >= 6  # more than twice a third of them are wrong
    assert search.run().source is None
    assert not any(one.temperature for one in asked)
