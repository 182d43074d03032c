"""One round of rejection sampling: answers of a model to new kernels that the verifier accepts become pairs.

In: a folder of `generate`, a checkpoint (CASS_MODEL, by default the one that ships), kernels by number. Out:
`train/s<first>.jsonl.gz` beside the others, which `pack` takes too, and `samples.json` with counts. A unit that is
there is not made again, so the same command goes on where it stopped.
"""

from __future__ import annotations

import collections
import gzip
import json
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
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
from cass_shim.verify import verify_kernel
from tools.pairs.generate import HELD_OUT_BUDGET_S, Pair, joined, reason
from tools.pairs.kernels import SPLITS, unit
from tools.pairs.overlap import LIMIT, compile_cubin, key, likeness

UNIT = 20  # kernels a compiler call: a unit that is cut off is made again
AT_ONCE = 8  # kernels that a model is asked for at the same time: their answers share its batches
SECONDS = 60.0 * AT_ONCE  # for a request, which waits behind others


@dataclass
class Sampler:
    """One folder, one model. known: runs of the programs that a model is judged by."""

    out: Path
    model: Model
    how: Drawing
    known: set[str]
    counts: collections.Counter[str]

    @classmethod
    def of(cls, out: Path, samples: int, temperature: float) -> Sampler:
        """A folder's, with the counts that are there. Raises Unsupported without a model."""
        counted = out / "samples.json"
        counts = collections.Counter[str](json.loads(counted.read_text()) if counted.exists() else {})
        known = set(json.loads((out / "reference.json").read_text()))
        how = Drawing(samples, temperature, 0, SECONDS)
        return cls(out, choose(Config.read().model, 80), how, known, counts)

    def run(self, first: int, amount: int) -> Iterator[str]:
        """A line for each unit that was made."""
        for begin in range(first, first + amount, UNIT):
            file = self.out / "train" / f"s{begin:07d}.jsonl.gz"
            if file.exists():
                continue
            pairs = self.unit(begin)
            part = file.with_suffix(".part")
            part.write_bytes(gzip.compress("".join(json.dumps(asdict(one)) + "\n" for one in pairs).encode(), 1))
            (self.out / "samples.json").write_text(json.dumps(self.counts, indent=1))
            part.rename(file)
            yield f"{begin}: {len(pairs)} pairs; in all {dict(self.counts)}"

    def unit(self, first: int) -> list[Pair]:
        """The pairs of one compiler call."""
        families, text = unit(SPLITS["train"], first, UNIT)
        with tempfile.TemporaryDirectory() as place:
            source = Path(place) / "unit.cu"
            source.write_text(text)
            cubin = read_cubin(compile_cubin(source, Path(place)))
        pairs: list[Pair] = []
        with ThreadPoolExecutor(AT_ONCE) as pool:
            asked = {name: pool.submit(self.drawn, cubin, name) for name in sorted(families)}
            for name, answers in asked.items():
                self.counts["kernels"] += 1
                try:
                    pairs += self.right(cubin, name, families[name], answers.result())
                except CassError as error:
                    self.counts[f"not asked: {reason(error)}"] += 1
        return pairs

    def drawn(self, cubin: Cubin, name: str) -> list[Drawn]:
        """What the model says of one kernel; nothing where it resembles a program that the model is judged by."""
        sass = decode_kernel(cubin.kernels[name], cubin)
        if likeness(fields.source_lines(sass), self.known) > LIMIT:
            return []
        return list(draw(sass, "", self.model, self.how, lambda: True))

    def right(self, cubin: Cubin, name: str, family: str, answers: Iterable[Drawn]) -> list[Pair]:
        """Those of a kernel's answers that are right, each once."""
        sass = decode_kernel(cubin.kernels[name], cubin)
        source = fields.source_lines(sass)
        found: dict[str, Pair] = {}
        tried: set[str] = set()
        for one in answers:
            self.counts[one.kind] += 1
            if one.text in tried:
                continue
            tried.add(one.text)
            if evidence := self.judged(one, sass, cubin):
                found[one.text] = Pair(name, family, key(source), joined(source), one.text, evidence)
        self.counts["kernels with a right answer"] += bool(found)
        self.counts["pairs"] += len(found)
        return list(found.values())

    def judged(self, one: Drawn, sass: SassKernel, cubin: Cubin) -> str:
        """The evidence for an answer, "" for one that is not accepted."""
        if one.source is None:
            return ""
        try:
            code = assemble_text(one.source, sass.abi)
            evidence = verify_kernel(code, sass, cubin, budget_s=HELD_OUT_BUDGET_S).evidence
        except CassError:
            return ""
        return evidence.label if evidence >= Evidence.E1U else ""
