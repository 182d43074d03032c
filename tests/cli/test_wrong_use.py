"""Every command with wrong input: what it says names the fault and what to do next."""

from __future__ import annotations

import os
import struct
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from cass_shim.cli.main import COMMANDS, cli
from cass_shim.native.build import BUILD

SAMPLE = Path(__file__).parents[2] / "examples" / "prebuilt" / "vector_add_static"

# The command line (FILE: a text file, DIR: a folder, PLAIN: a program without CUDA code, AMD: code for
# an AMD GPU) and what it must say.
CASES = {
    "inspec": "Did you mean 'inspect'",
    "cache statz": "Did you mean 'stats'",
    "inspect nothing": "nothing: no such file",
    "inspect FILE": "not an ELF file, a fatbinary, a cubin or PTX",
    "inspect DIR": "a folder; name a file in it",
    "inspect PLAIN": "no CUDA kernels (cass-run would run it unchanged)",
    "inspect AMD": "no CUDA kernels (built for an AMD GPU)",
    "explain nothing": "nothing: no such file",
    "precompile nothing": "nothing: no such file",
    "precompile FILE": "not an ELF file, a fatbinary, a cubin or PTX",
    "disasm FILE": "not an ELF file, a fatbinary, a cubin or PTX",
    "view nothing": "nothing: no such file",
    "view PLAIN": "libraries that it loads may hold them",
    "view SAMPLE -k absent": "no kernel absent; it has vector_add(float const*",
    "extract nothing": "nothing: no such file",
    "decode PLAIN": "libraries that it loads may hold them",
    "translate FILE": "not an ELF file, a fatbinary, a cubin or PTX",
    "translate SAMPLE --route xx": "known are cass, lift, ptx-hip",
    "assemble nothing.ll": "`cass translate` and `cass assemble` write such files",
    "assemble FILE": "file.json is not beside it",
    "verify nothing --against SAMPLE": "no such file",
    "run nothing": "nothing: not found in PATH",
    "capture nothing": "nothing: not found in PATH",
    "replay nothing": "nothing: no such file",
    "compat run nothing": "is no file, no folder and not in the suite",
    "compat run FILE": "name executable ELF files",
    "compat run PLAIN --routes xx": "--routes: no translator xx; there are cass, lift, ptx-hip",
    "compat run graph --variant xx": "no variant xx; there are: all, static-fat",
    "compat report FILE": "not compatibility results",
    "compat record nothing --golden DIR": "machine with an NVIDIA GPU",
    "eval FILE": "no kernels there",
    "completion tcsh": "'bash', 'zsh', 'fish'",
    "man nothing": "is not one of 'cass', 'cass-run'",
    "selftest --json nothing/report.json": "name another file with --json",
    "cache push": "CASS_REMOTES",
    "cache rollback nothing": "there is no local cache yet",
    "cache import FILE": "not a pack",
    "daemon nonsense": "No such command 'nonsense'",
}
WITHOUT_A_CASE = {"doctor"}  # it takes no input; "cass doctor --x" is click's own business


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CASS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("CASS_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.delenv("CASS_REMOTES", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "file.txt").write_text("hello\n")
    (tmp_path / "folder").mkdir()
    head = b"\x7fELF\x02\x01\x01\x40".ljust(16, b"\0") + struct.pack("<HH", 3, 224)  # a shared object for AMDGPU
    (tmp_path / "amd").write_bytes(head.ljust(64, b"\0"))
    return tmp_path


@pytest.mark.parametrize("line", CASES)
def test_wrong_use_is_told_what_to_do(line: str, folder: Path) -> None:
    stands = {"FILE": "file.txt", "DIR": "folder", "PLAIN": "/bin/echo", "AMD": "amd", "SAMPLE": str(SAMPLE)}
    done = CliRunner().invoke(cli, [stands.get(word, word) for word in line.split()])
    said = " ".join(f"{done.output} {done.exception}".split())
    assert CASES[line] in said
    assert "Traceback" not in said
    assert done.exit_code != 0 or line in ("inspect PLAIN", "inspect AMD")
    assert not (folder / "run").exists(), "the daemon was started for nothing"


def test_every_command_has_a_case() -> None:
    assert {line.split()[0] for line in CASES} >= set(COMMANDS) - WITHOUT_A_CASE


def test_cass_run_says_where_the_program_is(folder: Path) -> None:
    (folder / "app").write_text("#!/bin/sh\n")
    done = subprocess.run([BUILD / "cass-run", "app"], capture_output=True, text=True, check=False)
    assert done.returncode in (126, 127)
    (folder / "bin").mkdir()
    env = {"PATH": str(folder / "bin")}
    done = subprocess.run([BUILD / "cass-run", "app"], capture_output=True, text=True, check=False, env=env)
    assert done.stderr == "cass-run: app: not found in PATH; the file here is called ./app\n"
    assert done.returncode == 127


@pytest.mark.parametrize("command", ["view", "precompile", "daemon start"])
def test_a_daemon_without_a_place_is_told_with_what_to_set(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where /tmp is mounted read-only: os.access() says so to root too."""
    (folder / "run").mkdir(mode=0o700)
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("/run"))
    done = CliRunner().invoke(cli, [*command.split(), *([] if command == "daemon start" else [str(SAMPLE)])])
    said = " ".join(f"{done.output} {done.exception}".split())
    assert "/run cannot be written; set CASS_RUNTIME_DIR to a directory of yours" in said
    assert done.exit_code != 0
    assert not list((folder / "run").iterdir())
