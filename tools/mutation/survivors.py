"""`python3 -m tools.mutation.survivors FILE [--inputs N] [--minutes M] [--jobs J] [--prove S]`: who look alike.

FILE is what `tools.mutation --json FILE` wrote. Each mutant that it found alike is run beside the right translation on
the emulated device, on N inputs (by default 10,000) of more shapes, sizes and values than verification tries. Where
the two leave different memory behind, the interpreter of the SASS decides: it must run the input without a fault, a
race or a read of what nobody wrote, the right translation must agree with it, and the mutant must not. Then the mutant
was missed. With --prove what is left is given to the prover. FILE is rewritten as it goes, and a later call goes on.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import json
import multiprocessing
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from cass_shim.assemble.text import assemble_text
from cass_shim.device import Device
from cass_shim.model.artifacts import CodeObject
from cass_shim.model.errors import CassError, DeviceFailed, Rejected
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
from tools.mutation.subjects import Subject, classified, mutant, program, score, subject

INPUTS = 10_000
GROUP = 25  # mutants that run beside one right translation
CHUNK = 500  # inputs of one kernel between two writes of the file
SEARCH_S = 4.0  # of verifying the right translation, which teaches what the parameters are
VAIN = 25  # differences of a mutant that turn out to define nothing, after which one in VAIN is looked at
BLOCKS = 6  # times the usual grid, in some launches

Row = dict[str, Any]
Left = tuple[bytes, list[bytes]]  # memory and printed records behind a launch


def wanted(judge: Judge, main: Shape, number: int) -> Scenario:
    """The campaign's input of a number: it depends on nothing else."""
    random, found = np.random.default_rng((number, 29)), judge.found
    scenario = variation(judge.kernel, found, main, sorted(immediates(judge.kernel)), random)
    if found.many_blocks and not found.grid_sync and random.random() < 0.2:
        grid = scenario.shape.grid
        scenario = replace(scenario, shape=replace(scenario.shape, grid=(grid[0] * BLOCKS, *grid[1:])))
    if random.random() < 0.1:
        scenario = replace(scenario, powers=True)
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
    """Some rows of one kernel, the inputs that they are to have, and when to stop, on the monotonic clock."""

    group: str
    rows: list[Row]
    inputs: int
    until: float
    prove_s: float


def work(task: Task) -> tuple[list[Row], list[str]]:
    """One chunk of inputs, in a process of its own: the rows, and where the right translation was not right."""
    if time.monotonic() > task.until:
        return [], []
    field = Field(subject(task.rows[0]["kernel"]), task.rows, open_device("emulated"))
    first = min(row.get("next", 0) for row in task.rows)
    last = min(first + CHUNK, task.inputs)
    try:
        reached = field.inputs(first, last, task.until)
    except DeviceFailed:  # a launch runs on: what was seen counts, and another process goes on behind this input
        reached = field.number + 1
    for row in task.rows:
        row["next"] = reached
    if task.prove_s and reached >= task.inputs:
        field.prove(task.prove_s)
    return task.rows, field.disputed


def pending(rows: list[Row], options: argparse.Namespace) -> Iterator[tuple[str, list[Row]]]:
    """Groups of a kernel's mutants, by name, with rows that have not had their inputs (or their proof) yet."""
    for kernel in dict.fromkeys(row["kernel"] for row in rows if options.kernel in row["kernel"]):
        mine = [row for row in rows if row["kernel"] == kernel]
        for at in range(0, len(mine), GROUP):
            alike = [row for row in mine[at : at + GROUP] if row["verdict"] == "alike"]
            open_ = [r for r in alike if r.get("next", 0) < options.inputs or (options.prove and "proof" not in r)]
            if open_:
                yield f"{kernel}, mutants {at} to {at + len(mine[at : at + GROUP]) - 1}", open_


def campaign(rows: list[Row], options: argparse.Namespace) -> None:
    """Every kernel chunk by chunk until all have had their inputs or the time is up."""
    until = time.monotonic() + 60 * options.minutes
    for example in dict.fromkeys(str(row["kernel"]).split()[0] for row in rows):
        program(example)  # built once, not by each process
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(options.jobs, context, max_tasks_per_child=1) as pool:
        waiting: dict[concurrent.futures.Future[tuple[list[Row], list[str]]], str] = {}
        broken: set[str] = set()

        def more() -> None:
            for group, mine in pending(rows, options):
                if group not in waiting.values() and group not in broken and time.monotonic() < until:
                    task = Task(group, mine, options.inputs, until, options.prove)
                    waiting[pool.submit(work, task)] = group

        more()
        while waiting:
            done, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                group = waiting.pop(future)
                try:
                    changed, disputed = future.result()
                except concurrent.futures.process.BrokenProcessPool:
                    print(f"a process ended in {', '.join([group, *waiting.values()])}", flush=True)
                    return
                except CassError as error:
                    print(f"{group}: {error}", flush=True)
                    broken.add(group)
                    continue
                _merge(rows, changed)
                _tell(group, changed, disputed)
            _write(options.file, rows)
            more()


def _merge(rows: list[Row], changed: list[Row]) -> None:
    new = {(row["kernel"], row["line"], row["text"]): row for row in changed}
    for row in rows:
        row.update(new.get((row["kernel"], row["line"], row["text"]), {}))


def _tell(group: str, rows: list[Row], disputed: list[str]) -> None:
    missed = sum(row["verdict"] == "missed" for row in rows)
    reached = max((row["next"] for row in rows), default=0)
    print(f"{group}: {reached} inputs, {missed} of {len(rows)} told apart", flush=True)
    for why in disputed[:3]:
        print(f"  the right translation: {why}", flush=True)


def _write(path: Path, rows: list[Row]) -> None:
    """Whole or not at all."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(rows, indent=1) + "\n")
    new.replace(path)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.mutation.survivors", description=__doc__)
    parser.add_argument("file", type=Path, help="what `tools.mutation --json` wrote; it is rewritten")
    parser.add_argument("--inputs", type=int, default=INPUTS, help="a mutant (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=60.0, help="on the clock (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="groups of mutants at once (default: %(default)s)")
    parser.add_argument("--prove", type=float, default=0.0, metavar="S", help="seconds a proof of what is left")
    parser.add_argument("--kernel", default="", help="only kernels whose name holds this")
    options = parser.parse_args()
    rows: list[Row] = json.loads(options.file.read_text())
    campaign(rows, options)
    for row in rows:
        if row["verdict"] == "missed":
            print(f"missed: {row['kernel']}: {row['kind']}: {row['change']}: {row['why']}")
    told = [row for row in rows if row["verdict"] == "alike"]
    least = min((row.get("inputs", 0) for row in told), default=0)
    print(f"{len(told)} alike, each on at least {least} inputs that the right translation runs to its end")
    print(f"all but waits and barriers: {score(rows, False)}\nwaits and barriers: {score(rows, True)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
