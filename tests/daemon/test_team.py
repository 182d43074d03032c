"""Two machines and one cache: the first pays, the second does not; and a bad server delays nobody for long."""

from __future__ import annotations

import concurrent.futures
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cass_shim.cache.trust import SIGNING_FILE, Signer, add_trusted, revoke
from tests.cache.conftest import CacheServer, server
from tests.cache.servers import bazel_remote, name, nginx_server, own_part, redis_server, s3_server, valkey_server
from tests.cache.servers import place as remote
from tests.daemon.conftest import Place, has_ended
from tools.team_servers import AWS

__all__ = ["bazel_remote", "name", "nginx_server", "redis_server", "remote", "s3_server", "server", "valkey_server"]

SIGNER = Signer("ci-1", bytes(range(32)))


@pytest.fixture
def machines(place: Place, tmp_path: Path) -> Callable[[str], tuple[Place, Place]]:
    """(the one that writes, the one that reads) with caches and daemons of their own."""

    def make(remote: str) -> tuple[Place, Place]:
        both = []
        for machine, role in (("ci", "write"), ("desk", "read")):
            environment = {
                **place.environment,
                "CASS_CACHE_DIR": str(tmp_path / machine),
                "CASS_RUNTIME_DIR": str(tmp_path / f"{machine}-run"),
                **AWS,
                "CASS_REMOTES": remote,
                "CASS_REMOTE_ROLE": role,
                "CASS_IDLE": "20",
            }
            (tmp_path / machine).mkdir(mode=0o700, exist_ok=True)
            add_trusted(tmp_path / machine, SIGNER.public)
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


def test_the_second_machine_translates_nothing(  # over every store
    remote: str, machines: Callable[[str], tuple[Place, Place]], regions: list[Path]
) -> None:
    ci, desk = machines(remote)
    first = ci.run(*regions)
    assert first.returncode == 0, first.stdout
    finish(ci)
    second = desk.run(*regions)
    assert second.stdout == first.stdout
    counters = desk.counters()
    assert (counters["team hits"], counters.get("translations", 0)) == (3, 0)
    desk.stop()
    assert desk.run(*regions, CASS_PYTHON="/bin/false").stdout == first.stdout, "back-filled for C"


@pytest.mark.slow
def test_many_cold_programs_fetch_each_kernel_once(
    redis_server: str, machines: Callable[[str], tuple[Place, Place]], regions: list[Path], tmp_path: Path
) -> None:
    ci, desk = machines(own_part(redis_server, tmp_path))
    first = ci.run(*regions)
    finish(ci)
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        runs = list(pool.map(lambda _: desk.run(*regions, timeout_s=120), range(32)))
    assert {(one.returncode, one.stdout) for one in runs} == {(0, first.stdout)}
    counters = desk.counters()
    assert (counters["team hits"], counters.get("translations", 0)) == (3, 0)
    desk.stop()


def test_a_near_place_answers_for_a_far_one_that_is_gone(
    redis_server: str, machines: Callable[[str], tuple[Place, Place]], regions: list[Path], tmp_path: Path
) -> None:
    """A chain of two: what CI wrote is in both, so a desk does without the far one."""
    near, far = own_part(redis_server, tmp_path), tmp_path / "far"
    ci, desk = machines(f"{near},{far}")
    first = ci.run(regions[0])
    finish(ci)
    assert any(far.rglob("*"))
    desk.environment["CASS_REMOTES"] = f"{near},http://127.0.0.1:9"
    assert desk.run(regions[0]).stdout == first.stdout
    assert desk.counters()["team hits"] == 1
    desk.stop()


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


# ---- kernels that cannot be translated ----------------------------------------------------------------------

NONE = {"CASS_TRANSLATORS": "nonsense"}


def refused(place: Place, region: Path) -> dict[str, float]:
    """The counters after a program that no translator serves."""
    done = place.run(region, **NONE)
    assert done.returncode == 1
    assert "unsupported translator nonsense" in done.stdout
    return place.counters()


def test_a_failure_is_shared_signed_and_tried_once(
    machines: Callable[[str], tuple[Place, Place]], regions: list[Path], tmp_path: Path
) -> None:
    ci, desk = machines(str(tmp_path / "share"))
    assert refused(ci, regions[1])["translations"] == 1
    finish(ci)
    counters = refused(desk, regions[1])
    assert (counters["team refusals"], counters.get("translations", 0)) == (1, 0)
    assert "tried by ci-1" in desk.run(regions[1], **NONE).stdout
    done = desk.run(regions[1])
    assert done.returncode == 0, "another policy is another question"
    desk.stop()


@pytest.mark.parametrize("doubt", ["stranger", "first-use"])
def test_a_failure_that_nobody_vouches_for_is_tried_here(
    doubt: str, machines: Callable[[str], tuple[Place, Place]], regions: list[Path], tmp_path: Path
) -> None:
    ci, desk = machines(str(tmp_path / "share"))
    refused(ci, regions[1])
    finish(ci)
    if doubt == "stranger":
        (desk.cache / "trusted-keys").write_text(Signer("ci-1", bytes(32)).public + "\n")
    else:
        desk.environment["CASS_REVERIFY"] = doubt
    counters = refused(desk, regions[1])
    assert (counters.get("team refusals", 0), counters["translations"]) == (0, 1)
    desk.stop()


def test_what_a_check_rejected_is_not_shared(
    machines: Callable[[str], tuple[Place, Place]], regions: list[Path], tmp_path: Path
) -> None:
    """A machine without a device finds no more than E0: that says nothing about the others."""
    ci, _ = machines(str(tmp_path / "share"))
    assert ci.run(regions[0], CASS_MIN_EVIDENCE="E1").returncode == 1
    assert ci.counters()["failures"] >= 1
    finish(ci)
    assert not (tmp_path / "share" / "ac").exists()
