"""Worker processes: forked from a warm parent, one job at a time, killed when they take too long.

In: frames. Out: replies, or `WorkerLost`. The parent (the zygote) has imported the stages and does nothing but
fork, so that a worker that crashed is replaced in milliseconds.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import importlib
import logging
import os
import signal
import socket
import struct
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

from cass_shim.daemon import worker
from cass_shim.daemon.model_host import ModelHost
from cass_shim.daemon.thrift import WORKER_IDLE_S, is_swollen
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError
from cass_shim.model.wire import FRAME, REPLY_LIMIT, FrameKind, Reply, frame, read_frame_head

log = logging.getLogger(__name__)

# What a translation imports; loaded once, before forking. One that is missing is reported by the job that needs it.
WARM = (
    "numpy",
    "llvmlite.binding",
    "cass_shim.extract.fatbin",
    "cass_shim.extract.cubin",
    "cass_shim.decode",
    "cass_shim.lift",
    "cass_shim.assemble.llvm",
    "cass_shim.assemble.hip",
    "cass_shim.translate.ptx_hip.translate",
    "cass_shim.verify",
)


LOWEST_PRIORITY = 19


class WorkerLost(CassError):
    """A worker ended before it answered; `was_late`: because it took too long."""

    def __init__(self, reason: str, *, was_late: bool = False) -> None:
        super().__init__(reason)
        self.was_late = was_late


class PoolLost(Exception):
    """No worker can be started any more: the daemon has to end, and the next one serves."""


class Zygote:
    """The parent of the workers. Made before the event loop runs, while the process has one thread."""

    def __init__(self, config: Config, close: tuple[int, ...] = ()) -> None:
        self.control, theirs = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            with contextlib.suppress(BaseException):
                self.control.close()
                for descriptor in close:
                    with contextlib.suppress(OSError):
                        os.close(descriptor)
                _zygote(theirs, config)
            os._exit(0)
        theirs.close()

    def spawn(self) -> tuple[socket.socket, int]:
        """A new worker's connection and pid. Blocks for the length of a fork. Raises PoolLost."""
        ours, theirs = socket.socketpair()
        try:
            ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [theirs.fileno()]))]
            self.control.sendmsg([b"w"], ancillary)
            answer = self.control.recv(4)
            if len(answer) != 4:
                raise PoolLost("the parent of the workers is gone")
        except (OSError, PoolLost) as error:
            ours.close()
            raise PoolLost(f"no worker can be started: {error}") from error
        finally:
            theirs.close()
        return ours, struct.unpack("<i", answer)[0]

    def close(self) -> None:
        """The zygote and every idle worker end by themselves when their connections do."""
        self.control.close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, os.WNOHANG)


def _warm_up() -> None:
    """Load the stages and find the toolchain once, for all workers."""
    for name in WARM:
        try:
            importlib.import_module(name)
        except Exception as error:
            log.warning("%s cannot be loaded: %s", name, error)
    try:
        from cass_shim.assemble.toolchain import toolchain

        toolchain()
    except Exception as error:
        log.warning("no toolchain: %s", error)


def _zygote(control: socket.socket, config: Config) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps
    _warm_up()
    while True:
        message, ancillary, _, _ = control.recvmsg(1, socket.CMSG_SPACE(4))
        if not message:
            return
        (descriptor,) = struct.unpack("i", ancillary[0][2][:4])
        pid = os.fork()
        if pid == 0:
            control.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            worker.set_limits(config.number("kernel_memory"))
            worker.serve(socket.socket(fileno=descriptor), config)
            os._exit(0)
        os.close(descriptor)
        control.sendall(struct.pack("<i", pid))


@dataclass
class Worker:
    """One worker process and the connection to it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    pid: int
    idle_since: float = 0.0  # on the monotonic clock

    async def ask(self, kind: FrameKind, payload: bytes, timeout_s: float) -> Reply:
        """One job. Raises WorkerLost, after which this worker is dead."""
        try:
            async with asyncio.timeout(timeout_s):
                self.writer.write(frame(kind, payload))
                await self.writer.drain()
                _, _, size = read_frame_head(await self.reader.readexactly(FRAME.size), REPLY_LIMIT)
                return Reply.unpack(await self.reader.readexactly(size))
        except TimeoutError as error:
            self.kill()
            raise WorkerLost(f"took longer than {timeout_s:g} s (CASS_KERNEL_TIMEOUT)", was_late=True) from error
        except (OSError, asyncio.IncompleteReadError) as error:
            self.kill()
            raise WorkerLost("the worker process died (see the daemon's log)") from error
        except BaseException:
            self.kill()
            raise

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.writer.close()

    @property
    def is_alive(self) -> bool:
        return not self.writer.is_closing() and not self.reader.at_eof()


class ProcessPool:
    """At most `size` workers; idle ones are reused for a while. models: the process that holds the models that they
    ask."""

    models: ModelHost | None = None

    def __init__(self, zygote: Zygote, size: int, models: ModelHost | None = None) -> None:
        self.zygote, self.models = zygote, models
        self.idle: list[Worker] = []
        self.places = asyncio.Semaphore(size)
        self.size = size

    def prepare(self, config: Config) -> None:
        """What a job under this policy needs beside a worker."""
        if self.models is not None:
            self.models.wanted_by(config)

    async def _take(self) -> Worker:
        while self.idle:
            chosen = self.idle.pop()
            if chosen.is_alive:
                return chosen
        connection, pid = self.zygote.spawn()
        reader, writer = await asyncio.open_unix_connection(sock=connection, limit=1 << 20)
        return Worker(reader, writer, pid)

    @contextlib.asynccontextmanager
    async def worker(self) -> AsyncIterator[Worker]:
        """A worker of one's own for the length of the block."""
        async with self.places:
            chosen = await self._take()
            try:
                yield chosen
            finally:
                if chosen.is_alive and is_swollen(chosen.pid):
                    chosen.kill()
                elif chosen.is_alive:
                    chosen.idle_since = time.monotonic()
                    self.idle.append(chosen)

    def tidy(self) -> None:
        """End the workers that have had no job for a while."""
        until = time.monotonic() - WORKER_IDLE_S
        for one in [one for one in self.idle if one.idle_since < until]:
            self.idle.remove(one)
            one.kill()

    @contextlib.asynccontextmanager
    async def background(self) -> AsyncIterator[Worker]:
        """A worker beside the others at the lowest priority, for work that nobody waits for; ends with the block."""
        connection, pid = self.zygote.spawn()
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, pid, LOWEST_PRIORITY)
        reader, writer = await asyncio.open_unix_connection(sock=connection, limit=1 << 20)
        chosen = Worker(reader, writer, pid)
        try:
            yield chosen
        finally:
            chosen.kill()

    def close(self) -> None:
        for one in self.idle:
            one.kill()
        self.zygote.close()
        if self.models is not None:
            self.models.close()


class InProcess:
    """The translator in this process, for `--inline`: same interface, no limits but the program's patience."""

    size = 1

    def __init__(self, config: Config) -> None:
        self.translator = worker.Translator(config)

    def prepare(self, config: Config) -> None:
        """Nothing: a model is loaded here."""

    def tidy(self) -> None:
        """Nothing: it ends with its program."""

    @contextlib.asynccontextmanager
    async def worker(self) -> AsyncIterator[InProcess]:
        yield self

    async def ask(self, kind: FrameKind, payload: bytes, timeout_s: float) -> Reply:
        return self.translator.handle(kind, payload)

    def close(self) -> None:
        pass
