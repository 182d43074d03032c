"""CUDA to HIP source by a model, scored by what the programs print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from cass_shim.cli.eval import eval_command
from cass_shim.compat.evaluate import Options, summarise
from cass_shim.compat.problems import Program
from cass_shim.compat.sources import build_prompt, measure_source, source_of
from cass_shim.model.config import Config
from cass_shim.model.errors import Rejected
from cass_shim.translate.cass.models import Answer, Decoding
from cass_shim.translate.cass.prompt import Message, digest

# Builds what begins like a script, as a compiler that has a program of one shape only.
COMPILER = """#!/bin/sh
for word; do last=$word; done
while [ "$1" != -o ]; do shift; done
case $(head -c 2 "$last") in
"#!") cp "$last" "$2" && chmod +x "$2" ;;
*) echo "$last:1: error: no type named x" >&2; exit 1 ;;
esac
"""
RIGHT, WRONG = "#!/bin/sh\necho 3", "#!/bin/sh\necho 4"


def fenced(program: str) -> str:
    return f"Here it is:\n```amd\n{program}\n```\n"


class Speaker:
    """A model that says these answers, one after another."""

    identity, window = "speaker", 1000

    def __init__(self, *answers: Answer) -> None:
        self.answers, self.asked = list(answers), list[str]()

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        self.asked.append(messages[0].content)
        return [self.answers.pop(0) for _ in range(decoding.count)]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    compiler = tmp_path / "compiler"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    monkeypatch.setenv("HIPCC", str(compiler))
    bench = tmp_path / "bench"
    bench.mkdir()
    (bench / "sum.cu").write_text("int main() { return 1 + 2; }\n")
    (bench / "sum.txt").write_text("3\n")
    return Program("sum", bench / "sum.cu", bench / "sum.txt", "bench")


def test_the_prompt_is_the_model_cards() -> None:
    assert build_prompt("int x;\n") == "Convert the following CUDA code to AMD GPU code:\n```cuda\nint x;\n\n```"


def test_the_program_is_what_the_last_fence_holds() -> None:
    assert source_of(Answer(fenced("old") + fenced("int y;"))) == "int y;\n"
    assert source_of(Answer("```amd\nint y;")) == "int y;\n"  # as the authors read it: the end may be missing
    for answer in (Answer("int y;"), Answer("```amd\n```"), Answer(fenced("int y;"), finished=False)):
        with pytest.raises(Rejected):
            source_of(answer)
    with pytest.raises(Rejected, match="characters"):
        source_of(Answer(fenced("x" * 10_000_000)))


def test_a_program_that_prints_what_is_expected_is_right(program: Program) -> None:
    speaker = Speaker(Answer(fenced(RIGHT), 7))
    found = measure_source(program, Config.read({}), Options(samples=0), True, speaker)
    assert (found.assembled, found.verified, found.best, found.reason, found.tokens) == (True, True, True, "", 7)
    assert speaker.asked == [build_prompt("int main() { return 1 + 2; }\n")]


def test_samples_are_counted_and_what_is_wrong_is_named(program: Program) -> None:
    answers = [fenced(WRONG), fenced(RIGHT), "sorry", fenced("int x"), fenced(RIGHT), fenced(WRONG)]
    found = measure_source(program, Config.read({}), Options(samples=5), True, Speaker(*map(Answer, answers)))
    assert (found.assembled, found.verified, found.best, found.samples, found.accepted) == (True, False, True, 5, 2)
    assert found.reason == "line 1: '4', expected '3'"
    assert summarise([found])[-1].passed["pass@1"].share == pytest.approx(0.4)


def test_what_does_not_build_says_why(program: Program) -> None:
    found = measure_source(program, Config.read({}), Options(samples=0), True, Speaker(Answer(fenced("int x"))))
    assert not found.assembled
    assert "no type named x" in found.reason


def test_nothing_is_run_unasked(program: Program, tmp_path: Path) -> None:
    answer = Answer(fenced(f"#!/bin/sh\ntouch {tmp_path}/ran"))
    found = measure_source(program, Config.read({}), Options(samples=0), False, Speaker(answer))
    assert (found.assembled, found.verified) == (True, False)
    assert not (tmp_path / "ran").exists()


def test_without_a_compiler_or_with_another_model_the_fix_is_said(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = Speaker(Answer(fenced(RIGHT)))
    ours.contract = "fields-3"  # type: ignore[attr-defined]
    assert "ahmedheakl/cass-src-3b" in measure_source(program, Config.read({}), Options(), True, ours).unsupported
    long = Speaker()
    long.window = 3
    assert "the model reads 3" in measure_source(program, Config.read({}), Options(), True, long).unsupported
    monkeypatch.setenv("HIPCC", "/nowhere/hipcc")
    assert "install" in measure_source(program, Config.read({}), Options(), True, Speaker()).unsupported


def test_the_command_scores_recorded_answers(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = tmp_path / "answers"
    answers.mkdir()
    (answers / "one.txt").write_text(fenced(RIGHT))
    asked = digest((Message("user", build_prompt(program.source.read_text())),))
    (answers / "answers.json").write_text(json.dumps({"answers": {asked: {"file": "one.txt"}}}))
    monkeypatch.setenv("CASS_MODEL", str(answers))
    out = tmp_path / "out.json"
    command = [str(program.source.parent), "--translators", "cass-src", "--samples", "0", "--run"]
    done = CliRunner().invoke(eval_command, [*command, "--json", str(out)])
    assert done.exit_code == 0, done.output
    (kernel,) = json.loads(out.read_text())["kernels"]
    assert (kernel["problem"], kernel["translator"], kernel["verified"]) == ("sum", "cass-src", True)
    assert "cass-src" in done.output
