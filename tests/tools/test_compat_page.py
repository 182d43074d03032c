"""The suite's page and the README's table are made from stored results, and are those in the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from cass_shim.compat.results import KernelFact, Outcome, Results, read_results
from cass_shim.model.artifacts import Evidence
from tools.compat_page import BEGIN, END, PAGE, README, STORE, merged, page, readme, store


def run(program: str, variant: str, evidence: str = "E1", **changes: object) -> Outcome:
    facts: dict[str, object] = {"digest": "", "translators": "lift", "exit_code": 0, "seconds": 1.0, "golden": "same"}
    facts |= {"kernels": (KernelFact("k", "lift", evidence),), "domain": "graph", "date": "2026-11-22", **changes}
    return Outcome(program, variant=variant, **facts)  # type: ignore[arg-type]


def test_a_later_run_replaces_the_earlier_one() -> None:
    early, late, other = run("p", "rdc", "E0"), run("p", "rdc"), run("p", "debug")
    assert merged([early, other], [late]) == [other, late]


def test_the_page_says_what_is_wrong_and_what_was_not_run(tmp_path: Path) -> None:
    failing = run("q", "rdc", golden="differs", difference="line 1", messages=("said",))
    results = Results([run("p", "debug"), run("p", "rdc", "E0"), failing], "emulated gfx1100", "1")
    text = page(results)
    assert "| p | E1 | E0 |" in text
    assert "| q |  | fails |" in text
    assert "- q, rdc, lift: line 1" in text
    assert "- p, rdc, lift: right; at E0 `k`" in text
    store(results, tmp_path / "r.json")
    assert read_results(tmp_path / "r.json") == results


@pytest.mark.parametrize("evidence", [one.label for one in Evidence])
def test_every_level_of_evidence_has_a_cell(evidence: str) -> None:
    """The weakest kernel counts; a program at E3 once ended the page with an error."""
    strongest = KernelFact("other", "lift", "E4")
    one = run("p", "rdc", kernels=(KernelFact("k", "lift", evidence), strongest))
    assert f"| p | {evidence} |" in page(Results([one], "emulated gfx1100", "1"))


def test_what_no_gpu_has_printed_is_named() -> None:
    text = page(Results([run("p", "rdc"), run("alone", "rdc", golden="")], "emulated gfx1100", "1"))
    assert "## Compared with no GPU's output" in text
    assert "\n- alone: 1 run\n" in text and "\n- p:" not in text
    assert "no GPU's output" not in page(Results([run("p", "rdc")], "emulated gfx1100", "1"))


def test_the_table_stands_between_the_marks() -> None:
    made = readme(
        f"before\n{BEGIN}\nold\n{END}\nafter\n", [run("p", "rdc"), run("q", "rdc", exit_code=1, golden="differs")]
    )
    assert made.startswith(f"before\n{BEGIN}\n1 of 2 runs are right (2026-11-22, emulated device).\n")
    assert "| rdc, lift | 2 | 2 | 1 | 1 | 1 |" in made
    assert made.endswith(f"{END}\nafter\n")
    with pytest.raises(SystemExit, match="must be there once"):
        readme("no marks", [])


def test_the_committed_pages_are_those_of_the_stored_results() -> None:
    held = read_results(STORE)
    assert PAGE.read_text() == page(held)
    assert README.read_text() == readme(README.read_text(), held.outcomes)
