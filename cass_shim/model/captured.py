"""A captured launch: what one launch of a kernel in a real program was given (E3, docs/verification.md).

In: a CAPTURE frame's payload, which the target process makes just before a kernel's first launch. Out: a
`CapturedLaunch`, and back. Both ends treat the other's sizes as hostile.
Payload: CAPTURE_HEAD, the KERNEL request, the parameter block, one CAPTURE_RANGE per range, then the ranges' bytes in
the same order, nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from cass_shim.model.errors import Malformed
from cass_shim.model.layout import Layout
from cass_shim.model.wire import KernelRequest

RANGES_LIMIT = 4096
PARAMS_LIMIT = 32768  # bytes: what a CUDA kernel may take since 12.1 is 32764
ADDRESS_LIMIT = 1 << 57  # beyond any user address of x86-64
NO_IMAGE = 0xFFFF_FFFF
HEAP_IMAGE = 0xFFFF_FFFE  # no image either: the heap of device code's malloc
CAPTURE_COOPERATIVE = 1  # flag: a launch with grid-wide barriers

CAPTURE_HEAD = Layout(
    "cass_capture_head",
    (
        ("u32", "request_bytes"),
        ("u32", "params_bytes"),
        ("u32", "range_count"),
        ("u32", "flags"),
        ("u32", "grid_x"),
        ("u32", "grid_y"),
        ("u32", "grid_z"),
        ("u32", "block_x"),
        ("u32", "block_y"),
        ("u32", "block_z"),
        ("u64", "shared_bytes"),
        ("u64", "memory_bytes"),
    ),
)

# image: of the module, where the range is one of its images; else NO_IMAGE or HEAP_IMAGE.
CAPTURE_RANGE = Layout(
    "cass_capture_range", (("u64", "address"), ("u64", "size"), ("u32", "image"), ("u32", "reserved0"))
)


@dataclass(frozen=True, slots=True)
class MemoryRange:
    """Device memory as it was before the launch. image: number of the module's image that it is, or None.

    is_heap: it is the arena of device code's malloc (model/kernel_abi.py).
    """

    address: int
    content: bytes
    image: int | None = None
    is_heap: bool = False

    @property
    def end(self) -> int:
        return self.address + len(self.content)

    @property
    def number(self) -> int:
        """What stands for it in a frame's `image`."""
        if self.is_heap:
            return HEAP_IMAGE
        return NO_IMAGE if self.image is None else self.image


@dataclass(frozen=True, slots=True)
class CapturedLaunch:
    """One launch. ranges: by address, apart from each other. dynamic_shared: bytes."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared: int
    params: bytes
    ranges: tuple[MemoryRange, ...]
    cooperative: bool = False

    def __post_init__(self) -> None:
        """Raises Malformed for a launch that no device would start."""
        x, y, z = self.grid
        if not (0 < x < 1 << 31 and 0 < y < 1 << 16 and 0 < z < 1 << 16):
            raise Malformed(f"grid {self.grid}", where="captured launch")
        if min(self.block) < 1 or self.block[0] * self.block[1] * self.block[2] > 1024:
            raise Malformed(f"block {self.block}", where="captured launch")
        if not 0 <= self.dynamic_shared < 1 << 20 or len(self.params) > PARAMS_LIMIT:
            raise Malformed("more shared memory or parameters than a launch has", where="captured launch")
        if len(self.ranges) > RANGES_LIMIT:
            raise Malformed(f"{len(self.ranges)} ranges of memory", where="captured launch")
        for one in self.ranges:
            if not 0 < one.address < one.end <= ADDRESS_LIMIT:
                raise Malformed("a range of memory has no bytes or no address", where="captured launch")
        if sum(one.is_heap for one in self.ranges) > 1:
            raise Malformed("more than one device heap", where="captured launch")
        for before, after in pairwise(self.ranges):
            if before.end > after.address:
                raise Malformed("ranges of memory overlap or are not in order", where="captured launch")

    @property
    def memory_bytes(self) -> int:
        return sum(len(one.content) for one in self.ranges)

    def describe(self) -> str:
        """The launch in a line."""
        return (
            f"grid {self.grid} block {self.block} shared {self.dynamic_shared}, "
            f"{self.memory_bytes} bytes in {len(self.ranges)} ranges"
        )


def pack_capture(request: KernelRequest, launch: CapturedLaunch) -> bytes:
    """The payload of a CAPTURE frame."""
    asked = request.pack()
    head = CAPTURE_HEAD.pack(
        request_bytes=len(asked),
        params_bytes=len(launch.params),
        range_count=len(launch.ranges),
        flags=CAPTURE_COOPERATIVE if launch.cooperative else 0,
        shared_bytes=launch.dynamic_shared,
        memory_bytes=launch.memory_bytes,
        **dict(zip(("grid_x", "grid_y", "grid_z"), launch.grid, strict=True)),
        **dict(zip(("block_x", "block_y", "block_z"), launch.block, strict=True)),
    )
    rows = (CAPTURE_RANGE.pack(address=one.address, size=len(one.content), image=one.number) for one in launch.ranges)
    return b"".join((head, asked, launch.params, *rows, *(one.content for one in launch.ranges)))


def unpack_capture(payload: bytes) -> tuple[KernelRequest, CapturedLaunch]:
    """What a CAPTURE frame asks for; Malformed when it is none."""
    where = "capture request"
    head = {name: int(value) for name, value in CAPTURE_HEAD.unpack(payload, where=where).items()}
    rows_at = CAPTURE_HEAD.size + head["request_bytes"] + head["params_bytes"]
    at = rows_at + head["range_count"] * CAPTURE_RANGE.size
    if head["range_count"] > RANGES_LIMIT or at + head["memory_bytes"] != len(payload):
        raise Malformed("sizes do not add up", where=where)
    ranges = []
    for index in range(head["range_count"]):
        row = {k: int(v) for k, v in CAPTURE_RANGE.unpack(payload, rows_at + index * CAPTURE_RANGE.size).items()}
        if row["size"] > len(payload) - at:
            raise Malformed("a range is larger than what was sent", where=where)
        image = None if row["image"] in (NO_IMAGE, HEAP_IMAGE) else row["image"]
        content = payload[at : at + row["size"]]
        ranges.append(MemoryRange(row["address"], content, image, row["image"] == HEAP_IMAGE))
        at += row["size"]
    if at != len(payload):
        raise Malformed("sizes do not add up", where=where)
    params_at = CAPTURE_HEAD.size + head["request_bytes"]
    launch = CapturedLaunch(
        (head["grid_x"], head["grid_y"], head["grid_z"]),
        (head["block_x"], head["block_y"], head["block_z"]),
        head["shared_bytes"],
        payload[params_at:rows_at],
        tuple(ranges),
        bool(head["flags"] & CAPTURE_COOPERATIVE),
    )
    return KernelRequest.unpack(payload[CAPTURE_HEAD.size : params_at]), launch
