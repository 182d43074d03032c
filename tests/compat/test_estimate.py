"""The estimators of `cass eval` against counting and published values."""

from __future__ import annotations

import itertools

import pytest

from cass_shim.compat.estimate import mean_pass_at, pass_at, wilson


@pytest.mark.parametrize(
    ("samples", "right", "k"), [(5, 2, 1), (5, 2, 3), (6, 1, 5), (8, 0, 4), (4, 4, 2), (10, 3, 10)]
)
def test_pass_at_k_is_the_share_of_choices_with_a_right_one(samples: int, right: int, k: int) -> None:
    """Against counting: every way to choose k of the samples."""
    choices = list(itertools.combinations(range(samples), k))
    share = sum(any(one < right for one in chosen) for chosen in choices) / len(choices)
    assert pass_at(k, samples, right) == pytest.approx(share)


def test_pass_at_k_needs_k_samples_of_every_problem() -> None:
    assert mean_pass_at(1, [(10, 5), (10, 0)]) == pytest.approx(0.25)
    assert mean_pass_at(5, [(4, 4), (10, 10)]) is None
    assert mean_pass_at(1, []) is None


@pytest.mark.parametrize(
    ("right", "trials", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662)],
)
def test_wilsons_interval(right: int, trials: int, low: float, high: float) -> None:
    """The last line is Newcombe 1998, Statistics in Medicine 17:857, table I; the others follow from the formula."""
    assert wilson(right / trials, trials) == pytest.approx((low, high), abs=1e-4)
    assert wilson(0.5, 0) == (0.0, 1.0)
