"""The builder compiles an object again when something that it was made of has changed, and only then."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cass_shim.model.errors import ToolFailed
from cass_shim.native.build import COMMON, build_all, compile_once, compiler, included, warnings
from cass_shim.native.client.generate import build_python

NEWEST_TRIED = 16  # GCC; zig's clang is what pyproject.toml allows


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A source that includes one of two headers, in a folder with names that make has to quote."""
    folder = tmp_path / "a folder $1 #2"
    folder.mkdir()
    (folder / "main.c").write_text('#include "used.h"\nint value(void);\nint value(void) { return USED; }\n')
    (folder / "used.h").write_text("#define USED 1\n")
    (folder / "other.h").write_text("#define OTHER 1\n")
    for path in folder.iterdir():
        os.utime(path, (0, 0))
    return folder


def compiled(folder: Path, *flags: str) -> int:
    """Compiles it, and says which file is there now."""
    command = [*compiler(), *COMMON, "-I", str(folder), *flags, "-c", str(folder / "main.c")]
    return compile_once(command, folder / "out" / "main.c.o").stat().st_ino


def test_nothing_is_compiled_twice(tree: Path) -> None:
    first = compiled(tree)
    assert included(tree / "out" / "main.c.d") == [tree / "main.c", tree / "used.h"]
    (tree / "other.h").write_text("#define OTHER 2\n")
    os.utime(tree / "used.h")
    assert compiled(tree) == first


@pytest.mark.parametrize("name", ["main.c", "used.h"])
def test_a_changed_file_is_compiled_again(tree: Path, name: str) -> None:
    first = compiled(tree)
    (tree / name).write_text((tree / name).read_text() + "extern int more;\n")
    os.utime(tree / name, (0, 0))
    second = compiled(tree)
    assert second != first and compiled(tree) == second


def test_other_options_compile_again(tree: Path) -> None:
    assert compiled(tree) != compiled(tree, "-DMORE=1")


def test_what_a_compiler_warns_of_is_kept_and_stops_nothing(tree: Path) -> None:
    compiled(tree)
    said = tree / "out" / "main.c.warnings"
    assert said.read_text() == ""
    (tree / "main.c").write_text((tree / "main.c").read_text() + "static int nobody(void) { return 1; }\n")
    compiled(tree)
    assert "nobody" in said.read_text()


def test_a_header_that_is_gone_is_the_compilers_error(tree: Path) -> None:
    compiled(tree)
    (tree / "used.h").unlink()
    with pytest.raises(ToolFailed, match=r"used\.h"):
        compiled(tree)


def test_a_file_changed_while_it_is_compiled_is_compiled_again(tree: Path) -> None:
    command = [*compiler(), *COMMON, "-I", str(tree), "-c", str(tree / "main.c")]
    late = ["sh", "-c", '"$@" && echo "extern int more;" >> "$0"', str(tree / "used.h")]
    compile_once([*late, *command], tree / "out" / "main.c.o")
    assert not (tree / "out" / "main.c.stamp").exists()


def test_a_python_without_the_requirements_names_the_checkouts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python3 -m tools.…` outside the environment builds too; a program's daemon could not start with that Python."""
    assert build_python(tmp_path) == sys.executable
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert build_python(tmp_path) == sys.executable
    beside = tmp_path / ".venv" / "bin" / "python"
    beside.parent.mkdir(parents=True)
    beside.touch()
    assert build_python(tmp_path) == str(beside)


def test_our_own_sources_compile_without_a_word() -> None:
    """Warnings stop no build, since a user's compiler may know more of them; those that were tried have none."""
    version = subprocess.run([*compiler(), "-dumpversion"], capture_output=True, text=True, check=True).stdout
    if "ziglang" not in compiler() and int(version.split(".")[0]) > NEWEST_TRIED:
        pytest.skip(f"{compiler()[0]} {version.strip()} is newer than any that was tried")
    build_all()
    assert warnings() == ""
