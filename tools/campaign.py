"""Generated kernels through the product, against digests recorded on a real NVIDIA GPU.

`python3 -m tools.campaign --count 200` builds units of generated kernels for sm_80 (with PTX), runs them under
`cass-run` on the emulated device by each route, and compares every digest. A kernel that differs, fails or is
unsupported is listed with its number: `python3 -m tools.kernelgen --seed 1 --first N --count 1` prints its source.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import os
import re
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from tools import environment, samples
from tools.kernelgen.program import unit

VECTORS = environment.ROOT / "tests" / "vectors" / "kernelgen"
TARGETS = {
    "80": "arch=compute_80,code=[sm_80,compute_80]",
    "89": "arch=compute_89,code=[sm_89,compute_89]",
    "90": "arch=compute_90,code=sm_90",  # from here on machine code only
    "100": "arch=compute_100,code=sm_100",
    "120": "arch=compute_120,code=sm_120",
}


@dataclass
class Outcome:
    """What became of a range of kernels on one route. failures: kernel → what happened."""

    passed: int = 0
    failures: dict[int, str] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)


def recorded(seed: int) -> tuple[int, ...]:
    """Two digests a kernel, as the GPU gave them; 0 where none is to be trusted."""
    content = (VECTORS / f"kernelgen-{seed}.bin").read_bytes()
    return struct.unpack(f"<{len(content) // 8}Q", content)


def build(seed: int, first: int, count: int, sm: str) -> Path:
    """The program of one unit."""
    folder = environment.ROOT / "build" / "kernelgen" / f"sm{sm}"
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{seed}-{first}-{count}.cu"
    source.write_text(unit(seed, first, count))
    program = source.with_suffix("")
    command = ["nvcc", "-w", "-gencode", TARGETS[sm], "-o", str(program), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return program


def run_unit(program: Path, route: str, seed: int, first: int, count: int, limit_s: int) -> Outcome:
    """Run one unit; after a crash or a time-out the rest of its kernels run one by one."""
    expected = recorded(seed)
    outcome = Outcome()
    seen: dict[tuple[int, int], str] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache:
        env = {**os.environ, "CASS_TRANSLATORS": route, "CASS_CACHE_DIR": cache, "CASS_DEVICE": "emulated"}

        def run(*arguments: str) -> None:
            command = [str(environment.launcher()), str(program), *arguments]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, env=env, check=False)
                output, errors = done.stdout, done.stderr
            except subprocess.TimeoutExpired as late:
                output, errors = (late.stdout or b"").decode(), "no end\n"
            outcome.messages += errors.splitlines()
            for line in output.splitlines():
                if found := re.match(r"k(\d+) s(\d) (.*)$", line):
                    seen[int(found[1]), int(found[2])] = found[3]

        run()
        for number in range(first, first + count):
            if (number, 1) not in seen and (number, 0) not in seen:
                run(str(number))
    for number in range(first, first + count):
        results = [seen.get((number, s), "no output") for s in (0, 1)]
        wanted = [f"{expected[2 * number + s]:016x}" for s in (0, 1)]
        if all(w == f"{0:016x}" or w == r for w, r in zip(wanted, results, strict=True)):
            outcome.passed += 1
        else:
            outcome.failures[number] = " ".join(results)
    return outcome


def main(arguments: list[str]) -> int:
    """Command line; exit status 1 when any digest differs."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.campaign", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--routes", default="lift,ptx-hip", help="each is run alone (default: %(default)s)")
    parser.add_argument("--sm", choices=sorted(TARGETS), default="80")
    parser.add_argument("--unit", type=int, default=25, help="kernels a program (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=300, help="seconds a program may take")
    options = parser.parse_args(arguments)
    if why := samples.can_build():
        print(f"the campaign cannot be built here: {why}")
        return 2
    starts = range(options.first, options.first + options.count, options.unit)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        programs = list(pool.map(lambda first: build(options.seed, first, options.unit, options.sm), starts))
        for route in options.routes.split(","):
            jobs = [
                pool.submit(run_unit, p, route, options.seed, f, options.unit, options.limit)
                for p, f in zip(programs, starts, strict=True)
            ]
            outcomes = [job.result() for job in jobs]
            passed = sum(outcome.passed for outcome in outcomes)
            failures = {number: text for outcome in outcomes for number, text in outcome.failures.items()}
            failed += len(failures)
            print(f"{route}: {passed} passed, {len(failures)} failed")
            for number, text in sorted(failures.items()):
                print(f"  k{number}: {text}")
            reasons = collections.Counter(
                re.sub(r"k\d+|0x[0-9a-f]+", "#", m) for outcome in outcomes for m in outcome.messages
            )
            for reason, times in reasons.most_common(12):
                print(f"  {times} × {reason}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
