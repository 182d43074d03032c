"""`cass selftest` as a user runs it, and what the compatibility page makes of its report."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from cass_shim.compat.hardware import CheckResult, HardwareReport, read_report, write_report
from cass_shim.compat.report import NO_HARDWARE, markdown, page
from cass_shim.compat.results import Results
from cass_shim.model.errors import Malformed
from cass_shim.native.build import BUILD
from cass_shim.native.locate import EMULATED_HIP
from cass_shim.selftest.material import CHECKOUT, FOLDERS, pack, unpack
from cass_shim.selftest.run import programs, run_examples
from tests.cli.conftest import Shell

DEVICE = BUILD / EMULATED_HIP
needs_device = pytest.mark.skipif(not DEVICE.exists(), reason="the emulated device is not built")


@needs_device
@pytest.mark.slow
def test_the_emulated_device_passes_and_the_report_names_nobody(shell: Shell) -> None:
    done = shell.cass("selftest", "--json", "report.json", CASS_HIP_LIBRARY="")
    assert done.returncode == 0, done.stdout + done.stderr
    report = read_report(shell.folder / "report.json")
    assert report.passed and report.emulated
    assert {check.group for check in report.checks} == {"launch", "vectors", "examples"}
    assert sum(check.group == "examples" for check in report.checks) == sum(len(r) for _, _, r in programs()) >= 6
    (vectors,) = (check for check in report.checks if check.group == "vectors")
    agreeing, _, compared = vectors.detail.split(" ")[:3]
    assert agreeing == compared and int(agreeing) > 900
    assert report.timings["launch waited ns"] > 100
    text = (shell.folder / "report.json").read_text()
    for private in (os.environ["HOME"] + "/", str(shell.folder), f'"{os.uname().nodename}"', os.sep + "libamdhip64"):
        assert private not in text


@needs_device
def test_hardware_is_refused_where_there_is_none(shell: Shell) -> None:
    done = shell.cass("selftest", "--hardware", CASS_HIP_LIBRARY=str(DEVICE))
    assert done.returncode == 125
    assert done.stderr.startswith("cass: selftest: the library found is the emulated one; unset CASS_HIP_LIBRARY;")
    assert not done.stdout


def test_a_library_that_is_not_there_is_named(shell: Shell) -> None:
    done = shell.cass("selftest", "--hardware", CASS_HIP_LIBRARY="/nonexistent/libamdhip64.so")
    assert done.returncode == 125
    (line,) = done.stderr.splitlines()
    assert line.startswith("cass: selftest: the hip device cannot be used: no device: /nonexistent/libamdhip64.so: ")
    assert line.endswith("; without --hardware the emulated device is tested")


@needs_device
@pytest.mark.slow
def test_wrong_results_are_found(shell: Shell) -> None:
    """One bit in every 20,000th recorded word changed: the device disagrees there."""
    root = shell.folder / "root"
    for name in FOLDERS:
        shutil.copytree(CHECKOUT / name, root / name)
    vectors = root / "tests" / "vectors" / "sass" / "sm90.npz"
    words = np.load(vectors)["words"].copy()
    words[::20000] ^= 0x00800000
    np.savez_compressed(vectors, words=words)
    code = (
        f"import cass_shim.selftest.material as m, pathlib; m.CHECKOUT = pathlib.Path({str(root)!r})\n"
        "from cass_shim.selftest.vectors import main; main('emulated')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True,
        env={**shell.environment, "CASS_HIP_LIBRARY": ""},
    )  # fmt: skip
    assert len(json.loads(done.stdout)["different"]) > 10


@needs_device
def test_a_wrong_output_fails_its_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("examples/prebuilt", "examples/expected"):
        shutil.copytree(CHECKOUT / name, tmp_path / name)
    listed = tmp_path / "examples" / "prebuilt" / "PREBUILT.json"
    one = json.loads(listed.read_text())["samples"]["symbols_shared_sass"]
    listed.write_text(json.dumps({"samples": {"symbols_shared_sass": one}}))
    (tmp_path / "examples" / "expected" / "symbols.txt").write_text("something else\n")
    monkeypatch.setattr("cass_shim.selftest.material.CHECKOUT", tmp_path)
    monkeypatch.setenv("CASS_DEVICE", "emulated")
    monkeypatch.setenv("CASS_RUNTIME_DIR", str(tmp_path / "run"))
    found: list[CheckResult] = []
    run_examples("emulated", time.monotonic() + 100, tmp_path, {}, found.append)
    assert [(check.state, "expected 'something else'" in check.detail) for check in found] == [("failed", True)]
    run_examples("emulated", time.monotonic(), tmp_path, {}, found.append)
    assert (found[-1].state, found[-1].detail) == ("skipped", "no time left")


def test_a_wheels_archive_holds_what_the_checkout_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack(tmp_path / "material.zip")
    monkeypatch.setattr("cass_shim.selftest.material.ARCHIVE", tmp_path / "material.zip")
    unpack(tmp_path / "out")
    for name, patterns in FOLDERS.items():
        for file in (one for pattern in patterns for one in (CHECKOUT / name).glob(pattern)):
            assert (tmp_path / "out" / name / file.name).read_bytes() == file.read_bytes()
    assert os.access(tmp_path / "out" / "examples" / "prebuilt" / "vector_add_static", os.X_OK)
    (tmp_path / "material.zip").write_bytes(b"PK")
    with pytest.raises(Malformed, match="install cass-shim again"):
        unpack(tmp_path / "other")


def report(**changes: object) -> HardwareReport:
    """A small report of a card."""
    facts = HardwareReport("2027-01-02T03:04:05Z", False, {"name": "Radeon", "arch": "gfx1100"}, {"HIP driver": "7"})
    facts.versions, facts.checks = {"cass-shim": "0.1.0"}, [CheckResult("vectors", "all", "passed")]
    for name, value in changes.items():
        setattr(facts, name, value)
    return facts


def test_the_pages_take_reports_in() -> None:
    results = Results(device="auto", version="0.1.0")
    assert NO_HARDWARE in markdown(results)
    assert NO_HARDWARE in markdown(results, [report(emulated=True)])
    bad = CheckResult("examples", "scan <b>", "failed", "line 3")
    text = markdown(results, [report(checks=[bad])])
    assert NO_HARDWARE not in text
    assert "- Radeon (gfx1100), 2027-01-02, cass-shim 0.1.0: 1 failed. HIP driver 7. scan <b>: line 3" in text
    assert "scan &lt;b&gt;: line 3" in page(results, [report(checks=[bad])])


def test_a_report_survives_the_file(tmp_path: Path) -> None:
    write_report(report(), tmp_path / "r.json")
    assert read_report(tmp_path / "r.json") == report()


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", '{"schema": 2, "checks": []}', '{"schema": 1}', '{"schema": 1, "checks": [{"group": 1}]}',
        '{"schema": 1, "checks": [], "device": {"name": 1}}', '{"schema": 1, "checks": [], "timings": {"x": "y"}}',
        '{"schema": 1, "checks": [], "extra": 1}', "[" * 100000,
        '{"schema": 1, "checks": [{"group": "a", "name": "b", "state": "maybe"}]}', '{"schema": 1, "checks": 1}',
        '{"schema": 1, "checks": [], "driver": []}',
    ],
)  # fmt: skip
def test_what_is_no_report_is_malformed(text: str, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(Malformed, match=r"r\.json"):
        read_report(path)


def test_nothing_checked_is_not_passed() -> None:
    assert not report(checks=[]).passed
    assert not report(checks=[CheckResult("a", "b", "skipped")]).passed
    assert report().passed
