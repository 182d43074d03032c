"""A model's translation that may take the place of a deterministic one (architecture decision 5).

In: what serves a kernel, and its module. Out: the model's code with its record, or Rejected with the reason why it may
not: it must cost a tenth less, and be proved (E4), or agree with code derived from the PTX and on a captured launch
(E2 and E3). The record says what it replaces, so that `cass cache rollback` restores that.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec

from cass_shim.cache.epoch import sources_digest
from cass_shim.cache.record import Record
from cass_shim.model.artifacts import Evidence
from cass_shim.model.captured import CapturedLaunch
from cass_shim.model.config import Config
from cass_shim.model.entry import CodeEntry, pack_entry, read_entry
from cass_shim.model.errors import Malformed, Rejected
from cass_shim.model.wire import KernelRequest
from cass_shim.module import Module
from cass_shim.pipeline import FINAL_SEED, Translation, Work, assemble, translate_source, verify

LEAST_GAIN = 0.10  # of the cost of what serves
ROUTE = "cass"
REPLACES = "replaces"  # in the provenance: the digest of the record that served


def model_works_behind(config: Config) -> bool:
    """Whether a model is asked behind programs: one that was chosen (CASS_MODEL), or ours where it can run.

    A server that only OPENAI_BASE_URL names is not: a kernel leaves the machine when somebody said so. Where somebody
    set the order of translators (CASS_TRANSLATORS), it is kept strictly.
    """
    if not chooses_freely(config):
        return False
    if config.model:
        return True
    from cass_shim.translate.cass.models import CONTRACT_FILE, SHIPPED

    shipped = (SHIPPED / CONTRACT_FILE).is_file() and find_spec("torch") is not None
    return shipped and not os.environ.get("OPENAI_BASE_URL")


def chooses_freely(config: Config) -> bool:
    """Whether a model's code may stand before deterministic code: nobody set an order, and work behind is allowed."""
    return config.number("behind") > 0 and config.translators == Config().translators


def may_replace(evidence: Evidence, report: Mapping[str, object]) -> str:
    """The rule of decision 5 on evidence and cost: "" where it is kept, else what is missing."""

    def verdict(name: str) -> object:
        found = report.get(name)
        return found.get("verdict") if isinstance(found, dict) else None

    cost = report.get("cost")
    gain = cost.get("gain") if isinstance(cost, dict) else None
    if not isinstance(gain, int | float) or gain < LEAST_GAIN:
        return f"it does not cost {LEAST_GAIN:.0%} less"
    twice = verdict("second opinion") == "agrees" and verdict("captured launch") == "agrees"
    if evidence is Evidence.E4 or (twice and evidence >= Evidence.E3):
        return ""
    return f"evidence {evidence.label}: neither proved (E4) nor E2 and E3"


def has_replaced(record: Record) -> bool:
    """Whether a record is a model's that may stand before deterministic ones."""
    return (
        record.route == ROUTE and REPLACES in record.provenance and not may_replace(record.level, record.report)
    )  # fmt: skip


def find_rival(
    module: Module, kernel: str, served: Record, content: bytes, config: Config, launch: CapturedLaunch | None
) -> Translation:
    """The model's code for a kernel, where it may replace what serves. Raises Rejected and what translation raises."""
    from cass_shim.verify import Against

    if kernel not in module.kernels:
        raise Malformed(f"the module has no kernel {kernel}", where="rival request")
    started = time.monotonic()
    work, entry = Work(module, kernel, config, launch, cuts=False), read_entry(content, served.entry)
    code = assemble(translate_source(work, ROUTE), work.abi)
    against = Against(entry.code, LEAST_GAIN)
    verified = verify(work, code, route=ROUTE, seed=FINAL_SEED, against=against)
    if missing := may_replace(verified.evidence, verified.report):
        raise Rejected(f"the model's code does not replace {served.route}'s: {missing}", kernel=kernel)
    packed = pack_entry(CodeEntry(entry.key, verified.code, verified.evidence, ROUTE))
    origin = {
        REPLACES: served.digest,
        "origin": f"the model, behind the program; before it: {served.route}, {served.evidence}",
        "sources": sources_digest(),
        "seconds": f"{time.monotonic() - started:.3f}",
    }
    record = Record(
        key=served.key,
        entry=hashlib.sha256(packed).hexdigest(),
        route=ROUTE,
        evidence=verified.evidence.label,
        kernel=kernel,
        created=max(int(time.time()), served.created + 1),  # rollback takes the newest
        provenance={**verified.code.provenance, **origin},
        report=verified.report,
    )
    return Translation(record, packed)


def asked(request: KernelRequest, seconds: float) -> KernelRequest:
    """The request with what a rival must be tried for: the model alone, a second opinion and a proof."""
    given = {"TRANSLATORS": ROUTE, "SECOND": f"{seconds:g}", "PROVE": f"{seconds:g}", "MIN_EVIDENCE": "E0"}
    lines = "".join(f"\nCASS_{name}={value}" for name, value in given.items())
    return replace(request, options=f"{request.options}{lines}\n")
