"""Kernels part by part: how many first answers of a model are what a target of training would be, and where the others
begin to differ.

    python3 -m tools.modelparts tests/corpus [--largest 24] [--jobs 2] [--json parts.json]

Every kernel is cut as the translator cuts one for which no answer was right (`translate/cass/splitting.py`), and the
model (CASS_MODEL, or the shipped one) is asked for each part once. An answer that differs from the target may be right
all the same: the verifier is not asked here. What cannot be cut or said is counted by its reason.
"""

from __future__ import annotations

import argparse
import collections
import json
import multiprocessing
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from cass_shim.compat.problems import Problem, read_problems
from cass_shim.model.artifacts import SassKernel
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError, Unsupported
from cass_shim.pipeline import Work
from cass_shim.translate.cass.ahead import Ahead
from cass_shim.translate.cass.contracts import CONTRACTS, FIELDS
from cass_shim.translate.cass.models import Decoding, Model, choose
from cass_shim.translate.cass.prompt import Message
from cass_shim.translate.cass.search import Budget
from cass_shim.translate.cass.splitting import SMALL, InParts
from tools.pairs.generate import Skip, make_pair

SM = 80  # what .cu files are compiled for (`compat/problems.py`)
MOST_TOKENS = 2048
SECONDS = 300.0
SHOWN = 20
END = "<end>"  # where an answer ends and the target goes on, or the other way round


@dataclass
class Said:
    """One part. instructions: its own and its edges'; wanted, given: the first lines that differ, "" for none."""

    kernel: str
    number: int
    instructions: int
    prompt: str = ""
    target: str = ""
    answer: str = ""
    wanted: str = ""
    given: str = ""
    trouble: str = ""

    @property
    def is_exact(self) -> bool:
        return not self.trouble and not self.wanted and not self.given


@dataclass
class Found:
    """Everything. uncut: kernels by the reason why they are not cut."""

    parts: list[Said] = field(default_factory=list)
    uncut: dict[str, str] = field(default_factory=dict)


def line_of(error: Exception) -> str:
    """What went wrong, in one line."""
    return " ".join(str(error).split())[:120]


def target_of(sass: SassKernel) -> tuple[str, str]:
    """The target of a part, or why there is none; in a process of its own: the options of LLVM are the process's."""
    try:
        return make_pair(sass, "", set()).target, ""
    except (CassError, Skip) as error:
        return "", f"no target: {line_of(error)}"


def cut(problems: Sequence[Problem], model: Model, largest: int, found: Found) -> list[SassKernel]:
    """Parts, in `found`, and the kernels that they are; of a kernel that is not cut, why."""
    kernels: list[SassKernel] = []
    for problem in problems:
        try:
            sass = Work(problem.module, problem.kernel, Config()).sass
            parts = InParts(sass, "", model, None, Budget(), None, largest, is_own=True).parts
        except CassError as error:
            found.uncut[problem.name] = line_of(error)
            continue
        for part in parts:
            said = Said(problem.name, part.number, len(part.sass.instructions))
            try:
                said.prompt = CONTRACTS[FIELDS].prompt(part.sass, "")
            except CassError as error:
                said.trouble = line_of(error)
            found.parts.append(said)
            kernels.append(part.sass)
    return kernels


def first_difference(wanted: str, given: str) -> tuple[str, str]:
    """The first lines of target and answer that differ; "" twice where none do."""
    here, there = [*wanted.split("\n"), END], [*given.strip().split("\n"), END]
    return next(((one, other) for one, other in zip(here, there, strict=False) if one != other), ("", ""))


def ask(found: Found, model: Model) -> None:
    """Each part's first answer, all of them asked for together."""
    ahead, greedy = Ahead(model), Decoding(1, 0.0, MOST_TOKENS, SECONDS)
    wanted = [one for one in found.parts if not one.trouble]
    ahead.ask_all([one.prompt for one in wanted], [greedy])
    for one in wanted:
        try:
            one.answer = ahead.generate((Message("user", one.prompt),), greedy)[0].text
        except Unsupported as error:
            one.trouble = line_of(error)
            continue
        one.wanted, one.given = first_difference(one.target, one.answer)


def report(found: Found) -> str:
    """Counts, and what differs first, the most frequent first."""
    asked = [one for one in found.parts if not one.trouble]
    kernels = {one.kernel for one in found.parts}
    whole = [name for name in sorted(kernels) if all(one.is_exact for one in found.parts if one.kernel == name)]
    exact = sum(one.is_exact for one in asked)
    lines = [
        f"{len(kernels)} kernels in {len(found.parts)} parts, {len(found.uncut)} kernels not cut",
        f"{exact} of {len(asked)} answers are the target ({100 * exact / max(1, len(asked)):.0f} %)",
        f"{len(whole)} kernels wholly: {' '.join(whole)}",
    ]
    differing = collections.Counter(
        (one.wanted.split(" ")[0], one.given.split(" ")[0]) for one in asked if not one.is_exact
    )
    lines += [f"{amount:4d} {wanted} said as {given}" for (wanted, given), amount in differing.most_common(SHOWN)]
    reasons = collections.Counter([*found.uncut.values(), *(one.trouble for one in found.parts if one.trouble)])
    return "\n".join([*lines, *(f"{amount:4d} {reason}" for reason, amount in reasons.most_common(SHOWN))])


def measure(paths: Sequence[Path], largest: int, jobs: int, limit: int) -> Found:
    """Cut, make targets, ask. Raises what the model's choice raises."""
    found, model = Found(), choose(Config.read().model, SM)
    problems = [one for path in paths for one in read_problems(path, limit)[0]]
    kernels = cut(problems, model, largest, found)
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        for one, (target, trouble) in zip(found.parts, pool.map(target_of, kernels, chunksize=4), strict=True):
            one.target, one.trouble = target, one.trouble or trouble
    ask(found, model)
    return found


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.modelparts", description="A model's answers, part by part.")
    parser.add_argument("paths", nargs="+", type=Path, help="folders of .cu files or held-out pairs, .cu files, cubins")
    parser.add_argument("--largest", type=int, default=SMALL, help="instructions of a part (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="processes that make targets (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=0, help="kernels of each path (0: all)")
    parser.add_argument("--json", type=Path, help="every part, for a closer look")
    options = parser.parse_args(arguments)
    try:
        found = measure(options.paths, options.largest, options.jobs, options.limit)
    except CassError as error:
        print(error, file=sys.stderr)
        return 1
    if options.json is not None:
        options.json.write_text(json.dumps(asdict(found), indent=1) + "\n")
    print(report(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
