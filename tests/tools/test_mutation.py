"""Mutants that look alike are run beside the right translation: who differs is told, who does not is not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools import samples
from tools.mutation.subjects import Subject, change, names, score, subject

EXAMPLE = "vector_add"
NUMBER = 40  # inputs


@pytest.fixture(scope="module")
def vector_add() -> Subject:
    if missing := samples.can_build():
        pytest.skip(missing)
    return subject(names(EXAMPLE)[0])


def row(of: Subject, old: str, new: str) -> dict[str, Any]:
    """A mutant that nothing has told apart, as `tools.mutation --json` writes it."""
    lines = of.assembly.text.splitlines()
    at = next(number for number, line in enumerate(lines) if old in line)
    text = lines[at].replace(old, new)
    told = {"kernel": of.name, "kind": "opcode", "change": change(of, at, text), "verdict": "alike", "why": ""}
    return {**told, "line": at, "text": text}


@pytest.mark.timeout(300)
def test_survivors_are_told_apart_by_inputs(vector_add: Subject, tmp_path: Path) -> None:
    wrong = row(vector_add, "v_cmpx_gt_i32", "v_cmpx_gt_u32")  # a bound is never below 0 in any of these inputs
    late = row(vector_add, "v_cmpx_gt_i32", "v_cmpx_ge_i32")
    same = row(vector_add, "v_add_f32_e32", "v_add_f32_e64")
    file = tmp_path / "mutants.json"
    file.write_text(json.dumps([wrong, late, same]))
    command = [sys.executable, "-m", "tools.mutation.survivors", str(file), "--minutes", "4"]
    for inputs in (NUMBER // 2, NUMBER):  # a second call goes on
        done = subprocess.run([*command, "--inputs", str(inputs)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    unsigned, reached, equal = json.loads(file.read_text())
    assert reached["verdict"] == "missed" and "instead of" in reached["why"]
    assert [one["verdict"] for one in (unsigned, equal)] == ["alike", "alike"]
    assert equal["reached"] == {"0": NUMBER} and NUMBER // 2 < equal["inputs"] <= NUMBER and equal["vain"] == 0
    assert "missed: vector_add" in done.stdout and "2 alike" in done.stdout


@pytest.mark.timeout(300)
def test_a_campaign_goes_on_where_it_stopped(vector_add: Subject, tmp_path: Path) -> None:
    file = tmp_path / "mutants.json"
    command = [sys.executable, "-m", "tools.mutation", EXAMPLE, "--seeds", "0", "--count", "6", "--json", str(file)]
    subprocess.run(command, capture_output=True, check=True)
    rows = json.loads(file.read_text())
    assert len({(one["line"], one["text"]) for one in rows}) == len(rows) == 6
    assert {one["verdict"] for one in rows} <= {"rejected", "alike"}
    file.write_text(json.dumps(rows[:2]))
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    again = json.loads(file.read_text())  # what a wrong register holds, in `why`, is not the same in each process
    assert [{**one, "why": ""} for one in again] == [{**one, "why": ""} for one in rows]
    assert "6 mutants" in done.stdout


def test_the_score_counts_what_differs() -> None:
    kinds = [("opcode", "rejected")] * 3 + [("opcode", "missed"), ("opcode", "alike"), ("wait", "missed")]
    rows = [{"kind": kind, "verdict": verdict} for kind, verdict in kinds]
    assert score(rows, False).startswith("3/4 = 75.0% rejected, 1 missed, 1 alike")
    assert score(rows, True).startswith("0/1")
