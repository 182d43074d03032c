"""Textures: sampling, fetching, gathering, asking for sizes.

Operands, read off what ptxas 13.0 makes of every form of PTX: coordinates (an array's layer in front) in one run of
registers; a handle that is in a register, then level, offset and comparand in another. `.SCR` cuts the whole list in
two halves instead. A handle in constant memory or a uniform register is printed behind them; of sm_90's pair only the
first register carries anything. Results: the wanted channels, the first two of them in the second destination.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V, put32, raw32, registers
from cass_shim.isa.spec import Effect, sass, unsupported
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
    """An instruction's operands taken apart. word: the dimension, or what is asked."""

    destinations: list[Operand]
    sources: list[Operand]
    handle: list[Operand]
    word: str
    channels: int


def take_apart(i: Instruction) -> Printed:
    """Destinations and sources, then the handle, the word and the channels, in either order."""
    if isinstance(i.operands[0], Pred):
        raise unsupported(i, "the predicate of a missing page")
    operands = list(i.operands)
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
    return Printed(registers_[:2], registers_[2:], behind, word.text, channels)


@dataclass
class Access(Generic[V]):
    """What a texture instruction is given. rest: level, offset, comparand as the form has them."""

    printed: Printed
    handle: V
    shape: str
    coordinates: list[V]
    layer: V | None
    rest: list[V]

    def put(self, e: Emitter[V], texel: list[V]) -> None:
        """Write the wanted channels."""
        put_channels(e, self.printed, texel)


def put_channels(e: Emitter[V], printed: Printed, texel: list[V]) -> None:
    """The first two wanted channels go to the second destination, the others to the first."""
    wanted = [texel[k] for k in range(4) if printed.channels >> k & 1]
    high, low = printed.destinations
    for part, value in enumerate(wanted):
        put32(e, low if part < 2 else high, value, part % 2)


def access(e: Emitter[V], i: Instruction, bindless: bool, extras: int) -> Access[V]:
    """Read the operands of an instruction that has `extras` values behind its coordinates and handle."""
    printed = take_apart(i)
    shape, count, layered = SHAPES[printed.word]
    first, second = count + layered, bindless + extras
    if i.has("SCR"):
        first, second = (first + second + 1) // 2, (first + second) // 2
    values = registers(e, printed.sources[0], first)
    if second:
        values += registers(e, printed.sources[1], second)
    layer = values.pop(0) if layered else None
    coordinates, rest = values[:count], values[count:]
    handle = rest.pop(0) if bindless else handle_at(e, i, printed.handle)
    return Access(printed, handle, shape, coordinates, layer, rest)


@sass("TEX", modifiers=f"LL LZ {_HINTS}", effect=Effect.MEMORY)
def tex(e: Emitter[V], i: Instruction) -> None:
    """Sample. .LL: at a level given; .LZ: at the first; neither: at the lowest that the sampler allows.

    What PTX's tex without a level becomes: ptxas asks for level -32 with .LL up to sm_90, and says nothing from sm_100
    on, where no kernel has coordinates of neighbours to find a level from.
    """
    a = access(e, i, i.has("B"), int(i.has("LL")))
    lowest = None if i.has("LZ") else e.const(_LOWEST_LEVEL, 32)
    level = a.rest[0] if a.rest else lowest
    a.put(e, e.sample(a.handle, a.shape, a.coordinates, a.layer, level, []))


@sass("TLD", modifiers=f"LZ {_HINTS}", effect=Effect.MEMORY)
def tld(e: Emitter[V], i: Instruction) -> None:
    """Fetch a texel by number."""
    a = access(e, i, i.has("B"), 0)
    a.put(e, e.fetch(a.handle, a.shape, a.coordinates, a.layer, None))


@sass("TLD4", modifiers=f"R G A {_HINTS}", effect=Effect.MEMORY)
def tld4(e: Emitter[V], i: Instruction) -> None:
    """Gather a channel of four texels. The channel is printed first; a .B behind it is the register handle's."""
    component, *others = (m for m in i.modifiers if m != "SCR")
    a = access(e, i, "B" in others, 0)
    a.put(e, e.gather_texels(a.handle, a.shape, a.coordinates, a.layer, "RGBA".index(component)))


@sass("TXD", modifiers=f"{_HINTS}", effect=Effect.MEMORY)
def txd(e: Emitter[V], i: Instruction) -> None:
    """Sample with gradients: handle, coordinates and layer in one run, d/dx and d/dy of each coordinate in another."""
    printed = take_apart(i)
    shape, count, layered = SHAPES[printed.word]
    bindless = i.has("B")
    values = registers(e, printed.sources[0], bindless + count + layered)
    handle = values.pop(0) if bindless else handle_at(e, i, printed.handle)
    layer = e.and_(values[count], e.const(0xFFFF, 32)) if layered else None
    pairs = registers(e, printed.sources[1], 2 * count)
    texel = e.sample(handle, shape, values[:count], layer, None, [*pairs[0::2], *pairs[1::2]])
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
