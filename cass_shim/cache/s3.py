"""An object store in an S3 bucket: `<prefix>/cas/<sha256>` and `<prefix>/ac/<key>`; heads change by If-Match.

In: `s3://bucket[/prefix][?endpoint=URL&region=NAME&anonymous=1]`; credentials come from the `AWS_*` variables or the
machine's role, never from the URL. The server must know conditional writes (If-Match, If-None-Match on PUT).
"""

from __future__ import annotations

import contextlib
import importlib
import os
import random
import time
import urllib.parse
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from cass_shim.cache.remote import HEAD_LIMIT, WRITE_TIMEOUT_S, Change, without_secrets
from cass_shim.cache.url import url_options
from cass_shim.model.config import BadSetting
from cass_shim.model.errors import CassError

ATTEMPTS = 16  # of a head's change against other writers
EXPECTED = "s3://bucket[/prefix][?endpoint=URL&region=NAME&anonymous=1]"
OPTIONS = {"endpoint", "region", "anonymous"}


def _library() -> Any:
    try:
        return importlib.import_module("obstore")
    except ImportError as error:
        raise CassError("CASS_REMOTES names a bucket: install S3 with `pip install 'cass-shim[team]'`") from error


def _pem(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise BadSetting("SSL_CERT_FILE", path, f"a PEM file ({error.strerror})") from error


class S3Store:
    """`timeout_s`: of one request that a program waits for. `folder`: a part of the prefix of our own."""

    def __init__(self, url: str, timeout_s: float, folder: str = "") -> None:
        parts = urllib.parse.urlsplit(url)
        options = url_options(url, OPTIONS, EXPECTED)
        if not parts.netloc or "@" in parts.netloc:
            raise BadSetting("CASS_REMOTES", without_secrets(url), EXPECTED)
        self.library, self.place = _library(), parts.netloc
        self.errors = importlib.import_module("obstore.exceptions")
        prefix = "/".join(one for one in (parts.path.strip("/"), folder) if one)
        settings: dict[str, Any] = {"bucket": parts.netloc, "prefix": prefix or None}
        if "endpoint" in options:
            settings["endpoint"] = options["endpoint"]
        settings["region"] = options.get("region", "us-east-1")
        if options.get("anonymous") == "1":
            settings["skip_signature"] = True
        self.reader, self.writer = (self._open(settings, one) for one in (timeout_s, WRITE_TIMEOUT_S))

    def _open(self, settings: dict[str, Any], timeout_s: float) -> Any:
        limit, connecting = timedelta(seconds=timeout_s), timedelta(seconds=min(timeout_s, 1.0))
        client: dict[str, Any] = {
            "timeout": limit,
            "connect_timeout": connecting,
            "allow_http": str(settings.get("endpoint", "")).startswith("http://"),
        }
        if authorities := os.environ.get("SSL_CERT_FILE"):  # the library looks at the system's only
            client["root_certificate"] = _pem(authorities)
        store = importlib.import_module("obstore.store").S3Store
        with self._named():
            return store(**settings, client_options=client, retry_config={"max_retries": 0, "retry_timeout": limit})

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """The library's errors as OSError, without the request's text."""
        try:
            yield
        except self.errors.BaseError as error:
            raise OSError(f"bucket {self.place}: {str(error).splitlines()[0][:300]}") from error

    def _read(self, store: Any, name: str, limit: int) -> tuple[bytes, str] | None:
        """(bytes, entity tag), or None when there is no such object."""
        try:
            with self._named():
                found = self.library.get(store, name)
                if found.meta["size"] > limit:
                    raise ValueError(f"{name} is longer than {limit} bytes")
                return bytes(found.bytes()), str(found.meta["e_tag"])
        except FileNotFoundError:
            return None

    def read_object(self, digest: str, limit: int) -> bytes | None:
        found = self._read(self.reader, f"cas/{digest}", limit)
        return None if found is None else found[0]

    def write_object(self, digest: str, content: bytes) -> None:
        with self._named():
            self.library.put(self.writer, f"cas/{digest}", content, use_multipart=False)

    def read_head(self, key: str, limit: int) -> bytes | None:
        found = self._read(self.reader, f"ac/{key}", limit)
        return None if found is None else found[0]

    def change_head(self, key: str, change: Change) -> None:
        """If-Match the head that was read (If-None-Match where there was none), until nobody else was faster."""
        for attempt in range(ATTEMPTS):
            found = self._read(self.writer, f"ac/{key}", HEAD_LIMIT)
            changed = change(None if found is None else found[0])
            if changed is None:
                return
            try:
                with self._named():
                    self._put_if(f"ac/{key}", changed, None if found is None else found[1])
                return
            except OSError as error:
                lost = (self.errors.PreconditionError, self.errors.AlreadyExistsError)
                if not isinstance(error.__cause__, lost):
                    raise
            time.sleep(random.uniform(0, 0.02 * (attempt + 1)))
        raise TimeoutError(f"bucket {self.place}: other writers changed the head of {key} {ATTEMPTS} times")

    def _put_if(self, name: str, content: bytes, tag: str | None) -> None:
        mode = "create" if tag is None else {"e_tag": tag}
        self.library.put(self.writer, name, content, mode=mode, use_multipart=False)

    # ---- to collect what nobody needs (retention.Walkable) --------------------------------------------------

    def names(self, kind: str) -> Iterator[str]:
        with self._named():
            for page in self.library.list(self.writer, prefix=f"{kind}/"):
                for one in page:
                    yield str(one["path"]).rpartition("/")[2]

    def changed(self, digest: str) -> tuple[float, int] | None:
        try:
            with self._named():
                found = self.library.head(self.writer, f"cas/{digest}")
        except FileNotFoundError:
            return None
        return found["last_modified"].timestamp(), int(found["size"])

    def remove_object(self, digest: str) -> None:
        with self._named():
            self.library.delete(self.writer, f"cas/{digest}")

    def remove_unfinished(self, before: float, *, is_dry: bool) -> tuple[int, int]:
        """Nothing: a PUT is there as a whole or not at all."""
        return 0, 0
