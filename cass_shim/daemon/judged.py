"""A translation of which generated inputs told too little, judged by the first launch that a program makes of it
(CASS_CAPTURE=weak): at E0 they told nothing, at E1 and E2 they may have reached little of the code.

In: the entry that serves, its module, the launch. Out: the same code with the evidence that the launch gives (E3, or
E1u where an instruction form has no vectors), or with what it had and the reason in its record; Rejected where it is
wrong. No launch is asked for again: generated inputs are not tried a second time, and the next would tell as little.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import replace

from cass_shim.cache.local import LocalTier
from cass_shim.cache.record import Record
from cass_shim.cache.storage import Entry
from cass_shim.daemon.reverify import judged_here, refuse_less, sound_entry
from cass_shim.model.artifacts import Evidence, is_disputed
from cass_shim.model.captured import CapturedLaunch
from cass_shim.model.config import Config
from cass_shim.model.entry import pack_entry, read_entry
from cass_shim.module import Module
from cass_shim.pipeline import Translation, Work, verify

# What a launch tells, of the report.
TOLD = ("captured launch", "unvectored", "indirect")


def judge_by_launch(
    module: Module, kernel: str, record: Record, content: bytes, config: Config, launch: CapturedLaunch
) -> Translation:
    """The entry with what the launch tells of it. Raises Rejected with a witness for code that is wrong, Malformed for
    an entry of another kernel."""
    entry = replace(sound_entry(module, kernel, record, content, config), launch_may_tell=False)
    started = time.monotonic()
    verified = verify(Work(module, kernel, config, launch), entry.code, route=record.route, generated=False)
    told = {name: verified.report[name] for name in TOLD if name in verified.report}
    report = {**record.report, **told, **_reached(record.report, verified.report)}
    # a difference that is known is more than inputs that agreed
    known = Evidence.NONE if is_disputed(report) else record.level
    refuse_less(max(verified.evidence, known), config, kernel, "on a captured launch")
    times = {"judged_s": f"{time.monotonic() - started:.3f}"}
    return judged_here(entry, record, verified, times, report, known)


def _reached(before: Mapping[str, object], now: Mapping[str, object]) -> dict[str, object]:
    """What generated inputs or the launch reached, in the words of `verify.survey`."""
    from cass_shim.verify.survey import runs  # with numpy, which the daemon itself does without

    missed, covered, earlier = now.get("not_covered"), now.get("instructions_covered"), before.get("not_covered")
    if not isinstance(missed, list) or not isinstance(covered, list):  # it could not be compared
        return {}
    left = [address for first, last in missed for address in range(first, last + 1, 16) if _lies_in(address, earlier)]
    return {"instructions_covered": [covered[1] - len(left), covered[1]], "not_covered": runs(left)}


def _lies_in(address: int, ranges: object) -> bool:
    return not isinstance(ranges, list) or any(first <= address <= last for first, last in ranges)


def withdraw_code(tier: LocalTier, key: bytes, entry: Entry) -> None:
    """Take back the entry and all others of its code: what a second opinion was found for stays beside what it was."""
    elf = read_entry(entry.content).code.elf
    for one in tier.get(key):
        if read_entry(one.content).code.elf == elf:
            tier.withdraw(key, one.record.digest)


def untold(entry: Entry, reason: str) -> Entry:
    """The entry of which a launch told nothing, since judging it failed."""
    content = pack_entry(replace(read_entry(entry.content), launch_may_tell=False))
    report = {**entry.record.report, "captured launch": {"verdict": "none", "reason": reason}}
    record = replace(entry.record, entry=hashlib.sha256(content).hexdigest(), report=report, signature="")
    return Entry(record, content)
