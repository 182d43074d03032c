"""An opcode row without a C body does not link; with the rows as they are, the same command does."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cass_shim.isa.rdna3 import generate
from cass_shim.isa.rdna3.row import Row
from cass_shim.native.build import COMMON, GENERATED, NATIVE, compile_part, compiler
from cass_shim.native.parts import PARTS

DISPATCH = "v2.emulator_dispatch.c.o"
LATER = Row("VOP1", 200, "v_later_b32", "b32", ("b32",), "v_later_b32")


def linked(rows: tuple[Row, ...], folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the linker complains of when the library's dispatch table is made of other rows."""
    (part,) = (part for part in PARTS if part.output.endswith("libamdhip64.so"))
    with ThreadPoolExecutor(1) as pool:
        objects = [path for path in compile_part(part, pool) if not path.name.endswith(DISPATCH)]
    monkeypatch.setattr(generate, "all_rows", lambda: rows)
    generate.generate(folder)
    source, table = str(NATIVE / "emulator" / "dispatch.c"), str(folder / "dispatch.o")
    include = ("-I", str(folder), "-I", str(NATIVE), "-I", str(GENERATED))
    command = [*compiler(part.clang), *COMMON, *part.flags, "-DEMU_VARIANT=v2", *include, "-c", source, "-o", table]
    subprocess.run(command, check=True, capture_output=True)
    command = [*compiler(), *map(str, objects), table, *part.link, "-o", str(folder / "library.so")]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_a_row_without_a_body_does_not_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    complaint = linked((*generate.all_rows(), LATER), tmp_path, monkeypatch)
    assert "undefined" in complaint and "emu_v2_v_later_b32" in complaint


def test_the_rows_as_they_are_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert linked(generate.all_rows(), tmp_path, monkeypatch) == ""
