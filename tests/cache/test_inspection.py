"""`cass cache verify`: each kind of damage is found, named and removed, and nothing else is."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cass_shim.cache.files import sharded
from cass_shim.cache.inspection import inspect_tier
from cass_shim.cache.local import LocalTier
from cass_shim.cache.trust import TrustSet
from tests.cache.test_local import CONFIG, KEY, make_entry
from tests.cache.test_tiers import OTHER, SIGNER, TRUST


@pytest.fixture
def tier(tmp_path: Path) -> LocalTier:
    """One candidate of our own and a signed one, both admitted."""
    one = LocalTier(tmp_path / "cache")
    for key, signs in ((KEY, False), (OTHER, True)):
        entry = make_entry(key)
        entry = replace(entry, record=SIGNER.sign(entry.record)) if signs else entry
        one.put(key, entry)
        one.admit(entry.record, entry.content, CONFIG)
    return one


def only(tier: LocalTier, pattern: str) -> Path:
    (path,) = tier.versioned.glob(pattern)
    return path


def flip(path: Path) -> None:
    """A changed byte in a file of its own (admitted entries share theirs with blobs)."""
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.unlink()
    path.write_bytes(content)


def test_a_sound_cache_is_left_alone(tier: LocalTier) -> None:
    before = sorted(one.path for one in tier.files())
    result = inspect_tier(tier, TRUST)
    assert (result.sound, result.findings) == (2, ())
    assert sorted(one.path for one in tier.files()) == before


DAMAGE: dict[str, tuple[str, Callable[[Path], None], str]] = {
    "record": (f"records/*/{KEY.hex()}/*.json", flip, "does not match its name"),
    "blob": (f"blobs/*/{make_entry().record.entry}", flip, "blob does not match its name"),
    "gone blob": (f"blobs/*/{make_entry().record.entry}", Path.unlink, "its blob is gone"),
    "admitted entry": (f"*/code/*/{KEY.hex()}.ccode", flip, "SHA-256|digest|does not match"),
    "foreign file": (f"records/*/{KEY.hex()}/*.json", lambda path: path.chmod(0o666), "only you can write"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_named_and_removed(tier: LocalTier, damage: str) -> None:
    pattern, harm, reason = DAMAGE[damage]
    path = only(tier, pattern)
    harm(path)
    result = inspect_tier(tier, TRUST)
    assert any(word in one.reason for one in result.findings for word in reason.split("|")), result.findings
    assert not path.exists()
    assert result.sound == (2 if damage == "admitted entry" else 1)
    assert inspect_tier(tier, TRUST).findings == ()


@pytest.mark.parametrize(
    ("trust", "reason"),
    [(TrustSet({}), "not trusted"), (TrustSet(TRUST.keys, frozenset({"ci-1"})), "revoked")],
)
def test_what_nobody_trusts_any_more_goes_with_what_c_would_use(tier: LocalTier, trust: TrustSet, reason: str) -> None:
    result = inspect_tier(tier, trust)
    assert result.sound == 1
    assert reason in result.findings[0].reason
    assert "no sound record" in result.findings[1].reason
    assert tier.admitted(OTHER, CONFIG) is None
    assert tier.admitted(KEY, CONFIG) is not None


def test_an_entry_under_another_kernel_is_removed(tier: LocalTier) -> None:
    path = only(tier, f"*/code/*/{KEY.hex()}.ccode")
    other = only(tier, f"*/code/*/{OTHER.hex()}.ccode")
    path.unlink()
    path.write_bytes(other.read_bytes())
    (finding,) = inspect_tier(tier, TRUST).findings
    assert (finding.path, finding.reason) == (path, "the entry is of another kernel")


def test_what_a_dead_writer_left_is_removed_and_a_living_one_keeps_its_file(tier: LocalTier) -> None:
    old, young = (sharded(tier.versioned / "blobs", f".{name}.tmp") for name in ("old", "young"))
    for path in (old, young):
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.touch(mode=0o600)
    os.utime(old, (1, 1))
    (finding,) = inspect_tier(tier, TRUST).findings
    assert finding.path == old
    assert young.exists()
