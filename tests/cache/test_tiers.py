"""Wrappers and chains, trust, servers that do not serve, settings. Stores: test_conformance, test_attacks."""

from __future__ import annotations

import base64
import hashlib
import logging
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from cass_shim.cache.directory import DirectoryStore
from cass_shim.cache.http import HttpStore
from cass_shim.cache.local import LocalTier
from cass_shim.cache.places import open_remotes
from cass_shim.cache.remote import RemoteTier
from cass_shim.cache.storage import Entry
from cass_shim.cache.tiers import (
    FAILURES_BEFORE_PAUSE,
    LATE_LIMIT,
    PAUSE_S,
    Guarded,
    Misses,
    ReadOnly,
    Signed,
    Tiered,
    WriteBehind,
)
from cass_shim.cache.trust import SIGNING_FILE, Signer, TrustSet, add_trusted, revoke
from cass_shim.model.artifacts import Evidence
from cass_shim.model.config import BadSetting, Config
from cass_shim.model.errors import CassError, Malformed, Rejected
from tests.cache.conftest import CacheServer
from tests.cache.test_local import KEY, make_entry

OTHER = hashlib.sha256(b"other").digest()
SIGNER = Signer("ci-1", bytes(range(32)))
TRUST = TrustSet({"ci-1": base64.b64decode(SIGNER.public.partition(":")[2])})


def unsigned(entries: tuple[Entry, ...]) -> list[Entry]:
    return [replace(one, record=replace(one.record, signature="")) for one in entries]


def replace_created(entry: Entry, created: int) -> Entry:
    return replace(entry, record=replace(entry.record, created=created))


def test_a_far_tier_fills_the_near_ones(tmp_path: Path, server: CacheServer) -> None:
    near, far = LocalTier(tmp_path / "near"), RemoteTier(HttpStore(server.url, 5))
    far.put(KEY, make_entry())
    assert Tiered([near, ReadOnly(far)]).get(KEY) == (make_entry(),)
    assert near.get(KEY) == (make_entry(),)


def test_credentials_are_sent(server: CacheServer) -> None:
    url = server.url.replace("http://", "http://ci:se%40cret@")
    RemoteTier(HttpStore(url, 5)).put(KEY, make_entry())
    assert server.authorization == "Basic Y2k6c2VAY3JldA=="


# ---- trust --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"evidence": "E4"},
        {"key": OTHER.hex()},
        {"entry": "0" * 64},
        {"route": "cass"},
        {"provenance": {"by": "me"}},
        {"created": 1},
        {"report": {"x": 1}},
        {"kernel": "k"},
        {"passed_over": {"lift": "no"}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_signature_covers_every_member(change: dict[str, object]) -> None:
    signed = SIGNER.sign(make_entry().record)
    assert TRUST.signer_of(signed) == "ci-1"
    with pytest.raises(Rejected, match="does not match"):
        TRUST.signer_of(replace(signed, **change))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("trust", "signature", "reason"),
    [
        (TRUST, "", "unsigned"),
        (TrustSet({}), None, "not trusted"),
        (TrustSet(TRUST.keys, frozenset({"ci-1"})), None, "revoked"),
        (TRUST, "ci-1:AAAA", "not a key or signature"),
        (TRUST, "nonsense", "not"),
    ],
)
def test_what_is_not_trusted_is_not_used(tmp_path: Path, trust: TrustSet, signature: str | None, reason: str) -> None:
    store = RemoteTier(DirectoryStore(tmp_path))
    record = SIGNER.sign(make_entry().record)
    record = record if signature is None else replace(record, signature=signature)
    store.put(KEY, replace(make_entry(), record=record))
    with pytest.raises(Rejected, match=reason):
        trust.signer_of(record)
    assert Signed(store, trust).get(KEY) == ()


def test_without_a_key_nothing_is_written(tmp_path: Path) -> None:
    Signed(RemoteTier(DirectoryStore(tmp_path)), TRUST).put(KEY, make_entry())
    assert list(tmp_path.iterdir()) == []


def test_key_files(tmp_path: Path) -> None:
    signer = Signer.generate("ci-2")
    signer.save(tmp_path / SIGNING_FILE)
    assert (tmp_path / SIGNING_FILE).stat().st_mode & 0o077 == 0
    assert Signer.load(tmp_path / SIGNING_FILE) == signer
    assert add_trusted(tmp_path, signer.public) == add_trusted(tmp_path, signer.public) == "ci-2"
    record = signer.sign(make_entry().record)
    assert TrustSet.load(tmp_path).signer_of(record) == "ci-2"
    with pytest.raises(Malformed, match="another key"):
        add_trusted(tmp_path, Signer("ci-2", bytes(32)).public)
    revoke(tmp_path, "ci-2")
    with pytest.raises(Rejected, match="revoked"):
        TrustSet.load(tmp_path).signer_of(record)
    for text in ("", "name", "name:%%%", "na me:" + "A" * 43 + "=", "../x:" + "A" * 43 + "="):
        with pytest.raises(Malformed):
            add_trusted(tmp_path, text)


# ---- servers that do not serve ------------------------------------------------------------------------------


@pytest.mark.parametrize("behaviour", ["slow", "drip", "garbage"])
def test_a_bad_server_is_a_miss_in_time(server: CacheServer, behaviour: str, caplog: pytest.LogCaptureFixture) -> None:
    server.behaviour = behaviour
    tier = Guarded(RemoteTier(HttpStore(server.url, 0.3)), "team")
    began = time.monotonic()
    with caplog.at_level(logging.WARNING):
        for _ in range(6):
            assert tier.get(KEY) == ()
    assert time.monotonic() - began < 0.3 * FAILURES_BEFORE_PAUSE + 1.5
    assert len(server.requests) == FAILURES_BEFORE_PAUSE
    assert len(caplog.records) == 2


def test_an_endless_answer_is_cut_off(server: CacheServer) -> None:
    server.behaviour = "endless"
    tier = Guarded(RemoteTier(HttpStore(server.url, 5)), "team")
    assert tier.get(KEY) == ()


def test_a_server_that_is_down_is_a_miss() -> None:
    tier = Guarded(RemoteTier(HttpStore("http://127.0.0.1:9", 0.5)), "team")
    assert tier.get(KEY) == ()
    tier.put(KEY, make_entry())
    assert tier.failures == 2


def test_the_pause_ends() -> None:
    now = [0.0]
    calls: list[int] = []

    class Broken:
        def get(self, key: bytes) -> tuple[Entry, ...]:
            calls.append(1)
            raise OSError("down")

        def put(self, key: bytes, entry: Entry) -> None: ...

    tier = Guarded(Broken(), "team", lambda: now[0])
    for _ in range(10):
        tier.get(KEY)
    assert len(calls) == FAILURES_BEFORE_PAUSE
    now[0] += PAUSE_S + 1
    tier.get(KEY)
    assert len(calls) == FAILURES_BEFORE_PAUSE + 1


class Slow:
    """A storage that answers when it is let."""

    def __init__(self) -> None:
        self.gate, self.calls, self.written = threading.Event(), 0, list[Entry]()

    def get(self, key: bytes) -> tuple[Entry, ...]:
        self.calls += 1
        self.gate.wait(30)
        return (make_entry(),)

    def put(self, key: bytes, entry: Entry) -> None:
        self.gate.wait(30)
        self.written.append(entry)


def test_a_storage_that_hangs_costs_its_limit_and_few_threads() -> None:
    slow, now = Slow(), [0.0]
    tier = Guarded(slow, "team", lambda: now[0], limit_s=0.1)
    began = time.monotonic()
    for _ in range(4 * LATE_LIMIT):
        assert tier.get(KEY) == ()
        now[0] += PAUSE_S + 1
    assert time.monotonic() - began < 0.1 * LATE_LIMIT + 1
    assert slow.calls == LATE_LIMIT, "no new thread while so many hang"
    slow.gate.set()
    until = time.monotonic() + 10
    while not tier.get(KEY) and time.monotonic() < until:
        now[0] += PAUSE_S + 1
    assert tier.get(KEY) == (make_entry(),)


def test_what_is_missing_is_not_asked_for_again_for_a_while(tmp_path: Path) -> None:
    now, far = [0.0], RemoteTier(DirectoryStore(tmp_path))
    tier = Misses(far, 60, lambda: now[0])
    assert tier.get(KEY) == ()
    far.put(KEY, make_entry())
    assert tier.get(KEY) == ()
    now[0] += 61
    assert tier.get(KEY) == (make_entry(),)
    assert tier.get(OTHER) == ()
    tier.put(OTHER, make_entry(OTHER))
    assert tier.get(OTHER) == (make_entry(OTHER),), "what we put ourselves is known at once"


def test_an_error_is_not_remembered_as_a_miss(server: CacheServer) -> None:
    tier = Guarded(Misses(RemoteTier(HttpStore(server.url, 0.3))), "team")
    server.behaviour = "garbage"
    assert tier.get(KEY) == ()
    server.behaviour = ""
    RemoteTier(HttpStore(server.url, 5)).put(KEY, make_entry())
    assert tier.get(KEY) == (make_entry(),)


def test_nobody_waits_for_a_write() -> None:
    slow = Slow()
    tier = WriteBehind(slow)
    began = time.monotonic()
    for number in range(10):
        tier.put(KEY, replace_created(make_entry(), number))
    assert time.monotonic() - began < 1
    assert not tier.flush(0.05)
    slow.gate.set()
    assert tier.flush(10)
    assert [one.record.created for one in slow.written] == list(range(10))


def test_a_full_queue_loses_the_write_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    slow = Slow()
    tier = WriteBehind(slow, limit_bytes=3 * len(make_entry().content))
    for number in range(10):
        tier.put(KEY, replace_created(make_entry(), number))
    slow.gate.set()
    assert tier.flush(10)
    assert len(slow.written) == 3
    assert "too many are waiting" in caplog.text


def test_a_weak_answer_nearby_does_not_hide_a_strong_one_behind_it(tmp_path: Path) -> None:
    near, far = (RemoteTier(DirectoryStore(tmp_path / name)) for name in ("near", "far"))
    near.put(KEY, make_entry(evidence=Evidence.E0))
    far.put(KEY, make_entry(evidence=Evidence.E4))
    chain = Tiered([near, far])
    assert [one.record.evidence for one in chain.get(KEY)] == ["E0"]
    found = chain.find(KEY, lambda found: any(one.record.level >= Evidence.E2 for one in found))
    assert [one.record.evidence for one in found] == ["E0", "E4"]
    assert [one.record.evidence for one in near.get(KEY)] == ["E4", "E0"], "and the near one has it now"


def test_a_signature_of_another_survives_the_way_back(tmp_path: Path) -> None:
    """Back-fill must not put our name to what somebody else checked: revoking them must still reach it."""
    ours = Signer("desk-1", bytes(32))
    entry = replace(make_entry(), record=SIGNER.sign(make_entry().record))
    tier = RemoteTier(DirectoryStore(tmp_path))
    Signed(tier, TRUST, ours).put(KEY, entry)
    assert tier.get(KEY) == (entry,)


# ---- configuration ------------------------------------------------------------------------------------------


def test_remotes_come_from_the_settings(tmp_path: Path, server: CacheServer) -> None:
    root = tmp_path / "cache"
    assert open_remotes(Config.read({}), root) is None
    shared = f"{tmp_path / 'share'}, {server.url}"
    with pytest.raises(Malformed, match="signing key"):
        open_remotes(Config.read({"CASS_REMOTES": shared, "CASS_REMOTE_ROLE": "write"}), root)
    SIGNER.save(root / SIGNING_FILE)
    add_trusted(root, SIGNER.public)
    writer = open_remotes(Config.read({"CASS_REMOTES": shared, "CASS_REMOTE_ROLE": "write"}), root)
    reader = open_remotes(Config.read({"CASS_REMOTES": shared}), root)
    assert writer is not None
    assert reader is not None
    writer.put(KEY, make_entry())
    assert writer.flush(10)
    assert unsigned(reader.get(KEY)) == [make_entry()]
    assert {path.rsplit("/", 1)[0] for path in server.objects} == {"/ac", "/cas"}
    reader.put(OTHER, make_entry(OTHER))
    assert reader.get(OTHER) == ()


@pytest.mark.parametrize(
    "place",
    ["ftp://x", "relative/path", "http://", "redis://", "redis://h/notanumber", "redis://h?secret=1", "s3://",
     "s3://b?endpiont=x", "s3://key:secret@bucket", "redis://u:secret@h?prefix=a:b"],
)  # fmt: skip
def test_a_place_that_is_none_says_what_is_expected(tmp_path: Path, place: str) -> None:
    with pytest.raises(BadSetting, match=r"CASS_REMOTES=.*expected") as caught:
        open_remotes(Config.read({"CASS_REMOTES": place}), tmp_path)
    assert "secret@" not in str(caught.value)


@pytest.mark.parametrize("place", ["redis://127.0.0.1", "s3://team-cache"])
def test_without_its_library_a_place_says_what_to_install(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("redis", "obstore"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(CassError, match=r"pip install 'cass-shim\[team\]'"):
        open_remotes(Config.read({"CASS_REMOTES": place}), tmp_path)
