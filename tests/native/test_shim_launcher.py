"""cass-run: exit codes and reasons, the environment it sets, programs it must not disturb."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cass_shim.model import config
from tests.native.shim_support import NEED_GCC, built, cass_run, compile_c

pytestmark = pytest.mark.skipif(bool(NEED_GCC), reason=NEED_GCC)
SEVEN = "int main(void) { return 7; }"


@pytest.fixture
def seven(tmp_path: Path) -> Path:
    return compile_c(SEVEN, tmp_path / "seven")


def test_exit_status_is_the_programs(seven: Path) -> None:
    done = cass_run(seven)
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")


def test_signal_is_the_programs(tmp_path: Path) -> None:
    program = compile_c("#include <stdlib.h>\nint main(void) { abort(); }", tmp_path / "aborts")
    assert cass_run(program).returncode == -signal.SIGABRT


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        ([], 125, "no program given"),
        (["--frobnicate", "true"], 125, "unknown option --frobnicate"),
        (["--device"], 125, "--device needs a value"),
        (["no-such-program-here"], 127, "no-such-program-here"),
        (["/no/such/program"], 127, "No such file"),
        (["/"], 126, "directory"),
    ],
)
def test_own_failures(arguments: list[str], code: int, text: str) -> None:
    done = cass_run(*arguments)
    assert done.returncode == code
    assert text in done.stderr
    assert done.stderr.startswith("cass-run: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("flag", "text"), [("-static", "no PT_INTERP"), ("-static-pie", "static-pie")])
def test_static_programs(tmp_path: Path, flag: str, text: str) -> None:
    done = cass_run(compile_c(SEVEN, tmp_path / "program", flag))
    assert done.returncode == 126
    assert text in done.stderr


def test_not_executable(seven: Path) -> None:
    seven.chmod(0o644)
    done = cass_run(seven)
    assert done.returncode == 126
    assert "Permission denied" in done.stderr


@pytest.mark.parametrize("length", [20, 70, 2000])
def test_truncated_program(seven: Path, length: int) -> None:
    seven.write_bytes(seven.read_bytes()[:length])
    done = cass_run(seven)
    assert done.returncode == 126
    assert "truncated" in done.stderr


def test_32_bit_program(seven: Path) -> None:
    image = bytearray(seven.read_bytes())
    image[4] = 1  # EI_CLASS: ELFCLASS32
    seven.write_bytes(image)
    done = cass_run(seven)
    assert done.returncode == 126
    assert "32-bit" in done.stderr


def test_other_processor(seven: Path) -> None:
    image = bytearray(seven.read_bytes())
    image[18:20] = (183).to_bytes(2, "little")  # e_machine: EM_AARCH64
    seven.write_bytes(image)
    done = cass_run(seven)
    assert done.returncode == 126
    assert "another processor" in done.stderr


def test_musl_program(seven: Path) -> None:
    image = seven.read_bytes()
    assert image.count(b"/lib64/ld-linux-x86-64.so.2\0") == 1
    seven.write_bytes(image.replace(b"/lib64/ld-linux-x86-64.so.2\0", b"/lib/ld-musl-x86_64.so.1\0\0\0\0"))
    done = cass_run(seven)
    assert done.returncode == 126
    assert "musl" in done.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="giving a program to another user needs root")
def test_set_user_id_program(seven: Path) -> None:
    os.chown(seven, 65534, -1)
    seven.chmod(0o4755)
    done = cass_run(seven)
    assert done.returncode == 126
    assert "set-user-id" in done.stderr


@pytest.mark.parametrize("first", ["#!{python}", "#!/usr/bin/env python3", "#!/usr/bin/env -S python3 -u"])
def test_scripts(tmp_path: Path, first: str) -> None:
    script = tmp_path / "script"
    script.write_text(first.format(python=sys.executable) + "\nimport sys\nprint(sys.argv[1:])\nsys.exit(9)\n")
    script.chmod(0o755)
    done = cass_run(script, "a b", "--device")
    assert (done.returncode, done.stdout) == (9, "['a b', '--device']\n")


def test_script_without_first_line_is_the_shells(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("exit 5\n")
    script.chmod(0o755)
    assert cass_run(script).returncode == 5


def test_script_of_a_static_interpreter(tmp_path: Path) -> None:
    interpreter = compile_c(SEVEN, tmp_path / "interpreter", "-static")
    script = tmp_path / "script"
    script.write_text(f"#!{interpreter}\n")
    script.chmod(0o755)
    done = cass_run(script)
    assert done.returncode == 126
    assert str(interpreter) in done.stderr


@pytest.mark.parametrize("flag", ["--dry-run", "--explain"])
def test_python_does_what_needs_the_pipeline(tmp_path: Path, seven: Path, flag: str) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nprintf "%s|" "$@"; echo "$CASS_DEVICE"; exit 11\n')
    python.chmod(0o755)
    done = cass_run(f"--python={python}", "--device=emulated", flag, "--", seven, "--help", "a b")
    assert done.returncode == 11
    assert done.stdout == f"-m|cass_shim.cli.main|run|{flag}|--|{seven}|--help|a b|emulated\n"


def test_double_dash_ends_the_options(tmp_path: Path) -> None:
    program = compile_c("int main(int count, char **arguments) { return arguments[1][2] + count; }", tmp_path / "--odd")
    assert cass_run("--", program, "--device").returncode == ord("d") + 2


def test_every_setting_is_a_flag() -> None:
    words = {name: f"value-of-{name}" for name in config.FIELDS if name not in ("trace", "trace_file")}
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in words.items()]
    done = cass_run(*flags, "env")
    seen = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    assert {name: seen[config.variable(name)] for name in words} == words
    help_text = cass_run("--help").stdout
    assert all(f"--{name.replace('_', '-')} " in help_text for name in config.FIELDS)


def test_environment_is_extended_not_replaced(tmp_path: Path) -> None:
    own = compile_c("int nothing;", tmp_path / "libown.so", "-shared", "-fPIC")
    done = cass_run("env", environment={"LD_PRELOAD": str(own), "LD_LIBRARY_PATH": "/somewhere"})
    seen = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    assert seen["LD_PRELOAD"].startswith(f"{own}:{built()}/libcass_shim.so:")
    assert seen["LD_LIBRARY_PATH"] == f"{built()}:/somewhere"


def test_nested_launchers_add_nothing_twice() -> None:
    done = cass_run(built() / "cass-run", "env")
    seen = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    assert seen["LD_PRELOAD"].count("libcass_shim.so") == 1


def test_a_folder_with_a_space_in_its_name(tmp_path: Path, seven: Path) -> None:
    folder = tmp_path / "with a space"
    folder.mkdir()
    for path in built().iterdir():
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
            (folder / path.name).chmod(0o755)
    done = subprocess.run([folder / "cass-run", "env"], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert "LD_PRELOAD=libcass_shim.so:" in done.stdout


def test_incomplete_installation_is_named(tmp_path: Path) -> None:
    (tmp_path / "cass-run").write_bytes((built() / "cass-run").read_bytes())
    (tmp_path / "cass-run").chmod(0o755)
    done = subprocess.run([tmp_path / "cass-run", "true"], capture_output=True, text=True, check=False)
    assert done.returncode == 125
    assert "installation is incomplete" in done.stderr


def test_binds_completely_in_a_plain_program(seven: Path) -> None:
    """Nothing beyond libc is needed: every symbol resolves at start."""
    done = cass_run(seven, environment={"LD_BIND_NOW": "1"})
    assert (done.returncode, done.stderr) == (7, "")
    listed = subprocess.run(["ldd", built() / "libcass_shim.so"], capture_output=True, text=True, check=True).stdout
    names = {line.split()[0].split("/")[-1] for line in listed.splitlines()}
    assert names <= {"linux-vdso.so.1", "libc.so.6", "ld-linux-x86-64.so.2", "libpthread.so.0", "libdl.so.2"}


def test_plain_program_starts_no_thread_and_opens_nothing(tmp_path: Path) -> None:
    source = r"""
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
static int entries(const char *path) {
    int count = 0;
    DIR *folder = opendir(path);
    for (struct dirent *one; (one = readdir(folder));) count += one->d_name[0] != '.';
    return closedir(folder), count;
}
int main(void) {
    printf("%d threads, %d descriptors, errno %d\n", entries("/proc/self/task"), entries("/proc/self/fd"), errno);
    return 0;
}
"""
    program = compile_c(source, tmp_path / "looks")
    bare = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert cass_run(program).stdout == bare
