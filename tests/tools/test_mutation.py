"""Mutants that look alike are run beside the right translation: who differs is told, who does not is not."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cass_shim.verify.kernel import open_device
from cass_shim.verify.known_runs import KnownRuns
from tools import samples
from tools.mutation.subjects import Subject, change, mutant, names, score, subject
from tools.mutation.verdicts import rejected

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


# Mutants that the inputs of 2026-11-25 passed and 5,000 more told (docs/verification.md): kernel, the first line like
# this, its wrong text. Where the lifter writes a line otherwise since, the line that does the same now.
MISSED = [
    ("saxpy_double", "s_mov_b32 s6, 0", "s_mov_b32 s6, 1"),
    ("saxpy_double", "v_and_b32_e32 v4, 3, v13", ""),
    ("block_reduce", "ds_bpermute_b32 v10, v5, v8", "ds_bpermute_b32 v10, v4, v8"),
    ("block_reduce", "v_xor_b32_e32 v5, 64, v2", "v_xor_b32_e32 v5, 64, v1"),
    ("block_reduce", "v_max_i32_e32 v12, v10, v12", "v_max_u32_e32 v12, v10, v12"),
    ("matmul_tiled", "s_mov_b32 s7, 0", "s_mov_b32 s7, 1"),
    ("stencil_2d", "s_and_saveexec_b32 s0, s1", ""),
    ("bitonic_sort", "s_lshr_b32 s0, s2, 1", "s_lshr_b32 s0, s3, 1"),
    ("half_layer", "s_cselect_b32 s13, -1, 0", "s_cselect_b32 s13, 0, -1"),  # rows of halves seemed to race
    ("half_layer", "v_lshrrev_b32_e32 v7, 16, v7", "v_lshrrev_b32_e32 v7, 16, v6"),
    ("matmul_tiled", "v_cmp_gt_i32_e64 s1, s5, v7", "v_cmp_ge_i32_e64 s1, s5, v7"),  # infinity times 0 seemed infinity
]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("example", "line", "text"), MISSED)
def test_what_was_missed_is_rejected_at_once(example: str, line: str, text: str) -> None:
    if missing := samples.can_build():
        pytest.skip(missing)
    of = subject(names(example)[0])
    lines = [one.strip() for one in of.assembly.text.splitlines()]
    assert line in lines, "the lifter writes it otherwise now: take another mutant"
    with contextlib.closing(KnownRuns(open_device("emulated"))) as known:
        assert rejected(mutant(of, lines.index(line), text), of, known, 1)


def test_the_score_counts_what_differs() -> None:
    kinds = [("opcode", "rejected")] * 3 + [("opcode", "missed"), ("opcode", "alike"), ("wait", "missed")]
    rows = [{"kind": kind, "verdict": verdict} for kind, verdict in kinds]
    assert score(rows, False).startswith("3/4 = 75.0% rejected, 1 missed, 1 alike")
    assert score(rows, True).startswith("0/1")
