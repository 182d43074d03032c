"""`python3 -m tools.mutation.survivors FILE [--inputs N] [--minutes M] [--jobs J] [--prove S]`: who look alike.

FILE is what `tools.mutation --json FILE` wrote. Each mutant that it found alike is run beside the right translation on
the emulated device, on N inputs (by default 10,000) of more shapes, sizes and values than verification tries. Where
the two leave different memory behind, the interpreter of the SASS decides: it must run the input without a fault, a
race or a read of what nobody wrote, the right translation must agree with it, and the mutant must not. Then the mutant
was missed. With --prove what is left is given to the prover. FILE is rewritten as it goes, and a later call goes on.
Every mutant gets its first inputs before any gets more, so what a call leaves undone is the last inputs of all.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import functools
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from cass_shim.assemble.text import assemble_text
from cass_shim.device import Device
from cass_shim.model.artifacts import CodeObject
from cass_shim.model.errors import DeviceFailed, Rejected
from cass_shim.verify import mufu
from cass_shim.verify.agreement import Judge, judge_input, raced
from cass_shim.verify.candidate import Candidate
from cass_shim.verify.compare import Reference
from cass_shim.verify.inputs import Input, Scenario, Shape, first_roles, make_input
from cass_shim.verify.kernel import open_device
from cass_shim.verify.memory import Fault
from cass_shim.verify.plan import variation
from cass_shim.verify.search import MAX_STEPS, Campaign, begin, search
from cass_shim.verify.survey import Survey, immediates, survey
from tools.mutation.rows import Row, read, write
from tools.mutation.spread import Spread
from tools.mutation.subjects import Subject, classified, mutant, program, score, subject

INPUTS = 10_000
GROUP = 25  # mutants that run beside one right translation
CHUNK = 500  # inputs that a process runs: few enough that the last ones to end do so soon after each other
SEARCH_S = 4.0  # of verifying the right translation, which teaches what the parameters are
VAIN = 25  # differences of a mutant that turn out to define nothing, after which one in VAIN is looked at
BLOCKS = 6  # times the usual grid, in some launches

Left = tuple[bytes, list[bytes]]  # memory and printed records behind a launch


def wanted(judge: Judge, main: Shape, number: int) -> Scenario:
    """The campaign's input of a number: it depends on nothing else."""
    random, found = np.random.default_rng((number, 29)), judge.found
    scenario = variation(judge.kernel, found, main, sorted(immediates(judge.kernel)), random)
    if found.many_blocks and not found.grid_sync and random.random() < 0.2:
        grid = scenario.shape.grid
        scenario = replace(scenario, shape=replace(scenario.shape, grid=(grid[0] * BLOCKS, *grid[1:])))
    if random.random() < 0.1:
        scenario = replace(scenario, powers=2)
    bounds = _bounds(found)
    if bounds and random.random() < 0.1 and not found.atomics:
        scenario = replace(scenario, edge=int(random.choice(bounds)))
    return scenario


def _bounds(found: Survey) -> list[int]:
    """Offsets of integer parameters that code compares with, which may be 0."""
    return sorted(at for at, kind in found.scalars.items() if kind == "i32" and at & ~7 in found.bounds)


@dataclass
class Survivor:
    """A mutant that nothing has told apart yet. vain: how often it differed where nothing is defined."""

    row: Row
    code: CodeObject
    candidate: Candidate | None = None
    vain: int = 0


class Field:
    """One kernel's survivors beside its right translation, on one device."""

    def __init__(self, subject: Subject, rows: list[Row], device: Device) -> None:
        self.subject, self.device = subject, device
        self.right = assemble_text(subject.assembly, subject.sass.kernel.abi)
        self.survivors = [Survivor(row, mutant(subject, row["line"], row["text"])) for row in rows]
        self.judge = Judge(subject.sass, subject.cubin, survey(subject.sass), mufu.nearest, MAX_STEPS)
        self.campaign = self._learn()
        self.number = 0  # of the input that runs
        self.disputed: list[str] = []  # where the right translation itself was not what the interpreter gives

    def _learn(self) -> Campaign:
        """Verify the right translation: that shows which block fits and what the parameters are."""
        candidate = self.judge.load(self.right, self.device)
        campaign = begin(self.judge, candidate, first_roles(self.subject.sass, self.judge.found), SEARCH_S)
        search(campaign, 1)
        return campaign

    def _load_all(self) -> None:
        """Everything anew after the device was reset."""
        self.campaign.candidate = self.judge.load(self.right, self.device)
        for one in self.survivors:
            one.candidate = None

    def _run(self, one: Survivor | None, given: Input, scenario: Scenario) -> Left | None:
        """What a launch leaves behind; None where it fails, which resets the device."""
        own = self.campaign.candidate
        candidate = own
        if one is not None:
            subject = self.subject
            if one.candidate is None:
                one.candidate = Candidate(one.code, subject.sass, subject.cubin, self.device, base=own.base)
            candidate = one.candidate
        constant3 = given.symbols.get(".nv.constant3", own.base) - own.base if candidate.bank3 >= 0 else 0
        try:
            after, printed = candidate.run(given, constant3)
        except DeviceFailed:
            if candidate.stuck:
                raise
            self._reset()
            return None
        return after.tobytes(), sorted(printed)

    def _reset(self) -> None:
        with contextlib.suppress(DeviceFailed):  # the launch may not have ended: the limit of instructions ends it
            self.device.call("hipDeviceSynchronize")
        self.device.reset()
        self._load_all()

    def inputs(self, first: int, last: int, until: float) -> int:
        """Run inputs first … last - 1; returns the number behind the last one that was run, on the clock until `until`.

        Rows get `inputs`, how many launches they were compared on, and, where one told them apart, "missed".
        """
        for number in range(first, last):
            if time.monotonic() > until or not self.survivors:
                return number
            self.number = number
            scenario = wanted(self.judge, self.campaign.agreed[0].shape, number)
            base = self.campaign.candidate.base
            given = self._made(scenario, base)
            right = self._run(None, given, scenario)
            if right is None:
                continue
            if self.campaign.candidate.base != base:
                given = self._made(scenario, self.campaign.candidate.base)
            for one in list(self.survivors):
                self._compare(one, number, given, scenario, right)
        return last

    def _made(self, scenario: Scenario, base: int) -> Input:
        judge, campaign = self.judge, self.campaign
        return make_input(judge.kernel, judge.cubin, judge.found, campaign.roles, scenario, base)

    def _compare(self, one: Survivor, number: int, given: Input, scenario: Scenario, right: Left) -> None:
        base = self.campaign.candidate.base
        got = self._run(one, given, scenario)
        one.row["inputs"] = one.row.get("inputs", 0) + 1
        if got == right or (one.vain >= VAIN and number % VAIN):
            return
        if self.campaign.candidate.base != base:  # the device was reset: addresses are others now
            given = self._made(scenario, self.campaign.candidate.base)
        if why := self._told(one, given):
            one.row.update(verdict="missed", why=f"input {number}: {why}"[:300])
            self.survivors.remove(one)
        else:
            one.vain += 1
            one.row["vain"] = one.row.get("vain", 0) + 1

    def _told(self, one: Survivor, given: Input) -> str:
        """How the interpreter of the SASS tells the mutant from the right translation; "" where it does not."""
        judge, campaign, base = self.judge, self.campaign, self.campaign.candidate.base
        try:
            reference = Reference([judge.run(given, base, 0)])
        except Fault:
            return ""
        if reference.first.undefined_reads or raced(judge, given, base):
            return ""
        try:
            judge_input(judge, campaign.candidate, given, campaign.roles, reference)
        except Rejected as rejection:
            self.disputed.append(str(rejection)[:300])
            if isinstance(rejection.__cause__, DeviceFailed):
                self._reset()
            return ""
        if one.candidate is None:
            own, subject = campaign.candidate, self.subject
            one.candidate = Candidate(one.code, subject.sass, subject.cubin, self.device, base=own.base)
        try:
            judge_input(judge, one.candidate, given, campaign.roles, reference)
        except Rejected as rejection:
            if isinstance(rejection.__cause__, DeviceFailed):
                self._reset()
            return str(rejection)
        return ""

    def prove(self, seconds: float) -> None:
        """Give what is left to the prover; each row once."""
        for one in self.survivors:
            if "proof" not in one.row:
                verdict, why = classified(one.code, self.subject, self.device, seconds)
                one.row.update(verdict=verdict, proof=why[:300])
                if verdict == "missed":
                    one.row["why"] = why[:300]


@dataclass(frozen=True)
class Task:
    """Inputs first … last - 1 of some rows of one kernel; with first == last their proofs."""

    rows: list[Row]
    first: int
    last: int

    @property
    def name(self) -> str:
        """For a report."""
        return f"{self.rows[0]['kernel']}, mutant {_key(self.rows[0])}, inputs {self.first} to {self.last}"


def _key(row: Row) -> str:
    """What tells mutants of one kernel apart."""
    return f"{row['line']}: {row['text'].strip()}"


def work(task: Task, until: float, prove_s: float) -> tuple[list[Row], int, list[str]]:
    """In a process of its own: what became of the rows, counted from nothing; the number behind the last input that
    ran; where the right translation was not right."""
    if time.monotonic() > until:
        return [], task.first, []
    rows = [{**row, "inputs": 0, "vain": 0} for row in task.rows]
    field = Field(subject(rows[0]["kernel"]), rows, open_device("emulated"))
    try:
        reached = field.inputs(task.first, task.last, until)
    except DeviceFailed:  # a launch runs on: what was seen counts, and another process goes on behind this input
        reached = field.number + 1
    if task.first == task.last:
        field.prove(prove_s)
    return rows, reached, field.disputed


class Looked:
    """All rows, in their file. `reached` of a row: the first input of each chunk → the next that it is to have."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.path, self.last, self.prove, self.kernel = options.file, options.inputs, options.prove, options.kernel
        self.rows = read(self.path)

    def pending(self) -> Iterator[Task]:
        """What is left to run, first inputs first; mutants that have come equally far run together."""
        for chunk in range(0, self.last, CHUNK):
            end = min(chunk + CHUNK, self.last)
            together: dict[tuple[str, int], list[Row]] = {}
            for row in self._alike():
                if (at := row.get("reached", {}).get(str(chunk), chunk)) < end:
                    together.setdefault((row["kernel"], at), []).append(row)
            for (_, at), rows in together.items():
                yield from (Task(rows[n : n + GROUP], at, end) for n in range(0, len(rows), GROUP))
        if self.prove:
            yield from (Task([row], self.last, self.last) for row in self._alike() if "proof" not in row)

    def _alike(self) -> list[Row]:
        return [row for row in self.rows if row["verdict"] == "alike" and self.kernel in row["kernel"]]

    def keep(self, task: Task, result: tuple[list[Row], int, list[str]]) -> None:
        """Add what a task found. A mutant may have been told apart by other inputs meanwhile."""
        changed, reached, disputed = result
        mine = {(row["kernel"], _key(row)): row for row in self.rows}
        for new in changed:
            row = mine[new["kernel"], _key(new)]
            row["inputs"] = row.get("inputs", 0) + new["inputs"]
            row["vain"] = row.get("vain", 0) + new["vain"]
            if task.first < task.last:
                row.setdefault("reached", {})[str(task.first // CHUNK * CHUNK)] = reached
            if row["verdict"] == "alike":
                row.update({key: new[key] for key in ("verdict", "why", "proof") if key in new})
        missed = sum(row["verdict"] == "missed" for row in changed)
        print(f"{task.name}: {reached} reached, {missed} of {len(changed)} told apart", flush=True)
        for why in disputed[:3]:
            print(f"  the right translation: {why}", flush=True)
        write(self.path, self.rows)


def report(rows: list[Row]) -> Iterator[str]:
    """Every mutant that was missed and how inputs tell it, and how far those that look alike have come."""
    for row in rows:
        if row["verdict"] == "missed":
            yield f"missed: {row['kernel']}: {row['kind']}: {row['change']}: {row['why']}"
    alike = [row for row in rows if row["verdict"] == "alike"]
    least = min((row.get("inputs", 0) for row in alike), default=0)
    yield f"{len(alike)} alike, each on at least {least} inputs that the right translation runs to its end"
    yield f"all but waits and barriers: {score(rows, False)}"
    yield f"waits and barriers: {score(rows, True)}"


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.mutation.survivors", description=__doc__)
    parser.add_argument("file", type=Path, help="what `tools.mutation --json` wrote; it is rewritten")
    parser.add_argument("--inputs", type=int, default=INPUTS, help="a mutant (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=60.0, help="on the clock (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="chunks of inputs at once (default: %(default)s)")
    parser.add_argument("--prove", type=float, default=0.0, metavar="S", help="seconds a proof of what is left")
    parser.add_argument("--kernel", default="", help="only kernels whose name holds this")
    options = parser.parse_args()
    until = time.monotonic() + 60 * options.minutes
    looked = Looked(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:  # built once, not by each process
        list(pool.map(program, dict.fromkeys(str(row["kernel"]).split()[0] for row in looked.rows)))
    Spread(looked.pending, functools.partial(work, until=until, prove_s=options.prove), looked.keep).run(
        options.jobs, until
    )
    print("\n".join(report(looked.rows)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
