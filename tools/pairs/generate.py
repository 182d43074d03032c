"""Generates pairs, a unit of kernels at a time; what is on disk already is kept and not made again.

In: an output folder, how many kernels. Out: `<split>/<first>.jsonl.gz` (one pair a line), for the held-out splits
also the unit's cubin, `counts.json`, and `wrong.txt` with the kernels whose targets the verifier refused.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import gzip
import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from cass_shim.assemble.text import assemble_text
from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.model.artifacts import Cubin, Evidence, SassKernel
from cass_shim.model.errors import CassError, Rejected
from cass_shim.translate.cass import fields, frame
from cass_shim.translate.cass.answer import Body
from cass_shim.translate.cass.contract import rebuild
from cass_shim.translate.cass.contracts import CONTRACTS, FIELDS
from cass_shim.translate.cass.edges import joined as joined_parts
from cass_shim.translate.cass.parts import FIRST_WORD, Splitter
from cass_shim.verify import verify_kernel
from tools import environment
from tools.pairs.kernels import SPLITS, unit
from tools.pairs.naming import Unnameable, named
from tools.pairs.overlap import LIMIT, compile_cubin, key, likeness, reference_grams
from tools.pairs.targets import target

UNIT = 100  # kernels a compiler call
CONTEXT = 4096  # tokens of source and target together
VERIFIED_SHARE = 1.0  # of the training pairs, at random; of the held-out ones all
PARTS_SHARE = 0.2  # of the training kernels, which are made pairs in parts too
PART_SIZES = (12, 16, 24, 24, 40)  # instructions at most
MOST_PARTS = 20  # of a kernel whose parts are made pairs: each is lifted alone
UNIT_S, POLL_S = 240.0, 0.2  # a unit takes a processor five to ten seconds
BUDGET_S = 0.02  # of verification, a training pair: one to three inputs, and five times as long for the first
HELD_OUT_BUDGET_S = 0.1  # about six inputs


@dataclass(frozen=True)
class Pair:
    """One pair; source and target are lines of fields. evidence: "" when it was not verified."""

    name: str
    family: str
    key: str
    source: str
    target: str
    evidence: str = ""


@dataclass(frozen=True)
class How:
    """What is made of the training kernels. verified: the share of them whose pairs are verified; parts: the share that
    is made pairs in parts too; only: families, all where none is named."""

    verified: float = VERIFIED_SHARE
    parts: float = PARTS_SHARE
    only: tuple[str, ...] = ()


Task = tuple[str, int, int, How]  # split, number of the first kernel, how many kernels


class Skip(Exception):
    """Why a kernel gives no pair."""


def joined(lines: list[fields.Line]) -> str:
    """Lines of fields as text."""
    return "\n".join(" ".join(line) for line in lines)


def tokens(text: str) -> int:
    """Tokens of fields in text, line ends counted."""
    return len(text.split()) + text.count("\n") + 1


def reference_files() -> list[Path]:
    """The programs that a model is judged by."""
    root = environment.ROOT
    return [*sorted((root / "examples").glob("*.cu")), *sorted((root / "tests" / "corpus").glob("*.cu"))]


def make_pair(sass: SassKernel, family: str, known: set[str]) -> Pair:
    """The pair of a kernel. Raises Skip, or what the lifter and the contract raise."""
    source = fields.source_lines(sass)
    if likeness(source, known) > LIMIT:
        raise Skip("resembles a kernel of the examples or the corpus")
    body, found = target(sass)
    wanted = frame.descriptor(sass)
    scratch = "private_segment_fixed_size"  # less is none: LLVM took the frame apart
    found[scratch] = wanted[scratch] if found.get(scratch, 0) in (0, wanted[scratch]) else -1
    if any(found.get(name, value) != value for name, value in wanted.items()):
        raise Skip("another descriptor than the SASS tells")
    try:
        lines = named(fields.target_lines(body))
    except Unnameable as error:
        raise Skip(str(error)) from None
    pair = Pair(sass.name, family, key(source), joined(source), joined(lines))
    if tokens(pair.source) + tokens(pair.target) + 3 > CONTEXT:
        raise Skip("longer than the context")
    return pair


def check_pair(pair: Pair, sass: SassKernel, cubin: Cubin, budget_s: float) -> str:
    """The evidence that the verifier gives the pair's target. Raises Rejected and the assembler's errors."""
    return _evidence(CONTRACTS[FIELDS].body(sass, pair.target), sass, cubin, budget_s)


def _evidence(body: Body, sass: SassKernel, cubin: Cubin, budget_s: float) -> str:
    verified = verify_kernel(assemble_text(rebuild(body, sass.abi), sass.abi), sass, cubin, budget_s=budget_s)
    if verified.evidence < Evidence.E1U:
        raise Skip("verified to E0 only")
    return verified.evidence.label


@dataclass
class Made:
    """What one unit gave: its pairs, why kernels were left out, which targets are wrong, and the cubin."""

    split: str
    first: int
    pairs: list[Pair]
    counts: collections.Counter[str]
    cubin: bytes
    wrong: list[str] = dataclasses.field(default_factory=list)  # of the verified: name, family, what differs


def make_unit(split: str, first: int, amount: int, how: How, known: set[str]) -> Made:
    """One compiler call's pairs. known: runs of judged programs."""
    families, text = unit(SPLITS[split], first, amount, how.only if split == "train" else ())
    with tempfile.TemporaryDirectory() as place:
        try:
            source = Path(place) / "unit.cu"
            source.write_text(text)
            content = compile_cubin(source, Path(place))
        except subprocess.CalledProcessError as error:
            raise RuntimeError(f"nvcc refuses unit {split} {first}: {error.stderr}") from None
    cubin = read_cubin(content)
    rng = random.Random(f"verify/{split}/{first}")
    made = Made(split, first, [], collections.Counter(), content)
    for name in sorted(families):
        budget_s = HELD_OUT_BUDGET_S if split != "train" else BUDGET_S if rng.random() < how.verified else 0.0
        makers: list[Callable[..., list[Pair]]] = [functools.partial(_one, budget_s=budget_s)]
        if split == "train" and rng.random() < how.parts:
            makers.append(functools.partial(_parts, budget_s=budget_s, size=rng.choice(PART_SIZES)))
        for make in makers:
            try:
                made.pairs += make(cubin, name, families[name], known)
            except (CassError, Skip) as error:
                made.counts[f"left out: {type(error).__name__}: {reason(error)}"] += 1
                if isinstance(error, Rejected):
                    made.wrong.append(f"{split} {name} {families[name]}: {' '.join(str(error).split())[:300]}")
    return made


def _parts(cubin: Cubin, name: str, family: str, known: set[str], budget_s: float, size: int) -> list[Pair]:
    """A kernel's parts as pairs, as kernels beyond the window are asked for. They run only together, and so they are
    verified: with a budget, the whole that they make."""
    sass = decode_kernel(cubin.kernels[name], cubin)
    splitter = Splitter(sass)
    parts = splitter.split(lambda one: len(one.instructions) <= size)
    if not 1 < len(parts) <= MOST_PARTS:
        raise Skip("too small to be cut" if len(parts) < 2 else "too many parts")
    pairs = [
        dataclasses.replace(make_pair(part.sass, family, known), name=f"{name}.part{part.number}") for part in parts
    ]
    if not budget_s:
        return pairs
    numbered = zip(parts, pairs, strict=True)
    bodies = {part.number: CONTRACTS[FIELDS].body(part.sass, pair.target) for part, pair in numbered}
    evidence = _evidence(joined_parts(sass.name, bodies, FIRST_WORD + len(splitter.words)), sass, cubin, budget_s)
    return [dataclasses.replace(pair, evidence=evidence) for pair in pairs]


def _one(cubin: Cubin, name: str, family: str, known: set[str], budget_s: float) -> list[Pair]:
    """One kernel's pair, verified with a budget."""
    sass = decode_kernel(cubin.kernels[name], cubin)
    pair = make_pair(sass, family, known)
    return [dataclasses.replace(pair, evidence=check_pair(pair, sass, cubin, budget_s)) if budget_s else pair]


def _child(link: Connection, stored: Path, task: Task) -> None:
    os.setsid()  # what it starts ends with it
    link.send(make_unit(*task, known=set(json.loads(stored.read_text()))))


def _work(stored: Path, task: Task, stop: threading.Event) -> Made:
    """A unit in a process of its own: LLVM ends the whole process over a few kernels, or never ends. stop: give up."""
    context = multiprocessing.get_context("forkserver")
    link, theirs = context.Pipe()
    child = context.Process(target=_child, args=(theirs, stored, task))
    child.start()
    theirs.close()
    until, why = time.monotonic() + UNIT_S, "ended"
    try:
        while not link.poll(POLL_S):
            if stop.is_set() or time.monotonic() > until:
                _end(child)
                why = "took too long"
        made: Made = link.recv()
    except EOFError:
        made = Made(task[0], task[1], [], collections.Counter(), b"")
        made.counts[f"left out: units whose process {why}: {task[0]} {task[1]}"] += 1
    child.join()
    return made


def _end(child: Any) -> None:
    """With its compiler; by itself where it leads no group yet."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        child.kill()


class Generator:
    """One output folder."""

    def __init__(self, out: Path, jobs: int = 1, size: int = UNIT, how: How = How()) -> None:
        self.out, self.jobs, self.size, self.how = out, jobs, size, how  # size: kernels a unit
        self.seen: set[str] = set()
        self.counts: collections.Counter[str] = collections.Counter()
        out.mkdir(parents=True, exist_ok=True)
        self.stored = out / "reference.json"
        if not self.stored.exists():
            self.stored.write_text(json.dumps(sorted(reference_grams(reference_files()))))
        if (counted := out / "counts.json").exists():
            self.counts.update(json.loads(counted.read_text()))
        for pair in read_pairs(out):
            self.seen.add(pair.key)

    def run(self, amounts: dict[str, int], start: int = 0) -> Iterator[str]:
        """Make the units that are not there yet, split by split; a line of progress for each.

        amounts: kernels of each split. start: the first training kernel, for a set that adds to another.
        """
        tasks = [
            (split, first, self.size, self.how)
            for split, amount in amounts.items()
            for first in range(start if split == "train" else 0, amount, self.size)
            if not (self.out / split / f"{first:07d}.jsonl.gz").exists()
        ]
        multiprocessing.get_context("forkserver").set_forkserver_preload([__name__])
        stop = threading.Event()
        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                for future in as_completed([pool.submit(_work, self.stored, task, stop) for task in tasks]):
                    yield self.keep(future.result())
            finally:
                stop.set()
                pool.shutdown(cancel_futures=True)

    def keep(self, made: Made) -> str:
        """Write a unit, less what other units have already."""
        folder = self.out / made.split
        folder.mkdir(exist_ok=True)
        pairs = list({pair.key: pair for pair in made.pairs if pair.key not in self.seen}.values())
        self.seen.update(pair.key for pair in pairs)
        self.counts.update(made.counts)
        self.counts["left out: a duplicate but for registers, labels and immediates"] += len(made.pairs) - len(pairs)
        self.counts["pairs"] += len(pairs)
        for pair in pairs:
            if pair.evidence:
                self.counts[f"verified {pair.evidence}"] += 1
        if made.split != "train":
            (folder / f"{made.first:07d}.cubin").write_bytes(made.cubin)
        if made.wrong:
            with (self.out / "wrong.txt").open("a") as kept:
                kept.writelines(f"{line}\n" for line in made.wrong)
        file = folder / f"{made.first:07d}.jsonl.gz"
        part = file.with_suffix(".part")
        part.write_bytes(gzip.compress("".join(json.dumps(asdict(one)) + "\n" for one in pairs).encode(), 1))
        part.rename(file)
        (self.out / "counts.json").write_text(json.dumps(self.counts, indent=1))
        return f"{made.split} {made.first}: {len(pairs)} pairs, {self.counts['pairs']} in all"


def reason(error: Exception) -> str:
    """The part of a message that is the same for many kernels."""
    text = re.sub(r"( in |\b)k\d+\b", "", str(error)).split("hold: ")[0]
    text = re.sub(r" in \d+ words.*", "", text)
    return " ".join(text.split()).strip(": ")[:70]


def read_file(file: Path) -> Iterator[Pair]:
    """One unit's pairs."""
    for line in gzip.decompress(file.read_bytes()).decode().splitlines():
        yield Pair(**json.loads(line))


def read_pairs(out: Path, split: str = "*") -> Iterator[Pair]:
    """The pairs on disk, in order."""
    for file in sorted(out.glob(f"{split}/*.jsonl.gz")):
        yield from read_file(file)
