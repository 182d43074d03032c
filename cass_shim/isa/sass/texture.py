"""Textures: sampling, fetching, gathering, asking for sizes.

Operands, read off what ptxas 13.0 makes of every form of PTX: coordinates (an array's layer in front) in one run of
registers; a handle that is in a register, then level, offset and comparand in another. `.SCR` cuts the whole list in
two halves instead. A handle in constant memory or a uniform register is printed behind them; of sm_90's pair only the
first register carries anything. Results: the wanted channels, the first two of them in the second destination, and a
predicate in front of them, that a page is missing: none ever is. The comparand changes nothing: no texture of CUDA's is
a depth texture (recorded on an H200).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V, put32, put_predicate, raw32, register, registers
from cass_shim.isa.spec import Effect, lookup, sass, unsupported
from cass_shim.model.instruction import Imm, Instruction, Operand, Pred, Reg, Word

# Dimension → (shape, coordinates, whether a layer stands in front of them).
SHAPES = {
    "1D": ("1d", 1, False), "2D": ("2d", 2, False), "3D": ("3d", 3, False), "CUBE": ("cube", 3, False),
    "ARRAY_1D": ("1darray", 1, True), "ARRAY_2D": ("2darray", 2, True), "ARRAY_CUBE": ("cubearray", 3, True),
}  # fmt: skip
_ALL_CHANNELS = 0xF
_LOWEST_LEVEL = 0xC200_0000  # -32.0
_SIZE_QUERY = "TEX_HEADER_DIMENSION"
_HINTS = "SCR B EF EL LU EU NA NODEP"  # where operands are, and what becomes of cache lines
OFFSET_BITS = 4  # of a texel offset; those of a gather have 6, at 0 and 8


def handle_at(e: Emitter[V], i: Instruction, where: list[Operand]) -> V:
    """The handle printed as bank and word, as a uniform register (with an offset of 0), or as a register."""
    first, second = (*where, None, None)[:2]
    if isinstance(first, Imm) and isinstance(second, Imm):
        return e.load_const(first.bits, 4 * second.bits, None, 32)
    if isinstance(first, Reg) and isinstance(second, Imm) and second.bits == 0:
        return raw32(e, first)
    if isinstance(first, Reg) and second is None:
        return raw32(e, first)
    raise unsupported(i, "the place of its handle")


@dataclass
class Printed:
    """An instruction's operands taken apart. missing: the predicate in front; word: the dimension, or what is asked."""

    missing: Pred | None
    destinations: list[Operand]
    sources: list[Operand]
    handle: list[Operand]
    word: str
    channels: int


def take_apart(i: Instruction) -> Printed:
    """Destinations and sources, then the handle, the word and the channels, in either order."""
    operands = list(i.operands)
    missing = operands[0] if isinstance(operands[0], Pred) else None
    operands = operands[missing is not None :]
    at = next(n for n, o in enumerate(operands) if isinstance(o, Word))
    word = operands.pop(at)
    assert isinstance(word, Word)
    channels = _ALL_CHANNELS
    if word.text not in SHAPES or len(operands) > at:  # a query always prints them, others only behind the dimension
        last = operands.pop()
        if not isinstance(last, Imm):
            raise unsupported(i, "its channels")
        channels = last.bits
    places = (n for n, o in enumerate(operands) if isinstance(o, Imm) or (isinstance(o, Reg) and o.uniform))
    bound = next(places, len(operands))
    registers_, behind = operands[:bound], operands[bound:]
    return Printed(missing, registers_[:2], registers_[2:], behind, word.text, channels)


@dataclass
class Access(Generic[V]):
    """What a texture instruction is given. rest: level and comparand as the form has them."""

    printed: Printed
    handle: V
    shape: str
    coordinates: list[V]
    layer: V | None
    rest: list[V]
    offsets: list[V]

    def put(self, e: Emitter[V], texel: list[V]) -> None:
        """Write the wanted channels."""
        put_channels(e, self.printed, texel)


def put_channels(e: Emitter[V], printed: Printed, texel: list[V]) -> None:
    """The first two wanted channels go to the second destination, the others to the first. No page is missing."""
    wanted = [texel[k] for k in range(4) if printed.channels >> k & 1]
    high, low = printed.destinations
    for part, value in enumerate(wanted):
        put32(e, low if part < 2 else high, value, part % 2)
    if printed.missing is not None:
        put_predicate(e, printed.missing, e.const(0, 1))


def unpack_offsets(e: Emitter[V], packed: V, count: int, first: int = 0, gather: bool = False) -> list[V]:
    """Texel offsets from their fields, sign-extended; the first field is at bit `first`."""
    bits, step = (OFFSET_BITS + 2, 8) if gather else (OFFSET_BITS, OFFSET_BITS)
    spare = e.const(32 - bits, 32)
    return [e.ashr(e.shl(packed, e.const(32 - bits - first - step * n, 32)), spare) for n in range(count)]


def moved(e: Emitter[V], coordinates: list[V], offsets: list[V]) -> list[V]:
    """Texels by number have no offsets on AMD: they are added."""
    return [e.add(c, o) for c, o in zip(coordinates, offsets, strict=True)] if offsets else coordinates


def access(e: Emitter[V], i: Instruction, bindless: bool, extras: int = 0) -> Access[V]:
    """Read the operands of an instruction that has `extras` values, an offset and a comparand as its modifiers say
    behind its coordinates and handle."""
    printed = take_apart(i)
    shape, count, layered = SHAPES[printed.word]
    offset = i.has("AOFFI")
    first, second = count + layered, bindless + extras + offset + i.has("DC")
    if i.has("SCR"):
        first, second = (first + second + 1) // 2, (first + second) // 2
    values = registers(e, printed.sources[0], first)
    if second:
        values += registers(e, printed.sources[1], second)
    layer = values.pop(0) if layered else None
    coordinates, rest = values[:count], values[count:]
    handle = rest.pop(0) if bindless else handle_at(e, i, printed.handle)
    gather = i.mnemonic == "TLD4"
    offsets = unpack_offsets(e, rest.pop(extras), count, gather=gather) if offset else []
    return Access(printed, handle, shape, coordinates, layer, rest, offsets)


def place_in(e: Emitter[V], i: Instruction) -> list[V]:
    """The coordinates alone, and no register besides."""
    printed = take_apart(i)
    _, count, layered = SHAPES[printed.word]
    total = count + layered + i.has("B") + i.has("AOFFI") + i.has("DC")
    first = (total + 1) // 2 if i.has("SCR") else count + layered
    found = []
    for n in range(layered, layered + count):
        source = printed.sources[n >= first]
        assert isinstance(source, Reg)
        found.append(register(e, source, n - first if n >= first else n))
    return found


def sample_among(lanes: Sequence[Emitter[V]], i: Instruction) -> None:
    """TEX.NDV in the first lane of a quad: gradients are the ways from its place to the second's and the third's."""
    if not lookup(i).modifiers.issuperset(i.modifiers) or i.has("LL", "LZ"):
        raise unsupported(i)
    e = lanes[0]
    a = access(e, i, i.has("B"))
    gradients = [
        e.fadd("f32", there, e.xor(here, e.const(0x8000_0000, 32)))
        for lane in lanes[1:3]
        for there, here in zip(place_in(lane, i), a.coordinates, strict=True)
    ]
    a.put(e, e.sample(a.handle, a.shape, a.coordinates, a.layer, None, gradients, a.offsets))


@sass("TEX", modifiers=f"LL LZ AOFFI DC NDV {_HINTS}", effect=Effect.MEMORY)
def tex(e: Emitter[V], i: Instruction) -> None:
    """Sample. .LL: at a level given; .LZ: at the first; neither: at the lowest that the sampler allows.

    What PTX's tex without a level becomes: ptxas asks for level -32 with .LL up to sm_90, and says nothing from sm_100
    on, where no kernel has coordinates of neighbours to find a level from.
    """
    if i.has("NDV"):
        raise unsupported(i, "a level from the lanes of a quad, but where whole quads run (isa.quads)")
    a = access(e, i, i.has("B"), int(i.has("LL")))
    lowest = None if i.has("LZ") else e.const(_LOWEST_LEVEL, 32)
    level = a.rest[0] if a.rest else lowest
    a.put(e, e.sample(a.handle, a.shape, a.coordinates, a.layer, level, [], a.offsets))


@sass("TLD", modifiers=f"LZ AOFFI {_HINTS}", effect=Effect.MEMORY)
def tld(e: Emitter[V], i: Instruction) -> None:
    """Fetch a texel by number."""
    a = access(e, i, i.has("B"))
    a.put(e, e.fetch(a.handle, a.shape, moved(e, a.coordinates, a.offsets), a.layer, None))


@sass("TLD4", modifiers=f"R G A AOFFI DC {_HINTS}", effect=Effect.MEMORY)
def tld4(e: Emitter[V], i: Instruction) -> None:
    """Gather a channel of four texels. The channel is printed first; a .B behind it is the register handle's."""
    component, *others = (m for m in i.modifiers if m != "SCR")
    a = access(e, i, "B" in others)
    texels = e.gather_texels(a.handle, a.shape, a.coordinates, a.layer, "RGBA".index(component), a.offsets)
    a.put(e, texels)


@sass("TXD", modifiers=f"AOFFI {_HINTS}", effect=Effect.MEMORY)
def txd(e: Emitter[V], i: Instruction) -> None:
    """Sample with gradients: handle, coordinates and layer in one run, d/dx and d/dy of each coordinate in another.

    Offsets are above the layer, whose register is there without a layer, too.
    """
    printed = take_apart(i)
    shape, count, layered = SHAPES[printed.word]
    bindless = i.has("B")
    offset = i.has("AOFFI")
    values = registers(e, printed.sources[0], bindless + count + (layered or offset))
    handle = values.pop(0) if bindless else handle_at(e, i, printed.handle)
    layer = e.and_(values[count], e.const(0xFFFF, 32)) if layered else None
    offsets = unpack_offsets(e, values[count], count, 16) if offset else []
    pairs = registers(e, printed.sources[1], 2 * count)
    texel = e.sample(handle, shape, values[:count], layer, None, [*pairs[0::2], *pairs[1::2]], offsets)
    put_channels(e, printed, texel)


@sass("TXQ", modifiers="B NODEP", effect=Effect.MEMORY)
def txq(e: Emitter[V], i: Instruction) -> None:
    """Width, height, depth or layers, and levels of a level of the texture."""
    printed = take_apart(i)
    if printed.word != _SIZE_QUERY:
        raise unsupported(i, printed.word)
    bindless = i.has("B")
    values = registers(e, printed.sources[0], 1 + bindless)
    handle = values[0] if bindless else handle_at(e, i, printed.handle)
    put_channels(e, printed, e.texture_size(handle, values[-1]))
