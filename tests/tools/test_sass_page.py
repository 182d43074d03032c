"""docs/sass.md is what the tables say today."""

from __future__ import annotations

from pathlib import Path

from cass_shim.isa.spec import specs
from tools.sass_page import MISSING, sass_page

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sass.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == sass_page(), "python -m tools.sass_page > docs/sass.md"


def test_nothing_is_called_missing_that_has_a_meaning() -> None:
    named = {name for names in MISSING for name in names.replace(",", " ").split()}
    assert not named & specs().keys()
