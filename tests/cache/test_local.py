"""The local tier: what was reported stored is read back, damage and foreign directories are not."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from cass_shim.cache.audit import read_audit
from cass_shim.cache.local import LocalTier
from cass_shim.cache.record import Record
from cass_shim.cache.storage import Entry, Storage
from cass_shim.model.artifacts import CodeObject, Evidence
from cass_shim.model.config import Config
from cass_shim.model.entry import CodeEntry, pack_entry
from cass_shim.model.kernel_abi import AbiClass, Slot, SlotKind

KEY = hashlib.sha256(b"key").digest()
CONFIG = Config.read({})


def make_entry(key: bytes = KEY, route: str = "lift", evidence: Evidence = Evidence.E1, size: int = 100) -> Entry:
    slots = (Slot(SlotKind.SYMBOL, "counter", 4), Slot(SlotKind.BANK, "", 3))
    code = CodeObject(b"\x7fELF" + route.encode() + bytes(size), "kernel", AbiClass.CASS1, slots, 32, kernarg_bytes=96)
    content = pack_entry(CodeEntry(key, code, evidence, route))
    digest = hashlib.sha256(content).hexdigest()
    return Entry(Record(key=key.hex(), entry=digest, route=route, evidence=evidence.label, created=7), content)


@pytest.fixture
def tier(tmp_path: Path) -> LocalTier:
    return LocalTier(tmp_path / "cache")


def test_what_is_stored_is_read_back(tier: LocalTier) -> None:
    storage: Storage = tier
    entry = make_entry()
    storage.put(KEY, entry)
    assert storage.get(KEY) == (entry,)
    assert storage.get(hashlib.sha256(b"other").digest()) == ()


def test_the_best_evidence_comes_first(tier: LocalTier) -> None:
    weak, strong = make_entry(evidence=Evidence.E0), make_entry(route="ptx-hip", evidence=Evidence.E2)
    tier.put(KEY, weak)
    tier.put(KEY, strong)
    assert tier.get(KEY) == (strong, weak)


@pytest.mark.parametrize("place", ["blobs", "records"])
def test_a_changed_byte_drops_the_candidate(tier: LocalTier, place: str) -> None:
    entry = make_entry()
    tier.put(KEY, entry)
    (path,) = [one.path for one in tier.files() if place in one.path.parts]
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    assert tier.get(KEY) == ()
    (event,) = read_audit(tier.root)
    assert (event["event"], str(event["path"]).endswith(".json")) == ("dropped", True), "counted, and reported by name"
    tier.put(KEY, entry)
    assert tier.get(KEY)[0] == entry


def test_a_record_that_still_reads_well_after_damage_is_dropped(tier: LocalTier) -> None:
    """An unsigned record's only seal is its name."""
    tier.put(KEY, make_entry())
    (path,) = [one.path for one in tier.files() if "records" in one.path.parts]
    path.write_bytes(path.read_bytes().replace(b'"created":7', b'"created":8'))
    assert tier.get(KEY) == ()


def test_a_record_of_another_key_is_refused(tier: LocalTier) -> None:
    other = hashlib.sha256(b"other").digest()
    entry = make_entry(other)
    tier.put(other, entry)
    source = tier.versioned / "records" / other.hex()[:2] / other.hex() / f"{entry.record.digest}.json"
    target = tier.versioned / "records" / KEY.hex()[:2] / KEY.hex() / source.name
    target.parent.mkdir(parents=True)
    target.write_bytes(source.read_bytes())
    assert tier.get(KEY) == ()


def test_a_record_that_claims_more_than_its_entry_is_refused(tier: LocalTier) -> None:
    entry = make_entry(evidence=Evidence.E0)
    tier.put(KEY, Entry(replace(entry.record, evidence="E4"), entry.content))
    assert tier.get(KEY) == ()


def test_admitted_entries_follow_the_policy_and_the_epoch(tier: LocalTier) -> None:
    entry = make_entry()
    tier.put(KEY, entry)
    tier.admit(entry.record, entry.content, CONFIG)
    assert tier.admitted(KEY, CONFIG) == entry.content
    assert tier.admitted(KEY, replace(CONFIG, translators="ptx-hip")) is None
    (tier.root / "revoked-keys").write_text("somebody-1\n")
    again = LocalTier(tier.root)
    assert again.base_epoch != tier.base_epoch
    assert again.admitted(KEY, CONFIG) is None
    assert again.get(KEY) == (entry,)


def test_a_link_as_cache_directory_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    tier = LocalTier(tmp_path / "link")
    use(tier)
    assert list((tmp_path / "real").iterdir()) == []


def test_a_directory_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    use(LocalTier(shared))
    assert list(shared.iterdir()) == []


def use(tier: LocalTier) -> None:
    """Everything one can do with a tier."""
    entry = make_entry()
    tier.put(KEY, entry)
    tier.admit(entry.record, entry.content, CONFIG)
    tier.put_manifest(KEY, b"manifest", CONFIG)
    assert (tier.get(KEY), tier.admitted(KEY, CONFIG), tier.withdraw(KEY)) == ((), None, 0)
    assert (list(tier.files()), list(tier.records()), tier.collect()) == ([], [], (0, 0))


def test_a_directory_that_becomes_writable_is_left_alone(tier: LocalTier) -> None:
    entry = make_entry()
    tier.put(KEY, entry)
    before = sorted(one.path for one in tier.files())
    tier.root.chmod(0o777)
    use(tier)
    tier.root.chmod(0o700)
    assert sorted(one.path for one in tier.files()) == before
    assert tier.get(KEY) == (entry,)


def test_links_are_not_followed_on_reading(tier: LocalTier) -> None:
    entry = make_entry()
    tier.put(KEY, entry)
    (path,) = [one.path for one in tier.files() if "blobs" in one.path.parts]
    moved = tier.root / "elsewhere"
    path.rename(moved)
    path.symlink_to(moved)
    assert tier.get(KEY) == ()


def test_a_directory_in_a_files_place_is_a_miss(tier: LocalTier) -> None:
    entry = make_entry()
    tier.put(KEY, entry)
    (path,) = [one.path for one in tier.files() if "blobs" in one.path.parts]
    path.unlink()
    path.mkdir()
    assert tier.get(KEY) == ()


def test_a_full_disk_costs_the_store_only(tier: LocalTier, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    tier.put(KEY, make_entry())
    assert tier.get(KEY) == ()
    assert not [one for one in tier.files() if "tmp" in one.path.name]


def test_the_least_recently_used_go_first(tier: LocalTier) -> None:
    keys = [hashlib.sha256(bytes([n])).digest() for n in range(4)]
    for age, key in enumerate(keys):
        entry = make_entry(key, route=f"r{age}", size=10_000)
        tier.put(key, entry)
        tier.admit(entry.record, entry.content, CONFIG)
        for one in tier.files():
            if entry.record.entry in one.path.name or key.hex() in str(one.path):
                os.utime(one.path, (1_000_000 + age, 1_000_000 + age))
    removed, left = tier.collect(25_000)
    assert removed > 0
    assert left <= 25_000
    assert [bool(tier.get(key)) for key in keys] == [False, False, True, True]
    assert tier.admitted(keys[0], CONFIG) is None


def test_withdrawing_a_kernel_removes_its_candidates_and_copies(tier: LocalTier) -> None:
    entry = make_entry()
    tier.put(KEY, entry)
    tier.admit(entry.record, entry.content, CONFIG)
    assert tier.withdraw(KEY) == 2
    assert tier.get(KEY) == ()
    assert tier.admitted(KEY, CONFIG) is None


def test_an_entry_whose_record_could_not_be_written_is_not_admitted(tmp_path: Path) -> None:
    tier, entry = LocalTier(tmp_path), make_entry()
    tier.admit(entry.record, entry.content, CONFIG)
    assert tier.admitted(KEY, CONFIG) is None
    tier.put(KEY, entry)
    tier.admit(entry.record, entry.content, CONFIG)
    assert tier.admitted(KEY, CONFIG) == entry.content
