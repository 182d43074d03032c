"""What native_names.c says of each instruction's registers, against what the interpreter's bodies do."""

from __future__ import annotations

import concurrent.futures
import re
import subprocess
from pathlib import Path

import pytest

from cass_shim.native.build import COMMON, GENERATED, NATIVE, baseline, build_all, compile_part, compiler
from cass_shim.native.parts import PARTS

SOURCE = Path(__file__).with_name("native_names.c")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The emulator's objects with the test's main."""
    build_all(["libamdhip64"])
    (part,) = (part for part in PARTS if "libamdhip64" in part.output)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        objects = compile_part(part, pool)
    target = tmp_path_factory.mktemp("names") / "names"
    tool = compiler()
    include = ("-I", str(NATIVE), "-I", str(GENERATED))
    command = [*tool, *COMMON, baseline(tool), *include, str(SOURCE), *map(str, objects), "-o", str(target)]
    subprocess.run([*command, "-lpthread", "-lm", "-ldl"], check=True, timeout=200)
    return target


@pytest.mark.parametrize("cases", [40_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_no_instruction_touches_what_it_does_not_name(program: Path, cases: int) -> None:
    done = subprocess.run([program, "7", str(cases)], capture_output=True, text=True, timeout=280, check=False)
    said = re.search(r"(\d+) opcodes, 0 wrong\n$", done.stdout)
    assert done.returncode == 0 and said, done.stdout + done.stderr
    assert int(said[1]) > 750  # of 891 that more cases reach
