"""What an idle daemon gives back: its workers, then itself, sooner where memory is short or many daemons run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
from pathlib import Path

import pytest

from cass_shim.daemon import thrift, workers
from cass_shim.daemon.thrift import HURRIED_S, MANY, daemons, is_swollen, memory_is_tight, patience
from cass_shim.daemon.workers import ProcessPool, Zygote
from cass_shim.model.config import Config

PLENTY = "MemTotal:       24000000 kB\nMemFree: 1 kB\nMemAvailable:   12000000 kB\n"
LITTLE = "MemTotal:       24000000 kB\nMemFree: 1 kB\nMemAvailable:    2900000 kB\n"


@pytest.mark.parametrize(("text", "tight"), [(PLENTY, False), (LITTLE, True), ("nonsense\n", False), ("", False)])
def test_memory_is_tight_below_an_eighth(tmp_path: Path, text: str, tight: bool) -> None:
    file = tmp_path / "meminfo"
    file.write_text(text)
    assert memory_is_tight(file) is tight


def test_this_machine_says_how_much_memory_is_left() -> None:
    assert memory_is_tight(Path("/proc/meminfo")) in (True, False)
    assert not memory_is_tight(Path("/nowhere"))


def test_the_fifth_daemon_of_a_user_makes_all_hurry(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text(PLENTY)
    runtime = tmp_path / "run"
    runtime.mkdir()
    (runtime / "0123.lock").touch()
    (runtime / "0123.log").touch()
    with contextlib.ExitStack() as held:
        for number in range(MANY + 1):
            assert patience(600, runtime, meminfo) == 600
            one = held.enter_context(socket.socket(socket.AF_UNIX))
            one.bind(os.path.relpath(runtime / f"{number:016x}"))
            assert daemons(runtime) == number + 1
        assert patience(600, runtime, meminfo) == HURRIED_S
        assert patience(20, runtime, meminfo) == 20  # never longer than configured
    meminfo.write_text(LITTLE)
    assert patience(600, tmp_path / "none", meminfo) == HURRIED_S


def test_workers_without_a_job_end_and_swollen_ones_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "WARM", ())
    zygote = Zygote(Config())

    async def use() -> None:
        pool = ProcessPool(zygote, 2)
        async with pool.worker() as first:
            pass
        pool.tidy()
        assert pool.idle == [first] and first.is_alive
        async with pool.worker() as again:
            assert again is first  # a warm one is taken first
        first.idle_since = time.monotonic() - workers.WORKER_IDLE_S - 1
        pool.tidy()
        assert not pool.idle
        assert await asyncio.wait_for(first.reader.read(), 10) == b""  # its process is gone
        monkeypatch.setattr(thrift, "WORKER_KEPT_BYTES", 1 << 12)
        async with pool.worker() as second:
            assert second.pid != first.pid and is_swollen(second.pid)
        assert not pool.idle and not second.is_alive
        pool.close()

    asyncio.run(use())
