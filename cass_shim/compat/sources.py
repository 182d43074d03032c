"""CUDA source to HIP source by a model (the authors' CASS-src), scored by what the programs print.

In: a benchmark's programs, a model. Out: `Measured` as for kernels: assembled is that hipcc builds the answer, verified
that the program prints what it prints on an NVIDIA GPU. The prompt is the model cards' usage example. An answer is a
whole program: it is built, and run where the caller allows that, with all that the user may do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from cass_shim.compat.evaluate import Measured, Options
from cass_shim.compat.problems import COMPILE_S, Program
from cass_shim.compat.runner import compare
from cass_shim.device import library
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError, Rejected, ToolFailed, Unsupported
from cass_shim.translate.cass.contracts import AUTHORS
from cass_shim.translate.cass.models import Answer, Decoding, Model, choose
from cass_shim.translate.cass.prompt import TOO_LONG, Message

ROUTE = "cass-src"
SM = 80  # of the model's family, where CASS_MODEL asks for it: sources have none
INSTRUCTION, INPUT_FENCE, OUTPUT_FENCE = "Convert the following CUDA code to AMD GPU code:", "cuda", "amd"
MAX_SOURCE = 1 << 20
RUN_S = 300.0
SONAMES = range(4, 8)  # HIP 4.2 to 7: a program built with any finds the emulated device


def build_prompt(source: str) -> str:
    """The user turn for one program."""
    return f"{INSTRUCTION}\n```{INPUT_FENCE}\n{source}\n```"


def source_of(answer: Answer) -> str:
    """The program in an answer: what the last fence holds. Raises Rejected."""
    if not answer.finished:
        raise Rejected("the answer is cut off by the token limit")
    if len(answer.text) > MAX_SOURCE:
        raise Rejected(f"the answer has {len(answer.text)} characters, at most {MAX_SOURCE} are read")
    parts = answer.text.split(f"```{OUTPUT_FENCE}")
    found = parts[-1].split("```")[0].strip()
    if len(parts) < 2 or not found:
        raise Rejected(f"no ```{OUTPUT_FENCE} fence with a program in the answer")
    return found + "\n"


def compiler() -> str:
    """hipcc, as HIPCC or PATH name it. Raises Unsupported with what to install."""
    found = shutil.which(os.environ.get("HIPCC", "hipcc"))
    if found is None:
        raise Unsupported(ROUTE, why="no hipcc on PATH; fix: install ROCm's or Debian's hipcc, or set HIPCC")
    return found


@dataclass(frozen=True, slots=True)
class Bench:
    """Builds and runs one program's candidates; the same text is judged once. is_run: whether they may be run."""

    program: Program
    config: Config
    is_run: bool
    folder: Path
    known: dict[str, tuple[bool, str]]

    def judge(self, text: str) -> tuple[bool, str]:
        """Whether it builds, and why its output is not the expected one ("" when it is)."""
        if text not in self.known:
            self.known[text] = self._judge(text)
        return self.known[text]

    def _judge(self, text: str) -> tuple[bool, str]:
        try:
            built = self._build(text)
        except CassError as error:
            return False, _line(str(error))
        return True, self._run(built) if self.is_run else "built, not run (--run)"

    def _build(self, text: str) -> Path:
        """Raises ToolFailed with the compiler's messages."""
        source = self.folder / f"{len(self.known)}.hip"
        built = source.with_suffix("")
        source.write_text(text)
        command = [compiler(), "-O2", "--offload-arch=gfx1100", "-w", "-I", str(self.program.source.parent.resolve())]
        command += ["-o", str(built), str(source)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=COMPILE_S, check=False,
                stdin=subprocess.DEVNULL, cwd=self.folder, env={"HIP_PLATFORM": "amd", **os.environ},
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ToolFailed("hipcc", command=" ".join(command), stderr=str(error)) from error
        if done.returncode or not built.exists():
            raise ToolFailed("hipcc", command=" ".join(command), stderr=done.stderr[-2000:])
        return built

    def _run(self, built: Path) -> str:
        """Empty when it prints what is expected, else the first difference."""
        try:
            done = subprocess.run(
                [str(built)], capture_output=True, text=True, errors="replace", timeout=RUN_S, check=False,
                stdin=subprocess.DEVNULL, cwd=self.folder, env=self._environment(),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"no end after {RUN_S:g} s"
        except OSError as error:
            return _line(str(error))
        return compare(self.program.golden.read_text(), 0, done)

    def _environment(self) -> dict[str, str]:
        """The program's: AMD's HIP, or the emulated device's in front of it."""
        opened = library.open_library(self.config.device)
        if opened.kind == "hip":
            return dict(os.environ)
        beside = self.folder / "lib"
        beside.mkdir(exist_ok=True)
        for number in SONAMES:
            link = beside / f"libamdhip64.so.{number}"
            if not link.exists():
                link.symlink_to(opened.path)
        rest = os.environ.get("LD_LIBRARY_PATH", "")
        return {**os.environ, "LD_LIBRARY_PATH": f"{beside}:{rest}" if rest else str(beside)}


def measure_source(
    program: Program, config: Config, options: Options, is_run: bool, model: Model | None = None
) -> Measured:
    """One program with the model that is configured. Whatever is wrong with it is in the result."""
    started = time.monotonic()
    start = Measured(program.name, program.group, ROUTE)
    try:
        compiler()
        with tempfile.TemporaryDirectory(prefix="cass-eval-") as folder:
            bench = Bench(program, config, is_run, Path(folder), {})
            found = _drawn(program, start, options, model or choose(config.model, SM), bench.judge)
    except Unsupported as error:
        found = replace(start, unsupported=_line(str(error)), reason=_line(str(error)))
    except CassError as error:
        found = replace(start, reason=_line(str(error)))
    return replace(found, seconds=round(time.monotonic() - started, 3))


def _drawn(
    program: Program, start: Measured, options: Options, model: Model, judge: Callable[[str], tuple[bool, str]]
) -> Measured:
    """The greedy answer and the samples."""
    if getattr(model, "contract", AUTHORS) != AUTHORS:
        raise Unsupported(ROUTE, why=f"{model.identity} knows no sources; set CASS_MODEL, as to ahmedheakl/cass-src-3b")
    turn = Message("user", build_prompt(program.source.read_text(errors="replace")))
    if model.window and (tokens := model.count_tokens(turn.content)) >= model.window:
        raise Unsupported(TOO_LONG, why=f"{tokens} tokens, the model reads {model.window}")
    (greedy,) = model.generate((turn,), Decoding(timeout_s=options.seconds))[:1]
    assembled, reason = _judged(greedy, judge)
    drawing = Decoding(options.samples, options.temperature, timeout_s=options.seconds, seed=1)
    drawn = model.generate((turn,), drawing) if options.samples else []
    right = sum(not _judged(one, judge)[1] for one in drawn)
    return replace(
        start, assembled=assembled, verified=not reason, reason=reason, best=not reason or right > 0,
        samples=len(drawn), accepted=right, tokens=greedy.tokens + sum(one.tokens for one in drawn),
    )  # fmt: skip


def _judged(answer: Answer, judge: Callable[[str], tuple[bool, str]]) -> tuple[bool, str]:
    try:
        return judge(source_of(answer))
    except CassError as error:
        return False, _line(str(error))


def _line(text: str) -> str:
    return " ".join(text.split())[:300]
