"""One round of rejection sampling: answers of a model to new kernels that the verifier accepts become pairs.

In: a folder of `generate`, a checkpoint (CASS_MODEL, by default the one that ships), kernels by number. Out:
`train/s<first>.jsonl.gz` beside the others, which `pack` takes too, and `samples.json` with counts. A unit that is
there is not made again, so the same command goes on where it stopped.
"""

from __future__ import annotations

import collections
import gzip
import json
import multiprocessing
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from cass_shim.assemble.text import assemble_text
from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.model.artifacts import Cubin, Evidence, SassKernel
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError
from cass_shim.translate.cass import fields
from cass_shim.translate.cass.models import Model, choose
from cass_shim.translate.cass.sampling import Drawing, Drawn, draw
from cass_shim.translate.cass.shipped import ShippedModel
from cass_shim.verify import verify_kernel
from tools.pairs.generate import HELD_OUT_BUDGET_S, Pair, joined, reason
from tools.pairs.kernels import SPLITS, unit
from tools.pairs.overlap import LIMIT, compile_cubin, key, likeness

UNIT = 10  # kernels a compiler call: a unit that is cut off is made again
UNITS = 12  # under way at a time, so that the last answers of one do not wait alone
AT_ONCE = 10  # kernels of a unit that the model is asked for at the same time: their answers share its batches
ROWS = 384  # answers at a time on a GPU: at most 6.4 GB, and as much again while rows join
SECONDS = 900.0  # for a request, which waits behind others
STRETCH = 1.5  # samples that are longer than that many greedy answers are wrong, and would run to the window's end


@dataclass
class Sampler:
    """One folder, one model. known: runs of the programs that a model is judged by; judges: processes that verify."""

    out: Path
    model: Model
    how: Drawing
    known: set[str]
    counts: collections.Counter[str]
    judges: Executor

    @classmethod
    def of(cls, out: Path, samples: int, temperature: float, jobs: int) -> Sampler:
        """A folder's, with its counts. jobs: processes that verify. Raises Unsupported without a model."""
        counted = out / "samples.json"
        counts = collections.Counter[str](json.loads(counted.read_text()) if counted.exists() else {})
        known = set(json.loads((out / "reference.json").read_text()))
        model = choose(Config.read().model, 80)
        if isinstance(model, ShippedModel):
            model.most_on_gpu = ROWS
        judges = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"))  # torch's threads are not for a fork
        return cls(out, model, Drawing(samples, temperature, 0, SECONDS, stretch=STRETCH), known, counts, judges)

    def run(self, first: int, amount: int) -> Iterator[str]:
        """A line for each unit that was made."""
        begins = [begin for begin in range(first, first + amount, UNIT) if not self._file(begin).exists()]
        with self.judges, ThreadPoolExecutor(UNITS) as units:
            for begin, (pairs, counts) in zip(begins, units.map(self.unit, begins), strict=True):
                self.counts.update(counts)
                part = self._file(begin).with_suffix(".part")
                part.write_bytes(gzip.compress("".join(json.dumps(asdict(one)) + "\n" for one in pairs).encode(), 1))
                (self.out / "samples.json").write_text(json.dumps(self.counts, indent=1))
                part.rename(self._file(begin))
                yield f"{begin}: {len(pairs)} pairs; in all {dict(self.counts)}"

    def _file(self, begin: int) -> Path:
        return self.out / "train" / f"s{begin:07d}.jsonl.gz"

    def unit(self, first: int) -> tuple[list[Pair], collections.Counter[str]]:
        """The pairs of one compiler call, and what became of its kernels."""
        families, text = unit(SPLITS["train"], first, UNIT)
        with tempfile.TemporaryDirectory() as place:
            source = Path(place) / "unit.cu"
            source.write_text(text)
            cubin = read_cubin(compile_cubin(source, Path(place)))
        pairs: list[Pair] = []
        counts = collections.Counter[str]()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            asked = {name: pool.submit(self._asked, cubin, name, families[name]) for name in sorted(families)}
            for answers in asked.values():
                counts["kernels"] += 1
                try:
                    found, more = answers.result()
                except CassError as error:
                    counts[f"not asked: {reason(error)}"] += 1
                    continue
                pairs += found
                counts.update(more)
        return pairs, counts

    def _asked(self, cubin: Cubin, name: str, family: str) -> tuple[list[Pair], collections.Counter[str]]:
        """One kernel's right answers; none where it resembles a program that the model is judged by."""
        sass = decode_kernel(cubin.kernels[name], cubin)
        if likeness(fields.source_lines(sass), self.known) > LIMIT:
            return [], collections.Counter({"left out: resembles a judged program": 1})
        answers = list(draw(sass, "", self.model, self.how, lambda: True))
        return self.judges.submit(right, sass, cubin, family, answers).result()


def right(
    sass: SassKernel, cubin: Cubin, family: str, answers: Sequence[Drawn]
) -> tuple[list[Pair], collections.Counter[str]]:
    """Those of a kernel's answers that are right, each once, and how many there were of each kind."""
    source = fields.source_lines(sass)
    counts = collections.Counter[str](one.kind for one in answers)
    different = {one.text: one for one in reversed(answers)}
    counts["different answers"] = len(different)
    pairs = []
    for one in different.values():
        if evidence := _judged(one, sass, cubin):
            pairs.append(Pair(sass.name, family, key(source), joined(source), one.text, evidence))
            counts["right greedily"] += one.kind == "greedy"
    counts["kernels with a right answer"] = int(bool(pairs))
    counts["pairs"] = len(pairs)
    return pairs, counts


def _judged(one: Drawn, sass: SassKernel, cubin: Cubin) -> str:
    """The evidence for an answer, "" for one that is not accepted."""
    if one.source is None:
        return ""
    try:
        code = assemble_text(one.source, sass.abi)
        evidence = verify_kernel(code, sass, cubin, budget_s=HELD_OUT_BUDGET_S).evidence
    except CassError:
        return ""
    return evidence.label if evidence >= Evidence.E1U else ""
