"""Seconds of `tools.programtorture`; and that it notices what is lost, torn, or translated twice."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cass_shim.cache.local import LocalTier
from tools.programtorture import POLICIES, Campaign


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return Campaign(tmp_path, random.Random(11), programs=10)


@pytest.mark.slow
def test_random_death_loses_nothing(campaign: Campaign) -> None:
    campaign.run(12)
    assert campaign.problems == []
    assert (campaign.killed > 10, campaign.finished >= 10) == (True, True), "the first round is a quiet one"


@pytest.mark.slow
def test_what_is_lost_or_torn_is_noticed(campaign: Campaign) -> None:
    campaign.round(quiet=True)
    base = campaign.environment(campaign.rounds)
    tier = LocalTier(Path(base["CASS_CACHE_DIR"]))
    assert campaign.problems == []
    blob = next(one.path for one in tier.files() if "blobs" in one.path.parts)
    blob.write_bytes(blob.read_bytes()[:-1])  # its other name, which C opens, is the same file
    campaign._check(base, [POLICIES[0]], tier, quiet=False)
    found = " ".join(campaign.problems)
    assert "reported and not in the cache" in found
    assert "is torn" in found
