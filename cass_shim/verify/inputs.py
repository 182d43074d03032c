"""Inputs for a kernel: launch shapes, parameter values and memory contents that reach its code.

In: the kernel, its module, a `Survey`, a seed. Out: `Scenario`s. Memory is one arena that device and reference
share address for address: a window per pointer parameter, the module's images, its constant bank. Every byte of
the arena is compared afterwards, so whatever a candidate writes outside the reference's footprint is seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cass_shim.model.artifacts import Cubin, SassKernel
from cass_shim.model.kernel_abi import WARP
from cass_shim.verify.own_heap import OwnHeap
from cass_shim.verify.survey import Survey
from cass_shim.verify.values import Octets, fill

WINDOW = 1 << 17  # bytes per pointer parameter
HEAP_BYTES = 1 << 18  # of the reference's heap
DEVICE_HEAP_BYTES = 1 << 22  # of the device's
RING_BYTES = 1 << 20  # of the device's printf ring
WORKSPACE_BYTES = 256  # of the grid barrier
PITCH = 16  # what distances between rows are multiples of: no load is wider
DISTINCT = 4  # by how much integer parameters differ from each other: equal ones hide a mix-up
BIAS = WINDOW // 4  # where in its window a pointer points: negative offsets stay inside
OBJECT = 64  # bytes between the objects that pointers in memory lead to
VTABLE_ENTRIES = 16  # bytes in front of a virtual table's first function (Itanium C++ ABI)


@dataclass(frozen=True)
class Shape:
    """Grid and block of one launch, and the dynamic shared memory in bytes."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether every warp of a block is full."""
        return math.prod(self.block) % WARP == 0


@dataclass(frozen=True)
class Scenario:
    """How one input is made. values: class of memory contents. size: what integer parameters are around.

    vary_sizes: integers at random around it. powers: where not 0, integers are rising powers of two from it on instead.
    edge: the offset of an integer parameter that is 0. alike: all others are `size`, and none above or below it.
    """

    shape: Shape
    values: str
    size: int
    seed: int
    vary_sizes: bool = False
    powers: int = 0
    edge: int = -1
    alike: bool = False


@dataclass
class Roles:
    """What each part of the parameter block and of memory is taken to be.

    pointers: offsets of 64-bit words → window index. kinds: window → element kind; images likewise by name. used: the
    offsets whose windows a run has read or written, which another run that ends early says nothing against.
    """

    pointers: dict[int, int] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)

    def windows(self) -> int:
        """Windows of the arena: one per pointer, and one that pointers in memory point into."""
        return len(self.pointers) + 1

    @property
    def objects(self) -> int:
        """The window of objects that pointers in memory lead to."""
        return len(self.pointers)


@dataclass
class Layout:
    """Where everything lies in the arena, offsets in bytes. symbols: variable → offset. size: of the arena.

    heap: where the reference's malloc takes its blocks from, HEAP_BYTES long; 0 when the kernel has no use for it.
    workspace: the words of the grid barrier, likewise.
    """

    images: list[int]
    symbols: dict[str, int]
    heap: int
    size: int
    workspace: int = 0


@dataclass
class Input:
    """One concrete input: the launch, the parameter block and the arena's initial contents.

    symbols: absolute addresses. heap, workspace: offsets in content of the reference's heap and of the grid barrier's
    words, 0: none. valid: which bytes the kernel may touch, by default all. places: what lies where in content:
    (offset, size, name), for a witness. own_heap: the program's device heap, where it was captured.
    """

    scenario: Scenario
    params: bytes
    content: Octets
    bank3: bytes
    symbols: dict[str, int]
    heap: int = 0
    valid: NDArray[np.bool_] | None = None
    places: tuple[tuple[int, int, str], ...] = ()
    workspace: int = 0
    own_heap: OwnHeap | None = None


def first_roles(kernel: SassKernel, found: Survey) -> Roles:
    """Every 64-bit word that may flow into an address is a pointer, until a run shows otherwise."""
    words = sorted(o for o in found.addresses if _word_in_one_param(kernel, o))
    return Roles({offset: index for index, offset in enumerate(words)})


def readings(kernel: SassKernel, found: Survey) -> list[tuple[Survey, Roles]]:
    """What the parameters may be, the likeliest first.

    The survey loses an address that goes through a call or the stack, and cannot tell a 64-bit number that is
    multiplied from two 32-bit ones. Runs take back what is no address (`lesson.drop_pointers`).
    """
    whole = {o for p in kernel.abi.params for o in range(p.offset, p.offset + p.size - 7) if o % 8 == 0}
    whole -= {o & ~7 for o, kind in found.scalars.items() if kind != "i32"}
    wide = found.wide | (whole & found.distances)
    others = [
        replace(found, addresses=found.addresses - found.distances, wide=wide, pitched=True),
        replace(found, addresses=whole - wide, wide=wide, pitched=True),
        replace(found, addresses=whole),
    ]
    return [(reading, first_roles(kernel, reading)) for reading in (found, *others)]


def _word_in_one_param(kernel: SassKernel, offset: int) -> bool:
    return any(p.offset <= offset and offset + 8 <= p.offset + p.size for p in kernel.abi.params)


def lay_out(cubin: Cubin | None, found: Survey, roles: Roles) -> Layout:
    """Windows first, then the module's images, 256-aligned."""
    at = WINDOW * roles.windows()
    images: list[int] = []
    for image in cubin.images if cubin else ():
        images.append(at)
        at += -(-image.size // 256) * 256 + 256
    symbols = {v.name: images[v.image] + v.offset for v in cubin.variables} if cubin else {}
    workspace = at if found.grid_sync else 0
    at += WORKSPACE_BYTES if found.grid_sync else 0
    heap = -(-at // 4096) * 4096
    return Layout(images, symbols, heap if found.heap else 0, heap + (HEAP_BYTES if found.heap else 0), workspace)


def make_input(
    kernel: SassKernel, cubin: Cubin | None, found: Survey, roles: Roles, scenario: Scenario, base: int
) -> Input:
    """Fill parameters and memory. base: the arena's address. Deterministic in the scenario's seed."""
    random = np.random.default_rng((scenario.seed, 17))
    layout = lay_out(cubin, found, roles)
    content = np.zeros(layout.size, np.uint8)
    symbols = {name: base + offset for name, offset in layout.symbols.items()}
    for window in range(roles.windows()):
        kind = roles.kinds.get(window, "i32")
        span = slice(window * WINDOW, (window + 1) * WINDOW)
        if kind == "ptr":
            objects = base + roles.objects * WINDOW + OBJECT * random.integers(0, WINDOW // OBJECT, WINDOW // 8)
            content[span] = objects.astype(np.uint64).view(np.uint8)
        else:
            content[span] = fill(kind, WINDOW, scenario.values, scenario.size, random, origin=BIAS)
    if "ptr" in roles.kinds.values():
        tables = _virtual_tables(cubin, symbols)
        _make_objects(content[roles.objects * WINDOW :][:WINDOW], tables, base + roles.objects * WINDOW, random)
    bank3 = b""
    for index, image in enumerate(cubin.images if cubin else ()):
        octets = _image(image.kind, image.size, image.content, found, scenario, random)
        if image.kind in ("texture", "surface"):  # any handle, its own
            octets[:4] = np.frombuffer((1 + index + scenario.seed % 2).to_bytes(4, "little"), np.uint8)
        for relocation in image.relocations:
            address = symbols.get(relocation.symbol, 0) + relocation.addend
            octets[relocation.offset : relocation.offset + 8] = np.frombuffer(
                (address & (2**64 - 1)).to_bytes(8, "little"), np.uint8
            )
        content[layout.images[index] : layout.images[index] + image.size] = octets
        if image.kind == "constant3":
            bank3 = octets.tobytes()
    params = _params(kernel, found, roles, scenario, base, random)
    return Input(scenario, params, content, bank3, symbols, layout.heap, workspace=layout.workspace)


def _make_objects(window: Octets, tables: list[int], address: int, random: np.random.Generator) -> None:
    """Give every object a first word that is an address: of a virtual table where there are any, else of an object."""
    places = np.array(tables or [address + OBJECT * n for n in range(WINDOW // OBJECT)], np.uint64)
    window.view(np.uint64)[:: OBJECT // 8] = random.choice(places, WINDOW // OBJECT)


def _virtual_tables(cubin: Cubin | None, symbols: dict[str, int]) -> list[int]:
    """Addresses of the first function entry of every virtual table that has one (abstract classes do not)."""
    found = []
    for variable in cubin.variables if cubin else ():
        content = cubin.images[variable.image].content if cubin else b""
        entry = content[variable.offset + VTABLE_ENTRIES :][:8]
        if variable.name.startswith("_ZTV") and any(entry):
            found.append(symbols[variable.name] + VTABLE_ENTRIES)
    return found


def _image(
    kind: str, size: int, content: bytes, found: Survey, scenario: Scenario, random: np.random.Generator
) -> Octets:
    """Initialised memory keeps its values; zeroed memory and constants stay zero in the first scenario only."""
    octets = np.frombuffer(content.ljust(size, b"\0")[:size], np.uint8).copy()
    if kind == "constant3" and not octets.any():
        return fill(found.constant_kind, size, scenario.values, scenario.size, random)
    if kind == "zero" and scenario.seed % 2:
        return fill("i32", size, "small", scenario.size, random)
    return octets


def _params(
    kernel: SassKernel, found: Survey, roles: Roles, scenario: Scenario, base: int, random: np.random.Generator
) -> bytes:
    block = bytearray(kernel.abi.params_bytes)
    scalars = 0
    for param in kernel.abi.params:
        at, end = param.offset, param.offset + param.size
        while at < end:
            if at in roles.pointers:
                address = base + roles.pointers[at] * WINDOW + BIAS
                block[at : at + 8] = address.to_bytes(8, "little")
                at += 8
                continue
            at += _scalar(block, at, end - at, param.size == 8, scalars, found, scenario, random)
            scalars += 1
    return bytes(block)


def _scalar(
    block: bytearray,
    at: int,
    room: int,
    whole: bool,
    index: int,
    found: Survey,
    scenario: Scenario,
    random: np.random.Generator,
) -> int:
    """Fill one scalar of the block; returns its size in bytes.

    whole: it is a parameter of 8 bytes by itself. index: how many scalars came before it.
    """
    kind = found.scalars.get(at, "i32")
    if kind == "f64" and room >= 8:
        block[at : at + 8] = np.float64(random.normal()).tobytes()
        return 8
    if kind == "f32" and room >= 4:
        block[at : at + 4] = np.float32(random.normal()).tobytes()
        return 4
    size = scenario.size
    if (
        size > 2 * DISTINCT and not scenario.alike
    ):  # rising in one half of the scenarios, falling in the other: either may be a range
        size = max(size // 2, size + DISTINCT * (index % 3) * (1 if scenario.seed % 2 else -1))
    if scenario.powers:
        size = scenario.powers << (3 * (index % 3))
    if scenario.vary_sizes:
        around = max(1, int(size + random.integers(-size // 4 - 1, size // 4 + 2)))
        unlike = [1 << int(random.integers(0, 9)), int(random.integers(0, 4))]
        size = int(random.choice([around, around, around, around, around, around, *unlike]))
    if at == scenario.edge:
        size = 0
    both_read = at in found.scalars and at + 4 in found.scalars
    if room >= 8 and at % 8 == 0 and (whole or at in found.wide or not both_read):
        distance = -(-size // PITCH) * PITCH if found.pitched else size
        block[at : at + 8] = distance.to_bytes(8, "little")
        return 8
    if room >= 4 and at % 4 == 0:
        block[at : at + 4] = size.to_bytes(4, "little")
        return 4
    block[at] = int(random.integers(0, 4))
    return 1
