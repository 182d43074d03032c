"""Ratings follow from facts; results and reports survive the round trip."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cass_shim.compat.report import markdown, page
from cass_shim.compat.results import KernelFact, Outcome, Results, ranked, read_results, write_results
from cass_shim.compat.tables import domains, matrix, variants
from cass_shim.model.errors import Malformed

GOOD = KernelFact("k", "lift", "E1u")


def outcome(**changes: object) -> Outcome:
    facts: dict[str, object] = {"program": "p", "digest": "0", "translators": "lift", "exit_code": 0, "seconds": 1.0}
    facts |= {"kernels": (GOOD,), **changes}
    return Outcome(**facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "rating"),
    [
        ({}, "verified"),
        ({"kernels": (GOOD, KernelFact("l", "ptx-hip", "E1"))}, "fallback"),
        ({"kernels": (KernelFact("l", "ptx-hip", "E0"),)}, "weak"),
        ({"exit_code": 1}, "fails"),
        ({"exit_code": 1, "missing_calls": ("cudaFoo",)}, "missing call"),
        ({"golden": "differs", "difference": "line 1"}, "fails"),
        ({"golden": "same", "exit_code": 3}, "verified"),
        ({"kernels": ()}, "nothing to do"),
    ],
)
def test_rating(changes: dict[str, object], rating: str) -> None:
    assert outcome(**changes).rating == rating


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    results = Results([outcome(), outcome(program="q", missing_calls=("cudaFoo",), exit_code=1)], "device", "1")
    write_results(results, path)
    assert read_results(path) == results
    assert json.loads(path.read_text())["outcomes"][1]["rating"] == "missing call"


def test_not_results_is_named(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text("[]")
    with pytest.raises(Malformed, match=r"other\.json"):
        read_results(path)


def test_missing_things_are_ranked() -> None:
    """By programs, not runs; an instruction is the same one wherever it was met."""
    met = tuple(f"lift: unsupported SYNCS.ARRIVE at {at} in _Z1kv: no mbarriers" for at in ("0x0010", "0x0250"))
    rows = [
        outcome(missing_calls=("a", "b")),
        outcome(variant="debug", missing_calls=("a",)),
        outcome(program="q", missing_calls=("b",), untranslated=met),
        outcome(program="r", untranslated=(met[0], "the kernel is too large")),
    ]
    wanted = [("SYNCS.ARRIVE", 2), ("b", 2), ("a", 1), ("the kernel is too large", 1)]
    assert ranked(rows) == wanted


def test_totals_by_domain_and_variant() -> None:
    rows = [
        outcome(domain="graph", variant="rdc"),
        outcome(domain="graph", variant="debug", exit_code=1),
        outcome(program="q", domain="sparse", variant="rdc"),
    ]
    assert domains(rows) == [
        ("domain", "programs", "runs", "right", "verified", "fails"),
        ("graph", "1", "2", "1", "1", "1"),
        ("sparse", "1", "1", "1", "1", "0"),
    ]
    assert [row[0] for row in variants(rows)] == ["variant, route", "debug, lift", "rdc, lift"]
    assert matrix(rows, "lift") == [("program", "debug", "rdc"), ("p", "fails", "E1u"), ("q", "", "E1u")]
    assert domains([outcome()]) == []
    results = Results(rows, "d", "1")
    assert "| sparse | 1 | 1 | 1 | 1 | 0 |" in markdown(results)
    assert '<td data-name="domain">sparse</td>' in page(results)


def test_reports_hold_every_program_and_stay_well_formed() -> None:
    results = Results([outcome(program="</script><b>", variant="v"), outcome(program="q|r", exit_code=1)], "d", "1")
    html = page(results)
    assert html.count("</script>") == 2
    assert "@" not in html.replace("@media", "")
    assert "q\\|r" in markdown(results)
