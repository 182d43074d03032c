"""One process holds the models for all workers of a daemon: a checkpoint is loaded once, and requests share batches.

`python -m cass_shim.translate.cass.host --socket PATH --idle SECONDS`, started by the daemon when a kernel is to be
asked of a model. In: a line of JSON a request. Out: a line of JSON an answer. It ends, and its models with it, when
nobody has asked for a while.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import socket
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cass_shim.model.errors import CassError, ToolFailed, Unsupported
from cass_shim.translate.cass.models import Answer, Decoding, Doubt, opened_here
from cass_shim.translate.cass.prompt import Message

log = logging.getLogger(__name__)

CONNECT_S = 20.0  # for the host to come up
LOOK_S = 0.5
MAX_LINE = 64 << 20


class Host:
    """The listening side. idle_s: without a request, after which it ends."""

    def __init__(self, path: Path, idle_s: float) -> None:
        self.idle_s, self.busy, self.last = idle_s, 0, time.monotonic()
        self.count = threading.Lock()
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        self.server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        mask = os.umask(0o177)
        try:
            self.server.bind(str(path))
        finally:
            os.umask(mask)
        self.server.listen(64)
        self.server.settimeout(LOOK_S)

    def serve(self) -> None:
        """Until nobody has asked for `idle_s`."""
        while True:
            try:
                connection, _ = self.server.accept()
            except TimeoutError:
                if not self.busy and time.monotonic() - self.last > self.idle_s:
                    return
                continue
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with self.count:
            self.busy += 1
        try:
            with connection, connection.makefile("rwb") as lines:
                while line := lines.readline(MAX_LINE):
                    lines.write(json.dumps(answer(line)).encode() + b"\n")
                    lines.flush()
        except OSError:
            pass  # the worker ended
        finally:
            with self.count:
                self.busy, self.last = self.busy - 1, time.monotonic()


def answer(line: bytes) -> dict[str, Any]:
    """The reply to one request; every failure is one too."""
    try:
        asked = json.loads(line)
        model = opened_here(str(asked["name"]))
        if asked["what"] == "describe":
            return {"identity": model.identity, "window": model.window, "contract": getattr(model, "contract", "")}
        if asked["what"] == "count":
            return {"tokens": model.count_tokens(asked["text"])}
        messages = tuple(Message(**one) for one in asked["messages"])
        given = asked["decoding"]
        decoding = Decoding(**{**given, "prefixes": tuple(tuple(one) for one in given["prefixes"])})
        return {"answers": [asdict(one) for one in model.generate(messages, decoding)]}
    except Unsupported as error:
        return {"unsupported": error.feature, "why": error.why}
    except CassError as error:
        return {"failed": getattr(error, "stderr", "") or str(error)}
    except Exception as error:  # a bug must not leave the worker waiting
        log.exception("request failed")
        return {"failed": f"{type(error).__name__}: {error}"}


class SharedModel:
    """A model that another process holds. Raises ToolFailed where nobody answers."""

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name = path, name
        told = self._ask({"what": "describe"}, CONNECT_S)
        self.identity, self.window = str(told["identity"]), int(told["window"])
        if told["contract"]:
            self.contract = str(told["contract"])

    def generate(self, messages: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        """As the model itself; a batch with others may take a little longer than alone."""
        asked = {"what": "generate", "messages": [asdict(one) for one in messages], "decoding": asdict(decoding)}
        told = self._ask(asked, decoding.timeout_s + CONNECT_S)
        return [_read(one) for one in told["answers"]]

    def count_tokens(self, text: str) -> int:
        return int(self._ask({"what": "count", "text": text}, CONNECT_S)["tokens"])

    def _ask(self, asked: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        until = time.monotonic() + CONNECT_S
        while True:
            try:
                with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                    connection.settimeout(timeout_s)
                    connection.connect(str(self.path))
                    with connection.makefile("rwb") as lines:
                        lines.write(json.dumps({"name": self.name, **asked}).encode() + b"\n")
                        lines.flush()
                        told = json.loads(lines.readline(MAX_LINE))
                break
            except (FileNotFoundError, ConnectionRefusedError) as error:  # it is coming up
                if time.monotonic() > until:
                    raise ToolFailed("model host", command=str(self.path), stderr=str(error)) from error
                time.sleep(0.05)
            except (OSError, ValueError) as error:
                raise ToolFailed("model host", command=str(self.path), stderr=str(error) or "no answer") from error
        if "unsupported" in told:
            raise Unsupported(told["unsupported"], why=told["why"])
        if "failed" in told:
            raise ToolFailed("model host", command=self.name, stderr=str(told["failed"]))
        assert isinstance(told, dict)
        return told


def _read(one: dict[str, Any]) -> Answer:
    doubts = tuple(Doubt(**each) for each in one["doubts"])
    return Answer(**{**one, "ids": tuple(one["ids"]), "doubts": doubts})


def main() -> None:
    """Serve until idle."""
    parser = argparse.ArgumentParser(prog="cass_shim.translate.cass.host", description=__doc__)
    parser.add_argument("--socket", type=Path, required=True)
    parser.add_argument("--idle", type=float, required=True)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    Host(options.socket, options.idle).serve()
    with contextlib.suppress(FileNotFoundError):
        options.socket.unlink()


if __name__ == "__main__":
    main()
