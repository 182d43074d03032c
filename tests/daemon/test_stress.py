"""Programs, daemons and workers killed at random: nothing hangs, nothing is torn, what was stored stays stored."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from cass_shim.cache.local import LocalTier
from tests.daemon.conftest import Place
from tests.daemon.test_daemon import children

SECONDS = 25.0
PROGRAMS = 4


def start(place: Place, regions: list[Path], policy: int) -> subprocess.Popen[str]:
    """A client with one of a few policies, so that there is always something left to translate."""
    changes = {
        "CASS_MIN_EVIDENCE": ("none", "E0")[policy % 2],
        "CASS_TRANSLATORS": ("lift", "lift,ptx-hip")[policy // 2],
    }
    return subprocess.Popen(
        [place.probe, *regions],
        env={**place.environment, **changes},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def victims(place: Place) -> list[int]:
    """The daemon, its child and the workers that run now."""
    pid = place.daemon_pid()
    if pid is None:
        return []
    forks = children(pid)
    return [pid, *forks, *(worker for fork in forks for worker in children(fork))]


@pytest.mark.slow
def test_random_death_loses_nothing(place: Place, regions: list[Path]) -> None:
    chance, stored = random.Random(11), set[str]()
    running: list[subprocess.Popen[str]] = []
    tier, until, finished = LocalTier(place.cache), time.monotonic() + SECONDS, 0
    while time.monotonic() < until:
        while len(running) < PROGRAMS:
            running.append(start(place, regions, chance.randrange(4)))
        time.sleep(chance.uniform(0.2, 1.5))
        target = chance.random()
        if target < 0.2:
            running[0].kill()
        elif target < 0.6 and (found := victims(place)):
            with suppress(ProcessLookupError):
                os.kill(chance.choice(found), signal.SIGKILL)
        for process in [one for one in running if one.poll() is not None]:
            running.remove(process)
            out, err = process.communicate()
            finished += process.returncode == 0
            assert process.returncode in (0, 1, -signal.SIGKILL), err
            for line in out.splitlines():
                if process.returncode == 1 and " failed " in line:
                    assert any(text in line for text in ("worker", "translator", "forgetting")), line
        if chance.random() < 0.2:  # the cache begins anew, so that the work does not run out
            for path in place.cache.glob("v1/*/code/*/*"):
                path.unlink(missing_ok=True)
        now = {one.digest for one in tier.records()}
        assert stored <= now, "a stored record is gone"
        stored = now
    for process in running:
        assert process.wait(60) in (0, 1, -signal.SIGKILL)
        process.communicate()
    assert finished > 0
    done = place.run(*regions)
    assert done.returncode == 0, done.stdout
    for record in tier.records():
        key = bytes.fromhex(record.key)
        assert record.digest in {one.record.digest for one in tier.get(key)}, "a torn entry"
    assert not [path for path in place.cache.rglob("*.ccode") if path.stat().st_size < 1000]
