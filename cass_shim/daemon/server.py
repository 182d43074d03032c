"""The daemon's process: the socket, its connections, and when to end.

In: a socket's path, or one connection (`--inline`). Out: nothing; runs until idle, stopped or disconnected.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
from pathlib import Path

from cass_shim.cache.epoch import sources_digest, sources_state
from cass_shim.cache.index import Index, is_on_network
from cass_shim.cache.local import LocalTier, cache_root
from cass_shim.cache.places import open_remotes
from cass_shim.cache.tiers import Tiered
from cass_shim.daemon.model_host import ModelHost
from cass_shim.daemon.runtime import check_directory, peer_uid, receive_frame
from cass_shim.daemon.service import Service
from cass_shim.daemon.thrift import patience
from cass_shim.daemon.workers import InProcess, PoolLost, ProcessPool, Zygote
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError, Malformed
from cass_shim.model.wire import (
    FRAME,
    REQUEST_LIMIT,
    WIRE_VERSION,
    CudaError,
    FrameKind,
    Reply,
    Status,
    frame,
    read_frame_head,
)

log = logging.getLogger(__name__)

COLLECT_EVERY_S = 300.0


def open_tier(config: Config) -> LocalTier | None:
    """The local tier, unless there is no place for one."""
    root = cache_root(config)
    return None if root is None else LocalTier(root, int(config.number("cache_size")) << 20)


def open_index(tier: LocalTier | None, runtime: Path | None) -> Index:
    """The index beside the tier; on this node when the tier lies on a network file system."""
    if tier is None or not tier.is_usable():
        return Index(None)
    if is_on_network(tier.root):
        return Index(runtime / "index" if runtime else None)
    return Index(tier.versioned / "index")


def open_team(config: Config, tier: LocalTier | None) -> Tiered | None:
    """The team's caches; a mistake in keys or places is a log line, and nobody's program waits for it."""
    if tier is None or not tier.is_usable():
        return None
    try:
        return open_remotes(config, tier.root)
    except CassError as error:
        log.error("the team's caches are not used: %s", error)
        return None


def worker_count(config: Config) -> int:
    return int(config.number("workers")) or min(8, len(os.sched_getaffinity(0)))


class Daemon:
    """One event loop: accepts connections, answers frames, ends when idle."""

    def __init__(self, service: Service, idle_s: float, runtime: Path = Path()) -> None:
        """runtime: where the user's daemons have their sockets."""
        self.service, self.idle_s, self.runtime = service, idle_s, runtime
        self.connections = self.programs = 0
        self.ended = asyncio.Event()
        self.last_use = 0.0
        self.sources = sources_state()

    async def serve_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one program's frames in order, until it leaves or sends nonsense."""
        connection = writer.get_extra_info("socket")
        if peer_uid(connection) != os.geteuid():
            log.error("refused a connection of uid %d", peer_uid(connection))
            writer.close()
            return
        self.connections += 1
        self.programs += 1
        program = self.programs
        try:
            while await self._serve_frame(reader, writer, program):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass  # the program ended
        except Malformed as error:
            log.error("connection closed: %s", error)
        except PoolLost as error:  # without an answer, so that the program asks the next daemon
            log.error("ending: %s", error)
            self.ended.set()
        finally:
            self.connections -= 1
            self.last_use = asyncio.get_running_loop().time()
            writer.close()

    async def _serve_frame(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, program: int) -> bool:
        version, kind, size = read_frame_head(await reader.readexactly(FRAME.size), REQUEST_LIMIT)
        payload = await reader.readexactly(size)
        if version != WIRE_VERSION:
            reply = Reply(Status.VERSION, f"this daemon speaks version {WIRE_VERSION}".encode())
        elif kind is FrameKind.STOP:
            reply = Reply(Status.OK)
        else:
            reply = await self.service.answer(kind, payload, program)
        writer.write(frame(FrameKind.REPLY, reply.pack()))
        await writer.drain()
        if kind is FrameKind.STOP and version == WIRE_VERSION:
            self.ended.set()
        return True

    async def watch(self) -> None:
        """End when nobody has been connected for long; tidy workers and, now and then, the cache."""
        loop = asyncio.get_running_loop()
        self.last_use, collected = loop.time(), loop.time()
        while not self.ended.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.ended.wait(), min(5.0, max(self.idle_s / 4, 0.05)))
            busy = self.connections > 0 or bool(self.service.flights)
            if busy:
                self.last_use = loop.time()
            elif loop.time() - self.last_use > (patient_s := patience(self.idle_s, self.runtime)):
                log.info("idle for %g s; ending", patient_s)
                self.ended.set()
            elif sources_state() != self.sources:
                log.info("the package was changed; ending")
                self.ended.set()
            elif self.service.tier is not None and not self.service.tier.root.exists():
                log.info("%s is gone; ending", self.service.tier.root)
                self.ended.set()
            self.service.pool.tidy()
            if self.service.tier is not None and loop.time() - collected > COLLECT_EVERY_S:
                collected = loop.time()
                self.service.tier.collect()


def bind(path: Path) -> socket.socket:
    """Listen at `path`; the caller holds the starter's lock, so what is there is dead."""
    check_directory(path.parent)
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)
    listener.listen(128)
    return listener


async def _run(config: Config, listener: socket.socket, path: Path, zygote: Zygote) -> None:
    tier = open_tier(config)
    index = open_index(tier, path.parent)
    pool = ProcessPool(zygote, worker_count(config), ModelHost(config))
    daemon = Daemon(Service(config, tier, index, pool, open_team(config, tier)), config.number("idle"), path.parent)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, daemon.ended.set)
    inode = path.stat().st_ino
    server = await asyncio.start_unix_server(daemon.serve_connection, sock=listener, limit=1 << 20)
    watcher = asyncio.create_task(daemon.watch())
    await daemon.ended.wait()
    with contextlib.suppress(OSError):
        if path.stat().st_ino == inode:
            path.unlink()
    if tier is not None and sources_state() != daemon.sources:
        sources_digest.cache_clear()
        tier.publish()  # what the old package made is looked at again
    server.close()
    await watcher
    await daemon.service.behind.close()
    await daemon.service.drain()
    if tier is not None:
        tier.collect()
    pool.close()
    index.close()


def serve(config: Config, path: Path, ready_fd: int) -> None:
    """The daemon. `ready_fd` gets one byte once programs can connect; -1: nobody waits."""
    zygote = Zygote(config, (ready_fd,))
    listener = bind(path)
    if ready_fd >= 0:
        os.write(ready_fd, b"r")
        os.close(ready_fd)
    log.info("listening on %s", path)
    asyncio.run(_run(config, listener, path, zygote))


async def _run_inline(config: Config, connection: socket.socket) -> None:
    tier = open_tier(config)
    daemon = Daemon(Service(config, tier, Index(None), InProcess(config), open_team(config, tier)), 1e9)
    reader, writer = await asyncio.open_unix_connection(sock=connection, limit=1 << 20)
    await daemon.serve_connection(reader, writer)
    await daemon.service.drain()


def serve_inline(config: Config, connection: socket.socket) -> None:
    """A private translator on one connection; ends with it."""
    asyncio.run(_run_inline(config, connection))


def refuse(connection: socket.socket, why: str) -> None:
    """Answer the first frame with what keeps this translator from working, such as a setting that cannot be read, so
    that the program says it."""
    receive_frame(connection, REQUEST_LIMIT)
    connection.sendall(frame(FrameKind.REPLY, Reply(Status.FAILED, why.encode(), int(CudaError.UNKNOWN)).pack()))
