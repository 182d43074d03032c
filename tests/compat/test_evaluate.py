"""`cass eval`: the reading of benchmarks, and one measurement of each kind."""

from __future__ import annotations

import dataclasses
import gzip
import json
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from cass_shim.cli.eval import eval_command, right_outputs, run_program, save
from cass_shim.compat.evaluate import Measured, Options, measure, summarise
from cass_shim.compat.problems import Problem, programs, read_problems
from cass_shim.compat.rows import columns_of, write_rows
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.model.artifacts import CodeObject, EntryKind, Verified
from cass_shim.model.config import Config
from cass_shim.model.errors import Malformed, Rejected, ToolFailed
from cass_shim.pipeline import Work, region, verify
from cass_shim.translate.cass import models
from cass_shim.translate.cass.models import Answer, Decoding
from cass_shim.translate.cass.parts import Splitter, listing
from cass_shim.translate.cass.prompt import Message
from cass_shim.verify.candidate import NOT_LOADED
from tests.translate.cass.fielded import Fielded

PREBUILT = Path(__file__).parents[2] / "examples" / "prebuilt" / "vector_add_static"
NAME = "_Z10vector_addPKfS0_Pfi"


def cubin() -> bytes:
    for fatbin in read_fatbins(PREBUILT.read_bytes(), "sample"):
        for entry in fatbin.entries:
            if entry.kind is EntryKind.ELF and entry.sm == 80:
                return entry.payload
    raise AssertionError("no sm_80 code in the sample")


def unit(folder: Path, target: str = "s_endpgm") -> Path:
    """A folder of held-out pairs with one pair."""
    (folder / "0000000.cubin").write_bytes(cubin())
    pair = {"name": NAME, "family": "guard", "key": "k", "source": "", "target": target, "evidence": "E1u"}
    (folder / "0000000.jsonl.gz").write_bytes(gzip.compress((json.dumps(pair) + "\n").encode()))
    return folder


def problem(tmp_path: Path) -> Problem:
    return read_problems(unit(tmp_path))[0][0]


def test_held_out_pairs_are_read_with_their_module(tmp_path: Path) -> None:
    found = problem(tmp_path)
    assert (found.kernel, found.target, found.group) == (NAME, "s_endpgm", f"{tmp_path.name}/guard")


def test_pairs_without_their_cubin_are_malformed(tmp_path: Path) -> None:
    (unit(tmp_path) / "0000000.cubin").unlink()
    with pytest.raises(Malformed, match="with its cubin"):
        read_problems(tmp_path)


def test_a_folder_without_kernels_says_so(tmp_path: Path) -> None:
    (tmp_path / "no.txt").write_text("")
    with pytest.raises(Malformed, match="no kernels there"):
        read_problems(tmp_path)


def test_programs_are_sources_with_their_output_beside_them(tmp_path: Path) -> None:
    for name in ("a.cu", "a.txt", "b.cu", "c.txt"):
        (tmp_path / name).write_text("")
    assert [one.name for one in programs(tmp_path)] == ["a"]


def test_folders_within_a_benchmark_are_its_domains(tmp_path: Path) -> None:
    for name in ("sorting/a.cu", "sorting/a.txt", "physics/deep/b.cu", "physics/deep/b.txt", "c.cu", "c.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = {one.name: one.group for one in programs(tmp_path)}
    bench = tmp_path.name
    assert found == {"a": f"{bench}/sorting", "b": f"{bench}/physics", "c": bench}


@pytest.mark.parametrize("is_list", [False, True])
def test_a_benchmark_in_rows_becomes_a_folder_of_domains(tmp_path: Path, is_list: bool) -> None:
    rows = [
        {"id": "x.cu", "topic": "linear algebra", "cuda": "int main() {}", "stdout": "1\n"},
        {"id": "x.cu", "topic": "linear algebra", "cuda": "int main() { return 1; }"},
        {"id": "../../etc/passwd", "topic": None, "cuda": ""},
    ]
    file = tmp_path / "bench.jsonl"
    file.write_text(json.dumps(rows) if is_list else "".join(f"{json.dumps(row)}\n" for row in rows))
    columns = columns_of("name=id,domain=topic,source=cuda,output=stdout")
    place = write_rows(file, columns, tmp_path / "out")
    assert {str(one.relative_to(place)): one.read_text() for one in sorted(place.rglob("*.*"))} == {
        "linear_algebra/x.cu": "int main() {}",
        "linear_algebra/x.txt": "1\n",
        "linear_algebra/x_001.cu": "int main() { return 1; }",
        "etc_passwd.cu": "",
    }


def test_rows_without_a_source_say_which_columns_there_are(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    file.write_text('[{"cuda": "", "stdout": ""}]')
    with pytest.raises(Malformed, match=r"no column 'source', but cuda, stdout; say --columns source=COLUMN"):
        write_rows(file, columns_of(""), tmp_path)
    for text in ("", "[1]", "{"):
        file.write_text(text)
        with pytest.raises(Malformed, match="no rows of JSON"):
            write_rows(file, columns_of(""), tmp_path)
    with pytest.raises(Malformed, match="none of name=COLUMN"):
        columns_of("sauce=cuda")


def test_right_outputs_are_counted_by_domain() -> None:
    rows = [("b/x", "same"), ("b/x", "differs"), ("b/y", "same")]
    table = right_outputs([{"program": "p", "group": g, "translator": "lift", "result": r} for g, r in rows])
    cells = list(zip(*(column.cells for column in table.columns), strict=True))
    assert [(one[0], one[2], one[3]) for one in cells] == [("b, all", "3", "2"), ("b/x", "2", "1"), ("b/y", "1", "1")]


def test_a_translator_is_measured_by_the_verifier(tmp_path: Path) -> None:
    found = measure(problem(tmp_path), "lift", Config.read({}), Options())
    assert (found.assembled, found.verified, found.reason, found.exact) == (True, True, "", None)


def test_a_device_that_an_earlier_candidate_left_running_is_reset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resets: list[int] = []

    class Lost:
        def reset(self) -> None:
            resets.append(1)

    def refuse(work: Work, code: CodeObject, seed: int = 1) -> Verified:
        if not resets:
            raise Rejected(NOT_LOADED, kernel="k", witness="hipModuleLoadData: HIP error 702")
        return verify(work, code, seed=seed)

    monkeypatch.setattr("cass_shim.compat.evaluate.open_device", Lost)
    monkeypatch.setattr("cass_shim.compat.evaluate.verify", refuse)
    assert measure(problem(tmp_path), "lift", Config.read({}), Options()).verified
    assert resets == [1]


def test_what_a_translator_cannot_read_is_unsupported(tmp_path: Path) -> None:
    found = measure(problem(tmp_path), "ptx-hip", Config.read({}), Options())
    assert found.unsupported
    assert not found.assembled


def test_a_models_samples_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.translate.cass.test_fields import VECTOR_ADD, Speaker, joined, target_lines

    good = joined(target_lines(VECTOR_ADD.splitlines()))
    wrong = good.replace("v_add_f32", "v_sub_f32")
    speaker = Speaker(good, wrong, good, "v_nonsense", good, good)
    monkeypatch.setattr(models, "choose", lambda setting, sm: speaker)
    one = read_problems(unit(tmp_path, target=good))[0][0]
    found = measure(one, "cass", Config.read({}), Options(samples=5))
    assert (found.verified, found.exact, found.samples, found.accepted) == (True, True, 5, 3)
    assert found.tokens == 60
    summary = summarise([found])[-1]
    assert summary.passed["pass@1"].share == pytest.approx(0.6)
    assert summary.passed["pass@5"].share == 1.0
    assert "pass@10" not in summary.passed


@pytest.mark.parametrize("wrong", [(), (2,)])
def test_what_is_wrong_as_a_whole_is_measured_in_small_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: tuple[int, ...]
) -> None:
    one, options = problem(tmp_path), Options(samples=1, small=12)
    sass = Work(one.module, one.kernel, Config.read({})).sass
    speaker = Fielded(sass, wrong, options.small)
    monkeypatch.setattr(models, "choose", lambda setting, sm: speaker)
    found = measure(one, "cass", Config.read({}), options)
    amount = len(speaker.parts)
    assert amount > 2 and (found.verified, found.repaired, found.accepted) == (False, False, 0)
    assert (found.small, found.best, found.parts, found.own) == (
        (False, False, found.parts, 0) if wrong else (True, True, amount, amount)
    )
    shares = summarise([found])[-1]
    assert (shares.repaired.share, shares.small.share, shares.best.share) == (0, not wrong, not wrong)
    assert not measure(one, "cass", Config.read({}), dataclasses.replace(options, small=0)).best
    speaker.window = 20  # nothing fits, whole or cut
    beyond = measure(one, "cass", Config.read({}), options)
    assert "prompt length" in beyond.unsupported and not beyond.best


def plain(text: str) -> str:
    """Instructions of a listing, without what stands around them."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip().startswith("/*"))


class PartSpeaker:
    """A model that knows the lifter's code for parts of the sample's kernel, but for some."""

    identity, window = "speaker", 100_000

    def __init__(self, problem: Problem, largest: int, silent: int) -> None:
        sass = Work(problem.module, problem.kernel, Config.read({})).sass
        parts = Splitter(sass).split(lambda one: len(one.instructions) <= largest)
        self.known = [
            (plain(listing(one.sass, "")), "no" if one.number == silent else region(one.plain)) for one in parts
        ]

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        (answer,) = [text for own, text in self.known if own in plain(messages[0].content)]
        return [Answer(answer, 10)] * decoding.count


@pytest.mark.parametrize("silent", [0, 2])
def test_a_kernel_in_parts_is_verified_when_all_are_the_models(tmp_path: Path, silent: int) -> None:
    one = problem(tmp_path)
    options = Options(samples=0, repairs=0, parts=12)
    found = measure(one, "cass", Config.read({}), options, PartSpeaker(one, 12, silent))
    assert found.parts > 2, found
    assert found.own == found.parts - bool(silent), found
    assert found.best
    assert found.verified == (not silent)
    assert bool(found.reason) == bool(silent)
    assert summarise([found])[0].own == found.own


def test_json_goes_into_a_pipe_too(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    save(pipe, [], [], Options(), finished=True)
    assert json.loads(os.read(reader, 1 << 16))["finished"] is True
    os.close(reader)


def test_a_problem_without_samples_counts_as_never_right() -> None:
    rows = [
        Measured("a", "g", "cass", True, True, samples=10, accepted=10),
        Measured("b", "g", "cass", unsupported="prompt length"),
    ]
    (found,) = summarise(rows)
    assert (found.problems, found.unsupported) == (2, 1)
    assert found.verified.share == found.passed["pass@1"].share == found.passed["pass@10"].share == 0.5


def test_the_command_prints_a_table_and_writes_json(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    folder = tmp_path / "seeds"
    folder.mkdir()
    done = CliRunner().invoke(eval_command, [str(unit(folder)), "--translators", "lift", "--json", str(out)])
    assert done.exit_code == 0, done.output
    assert "seeds/guard" in done.output
    document = json.loads(out.read_text())
    assert document["kernels"][0]["verified"] is True
    assert {row["group"] for row in document["summary"]} == {"seeds/guard", "seeds, all"}


@pytest.mark.slow
@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
def test_a_program_is_built_run_and_compared(tmp_path: Path) -> None:
    examples = PREBUILT.parents[1]
    for file in (examples / "vector_add.cu", examples / "common.h", examples / "expected" / "vector_add.txt"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (found,) = programs(tmp_path)
    assert run_program(found, "lift")["result"] == "same"
    found.golden.write_text("another output\n")
    assert run_program(found, "lift")["result"] == "differs"


@pytest.mark.slow
@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
def test_a_benchmark_in_rows_is_measured_as_a_whole(tmp_path: Path) -> None:
    """Of CASS-Bench's shape: sources, outputs, domains."""
    examples = PREBUILT.parents[1]
    source = (examples / "vector_add.cu").read_text()
    source = source.replace('#include "common.h"', (examples / "common.h").read_text())
    right = (examples / "expected" / "vector_add.txt").read_text()
    rows = [{"name": name, "domain": "vectors", "source": source, "output": output}
            for name, output in (("good", right), ("bad", "something else\n"))]  # fmt: skip
    file = tmp_path / "bench.json"
    file.write_text(json.dumps(rows))
    out = tmp_path / "out.json"
    done = CliRunner().invoke(eval_command, [str(file), "--translators", "lift", "--run", "--json", str(out)])
    assert done.exit_code == 0, done.output
    document = json.loads(out.read_text())
    assert [one["result"] for one in document["programs"]] == ["differs", "same"]
    assert {one["group"]: one["verified"]["share"] for one in document["summary"]} == {
        "bench/vectors": 1.0, "bench, all": 1.0,
    }  # fmt: skip
    assert "50.0" in done.output


def test_a_kernel_whose_answer_the_back_end_failed_to_give_counts_for_nothing(tmp_path: Path) -> None:
    one = problem(tmp_path)

    class Failing:
        identity, window, contract = "no memory", 0, "fields-3"

        def count_tokens(self, text: str) -> int:
            return len(text)

        def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
            raise ToolFailed("torch", stderr="CUDA out of memory")

    lost = measure(one, "cass", Config.read({}), Options(), Failing())
    assert "out of memory" in lost.lost and not lost.assembled
    assert summarise([lost]) == []
    right = dataclasses.replace(lost, lost="", assembled=True, verified=True)
    row = summarise([lost, right])[0]
    assert (row.problems, row.verified.share) == (1, 1)
