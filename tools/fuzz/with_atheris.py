"""`python3 -m tools.fuzz.with_atheris TARGET OUT SECONDS CASES SEED CORPUS…`: a Python target under atheris.

atheris (libFuzzer for Python) instruments the package's bytecode and keeps what reaches something new, on Python 3.11
too; it is no requirement of ours: `pip install atheris` into an environment of its own beside the package's. Mutations
are libFuzzer's and `mutate`'s by turns. OUT gets corpus, findings and result.json as from `tools.fuzz.worker`, written
every 100 cases, and again at SIGTERM; 0 seconds or cases: without limit.
"""

from __future__ import annotations

import importlib.metadata
import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tools.fuzz.engine import INPUT_LIMIT, Campaign, Coverage, Result, limit_memory, outcome, too_late
from tools.fuzz.mutate import mutate
from tools.fuzz.targets import TARGETS
from tools.fuzz.worker import expected, inputs

WRITE_EVERY = 100


def main(arguments: Sequence[str]) -> int:
    """See the module's text; the process ends in `one`."""
    import atheris

    name, out, seconds, cases, seed, *places = arguments
    target, folder = TARGETS[name], Path(out)
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    limit_memory()
    seeds = inputs(places)
    signal.signal(signal.SIGALRM, too_late)
    with atheris.instrument_imports(include=["cass_shim"], enable_loader_override=False):
        check, ends = target.prepare(), expected()
        for data in seeds[:1]:  # what is imported late
            outcome(check, data, ends)
    campaign = Campaign(name, check, ends, folder, target.text, int(seed))
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    engine = f"Python {python}, atheris {importlib.metadata.version('atheris')}"
    result = Result(name, engine, seeds=len(seeds))
    current, unwatched, began = campaign.current(), Coverage(""), time.monotonic()

    def written() -> None:
        result.seconds = round(time.monotonic() - began, 1)
        result.write(folder / "result.json")

    def one(data: bytes) -> None:
        campaign.case(data[:INPUT_LIMIT], unwatched, result, current)
        over = campaign.stopped or 0 < int(cases) <= result.cases or 0 < float(seconds) <= time.monotonic() - began
        if over or result.cases % WRITE_EVERY == 0:
            written()
        if over:
            os._exit(0)  # libFuzzer would end the process too, and call nothing of ours

    def mutated(data: bytes, limit: int, number: int) -> bytes:
        chance = random.Random(number)
        if chance.random() < 0.5:
            return bytes(atheris.Mutate(data, limit))
        return mutate(chance, data, seeds or [b""], target.text)[:limit]

    options = [f"-seed={seed}", f"-max_len={INPUT_LIMIT}", "-timeout=0", "-handle_term=0", "-rss_limit_mb=0"]
    options += [f"-artifact_prefix={folder}/"]  # "slow-unit-…", which libFuzzer writes of its own accord
    atheris.Setup([name, *options, str(folder / "corpus"), *places], one, custom_mutator=mutated)
    signal.signal(signal.SIGTERM, campaign.stop)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
