"""Training pairs: the same from the same seed, no duplicates, nothing like what a model is judged by."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from tools import environment, samples
from tools.pairs import clang, generate
from tools.pairs.__main__ import main
from tools.pairs.kernels import FAMILIES, HELD_OUT_FAMILIES, SPLITS, kernel, unit
from tools.pairs.overlap import compile_cubin, grams, key, likeness
from tools.pairs.pack import pack
from tools.pairs.rarities import RARE


def lines(*texts: str) -> list[list[str]]:
    return [["shared", "#0"], *(text.split() for text in texts)]


def test_kernels_depend_on_seed_and_number_only() -> None:
    assert kernel(1, 7) == kernel(1, 7)
    assert len({kernel(seed, number)[1].split("{", 1)[1] for seed in (1, 2) for number in range(40)}) > 60
    assert unit(1, 5, 3)[1].count("__global__") == 3


def test_held_out_families_are_never_trained_on() -> None:
    trained = {kernel(SPLITS["train"], number)[0] for number in range(3000)}
    assert trained == set(FAMILIES) - set(HELD_OUT_FAMILIES)
    assert {kernel(SPLITS["families"], number)[0] for number in range(100)} == set(HELD_OUT_FAMILIES)


def test_some_families_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    families, _ = unit(SPLITS["train"], 0, 40, ("rare", "flips"))
    assert set(families.values()) == {"rare", "flips"}
    if not samples.can_build():
        assert main(["generate", str(tmp_path), "--only", "rare,flops"]) == 2
        assert "no such families to train on: flops; there are straight, " in capsys.readouterr().out


@pytest.mark.skipif(bool(samples.can_build()), reason="needs nvcc")
def test_seldom_instructions_are_among_them(tmp_path: Path) -> None:
    """Each family compiles, and has what it is there for."""
    families, text = unit(SPLITS["train"], 0, 250, tuple(RARE))
    assert set(families.values()) == set(RARE)
    (tmp_path / "unit.cu").write_text(text)
    cubin = read_cubin(compile_cubin(tmp_path / "unit.cu", tmp_path))
    found = {one.form for kernel in cubin.kernels.values() for one in decode_kernel(kernel, cubin).instructions}
    for form in ("ISETP.GT.U32.XOR", "LDS.U16", "REDUX.OR", "ATOMS.CAS", "SHFL.UP", "SGXT", "FRND"):
        assert any(one.startswith(form) for one in found), form


def test_kernels_that_differ_in_numbers_only_are_duplicates() -> None:
    first = lines("IADD3 R #1 , R #2 , #7 , RZ", "@ P #0 BRA L #0", "EXIT")
    assert key(first) == key(lines("IADD3 R #9 , R #4 , #1 , RZ", "@ P #1 BRA L #3", "EXIT"))
    assert key(first) != key(lines("IADD3 R #1 , R #2 , - R #3 , RZ", "@ P #0 BRA L #0", "EXIT"))


@pytest.mark.parametrize(
    ("pair", "apart"),
    [
        ("v_dual_mov_b32 v1, v2 :: v_dual_add_f32 v3, v4, v5", ["v_mov_b32 v1, v2", "v_add_f32 v3, v4, v5"]),
        ("v_dual_mov_b32 v1, v2 :: v_dual_add_f32 v3, v1, v5", ["v_add_f32 v3, v1, v5", "v_mov_b32 v1, v2"]),
        (
            "v_dual_mov_b32 v1, 0 :: v_dual_cndmask_b32 v0, v4, v5",
            ["v_mov_b32 v1, 0", "v_cndmask_b32 v0, v4, v5, vcc_lo"],
        ),
    ],
)
def test_instructions_that_run_as_one_are_told_apart(pair: str, apart: list[str]) -> None:
    assert [line.strip() for line in clang.single([f"\t{pair}"])] == apart


def test_what_exchanges_registers_cannot_be_told_apart() -> None:
    with pytest.raises(generate.Skip, match="exchanges"):
        clang.single(["\tv_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, v1"])


def test_a_file_of_tokens_is_there_once_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_off(file: Path, **_: object) -> None:
        file.write_bytes(b"PK")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(np, "savez", cut_off)
        pack([], tmp_path / "families.npz")
    assert not (tmp_path / "families.npz").exists()
    pack([], tmp_path / "families.npz")
    assert [one.name for one in tmp_path.iterdir()] == ["families.npz"]


@pytest.mark.parametrize("minutes", ["0", "9"])
def test_pairs_are_finished_when_all_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minutes: str) -> None:
    monkeypatch.setattr(samples, "can_build", lambda: "")
    monkeypatch.setattr("tools.pairs.generate.Generator.__init__", lambda *_, **__: None)
    monkeypatch.setattr("tools.pairs.generate.Generator.run", lambda *_: iter(["a unit", "another"]))
    assert main(["generate", str(tmp_path), "--minutes", minutes, "--finished", "done"]) == 0
    assert (tmp_path / "done").exists() == (minutes == "9")


@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_unit_that_never_ends_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_stopped: bool) -> None:
    """Its process waits for a writer of a pipe that has none."""
    monkeypatch.setattr(generate, "UNIT_S", 60.0 if is_stopped else 1.0)
    os.mkfifo(tmp_path / "reference.json")
    stop, started = threading.Event(), time.monotonic()
    if is_stopped:
        threading.Timer(1.0, stop.set).start()
    made = generate._work(tmp_path / "reference.json", ("train", 0, 1, generate.How(0.0)), stop)
    assert made.pairs == []
    assert list(made.counts) == ["left out: units whose process took too long: train 0"]
    assert time.monotonic() - started < 50


def test_likeness_is_the_share_of_known_runs() -> None:
    body = [f"OP{number} R #1" for number in range(12)]
    known = grams(lines(*body))
    assert likeness(lines(*body), known) == 1.0
    assert likeness(lines(*(f"NEW{number}" for number in range(12))), known) == 0.0
    assert likeness(lines(*body[:10], "NEW", "NEW"), known) == pytest.approx(3 / 5)


@pytest.mark.slow
@pytest.mark.nvcc
@pytest.mark.skipif(bool(samples.can_build()), reason=samples.can_build() or "")
@pytest.mark.parametrize("seed", SPLITS.values())
def test_nvcc_takes_what_the_families_write(seed: int, tmp_path: Path) -> None:
    source = tmp_path / "unit.cu"
    source.write_text(unit(seed, 0, 200)[1])
    assert len(read_cubin(compile_cubin(source, tmp_path)).kernels) == 200


@pytest.mark.slow
@pytest.mark.nvcc
@pytest.mark.skipif(bool(samples.can_build()), reason=samples.can_build() or "")
def test_pairs_are_deterministic_verified_and_packed(tmp_path: Path) -> None:
    """In a process of its own: the regular targets need options of LLVM that are the whole process's."""
    program = (
        "import json, sys; from pathlib import Path; from dataclasses import asdict\n"
        "from tools.pairs import generate\n"
        "from tools.pairs.pack import pack_all\n"
        "generate.reference_files = lambda: []\n"
        "out = Path(sys.argv[1])\n"
        "one = generate.Generator(out, 2, 6)\n"
        "list(one.run({'seeds': 6, 'train': 6}))\n"
        "list(generate.Generator(out, 1, 6, generate.How(0.0)).run({'train': 12}, 6))\n"
        "again = list(generate.Generator(out, 1, 6).run({'train': 6}))\n"
        "pack_all(out, out / 'set')\n"
        "print(json.dumps([again, [asdict(p) for p in generate.read_pairs(out, 'seeds')]]))"
    )
    made = []
    for name in ("first", "second"):
        command = [sys.executable, "-c", program, str(tmp_path / name)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=environment.ROOT)
        made.append(json.loads(done.stdout))
    assert made[0] == made[1]
    again, pairs = made[0]
    assert again == []
    units = {file.name for file in (tmp_path / "first" / "train").glob("*.gz")}
    assert units == {"0000000.jsonl.gz", "0000006.jsonl.gz"}  # the second by its start
    assert len(pairs) > 2
    assert len({pair["key"] for pair in pairs}) == len(pairs)
    assert {pair["evidence"] for pair in pairs} <= {"E1u", "E1"}
    with np.load(tmp_path / "first" / "set" / "train.npz") as stored:
        assert len(stored["starts"]) == len(stored["answers"]) + 1
        assert stored["starts"][-1] == len(stored["ids"])


def told(place: Path, code: str) -> tuple[list[list[str]], list[list[str]]]:
    """Target and source of the kernel `k` of CUDA source, made in a process of its own; lines of words."""
    source = place / "unit.cu"
    source.write_text(code)
    program = (
        "import json, sys; from pathlib import Path\n"
        "from cass_shim.decode import decode_kernel\n"
        "from cass_shim.extract.cubin import read_cubin\n"
        "from tools.pairs.generate import make_pair\n"
        "from tools.pairs.overlap import compile_cubin\n"
        "cubin = read_cubin(compile_cubin(Path(sys.argv[1]), Path(sys.argv[2])))\n"
        "pair = make_pair(decode_kernel(cubin.kernels['k'], cubin), 'none', set())\n"
        "print(json.dumps([pair.target, pair.source]))"
    )
    command = [sys.executable, "-c", program, str(source), str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=environment.ROOT)
    target, given = ([line.split() for line in one.splitlines()] for one in json.loads(done.stdout))
    return target, given


@pytest.mark.nvcc
@pytest.mark.skipif(bool(samples.can_build()), reason=samples.can_build() or "")
def test_what_compares_parameters_alone_is_told_like_other_instructions(tmp_path: Path) -> None:
    """LLVM would compare in scalar registers, branch another way, and share one zero among the results."""
    words, _ = told(
        tmp_path,
        'extern "C" __global__ void k(int *out, int a, float x, char c, bool t) {\n'
        "  int v = threadIdx.x;\n"
        "  if (a != 0) v = v * out[v + 32] + 5;\n"
        "  if (x > 0.f || c > 3) v ^= out[v & 31];\n"
        "  if (t) out[v & 15] = v;\n"
        "}\n",
    )
    assert not [line for line in words if line[0].startswith(("s_cmp", "s_cselect", "s_cbranch_vcc", "s_cbranch_scc"))]
    assert len([line for line in words if line[0].startswith("v_cmp")]) >= 4
    given = [tuple(line[1:3]) for line in words if line[0] == "v_mov_b32" and line[-2:] == [",", "#0"]]
    assert len(given) == len(set(given)) >= 2


@pytest.mark.nvcc
@pytest.mark.skipif(bool(samples.can_build()), reason=samples.can_build() or "")
def test_comparisons_and_carries_are_told_where_they_stand(tmp_path: Path) -> None:
    """LLVM would compare the other way round in front of a branch, and give no register to what nobody reads."""
    words, source = told(
        tmp_path,
        'extern "C" __global__ void k(long long *out, long long a, int n, int m) {\n'
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i >= n) return;\n"
        "  long long v = out[i] + a;\n"
        "  for (int j = 0; j < m; ++j) if (v > j * 3) v = v * 5 + j; else if (i != j) v -= a;\n"
        "  out[i + 32] = v;\n"
        "}\n",
    )
    compared = [line for line in source if "ISETP" in line and "EX" not in "".join(line).split(".")]
    conditions = [next(one for one in line if one in (".GE", ".GT", ".LT", ".LE", ".NE", ".EQ")) for line in compared]
    told_ones = [line[0].split("_")[2] for line in words if line[0].startswith("v_cmp_")]
    assert len(conditions) >= 4
    left = iter(told_ones)
    assert all(any(one == condition[1:].lower() for one in left) for condition in conditions), (conditions, told_ones)
    assert not [line for line in words if line[0].startswith("v_cmpx")]
    carried = [line for line in words if line[0] == "v_add_co_u32"]
    assert len(carried) >= 2
    assert not [line for line in carried if "null" in line]
    assert [line for line in words if line[0] == "v_add_co_ci_u32"]
