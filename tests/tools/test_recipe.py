"""The way to a checkpoint as one command: its steps, what is kept, the curve."""

from __future__ import annotations

import json
import subprocess
import threading
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tools.train.recipe import SHARES, Step, collect, is_finished, main, options_of, plan, run_all, svg


def test_the_steps_are_commands_that_anyone_can_type(tmp_path: Path) -> None:
    steps = plan(options_of([str(tmp_path), "--rehearse", "--minutes", "1"]))
    texts = [one.text for one in steps]
    assert (
        texts[0]
        == f"python3 -m tools.pairs generate {tmp_path}/pairs --count 600 --held-out 10 --jobs 1 --finished done"
    )
    assert texts[1].startswith("python3 -m tools.pairs pack ")
    assert len(texts) == 2 + 2 * len(SHARES)
    assert "--share 0.125 --minutes 1 --rehearse" in texts[2]
    assert texts[3].startswith(f"CASS_MODEL={tmp_path}/share-0.125 python3 -m cass_shim.cli.main eval ")
    full = [one.text for one in plan(options_of([str(tmp_path), "--jobs", "16"]))]
    assert "--count 60000 --held-out 300 --jobs 16" in full[0]
    assert "--compile --batch 131072" in full[2]


def test_checkpoints_trained_elsewhere_are_only_measured(tmp_path: Path) -> None:
    for share in (0.25, 1.0):
        point(tmp_path, share, 100, 0.5)
    steps = plan(options_of([str(tmp_path), "--measure", "--samples", "0"]))
    assert [one.model for one in steps] == [tmp_path / "share-0.25", tmp_path / "share-1"]
    assert all(" eval " in one.text and "--samples 0" in one.text for one in steps)
    assert main([str(tmp_path), "--measure", "--samples", "0"]) == 0  # what has its eval.json is kept
    assert [one["share"] for one in json.loads((tmp_path / "curve.json").read_text())] == [0.25, 1.0]


def test_a_step_that_is_done_is_not_done_again_and_one_that_fails_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = Step(("no.such.module",), tmp_path)
    done.run()
    assert "there already: python3 -m no.such.module" in capsys.readouterr().out
    monkeypatch.setattr("tools.train.recipe.plan", lambda options: [Step(("no.such.module",), tmp_path / "x")])
    assert main([str(tmp_path)]) == 1
    assert "goes on from here" in capsys.readouterr().out


@pytest.mark.parametrize("left", ['{"finished": false, "summary": []}', '{"summary": []}', '{"summary": [', "[]", ""])
def test_an_interrupted_measurement_is_neither_a_point_nor_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: str
) -> None:
    point(tmp_path, 0.5, 1000, 0.25)
    point(tmp_path, 1, 2000, 0.75)
    (tmp_path / "share-1" / "eval.json").write_text(left)
    assert [one["share"] for one in collect(options_of([str(tmp_path)]))] == [0.5]
    ran: list[str] = []
    monkeypatch.setattr("tools.train.recipe.subprocess.run", lambda command, **_: ran.append(command[-1]))
    with pytest.raises(AssertionError, match="left no"):
        main([str(tmp_path), "--measure"])
    assert ran == [f"{tmp_path}/share-1/eval.json"]


def test_interrupted_pairs_are_made_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each unit of pairs writes `counts.json`, so that this says nothing of the others."""
    (tmp_path / "pairs").mkdir()
    (tmp_path / "pairs" / "counts.json").write_text('{"pairs": 1}')
    first = plan(options_of([str(tmp_path)]))[0]
    assert not is_finished(first.done)
    first.done.touch()
    first.run()
    assert "there already" in capsys.readouterr().out


def point(folder: Path, share: float, pairs: int, verified: float) -> None:
    """What training and measuring leave of one share."""
    out = folder / f"share-{share:g}"
    out.mkdir()
    told = {"share": verified, "low": max(0.0, verified - 0.1), "high": min(1.0, verified + 0.1)}
    groups = [{"group": f"{name}, all", "verified": told} for name in ("seeds", "families")]
    (out / "eval.json").write_text(
        json.dumps({"finished": True, "summary": [*groups, {"group": "seeds/loop", "verified": told}]})
    )
    (out / "cass_contract.json").write_text(json.dumps({"pairs": pairs}))


def test_the_curve_holds_the_command_of_each_point_and_is_drawn_from_json(tmp_path: Path) -> None:
    point(tmp_path, 0.5, 1000, 0.25)
    point(tmp_path, 1, 2000, 0.75)
    points = collect(options_of([str(tmp_path)]))
    assert [(one["share"], one["pairs"]) for one in points] == [(0.5, 1000), (1.0, 2000)]
    assert f"CASS_MODEL={tmp_path}/share-0.5 " in points[0]["command"]
    (tmp_path / "curve.json").write_text(json.dumps(points))
    assert main([str(tmp_path), "--plot"]) == 0
    drawn = ElementTree.parse(tmp_path / "curve.svg").getroot()
    circles = [one for one in drawn.iter() if one.tag.endswith("circle")]
    assert len(circles) == 4
    first, second = circles[:2]
    assert float(first.get("cx") or 0) < float(second.get("cx") or 0)
    assert float(first.get("cy") or 0) > float(second.get("cy") or 0)  # higher is better
    heights = [float(one.get("cy") or 0) for one in circles[:2]]
    assert heights[0] - heights[1] == pytest.approx((400 - 2 * 50) * 0.5)


def test_one_point_is_a_curve_too(tmp_path: Path) -> None:
    point(tmp_path, 1, 600, 0.0)
    points: list[dict[str, Any]] = collect(options_of([str(tmp_path), "--shares", "1"]))
    assert svg(points).count("<circle") == 2


def test_shares_run_side_by_side_each_on_its_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of three shares at a time; one that fails holds up its own steps only."""
    ran: list[tuple[str, str]] = []
    both = threading.Barrier(2)

    def run(command: list[str], env: dict[str, str], **_: object) -> None:
        name = command[-1]
        ran.append((name, env["CUDA_VISIBLE_DEVICES"] if name != "all" else ""))
        if name in ("train 1", "train 2"):
            both.wait(20)  # neither ends before the other has begun
        if name == "train 2":
            raise subprocess.CalledProcessError(1, command)
        (tmp_path / name).touch()

    monkeypatch.setattr("tools.train.recipe.subprocess.run", run)
    steps = [Step(("all",), tmp_path / "all")]
    for share in (1, 2, 3):
        steps += [Step((f"{kind} {share}",), tmp_path / f"{kind} {share}", None, share) for kind in ("train", "eval")]
    assert [one.arguments for one in run_all(steps, 2)] == [("train 2",)]
    gpus = dict(ran)
    assert ran[0] == ("all", "") and sorted(gpus) == ["all", "eval 1", "eval 3", "train 1", "train 2", "train 3"]
    assert gpus["train 1"] == gpus["eval 1"] != gpus["train 2"] and gpus["train 3"] == gpus["eval 3"]
