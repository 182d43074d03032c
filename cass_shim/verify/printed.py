"""What a kernel prints: the records of printf, compared without their order and their padding.

In: records as a reference run and a candidate leave them (address of the format, then its arguments), and the memory
that holds the formats. Out: what is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from cass_shim.verify.compare import Octets
from cass_shim.verify.system_calls import argument_sizes


def printed_difference(printed: Sequence[bytes], runs: Sequence[Sequence[bytes]], content: Octets, base: int) -> str:
    """What is wrong with printed records, in any order; "" when nothing is, or the reference's runs differ too."""
    wanted = [normal_records(records, content, base) for records in runs]
    if any(w != wanted[0] for w in wanted[1:]):
        return ""
    got = normal_records(printed, content, base)
    if got == wanted[0]:
        return ""
    missing, extra = wanted[0] - got, got - wanted[0]
    return f"prints {got.total()} records, {len(extra)} of them wrong, {len(missing)} missing"


def normal_records(records: Iterable[bytes], content: Octets, base: int) -> Counter[bytes]:
    """printf records without the padding between their arguments, and how often each comes."""
    formats: dict[int, tuple[int, ...] | None] = {}
    found: Counter[bytes] = Counter()
    for record in records:
        start = int.from_bytes(record[:8], "little") - base
        if start not in formats:
            formats[start] = _format_sizes(content, start)
        sizes = formats[start]
        found[record if sizes is None else _unpadded(record, sizes)] += 1
    return found


def _format_sizes(content: Octets, start: int) -> tuple[int, ...] | None:
    """Bytes of each argument of the format there; None where there is none."""
    if not 0 <= start < len(content):
        return None
    return tuple(argument_sizes(content[start : start + 4096].tobytes().partition(b"\0")[0]))


def _unpadded(record: bytes, sizes: Iterable[int]) -> bytes:
    parts, at, body = [record[:8]], 0, record[8:]
    for size in sizes:
        at = -(-at // size) * size
        parts.append(body[at : at + size].ljust(size, b"\0"))
        at += size
    return b"".join(parts)
