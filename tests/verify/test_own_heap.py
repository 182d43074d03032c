"""The device heap of a captured launch: blocks that an earlier kernel got, and a kernel that frees them."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cass_shim.device import Device
from cass_shim.model.artifacts import CodeObject, Evidence, LlvmModule
from cass_shim.model.captured import CapturedLaunch
from cass_shim.model.config import Config
from cass_shim.model.errors import Rejected, Unsupported
from cass_shim.model.kernel_abi import HEAP_HEADER_BYTES, HEAP_HEADS_OFFSET
from cass_shim.module import load_module
from cass_shim.pipeline import Work, assemble, translate_source, verify
from cass_shim.verify.capture_file import read_file
from cass_shim.verify.captured import Captured, Replayed, replay
from cass_shim.verify.own_heap import given_out, own_heap
from cass_shim.verify.survey import survey
from cass_shim.verify.values import Octets

FILE = Path(__file__).parent / "launches" / "annealing.destroy.casscap"  # `delete metrics[threadIdx.x]`, two threads
FREE = "call void @cass.free("


@pytest.fixture(scope="module")
def work() -> Work:
    held = read_file(FILE.read_bytes(), FILE.name)
    module = load_module(held.region, held.entry_offset, held.module)
    return Work(module, held.kernel, Config(translators="lift"), held.launch)


def lifted(work: Work, **changes: str) -> CodeObject:
    """The kernel's code, from text in which each key is its value."""
    source = translate_source(work, "lift")
    assert isinstance(source, LlvmModule)
    text = source.text
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return assemble(replace(source, text=text), work.abi)


def launch_of(work: Work) -> CapturedLaunch:
    assert work.captured is not None
    return work.captured


def replayed(work: Work, code: CodeObject, launch: CapturedLaunch, device: Device) -> Replayed:
    return replay(code, work.sass, work.module.cubin, survey(work.sass), device, Captured(launch, 30))


# ---- judging


@pytest.mark.parametrize("route", ["lift", "ptx-hip"])
def test_freeing_what_an_earlier_kernel_got_agrees(work: Work, device: Device, route: str) -> None:
    code = assemble(translate_source(work, route), work.abi)
    found = replayed(work, code, launch_of(work), device)
    assert (found.verdict, found.freed) == ("agrees", 2), found.reason
    assert found.report()["blocks_freed"] == 2


def test_it_is_evidence_of_the_third_kind(work: Work) -> None:
    code = lifted(work)
    assert verify(replace(work, captured=None), code).evidence is Evidence.E0
    assert verify(work, code).evidence is Evidence.E3


def test_code_that_frees_nothing_is_rejected(work: Work, device: Device) -> None:
    wrong = lifted(work, **{FREE: "call void @nothing(", "define internal void @cass.free(":
        "define internal void @nothing(ptr addrspace(1) %heap, i64 %a) { ret void }\n"
        "define internal void @cass.free("})  # fmt: skip
    with pytest.raises(Rejected, match="freed 0 blocks of the device heap, the reference 2"):
        replayed(work, wrong, launch_of(work), device)


def test_code_that_frees_beside_a_block_is_rejected(work: Work, device: Device) -> None:
    wrong = lifted(work, **{"sub i64 %distance, 16": "sub i64 %distance, 32"})
    with pytest.raises(Rejected, match=r"device heap|failed"):
        replayed(work, wrong, launch_of(work), device)


def test_a_heap_that_was_not_captured_as_one_tells_nothing(work: Work, device: Device) -> None:
    """What a client of before this said: memory like any other."""
    launch = launch_of(work)
    blind = replace(launch, ranges=tuple(replace(one, is_heap=False) for one in launch.ranges))
    found = replayed(work, lifted(work), blind, device)
    assert found.verdict == "none" and "malloc did not give" in found.reason


def test_a_heap_in_disorder_tells_nothing(work: Work, device: Device) -> None:
    launch = launch_of(work)
    ranges = tuple(
        replace(one, content=one.content[:8] + struct.pack("<Q", 1 << 40) + one.content[16:]) if one.is_heap else one
        for one in launch.ranges
    )
    found = replayed(work, lifted(work), replace(launch, ranges=ranges), device)
    assert found.verdict == "none" and "device heap" in found.reason


# ---- the arena


def arena(kinds: list[int], free: dict[int, list[int]]) -> Octets:
    """An arena whose blocks are 2^kind bytes each; free: kind → numbers of blocks, the last freed first."""
    starts = [HEAP_HEADER_BYTES + sum(1 << kind for kind in kinds[:number]) for number in range(len(kinds))]
    used = sum(1 << kind for kind in kinds)
    octets = bytearray(HEAP_HEADER_BYTES + used + 64)
    struct.pack_into("<QQ", octets, 0, len(octets), used)
    for start, kind in zip(starts, kinds, strict=True):
        struct.pack_into("<Q", octets, start + 8, kind)
    for kind, numbers in free.items():
        struct.pack_into("<Q", octets, HEAP_HEADS_OFFSET + 8 * kind, (7 << 32) + starts[numbers[0]] // 16)
        for number, after in zip(numbers, [*numbers[1:], None], strict=True):
            struct.pack_into("<I", octets, starts[number], 0 if after is None else starts[after] // 16)
    return np.frombuffer(bytes(octets), np.uint8).copy()


def test_blocks_on_free_lists_are_not_given_out() -> None:
    octets = arena([5, 6, 5, 5], {5: [3, 0]})
    assert given_out(octets, 4096) == {4096 + 1024 + 32 + 16: 48, 4096 + 1024 + 96 + 16: 16}
    assert given_out(arena([], {}), 0) == {}


def test_only_blocks_given_out_before_and_after_are_the_kernels() -> None:
    content = np.concatenate([np.zeros(64, np.uint8), arena([5, 6, 5], {5: [0]})])
    heap = own_heap(content, 64, len(content) - 64)
    first, second = sorted(heap.blocks)
    loose = heap.loose(len(content) + 32, {second})
    assert np.flatnonzero(~loose).tolist() == [*range(64), *range(first, first + 48), *range(len(content), len(loose))]


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (8, 1 << 20),  # more used than there is
        (HEAP_HEADER_BYTES + 8, 3),  # no such class
        (HEAP_HEADER_BYTES + 8, 40),  # a block beyond the end
        (HEAP_HEADS_OFFSET + 8 * 5, 1),  # a list that leads into the head
        (HEAP_HEADS_OFFSET + 8 * 6, HEAP_HEADER_BYTES // 16),  # to a block of another class
    ],
)
def test_an_arena_in_disorder_is_refused(at: int, value: int) -> None:
    octets = arena([5, 6, 5], {})
    octets[at : at + 8] = np.frombuffer(struct.pack("<Q", value), np.uint8)
    with pytest.raises(Unsupported, match="device heap"):
        given_out(octets, 0)


def test_a_list_that_goes_in_circles_is_refused() -> None:
    octets = arena([5, 5], {5: [0, 1]})
    octets[HEAP_HEADER_BYTES + 32 : HEAP_HEADER_BYTES + 36] = octets[HEAP_HEADS_OFFSET + 40 : HEAP_HEADS_OFFSET + 44]
    with pytest.raises(Unsupported, match="device heap"):
        given_out(octets, 0)
    with pytest.raises(Unsupported, match="bytes"):
        given_out(octets[:100], 0)
