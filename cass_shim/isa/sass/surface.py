"""Surfaces: loads, stores and reductions of texels by number, x in bytes for .BA (PTX ISA, suld, sust, sured).

Coordinates stand in one run of registers, an array's layer last. Outside of the surface .TRAP traps, .IGN reads 0 and
drops stores, and without either the nearest texel is meant.
"""

from __future__ import annotations

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V, put32, registers
from cass_shim.isa.sass.texture import handle_at
from cass_shim.isa.spec import Effect, sass, unsupported
from cass_shim.model.instruction import Instruction, Mem, Operand, Pred

# Dimension → (shape, coordinates with the layer).
SHAPES = {"1D": ("1d", 1), "2D": ("2d", 2), "3D": ("3d", 3), "1D_ARRAY": ("1darray", 2), "2D_ARRAY": ("2darray", 3)}
_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
_CHANNELS = {"R": 1, "RG": 2}
_OPERATIONS = ("ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR")
# Minimum and maximum of .p are signed where the surface's format is (recorded of unsigned ones on an H100, by PTX).
_KINDS = {"S32": "s32", "U64": "u64", "S64": "s64", "SD32": "d32", "SD64": "d64"}
_COMMON = f"{' '.join(SHAPES)} BA TRAP IGN STRONG CTA SM GPU SYS EF EL LU EU NA"


def _coordinates(e: Emitter[V], i: Instruction, where: Operand) -> tuple[str, list[V]]:
    shape, count = next(SHAPES[m] for m in i.modifiers if m in SHAPES)
    if not isinstance(where, Mem) or where.base is None or where.uniform is not None or where.offset:
        raise unsupported(i, "the place of its coordinates")
    return shape, registers(e, where.base, count)


def _size(i: Instruction) -> int:
    return next((_BYTES[m] for m in i.modifiers if m in _BYTES), 4)


def _outside(i: Instruction) -> str:
    return "trap" if i.has("TRAP") else "zero" if i.has("IGN") else "clamp"


@sass("SULD", modifiers=f"D {' '.join(_BYTES)} {_COMMON}", effect=Effect.MEMORY)
def suld(e: Emitter[V], i: Instruction) -> None:
    """dst = bytes of a texel."""
    if isinstance(i.operands[0], Pred) or not i.has("BA"):
        raise unsupported(i)
    dst, where, *handle = i.operands
    shape, coordinates = _coordinates(e, i, where)
    values = e.surface_load(handle_at(e, i, handle), shape, coordinates, _size(i), _outside(i))
    if i.has("S8", "S16"):
        values = [e.sext(e.trunc(values[0], 8 * _size(i)), 32)]
    for part, value in enumerate(values):
        put32(e, dst, value, part)


@sass("SUST", modifiers=f"D P {' '.join(_BYTES)} {' '.join(_CHANNELS)} {_COMMON}", effect=Effect.MEMORY)
def sust(e: Emitter[V], i: Instruction) -> None:
    """A texel = registers: .D its bytes, .P its channels, converted to the surface's format."""
    where, data, *handle = i.operands
    shape, coordinates = _coordinates(e, i, where)
    if i.has("P"):
        size, count = 0, next((_CHANNELS[m] for m in i.modifiers if m in _CHANNELS), 4)
    elif i.has("BA"):
        size = _size(i)
        count = max(1, size // 4)
    else:
        raise unsupported(i)
    values = registers(e, data, count)
    e.surface_store(handle_at(e, i, handle), shape, coordinates, values, size, _outside(i))


@sass("SURED", modifiers=f"D {' '.join(_OPERATIONS)} {' '.join(_KINDS)} {_COMMON}", effect=Effect.MEMORY)
def sured(e: Emitter[V], i: Instruction) -> None:
    """An atomic operation on a texel, without a result."""
    where, data, *handle = i.operands
    shape, coordinates = _coordinates(e, i, where)
    kind = next((_KINDS[m] for m in i.modifiers if m in _KINDS), "u32")
    operation = next(name.lower() for name in _OPERATIONS if i.has(name))
    low, *high = registers(e, data, 2 if kind.endswith("64") else 1)
    value = e.pair(low, *high) if high else low
    place = handle_at(e, i, handle)
    e.surface_reduce(place, shape, coordinates, operation, kind, value, i.has("BA"), _outside(i))
