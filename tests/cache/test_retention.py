"""What goes from a team's directory or bucket, and what must stay."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cass_shim.cache import directory
from cass_shim.cache.directory import DirectoryStore
from cass_shim.cache.epoch import sources_digest
from cass_shim.cache.places import open_store
from cass_shim.cache.remote import RemoteTier
from cass_shim.cache.retention import GRACE_S, collect
from cass_shim.cache.storage import Entry
from tests.cache.servers import own_part, s3_server
from tests.cache.test_local import KEY, make_entry
from tests.cli.conftest import Shell, shell

__all__ = ["s3_server", "shell"]  # fixtures

LATER = time.time() + 2 * GRACE_S


@pytest.fixture(params=["directory", "s3_server"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    place = str(tmp_path / "share")
    if request.param != "directory":
        place = own_part(request.getfixturevalue(request.param), tmp_path)
    return open_store(place, 10)


def made(days_ago: float, sources: str, route: str = "lift") -> Entry:
    entry = make_entry(route=route)
    created = int(LATER - days_ago * 24 * 3600)
    return replace(entry, record=replace(entry.record, created=created, provenance={"sources": sources}))


def objects(store: Any) -> set[str]:
    return set(store.names("cas"))


def test_old_ones_of_other_builds_go_and_the_rest_stays(store: Any) -> None:
    tier = RemoteTier(store)
    old, ours, young = made(100, "other", "cass"), made(100, sources_digest()), made(10, "other", "ptx-hip")
    for entry in (old, ours, young):
        tier.put(KEY, entry)
    done = collect(store, 90, now=LATER)
    assert (done.kept, done.unlisted, done.objects) == (2, 1, 2)
    assert sorted(one.record.digest for one in tier.get(KEY)) == sorted(one.record.digest for one in (ours, young))
    assert objects(store) == {one for entry in (ours, young) for one in (entry.record.digest, entry.record.entry)}
    again = collect(store, 90, now=LATER)
    assert (again.kept, again.unlisted, again.objects) == (2, 0, 0)


def test_what_killed_writers_left_in_a_directory_goes_after_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither names nor readers see such files, so nothing else would ever remove them."""
    store = DirectoryStore(tmp_path)
    tier = RemoteTier(store)
    entry = made(1, sources_digest())
    tier.put(KEY, entry)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(directory, "_rename", die)
        patch.setattr(Path, "unlink", die)
        tier.put(KEY, made(1, sources_digest(), "cass"))
    left = [one for one in tmp_path.rglob(".*") if one.is_file()]
    assert len(left) == 1
    assert collect(store, 90).freed == 0, "its writer may be alive"
    size = left[0].stat().st_size
    assert collect(store, 90, is_dry=True, now=LATER).freed == size
    assert left[0].exists()
    assert (collect(store, 90, now=LATER).freed, left[0].exists()) == (size, False)
    assert tier.get(KEY) == (entry,)


def test_a_dry_run_removes_nothing(store: Any) -> None:
    tier = RemoteTier(store)
    tier.put(KEY, made(100, "other"))
    before = objects(store)
    done = collect(store, 90, is_dry=True, now=LATER)
    assert (done.kept, done.unlisted) == (0, 1)
    assert (objects(store), len(tier.get(KEY))) == (before, 1)


def test_an_object_that_its_writer_is_about_to_list_stays(store: Any) -> None:
    entry = made(0, "other")
    store.write_object(entry.record.entry, entry.content)
    assert collect(store, 90).objects == 0
    assert collect(store, 90, now=LATER).objects == 1
    assert objects(store) == set()


def test_an_old_object_that_is_wanted_again_is_young_again(tmp_path: Path) -> None:
    """A second writer finds the blob there and does not write it: it must survive until it is listed."""
    store: Any = open_store(str(tmp_path), 10)
    entry = made(0, "other")
    store.write_object(entry.record.entry, entry.content)
    (path,) = (tmp_path / "cas").glob("??/*")
    os.utime(path, (1, 1))
    store.write_object(entry.record.entry, entry.content)
    assert collect(store, 90).objects == 0


def test_what_another_adds_meanwhile_stays_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store: Any = open_store(str(tmp_path), 10)
    tier, young = RemoteTier(store), made(1, "other", "ptx-hip")
    tier.put(KEY, made(100, "other"))
    change = store.change_head

    def after_another(key: str, work: Any) -> None:
        monkeypatch.undo()
        tier.put(KEY, young)
        change(key, work)

    monkeypatch.setattr(store, "change_head", after_another)
    collect(store, 90)
    assert tier.get(KEY) == (young,)


def test_the_command(shell: Shell) -> None:
    share = shell.folder / "share"
    tier = RemoteTier(open_store(str(share), 10))
    entry = made(100, "other")
    tier.put(KEY, entry)
    done = shell.cass("cache", "gc", "--place", str(share), "--days", "30", "--dry-run")
    assert done.stdout == "0 translations stay; 1 would be unlisted, 0 objects (0 bytes) would be removed\n", (
        done.stderr
    )
    assert shell.cass("cache", "gc", "--place", str(share), "--days", "30").returncode == 0
    assert tier.get(KEY) == ()
    refused = shell.cass("cache", "gc", "--place", "https://cache.example")
    assert (refused.returncode, "evicts by itself" in refused.stderr) == (125, True)
