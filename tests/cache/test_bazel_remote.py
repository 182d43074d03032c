"""bazel-remote's contract: kept by the server that stands in for it, by the real one where there is one, and by us."""

from __future__ import annotations

import http.client
import urllib.parse
from collections.abc import Iterator

import pytest

from cass_shim.cache.http import HttpStore
from cass_shim.cache.remote import RemoteTier
from cass_shim.cache.tiers import Guarded
from tests.cache.bazel_remote import CHECKED, CONTRACT, DIGEST, VALIDATING, CacheServer, Row
from tests.cache.servers import bazel_remote
from tests.cache.test_local import KEY, make_entry

__all__ = ["bazel_remote"]  # fixture


def exchange(connection: http.client.HTTPConnection, row: Row) -> tuple[int, bytes]:
    connection.request(row.method, row.path, row.body, row.headers)
    response = connection.getresponse()
    return response.status, response.read()


def check(url: str, rows: tuple[Row, ...]) -> None:
    """All over one connection, as a client that keeps it sees them."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    for row in rows:
        status, body = exchange(connection, row)
        assert status == row.status, row
        assert row.answer is None or body == row.answer, row
    connection.close()


@pytest.fixture
def strict() -> Iterator[CacheServer]:
    """Started without --disable_http_ac_validation."""
    one = CacheServer(validates=True)
    yield one
    one.server.shutdown()
    one.server.server_close()


def test_the_stand_in_keeps_the_contract(server: CacheServer, strict: CacheServer) -> None:
    check(server.url, (*CONTRACT, CHECKED))
    check(strict.url, VALIDATING)


def test_the_real_one_keeps_the_contract(bazel_remote: str) -> None:
    check(bazel_remote, CONTRACT)


def test_without_the_flag_the_error_names_it(strict: CacheServer, caplog: pytest.LogCaptureFixture) -> None:
    tier = Guarded(RemoteTier(HttpStore(strict.url, 5)), "team")
    tier.put(KEY, make_entry())
    assert tier.get(KEY) == ()
    assert "--disable_http_ac_validation" in caplog.text


def test_a_full_server_is_a_lost_write_and_no_error(server: CacheServer, caplog: pytest.LogCaptureFixture) -> None:
    server.full = True
    tier = Guarded(RemoteTier(HttpStore(server.url, 5)), "team")
    tier.put(KEY, make_entry())
    assert tier.get(KEY) == ()
    assert "answers 507" in caplog.text


def test_an_empty_object_is_none_of_ours(server: CacheServer) -> None:
    """The empty blob is always there, whatever is stored; nothing of ours is empty."""
    check(server.url, (Row("GET", f"/cas/{DIGEST}", 404),))
    server.objects[f"/ac/{KEY.hex()}"] = b""
    assert Guarded(RemoteTier(HttpStore(server.url, 5)), "team").get(KEY) == ()


def test_a_hit_uses_one_connection(server: CacheServer) -> None:
    """Each costs a round trip, with TLS three."""
    store = HttpStore(server.url, 5)
    RemoteTier(store).put(KEY, make_entry())
    before = server.connections
    fresh = HttpStore(server.url, 5)
    assert RemoteTier(fresh).get(KEY) == (make_entry(),)
    assert RemoteTier(fresh).get(b"\0" * 32) == ()
    assert (server.connections - before, server.requests[-4][0]) == (1, "GET")


def test_a_connection_that_the_server_closed_costs_nothing(server: CacheServer) -> None:
    store = HttpStore(server.url, 5)
    RemoteTier(store).put(KEY, make_entry())
    for _, kept in store.kept:
        assert kept.sock is not None
        kept.sock.shutdown(2)
    assert RemoteTier(store).get(KEY) == (make_entry(),)


def test_plain_http_reads_a_head_before_it_writes_it_and_never_downward(server: CacheServer) -> None:
    store = HttpStore(server.url, 5)
    head = f"/ac/{KEY.hex()}"
    store.change_head(KEY.hex(), lambda _: b"one")
    assert [method for method, path in server.requests if path == head] == ["GET", "PUT"]
    store.change_head(KEY.hex(), lambda _: None)  # what `extended` says for a record that is not worth its place
    assert [method for method, path in server.requests if path == head] == ["GET", "PUT", "GET"]
    server.objects[head] = b"two"
    seen: list[bytes | None] = []
    store.change_head(KEY.hex(), lambda now: seen.append(now))
    assert seen == [b"two"], "what another wrote meanwhile is what is looked at"


def test_two_writers_on_plain_http_lose_a_listing_and_never_an_object(
    server: CacheServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Why one writer is the rule there, and what `cass cache push` mends."""
    first, second = RemoteTier(HttpStore(server.url, 5)), HttpStore(server.url, 5)
    entries = [make_entry(), make_entry(route="ptx-hip")]
    put = second._put

    def after_another(path: str, content: bytes) -> None:
        if path.startswith("/ac/"):
            monkeypatch.undo()
            first.put(KEY, entries[0])  # between the other's GET and PUT
        put(path, content)

    monkeypatch.setattr(second, "_put", after_another)
    RemoteTier(second).put(KEY, entries[1])
    assert first.get(KEY) == (entries[1],)
    assert f"/cas/{entries[0].record.digest}" in server.stored
    assert f"/cas/{entries[0].record.entry}" in server.stored
    first.put(KEY, entries[0])
    assert {one.record.digest for one in first.get(KEY)} == {one.record.digest for one in entries}
