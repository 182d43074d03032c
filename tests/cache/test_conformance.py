"""One suite over every store and tier, against real servers where this machine has them."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cass_shim.cache.local import LocalTier
from cass_shim.cache.places import open_store
from cass_shim.cache.remote import HEAD_LIMIT, ObjectStore, RemoteTier, read_listing
from cass_shim.cache.storage import Entry, Storage
from cass_shim.cache.tiers import Guarded, Misses, Signed, Tiered, WriteBehind
from cass_shim.model.artifacts import Evidence
from tests.cache.conftest import CacheServer
from tests.cache.servers import (
    STORES,
    bazel_remote,
    name,
    nginx_server,
    own_part,
    place,
    redis_server,
    s3_server,
    store,
    valkey_server,
)  # fmt: skip
from tests.cache.test_local import KEY, make_entry
from tests.cache.test_tiers import OTHER, SIGNER, TRUST, replace_created, unsigned

__all__ = ["bazel_remote", "name", "nginx_server", "place", "redis_server", "s3_server", "store", "valkey_server"]

WITHOUT_LOCK = ("stand-in", "nginx_server", "bazel_remote")  # plain HTTP: one writer is the rule
WRITERS, RECORDS = 4, 5


# ---- stores -------------------------------------------------------------------------------------------------


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_what_is_missing_is_none(store: ObjectStore) -> None:
    assert store.read_object("0" * 64, 100) is None
    assert store.read_head("0" * 64, 100) is None


@pytest.mark.parametrize("content", [b"x", bytes(range(256)) * 3, b"\r\n\0" * 700_000], ids=["byte", "binary", "big"])
def test_objects_come_back_as_they_were(store: ObjectStore, place: str, content: bytes) -> None:
    digest = digest_of(content)
    store.write_object(digest, content)
    store.write_object(digest, content)
    assert store.read_object(digest, len(content)) == content
    assert open_store(place, 10).read_object(digest, 1 << 22) == content
    with pytest.raises(ValueError, match="longer than"):
        store.read_object(digest, len(content) - 1)


def test_a_head_is_made_changed_and_left(store: ObjectStore) -> None:
    seen: list[bytes | None] = []

    def change(to: bytes | None) -> Callable[[bytes | None], bytes | None]:
        def apply(head: bytes | None) -> bytes | None:
            seen.append(head)
            return to

        return apply

    key = KEY.hex()
    for to in (b"one", b"two", None, b"three"):
        store.change_head(key, change(to))
    assert seen in ([None, b"one", b"two", b"two"], [b"", b"one", b"two", b"two"])
    assert store.read_head(key, 100) == b"three"
    with pytest.raises(ValueError, match="longer than"):
        store.read_head(key, 4)


def test_parts_of_a_store_do_not_meet(store: ObjectStore, place: str) -> None:
    aside = open_store(place, 10, "quarantine")
    store.write_object(digest_of(b"x"), b"x")
    store.change_head(KEY.hex(), lambda _: b"head")
    assert aside.read_head(KEY.hex(), 10) is None
    aside.change_head(KEY.hex(), lambda _: b"aside")
    assert store.read_head(KEY.hex(), 10) == b"head"


def test_many_writers_lose_nothing(store: ObjectStore, place: str, name: str) -> None:
    """Each writer is a store of its own, as another machine's would be."""
    if name in WITHOUT_LOCK:
        pytest.skip("plain HTTP has no lock: one writer is the rule")

    def write(number: int) -> None:
        tier = RemoteTier(open_store(place, 10))
        for record in range(RECORDS):
            tier.put(KEY, replace_created(make_entry(), number * RECORDS + record))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_listing(store.read_head(KEY.hex(), HEAD_LIMIT))) == WRITERS * RECORDS


@pytest.mark.parametrize("garbage", [b"{}", b"\xff" * 100, b"[" * 50_000])
def test_a_head_of_garbage_begins_anew(store: ObjectStore, garbage: bytes) -> None:
    store.change_head(KEY.hex(), lambda _: garbage)
    tier = RemoteTier(store)
    assert Guarded(tier, "test").get(KEY) == ()
    tier.put(KEY, make_entry())
    assert tier.get(KEY) == (make_entry(),)


def test_an_evicted_object_is_a_miss(store: ObjectStore) -> None:
    """Servers with a size limit forget objects and keep the heads that list them."""
    record = make_entry().record
    tier = RemoteTier(store)
    store.change_head(KEY.hex(), lambda _: f'["E4:{"0" * 64}","E1:{record.digest}"]'.encode())
    assert tier.get(KEY) == ()
    store.write_object(record.digest, record.canonical())
    assert tier.get(KEY) == ()
    tier.put(KEY, make_entry())
    assert tier.get(KEY) == (make_entry(),)


# ---- tiers --------------------------------------------------------------------------------------------------

WRAPPERS: dict[str, Callable[[Storage, Path], Storage]] = {
    "plain": lambda tier, path: tier,
    "guarded": lambda tier, path: Guarded(tier, "test", limit_s=10),
    "misses": lambda tier, path: Misses(tier, 0),
    "behind": lambda tier, path: WriteBehind(tier),
    "signed": lambda tier, path: Signed(tier, TRUST, SIGNER),
    "tiered": lambda tier, path: Tiered([LocalTier(path / "near"), tier]),
}


@pytest.fixture(params=("local", *STORES))
def tier(request: pytest.FixtureRequest, tmp_path: Path, server: CacheServer) -> Storage:
    if request.param == "local":
        return LocalTier(tmp_path / "cache")
    if request.param == "directory":
        return RemoteTier(open_store(str(tmp_path / "share"), 10))
    place = server.url if request.param == "stand-in" else request.getfixturevalue(request.param)
    return RemoteTier(open_store(own_part(place, tmp_path), 10))


@pytest.fixture(params=WRAPPERS)
def storage(request: pytest.FixtureRequest, tier: Storage, tmp_path: Path) -> Storage:
    return WRAPPERS[request.param](tier, tmp_path)


def settled(storage: Storage) -> Storage:
    """After what is written behind."""
    assert not isinstance(storage, WriteBehind) or storage.flush(20)
    return storage


def test_a_missing_key_is_nothing(storage: Storage) -> None:
    assert storage.get(OTHER) == ()


def test_candidates_are_kept_side_by_side_and_the_best_comes_first(storage: Storage) -> None:
    entries = [make_entry(evidence=Evidence.E0), make_entry(route="ptx-hip", evidence=Evidence.E2)]
    for entry in entries:
        storage.put(KEY, entry)
    assert unsigned(settled(storage).get(KEY)) == [entries[1], entries[0]]
    assert storage.get(OTHER) == ()


def test_storing_again_changes_nothing(storage: Storage) -> None:
    for _ in range(3):
        storage.put(KEY, make_entry())
    assert unsigned(settled(storage).get(KEY)) == [make_entry()]


# ---- what only some of them can do --------------------------------------------------------------------------


def test_a_redis_server_that_hangs_is_a_miss_in_time(redis_server: str) -> None:
    """A listener that never answers in the server's place."""
    import socket

    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(8)
        tier = Guarded(RemoteTier(open_store(f"redis://127.0.0.1:{silent.getsockname()[1]}", 0.3)), "t", limit_s=0.5)
        began = time.monotonic()
        assert tier.get(KEY) == ()
        assert (time.monotonic() - began < 2, tier.failures) == (True, 1)


def test_a_redis_value_of_another_type_is_trouble_and_no_crash(redis_server: str) -> None:
    import redis

    with redis.Redis.from_url(redis_server) as client:
        client.rpush(f"other:ac:{KEY.hex()}", "x")
    tier = Guarded(RemoteTier(open_store(f"{redis_server}?prefix=other", 5)), "test")
    assert tier.get(KEY) == ()
    assert tier.failures == 1


def test_a_bucket_that_is_not_there_is_a_miss(s3_server: str) -> None:
    tier = Guarded(RemoteTier(open_store(s3_server.replace("team-cache", "another"), 5)), "test")
    assert tier.get(KEY) == ()
    tier.put(KEY, make_entry())
    assert tier.failures == 1


def test_valkey_is_a_name_for_the_same(redis_server: str, tmp_path: Path) -> None:
    place = own_part(redis_server, tmp_path)
    RemoteTier(open_store(place, 10)).put(KEY, make_entry())
    assert RemoteTier(open_store(place.replace("redis:", "valkey:"), 10)).get(KEY) == (make_entry(),)


def test_a_far_server_fills_a_near_one(redis_server: str, s3_server: str, tmp_path: Path) -> None:
    near, far = (RemoteTier(open_store(own_part(one, tmp_path), 10)) for one in (redis_server, s3_server))
    entry: Entry = replace(make_entry(), record=SIGNER.sign(make_entry().record))
    far.put(KEY, entry)
    assert Tiered([near, far]).get(KEY) == (entry,)
    assert near.get(KEY) == (entry,)
