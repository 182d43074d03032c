"""The short form of `python3 -m tools.memcheck`, and that it sees what it is for."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools.memcheck.__main__ import HEADING, check_program, copies, why_not
from tools.samples import PREBUILT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(why_not()), reason=why_not())]
WRONG = """
#include <stdlib.h>
int main(void) {
    char *lost = malloc(100);
    return lost[50] == 'x';
}
"""


def test_a_program_is_clean_under_memcheck(tmp_path: Path) -> None:
    found = check_program(PREBUILT / "vector_add_static", tmp_path, copies(tmp_path))
    assert [(one.situation, one.findings) for one in found] == [("warm", ()), ("served", ())]


def test_what_memcheck_says_is_read(tmp_path: Path) -> None:
    (tmp_path / "wrong.c").write_text(WRONG)
    subprocess.run(["cc", "-O0", "-o", tmp_path / "wrong", tmp_path / "wrong.c"], check=True)
    command = ["valgrind", "--leak-check=full", str(tmp_path / "wrong")]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    headings = HEADING.findall(said)
    assert len(headings) == 2
    assert (
        headings[0].startswith("Syscall param exit_group")
        and "100 bytes in 1 blocks are definitely lost" in headings[1]
    )
