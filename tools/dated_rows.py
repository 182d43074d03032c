"""Dated rows of campaigns on docs/hardening.md: each tool's rows stand above its own mark."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tools import environment

PAGE = environment.ROOT / "docs" / "hardening.md"


def mark(tool: str) -> str:
    """The line below a tool's rows."""
    return f"<!-- rows of tools.{tool} -->"


def add_rows(tool: str, rows: Iterable[str], page: Path = PAGE) -> None:
    """Add rows of a Markdown table. SystemExit when the page has no place for them: no result is lost silently."""
    text, place = page.read_text(), mark(tool)
    if place not in text:
        raise SystemExit(f"{page} has no line {place!r} below a table for these rows")
    page.write_text(text.replace(place, "".join(f"{row}\n" for row in rows) + place))
