"""The campaign of generated kernels goes on where it stopped, and its sums are over everything that is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import campaign

UNITS: list[campaign.Unit] = [("80", route, 1, first, 2) for first in (0, 2) for route in ("lift", "ptx-hip")]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Which units ran, with programs that are not there."""
    seen: list[tuple[str, int]] = []

    def run_unit(program: Path, route: str, seed: int, first: int, count: int, limit_s: int) -> campaign.Outcome:
        seen.append((route, first))
        wrong = {first: "0 1"} if (route, first) == ("lift", 2) else {}
        return campaign.Outcome(count - len(wrong), wrong, ["a line"], ["E1"] * count)

    monkeypatch.setattr(campaign, "build", lambda seed, first, count, sm: Path(str(first)))
    monkeypatch.setattr(campaign, "run_unit", run_unit)
    return seen


def test_a_later_call_runs_what_is_missing(ran: list[tuple[str, int]], tmp_path: Path) -> None:
    file = tmp_path / "units.jsonl"
    campaign.run_units(UNITS[:3], campaign.Results(file), 1, 1)
    assert sorted(ran) == [("lift", 0), ("lift", 2), ("ptx-hip", 0)]
    ran.clear()
    results = campaign.Results(file)
    campaign.run_units(UNITS, results, 1, 1)
    assert ran == [("ptx-hip", 2)]
    assert (
        list(campaign.told(campaign.Results(file)))
        == list(campaign.told(results))
        == [
            "lift: of 4 kernels 3 passed, 1 failed; evidence E1 × 4",
            "  k2: 0 1",
            "  2 × a line",
            "ptx-hip: of 4 kernels 4 passed, 0 failed; evidence E1 × 4",
            "  2 × a line",
        ]
    )


def test_a_line_that_was_cut_off_is_run_again(ran: list[tuple[str, int]], tmp_path: Path) -> None:
    file = tmp_path / "units.jsonl"
    campaign.run_units(UNITS[:3], campaign.Results(file), 1, 1)
    file.write_bytes(file.read_bytes()[:-20])  # killed as it wrote
    ran.clear()
    campaign.run_units(UNITS, campaign.Results(file), 1, 1)
    assert len(ran) == 2
    assert len(campaign.Results(file).done) == len(UNITS)


def test_the_command_fails_for_what_an_earlier_call_found(
    ran: list[tuple[str, int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaign.samples, "can_build", lambda: "")
    options = ["--unit", "2", "--results", str(tmp_path / "units.jsonl"), "--jobs", "1"]
    assert campaign.main(["--count", "4", *options]) == 1
    assert len(ran) == 4
    assert campaign.main(["--count", "2", *options]) == 1 and len(ran) == 4


def test_two_machines_share_the_units(ran: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign.samples, "can_build", lambda: "")
    shared = ["--count", "20", "--unit", "2", "--jobs", "1"]
    campaign.main([*shared, "--routes", "ptx-hip", "--skip", "4"])
    rest = list(ran)
    ran.clear()
    campaign.main([*shared, "--routes", "ptx-hip"])
    assert len(ran) == 10
    assert ran[4:] == rest
