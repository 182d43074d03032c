"""Whoever can write the team's store can hide translations, never forge, raise or swap one: over every store.

Cache directories that are not ours, and servers that do not serve, as a program meets them: tests/daemon/test_attacks.
Another user's socket: tests/daemon/test_strangers. Packs: test_pack.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cass_shim.cache.audit import Audit, read_audit
from cass_shim.cache.directory import DirectoryStore
from cass_shim.cache.http import HttpStore
from cass_shim.cache.places import open_store
from cass_shim.cache.record import Record
from cass_shim.cache.remote import LISTED_LIMIT, ObjectStore, RemoteTier, extended, read_listing
from cass_shim.cache.storage import Entry, Storage
from cass_shim.cache.tiers import Guarded, Signed
from cass_shim.cache.trust import Signer, TrustSet
from cass_shim.model.artifacts import Evidence
from cass_shim.model.entry import pack_entry, read_entry
from cass_shim.model.errors import Malformed
from tests.cache.conftest import CacheServer
from tests.cache.servers import bazel_remote, name, nginx_server, place, redis_server, s3_server, store, valkey_server
from tests.cache.test_local import KEY, make_entry
from tests.cache.test_tiers import OTHER, SIGNER, TRUST, replace_created

__all__ = ["bazel_remote", "name", "nginx_server", "place", "redis_server", "s3_server", "store", "valkey_server"]

STRANGER = Signer("stranger-1", bytes(32))


def signed(entry: Entry, signer: Signer = SIGNER) -> Entry:
    return replace(entry, record=signer.sign(entry.record))


def reader(store: ObjectStore, trust: TrustSet = TRUST) -> Storage:
    """What a desk has."""
    return Guarded(Signed(RemoteTier(store), trust), "test", limit_s=10)


def levels(entries: tuple[Entry, ...]) -> list[str]:
    return [one.record.evidence for one in entries]


def set_head(store: ObjectStore, key: bytes, *rows: str) -> None:
    """Write a head over whatever is there, as an attacker would."""
    store.change_head(key.hex(), lambda _: json.dumps(list(rows)).encode())


def put_raw(store: ObjectStore, record: bytes, *blobs: bytes) -> str:
    """Objects under their true names; returns the record's."""
    for content in (record, *blobs):
        store.write_object(hashlib.sha256(content).hexdigest(), content)
    return hashlib.sha256(record).hexdigest()


# ---- heads --------------------------------------------------------------------------------------------------


def test_a_weak_record_put_after_a_strong_one_does_not_take_its_place(store: ObjectStore) -> None:
    """A valid E0 record over a head that points to E4, by a writer who uses cass."""
    tier = RemoteTier(store)
    tier.put(KEY, signed(make_entry(evidence=Evidence.E4)))
    tier.put(KEY, signed(make_entry(evidence=Evidence.E0)))
    assert levels(reader(store).get(KEY)) == ["E4", "E0"]


def test_a_head_that_was_written_over_hides_and_raises_nothing(store: ObjectStore) -> None:
    """The same by one who writes the store: the E4 is hidden, and the E0 stays an E0 whatever the head says."""
    tier, weak = RemoteTier(store), signed(make_entry(evidence=Evidence.E0))
    tier.put(KEY, signed(make_entry(evidence=Evidence.E4)))
    tier.put(KEY, weak)
    set_head(store, KEY, f"E4:{weak.record.digest}")
    assert levels(reader(store).get(KEY)) == ["E0"]
    tier.put(KEY, signed(make_entry(evidence=Evidence.E4)))
    assert levels(reader(store).get(KEY)) == ["E4", "E0"], "and the next writer brings it back"


def test_a_head_of_another_key_is_a_replay(store: ObjectStore) -> None:
    entry = signed(make_entry())
    RemoteTier(store).put(KEY, entry)
    set_head(store, OTHER, f"E1:{entry.record.digest}")
    assert reader(store).get(OTHER) == ()
    assert reader(store).get(KEY) == (entry,)


def test_weak_records_never_push_a_strong_one_out() -> None:
    """A writer of E0 records can fill a head, and the E4 stays at its top."""
    strong = "f" * 64
    head = extended(None, Evidence.E4, strong)
    for number in range(3 * LISTED_LIMIT):
        head = extended(head, Evidence.E0, f"{number:064x}") or head
    rows = read_listing(head)
    assert rows[0] == (Evidence.E4, strong)
    assert rows[1] == (Evidence.E0, f"{3 * LISTED_LIMIT - 1:064x}"), "the newest among equals comes first"
    assert len(rows) == LISTED_LIMIT
    full = extended(None, Evidence.E1, strong)
    for number in range(LISTED_LIMIT):
        full = extended(full, Evidence.E1, f"{number:064x}")
    assert extended(full, Evidence.E0, "0" * 63 + "a") is None, "a weaker one than all that are listed"


@pytest.mark.parametrize("digest", ["../../../../etc/passwd", "/etc/passwd", "A" * 64, "0" * 63, "0" * 65])
def test_names_that_are_paths_are_refused(store: ObjectStore, digest: str) -> None:
    with pytest.raises(Malformed):
        read_listing(json.dumps([f"E1:{digest}"]).encode())
    record = replace(make_entry().record, entry=digest)
    set_head(store, KEY, f"E1:{put_raw(store, record.canonical())}")
    assert reader(store).get(KEY) == ()


@pytest.mark.parametrize(
    "head", [b"{}", b"[1]", b"[" * 60_000, b"null", b'["' + b"a" * 64 + b'"]', b'["E9:' + b"a" * 64 + b'"]']
)
def test_a_hostile_head_is_a_miss(store: ObjectStore, head: bytes) -> None:
    store.change_head(KEY.hex(), lambda _: head)
    assert reader(store).get(KEY) == ()


def test_a_head_of_megabytes_is_a_miss(store: ObjectStore) -> None:
    store.change_head(KEY.hex(), lambda _: b"[" + b" " * (1 << 20) + b"]")
    assert reader(store).get(KEY) == ()


def test_a_long_head_costs_a_handful_of_reads(server: CacheServer) -> None:
    digests = [hashlib.sha256(bytes([n])).hexdigest() for n in range(LISTED_LIMIT)]
    server.objects[f"/ac/{KEY.hex()}"] = json.dumps([f"E1:{one}" for one in digests]).encode()
    assert RemoteTier(HttpStore(server.url, 5)).get(KEY) == ()
    assert len(server.requests) <= 17


def test_a_head_that_lists_thousands_is_none() -> None:
    with pytest.raises(Malformed, match="at most 64"):
        read_listing(json.dumps([f"E1:{'0' * 64}"] * 900).encode())


# ---- objects ------------------------------------------------------------------------------------------------


def overwrite(store: ObjectStore, digest: str, content: bytes) -> None:
    """Other bytes under an object's name; a server that compares (bazel-remote) refuses them, which is as good."""
    try:
        store.write_object(digest, content)
    except OSError as error:
        assert "400" in str(error)


def test_a_swapped_blob_is_noticed(store: ObjectStore) -> None:
    entry, other = signed(make_entry()), make_entry(route="ptx-hip")
    RemoteTier(store).put(KEY, entry)
    overwrite(store, entry.record.entry, other.content)
    assert reader(store).get(KEY) in ((), (entry,))
    overwrite(store, entry.record.entry, b"")
    assert all(one == entry for one in reader(store).get(KEY))


@pytest.mark.parametrize("garbage", [b"", b"short", b"long" * 10_000])
def test_the_next_writer_repairs_what_was_swapped(store: ObjectStore, garbage: bytes) -> None:
    entry = signed(make_entry())
    RemoteTier(store).put(KEY, entry)
    for digest in (entry.record.entry, entry.record.digest):
        overwrite(store, digest, garbage)
    RemoteTier(store).put(KEY, entry)
    assert reader(store).get(KEY) == (entry,)


def test_what_is_dropped_and_refused_is_counted_by_name(tmp_path: Path) -> None:
    """In the audit log, whose events `cass cache stats` counts."""
    store, audit = DirectoryStore(tmp_path / "share"), Audit(tmp_path)
    swapped, foreign = signed(make_entry()), signed(make_entry(route="ptx-hip"), STRANGER)
    for entry in (swapped, foreign):
        RemoteTier(store).put(KEY, entry)
    overwrite(store, swapped.record.entry, b"another")
    assert Signed(RemoteTier(store, audit), TRUST, audit=audit).get(KEY) == ()
    dropped, refused = read_audit(tmp_path)
    assert (dropped["event"], dropped["record"]) == ("dropped", swapped.record.digest)
    assert (refused["event"], refused["signer"]) == ("refused", "stranger-1")


def test_a_swapped_record_is_noticed(store: ObjectStore) -> None:
    entry, strong = signed(make_entry()), signed(make_entry(evidence=Evidence.E4))
    RemoteTier(store).put(KEY, entry)
    overwrite(store, entry.record.digest, strong.record.canonical())
    assert reader(store).get(KEY) in ((), (entry,))


FORGERIES: dict[str, Callable[[Record], Record]] = {
    "raised evidence": lambda record: replace(record, evidence="E4"),
    "lowered evidence": lambda record: replace(record, evidence="E0"),
    "another key": lambda record: replace(record, key=KEY.hex()),
    "another route": lambda record: replace(record, route="cass"),
    "a younger date": lambda record: replace(record, created=record.created + 1),
    "no signature": lambda record: replace(record, signature=""),
    "nonsense for a signature": lambda record: replace(record, signature="ci-1:AAAA"),
    "an unknown key": STRANGER.sign,
    "an unknown key under a trusted name": Signer("ci-1", bytes(32)).sign,
    "another's signature": lambda record: replace(record, signature=SIGNER.sign(make_entry().record).signature),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_record_is_not_used_and_the_sound_one_still_is(store: ObjectStore, forgery: str) -> None:
    entry = signed(make_entry(OTHER))
    tier = RemoteTier(store)
    tier.put(OTHER, entry)
    record = FORGERIES[forgery](entry.record)
    digest = put_raw(store, record.canonical(), entry.content)
    key = bytes.fromhex(record.key)
    store.change_head(key.hex(), lambda head: extended(head, Evidence.E4, digest))
    assert reader(store).get(key) == (() if key == KEY else (entry,))
    assert reader(store).get(OTHER) == (entry,)


def test_a_blob_that_claims_more_than_its_record_is_not_used(store: ObjectStore) -> None:
    """C reads the evidence from the blob's header, so it must be the record's."""
    entry = make_entry(evidence=Evidence.E0)
    content = pack_entry(replace(read_entry(entry.content), evidence=Evidence.E4))
    record = SIGNER.sign(replace(entry.record, entry=hashlib.sha256(content).hexdigest()))
    set_head(store, KEY, f"E0:{put_raw(store, record.canonical(), content)}")
    assert reader(store).get(KEY) == ()


def test_a_revoked_key_is_not_used(store: ObjectStore) -> None:
    RemoteTier(store).put(KEY, signed(make_entry()))
    assert len(reader(store).get(KEY)) == 1
    assert reader(store, TrustSet(TRUST.keys, frozenset({"ci-1"}))).get(KEY) == ()


def test_a_stranger_s_records_do_not_hide_a_trusted_one(store: ObjectStore) -> None:
    """One who may write and is not trusted fills the head with records of his own."""
    tier, sound = RemoteTier(store), signed(make_entry(evidence=Evidence.E2))
    tier.put(KEY, sound)
    for number in range(12):
        tier.put(KEY, signed(replace_created(make_entry(evidence=Evidence.E4), number), STRANGER))
    assert reader(store).get(KEY) == (sound,)


def test_what_is_proposed_is_not_read(store: ObjectStore, place: str) -> None:
    RemoteTier(open_store(place, 10, "quarantine")).put(KEY, signed(make_entry()))
    assert reader(store).get(KEY) == ()


def test_a_link_in_a_shared_directory_is_not_followed(tmp_path: Path) -> None:
    tier = RemoteTier(DirectoryStore(tmp_path))
    tier.put(KEY, make_entry())
    for path in [one for one in (tmp_path / "cas").rglob("*") if one.is_file()]:
        path.rename(path.with_suffix(".moved"))
        path.symlink_to(path.with_suffix(".moved"))
    assert Guarded(tier, "test").get(KEY) == ()
    tier.put(KEY, make_entry())
    assert tier.get(KEY) == (make_entry(),), "and the next writer puts files in their places"


def test_public_keys_are_told_apart_by_their_bytes() -> None:
    """Two keys of one name: the trusted bytes decide, not the name."""
    twin = Signer("ci-1", bytes(32))
    other = TrustSet({"ci-1": base64.b64decode(twin.public.partition(":")[2])})
    assert other.signer_of(twin.sign(make_entry().record)) == "ci-1"
    assert TRUST.keys["ci-1"] != other.keys["ci-1"]
