"""Writers of the cache killed at random: what they reported stored must be there, whole, afterwards.

`python3 -m tools.cachetorture --seconds 300` lets several processes put translations into one local cache and one
place of the team (a shared directory, or what --place says), kills one with SIGKILL every few milliseconds, starts
another, reads in between, and walks over everything at the end. Exit status 1 when something is lost or torn.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import select
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from cass_shim.cache.inspection import inspect_tier
from cass_shim.cache.local import LocalTier
from cass_shim.cache.places import open_store
from cass_shim.cache.record import Record
from cass_shim.cache.remote import HEAD_LIMIT, LISTED_LIMIT, ObjectStore, RemoteTier, read_listing
from cass_shim.cache.storage import Entry
from cass_shim.cache.trust import TrustSet
from cass_shim.model.artifacts import CodeObject, Evidence
from cass_shim.model.config import Config
from cass_shim.model.entry import CodeEntry, pack_entry
from cass_shim.model.kernel_abi import AbiClass

SHARERS = 4  # writers one after another or at once that share their keys, so that heads are contended
RECORDS = LISTED_LIMIT // SHARERS  # of one writer under one key, so that a head can list them all
CONFIG = Config()


def key_of(writer: int, step: int) -> bytes:
    return hashlib.sha256(f"key {writer // SHARERS} {step}".encode()).digest()


def entry_of(writer: int, step: int, number: int) -> Entry:
    """The same bytes wherever it is made: that is how a reader knows what it must find."""
    chance, key = random.Random(f"{writer} {step} {number}"), key_of(writer, step)
    code = CodeObject(chance.randbytes(chance.choice((100, 5_000, 60_000))), "kernel", AbiClass.CASS1, (), 0)
    content = pack_entry(CodeEntry(key, code, Evidence.E0, "lift"))
    digest = hashlib.sha256(content).hexdigest()
    return Entry(Record(key=key.hex(), entry=digest, route="lift", evidence="E0", created=number), content)


def write(root: Path, place: str, writer: int, pipe: int) -> None:
    """Store without end, and report each translation once it is stored everywhere."""
    tier, remote = LocalTier(root), RemoteTier(open_store(place, 10))
    step = 0
    while True:
        for number in range(RECORDS):
            entry, key = entry_of(writer, step, number), key_of(writer, step)
            tier.put(key, entry)
            tier.admit(entry.record, entry.content, CONFIG)
            remote.put(key, entry)
            os.write(pipe, f"{writer} {step} {number}\n".encode())
        step += 1


@dataclass
class Torture:
    """One campaign. stored: what writers reported; problems: what is wrong, in words."""

    root: Path
    place: str
    chance: random.Random
    stored: list[tuple[int, int, int]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    writers: dict[int, int] = field(default_factory=dict)  # pid → its end of the pipe
    started: int = 0
    killed: int = 0

    def start(self) -> None:
        """One more writer, forked so that it writes within milliseconds."""
        reading, writing = os.pipe()
        number, self.started = self.started, self.started + 1
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            try:
                write(self.root, self.place, number, writing)
            except BaseException as error:
                with suppress(OSError):
                    os.write(writing, f"writer {number}: {error!r}\n".encode())
            os._exit(1)
        os.close(writing)
        self.writers[pid] = reading

    def kill(self, pid: int) -> None:
        """In the middle of whatever it does."""
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        self.killed += 1
        self._hear(self.writers[pid], to_the_end=True)
        os.close(self.writers.pop(pid))

    def _hear(self, pipe: int, *, to_the_end: bool = False) -> None:
        """What a writer reported; a line that its death cut off is not a report."""
        heard = b""
        while to_the_end or select.select([pipe], [], [], 0)[0]:
            piece = os.read(pipe, 1 << 16)
            heard += piece
            if not piece or (not to_the_end and heard.endswith(b"\n")):
                break
        for line in heard.decode().splitlines(keepends=True):
            words = line.split()
            if line.endswith("\n") and len(words) == 3 and all(one.isdigit() for one in words):
                writer, step, number = map(int, words)
                self.stored.append((writer, step, number))
            elif line.endswith("\n"):
                self.problems.append(line.strip())

    def run(self, seconds: float, writers: int) -> None:
        """Kill and start, and read what was reported in between."""
        tier, store = LocalTier(self.root), open_store(self.place, 10)
        until = time.monotonic() + seconds
        try:
            while time.monotonic() < until:
                while len(self.writers) < writers:
                    self.start()
                time.sleep(self.chance.uniform(0.005, 0.1))
                for pipe in self.writers.values():
                    self._hear(pipe)
                self.kill(self.chance.choice(list(self.writers)))
                if self.stored:
                    self._check([self.chance.choice(self.stored[-200:])], tier, store)
                if self.chance.random() < 0.02:
                    self._verify(tier)
        finally:
            for pid in list(self.writers):
                self.kill(pid)

    def _check(self, reported: list[tuple[int, int, int]], tier: LocalTier, store: ObjectStore) -> None:
        """Translations that were reported under one key, where they were reported to be."""
        key = key_of(*reported[0][:2])
        kept = {one.record.digest: one for one in tier.get(key)}
        listed = {digest for _, digest in read_listing(store.read_head(key.hex(), HEAD_LIMIT))}
        if tier.admitted(key, CONFIG) is None:
            self.problems.append(f"{key.hex()} is not where C would look")
        for one in reported:
            entry, what = entry_of(*one), " ".join(map(str, one))
            if kept.get(entry.record.digest) != entry:
                self.problems.append(f"{what} is not in the local cache")
            if entry.record.digest not in listed:
                self.problems.append(f"{what} is not in the head")
            for content in (entry.content, entry.record.canonical()):
                if store.read_object(hashlib.sha256(content).hexdigest(), len(content)) != content:
                    self.problems.append(f"{what}: an object is not what was written")

    def _verify(self, tier: LocalTier) -> None:
        """`cass cache verify` beside living writers must find nothing."""
        self.problems += [f"{one.path}: {one.reason}" for one in inspect_tier(tier, TrustSet({})).findings]

    def final(self) -> None:
        """Everything that was reported, and a walk over the whole cache."""
        tier, store = LocalTier(self.root), open_store(self.place, 10)
        groups: dict[bytes, list[tuple[int, int, int]]] = {}
        for one in self.stored:
            groups.setdefault(key_of(*one[:2]), []).append(one)
        for reported in groups.values():
            self._check(reported, tier, store)
        self._verify(tier)


def report(torture: Torture, seconds: float) -> Iterator[str]:
    """Lines for a person."""
    yield f"{torture.killed} writers killed in {seconds:g} s, {len(torture.stored)} translations reported stored"
    yield from torture.problems[:50]
    yield f"{len(torture.problems)} problems"


def main(arguments: list[str]) -> int:
    """Run one campaign in a temporary folder."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.cachetorture", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--writers", type=int, default=6, help="processes at once")
    parser.add_argument("--place", default="", help="the team's place, as in CASS_REMOTES; default a directory")
    parser.add_argument("--seed", type=int, default=0, help="0: another one each time")
    options = parser.parse_args(arguments)
    seed = options.seed or random.SystemRandom().randrange(1, 1 << 31)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="cass-torture-") as folder:
        place = options.place or str(Path(folder) / "share")
        torture = Torture(Path(folder) / "cache", place, random.Random(seed))
        torture.run(options.seconds, options.writers)
        torture.final()
        print("\n".join(report(torture, options.seconds)))
    return 1 if torture.problems or not torture.stored else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
