"""Two machines and one cache: the first pays, the second does not; and a bad server delays nobody for long."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cass_shim.cache.trust import SIGNING_FILE, Signer, add_trusted, revoke
from tests.cache.conftest import CacheServer, server
from tests.daemon.conftest import Place, has_ended

__all__ = ["server"]  # the fixture

SIGNER = Signer("ci-1", bytes(range(32)))


@pytest.fixture
def machines(place: Place, tmp_path: Path) -> Callable[[str], tuple[Place, Place]]:
    """(the one that writes, the one that reads) with caches and daemons of their own."""

    def make(remote: str) -> tuple[Place, Place]:
        both = []
        for name, role in (("ci", "write"), ("desk", "read")):
            environment = {
                **place.environment,
                "CASS_CACHE_DIR": str(tmp_path / name),
                "CASS_RUNTIME_DIR": str(tmp_path / f"{name}-run"),
                "CASS_REMOTES": remote,
                "CASS_REMOTE_ROLE": role,
                "CASS_IDLE": "20",
            }
            (tmp_path / name).mkdir(mode=0o700, exist_ok=True)
            add_trusted(tmp_path / name, SIGNER.public)
            both.append(replace(place, environment=environment))
        SIGNER.save(tmp_path / "ci" / SIGNING_FILE)
        return both[0], both[1]

    return make


def finish(place: Place) -> None:
    """End the daemon, which first hands over what it has for the team."""
    pid = place.daemon_pid()
    place.stop()
    until = time.monotonic() + 20
    while pid is not None and not has_ended(pid) and time.monotonic() < until:
        time.sleep(0.02)


@pytest.mark.parametrize("kind", ["directory", "http"])
def test_the_second_machine_translates_nothing(
    kind: str,
    machines: Callable[[str], tuple[Place, Place]],
    regions: list[Path],
    server: CacheServer,
    tmp_path: Path,
) -> None:
    ci, desk = machines(server.url if kind == "http" else str(tmp_path / "share"))
    first = ci.run(*regions)
    assert first.returncode == 0, first.stdout
    finish(ci)
    second = desk.run(*regions)
    assert second.stdout == first.stdout
    counters = desk.counters()
    assert (counters["team hits"], counters.get("translations", 0)) == (3, 0)
    desk.stop()
    assert desk.run(*regions, CASS_PYTHON="/bin/false").stdout == first.stdout, "back-filled for C"


def test_an_unknown_signer_is_not_used(
    machines: Callable[[str], tuple[Place, Place]], regions: list[Path], tmp_path: Path
) -> None:
    ci, desk = machines(str(tmp_path / "share"))
    (desk.cache / "trusted-keys").write_text(Signer("ci-1", bytes(32)).public + "\n")
    ci.run(regions[0])
    finish(ci)
    assert desk.run(regions[0]).returncode == 0
    counters = desk.counters()
    assert (counters.get("team hits", 0), counters["translations"]) == (0, 1)
    desk.stop()


def test_a_revoked_key_takes_its_answers_along(
    machines: Callable[[str], tuple[Place, Place]], regions: list[Path], tmp_path: Path
) -> None:
    ci, desk = machines(str(tmp_path / "share"))
    ci.run(regions[0])
    finish(ci)
    desk.run(regions[0])
    assert desk.counters()["team hits"] == 1
    finish(desk)
    revoke(desk.cache, "ci-1")
    assert desk.run(regions[1]).returncode == 0  # a daemon starts and publishes the new epoch
    assert desk.run(regions[0]).returncode == 0
    counters = desk.counters()
    assert (counters["team hits"], counters["translations"]) == (1, 2)
    desk.stop()


@pytest.mark.parametrize("behaviour", ["slow", "garbage", "drip"])
def test_a_bad_server_delays_a_program_by_its_limit_at_most(
    behaviour: str, machines: Callable[[str], tuple[Place, Place]], regions: list[Path], server: CacheServer
) -> None:
    server.behaviour = behaviour
    _, desk = machines(server.url)
    desk.environment["CASS_REMOTE_TIMEOUT"] = "0.3"
    done = desk.run(*regions, CASS_TIMEOUT="30")
    assert done.returncode == 0, done.stdout
    assert desk.counters()["translations"] == 3
    desk.stop()


def test_a_mistake_in_the_keys_stops_nobody(
    machines: Callable[[str], tuple[Place, Place]], regions: list[Path], tmp_path: Path
) -> None:
    _, desk = machines(str(tmp_path / "share"))
    (desk.cache / "trusted-keys").write_text("this is no key\n")
    assert desk.run(regions[0]).returncode == 0
    log = desk.socket.with_name(desk.socket.name + ".log").read_text()
    assert "the team's caches are not used" in log
    desk.stop()
