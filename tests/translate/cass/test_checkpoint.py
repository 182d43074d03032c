"""The checkpoint that ships: its size, its parts, and that it answers."""

from __future__ import annotations

import pytest

from cass_shim.translate.cass.contracts import CONTRACTS
from cass_shim.translate.cass.models import CONTRACT_FILE, SHIPPED, Decoding, Message
from cass_shim.translate.cass.shipped import ShippedModel
from tests.translate.cass.test_fields import kernel

pytestmark = pytest.mark.skipif(not (SHIPPED / CONTRACT_FILE).is_file(), reason="this package ships no checkpoint")


def test_it_is_small_enough_for_a_package() -> None:
    sizes = {file.name: file.stat().st_size for file in SHIPPED.iterdir()}
    assert max(sizes.values()) <= 15_000_000
    assert sum(sizes.values()) <= 24_000_000


def test_its_contract_is_known_and_its_weights_load() -> None:
    torch = pytest.importorskip("torch", reason="no torch")
    model = ShippedModel(SHIPPED)
    assert model.contract in CONTRACTS
    torch.manual_seed(1)
    prompt = CONTRACTS[model.contract].prompt(kernel()[0], "")
    (answer,) = model.generate((Message("user", prompt),), Decoding(max_tokens=400))
    assert answer.finished
    assert answer.text.endswith("s_endpgm")


def test_an_answer_may_be_as_long_as_its_prompt_makes_it() -> None:
    """What never ends costs as much as ten answers that do."""
    model = ShippedModel(SHIPPED)
    assert model.room(200, 8192) == 800
    assert model.room(1300, 8192) == model.window - 1300
    assert model.room(900, 8192) == 2200
    assert model.room(900, 50) == 50
    assert model.room(model.window, 8192) == 0
