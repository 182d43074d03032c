"""A cache server in bazel-remote's layout, and candidates to store.

The server is a stand-in written from bazel-remote's documented behaviour: GET and PUT of /ac/<64 hex> and
/cas/<64 hex>, 200 on both, 404 when missing, 400 for an object that is not what its name says; what stands before
/ac/ and /cas/ (an instance name) is ignored.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class CacheServer:
    """`objects` by path. `behaviour`: "", "down", "slow", "drip", "garbage" or "endless"."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.behaviour = ""
        self.requests: list[tuple[str, str]] = []
        self.authorization = ""
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.requests.append(("GET", self.path))
                self.path = "/" + "/".join(self.path.rsplit("/", 2)[-2:])
                if owner.misbehave(self):
                    return
                content = owner.objects.get(self.path)
                self.send_response(200 if content is not None else 404)
                self.send_header("Content-Length", str(len(content or b"")))
                self.end_headers()
                self.wfile.write(content or b"")

            def do_PUT(self) -> None:
                owner.requests.append(("PUT", self.path))
                self.path = "/" + "/".join(self.path.rsplit("/", 2)[-2:])
                content = self.rfile.read(int(self.headers["Content-Length"]))
                owner.authorization = self.headers.get("Authorization", "")
                kind, name = self.path.rsplit("/", 2)[-2:]
                good = kind == "ac" or hashlib.sha256(content).hexdigest() == name
                if good:
                    owner.objects[self.path] = content
                self.send_response(200 if good else 400)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def misbehave(self, request: BaseHTTPRequestHandler) -> bool:
        """What a broken server does instead of an answer."""
        if self.behaviour == "slow":
            time.sleep(10)
        elif self.behaviour == "drip":
            request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            for _ in range(100):
                request.wfile.write(b"x")
                time.sleep(0.1)
        elif self.behaviour == "garbage":
            request.wfile.write(b"\xff\xfe not http at all\r\n\r\n")
        elif self.behaviour == "endless":
            request.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            for _ in range(3000):
                request.wfile.write(b"x" * 100_000)
        else:
            return False
        return True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def server() -> Iterator[CacheServer]:
    one = CacheServer()
    yield one
    one.server.shutdown()
    one.server.server_close()
