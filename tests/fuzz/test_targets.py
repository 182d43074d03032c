"""The short form of `python3 -m tools.fuzz run all`: every committed input, then a little more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.fuzz import campaigns, native_build
from tools.fuzz.targets import TARGETS

SECONDS = 0.2
CORPUS_LIMIT = 1 << 20


def findings(names: list[str], out: Path, programs: dict[str, Path]) -> list[str]:
    """One line a finding; each target must have run its corpus at least."""
    found = []
    for name in names:
        result = campaigns.run_one(name, out, campaigns.Limits(SECONDS, 0, 1, 1), programs)
        assert result.cases >= len(list(campaigns.corpus_of(name).iterdir())) > 0, result
        found += [f"{name}: {one.what} ({one.file})" for one in result.findings]
    return found


def test_python_targets(tmp_path: Path) -> None:
    assert findings([*TARGETS], tmp_path, {}) == []


@pytest.mark.slow
def test_c_targets(tmp_path: Path) -> None:
    """All but those with the emulator in them, which take minutes to build (tests/native has their short forms)."""
    if why := native_build.why_not():
        pytest.skip(why)
    names = [name for name, one in native_build.TARGETS.items() if not one.heavy]
    assert findings(names, tmp_path, native_build.build(names)) == []


def test_the_corpus_stays_small() -> None:
    assert sum(path.stat().st_size for path in campaigns.CORPUS.rglob("*") if path.is_file()) <= CORPUS_LIMIT
