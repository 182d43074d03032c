"""What goes into a wheel is the same wherever and whenever it is built; the comparison sees what is not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from cass_shim.native.build import NATIVE
from cass_shim.selftest import material
from tools.wheel import differences

PACKAGE = NATIVE.parent
BUILD = """
import sys
sys.path.insert(0, sys.argv[1])
from cass_shim.native import build
assert str(build.NATIVE).startswith(sys.argv[1])
build.build_all(["libnvToolsExt"], reproducible=sys.argv[2] == "maps")
"""


def native_part(root: Path, how: str) -> bytes:
    """A small part, built from a copy of the sources below `root`."""
    shutil.copytree(PACKAGE, root / "cass_shim", ignore=shutil.ignore_patterns("_build", "__pycache__", "checkpoint"))
    subprocess.run([sys.executable, "-I", "-c", BUILD, str(root), how], check=True, cwd=root, timeout=200)
    return (root / "cass_shim" / "native" / "_build" / "libnvToolsExt.so.1").read_bytes()


@pytest.mark.slow
def test_native_parts_do_not_tell_where_they_were_built(tmp_path: Path) -> None:
    first = native_part(tmp_path / "first", "maps")
    assert str(tmp_path).encode() not in first
    assert native_part(tmp_path / "second" / "longer", "maps") == first
    assert str(tmp_path).encode() in native_part(tmp_path / "third", "plain"), "without the maps the place is in it"


def test_the_self_test_s_archive_is_the_same_whenever_it_is_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archives = []
    for number in range(2):
        checkout = tmp_path / f"checkout{number}"
        file = checkout / "examples" / "prebuilt" / "program"
        file.parent.mkdir(parents=True)
        file.write_bytes(b"content")
        os.utime(file, (1_500_000_000 + 86_400 * number,) * 2)
        file.chmod(0o755 if number else 0o664)
        monkeypatch.setattr(material, "CHECKOUT", checkout)
        material.pack(tmp_path / f"{number}.zip")
        archives.append((tmp_path / f"{number}.zip").read_bytes())
    assert archives[0] == archives[1]


def test_every_kind_of_difference_is_named(tmp_path: Path) -> None:
    def wheel(folder: str, content: bytes, mode: int, year: int) -> Path:
        path = tmp_path / folder / "a-1-py3-none-any.whl"
        path.parent.mkdir()
        with zipfile.ZipFile(path, "w") as archive:
            entry = zipfile.ZipInfo("a/file", (year, 1, 1, 0, 0, 0))
            entry.external_attr = mode << 16
            archive.writestr(entry, content)
        return path

    first = wheel("1", b"x", 0o644, 1980)
    assert differences(first, wheel("2", b"x", 0o644, 1980)) == []
    others = [wheel("3", b"y", 0o644, 1980), wheel("4", b"x", 0o664, 1980), wheel("5", b"x", 0o644, 1981)]
    assert [differences(first, one) for one in others] == [
        ["a/file: content"], ["a/file: external_attr"], ["a/file: date_time"],
    ]  # fmt: skip
