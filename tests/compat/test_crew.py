"""`cass eval --jobs`: the same results as in one process, and what happens when a process dies."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from cass_shim.compat import crew
from cass_shim.compat.crew import measure_shared
from cass_shim.compat.evaluate import Measured, Options
from cass_shim.compat.problems import Problem
from cass_shim.model.config import Config
from tests.compat.test_evaluate import problem


def several(folder: Path, *names: str) -> list[Problem]:
    return [dataclasses.replace(problem(folder), name=name) for name in names]


def untimed(found: Iterator[Measured]) -> list[Measured]:
    return sorted((dataclasses.replace(one, seconds=0.0) for one in found), key=lambda one: one.problem)


def test_several_processes_measure_what_one_does(tmp_path: Path) -> None:
    problems, config = several(tmp_path, "a", "b", "c"), Config.read({})
    shared = untimed(measure_shared(problems, "lift", config, Options(), jobs=2))
    assert shared == untimed(measure_shared(problems, "lift", config, Options(), jobs=1))
    assert [one.problem for one in shared] == ["a", "b", "c"] and all(one.verified for one in shared)


def dying(
    problems: Sequence[Problem], translator: str, config: Config, options: Options, jobs: int = 1
) -> Iterator[Measured]:
    """In place of `measure_all`, in a child: some problems end their process."""
    for one in problems:
        if one.name.startswith("abort"):
            os.abort()
        if one.name.startswith("kill"):
            os.kill(os.getpid(), signal.SIGKILL)
        yield Measured(one.name, one.group, translator, verified=True)


def child(link: object, problems: list[Problem], translator: str, config: Config, *rest: object) -> None:
    """`crew._child` with them."""
    crew.measure_all = dying
    CHILD(link, problems, translator, config, *rest)  # type: ignore[arg-type]


CHILD = crew._child


def test_what_a_process_died_over_is_named_and_the_rest_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "_child", child)
    problems = several(tmp_path, "a", "abort 1", "b", "kill 1", "c", "abort 2", "d")
    found = {one.problem: one for one in measure_shared(problems, "lift", Config.read({}), Options(), jobs=2)}
    assert sorted(found) == sorted(one.name for one in problems)
    assert all(found[name].verified for name in "abcd")
    for name in ("abort 1", "abort 2"):
        assert found[name].reason == "the process that measured it ended with status -6" and not found[name].lost
    assert found["kill 1"].lost == "the process that measured it ended with status -9"


KILLED = """
import sys, time
from cass_shim.compat import crew
from cass_shim.compat.evaluate import Options
from cass_shim.model.config import Config
from pathlib import Path
from tests.compat.test_crew import several, waiting
crew._child = waiting
problems = several(Path(sys.argv[1]), "a", "b")
list(crew.measure_shared(problems, "lift", Config.read({}), Options(), jobs=2))
"""


def waiting(link: object, problems: list[Problem], *rest: object) -> None:
    """`crew._child` with problems that take for ever."""
    crew.measure_all = sleeping
    CHILD(link, problems, *rest)  # type: ignore[arg-type]


def sleeping(problems: Sequence[Problem], *_: object) -> Iterator[Measured]:
    print(f"child {os.getpid()}", flush=True)
    time.sleep(600)
    yield from ()


def test_a_parent_that_is_killed_leaves_nobody_behind(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    assert parent.stdout is not None
    children = [int(parent.stdout.readline().split()[1]) for _ in range(2)]
    parent.kill()
    parent.wait()
    until = time.monotonic() + 20
    while (left := [one for one in children if Path(f"/proc/{one}").exists()]) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left
