"""Contents of memory are distributed as their classes say, however they are made."""

from __future__ import annotations

import numpy as np
import pytest

from cass_shim.verify.values import EDGES, MIXTURE, fill

SIZE = 1 << 17
FORMATS = {"f32": np.float32, "f64": np.float64, "f16": np.float16}


@pytest.mark.parametrize("kind", FORMATS)
def test_floats_are_as_normal_numbers_times_powers_of_two(kind: str) -> None:
    random = np.random.default_rng(1)
    held = fill(kind, SIZE, "random", 92, random).view(FORMATS[kind]).astype(np.float64)
    wanted = random.normal(size=1 << 17) * np.exp2(random.integers(-4, 5, 1 << 17))
    at = [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99]
    assert np.quantile(np.abs(held), at) == pytest.approx(np.quantile(np.abs(wanted), at), rel=0.25)
    assert np.isfinite(held).all() and (held < 0).mean() == pytest.approx(0.5, abs=0.02)


def test_bf16_is_the_high_half_of_f32() -> None:
    words = fill("bf16", SIZE, "random", 92, np.random.default_rng(2)).view(np.uint16)
    held = np.abs((words.astype(np.uint32) << np.uint32(16)).view(np.float32))
    assert 0.4 < np.median(held) < 0.7 and held.max() < 256


@pytest.mark.parametrize("kind, dtype", [("i8", np.uint8), ("i16", np.uint16), ("i32", np.uint32)])
@pytest.mark.parametrize("typical", [1, 92, 200])
def test_indices_are_all_below_the_typical_number(kind: str, dtype: type, typical: int) -> None:
    held = fill(kind, SIZE, "small", typical, np.random.default_rng(3)).view(dtype)
    counts = np.bincount(held)
    assert len(counts) == max(typical, 2) and counts.min() > 0.6 * counts.mean()


def test_mixed_words_hold_each_kind_as_often_as_the_mixture_says() -> None:
    words = fill("i32", SIZE, "mixed", 92, np.random.default_rng(4)).view(np.uint32)
    small, ones, negative, edges = (part / 256 for part in MIXTURE)
    assert (words < 16).mean() == pytest.approx(small + edges / 4, abs=0.02)
    assert ((words >= 0x3F80_0000) & (words < 0x4080_0000)).mean() == pytest.approx(ones, abs=0.02)
    assert (words >= 0xFFFF_FFF8).mean() == pytest.approx(negative + edges / 4, abs=0.02)
    for edge in EDGES.tolist():
        assert (words == edge).mean() > 0.9 * edges / 4


def test_special_floats_are_a_few_among_the_others() -> None:
    numbers = fill("f32", SIZE, "special", 92, np.random.default_rng(5)).view(np.float32)
    assert 0.001 < np.isnan(numbers).mean() < 0.006 and 0.002 < np.isinf(numbers).mean() < 0.01
    infinite = fill("f64", SIZE, "infinite", 92, np.random.default_rng(6)).view(np.float64)
    assert 0.05 < (infinite == np.inf).mean() < 0.07 and (infinite > 0).all()
    negative = fill("f16", SIZE, "negative", 92, np.random.default_rng(7)).view(np.float16)
    assert (negative <= 0).all()
