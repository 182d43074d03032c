"""Two machines and one server: the first translates, the second does not; a server that fails delays nobody for long.

`python3 -m tools.two_machines` makes two machines of network namespaces, with homes, daemons and addresses of their
own, and a third with nginx between them. Where namespaces are not allowed it says so, and the machines share one
network. A runs programs with an empty cache and shares; B runs them without translating; then B's warm start is timed
against A's. In the end B starts again from nothing while the server is stopped, answers each request after 10 seconds
(a proxy before it), answers garbage, or cannot be reached.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from cass_shim.cache.trust import SIGNING_FILE, Signer, add_trusted
from cass_shim.daemon.runtime import Client, socket_path
from cass_shim.model.config import Config
from cass_shim.model.wire import FrameKind
from tools import environment
from tools.samples import PREBUILT
from tools.team_servers import free_port, nginx

PROGRAMS = ("vector_add_static", "mandelbrot_shared")
SERVER, ADDRESSES = "10.77.0.1", {"A": "10.77.0.2", "B": "10.77.0.3"}
REPLY_S = 10.0  # of the slow server
LIMIT_S = 1.0  # CASS_REMOTE_TIMEOUT
FAILURES = 3  # before a place is paused


def call(*command: str) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True)


@dataclass
class Machine:
    """A home and, where there are namespaces, a network of its own (the process that holds it)."""

    name: str
    folder: Path
    place: str
    holder: subprocess.Popen[bytes] | None = None
    role: str = "read"
    homes: int = 0

    def new_home(self) -> None:
        """An empty cache that trusts the team's key."""
        self.stop()
        self.homes += 1
        self.cache.mkdir(parents=True, mode=0o700)
        signer = Signer("ci-1", bytes(range(32)))
        add_trusted(self.cache, signer.public)
        if self.role == "write":
            signer.save(self.cache / SIGNING_FILE)

    @property
    def cache(self) -> Path:
        return self.folder / f"{self.name}{self.homes}" / "cache"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.cache.parent),
            "CASS_CACHE_DIR": str(self.cache),
            "CASS_RUNTIME_DIR": str(self.folder / f"run-{self.name}{self.homes}"),
            "CASS_PYTHON": sys.executable,
            "CASS_DEVICE": "emulated",
            "CASS_REMOTES": self.place,
            "CASS_REMOTE_ROLE": self.role,
            "CASS_REMOTE_TIMEOUT": f"{LIMIT_S:g}",
            "CASS_QUIET": "1",
        }

    def run(self, program: Path, **changes: str) -> tuple[str, float]:
        """(output, seconds) of a program that must end well."""
        inside = ["nsenter", "--preserve-credentials", f"--net=/proc/{self.holder.pid}/ns/net"] if self.holder else []
        command = [*inside, str(environment.launcher()), str(program)]
        began = time.perf_counter()
        done = subprocess.run(
            command, env={**self.environment, **changes}, capture_output=True, text=True, timeout=300, check=False
        )
        took = time.perf_counter() - began
        if done.returncode != 0:
            raise RuntimeError(f"{program.name} on {self.name}: {done.returncode} {done.stderr[-500:]}")
        return done.stdout, took

    def counters(self) -> dict[str, float]:
        with Client(socket_path(Config.read(self.environment)), 10) as client:
            found: dict[str, float] = json.loads(client.ask(FrameKind.STATUS).body)["counters"]
            return found

    def stop(self) -> None:
        """End the daemon, which first hands over what it has for the team."""
        with suppress(OSError), Client(socket_path(Config.read(self.environment)), 10) as client:
            pid = int(json.loads(client.ask(FrameKind.STATUS).body)["pid"])
            client.ask(FrameKind.STOP)
            until = time.monotonic() + 30
            while time.monotonic() < until and Path(f"/proc/{pid}/stat").exists():
                if Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("Z"):
                    break
                time.sleep(0.02)


# ---- networks -----------------------------------------------------------------------------------------------


@contextmanager
def networks(names: tuple[str, ...]) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """A bridge here with the server's address, and a namespace for each machine; all end with the processes."""
    call("ip", "link", "set", "lo", "up")
    call("ip", "link", "add", "br0", "type", "bridge")
    call("ip", "addr", "add", f"{SERVER}/24", "dev", "br0")
    call("ip", "link", "set", "br0", "up")
    holders: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for name in names:
            holders[name] = holder = subprocess.Popen(
                ["unshare", "-n", "sh", "-c", "echo ready; exec sleep 3600"], stdout=subprocess.PIPE
            )
            assert holder.stdout is not None
            holder.stdout.readline()
            inside = ("nsenter", "--preserve-credentials", f"--net=/proc/{holder.pid}/ns/net", "ip")
            call("ip", "link", "add", f"port{name}", "type", "veth", "peer", "name", "eth0", "netns", str(holder.pid))
            call("ip", "link", "set", f"port{name}", "master", "br0", "up")
            call(*inside, "addr", "add", f"{ADDRESSES[name]}/24", "dev", "eth0")
            call(*inside, "link", "set", "eth0", "up")
            call(*inside, "link", "set", "lo", "up")
        yield holders
    finally:
        for holder in holders.values():
            holder.kill()
            holder.wait()


def can_have_networks() -> bool:
    """Whether this user may make network namespaces and what connects them here."""
    if not all(shutil.which(one) for one in ("unshare", "nsenter", "ip")):
        return False
    probe = ["unshare", "-rn", "ip", "link", "add", "probe0", "type", "veth", "peer", "name", "probe1"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


@dataclass
class Proxy:
    """Stands before the server. mode: "" passes on, "slow" after `REPLY_S` seconds, "garbage" in its place."""

    host: str
    target: tuple[str, int]
    mode: str = ""
    port: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        self.listener = socket.create_server((self.host, self.port), backlog=64)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=(self.listener.accept()[0],), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), client:
            if self.mode == "garbage":
                client.recv(1 << 16)
                client.sendall(b"\xff\xfe\0garbage\r\n" * 50)
                return
            with socket.create_connection(self.target, 10) as server:
                threading.Thread(target=_pass_on, args=(client, server, 0.0), daemon=True).start()
                _pass_on(server, client, REPLY_S if self.mode == "slow" else 0.0)


def _pass_on(source: socket.socket, target: socket.socket, delay_s: float) -> None:
    with suppress(OSError):
        while piece := source.recv(1 << 16):
            time.sleep(delay_s)
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)


# ---- what is shown ------------------------------------------------------------------------------------------


@dataclass
class Show:
    """One run. rows: what was found, in words and numbers. broken: what is worse than it may be.

    ratio: of the warm starts, at most. slack: seconds beyond the limit that a wait may take, for timers.
    """

    folder: Path
    holders: dict[str, subprocess.Popen[bytes]]
    programs: tuple[str, ...]
    runs: int
    ratio: float
    slack: float
    rows: dict[str, float] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def row(self, text: str, number: float, most: float | None = None) -> None:
        """A figure, and the most it may be."""
        self.rows[text] = round(number, 4)
        print(f"{text:<78} {number:10.3f}", flush=True)
        if most is not None and number > most:
            self.broken.append(f"{text.strip()}: {number:.3f}, at most {most:g} is right")

    def everything(self) -> None:
        host = SERVER if self.holders else "127.0.0.1"
        (self.folder / "server").mkdir()
        server = nginx(self.folder / "server", host)
        place = server.__enter__()
        proxy = Proxy(host, (host, int(place.rpartition(":")[2])))
        place = f"http://{host}:{proxy.port}"
        a, b = (Machine(name, self.folder, place, self.holders.get(name)) for name in ("A", "B"))
        a.role = "write"
        try:
            self.sharing(a, b)
            self.warm(a, b)
            self.start(b, "no team cache", CASS_REMOTES="")
            proxy.mode = "slow"
            self.trouble(b, f"the server answers after {REPLY_S:g} s")
            proxy.mode = "garbage"
            self.trouble(b, "the server answers garbage")
            proxy.mode = ""
            server.__exit__(None, None, None)
            self.trouble(b, "the server is stopped")
            if self.holders:
                call("ip", "link", "set", "portB", "down")
                self.trouble(b, "the network is unplugged")
        finally:
            for one in (a, b):
                one.stop()
            with suppress(RuntimeError, StopIteration):
                server.__exit__(None, None, None)

    def _outputs(self, machine: Machine, **changes: str) -> tuple[list[str], float]:
        found = [machine.run(PREBUILT / name, **changes) for name in self.programs]
        return [output for output, _ in found], sum(took for _, took in found)

    def sharing(self, a: Machine, b: Machine) -> None:
        for one in (a, b):
            one.new_home()
        first, took = self._outputs(a)
        self.row("A, empty cache: translations", a.counters()["translations"])
        self.row("A, empty cache: seconds for all programs", took)
        a.stop()
        second, took = self._outputs(b)
        self.row("B, empty cache: translations", b.counters().get("translations", 0), most=0)
        self.row("B, empty cache: kernels from the team", b.counters().get("team hits", 0))
        self.row("B, empty cache: seconds for all programs", took)
        self.row("B, outputs that differ from A's", sum(x != y for x, y in zip(first, second, strict=True)), most=0)

    def warm(self, a: Machine, b: Machine) -> None:
        """Both without daemon and Python: what A translated itself against what B was given."""
        b.stop()
        offline = {"CASS_PYTHON": "/bin/false"}
        ratios = []
        for _ in range(3):
            pairs = [(self._outputs(a, **offline)[1], self._outputs(b, **offline)[1]) for _ in range(self.runs)]
            own, given = (statistics.median(column) * 1e3 for column in zip(*pairs, strict=True))
            ratios.append((given / own, own, given))
        ratio, own, given = sorted(ratios)[1]
        self.row("A, warm: milliseconds for all programs, median", own)
        self.row("B, warm, back-filled: milliseconds for all programs, median", given)
        self.row("B's warm start divided by A's, median of three rounds", ratio, most=self.ratio)

    def start(self, machine: Machine, what: str, **changes: str) -> None:
        machine.new_home()
        _, took = self._outputs(machine, **changes)
        self.row(f"B, empty cache, {what}: seconds for all programs", took)

    def trouble(self, b: Machine, what: str) -> None:
        """A start from nothing must cost the translation and, for a few kernels, the limit; nothing more."""
        self.start(b, what)
        limit = min(FAILURES, len(self.programs)) * LIMIT_S
        waited = b.counters()["team seconds"]
        self.row(f"    seconds that programs waited for the team (limit {limit:g})", waited, most=limit + self.slack)


def inside(options: argparse.Namespace) -> int:
    """The whole demonstration, in this process's network."""
    with tempfile.TemporaryDirectory(prefix="cass-two-") as name:
        programs = PROGRAMS[: options.programs]
        if options.plain:
            print("one network for both machines: network namespaces are not allowed here")
            show = Show(Path(name), {}, programs, options.runs, options.ratio, options.slack)
            show.everything()
        else:
            with networks(tuple(ADDRESSES)) as holders:
                show = Show(Path(name), holders, programs, options.runs, options.ratio, options.slack)
                show.everything()
    if options.json:
        Path(options.json).write_text(json.dumps(show.rows, indent=1) + "\n")
    for line in show.broken:
        print(f"NOT RIGHT: {line}", file=sys.stderr)
    return 1 if show.broken else 0


def main(arguments: list[str]) -> int:
    """Enter a user and network namespace where that is allowed, then show everything."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.two_machines", description=__doc__)
    parser.add_argument("--runs", type=int, default=31, help="warm starts of each machine a round")
    parser.add_argument("--programs", type=int, default=len(PROGRAMS))
    parser.add_argument("--ratio", type=float, default=1.1, help="most that B's warm start may take of A's")
    parser.add_argument("--slack", type=float, default=0.05, help="seconds beyond the limit that a wait may take")
    parser.add_argument("--json", default="", help="also write the numbers here")
    parser.add_argument("--plain", action="store_true", help="without network namespaces")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.inside or options.plain or not can_have_networks():
        options.plain = options.plain or not options.inside
        return inside(options)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the child gets it too, and tidies up
    command = ["unshare", "-rn", sys.executable, "-m", "tools.two_machines", "--inside", *arguments]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
