"""The audit names every package that a user gets, and never takes silence for safety."""

from __future__ import annotations

import json

from tools.audit import pins, verdict


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
