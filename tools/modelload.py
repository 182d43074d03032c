"""How the process that holds the models bears load: answers a second for one program and for several at a time, and
its memory after many requests.

    python3 -m tools.modelload [--programs 8] [--answers 16] [--requests 1000]

Each program is a process of its own with a connection of its own, as the daemon's workers are; it asks the shipped
checkpoint for the kernel of examples/vector_add, greedily. Time is the clock's: the machine should have nothing else to
do. Memory is the host's resident set after each tenth of the requests.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cass_shim.daemon.model_host import ModelHost
from cass_shim.daemon.runtime import check_directory
from cass_shim.model.config import Config
from cass_shim.module import load_module
from cass_shim.pipeline import Work
from cass_shim.translate.cass.contracts import CONTRACTS
from cass_shim.translate.cass.host import SharedModel
from cass_shim.translate.cass.models import SHIPPED, Decoding, Message
from tools import environment

TENTHS = 10
EXAMPLE, KERNEL = "vector_add_static", "_Z10vector_addPKfS0_Pfi"


def prompt(contract: str) -> str:
    """What the shipped model is told of the example."""
    module = load_module((environment.ROOT / "examples" / "prebuilt" / EXAMPLE).read_bytes())
    return CONTRACTS[contract].prompt(Work(module, KERNEL, Config()).sass, "")


def ask(path: Path, text: str, amount: int, most: int) -> int:
    """One program: so many answers, one after another. Returns their tokens."""
    model, tokens = SharedModel(path, str(SHIPPED)), 0
    for _ in range(amount):
        (answer,) = model.generate((Message("user", text),), Decoding(max_tokens=most))
        tokens += answer.tokens
    return tokens


def timed(path: Path, text: str, programs: int, amount: int) -> dict[str, float]:
    """Answers and tokens a second of so many programs at a time, each with `amount` answers."""
    with multiprocessing.get_context("spawn").Pool(programs) as pool:
        pool.starmap(ask, [(path, text, 1, 1)] * programs)  # connected, and the model loaded
        began = time.monotonic()
        tokens = sum(pool.starmap(ask, [(path, text, amount, 400)] * programs, chunksize=1))
        seconds = time.monotonic() - began
    return {"programs": programs, "answers_per_s": programs * amount / seconds, "tokens_per_s": tokens / seconds}


def resident_mib(pid: int) -> float:
    """The resident set of a process (/proc/PID/status, VmRSS)."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def memory(path: Path, text: str, pid: int, requests: int) -> dict[str, Any]:
    """MiB after each tenth of the requests; a request is a prompt and eight tokens."""
    found = []
    for _ in range(TENTHS):
        ask(path, text, requests // TENTHS, 8)
        found.append(round(resident_mib(pid), 1))
    return {"requests": requests // TENTHS * TENTHS, "mib": found}


def measure(programs: int, amount: int, requests: int) -> dict[str, Any]:
    """Everything, with a host of its own."""
    contract = json.loads((SHIPPED / "cass_contract.json").read_text())["contract"]
    with tempfile.TemporaryDirectory(prefix="cass-load-") as folder:
        check_directory(Path(folder) / "rt")
        host = ModelHost(Config(runtime_dir=f"{folder}/rt"))
        host.wanted_by(Config(translators="cass"))
        assert host.process is not None
        try:
            text = prompt(contract)
            return {
                "one": timed(host.path, text, 1, amount),
                "several": timed(host.path, text, programs, amount),
                "memory": memory(host.path, text, host.process.pid, requests),
            }
        finally:
            host.close()


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status: 1 when memory grew by more than a tenth behind the first tenth."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.modelload", description=__doc__)
    parser.add_argument("--programs", type=int, default=8)
    parser.add_argument("--answers", type=int, default=16, help="of each program")
    parser.add_argument("--requests", type=int, default=1000)
    options = parser.parse_args(arguments)
    found = measure(options.programs, options.answers, options.requests)
    print(json.dumps(found, indent=1))
    one, several, grown = found["one"], found["several"], found["memory"]
    gain = several["tokens_per_s"] / one["tokens_per_s"]
    print(f"{several['programs']} programs at a time: {gain:.2f} times the tokens of one")
    each = ", ".join(f"{mib:.0f}" for mib in grown["mib"])
    print(f"memory after each tenth of {grown['requests']} requests: {each} MiB")
    return int(grown["mib"][-1] > 1.1 * grown["mib"][0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
