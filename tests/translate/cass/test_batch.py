"""The network of the shipped model in plain torch, answers in batches, and threads that share one."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cass_shim.model.config import Config
from cass_shim.model.errors import Rejected, ToolFailed, Unsupported
from cass_shim.translate.cass import translate_kernel
from cass_shim.translate.cass.fields import source_lines
from cass_shim.translate.cass.models import Decoding, Message
from cass_shim.translate.cass.shipped import ShippedModel
from tests.translate.cass.test_fields import check, joined, kernel, vocabulary

torch = pytest.importorskip("torch", reason="no torch")
transformers = pytest.importorskip("transformers", reason="no transformers")

from cass_shim.translate.cass import decoder  # noqa: E402
from cass_shim.translate.cass.batch import Batch, Wish  # noqa: E402
from cass_shim.translate.cass.decoder import Network  # noqa: E402


def finish(batch: Any, wishes: list[Any]) -> list[Any]:
    """All of them, answered."""
    batch.add(wishes)
    while batch.rows:
        batch.step()
    return wishes


def test_the_network_is_the_one_that_transformers_knows(tiny: tuple[Path, Any]) -> None:
    folder, known = tiny
    own = Network(folder, "cpu", torch.float32)
    prompt = vocabulary().prompt(joined(source_lines(kernel()[0])))
    with torch.inference_mode():
        wanted = known(torch.tensor([prompt])).logits[0]
        assert torch.allclose(own.start(prompt)[0], wanted[-1], atol=1e-4)
        own.start(prompt[:5])
        for at in range(5, 20):
            assert torch.allclose(own.step(torch.tensor([[prompt[at]]]), at)[0], wanted[at], atol=1e-4)
        greedy = known.generate(torch.tensor([prompt]), max_new_tokens=12, do_sample=False, eos_token_id=3)
        batch = Batch(own, vocabulary())
        (wish,) = finish(batch, [Wish(prompt, 12, time.monotonic() + 60)])
    assert wish.made == greedy[0, len(prompt) :].tolist()


def test_samples_end_on_their_own(tiny: tuple[Path, Any]) -> None:
    """With eight words, all as likely, rows leave the batch at different places and the others go on."""
    own = Network(tiny[0], "cpu", torch.float32)
    own.head = torch.zeros(8, 32)
    with torch.inference_mode():
        wishes = [Wish([1, 5, 2], 30, time.monotonic() + 60, 1.0) for _ in range(40)]
        made = [one.made for one in finish(Batch(own, vocabulary()), wishes)]
    assert len({len(ids) for ids in made}) > 3
    assert all(3 not in ids[:-1] and (ids[-1] == 3 or len(ids) == 30) for ids in made)


def test_samples_follow_the_probabilities_of_what_is_possible(tiny: tuple[Path, Any]) -> None:
    """Four of eight tokens are possible; of the others one is by far the likeliest, which greedy rows beside take."""
    own, words = Network(tiny[0], "cpu", torch.float32), vocabulary()
    allowed = frozenset(words.tokens[one] for one in (4, 5, 6, 7))
    chance = torch.Generator().manual_seed(3)
    late = time.monotonic() + 60

    class Same:
        def __init__(self) -> None:
            self.allowed = allowed

        def take(self, _: str) -> None:
            pass

    def wish(temperature: float, mask: Any) -> Wish:
        return Wish([1, 5, 2], 1, late, temperature, mask=mask, chance=chance)

    batch = Batch(own, words)
    batch.rows = [wish(2.0, Same()) for _ in range(4000)] + [wish(0.0, None), wish(0.0, Same())]
    batch.logits = torch.tensor([[9.0, 0, 0, 0, 0, 2, 4, 1]]).expand(4002, 8)
    *drawn, free, bound = batch._choose()
    weights = torch.tensor([0.0, 2, 4, 1]).div(2).softmax(0)
    for token, weight in zip((4, 5, 6, 7), weights.tolist(), strict=True):
        assert abs(drawn.count(token) / 4000 - weight) < 5 * (weight * (1 - weight) / 4000) ** 0.5
    assert (free, bound) == (0, 6)
    assert all(not one.doubts for one in batch.rows[:4000])
    assert batch.rows[-1].masked == 1


def test_rows_that_stay_remember_their_own_past(tiny: tuple[Path, Any]) -> None:
    own = Network(tiny[0], "cpu", torch.float32)
    with torch.inference_mode():
        wanted = own.start([1, 5, 2, 30, 40])
        own.start([1, 5, 2])
        own.keep(torch.tensor([0, 0, 0]))
        own.step(torch.tensor([[10], [20], [30]]), 3)
        own.keep(torch.tensor([2]))
        assert torch.allclose(own.step(torch.tensor([[40]]), 4), wanted, atol=1e-5)


def test_answers_of_a_batch_are_those_of_each_alone(tiny: tuple[Path, Any]) -> None:
    """Prompts of different lengths that join at different times, and beginnings that are given."""
    own, words, late = Network(tiny[0], "cpu", torch.float32), vocabulary(), time.monotonic() + 60
    asked: list[tuple[list[int], list[int]]] = [([1, 5, 2], []), ([1, 7, 8, 9, 30, 2], []), ([1, 5, 2], [40, 41, 42])]
    with torch.inference_mode():
        alone = [finish(Batch(own, words), [Wish(prompt, 20, late, prefix=start)])[0] for prompt, start in asked]
        batch, wishes = Batch(own, words), [Wish(prompt, 20, late, prefix=start) for prompt, start in asked]
        for one in wishes:
            batch.add([one])
            batch.step()
            batch.step()
        while batch.rows:
            batch.step()
    assert [one.made for one in wishes] == [one.made for one in alone]
    assert wishes[2].made[:3] == [40, 41, 42]
    assert wishes[0].doubts
    assert all(one.at >= 3 for one in wishes[2].doubts)  # what is given is not doubted


def test_threads_share_a_batch_and_a_failure_is_everybodys(tiny: tuple[Path, Any]) -> None:
    model = ShippedModel(tiny[0], is_masked=False)
    message = (Message("user", joined(source_lines(kernel()[0]))),)
    (alone,) = model.generate(message, Decoding(max_tokens=30))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: model.generate(message, Decoding(max_tokens=30)), range(8)))
        assert [one[0].ids for one in found] == [alone.ids] * 8
        assert model._loaded is not None
        model._loaded[1].network.layers.clear()  # nothing can be computed any more
        model._loaded[1].network.head = "broken"
        for failed in [pool.submit(model.generate, message, Decoding(max_tokens=30)) for _ in range(8)]:
            with pytest.raises(ToolFailed):
                failed.result(timeout=60)


def test_a_request_joins_answers_that_are_under_way(tiny: tuple[Path, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The first answer stands still until the second request is heard of, and both go on together."""
    model = ShippedModel(tiny[0], is_masked=False)
    message = (Message("user", joined(source_lines(kernel()[0]))),)
    model.generate(message, Decoding(max_tokens=2))
    step, begun = Batch.step, threading.Event()
    together: list[int] = []

    def slow(batch: Any) -> None:
        begun.set()
        until = time.monotonic() + 10
        while not together and not model._waiting and time.monotonic() < until:
            time.sleep(0.01)
        together.append(len(batch.rows))
        step(batch)

    monkeypatch.setattr(Batch, "step", slow)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(model.generate, message, Decoding(max_tokens=6))
        assert begun.wait(10)
        second = pool.submit(model.generate, message, Decoding(max_tokens=6))
        assert first.result(60)[0].ids == second.result(60)[0].ids
    assert together[:2] == [1, 2]


def test_who_has_an_answer_does_not_wait_for_the_longer_one_of_whoever_works(
    tiny: tuple[Path, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ShippedModel(tiny[0], is_masked=False)
    message = (Message("user", joined(source_lines(kernel()[0]))),)
    model.generate(message, Decoding(max_tokens=2))
    step, release, steps = Batch.step, threading.Event(), 0

    def slow(batch: Any) -> None:
        nonlocal steps
        steps += 1
        if steps > 6:  # the short one has its tokens by then, the long one has not
            assert release.wait(30)
        while steps == 1 and not model._waiting and len(batch.rows) < 2:  # the short one is there, or here already
            time.sleep(0.01)
        step(batch)

    monkeypatch.setattr(Batch, "step", slow)
    with ThreadPoolExecutor(2) as pool:
        long = pool.submit(model.generate, message, Decoding(max_tokens=12))
        while not model._busy:
            time.sleep(0.01)
        short = pool.submit(model.generate, message, Decoding(max_tokens=3))
        try:
            assert short.result(20)[0].tokens <= 3
            assert not long.done()
        finally:
            release.set()
        assert long.result(20)[0].tokens <= 12


def test_samples_are_repeatable_by_their_seed(tiny: tuple[Path, Any]) -> None:
    model = ShippedModel(tiny[0])
    message = (Message("user", joined(source_lines(kernel()[0]))),)
    first, second, third = (
        model.generate(message, Decoding(count=2, temperature=1.0, max_tokens=12, seed=seed)) for seed in (7, 7, 8)
    )
    assert first == second
    assert first != third


def test_answers_come_from_weights(tiny: tuple[Path, Any]) -> None:
    """A network with random weights answers within the limits; nobody believes the answers."""
    folder = tiny[0]
    model = ShippedModel(folder)
    message = (Message("user", joined(source_lines(kernel()[0]))),)
    greedy = model.generate(message, Decoding(max_tokens=8))
    assert greedy == model.generate(message, Decoding(max_tokens=8))
    assert 0 < greedy[0].tokens <= 8
    assert len(model.generate(message, Decoding(count=3, temperature=1.0, max_tokens=8))) == 3
    with pytest.raises(Rejected, match="no answer of the model was accepted"):
        translate_kernel("", kernel()[0], Config.read({"CASS_MODEL": str(folder), "CASS_KERNEL_TIMEOUT": "1"}), check)


@pytest.mark.parametrize("damage", ["cut", "empty", "noise"])
def test_damaged_weights_are_one_line(tiny: tuple[Path, Any], tmp_path: Path, damage: str) -> None:
    for file in tiny[0].iterdir():
        content = file.read_bytes()
        if file.suffix == ".safetensors":
            content = {"cut": content[: len(content) // 2], "empty": b"", "noise": b"\xff" * 200}[damage]
        (tmp_path / file.name).write_bytes(content)
    with pytest.raises(Unsupported, match="cannot be loaded") as raised:
        ShippedModel(tmp_path).generate((Message("user", "EXIT"),), Decoding())
    assert "\n" not in str(raised.value)


def test_attention_of_all_rows_is_that_of_each() -> None:
    """What a GPU computes in one product, and a processor row by row."""
    queries, keys, values = torch.randn(5, 2, 3, 64), torch.randn(5, 2, 40, 64), torch.randn(5, 2, 40, 64)
    ends = [40, 1, 17, 33, 40]
    seen = (torch.arange(40)[None] < torch.tensor(ends)[:, None])[:, None, None]
    each = decoder._each(queries, keys, values, ends)
    assert torch.allclose(decoder._masked(queries, keys, values, seen), each, atol=1e-5)
    assert torch.allclose(decoder._masked(queries, keys, values, None)[0], each[0], atol=1e-5)
