"""What a program asks of the daemon: a kernel of a module, perhaps with the launch that it is wanted for.

In: requests. Out: the job for a worker. A captured launch is also kept as a file here, where the module's bytes are.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from dataclasses import dataclass, replace
from pathlib import Path

from cass_shim.cache.storage import Entry
from cass_shim.daemon.reverify import pack_translation, unpack_translation
from cass_shim.model.artifacts import Evidence
from cass_shim.model.captured import CapturedLaunch, pack_capture
from cass_shim.model.config import Config
from cass_shim.model.wire import FrameKind, KernelRequest, ModuleRequest, Reply, Status

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KnownModule:
    """A module's request, and its kernels' keys by name."""

    request: bytes
    keys: dict[str, bytes]


@dataclass(slots=True)
class Wanted:
    """A kernel that a program asks for, under its policy.

    launch: the one it is wanted for, where that was captured. program: the number of its connection. team_s: seconds
    that the team's caches took.
    """

    request: KernelRequest
    known: KnownModule
    key: bytes
    config: Config
    launch: CapturedLaunch | None = None
    program: int = 0
    team_s: float = 0.0

    @property
    def least(self) -> Evidence:
        """The evidence that an answer made before must have to serve: a captured launch is there to be judged by."""
        bar = Evidence.of(self.config.min_evidence)
        return max(bar, Evidence.E3) if self.launch is not None else bar

    def job(self, translators: tuple[str, ...] = ()) -> tuple[FrameKind, bytes]:
        """The frame for a worker. translators: the only ones it may ask, by default the policy's."""
        request = self.request
        if translators:
            options = f"{request.options}\nCASS_TRANSLATORS={','.join(translators)}\n"
            request = replace(request, options=options)
        if self.launch is None:
            return FrameKind.KERNEL, request.pack()
        return FrameKind.CAPTURE, pack_capture(request, self.launch)


def with_passed_over(reply: Reply, reasons: dict[str, str]) -> Reply:
    """A worker's answer that also tells of translators that could not answer themselves.

    A failure is no lasting one then: a worker may have died of something else than the kernel (memory, a signal), and
    what the others say must not stand for all of them.
    """
    if reply.status is not Status.OK:
        facts = json.loads(reply.body)
        lost = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        facts |= {"message": f"{facts['message']}; {lost}", "lasting": False, "everywhere": False}
        return replace(reply, body=json.dumps(facts).encode())
    found = unpack_translation(reply.body)
    record = replace(found.record, passed_over={**reasons, **found.record.passed_over})
    return replace(reply, body=pack_translation(Entry(record, found.content)))


def keep_capture(wanted: Wanted) -> None:
    """Write the captured launch to CASS_CAPTURE_DIR; trouble with the directory is a log line.

    The file holds the program's memory: only its user may read it.
    """
    from cass_shim.verify.capture_file import EXTENSION, CaptureFile, pack_file

    assert wanted.launch is not None
    module = ModuleRequest.unpack(wanted.known.request)
    held = CaptureFile(wanted.request.name, wanted.launch, module.region, module.entry_offset, module.module)
    content = pack_file(held)
    plain = "".join(one if one.isalnum() or one in "_-" else "_" for one in wanted.request.name)[:100]
    path = Path(wanted.config.capture_dir) / f"{plain}-{hashlib.sha256(content).hexdigest()[:12]}{EXTENSION}"
    partial = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
            file.write(content)
        partial.rename(path)
    except OSError as error:
        log.warning("cannot keep the captured launch of %s in %s: %s", wanted.request.name, path.parent, error)
