"""A captured launch as an input: its memory in the verifier's arena, its addresses moved there.

In: a `CapturedLaunch` and the kernel's module. Out: an `Input` whose arena holds every captured range. Ranges that lay
close together keep their distance, so that a pointer to the end of one still does not point into another. Which words
are addresses nobody knows: every aligned 8-byte word of the parameters and of the memory whose value lies within a
captured range, or just beside it, is taken for one. A number that happens to look like one is moved too, for reference
and candidate alike: the input is then not quite the program's, and still one on which both must agree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cass_shim.model.artifacts import Cubin, SassKernel
from cass_shim.model.captured import CapturedLaunch, MemoryRange
from cass_shim.model.errors import Unsupported
from cass_shim.verify.inputs import HEAP_BYTES, WORKSPACE_BYTES, Input, Scenario, Shape
from cass_shim.verify.own_heap import own_heap
from cass_shim.verify.survey import Survey
from cass_shim.verify.values import Octets

CLOSE = 1 << 16  # bytes between ranges up to which they keep their distance, and room around what stands alone
BESIDE = CLOSE // 2  # how far outside its range an address may lie
ALIGNMENT = 4096  # of a group's place in the arena: more than any access needs


@dataclass(frozen=True)
class Group:
    """Ranges that keep their distance. low, high: their addresses in the program. offset: of `low` in the arena."""

    low: int
    high: int
    offset: int


@dataclass(frozen=True)
class Placement:
    """Where everything lies in an arena of `size` bytes. heap, workspace: as in an Input."""

    groups: tuple[Group, ...]
    heap: int
    size: int
    workspace: int = 0

    def offset(self, address: int) -> int:
        """Where the first byte at an address of the program lies."""
        group = next(one for one in self.groups if one.low <= address <= one.high)
        return group.offset + address - group.low


def plan(launch: CapturedLaunch, found: Survey) -> Placement:
    """Places for all ranges, and for what the kernel's launch needs besides."""
    groups: list[Group] = []
    spans: list[tuple[int, int]] = []
    for one in launch.ranges:
        if spans and one.address - spans[-1][1] <= CLOSE:
            spans[-1] = (spans[-1][0], one.end)
        else:
            spans.append((one.address, one.end))
    at = CLOSE
    for low, high in spans:
        offset = -(-at // ALIGNMENT) * ALIGNMENT + low % ALIGNMENT
        groups.append(Group(low, high, offset))
        at = offset + high - low + CLOSE
    workspace = at = -(-at // ALIGNMENT) * ALIGNMENT
    at += WORKSPACE_BYTES if found.grid_sync else 0
    heap = -(-at // ALIGNMENT) * ALIGNMENT
    size = heap + (HEAP_BYTES if found.heap else 0)
    return Placement(tuple(groups), heap if found.heap else 0, size, workspace if found.grid_sync else 0)


def captured_input(
    kernel: SassKernel, cubin: Cubin | None, launch: CapturedLaunch, placed: Placement, base: int
) -> tuple[Input, int]:
    """The input for an arena at `base`, and how many words were taken for addresses. Raises Unsupported.

    Unsupported: the program's module is not the one whose images were captured.
    """
    content, valid = np.zeros(placed.size, np.uint8), np.zeros(placed.size, bool)
    moved, places, heap = 0, [], None
    params = np.frombuffer(launch.params.ljust(-(-len(launch.params) // 8) * 8, b"\0"), np.uint8).copy()
    pointers = _pointers(params)
    moved += _relocate(params, placed, base)
    for one in launch.ranges:
        offset = placed.offset(one.address)
        span = slice(offset, offset + len(one.content))
        content[span] = np.frombuffer(one.content, np.uint8)
        valid[span] = True
        moved += _relocate(content[span][-one.address % 8 :], placed, base)
        places.append((offset, len(one.content), _name(one, pointers)))
        if one.is_heap and placed.heap:  # other kernels neither give nor take
            heap = own_heap(content, offset, len(one.content))
            valid &= ~heap.loose(placed.size, ())
    symbols, bank3 = {}, b""
    images = {one.image: one for one in launch.ranges if one.image is not None}
    for number, image in enumerate(cubin.images if cubin is not None else ()):
        held = images.get(number)
        if held is None and not image.size:
            continue
        if held is None or len(held.content) < image.size:
            raise Unsupported(f"image {number} of the module", kernel=kernel.name, why="the capture does not hold it")
        offset = placed.offset(held.address)
        if image.kind == "constant3":
            bank3 = content[offset : offset + image.size].tobytes()
        for variable in cubin.variables if cubin is not None else ():
            if variable.image == number:
                symbols[variable.name] = base + offset + variable.offset
                places.append((offset + variable.offset, variable.size, f"variable {variable.name}"))
    if placed.heap:
        valid[placed.heap :] = True
    if placed.workspace:
        valid[placed.workspace : placed.workspace + WORKSPACE_BYTES] = True
    scenario = Scenario(Shape(launch.grid, launch.block, launch.dynamic_shared), "captured", 0, 1)
    packed = params.tobytes()[: len(launch.params)]
    room = (placed.heap, valid, tuple(places), placed.workspace, heap)
    return Input(scenario, packed, content, bank3, symbols, *room), moved


def _pointers(params: Octets) -> dict[int, int]:
    """Offset in the parameter block → the word there, as the program gave it."""
    return {8 * number: int(word) for number, word in enumerate(params.view(np.uint64))}


def _name(one: MemoryRange, pointers: dict[int, int]) -> str:
    """What a range is called in a witness."""
    for at, word in pointers.items():
        if one.address <= word < one.end:
            return f"the buffer of the parameter at {at:#x} ({one.address:#x}, {len(one.content)} bytes)"
    kind = "the module's memory" if one.image is not None else "the allocation"
    return f"{kind} at {one.address:#x} ({len(one.content)} bytes)"


def _relocate(octets: Octets, placed: Placement, base: int) -> int:
    """Move the addresses in aligned words; returns how many there were."""
    words: NDArray[np.uint64] = octets[: len(octets) // 8 * 8].view(np.uint64)
    before = words.copy()
    moved = 0
    for group in placed.groups:
        inside = (before >= np.uint64(max(group.low - BESIDE, 0))) & (before <= np.uint64(group.high + BESIDE))
        words[inside] = before[inside] + np.uint64((base + group.offset - group.low) & (2**64 - 1))
        moved += int(inside.sum())
    return moved
