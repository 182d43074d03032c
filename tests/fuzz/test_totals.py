"""What campaigns add up to is read from the page that they write, and a line that is none is not passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.dated_rows import PAGE
from tools.fuzz import campaigns, totals
from tools.fuzz.__main__ import chosen
from tools.fuzz.engine import Result

PAGE_TEXT = f"""# Page
| 2026-11-22 | wire | 999999999 | 1 | another table |
{campaigns.HEAD}
|---|---|---|---|---|---|---|
| 2026-11-22 | wire | 600000 | 10 | 3 lines | 0 | Python |
| 2026-11-22 | wire | 400000 | 10.5 | 3 lines | 0 | Python; 2 processes |
| 2026-11-22 | gone | 5 | 10 | 3 lines | 0 | Python |
| 2026-11-23 | ptx | 20 | 600 | 3 lines | 1 | Python; 15 processes; then Python; 5 processes |
| 2026-11-23 | pack | 20 | 9000 | 3 lines | 0 | Python; 7 s of processor |
| 2026-11-23 | pack | 20 | 9000 | 3 lines | 0 | Python; 2 minutes of processor, on a loaded machine |
<!-- rows of tools.fuzz -->
| 2026-11-22 | warm | 1 | 1 | behind the mark |
"""


def test_cases_and_hours_are_added_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A million cases are enough; of several runs the fewest processes count; processor time goes first."""
    found = totals.add_up(PAGE_TEXT, ["wire", "ptx", "pack", "new"])
    assert {name: (one.runs, one.cases, round(one.hours * 3600, 1), one.enough) for name, one in found.items()} == {
        "wire": (2, 1_000_000, 31.0, True),
        "ptx": (1, 20, 3000.0, False),
        "pack": (2, 40, 127.0, False),
        "new": (0, 0, 0.0, False),
    }
    page = tmp_path / "page.md"
    page.write_text(PAGE_TEXT.replace("| 600 |", "| 720 |"))
    assert totals.show(["wire", "ptx"], page) == 0
    assert "2 of 2 targets" in capsys.readouterr().out
    assert totals.show(["wire", "new"], page) == 1
    assert "tools.fuzz run new --seconds 3600" in capsys.readouterr().out


def test_a_line_that_is_no_row_is_told() -> None:
    with pytest.raises(SystemExit, match="not a row"):
        totals.add_up(PAGE_TEXT.replace("| 20 | 600 |", "| many | 600 |"), ["ptx"])
    with pytest.raises(SystemExit, match="no line"):
        totals.add_up("nothing", ["ptx"])


def test_what_a_campaign_writes_is_read(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE_TEXT)
    campaigns.add_rows(page, [Result("new", "Python 3.12", 77, 3600.0, "1 line", processor=1800.0)])
    (one,) = totals.add_up(page.read_text(), ["new"]).values()
    assert (one.runs, one.cases, one.hours) == (1, 77, 0.5)


def test_every_target_has_run() -> None:
    found = totals.add_up(PAGE.read_text(encoding="utf-8"), chosen(["all"]))
    assert [name for name, one in found.items() if not one.runs] == []
