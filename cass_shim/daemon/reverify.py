"""Checking again what another machine translated, before it is used here (CASS_REVERIFY).

In: a candidate of the team with its module. Out: the same code with this machine's own record: the evidence found
here, on this device, on inputs that its maker could not know.
"""

from __future__ import annotations

import hashlib
import secrets
import struct
import time
from collections.abc import Mapping
from dataclasses import fields, replace

from cass_shim.cache.epoch import sources_digest
from cass_shim.cache.record import Record, read_record
from cass_shim.cache.storage import Entry
from cass_shim.model.artifacts import CodeObject, Evidence, Verified, is_disputed
from cass_shim.model.captured import CapturedLaunch, pack_capture, unpack_capture
from cass_shim.model.config import Config
from cass_shim.model.entry import CodeEntry, pack_entry, read_entry
from cass_shim.model.errors import Malformed, Rejected
from cass_shim.model.wire import KernelRequest
from cass_shim.module import Module
from cass_shim.pipeline import Translation, Work, verify

SIZE = struct.Struct("<I")


def pack_translation(answer: Translation | Entry) -> bytes:
    """A line of JSON, then the entry."""
    return answer.record.canonical() + b"\n" + answer.content


def unpack_translation(body: bytes) -> Entry:
    """The candidate in an answer of a worker."""
    first, content = body.split(b"\n", 1)
    return Entry(read_record(first), content)


def pack_check(request: KernelRequest, entry: Entry) -> bytes:
    """The payload of a VERIFY frame."""
    head = request.pack()
    return SIZE.pack(len(head)) + head + entry.record.canonical() + b"\n" + entry.content


def unpack_check(payload: bytes) -> tuple[KernelRequest, Record, bytes]:
    """What a VERIFY frame asks for; Malformed when it is none."""
    if len(payload) < SIZE.size:
        raise Malformed("shorter than its head", where="verify request")
    (size,) = SIZE.unpack_from(payload)
    head, rest = payload[SIZE.size : SIZE.size + size], payload[SIZE.size + size :]
    if b"\n" not in rest:
        raise Malformed("no candidate in it", where="verify request")
    entry = unpack_translation(rest)
    return KernelRequest.unpack(head), entry.record, entry.content


def pack_with_launch(request: KernelRequest, entry: Entry, launch: CapturedLaunch | None) -> bytes:
    """The payload of a RIVAL or JUDGE frame."""
    check = pack_check(request, entry)
    captured = pack_capture(request, launch) if launch is not None else b""
    return SIZE.pack(len(check)) + check + captured


def unpack_with_launch(payload: bytes) -> tuple[KernelRequest, Record, bytes, CapturedLaunch | None]:
    """What a RIVAL or JUDGE frame asks for; Malformed when it is none."""
    try:
        (size,) = SIZE.unpack_from(payload)
    except struct.error as error:
        raise Malformed("shorter than its head", where="request about an entry") from error
    request, record, content = unpack_check(payload[SIZE.size : SIZE.size + size])
    rest = payload[SIZE.size + size :]
    return request, record, content, unpack_capture(rest)[1] if rest else None


def check_again(module: Module, kernel: str, record: Record, content: bytes, config: Config) -> Translation:
    """Verify a candidate against the kernel's SASS with a seed of our own.

    Raises Rejected with a witness for code that is wrong, Malformed for an entry of another kernel.
    """
    entry = sound_entry(module, kernel, record, content, config)
    started = time.monotonic()
    work = Work(module, kernel, config)
    verified = verify(work, entry.code, route=record.route, seed=secrets.randbelow(1 << 31) + 1)
    refuse_less(verified.evidence, config, kernel, "checked again here")
    origin = {"checked_again": record.signature.partition(":")[0] or "unsigned", "claimed": record.evidence}
    times = {"verify_s": f"{time.monotonic() - started:.3f}"}
    return judged_here(entry, record, verified, {**origin, **times}, verified.report)


def refuse_less(evidence: Evidence, config: Config, kernel: str, how: str) -> None:
    """Raises Rejected for less evidence than the policy asks for. how: what found it."""
    least = Evidence.of(config.min_evidence)
    if evidence < least:
        raise Rejected(f"{how}: {evidence.label}, below CASS_MIN_EVIDENCE={least.label}", kernel=kernel)


def sound_entry(module: Module, kernel: str, record: Record, content: bytes, config: Config) -> CodeEntry:
    """The entry of a request, if it is about this kernel of the module and tells of its code what the code tells.

    Raises Malformed for an entry of another kernel, Rejected for facts that its code object contradicts.
    """
    if kernel not in module.kernels:
        raise Malformed(f"the module has no kernel {kernel}", where="request about an entry")
    entry = read_entry(content, record.entry)
    key = module.key(kernel, config.gfx).digest
    if entry.key != key or record.key != key.hex():
        raise Malformed("a candidate for another kernel", where="request about an entry")
    _check_facts(entry.code)
    return entry


def judged_here(
    entry: CodeEntry,
    record: Record,
    verified: Verified,
    provenance: Mapping[str, str],
    report: Mapping[str, object],
    known: Evidence = Evidence.NONE,
) -> Translation:
    """The entry with the evidence found here and this machine's own record, still to be signed.

    A launch may tell more of it only where it could before. known: the evidence that it has whatever was found.
    """
    may_tell, evidence = entry.launch_may_tell and verified.launch_may_tell, max(verified.evidence, known)
    facts = replace(entry, evidence=evidence, launch_may_tell=may_tell, disputed=is_disputed(report))
    content = pack_entry(replace(facts, code=verified.code))
    ours = replace(
        record,
        entry=hashlib.sha256(content).hexdigest(),
        evidence=evidence.label,
        created=int(time.time()),
        provenance={**record.provenance, **provenance, "sources": sources_digest()},
        report=report,
        signature="",
    )
    return Translation(ours, content)


def _check_facts(code: CodeObject) -> None:
    """What an entry says beside its code object must be what the code object itself says."""
    from cass_shim.assemble.code_object import parse_code_object

    read = parse_code_object(code.elf, code.symbol, code.abi, code.slots, code.bindings_offset)
    for one in fields(CodeObject):
        said, found = getattr(code, one.name), getattr(read, one.name)
        if one.name != "provenance" and said != found:
            raise Rejected(f"the entry says {one.name} is {said}, its code object {found}", kernel=code.symbol)
