"""Programs that start together on a cold cache, and everything of it killed at random.

`python3 -m tools.programtorture --seconds 600` alternates two kinds of rounds, each on an empty cache with 32 programs
that start at once and want the same kernels. In quiet rounds each kernel must be translated once. In the others a
program, the daemon, the workers' parent or a worker gets SIGKILL every few hundredths of a second; whatever a program
that ended well had translated must be found by C afterwards without daemon and Python, no stored record may vanish and
nothing may be torn. Programs are the C client alone (native/client/probe), which asks as the preloaded library does.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from cass_shim.cache.inspection import inspect_tier
from cass_shim.cache.local import LocalTier
from cass_shim.cache.trust import TrustSet
from cass_shim.cli.programs import find_modules
from cass_shim.daemon.runtime import Client, socket_path
from cass_shim.model.config import Config
from cass_shim.model.wire import FrameKind
from cass_shim.native.build import build_all
from tools.samples import PREBUILT

SAMPLES = ("vector_add_static", "matmul_tiled_static_sass", "mandelbrot_shared")
POLICIES = tuple(
    {"CASS_MIN_EVIDENCE": least, "CASS_TRANSLATORS": order}
    for least in ("none", "E0")
    for order in ("lift", "lift,ptx-hip")
)
KERNELS = len(SAMPLES)  # each of them has one
PATIENCE_S = 120.0  # of one program on a busy machine
EXCUSES = ("worker", "translator", "daemon")  # what a program says whose helpers were killed too often


def children(pid: int) -> list[int]:
    """The direct children of a process."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and int((entry / "stat").read_text().rpartition(") ")[2].split()[1]) == pid:
                found.append(int(entry.name))
    return found


@dataclass
class Campaign:
    """Rounds over one folder. problems: what is wrong, in words."""

    folder: Path
    chance: random.Random
    programs: int = 32
    rounds: int = 0
    killed: int = 0
    finished: int = 0
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        (self.probe,) = build_all(["cass-probe"])
        self.regions = []
        for sample in SAMPLES:
            (found,) = find_modules(PREBUILT / sample, Config.read({}))
            self.regions.append(self.folder / sample)
            self.regions[-1].write_bytes(found.region)

    # ---- a round ------------------------------------------------------------------------------------------

    def environment(self, number: int) -> dict[str, str]:
        """An empty cache and a socket of its own. No device: contract checks only, so that work is short."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "CASS_CACHE_DIR": str(self.folder / f"cache{number}"),
            "CASS_RUNTIME_DIR": str(self.folder / f"run{number}"),
            "CASS_PYTHON": sys.executable,
            "CASS_HIP_LIBRARY": "/nonexistent",
            "CASS_IDLE": "30",
            "CASS_QUIET": "1",
        }

    def round(self, *, quiet: bool) -> None:
        """One cold start of all programs."""
        self.rounds += 1
        base = self.environment(self.rounds)
        policies = POLICIES[:1] if quiet else POLICIES
        running = [
            (policy, self._start({**base, **policy}))
            for policy in (policies[number % len(policies)] for number in range(self.programs))
        ]
        tier, good = LocalTier(Path(base["CASS_CACHE_DIR"])), list[dict[str, str]]()
        until, stored = time.monotonic() + PATIENCE_S, set[str]()
        while running:
            if not quiet:
                time.sleep(self.chance.uniform(0.01, 0.2))
                self._kill_one([one for _, one in running], base)
                now = {one.digest for one in tier.records()}
                self.problems += [f"round {self.rounds}: record {one} is gone" for one in stored - now]
                stored = now
            else:
                time.sleep(0.05)
            for policy, process in [one for one in running if one[1].poll() is not None]:
                running.remove((policy, process))
                if self._ended(process, quiet=quiet):
                    good.append(policy)
            if time.monotonic() > until:
                self.problems += [f"round {self.rounds}: program {one.pid} hangs" for _, one in running]
                for _, process in running:
                    process.kill()
        self._check(base, good, tier, quiet=quiet)
        self._stop(base)

    def _start(self, environment: dict[str, str]) -> subprocess.Popen[str]:
        command = [str(one) for one in (self.probe, *self.regions)]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def _ended(self, process: subprocess.Popen[str], *, quiet: bool) -> bool:
        """Whether a program got all it wanted; what it says otherwise must be an excuse."""
        out, err = process.communicate()
        self.finished += process.returncode == 0
        if process.returncode == -signal.SIGKILL and not quiet:
            return False
        failures = [line for line in out.splitlines() if " failed " in line]
        if process.returncode not in (0, 1) or (process.returncode == 1 and not failures) or (quiet and failures):
            self.problems.append(f"round {self.rounds}: exit status {process.returncode}: {(out + err)[-300:]}")
        self.problems += [
            f"round {self.rounds}: {one}" for one in failures if not any(excuse in one for excuse in EXCUSES)
        ]
        return process.returncode == 0

    def _kill_one(self, programs: list[subprocess.Popen[str]], base: dict[str, str]) -> None:
        """In the middle of whatever it does: a program, or one of the daemon's family."""
        victims = [self.chance.choice(programs).pid] if programs and self.chance.random() < 0.4 else self._family(base)
        if victims:
            with suppress(ProcessLookupError):
                os.kill(self.chance.choice(victims), signal.SIGKILL)
                self.killed += 1

    def _family(self, base: dict[str, str]) -> list[int]:
        """The daemon, its child and the workers that run now."""
        try:
            with Client(socket_path(Config.read(base)), 5) as client:
                pid = int(json.loads(client.ask(FrameKind.STATUS).body)["pid"])
        except OSError:
            return []
        forks = children(pid)
        return [pid, *forks, *(worker for fork in forks for worker in children(fork))]

    # ---- what must hold -----------------------------------------------------------------------------------

    def _check(self, base: dict[str, str], good: list[dict[str, str]], tier: LocalTier, *, quiet: bool) -> None:
        for policy in [one for one in POLICIES if one in good]:
            alone = {**base, **policy, "CASS_PYTHON": "/bin/false", "CASS_RUNTIME_DIR": str(self.folder / "nobody")}
            done = subprocess.run([self.probe, *self.regions], env=alone, capture_output=True, text=True, timeout=60)
            if done.returncode != 0:
                self.problems.append(f"round {self.rounds}: reported and not in the cache: {done.stdout[-300:]}")
        for record in tier.records():
            if record.digest not in {one.record.digest for one in tier.get(bytes.fromhex(record.key))}:
                self.problems.append(f"round {self.rounds}: record {record.digest} is torn")
        findings = inspect_tier(tier, TrustSet({})).findings
        self.problems += [f"round {self.rounds}: {one.path}: {one.reason}" for one in findings]
        if quiet:
            with Client(socket_path(Config.read(base)), 5) as client:
                counted = json.loads(client.ask(FrameKind.STATUS).body)["counters"]["translations"]
            if counted != KERNELS:
                self.problems.append(f"round {self.rounds}: {counted:g} translations of {KERNELS} kernels")

    def _stop(self, base: dict[str, str]) -> None:
        with suppress(OSError), Client(socket_path(Config.read(base)), 5) as client:
            client.ask(FrameKind.STOP)

    def run(self, seconds: float) -> None:
        """Rounds until the time is over, at least one of each kind."""
        until = time.monotonic() + seconds
        while self.rounds < 2 or time.monotonic() < until:
            self.round(quiet=self.rounds % 4 == 0)


def report(campaign: Campaign, seconds: float) -> Iterator[str]:
    """Lines for a person."""
    yield (
        f"{campaign.rounds} cold starts of {campaign.programs} programs in {seconds:g} s: "
        f"{campaign.killed} processes killed, {campaign.finished} programs ended well"
    )
    yield from campaign.problems[:50]
    yield f"{len(campaign.problems)} problems"


def main(arguments: list[str]) -> int:
    """Run one campaign in a temporary folder."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.programtorture", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--programs", type=int, default=32, help="at once")
    parser.add_argument("--seed", type=int, default=0, help="0: another one each time")
    options = parser.parse_args(arguments)
    seed = options.seed or random.SystemRandom().randrange(1, 1 << 31)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="cass-torture-") as folder:
        campaign = Campaign(Path(folder), random.Random(seed), options.programs)
        campaign.run(options.seconds)
        print("\n".join(report(campaign, options.seconds)))
    return 1 if campaign.problems or not campaign.finished else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
