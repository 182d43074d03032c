"""`python3 -m tools.mutation.stores [--stores N] [--most N] [--jobs J] [PART…]`: results that verification misses.

Of each kernel of the suite (sm_80; PART as for `cass compat run`: all, a domain, a program) up to N stores and atomic
operations of the lifter's assembly are dropped, one at a time. What is left must not pass at E1: a store that nobody
misses is one that no input shows. Kernels of more than `--most` instructions of SASS, and those whose right code does
not get beyond E0 before its first launch, are left out and counted. Prints each that passed, marked where inputs reach
so little of the kernel that its first launch decides too (no launch is made here), then the sum. Run in the
project's virtual environment; the whole suite takes ten minutes on two cores.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import functools
import multiprocessing
import random
import re
from dataclasses import dataclass, field
from pathlib import Path

from cass_shim.assemble.text import assemble_text
from cass_shim.compat.build import VARIANTS, build_all
from cass_shim.compat.suite import find_root, programs, select
from cass_shim.device import Device
from cass_shim.model.artifacts import Evidence
from cass_shim.model.errors import CassError
from cass_shim.verify import verify_kernel
from cass_shim.verify.kernel import open_device
from cass_shim.verify.known_runs import KnownRuns
from tools.mutation.subjects import VARIANT, Subject, change, kernels_of, lifted_subject, mutant
from tools.mutation.verdicts import rejected

_STORE = re.compile(r"\s*(global|flat)_(store|atomic)\S* ")


@dataclass
class Seen:
    """What was found: kernels judged, left out with the reason, stores dropped, and those of them that passed."""

    kernels: int = 0
    dropped: int = 0
    left_out: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)

    def add(self, other: Seen) -> None:
        """Take in another's."""
        self.kernels += other.kernels
        self.dropped += other.dropped
        self.left_out += other.left_out
        self.passed += other.passed


def drop_stores(of: Subject, device: Device, most: int, seen: Seen) -> None:
    """Judge a kernel without up to `most` of its stores, chosen by its name. Raises CassError for the right code."""
    right = assemble_text(of.assembly, of.sass.kernel.abi)
    with contextlib.closing(KnownRuns(device)) as known:
        verified = verify_kernel(right, of.sass, of.cubin, device, seed=1, known=known)
        if verified.evidence < Evidence.E1U:
            seen.left_out.append(f"{of.name}: at E0")
            return
        seen.kernels += 1
        lines = of.assembly.text.splitlines()
        stores = [at for at, line in enumerate(lines) if _STORE.match(line)]
        random.Random(of.name).shuffle(stores)
        for at in stores[:most]:
            seen.dropped += 1
            if not rejected(mutant(of, at, ""), of, known, 1):
                left = " (its first launch decides)" if verified.launch_may_tell else ""
                seen.passed.append(f"{of.name}, line {at}: {change(of, at, '')}{left}")


def judge(path: Path, stores: int, most: int) -> Seen:
    """All kernels of a program."""
    seen, device = Seen(), open_device("emulated")
    for kernel, cubin in kernels_of(path):
        name = f"{path.name} {kernel.name}"
        if len(kernel.code) // 16 > most:
            seen.left_out.append(f"{name}: {len(kernel.code) // 16} instructions")
            continue
        try:
            drop_stores(lifted_subject(name, kernel, cubin), device, stores, seen)
        except CassError as error:
            seen.left_out.append(f"{name}: {error}")
    return seen


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutation.stores", description=__doc__)
    parser.add_argument("parts", nargs="*", default=["all"], metavar="PART")
    parser.add_argument("--stores", type=int, default=6, help="of a kernel, at most (default: %(default)s)")
    parser.add_argument("--most", type=int, default=1500, help="instructions of a kernel (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="programs at once (default: %(default)s)")
    options = parser.parse_args()
    root = find_root()
    suite = programs(root)
    chosen = list({one.title: one for part in options.parts for one in select(suite, part)}.values())
    paths = build_all(chosen, [VARIANTS[VARIANT]], root / "build" / "suite", options.jobs).values()
    total = Seen()
    context = multiprocessing.get_context("spawn")
    # One program a process: with more the pool may wait for ever (python/cpython#115634, up to 3.15.0b3).
    with concurrent.futures.ProcessPoolExecutor(options.jobs, context, max_tasks_per_child=1) as pool:
        for seen in pool.map(functools.partial(judge, stores=options.stores, most=options.most), paths):
            total.add(seen)
            for line in seen.passed:
                print(line, flush=True)
    for line in total.left_out:
        print(f"left out: {line}")
    share = len(total.passed) / max(1, total.dropped)
    print(f"{total.kernels} kernels: {total.dropped} stores dropped, {len(total.passed)} unseen ({share:.1%})")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
