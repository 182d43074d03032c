"""The audit log: every event is a line, lines never mix, and trouble with the file harms nobody."""

from __future__ import annotations

import json
import multiprocessing
import os
from pathlib import Path

import pytest

from cass_shim.cache.audit import AUDIT_FILE, Audit, read_audit


def test_an_event_is_one_line_of_json(tmp_path: Path) -> None:
    Audit(tmp_path / "cache").add("refused", key="k" * 64, reason="unsigned\nwith a second line", records=3)
    (line,) = (tmp_path / "cache" / AUDIT_FILE).read_text().splitlines()
    row = json.loads(line)
    assert (row["event"], row["reason"], row["records"]) == ("refused", "unsigned\nwith a second line", 3)
    assert (row["pid"], row["uid"]) == (os.getpid(), os.geteuid())
    assert (tmp_path / "cache" / AUDIT_FILE).stat().st_mode & 0o077 == 0


def many(root: Path, writer: int) -> None:
    for number in range(200):
        Audit(root).add("test", writer=writer, number=number, filler="x" * 300)


def test_writers_do_not_mix_lines(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=many, args=(tmp_path, one)) for one in range(3)]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    rows = [(one["writer"], one["number"]) for one in read_audit(tmp_path)]
    assert sorted(rows) == [(writer, number) for writer in range(3) for number in range(200)]


def test_a_full_log_is_set_aside_and_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cass_shim.cache.audit.AUDIT_LIMIT", 400)
    for number in range(25):
        Audit(tmp_path).add("test", number=number)
    assert (tmp_path / f"{AUDIT_FILE}.1").exists()
    assert [one["number"] for one in read_audit(tmp_path)][-1] == 24
    assert sum(one.stat().st_size for one in tmp_path.iterdir()) < 4 * 400 + 200


@pytest.mark.parametrize("trouble", ["link", "foreign", "directory"])
def test_a_log_that_cannot_be_trusted_is_not_written(
    tmp_path: Path, trouble: str, caplog: pytest.LogCaptureFixture
) -> None:
    target = tmp_path / "target"
    target.write_text("")
    if trouble == "link":
        (tmp_path / AUDIT_FILE).symlink_to(target)
    elif trouble == "foreign":
        (tmp_path / AUDIT_FILE).touch()
        (tmp_path / AUDIT_FILE).chmod(0o666)
    else:
        (tmp_path / AUDIT_FILE).mkdir()
    Audit(tmp_path).add("test")
    assert target.read_text() == ""
    assert "audit log" in caplog.text
    assert list(read_audit(tmp_path)) == []


def test_a_line_cut_off_by_a_crash_is_passed_over(tmp_path: Path) -> None:
    Audit(tmp_path).add("first")
    with (tmp_path / AUDIT_FILE).open("a") as file:
        file.write('{"event": "hal')
    assert [one["event"] for one in read_audit(tmp_path)] == ["first"]
