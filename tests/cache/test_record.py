"""Records: canonical bytes, and hostile JSON refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cass_shim.cache.record import Record, read_record
from cass_shim.model.errors import Malformed

RECORD = Record(key="00" * 32, entry="11" * 32, route="lift", evidence="E1", provenance={"b": "2", "a": "1"})


def test_the_canonical_form_is_read_back_and_stable() -> None:
    content = RECORD.canonical()
    assert read_record(content) == RECORD
    assert read_record(content).canonical() == content
    assert b" " not in content


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"[" * 100_000,
        RECORD.canonical()[:-1],
        RECORD.canonical().replace(b'"E1"', b'"E9"'),
        RECORD.canonical().replace(b'"lift"', b"7"),
        RECORD.canonical()[:-1] + b',"extra":1}',
        b" " * (2 << 20),
        replace(RECORD, kernel="k\nERROR forged log line").canonical(),
        replace(RECORD, route="\x1b[2J").canonical(),
    ],
)
def test_anything_else_is_malformed(content: bytes) -> None:
    with pytest.raises(Malformed):
        read_record(content)
