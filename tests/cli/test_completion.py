"""Completion scripts in the shells themselves, where they are installed, and man pages through groff."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from cass_shim.cli.completion import SHELLS
from cass_shim.cli.main import COMMANDS, cli
from cass_shim.cli.manpage import PAGES
from cass_shim.cli.parsers import cass, cass_run
from cass_shim.model.config import FIELDS
from cass_shim.native.build import BUILD
from tools.shell_pages import SHARE, shell_pages

# What a user has typed → what must be offered, and no more where the last member says so.
TYPED = [
    ("cass vi", {"view"}, True),
    ("cass cache p", {"pull", "push"}, True),
    ("cass selftest --j", {"--json"}, True),
    ("cass completion ", {"bash", "zsh", "fish"}, False),
    ("cass view exa", {"example"}, True),
    ("cass-run --min", {"--min-evidence"}, True),
    ("cass-run --device ", {"auto", "hip", "emulated"}, True),
    ("cass-run --device hip exa", {"example"}, True),
    ("cass-run --quiet exa", {"example"}, True),
    ("cass-run ./example --dev", set(), True),  # the program's own options
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "example").write_text("")
    return tmp_path


def test_the_trees_hold_every_command_and_flag() -> None:
    names = {one.path for one in cass().walk()}
    assert {f"cass {name}" for name in COMMANDS} <= names
    flags = {name for option in cass_run().options for name in option.names}
    assert {f"--{name.replace('_', '-')}" for name in FIELDS} <= flags


@pytest.mark.skipif(not (BUILD / "cass-run").exists(), reason="cass-run is not built")
def test_cass_runs_tree_is_what_it_prints() -> None:
    shown = subprocess.run([BUILD / "cass-run", "--help"], capture_output=True, text=True, check=True).stdout
    printed = re.findall(r"^  (--[\w-]+)", shown, re.MULTILINE)
    assert printed == [name for option in cass_run().options for name in option.names]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(("typed", "wanted", "only"), TYPED)
def test_bash(typed: str, wanted: set[str], only: bool, folder: Path) -> None:
    script = SHELLS["bash"]() + (
        'COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _cass; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    command = ["bash", "-c", script, "-", *typed.split(" ")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=20)
    check(set(done.stdout.split()), wanted, only)
    assert not done.stderr


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
@pytest.mark.parametrize(("typed", "wanted", "only"), TYPED)
def test_fish(typed: str, wanted: set[str], only: bool, folder: Path) -> None:
    (folder / "cass.fish").write_text(SHELLS["fish"]())
    line = f"source cass.fish; complete -C '{typed}'"
    environment = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "c")}
    done = subprocess.run(
        ["fish", "--no-config", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, check=True,
        timeout=20,
    )  # fmt: skip
    check({one.split("\t")[0] for one in done.stdout.splitlines()}, wanted, only)


def check(offered: set[str], wanted: set[str], only: bool) -> None:
    """All that is wanted is offered, and nothing else where `only`."""
    assert wanted <= offered
    assert offered == wanted or not only


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("cass vi", "cass view"),
        ("cass selftest --j", "cass selftest --json="),
        ("cass completion z", "cass completion zsh"),
        ("cass view exa", "cass view example"),
        ("cass cache gc --s", "cass cache gc --size="),
        ("cass-run --min", "cass-run --min-evidence="),
        ("cass-run --device=em", "cass-run --device=emulated"),
    ],
)
def test_zsh(typed: str, line: str, folder: Path) -> None:
    """An interactive shell on a terminal: typed, Tab, and what the line is then."""
    (folder / "f").mkdir()
    (folder / "f" / "_cass").write_text(SHELLS["zsh"]())
    (folder / ".zshrc").write_text(
        "PS1=; unsetopt zle_bracketed_paste; fpath=($PWD/f $fpath); autoload -Uz compinit; compinit -u -D\n"
        "show() { print -r -- \"LINE<$BUFFER>\" }; zle -N show; bindkey '^X' show; print READY\n"
    )
    assert in_terminal(["zsh", "-i"], folder, typed + "\t\x18") == line


def in_terminal(command: list[str], folder: Path, keys: str) -> str:
    """The line that the keys make, once the shell has said READY."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        environment = {"TERM": "vt100", "HOME": str(folder), "PATH": os.environ["PATH"], "ZDOTDIR": str(folder)}
        os.execvpe(command[0], command, environment)
    text, typed, end = "", False, time.monotonic() + 30
    try:
        while time.monotonic() < end and not re.search(r"LINE<.*>", text):
            if select.select([terminal], [], [], 0.2)[0]:
                text += os.read(terminal, 65536).decode(errors="replace")
            if not typed and "READY" in text:
                os.write(terminal, keys.encode())
                typed = True
    finally:
        os.kill(child, signal.SIGKILL)
        os.close(terminal)
        os.waitpid(child, 0)
    found = re.search(r"LINE<(.*)>", text)
    return found.group(1).rstrip() if found else text


@pytest.mark.parametrize("shell", SHELLS)
def test_every_script_parses_and_names_every_command(shell: str) -> None:
    text = CliRunner().invoke(cli, ["completion", shell]).output
    for one in (*cass().walk(), *cass_run().walk()):
        assert one.name in text
        for name in (name for option in one.options for name in option.names):
            assert name.lstrip("-") in text, (one.path, name)
    if shutil.which(shell):
        subprocess.run([shell, "-n", "/dev/stdin"], input=text, text=True, check=True, timeout=20)


def test_what_a_wheel_installs_is_up_to_date() -> None:
    for name, content in shell_pages().items():
        assert (SHARE / name).read_text() == content, f"{name}: run python3 -m tools.shell_pages"


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_finds_cass_run_by_its_own_file() -> None:
    done = subprocess.run(
        ["bash", "-c", f". {SHARE}/bash/cass-run; complete -p cass-run"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "complete -F _cass cass-run\n"


@pytest.mark.parametrize("page", PAGES)
def test_man_pages_hold_every_option_and_groff_has_no_complaint(page: str) -> None:
    text = CliRunner().invoke(cli, ["man", page]).output
    plain = text.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
    tree = cass() if page == "cass" else cass_run()
    for one in tree.walk():
        assert one.path in plain
        for option in one.options:
            assert option.names[0] in plain, (one.path, option.names)
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-z"], input=text, text=True, capture_output=True, check=True, timeout=20
        )
        assert not done.stderr
