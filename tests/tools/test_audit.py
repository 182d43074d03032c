"""The audit names every package that a user gets, and never takes silence for safety."""

from __future__ import annotations

import json
from typing import Any

from tools.audit import ANSWERED, answered, ask_pages, pins, verdict


def test_what_a_user_gets_is_pinned() -> None:
    found = pins()
    assert {"click", "numpy", "llvmlite", "cffi", "pycparser"} <= set(found), "direct ones and theirs"
    assert "pytest" not in found and all(found.values())


def test_what_was_not_looked_up_is_told_from_what_is_sound() -> None:
    answer = {
        "dependencies": [
            {"name": "sound", "version": "1", "vulns": []},
            {"name": "flawed", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"]}]},
            {"name": "unknown", "skip_reason": "not found"},
        ]
    }
    assert verdict(json.dumps(answer)) == (["flawed 2: PYSEC-1, mended in 2.1"], ["unknown"])


def test_a_project_s_page_tells_of_its_latest_version_only() -> None:
    flaw = {"id": "PYSEC-2", "fixed_in": [], "withdrawn": None}
    pages: dict[str, dict[str, Any]] = {
        "sound": {"info": {"version": "1"}, "vulnerabilities": []},
        "flawed": {"info": {"version": "2"}, "vulnerabilities": [flaw, {**flaw, "id": "PYSEC-3", "withdrawn": "yes"}]},
        "older": {"info": {"version": "4"}, "vulnerabilities": []},
        "silent": {},
    }
    wanted = {"sound": "1", "flawed": "2", "older": "3", "silent": "5"}
    known, skipped = ask_pages(wanted, pages.__getitem__)
    assert known == ["flawed 2: PYSEC-2, mended in no version"] and skipped == ["older", "silent"]


def test_what_is_answered_for_says_why_and_nothing_else_is() -> None:
    for name in ANSWERED:
        assert "tests/" in answered(f"diskcache 5.6.3: {name}, mended in no version")
    assert not answered("diskcache 5.6.3: PYSEC-2, mended in no version")
