"""HMMA: how the H200 adds, and how far our sums are from its."""

from __future__ import annotations

from typing import Any

import pytest

from tests.isa.sass import tensor_sums
from tests.isa.sass import test_hardware_vectors as lanes
from tests.isa.sass.row_judge import document

EVERY = [*document()["probes"], *lanes.document()["probes"]]
PROBES = [probe for probe in EVERY if probe["text"].startswith("HMMA.")]


def finite(probe: dict[str, Any]) -> list[tensor_sums.Element]:
    return [element for element in tensor_sums.elements(probe) if not element.special]


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.get("name", "lanes " + probe["text"]))
def test_the_rule_gives_what_the_gpu_gave(probe: dict[str, Any]) -> None:
    _, kind, sums = tensor_sums.parsed(probe["text"])
    seen = finite(probe)
    wrong = [e for e in seen if tensor_sums.modelled(e, kind, sums) != e.bits and tensor_sums.total(e, kind)]
    assert seen and wrong == []


@pytest.mark.parametrize("extra", [1, 3])
def test_another_grid_does_not(extra: int) -> None:
    """The recorded rows tell two bits more than f32 from one and three."""
    wrong = 0
    for probe in PROBES:
        _, kind, sums = tensor_sums.parsed(probe["text"])
        wrong += sum(tensor_sums.modelled(e, kind, sums, extra) != e.bits for e in finite(probe))
    assert wrong > 5


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.get("name", "lanes " + probe["text"]))
def test_ours_are_as_near_as_another_order_may_be(probe: dict[str, Any]) -> None:
    """The interpreter rounds after each product; PTX leaves the order and the rounding open."""
    assert tensor_sums.apart(probe, tensor_sums.ours(probe)) == []
