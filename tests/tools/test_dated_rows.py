"""Rows of campaigns go above their tool's mark, and nowhere silently."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.dated_rows import PAGE, add_rows, mark


def test_rows_stand_above_their_mark(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"| a |\n{mark('soak')}\n{mark('forks')}\n")
    add_rows("forks", ["| 1 |", "| 2 |"], page)
    assert page.read_text() == f"| a |\n{mark('soak')}\n| 1 |\n| 2 |\n{mark('forks')}\n"


def test_a_page_without_the_place_is_named(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing\n")
    with pytest.raises(SystemExit, match=r"rows of tools\.soak"):
        add_rows("soak", ["| 1 |"], page)
    assert page.read_text() == "nothing\n"


@pytest.mark.parametrize("tool", ["faults", "forks", "fuzz", "memcheck", "soak"])
def test_the_hardening_page_has_a_place_for_each_tool(tool: str) -> None:
    assert PAGE.read_text().count(mark(tool)) == 1
