"""What a program meets: a cache directory that is not its user's alone, and servers that do not serve.

The program starts all the same, and within its limit.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from cass_shim.cache.trust import SIGNING_FILE, add_trusted
from tests.daemon.conftest import Place
from tests.daemon.test_team import SIGNER

SLOW_S = 10.0


# ---- directories --------------------------------------------------------------------------------------------


def is_used(folder: Path) -> bool:
    return any(folder.rglob("*.ccode")) or any(folder.rglob("*.json"))


def test_a_cache_directory_that_is_a_link_is_not_used(place: Place, regions: list[Path], tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir(mode=0o700)
    place.cache.symlink_to(target)
    for _ in range(2):
        assert place.run(regions[0]).returncode == 0
    assert list(target.iterdir()) == []


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777], ids=oct)
def test_a_cache_directory_that_others_can_write_is_not_used(place: Place, regions: list[Path], mode: int) -> None:
    place.cache.mkdir()
    place.cache.chmod(mode)
    for _ in range(2):
        assert place.run(regions[0]).returncode == 0
    assert not is_used(place.cache)


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a directory to another user")
def test_a_cache_directory_of_another_user_is_not_used(place: Place, regions: list[Path]) -> None:
    place.cache.mkdir(mode=0o700)
    os.chown(place.cache, 65534, 65534)
    for _ in range(2):
        assert place.run(regions[0]).returncode == 0
    assert not is_used(place.cache)


@pytest.mark.parametrize("name", ["trusted-keys", "revoked-keys"])
def test_keys_that_others_can_write_are_nobody_s(place: Place, regions: list[Path], name: str, tmp_path: Path) -> None:
    """A key file that anyone may write trusts nobody; the program runs on its own translations."""
    place.cache.mkdir(mode=0o700)
    add_trusted(place.cache, SIGNER.public)
    (place.cache / name).touch()
    (place.cache / name).chmod(0o666)
    place.environment["CASS_REMOTES"] = str(tmp_path / "share")
    assert place.run(regions[0]).returncode == 0
    assert place.counters()["translations"] == 1


# ---- servers ------------------------------------------------------------------------------------------------


def say_nothing(connection: socket.socket) -> None:
    time.sleep(SLOW_S)


def say_garbage(connection: socket.socket) -> None:
    connection.sendall(b"\xff\xfe\0garbage\r\n" * 50)


def drip(connection: socket.socket) -> None:
    """A byte now and then, so that a limit on each read never ends."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(int(SLOW_S / 0.1)):
        connection.sendall(b"$")
        time.sleep(0.1)


def hang_up(connection: socket.socket) -> None:
    pass


BEHAVIOURS: dict[str, Callable[[socket.socket], None]] = {
    "slow": say_nothing, "garbage": say_garbage, "drip": drip, "hang up": hang_up
}  # fmt: skip


@pytest.fixture(params=BEHAVIOURS)
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    """A server that accepts every connection and does not serve it."""
    behaviour = BEHAVIOURS[request.param]
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:

        def serve(connection: socket.socket) -> None:
            with suppress(OSError), connection:
                connection.recv(1 << 16)
                behaviour(connection)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield int(listener.getsockname()[1])


REMOTES = {
    "http": "http://127.0.0.1:{port}",
    "redis": "redis://127.0.0.1:{port}",
    "s3": "s3://team-cache?endpoint=http://127.0.0.1:{port}",
}
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", REMOTES)
@pytest.mark.parametrize("role", ["read", "write"])
def test_a_server_that_does_not_serve_delays_a_program_by_its_limit(
    place: Place, regions: list[Path], port: int, kind: str, role: str
) -> None:
    """Three kernels, at most a second each, then the pause: far from one of the server's ten seconds each."""
    if kind != "http":
        pytest.importorskip({"redis": "redis", "s3": "obstore"}[kind], reason="extra `team` is not installed")
    place.environment |= CREDENTIALS
    assert place.run(regions[0]).returncode == 0
    place.stop()  # what follows starts warm in everything but these translations
    place.cache.rename(place.cache.with_name("before"))
    place.cache.mkdir(mode=0o700)
    add_trusted(place.cache, SIGNER.public)
    SIGNER.save(place.cache / SIGNING_FILE)
    place.environment |= {"CASS_REMOTES": REMOTES[kind].format(port=port), "CASS_REMOTE_ROLE": role}
    began = time.monotonic()
    done = place.run(*regions, CASS_TIMEOUT="30")
    took = time.monotonic() - began
    assert done.returncode == 0, done.stdout
    assert place.counters()["translations"] == len(regions)
    assert took < 3 * 1.0 + 9.0, "three limits and a cold daemon on a busy machine"
    log = place.socket.with_name(place.socket.name + ".log").read_text()
    assert "team cache" in log or "team timeouts" in place.counters()
    assert "Traceback" not in log
