"""Candidates one by one: how long samples may be, and when there are none."""

from __future__ import annotations

import pytest

from cass_shim.translate.cass.models import Answer, Decoding
from cass_shim.translate.cass.prompt import Message
from cass_shim.translate.cass.sampling import Drawing, draw
from tests.translate.cass.test_fields import kernel


class Told:
    """A model that says what it is told to, and remembers how it was asked."""

    identity, window, contract = "told", 0, "fields-3"

    def __init__(self, is_finished: bool) -> None:
        self.is_finished = is_finished
        self.asked: list[Decoding] = []

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        self.asked.append(decoding)
        return [Answer("s_endpgm", 100, self.is_finished)] * decoding.count


@pytest.mark.parametrize(("stretch", "most"), [(0.0, Decoding().max_tokens), (1.5, 150)])
def test_samples_may_be_a_stretch_longer_than_the_greedy_answer(stretch: float, most: int) -> None:
    model = Told(True)
    how = Drawing(samples=3, temperature=1.0, repairs=0, seconds=9.0, stretch=stretch)
    drawn = list(draw(kernel()[0], "", model, how, lambda: True))
    assert [one.kind for one in drawn] == ["greedy", "sample", "sample", "sample"]
    assert [(one.count, one.max_tokens) for one in model.asked] == [(1, Decoding().max_tokens), (3, most)]


@pytest.mark.parametrize(("stretch", "kinds"), [(0.0, 4), (1.5, 1)])
def test_an_endless_greedy_answer_has_no_samples_of_a_stretch(stretch: float, kinds: int) -> None:
    how = Drawing(samples=3, temperature=1.0, repairs=0, seconds=9.0, stretch=stretch)
    drawn = list(draw(kernel()[0], "", Told(False), how, lambda: True))
    assert len(drawn) == kinds and all("cut off" in one.reason for one in drawn)
