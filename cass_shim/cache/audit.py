"""The audit log: what was taken in, given out and refused, one JSON object a line, in the cache directory.

In: the cache directory and facts. Out: `audit.jsonl`; when it is full it becomes `audit.jsonl.1`. A log that cannot
be written costs one line on the program's log, never the answer.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path

from cass_shim.cache.files import is_ours, make_directory, read_file

log = logging.getLogger(__name__)

AUDIT_FILE = "audit.jsonl"
AUDIT_LIMIT = 8 << 20  # bytes of one file
TEXT_LIMIT = 500  # characters of one fact, so that a line stays one write


class Audit:
    """Appends events to one cache directory's log; several processes may do so at once."""

    def __init__(self, root: Path) -> None:
        self.path = root / AUDIT_FILE

    def add(self, event: str, **facts: str | int) -> None:
        """One line: the time, the event, this process, and the facts. Never raises for trouble with the file."""
        row: dict[str, object] = {
            "time": round(time.time(), 3),
            "event": event,
            "pid": os.getpid(),
            "uid": os.geteuid(),
        }
        row |= {name: one[:TEXT_LIMIT] if isinstance(one, str) else one for name, one in facts.items()}
        try:
            self._append(json.dumps(row).encode() + b"\n")
        except OSError as error:
            log.warning("audit log %s: %s", self.path, error)

    def _append(self, line: bytes) -> None:
        make_directory(self.path.parent)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        descriptor = os.open(self.path, flags, 0o600)
        try:
            status = os.fstat(descriptor)
            if not is_ours(status):
                raise PermissionError(f"{self.path} is not a file that only you can write")
            os.write(descriptor, line)  # one call, so lines of two processes do not mix
            if status.st_size > AUDIT_LIMIT:
                os.replace(self.path, self.path.with_name(AUDIT_FILE + ".1"))
        finally:
            os.close(descriptor)


def read_audit(root: Path) -> Iterator[dict[str, object]]:
    """The events of a cache directory, oldest first; a line that was cut off by a crash is passed over."""
    for name in (AUDIT_FILE + ".1", AUDIT_FILE):
        for line in (read_file(root / name) or b"").splitlines():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(row, dict):
                yield row
