"""The compatibility suite: what it covers, how it is selected, built and recorded, and a slice of it that is run."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import stat
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from cass_shim.cli.compat import run_command
from cass_shim.compat import build as builder
from cass_shim.compat import suite
from cass_shim.compat.build import DEFAULT_VARIANTS, VARIANTS, build, can_build
from cass_shim.compat.jobs import collect, variants_named
from cass_shim.compat.runner import Job, Limits, run_one
from cass_shim.model.errors import Malformed
from cass_shim.native.build import BUILD

ROOT = Path(__file__).parents[2]
PROGRAMS = suite.programs(ROOT)
SAMPLES = suite.samples(ROOT)
RECORDED = ROOT / "samples" / "expected" / "RECORDED.json"
SLICE = (
    "basic_operations/wide_integers",
    "cryptography_and_hashing/chacha20",
    "data_structures/ring_queue",
    "graph/triangle_count",
    "image/median_filter",
    "image/texture_gather",
    "memory_operations/pitched_copies",
    "memory_operations/surfaces",
    "optimisation/annealing",  # frees what another kernel's malloc gave
    "optimisation/n_queens",
    "physics/heat_3d",
    "signal/fir_filter",
    "sorting_and_scan/stream_compaction",
)
program = pytest.mark.parametrize("program", SAMPLES, ids=lambda sample: sample.title)


def test_the_suite_is_broad() -> None:
    domains = Counter(sample.domain for sample in PROGRAMS)
    assert len(PROGRAMS) >= 80
    assert len(domains) == 16
    assert min(domains.values()) >= 3, domains


def test_every_program_has_one_name_and_one_domain() -> None:
    names = Counter(sample.name for sample in PROGRAMS)
    assert not [name for name, count in names.items() if count > 1]


def test_every_feature_is_in_two_programs() -> None:
    used = Counter(feature for sample in PROGRAMS for feature in sample.features)
    assert not {feature: used[feature] for feature in suite.read_features(ROOT) if used[feature] < 2}


@program
def test_a_sample_says_what_it_is_and_shows_it(program: suite.SuiteProgram) -> None:
    source = program.source.read_text()
    patterns = suite.read_features(ROOT)
    assert program.features, "no `// features:` line in the head comment"
    assert not set(program.features) - set(patterns)
    assert not [feature for feature in program.features if not re.search(patterns[feature], source)]
    assert not set(program.not_with) - set(VARIANTS)
    assert 20 <= source.count("\n") <= 500
    assert f'verdict("{program.name}"' in source
    assert not re.search(r"#include <(cublas|cufft|curand)|rand\(\)", source)


@pytest.mark.skipif(not RECORDED.exists(), reason="no samples/expected/RECORDED.json: not recorded on a GPU yet")
def test_every_sample_is_recorded() -> None:
    document = json.loads(RECORDED.read_text())
    folder = RECORDED.parent
    goldens = {str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.txt")}
    assert goldens == set(document["exit_codes"])
    assert not goldens - {sample.title for sample in SAMPLES}
    waiting = set((folder / "WAITING").read_text().split())
    assert not waiting & goldens, "recorded: take them off the list"
    assert {sample.title for sample in SAMPLES} - goldens == set(document.get("skipped", {})) | waiting


def test_head_lines() -> None:
    head = suite.head_lines("// What it does.\n// features: a, b,\n//     c\n// not with: fast-math\n#include <x>\n")
    assert head == {"features": ("a", "b", "c"), "not with": ("fast-math",)}
    assert suite.head_lines("#include <x>\n// features: late\n") == {}


def test_selection_by_suite_domain_and_name() -> None:
    assert suite.select(PROGRAMS, "all") == PROGRAMS
    assert len(suite.select(PROGRAMS, "examples")) == 15
    assert {sample.domain for sample in suite.select(PROGRAMS, "graph")} == {"graph"}
    assert [sample.title for sample in suite.select(PROGRAMS, "pagerank")] == ["graph/pagerank"]
    assert suite.select(PROGRAMS, "graph/nothing") == []


def test_wrong_names_are_told_what_there_is() -> None:
    with pytest.raises(Malformed, match=r"nothing is no file.*graph, "):
        collect(["nothing"], None, DEFAULT_VARIANTS, 1, ROOT)
    with pytest.raises(Malformed, match=r"no variant fast; there are: all, static-fat"):
        variants_named(["fast"])


def test_the_command_says_what_does_not_work(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    failing = shutil.which("false")
    assert failing is not None
    done = CliRunner().invoke(run_command, [failing, "--results", str(results), "--routes", "lift", "--jobs", "1"])
    assert done.exit_code == 1
    assert "false  lift: exit status 1" in done.output


def test_an_example_without_a_row_names_the_table(tmp_path: Path) -> None:
    (tmp_path / "samples").mkdir()
    (tmp_path / "examples").mkdir()
    (tmp_path / "samples" / "features.toml").write_text("[features]\n[examples]\n")
    (tmp_path / "examples" / "new.cu").write_text("int main() {}\n")
    with pytest.raises(Malformed, match=r"new\.cu: no row in \[examples\] of samples/features\.toml"):
        suite.programs(tmp_path)


def test_the_command_runs_a_program_and_stores_what_came_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASS_DEVICE", "emulated")
    program = ROOT / "examples" / "prebuilt" / "symbols_shared_sass"
    results = tmp_path / "results.json"
    command = [str(program), "--results", str(results), "--routes", "lift", "--jobs", "1"]
    done = CliRunner().invoke(run_command, command)
    assert done.exit_code == 0, done.output
    assert "1 verified" in done.output
    stored = json.loads(results.read_text())["outcomes"]
    assert [(row["program"], row["rating"]) for row in stored] == [("symbols_shared_sass", "verified")]


@pytest.mark.parametrize(
    ("variant", "translators", "useful"),
    [
        ("static-sm80", "ptx-hip", False),
        ("static-sm80", "lift,ptx-hip", True),
        ("rdc", "ptx-hip", False),
        ("ptx-only", "lift", False),
        ("ptx-only", "ptx-hip", True),
        ("static-fat", "cass", True),
    ],
)
def test_a_variant_serves_the_routes_it_has_code_for(variant: str, translators: str, useful: bool) -> None:
    assert VARIANTS[variant].serves(translators) is useful


def recorder() -> ModuleType:
    """The recording tool, which is no part of a package."""
    spec = importlib.util.spec_from_file_location("record_examples", ROOT / "tools" / "record_examples.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_recording_skips_what_is_not_deterministic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an nvcc that copies shell scripts, so that no GPU is needed: the sources are what the programs do."""
    tools = tmp_path / "bin"
    tools.mkdir()
    script(
        tools / "nvcc", 'case "$1" in --version) printf "a, V13.0.88\\nb\\n";; *) cp "$5" "$4"; chmod +x "$4";; esac'
    )
    script(tools / "nvidia-smi", "echo 'NVIDIA H200, 580, 9.0'")
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    domain = tmp_path / "samples" / "graph"
    domain.mkdir(parents=True)
    script(domain / "steady.cu", "echo 42")
    script(domain / "changing.cu", "date +%s%N")
    script(domain / "wrong.cu", "echo wrong values; exit 1")
    module = recorder()
    monkeypatch.setattr(module, "ROOT", tmp_path)
    out = tmp_path / "out.json"
    assert module.main(["--samples", "--jobs", "1", str(out)]) == 1
    assert module.main(["--unpack", str(out)]) == 0
    expected = tmp_path / "samples" / "expected"
    document = json.loads((expected / "RECORDED.json").read_text())
    assert document["exit_codes"] == {"graph/steady": 0}
    assert (expected / "graph" / "steady.txt").read_text() == "42\n"
    assert "not deterministic" in document["skipped"]["graph/changing"]
    assert "exit status 1: wrong values" in document["skipped"]["graph/wrong"]
    assert document["machine"]["nvcc"] == "V13.0.88"


def test_later_recordings_stand_beside_earlier_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = recorder()
    monkeypatch.setattr(module, "ROOT", tmp_path)

    def unpacked(gpu: str, *names: str) -> dict[str, object]:
        runs = {name: {"stdout": f"{gpu}\n", "exit_code": 0} for name in names}
        (tmp_path / "out.json").write_text(json.dumps({"machine": {"gpu": gpu}, "samples": runs, "skipped": {}}))
        assert module.main(["--unpack", str(tmp_path / "out.json")]) == 0
        summary: dict[str, object] = json.loads((tmp_path / "samples" / "expected" / "RECORDED.json").read_text())
        return summary

    unpacked("H200", "graph/a", "graph/b")
    both = unpacked("H100", "graph/b", "graph/c")
    assert (both["machine"], both["exit_codes"]) == ({"gpu": "H200"}, {"graph/a": 0, "graph/b": 0, "graph/c": 0})
    assert both["others"] == {"graph/b": {"gpu": "H100"}, "graph/c": {"gpu": "H100"}}
    assert (tmp_path / "samples" / "expected" / "graph" / "b.txt").read_text() == "H100\n"
    anew = unpacked("L40", "graph/a", "graph/b", "graph/c")
    assert (anew["machine"], "others" in anew) == ({"gpu": "L40"}, False)


@pytest.mark.slow
@pytest.mark.nvcc
@pytest.mark.skipif(bool(can_build()), reason=can_build())
@pytest.mark.parametrize("title", SLICE)
def test_a_slice_of_the_suite(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASS_DEVICE", "emulated")
    sample = next(sample for sample in SAMPLES if sample.title == title)
    binary = build(sample, VARIANTS["static-sm80"], ROOT / "build" / "suite")
    golden = sample.golden if sample.golden.is_file() else None
    job = Job(binary, golden, sample.exit_code, title, sample.domain, "static-sm80")
    outcome = run_one(job, BUILD / "cass-run", "lift", Limits(seconds=120), tmp_path)
    assert outcome.right and outcome.rating == "verified", outcome
    assert {kernel.route for kernel in outcome.kernels} == {"lift"}


def test_a_variant_that_lacks_its_toolkit_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "folder_of", lambda module: None)
    variant = VARIANTS["cuda12-shared"]
    wanted = "variant cuda12-shared needs: pip install nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12"
    assert variant.missing() == wanted
    assert variant not in variants_named(["all"])
    assert variants_named(["cuda12-shared"]) == [variant]  # asked for by name: building says why it cannot


@pytest.mark.nvcc
@pytest.mark.skipif(bool(can_build()), reason=can_build())
@pytest.mark.skipif(bool(VARIANTS["cuda12-shared"].missing()), reason=VARIANTS["cuda12-shared"].missing())
def test_programs_of_cuda_12_are_built_with_its_headers_and_runtime(tmp_path: Path) -> None:
    source = tmp_path / "version.cu"
    source.write_text('#include <cuda_runtime.h>\nstatic_assert(CUDART_VERSION / 1000 == 12, "");\nint main() {}\n')
    version = replace(SAMPLES[0], name="version", source=source)
    assert b"libcudart.so.12\0" in build(version, VARIANTS["cuda12-shared"], tmp_path).read_bytes()
