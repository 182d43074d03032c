"""A C client, a place of its own for cache and socket, and modules to ask about."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cass_shim.daemon.runtime import Client, socket_path
from cass_shim.model.config import Config
from cass_shim.model.wire import FrameKind
from cass_shim.native.build import build_all

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "prebuilt"


@pytest.fixture(scope="session")
def probe() -> Path:
    """The client as a program (native/client/probe)."""
    (path,) = build_all(["cass-probe"])
    return path


@dataclass
class Paused:
    """A client between its module and its kernels. head: the line about the module."""

    process: subprocess.Popen[str]
    gate: int
    head: str

    def resume(self) -> None:
        os.write(self.gate, b"g")
        os.close(self.gate)

    def finish(self, timeout_s: float = 60) -> tuple[int, str, str]:
        """(exit status, output, errors); fails when the client hangs."""
        out, err = self.process.communicate(timeout=timeout_s)
        return self.process.returncode, out, err


@dataclass
class Place:
    """An environment with its own cache and runtime directory."""

    folder: Path
    probe: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def config(self) -> Config:
        return Config.read(self.environment)

    @property
    def cache(self) -> Path:
        return Path(self.environment["CASS_CACHE_DIR"])

    @property
    def socket(self) -> Path:
        return socket_path(self.config)

    def run(self, *arguments: str | Path, timeout_s: float = 60, **changes: str) -> subprocess.CompletedProcess[str]:
        """Run the client to its end; it must never hang."""
        return subprocess.run(
            [self.probe, *arguments],
            env={**self.environment, **changes},
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def daemon_pid(self) -> int | None:
        try:
            with Client(self.socket, 5) as client:
                return int(json.loads(client.ask(FrameKind.STATUS).body)["pid"])
        except OSError:
            return None

    def counters(self) -> dict[str, float]:
        with Client(self.socket, 5) as client:
            counters: dict[str, float] = json.loads(client.ask(FrameKind.STATUS).body)["counters"]
            return counters

    def start(self, *arguments: str | Path, **changes: str) -> Paused:
        """A client that has its modules and waits before it asks for kernels."""
        reading, writing = os.pipe()
        process = subprocess.Popen(
            [self.probe, "--pause", str(reading), *arguments],
            env={**self.environment, **changes},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=(reading,),
        )
        os.close(reading)
        assert process.stdout is not None
        head = process.stdout.readline()
        return Paused(process, writing, head)

    def stop(self) -> None:
        with contextlib.suppress(OSError), Client(self.socket, 5) as client:
            client.ask(FrameKind.STOP)


@pytest.fixture
def place(tmp_path: Path, probe: Path) -> Iterator[Place]:
    one = Place(
        tmp_path,
        probe,
        {
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "CASS_CACHE_DIR": str(tmp_path / "cache"),
            "CASS_RUNTIME_DIR": str(tmp_path / "run"),
            "CASS_PYTHON": sys.executable,
            "CASS_IDLE": "60",
            "CASS_BEHIND": "0",
            "CASS_HIP_LIBRARY": "/nonexistent",  # no device: contract checks only, and nothing waits for a launch
            "CASS_QUIET": "1",
        },
    )
    yield one
    pid = one.daemon_pid()
    one.stop()
    if pid is not None:
        for _ in range(100):
            if has_ended(pid):
                break
            time.sleep(0.02)
        else:
            os.kill(pid, signal.SIGKILL)


def has_ended(pid: int) -> bool:
    """Gone, or a zombie where nobody reaps orphans (a container without init)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("Z")
    except OSError:
        return True


def entry(kind: int, sm: int, payload: bytes, compressed: int = 0, flags: int = 0) -> bytes:
    """A fatbinary entry as nvcc 13 writes it."""
    padded = payload + bytes(-len(payload) % 8)
    head = struct.pack("<HHIQ", kind, 0x101, 64, len(padded))
    head += struct.pack("<IIHHIII", compressed, 0, 0, 9, sm, 0, 0)
    return head + struct.pack("<QQQ", flags, 0, 0) + padded


def region(*entries: bytes) -> bytes:
    """A fatbinary region."""
    content = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(content)) + content


@pytest.fixture(scope="session")
def regions(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The fatbinaries of prebuilt samples, as the programs register them."""
    from cass_shim.cli.programs import find_modules

    folder = tmp_path_factory.mktemp("regions")
    written = []
    for sample in ("vector_add_static", "matmul_tiled_static_sass", "mandelbrot_shared"):
        (found,) = find_modules(EXAMPLES / sample, Config.read({}))
        path = folder / sample
        path.write_bytes(found.region)
        written.append(path)
    return written
