"""Where the daemon listens, and a plain client to talk to it from Python.

In: the configuration. Out: the socket's path, and replies. C computes the same paths (client/settings.c).
"""

from __future__ import annotations

import os
import socket
import stat
import struct
from pathlib import Path

import cass_shim
from cass_shim.cache.local import cache_root
from cass_shim.model.config import RUNTIME_PATH_LIMIT, Config, daemon_name
from cass_shim.model.errors import Malformed
from cass_shim.model.wire import FRAME, REPLY_LIMIT, FrameKind, Reply, frame, read_frame_head

PACKAGE_ROOT = Path(cass_shim.__file__).resolve().parent.parent


def runtime_directory(config: Config) -> Path:
    """The directory of the socket: CASS_RUNTIME_DIR, `$XDG_RUNTIME_DIR/cass`, or `/tmp/cass-<uid>`."""
    if config.runtime_dir.startswith("/"):
        if len(os.fsencode(config.runtime_dir)) >= RUNTIME_PATH_LIMIT:
            raise Malformed(f"longer than {RUNTIME_PATH_LIMIT - 1} bytes", where="CASS_RUNTIME_DIR")
        return Path(config.runtime_dir)
    base = os.environ.get("XDG_RUNTIME_DIR", "")
    fits = len(os.fsencode(base)) + len("/cass") < RUNTIME_PATH_LIMIT
    if base.startswith("/") and fits and os.access(base, os.W_OK | os.X_OK):
        return Path(base) / "cass"
    return Path(f"/tmp/cass-{os.geteuid()}")


def check_directory(path: Path) -> None:
    """Create the socket's directory; OSError unless it is ours alone and can be written."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise PermissionError(f"{path} is not a directory of yours with mode 0700")
    if not os.access(path, os.W_OK | os.X_OK):
        raise PermissionError(f"{path} cannot be written")


def socket_path(config: Config) -> Path:
    """The socket of this user's daemon for these settings and this package."""
    return runtime_directory(config) / daemon_name(config, str(PACKAGE_ROOT), str(cache_root(config) or ""))


def peer_uid(connection: socket.socket) -> int:
    """The user on the other end of a Unix socket."""
    size = struct.calcsize("iII")
    _, uid, _ = struct.unpack("iII", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return int(uid)


def receive(connection: socket.socket, size: int) -> bytes:
    """Exactly `size` bytes; ConnectionError when the other end closes first."""
    content = bytearray()
    while len(content) < size:
        piece = connection.recv(min(size - len(content), 1 << 20))
        if not piece:
            raise ConnectionError("the connection ended early")
        content += piece
    return bytes(content)


def receive_frame(connection: socket.socket, limit: int) -> tuple[int, FrameKind, bytes]:
    """(version, kind, payload) of the next frame."""
    version, kind, size = read_frame_head(receive(connection, FRAME.size), limit)
    return version, kind, receive(connection, size)


class Client:
    """A connection to a daemon, for the command line and for tests. Raises OSError when there is none."""

    def __init__(self, path: Path, timeout_s: float = 120.0) -> None:
        self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.connection.settimeout(timeout_s)
        try:
            self.connection.connect(str(path))
            if peer_uid(self.connection) != os.geteuid():
                raise PermissionError(f"{path} is served by another user")
        except OSError:
            self.connection.close()
            raise

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def ask(self, kind: FrameKind, payload: bytes = b"") -> Reply:
        """One request and its reply."""
        self.connection.sendall(frame(kind, payload))
        _, answer, content = receive_frame(self.connection, REPLY_LIMIT)
        if answer is not FrameKind.REPLY:
            raise Malformed(f"a {answer.name} frame instead of a reply", where="daemon")
        return Reply.unpack(content)
