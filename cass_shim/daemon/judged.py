"""A translation at E0 judged by the first launch that a program makes of it (CASS_CAPTURE=weak).

In: the entry that serves, its module, the launch. Out: the same code with the evidence that the launch gives (E3, or
E1u where an instruction form has no vectors), or at E0 with the reason in its record; Rejected where it is wrong. No
launch is asked for again: generated inputs are not tried a second time, and the next would tell as little.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace

from cass_shim.cache.epoch import sources_digest
from cass_shim.cache.record import Record
from cass_shim.cache.storage import Entry
from cass_shim.model.captured import CapturedLaunch
from cass_shim.model.config import Config
from cass_shim.model.entry import pack_entry, read_entry
from cass_shim.model.errors import Malformed
from cass_shim.module import Module
from cass_shim.pipeline import Translation, Work, verify

TOLD = ("captured launch", "unvectored", "instructions_covered", "not_covered")  # of the report, by a launch


def judge_by_launch(
    module: Module, kernel: str, record: Record, content: bytes, config: Config, launch: CapturedLaunch
) -> Translation:
    """The entry with what the launch tells of it. Raises Rejected with a witness for code that is wrong."""
    if kernel not in module.kernels:
        raise Malformed(f"the module has no kernel {kernel}", where="judge request")
    started = time.monotonic()
    entry = read_entry(content, record.entry)
    verified = verify(Work(module, kernel, config, launch), entry.code, route=record.route, generated=False)
    judged = pack_entry(replace(entry, evidence=verified.evidence, launch_may_tell=False))
    found = replace(
        record,
        entry=hashlib.sha256(judged).hexdigest(),
        evidence=verified.evidence.label,
        created=int(time.time()),
        provenance={
            **record.provenance,
            "judged_s": f"{time.monotonic() - started:.3f}",
            "sources": sources_digest(),
        },
        report={**record.report, **{name: verified.report[name] for name in TOLD if name in verified.report}},
        signature="",
    )
    return Translation(found, judged)


def untold(entry: Entry, reason: str) -> Entry:
    """The entry of which a launch told nothing, since judging it failed."""
    content = pack_entry(replace(read_entry(entry.content), launch_may_tell=False))
    report = {**entry.record.report, "captured launch": {"verdict": "none", "reason": reason}}
    record = replace(entry.record, entry=hashlib.sha256(content).hexdigest(), report=report, signature="")
    return Entry(record, content)
