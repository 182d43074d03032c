"""Signed failures: believed for a while, never taken for a translation, and never a translation's place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cass_shim.cache.directory import DirectoryStore
from cass_shim.cache.refusal import CLOCK_ERROR_S, SHARED_LIFETIME_S, reason_of, refusal
from cass_shim.cache.remote import RemoteTier
from cass_shim.cache.storage import sound_entry
from cass_shim.cache.tiers import Signed
from cass_shim.model.artifacts import Evidence
from cass_shim.model.errors import Malformed
from tests.cache.test_local import KEY, make_entry
from tests.cache.test_tiers import OTHER, SIGNER, TRUST


def test_a_reason_comes_back_signed(tmp_path: Path) -> None:
    tier = Signed(RemoteTier(DirectoryStore(tmp_path)), TRUST, SIGNER)
    tier.put(KEY, refusal(KEY, "kernel", "unsupported FSWZADD"))
    (found,) = tier.get(KEY)
    assert reason_of(found) == "unsupported FSWZADD"
    assert found.record.signature.startswith("ci-1:")
    assert tier.get(OTHER) == ()


@pytest.mark.parametrize(
    ("age", "counts"),
    [(0, True), (SHARED_LIFETIME_S - 1, True), (SHARED_LIFETIME_S + 1, False), (-CLOCK_ERROR_S - 1, False)],
)
def test_a_reason_counts_for_its_lifetime(age: float, counts: bool) -> None:
    entry = refusal(KEY, "kernel", "reason")
    assert bool(reason_of(entry, entry.record.created + age)) is counts


def test_a_translation_is_no_reason() -> None:
    assert reason_of(make_entry()) == ""


def test_a_refusal_that_claims_evidence_is_none() -> None:
    """Else a record of the route `refused` could stand before sound candidates."""
    entry = refusal(KEY, "kernel", "reason")
    record = replace(entry.record, evidence=Evidence.E4.label)
    with pytest.raises(Malformed):
        sound_entry(KEY, record.canonical(), lambda _: entry.content)


def test_a_long_reason_is_cut() -> None:
    assert len(refusal(KEY, "kernel", "x" * 100_000).content) < 5000
