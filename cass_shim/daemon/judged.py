"""A translation at E0 judged by the first launch that a program makes of it (CASS_CAPTURE=weak).

In: the entry that serves, its module, the launch. Out: the same code with the evidence that the launch gives (E3, or
E1u where an instruction form has no vectors), or at E0 with the reason in its record; Rejected where it is wrong. No
launch is asked for again: generated inputs are not tried a second time, and the next would tell as little.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace

from cass_shim.cache.record import Record
from cass_shim.cache.storage import Entry
from cass_shim.daemon.reverify import judged_here, sound_entry
from cass_shim.model.captured import CapturedLaunch
from cass_shim.model.config import Config
from cass_shim.model.entry import pack_entry, read_entry
from cass_shim.module import Module
from cass_shim.pipeline import Translation, Work, verify

# What a launch tells, of the report.
TOLD = ("captured launch", "unvectored", "indirect", "instructions_covered", "not_covered")


def judge_by_launch(
    module: Module, kernel: str, record: Record, content: bytes, config: Config, launch: CapturedLaunch
) -> Translation:
    """The entry with what the launch tells of it. Raises Rejected with a witness for code that is wrong, Malformed for
    an entry of another kernel."""
    entry = replace(sound_entry(module, kernel, record, content, config), launch_may_tell=False)
    started = time.monotonic()
    verified = verify(Work(module, kernel, config, launch), entry.code, route=record.route, generated=False)
    told = {name: verified.report[name] for name in TOLD if name in verified.report}
    times = {"judged_s": f"{time.monotonic() - started:.3f}"}
    return judged_here(entry, record, verified, times, {**record.report, **told})


def untold(entry: Entry, reason: str) -> Entry:
    """The entry of which a launch told nothing, since judging it failed."""
    content = pack_entry(replace(read_entry(entry.content), launch_may_tell=False))
    report = {**entry.record.report, "captured launch": {"verdict": "none", "reason": reason}}
    record = replace(entry.record, entry=hashlib.sha256(content).hexdigest(), report=report, signature="")
    return Entry(record, content)
