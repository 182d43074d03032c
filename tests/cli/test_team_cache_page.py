"""docs/team-cache.md, typed as it stands: a real server, a machine that translates, and a desk."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from socket import create_connection

import pytest

from tests.cache.servers import program
from tests.cli.conftest import ROOT, SAMPLES
from tools import environment
from tools.team_servers import free_port

PAGE = ROOT / "docs" / "team-cache.md"
BLOCK = re.compile(r"^```\n# (.*)\n((?:.*\n)*?)```$", re.MULTILINE)


class Team:
    """Machines with homes of their own; a machine's `export` lasts, as in a shell."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.key = folder, free_port(), ""
        self.homes: dict[str, dict[str, str]] = {}
        binaries = folder / "bin"
        binaries.mkdir()
        (binaries / "cass").write_text(f'#!/bin/sh\nexec {sys.executable} -m cass_shim.cli.main "$@"\n')
        (binaries / "cass").chmod(0o755)
        (folder / "build").mkdir()
        shutil.copy(SAMPLES / "vector_add_static", folder / "build" / "vector_add")
        self.path = f"{binaries}:{environment.launcher().parent}:{os.environ['PATH']}"

    def words(self, text: str) -> str:
        """The page's addresses and folders as they are here."""
        text = text.replace("0.0.0.0:8980", f"127.0.0.1:{self.port}").replace("192.0.2.10", "127.0.0.1")
        text = text.replace("cache.example:8980", f"127.0.0.1:{self.port}")
        return text.replace("/srv/cass", f"{self.folder}/srv").replace("/net/cass", f"{self.folder}/net")

    def environment(self, machine: str) -> dict[str, str]:
        home = self.folder / machine
        first = {
            "PATH": self.path,
            "HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "CASS_CACHE_DIR": str(home / "cache"),
            "CASS_RUNTIME_DIR": str(home / "run"),
            "CASS_PYTHON": sys.executable,
            "CASS_DEVICE": "emulated",
            "CASS_IDLE": "60",
            "KEY": self.key,
        }
        return self.homes.setdefault(machine, first)

    def type(self, machine: str, block: str) -> str:
        """Every line of a block in a shell of that machine; each must succeed. Returns all output."""
        own = self.environment(machine) | {"KEY": self.key}
        script = f"set -e\n{self.words(block)}\nexport -p > {self.folder}/exports"
        done = subprocess.run(
            ["bash", "-c", script], env=own, cwd=self.folder, capture_output=True, text=True, timeout=200, check=False
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}{done.stderr}"
        for name, value in re.findall(r'^declare -x (CASS_\w+)="(.*)"$', (self.folder / "exports").read_text(), re.M):
            own[name] = value
        self.homes[machine] = own
        return done.stdout

    def stop(self) -> None:
        for own in self.homes.values():
            subprocess.run(["cass", "daemon", "stop"], env=own, capture_output=True, check=False, timeout=60)


def test_what_the_page_says_shows_it_is_there() -> None:
    page = PAGE.read_text()
    tests, modules = re.findall(r"tests/[\w/]+\.py", page), re.findall(r"-m (tools\.\w+)", page)
    assert (len(tests) > 20, len(modules) > 3) == (True, True)
    assert [one for one in tests if not (ROOT / one).is_file()] == []
    assert [one for one in modules if find_spec(one) is None] == []


@pytest.mark.slow
def test_the_page_typed_as_it_stands(tmp_path: Path) -> None:
    program("nginx", "nginx-light")
    blocks = dict(BLOCK.findall(PAGE.read_text()))
    server, once, ci, desk, tidy = blocks.values()
    assert [one.partition(":")[0] for one in blocks] == [
        "on the server", "in CI, once", "in CI", "on a desk", "where the directory is"
    ]  # fmt: skip
    team = Team(tmp_path)
    command = ["bash", "-c", f"exec {team.words(server)}"]
    serving = subprocess.Popen(command, env=team.environment("server"), cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until and serving.poll() is None:
            with suppress(OSError), create_connection(("127.0.0.1", team.port), 1):
                break
            time.sleep(0.1)
        team.key = team.type("ci", once).strip()
        assert team.key.startswith("ci-1:")
        assert team.type("ci", ci) == "1 of 1 kernels are in the cache\n"
        assert len(list((tmp_path / "srv" / "store" / "ac").iterdir())) == 1, "the place has it when the command ends"
        shown = team.type("desk", desk)
        assert "1 kernels fetched, 0 not in the team's caches" in shown
        assert "vector_add: PASS" in shown
        assert 'cass_cache_counters_total{kind="translations"}' not in shown, "the desk translated nothing"
        assert "0 translations stay; 0 unlisted" in team.type("ci", tidy)
    finally:
        team.stop()
        serving.terminate()
        serving.wait(30)


@pytest.mark.slow
def test_a_place_that_takes_nothing_fails_the_build(tmp_path: Path) -> None:
    """CI must hear of it: everything is translated, and nobody else will get it."""
    team = Team(tmp_path)
    team.type("ci", "cass cache keygen ci-1")
    own = team.environment("ci") | {"CASS_REMOTES": "http://127.0.0.1:9", "CASS_REMOTE_ROLE": "write"}
    done = subprocess.run(
        ["cass", "precompile", "build/"],
        env=own,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    team.homes["ci"] = own
    team.stop()
    assert (done.returncode, done.stdout) == (1, "1 of 1 kernels are in the cache\n")
    assert "team cache http://127.0.0.1:9: trouble" in done.stderr
    assert "cass cache push" in done.stderr
