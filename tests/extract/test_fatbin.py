"""Fatbinaries made by nvcc, whole and damaged; the compressed forms must unpack to what ptxas wrote."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cass_shim.extract.elf import Elf
from cass_shim.extract.fatbin import is_ptx, read_fatbins
from cass_shim.model.artifacts import EntryKind
from cass_shim.model.errors import Malformed, Unsupported

DATA = Path(__file__).parent / "data"
CUBIN = (DATA / "sample.sm_80.cubin").read_bytes()


def region(name: str) -> bytes:
    section = Elf((DATA / name).read_bytes()).section(".nv_fatbin")
    assert section is not None
    return section.content


@pytest.mark.parametrize("name", ["sample_zstd.o", "sample_lz4.o"])
def test_all_entries_of_an_object_file(name: str) -> None:
    (fatbin,) = read_fatbins((DATA / name).read_bytes(), name)
    kinds = [(e.kind, e.sm) for e in fatbin.entries]
    assert kinds == [(EntryKind.ELF, 80), (EntryKind.ELF, 90), (EntryKind.PTX, 90)]
    assert fatbin.entries[0].payload == CUBIN  # the same ptxas on the same source: an oracle for the unpacking
    assert len(fatbin.entries[0].stored) < len(CUBIN)
    assert fatbin.entries[2].payload.lstrip().startswith(b".version 9.0") and fatbin.entries[2].ptx_version == (9, 0)
    assert fatbin.offset == (DATA / name).read_bytes().index(b"\x50\xed\x55\xba")


def test_region_wrapper_cubin_and_ptx_are_told_apart() -> None:
    raw = region("sample_zstd.o")
    (from_region,) = read_fatbins(raw)
    wrapped = struct.pack("<IIQQ", 0x466243B1, 1, 0, 0) + raw
    (from_wrapper,) = read_fatbins(wrapped)
    assert from_wrapper.entries == from_region.entries and from_wrapper.offset == 24
    (from_cubin,) = read_fatbins(CUBIN)
    assert from_cubin.entries[0].payload == CUBIN and from_cubin.entries[0].sm == 80
    text = from_region.entries[2].payload
    (from_text,) = read_fatbins(text + b"\0")
    assert from_text.entries[0].payload == text and from_text.entries[0].sm == 90
    assert is_ptx(text) and not is_ptx(b"say .version") and not is_ptx(CUBIN)


def test_host_elf_without_device_code_has_no_fatbins() -> None:
    host = bytearray((DATA / "sample_zstd.o").read_bytes())
    host = bytearray(bytes(host).replace(b".nv_fatbin\0", b".nv_fatbix\0"))
    assert read_fatbins(bytes(host)) == []


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"hello", b"\x50\xed\x55\xba", b"\xb1\x43\x62\x46"])
def test_not_a_module(content: bytes) -> None:
    with pytest.raises(Malformed):
        read_fatbins(content)


def test_truncation_at_every_byte() -> None:
    raw = region("sample_zstd.o").rstrip(b"\0")
    for length in range(len(raw) - 8):
        with pytest.raises(Malformed) as caught:
            read_fatbins(raw[:length], "cut")
        assert caught.value.offset is not None and "cut" in str(caught.value)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_flipped_bytes(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["sample_zstd.o", "sample_lz4.o"]))
    raw = bytearray(region(name))
    near_headers = st.one_of(st.integers(0, 200), st.integers(0, len(raw) - 1))
    for at in data.draw(st.lists(near_headers, min_size=1, max_size=4)):
        raw[at] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(Malformed, Unsupported):
        read_fatbins(bytes(raw))


def test_forged_uncompressed_size_reserves_nothing() -> None:
    raw = bytearray(region("sample_zstd.o"))
    struct.pack_into("<Q", raw, 16 + 56, 1 << 60)
    with pytest.raises(Malformed, match="not credible"):
        read_fatbins(bytes(raw))
