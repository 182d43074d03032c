"""An object store on an HTTP server in bazel-remote's layout: `/cas/<sha256>` and `/ac/<key>`, GET and PUT.

In: a URL, `http[s]://[user:password@]host[:port][/prefix]`. Every request has one deadline for all of it, so that
neither a server that is down nor one that sends a byte a second costs more. bazel-remote needs
`--disable_http_ac_validation`, since heads are not Bazel's ActionResults.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import time
import urllib.parse

from cass_shim.cache.remote import HEAD_LIMIT, WRITE_TIMEOUT_S, Change, without_secrets
from cass_shim.model.config import BadSetting

MISSING = (404, 410)
PIECE = 1 << 16


class HttpStore:
    """A connection is made for each request: the daemon asks rarely, and a dead one must not linger."""

    def __init__(self, url: str, timeout_s: float, folder: str = "") -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadSetting("CASS_REMOTES", without_secrets(url), "an http:// or https:// URL, or a directory")
        self.secure, self.host, self.port = parts.scheme == "https", parts.hostname, parts.port
        self.prefix, self.timeout_s = parts.path.rstrip("/") + (f"/{folder}" if folder else ""), timeout_s
        self.folder = folder
        self.headers = {"User-Agent": "cass-shim"}
        if parts.username is not None:
            pair = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
            self.headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()

    def _request(self, method: str, path: str, body: bytes | None, limit: int, timeout_s: float) -> tuple[int, bytes]:
        """(status, body); OSError beyond the deadline, ValueError beyond `limit` bytes or for broken HTTP."""
        until = time.monotonic() + timeout_s
        kind = http.client.HTTPSConnection if self.secure else http.client.HTTPConnection
        connection = kind(self.host, self.port, timeout=timeout_s)
        try:
            connection.request(method, self.prefix + path, body, self.headers)
            if connection.sock is not None:
                connection.sock.settimeout(max(0.01, until - time.monotonic()))
            response = connection.getresponse()
            if response.status >= 300:
                return response.status, b""  # an error's page may be of any length
            content = bytearray()
            while piece := response.read1(PIECE):
                content += piece
                if len(content) > limit:
                    raise ValueError(f"{path} is longer than {limit} bytes")
                if time.monotonic() > until:
                    raise TimeoutError(f"{self.host} took longer than {timeout_s:g} s")
            return response.status, bytes(content)
        except http.client.HTTPException as error:
            raise ValueError(f"{self.host} does not speak HTTP: {error!r}") from error
        finally:
            connection.close()

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
            raise OSError(f"{self.host} answers {status} to PUT {path}")

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
