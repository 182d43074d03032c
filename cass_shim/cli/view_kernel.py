"""What `cass view` shows of one kernel: listings with links, evidence by basic block, rejections, one lane's registers.

In: a module's kernel and what the cache has for it. Out: a JSON-ready dict that view.html draws.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cass_shim.assemble.hip import compile_to_assembly
from cass_shim.assemble.llvm import generate_assembly
from cass_shim.assemble.toolchain import assemble_object, link, text_section
from cass_shim.cli.programs import FoundModule, KernelState, demangled, find_modules, open_tier, states_of
from cass_shim.cli.view_listings import Places, Row, link_by_order, link_ptx, ptx_rows, rdna3_rows, sass_rows
from cass_shim.extract.line_table import read_line_table
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import HipSource, SassKernel
from cass_shim.model.config import Config
from cass_shim.model.entry import read_entry
from cass_shim.model.errors import CassError
from cass_shim.module import Module
from cass_shim.pipeline import Work, translate_source
from cass_shim.verify.survey import is_padding
from cass_shim.verify.trace import Trace, trace_lane
from cass_shim.verify.vectored import form_keys, names

BY_TABLE = "linked by nvcc's own line table (-lineinfo)"
BY_ORDER = (
    "linked by the order of memory accesses, barriers and the like, a guess: this program has no line table "
    "(build with nvcc -lineinfo for exact links)"
)


@dataclass(frozen=True)
class Listing:
    """One column of the page. note: how its lines are linked, or why there are none."""

    rows: Sequence[Row]
    note: str


@dataclass(frozen=True)
class Subject:
    """One kernel. content: the code entry that C would load, None where there is none. refusal: why not."""

    module: Module
    kernel: str
    state: KernelState
    content: bytes | None
    refusal: str


@dataclass(frozen=True)
class Listed:
    """One kernel by where it is: the module's number in the program. refusal: why it has no translation, or ""."""

    program: Path
    module: int
    kernel: str
    refusal: str


def listed(one: Listed, config: Config, lane: int) -> dict[str, Any]:
    """What the page says about a kernel that the daemon has been asked for, read anew: for a process of its own.

    Raises CassError with a text alone, which gets from one process to another.
    """
    try:
        found = _modules(one.program, config)[one.module]
        if (tier := open_tier(config)) is None:
            why = one.refusal or "unset CASS_CACHE=0"
            raise CassError(f"the page is made from what the cache holds, and there is none: {why}")
        state = min(states_of(found, one.kernel, config, tier), key=lambda state: state.spilled)
        content = tier.admitted(bytes.fromhex(state.key), config)
        refusal = "" if content is not None else one.refusal  # what the cache holds needs no daemon
        return kernel_facts(Subject(found.module, one.kernel, state, content, refusal), config, lane)
    except CassError as error:
        raise CassError(str(error)) from None


@functools.cache
def _modules(program: Path, config: Config) -> Mapping[int, FoundModule]:
    return {found.number: found for found in find_modules(program, config)}


def kernel_facts(subject: Subject, config: Config, lane: int) -> dict[str, Any]:
    """Everything the page says about a kernel."""
    work = Work(subject.module, subject.kernel, config)
    record = subject.state.record
    facts: dict[str, Any] = {
        "name": demangled(subject.kernel),
        "symbol": subject.kernel,
        "holds": subject.state.generations,
        "sm": subject.state.sm,
        "key": subject.state.key,
        "cache": subject.state.cache,
        "refusal": subject.refusal,
        "route": record.route if record else "",
        "evidence": record.evidence if record else "none",
        "created": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(record.created)) if record else "",
        "passed_over": dict(record.passed_over) if record else {},
        "provenance": dict(record.provenance) if record else {},
        "report": {name: value for name, value in record.report.items() if name != "not_covered"} if record else {},
    }
    if subject.module.cubin is None:
        return {**facts, **_without_sass(subject, work)}
    try:
        sass = work.sass
    except CassError as error:
        return {**facts, **_without_sass(subject, work, str(error))}
    rows, places = sass_rows(sass)
    facts["blocks"] = blocks(sass, rows, record.evidence if record else "none", record.report if record else {})
    facts["sass"] = {"rows": _packed(rows), "note": f"sm_{sass.sm}, decoded by {sass.decoder or 'our own tables'}"}
    facts["ptx"] = _shown(_ptx(subject, rows, places))
    facts["rdna3"] = _shown(_rdna3(subject, work, rows, places))
    facts["trace"] = _trace(sass, subject, places, lane, record.report.get("inputs", ()) if record else ())
    return facts


def _without_sass(subject: Subject, work: Work, why: str = "the module holds PTX only") -> dict[str, Any]:
    """The page's parts for a kernel whose machine code cannot be shown."""
    rows = ptx_rows(subject.module.ptx.text.splitlines(), subject.kernel) if subject.module.ptx else []
    return {
        "blocks": [],
        "sass": {"rows": [], "note": why},
        "ptx": _shown(Listing([row for _, row in rows], "not linked")),
        "rdna3": _shown(_rdna3(subject, work, [], Places({}))),
        "trace": {"why": why},
    }


def _packed(rows: Sequence[Row]) -> list[list[Any]]:
    return [[row.text, row.label, row.links, row.block] for row in rows]


def _shown(listing: Listing) -> dict[str, Any]:
    return {"rows": _packed(listing.rows), "note": listing.note}


# ---- evidence -------------------------------------------------------------------------------------------------


def blocks(sass: SassKernel, rows: Sequence[Row], evidence: str, report: Mapping[str, object]) -> list[dict[str, Any]]:
    """Each basic block's instructions, how many the verifier's inputs ran, and the evidence that amounts to."""
    unvectored = report.get("unvectored")
    forms = set(unvectored) if isinstance(unvectored, list) else set()
    missed = _missed(report)
    code = [one for part in (sass, *sass.callees.values()) for one in part.instructions]
    found: list[dict[str, Any]] = []
    for at, (row, one) in enumerate(zip(rows, code, strict=True)):
        if not found or row.block != rows[at - 1].block:
            found.append({"first": at, "last": at, "real": 0, "ran": 0, "unvectored": []})
        block = found[-1]
        block["last"] = at
        if is_padding(one):
            continue
        block["real"] += 1
        known = missed is not None and at < len(sass.instructions)
        block["ran"] = block["ran"] + (one.address not in (missed or ())) if known else -1
        named = {name for key in form_keys(one) for name in names(*key)} & forms
        block["unvectored"] += sorted(named - set(block["unvectored"]))
    for block in found:
        block["evidence"] = block_evidence(block, evidence)
    return found


def _missed(report: Mapping[str, object]) -> set[int] | None:
    """Addresses that no input reached; None where the verifier did not say."""
    ranges = report.get("not_covered")
    if not isinstance(ranges, list):
        return None
    return {address for first, last in ranges for address in range(first, last + 1, 16)}


def block_evidence(block: Mapping[str, Any], whole: str) -> str:
    """The kernel's evidence where the block ran in full and its forms have vectors, else E1u, E0; padding has none."""
    if not block["real"]:
        return ""
    if whole in ("none", "E0", "E4") or block["ran"] < 0:  # a proof holds for code that no input reached
        return whole
    if block["ran"] < block["real"]:
        return "E0"
    if whole in ("E1", "E1u"):  # what the kernel as a whole lacks may lie in another block
        return "E1u" if block["unvectored"] else "E1"
    return whole


# ---- listings -------------------------------------------------------------------------------------------------


def _ptx(subject: Subject, sass: Sequence[Row], places: Places) -> Listing:
    cubin, ptx = subject.module.cubin, subject.module.ptx
    assert cubin is not None
    try:
        table = read_line_table(cubin.content)
    except CassError:
        table = None
    if table is not None and table.places.get(subject.kernel):
        rows = ptx_rows(table.ptx, subject.kernel)
        link_ptx(rows, table, places)
        return Listing([row for _, row in rows], BY_TABLE)
    if ptx is None:
        return Listing([], "the program holds no PTX for this kernel")
    plain = [row for _, row in ptx_rows(ptx.text.splitlines(), subject.kernel)]
    link_by_order(plain, sass)
    return Listing(plain, BY_ORDER)


def _rdna3(subject: Subject, work: Work, sass: Sequence[Row], places: Places) -> Listing:
    """The translation's assembly text, made again by the route that served the kernel."""
    record = subject.state.record
    if record is None or subject.content is None:
        return Listing([], "there is no translation")
    cached = read_entry(subject.content).code
    try:
        if record.route == "lift":
            return _lifted(work, cached.elf, places)
        if record.route == "ptx-hip":
            return _from_ptx(work, cached.elf, sass, places)
    except CassError as error:
        return Listing([], f"cannot be made again: {error}")
    return Listing([], f"the cache does not keep the text of {record.route}'s answers (CASS_KEEP does)")


def _lifted(work: Work, cached: bytes, places: Places) -> Listing:
    text = generate_assembly(lift_kernel(work.sass, lines=True).text)
    same = _same(link(assemble_object(text)), cached)
    return Listing(rdna3_rows(text, places), f"linked by the lifter's line table (SASS addresses); {same}")


def _from_ptx(work: Work, cached: bytes, sass: Sequence[Row], places: Places) -> Listing:
    source = translate_source(work, "ptx-hip")
    assert isinstance(source, HipSource)
    text = compile_to_assembly(source).text
    rows = rdna3_rows(text, places)
    link_by_order(rows, sass)
    same = _same(link(assemble_object(text)), cached)
    linked = "linked by the order of memory accesses and the like, a guess" if sass else "not linked"
    return Listing(rows, f"made from the PTX, {linked}; {same}")


def _same(elf: bytes, cached: bytes) -> str:
    equal = text_section(elf) == text_section(cached)
    return "the same machine code as the cached one" if equal else "differs from the cached machine code"


# ---- step-through -----------------------------------------------------------------------------------------------


def _trace(sass: SassKernel, subject: Subject, places: Places, lane: int, agreed: object) -> dict[str, Any]:
    known = [str(one) for one in agreed] if isinstance(agreed, list) else []
    try:
        trace = trace_lane(sass, subject.module.cubin, lane, known)
    except CassError as error:
        return {"why": str(error)}
    return {
        "launch": _launch(trace),
        "lane": trace.lane,
        "ended": trace.ended,
        "params": [
            [f"c[0x0][{sass.abi.params_base + one.offset:#x}]", trace.params[one.offset : one.offset + one.size].hex()]
            for one in sass.abi.params
        ],
        "moments": [[places.index[one.section, one.address], int(one.ran), one.written] for one in trace.moments],
    }


def _launch(trace: Trace) -> str:
    shared = f", {trace.shared} bytes of dynamic shared memory" if trace.shared else ""
    return f"grid {trace.grid}, block {trace.block}{shared}, values “{trace.values}”, seed {trace.seed}"
