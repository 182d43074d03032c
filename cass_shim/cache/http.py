"""An object store on an HTTP server in bazel-remote's layout: `/cas/<sha256>` and `/ac/<key>`, GET and PUT.

In: a URL, `http[s]://[user:password@]host[:port][/prefix][?cert=FILE]`. Every request has one deadline for all of it,
so that neither a server that is down nor one that sends a byte a second costs more. bazel-remote needs
`--disable_http_ac_validation`, since heads are not Bazel's ActionResults.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.client
import ssl
import threading
import time
import urllib.parse

from cass_shim.cache.remote import HEAD_LIMIT, WRITE_TIMEOUT_S, Change, without_secrets
from cass_shim.cache.url import client_certificate, client_context, url_options
from cass_shim.model.config import BadSetting

MISSING = (404, 410)
PIECE = 1 << 16
IDLE_S = 3.0  # a hit is three requests in a row; a connection older than that may be dead
KEPT_LIMIT = 4
# What a connection says that the server closed meanwhile.
CLOSED = (ConnectionError, http.client.BadStatusLine, ssl.SSLError)
HEADS_HINT = " (bazel-remote takes heads with --disable_http_ac_validation only)"
EXPECTED = "http[s]://[user:password@]host[:port][/prefix][?cert=FILE], or a directory"


def _leave(connection: http.client.HTTPConnection, until: float) -> None:
    """Give a connection the time that is left; a new one gets it when it connects."""
    if connection.sock is not None:
        connection.sock.settimeout(max(0.01, until - time.monotonic()))


class HttpStore:
    """Connections are kept for the requests of one hit, since each costs a round trip or three."""

    def __init__(self, url: str, timeout_s: float, folder: str = "") -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadSetting("CASS_REMOTES", without_secrets(url), EXPECTED)
        options = url_options(url, {"cert"} if parts.scheme == "https" else set(), EXPECTED)
        certificate = client_certificate(options.get("cert", ""), url)
        self.context = client_context(certificate) if parts.scheme == "https" else None
        self.host, self.port = parts.hostname, parts.port
        self.prefix, self.timeout_s = parts.path.rstrip("/") + (f"/{folder}" if folder else ""), timeout_s
        self.folder = folder
        self.kept: list[tuple[float, http.client.HTTPConnection]] = []
        self.lock = threading.Lock()
        self.headers = {"User-Agent": "cass-shim"}
        if parts.username is not None:
            pair = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
            self.headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()

    def _connect(self, timeout_s: float) -> http.client.HTTPConnection:
        if self.context is None:
            return http.client.HTTPConnection(self.host, self.port, timeout=timeout_s)
        return http.client.HTTPSConnection(self.host, self.port, timeout=timeout_s, context=self.context)

    def _take(self) -> http.client.HTTPConnection | None:
        """A connection that was used a moment ago; older ones are closed."""
        with self.lock:
            kept, self.kept = self.kept, []
            fresh = [one for one in kept if time.monotonic() - one[0] < IDLE_S]
            self.kept = fresh[:-1]
        for one in kept:
            if one not in fresh:
                one[1].close()
        return fresh[-1][1] if fresh else None

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self.lock:
            if len(self.kept) < KEPT_LIMIT:
                self.kept.append((time.monotonic(), connection))
                return
        connection.close()

    def _request(self, method: str, path: str, body: bytes | None, limit: int, timeout_s: float) -> tuple[int, bytes]:
        """(status, body); OSError beyond the deadline, ValueError beyond `limit` bytes or for broken HTTP."""
        until = time.monotonic() + timeout_s
        kept = self._take()
        try:
            if kept is not None:
                with contextlib.suppress(*CLOSED):
                    return self._exchange(kept, method, path, body, limit, until)
            return self._exchange(self._connect(timeout_s), method, path, body, limit, until)
        except http.client.HTTPException as error:
            raise ValueError(f"{self.host} does not speak HTTP: {error!r}") from error

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        body: bytes | None,
        limit: int,
        until: float,
    ) -> tuple[int, bytes]:
        """One request on a connection, which is closed unless it can be used again."""
        is_sound = False
        try:
            _leave(connection, until)
            connection.request(method, self.prefix + path, body, self.headers)
            _leave(connection, until)
            response = connection.getresponse()
            content = self._body(response, path, limit, until)
            is_sound = not response.will_close and response.length in (0, None)
            if is_sound:
                response.read()  # lets go of the connection
            return response.status, content
        finally:
            if is_sound:
                self._keep(connection)
            else:
                connection.close()

    def _body(self, response: http.client.HTTPResponse, path: str, limit: int, until: float) -> bytes:
        """The whole body, or nothing of an error's page, which may be of any length."""
        is_error, content = response.status >= 300, bytearray()
        while piece := response.read1(PIECE):
            content += piece
            if is_error and len(content) > PIECE:
                break
            if len(content) > limit and not is_error:
                raise ValueError(f"{path} is longer than {limit} bytes")
            if time.monotonic() > until:
                raise TimeoutError(f"{self.host} did not answer in time")
        return b"" if is_error else bytes(content)

    def _get(self, path: str, limit: int, timeout_s: float) -> bytes | None:
        status, content = self._request("GET", path, None, limit, timeout_s)
        if status in MISSING:
            return None
        if status != 200:
            raise OSError(f"{self.host} answers {status} to GET {path}")
        return content

    def _put(self, path: str, content: bytes) -> None:
        status, _ = self._request("PUT", path, content, PIECE, WRITE_TIMEOUT_S)
        if status not in (200, 201, 204):
            hint = HEADS_HINT if status == 400 and path.startswith("/ac/") else ""
            raise OSError(f"{self.host} answers {status} to PUT {path}{hint}")

    def read_object(self, digest: str, limit: int) -> bytes | None:
        return self._get(f"/cas/{digest}", limit, self.timeout_s)

    def write_object(self, digest: str, content: bytes) -> None:
        self._put(f"/cas/{digest}", content)

    def read_head(self, key: str, limit: int) -> bytes | None:
        return self._get(self._head(key), limit, self.timeout_s)

    def _head(self, key: str) -> str:
        """A part of our own has names of its own too, since bazel-remote ignores what stands before `/ac/`."""
        return f"/ac/{hashlib.sha256(f'{self.folder} {key}'.encode()).hexdigest() if self.folder else key}"

    def change_head(self, key: str, change: Change) -> None:
        """GET, then PUT: plain HTTP has no lock, so one writer (CI) is the rule; a lost race loses a listing only.

        A head that cannot be read is an error and stays: what it lists must not be written over.
        """
        changed = change(self._get(self._head(key), HEAD_LIMIT, WRITE_TIMEOUT_S))
        if changed is not None:
            self._put(self._head(key), changed)
