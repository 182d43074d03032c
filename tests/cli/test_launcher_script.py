"""The `cass-run` that a wheel puts into `bin/`: it becomes the launcher, and starts Python only where it must."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cass_shim import __version__
from cass_shim.native.build import BUILD
from tests.cli.conftest import ROOT
from tools.shell_pages import SHARE

pytestmark = pytest.mark.skipif(not (BUILD / "cass-run").exists(), reason="cass-run is not built")


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """The script in an environment whose Python only says that it was started."""
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python3"
    python.write_text('#!/bin/sh\nprintf "python with %s\\n" "$3"\n')
    python.chmod(0o755)
    return Path(shutil.copy(SHARE / "bin" / "cass-run", tmp_path / "bin"))


def install(script: Path, version: str) -> None:
    """The package as a wheel would lie there."""
    packages = script.parents[1] / "lib" / version / "site-packages"
    packages.mkdir(parents=True)
    (packages / "cass_shim").symlink_to(ROOT / "cass_shim")


def run(script: Path, argument: str) -> str:
    done = subprocess.run([script, argument], capture_output=True, text=True, check=True, timeout=20)
    return done.stdout


def test_it_becomes_the_launcher(script: Path) -> None:
    install(script, "python3.12")
    assert run(script, "--version") == f"cass-run {__version__}\n"


def test_it_is_found_through_a_link(script: Path, tmp_path: Path) -> None:
    install(script, "python3.12")
    (tmp_path / "elsewhere").symlink_to(script)
    assert run(tmp_path / "elsewhere", "--version") == f"cass-run {__version__}\n"


def test_python_decides_where_there_is_none_or_several(script: Path) -> None:
    assert run(script, "--some") == "python with --some\n"
    install(script, "python3.12")
    install(script, "python3.13")
    assert run(script, "--some") == "python with --some\n"


def test_it_can_be_executed() -> None:
    assert (SHARE / "bin" / "cass-run").stat().st_mode & 0o111
