"""The fuzzers themselves: faults that were put there are found, named and made small."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.environment import ROOT
from tools.fuzz import campaigns, native_build
from tools.fuzz.engine import Campaign, Finding, Result, minimize
from tools.fuzz.targets import TARGETS

HERE = Path(__file__).parent
RUN = [sys.executable, "-m", "tools.fuzz", "run"]


class Refused(Exception):
    """What a good parser raises."""


def parse(data: bytes) -> None:
    """A parser that forgets one case."""
    if not data.startswith(b"head"):
        raise Refused
    assert len(data) < 6 or data[5] < 128, "forgotten"


def test_an_error_that_is_none_of_ours_is_found_and_made_small(tmp_path: Path) -> None:
    campaign = Campaign("planted", parse, (Refused,), tmp_path, False, 1)
    result = campaign.run([b"head and a body"], 20, 3000)
    (finding,) = result.findings
    assert finding.what.startswith("AssertionError at") and finding.times == result.failures > 1
    small = minimize(parse, Path(finding.file).read_bytes(), (Refused,))
    assert small.startswith(b"head") and len(small) == 6


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python tells its coverage from 3.12 on")
def test_new_inputs_join_the_corpus(tmp_path: Path) -> None:
    campaign = Campaign("record", TARGETS["record"].prepare(), (Exception,), tmp_path, True, 1)
    result = campaign.run([b"{}"], 5, 2000)
    assert any((tmp_path / "corpus").iterdir()) and "lines" in result.coverage


PART = """
import sys
import time
from pathlib import Path
from tools.fuzz.engine import Finding, Result
folder, _, cases, seed, *corpora = sys.argv[1:]
out = Path(folder)
(out / "corpus").mkdir()
(out / "corpus" / seed).write_text(seed)
(out / "corpus" / "same").write_text("same")
(out / f"finding-{seed}").write_text(seed)
findings = [Finding("both", str(out / f"finding-{seed}"), 2)]
if seed == "6":
    findings.append(Finding("one", str(out / f"finding-{seed}")))
Result("planted", "engine", int(cases), 3.0 + int(seed), f"{seed} lines", len(corpora), 2, findings).write(
    out / "result.json"
)
sys.exit(0) if seed != "7" else (out / "result.json").unlink()
"""


def test_processes_of_a_target_share_its_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeds 5, 6 and 7; the third process ends without a result."""
    monkeypatch.setattr(
        campaigns, "_command", lambda name, folder, limits, programs: [
            sys.executable, "-c", PART, str(folder), "0", str(limits.cases), str(limits.seed), "corpus"
        ],
    )  # fmt: skip
    limits = campaigns.Limits(seconds=0, cases=301, seed=5, jobs=1, split=3)
    result = campaigns.run_one("planted", tmp_path, limits, {})
    assert (result.cases, result.seconds, result.coverage, result.failures) == (202, 9.0, "6 lines", 5)
    found = {one.what: (one.times, Path(one.file)) for one in result.findings}
    assert found["both"][0] == 4 and found["one"][0] == 1 and len(found) == 3
    assert found["both"][1].read_text() == "5"
    folder = tmp_path / "planted"
    assert {path.name for path in (folder / "corpus").iterdir()} == {"5", "6", "7", "same"}
    assert campaigns.read_results([tmp_path]) == [result]


@pytest.mark.slow
def test_planted_faults_in_c_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if why := native_build.why_not():
        pytest.skip(why)
    planted = native_build.NativeTarget("planted", (str(HERE / "planted.c"),), ())
    monkeypatch.setitem(native_build.TARGETS, "planted", planted)
    program = native_build.build(["planted"])["planted"]
    monkeypatch.setenv("CASS_FUZZ_CASE_MS", "100")
    (tmp_path / "seed").write_bytes(bytes(16))
    monkeypatch.setenv("CASS_FUZZ_FINDINGS", "3")
    command = [program, "run", tmp_path / "out", "120", "0", "1", tmp_path / "seed"]
    done = subprocess.run(command, capture_output=True, timeout=200)
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    found = " ".join(one["what"] for one in result["findings"])
    assert done.returncode == 1 and result["cases"] > 100
    for fault in ("heap-buffer-overflow", "leak of", "no end"):
        assert fault in found
    overflow = next(one["file"] for one in result["findings"] if "overflow" in one["what"])
    subprocess.run([program, "minimize", overflow, tmp_path / "small"], check=True, capture_output=True, timeout=60)
    assert (tmp_path / "small").read_bytes() == bytes.fromhex("551eed5efecaad0b") + bytes(4)


def test_a_run_that_is_ended_early_leaves_its_results(tmp_path: Path) -> None:
    command = [*RUN, "record", "listing", "--seconds", "100", "--split", "2"]
    places = [tmp_path / "record" / f"part-{number}" / "current" for number in (0, 1)]
    with subprocess.Popen([*command, "--out", str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE) as process:
        deadline = time.monotonic() + 60
        while not all(place.exists() and any(place.read_bytes()) for place in places):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.05)
        process.terminate()
        assert process.wait(30) == 0
    (result,) = campaigns.read_results([tmp_path])  # the second target was not begun
    assert result.target == "record" and result.cases > 0 and result.seconds < 90


def test_minutes_are_shared_and_what_was_done_counts(tmp_path: Path) -> None:
    """Two targets of endless cases end in time, each with a result; the next run does what is left of one's cases."""
    out = ["--out", str(tmp_path), "--split", "2"]
    began = time.monotonic()
    subprocess.run([*RUN, "record", "listing", "--minutes", "0.1", *out], cwd=ROOT, check=True, timeout=100)
    assert time.monotonic() - began < 6 + campaigns.LAST_CASE_S
    first = {one.target: one for one in campaigns.read_results([tmp_path])}
    assert set(first) == {"record", "listing"} and all(one.cases > 0 for one in first.values())
    done = first["record"].cases
    more = [*RUN, "record", "--cases", str(done + 100), "--more", *out]
    for _ in range(2):  # the second time nothing is left to do
        subprocess.run(more, cwd=ROOT, check=True, timeout=100)
        (record,) = campaigns.read_results([tmp_path / "record"])
        assert done + 100 <= record.cases <= done + 102 + 2 * record.seeds
        assert record.engine == first["record"].engine and record.seconds >= first["record"].seconds


def test_results_of_two_machines_are_one_row(tmp_path: Path) -> None:
    for name, cases, lines in (("a", 10, 5), ("b", 20, 7)):
        (tmp_path / name / "sass").mkdir(parents=True)
        result = Result("sass", name, cases, 1.5, f"{lines} lines", findings=[Finding("same", name, cases)])
        result.write(tmp_path / name / "sass" / "result.json")
    (both,) = campaigns.read_results([tmp_path / "a", tmp_path / "b"])
    assert (both.cases, both.seconds, both.coverage, both.engine) == (30, 3.0, "7 lines", "a; then b")
    assert both.findings == [Finding("same", "a", 30)]


ATHERIS = """
import contextlib
def instrument_imports(**_): return contextlib.nullcontext()
def Mutate(data, limit): return data[1:]
def Setup(arguments, one, custom_mutator): globals().update(options=arguments, one=one, mutator=custom_mutator)
def Fuzz():
    assert "-timeout=0" in options and options[0] == "record"
    data = b'{"key": "k"}'
    for number in range(10**6):
        one(data)
        data = mutator(data, 200, number) or b"{}"
        assert len(data) <= 200
"""


def test_a_target_under_atheris_ends_with_its_cases(tmp_path: Path) -> None:
    """A stand-in for atheris: only what of it we call."""
    (tmp_path / "atheris.py").write_text(ATHERIS)
    (tmp_path / "atheris-9.dist-info").mkdir()
    (tmp_path / "atheris-9.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: atheris\nVersion: 9\n")
    (tmp_path / "seed").write_text("{}")
    environment = {"PATH": "", "PYTHONPATH": f"{ROOT}:{tmp_path}"}
    out = tmp_path / "out"
    command = [sys.executable, "-m", "tools.fuzz.with_atheris", "record", str(out), "60", "450", "1"]
    subprocess.run([*command, str(tmp_path / "seed")], env=environment, check=True, timeout=120)
    result = Result(**json.loads((out / "result.json").read_text()))
    assert (result.target, result.cases, result.seeds, result.failures) == ("record", 450, 1, 0)
    assert result.engine.endswith("atheris 9")
