"""bazel-remote's HTTP contract as a table, and a server that keeps it: for machines without the real one.

The rows are facts read off bazel-remote's own source (server/http.go and cache/disk at commit aed2955) and its
README; `test_bazel_remote.py` holds this server against them, and the real one where it is installed.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAME = re.compile(r"/?(?:.*/)?(ac|cas)/([a-f0-9]{64})")
BLOB, EMPTY = b"a blob", hashlib.sha256(b"").hexdigest()
DIGEST, OTHER = hashlib.sha256(BLOB).hexdigest(), "0" * 64


@dataclass(frozen=True)
class Row:
    """One exchange, after those before it: what is asked and what is answered."""

    method: str
    path: str
    status: int
    body: bytes | None = None
    answer: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)


# With --disable_http_ac_validation.
CONTRACT = (
    Row("GET", f"/cas/{DIGEST}", 404),
    Row("HEAD", f"/cas/{DIGEST}", 404),
    Row("PUT", f"/cas/{DIGEST}", 200, BLOB),
    Row("PUT", f"/cas/{DIGEST}", 200, BLOB),
    Row("GET", f"/cas/{DIGEST}", 200, answer=BLOB),
    Row("HEAD", f"/cas/{DIGEST}", 200),
    Row("GET", f"/instance/of/any/name/cas/{DIGEST}", 200, answer=BLOB),
    Row("PUT", f"/cas/{OTHER}", 400, b""),
    Row("GET", f"/cas/{EMPTY}", 200, answer=b""),
    Row("GET", f"/ac/{OTHER}", 404),
    Row("PUT", f"/ac/{OTHER}", 200, b'["a head is any text"]'),
    Row("GET", f"/ac/{OTHER}", 200, answer=b'["a head is any text"]'),
    Row("PUT", f"/ac/{OTHER}", 200, b"another takes its place"),
    Row("GET", f"/instance/ac/{OTHER}", 200, answer=b"another takes its place"),
    Row("GET", f"/cas/{DIGEST.upper()}", 400),
    Row("GET", f"/cas/{DIGEST[1:]}", 400),
    Row("GET", f"/else/{DIGEST}", 400),
    Row("PUT", f"/cas/{DIGEST}", 400, BLOB, headers={"Content-Encoding": "br"}),
    Row("DELETE", f"/cas/{DIGEST}", 405),
    Row("POST", f"/ac/{OTHER}", 405, b"x"),
)
# Uncompressed storage did not check before pull request 826 of 2025, so no client may rely on it.
CHECKED = Row("PUT", f"/cas/{'1' * 64}", 400, BLOB)
# Without the flag a head must be one of Bazel's ActionResults (a protocol buffer, never empty).
VALIDATING = (Row("PUT", f"/ac/{OTHER}", 400, b'["not one"]'), Row("GET", f"/ac/{OTHER}", 404))


class CacheServer:
    """`objects` by path. `behaviour`: "", "down", "slow", "drip", "garbage" or "endless".

    validates: as without --disable_http_ac_validation. full: as on a full disk.
    """

    def __init__(self, *, validates: bool = False) -> None:
        self.objects: dict[str, bytes] = {f"/cas/{EMPTY}": b""}
        self.behaviour, self.validates, self.full = "", validates, False
        self.requests: list[tuple[str, str]] = []
        self.connections = 0
        self.authorization = ""
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"owner": self}))
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def stored(self) -> set[str]:
        """The paths of what was put here."""
        return set(self.objects) - {f"/cas/{EMPTY}"}

    def put(self, kind: str, name: str, content: bytes) -> int:
        """The status of a PUT."""
        if self.full:
            return 507
        if kind == "cas" and hashlib.sha256(content).hexdigest() != name:
            return 400
        if kind == "ac" and self.validates:
            return 400  # whatever we write is none of Bazel's
        self.objects[f"/{kind}/{name}"] = content
        return 200


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    owner: CacheServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self.owner.connections += 1

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # the client had enough
            super().handle()

    def parse_request(self) -> bool:
        if not super().parse_request():
            return False
        self.owner.requests.append((self.command, self.path))
        self.owner.authorization = self.headers.get("Authorization", self.owner.authorization)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.owner.behaviour:
            misbehave(self)
            self.close_connection = True
            return False
        self.respond(*self.answer(body))
        return False

    def answer(self, body: bytes) -> tuple[int, bytes]:
        """(status, body) by the contract."""
        match = NAME.fullmatch(self.path)
        if match is None:
            return 400, b"resource name must be a SHA256 hash in hex\n"
        kind, name = match.groups()
        content = self.owner.objects.get(f"/{kind}/{name}")
        if self.command in ("GET", "HEAD"):
            return (404, b"Not found\n") if content is None else (200, content)
        if self.command != "PUT":
            return 405, b"Method not supported.\n"
        if self.headers.get("Content-Encoding", "identity") not in ("identity", "zstd"):
            return 400, b"Unsupported content-encoding\n"
        return self.owner.put(kind, name, body), b""

    def respond(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


def misbehave(request: Handler) -> None:
    """What a broken server does instead of an answer."""
    behaviour = request.owner.behaviour
    if behaviour == "slow":
        time.sleep(10)
    elif behaviour == "drip":
        request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(100):
            request.wfile.write(b"x")
            time.sleep(0.1)
    elif behaviour == "garbage":
        request.wfile.write(b"\xff\xfe not http at all\r\n\r\n")
    elif behaviour == "endless":
        request.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(3000):
            request.wfile.write(b"x" * 100_000)
