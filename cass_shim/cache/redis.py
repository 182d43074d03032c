"""An object store on Redis or Valkey: `<prefix>:cas:<sha256>` and `<prefix>:ac:<key>`, values as they are.

In: `redis[s]://[user:password@]host[:port][/database][?prefix=NAME&cert=FILE]` (also `valkey[s]://`). Heads change by a
script that compares first. Such a server may forget anything at any time (run it with a memory limit and allkeys-lru):
it is a near tier, not where a team keeps the only copy.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import urllib.parse
from collections.abc import Iterator
from typing import Any

from cass_shim.cache.remote import HEAD_LIMIT, WRITE_TIMEOUT_S, Change, without_secrets
from cass_shim.cache.url import client_certificate, url_options
from cass_shim.model.config import BadSetting
from cass_shim.model.errors import CassError

ATTEMPTS = 16  # of a head's change against other writers
PREFIX = re.compile(r"[A-Za-z0-9._-]{1,60}")
EXPECTED = "redis[s]://[user:password@]host[:port][/database][?prefix=NAME&cert=FILE]"

# A head longer than the limit is somebody's garbage and counts as empty. Returns 1 when the change was made.
COMPARE_AND_SET = """
local now = redis.call('GET', KEYS[1]) or ''
if #now > tonumber(ARGV[3]) then now = '' end
if now ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
"""


def _library() -> Any:
    try:
        return importlib.import_module("redis")
    except ImportError as error:
        raise CassError("CASS_REMOTES names a Redis server: install it with `pip install 'cass-shim[team]'`") from error


class RedisStore:
    """`timeout_s`: of one command that a program waits for. `folder`: a part of the prefix of our own."""

    def __init__(self, url: str, timeout_s: float, folder: str = "") -> None:
        parts = urllib.parse.urlsplit(re.sub(r"^valkey", "redis", url))
        options = url_options(url, {"prefix", "cert"} if parts.scheme == "rediss" else {"prefix"}, EXPECTED)
        prefix, certificate = options.get("prefix", "cass"), client_certificate(options.get("cert", ""), url)
        try:
            number, database = parts.port or 6379, int(parts.path.strip("/") or 0)
        except ValueError as error:
            raise BadSetting("CASS_REMOTES", without_secrets(url), EXPECTED) from error
        if not parts.hostname or not PREFIX.fullmatch(prefix):
            raise BadSetting("CASS_REMOTES", without_secrets(url), EXPECTED)
        self.redis, self.prefix = _library(), prefix + (f":{folder}" if folder else "")
        user, password = (urllib.parse.unquote(one) if one else None for one in (parts.username, parts.password))
        self.place = f"{parts.hostname}:{number}"
        self.settings: dict[str, Any] = {
            "host": parts.hostname, "port": number, "db": database, "username": user, "password": password,
            "ssl": parts.scheme == "rediss",
        }  # fmt: skip
        if certificate:
            self.settings |= {"ssl_certfile": certificate, "ssl_keyfile": certificate}
        self.reader, self.writer = self._client(timeout_s), self._client(WRITE_TIMEOUT_S)

    def _client(self, timeout_s: float) -> Any:
        """A pool of connections, made when they are needed. One attempt: the caller is the one who decides."""
        retry = importlib.import_module("redis.retry").Retry(importlib.import_module("redis.backoff").NoBackoff(), 0)
        return self.redis.Redis(
            **self.settings, socket_timeout=timeout_s, socket_connect_timeout=min(timeout_s, 1.0), retry=retry
        )

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """The library's errors as OSError."""
        try:
            yield
        except self.redis.RedisError as error:
            raise OSError(f"{self.place}: {error or type(error).__name__}") from error

    def _read(self, client: Any, name: str, limit: int) -> bytes | None:
        """GETRANGE, so that no more than the limit travels. Nothing that is stored is empty."""
        with self._named():
            content = client.getrange(f"{self.prefix}:{name}", 0, limit)
        if len(content) > limit:
            raise ValueError(f"{name} is longer than {limit} bytes")
        return bytes(content) or None

    def read_object(self, digest: str, limit: int) -> bytes | None:
        return self._read(self.reader, f"cas:{digest}", limit)

    def write_object(self, digest: str, content: bytes) -> None:
        with self._named():
            self.writer.set(f"{self.prefix}:cas:{digest}", content)

    def read_head(self, key: str, limit: int) -> bytes | None:
        return self._read(self.reader, f"ac:{key}", limit)

    def change_head(self, key: str, change: Change) -> None:
        """Compare and set, until nobody else was faster."""
        for _ in range(ATTEMPTS):
            try:
                head = self._read(self.writer, f"ac:{key}", HEAD_LIMIT)
            except ValueError:
                head = b""
            changed = change(head)
            if changed is None:
                return
            with self._named():
                done = self.writer.eval(
                    COMPARE_AND_SET, 1, f"{self.prefix}:ac:{key}", head or b"", changed, str(HEAD_LIMIT)
                )
            if done:
                return
        raise TimeoutError(f"{self.place}: other writers changed the head of {key} {ATTEMPTS} times")
