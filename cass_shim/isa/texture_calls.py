"""Functions of the driver that sample with gradients where sm_90 and later have no instruction (3D, cubes, comparands).

By the CUDA device ABI, read off what ptxas 13.0 makes of every such form of PTX: the handle in R4 and R5, a comparand
in R6, layer and coordinates from R8 on, d/dx from R12 on, d/dy at the stack pointer, texel offsets 16 bytes above. The
result: in R4 whether the page is there (it always is), the texel from R5 on; of f16 as two pairs. What they compute is
what ptxas writes out for older generations (`isa.quads`): directions of cubes and their steps have 1 as their longest
coordinate. With one coordinate and a comparand an H200's driver gives zeros, whatever the texture holds (20 forms).
"""

from __future__ import annotations

from itertools import product

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V
from cass_shim.isa.sass.texture import SHAPES, unpack_offsets

_HANDLE, _RESULT, _PLACE, _ACROSS, _STACK = 4, 4, 8, 12, 1
_OFFSETS_AT = 16  # bytes above d/dy
_GEOMETRIES = {
    "1d": "1D", "2d": "2D", "3d": "3D", "a1d": "ARRAY_1D", "a2d": "ARRAY_2D", "cube": "CUBE", "acube": "ARRAY_CUBE",
}  # fmt: skip
_PREFIX, _OFFSET, _COMPARED = "__cuda_syscall_tex_grad_", "_offset", "_depth_compare"
NAMES = tuple(
    f"{_PREFIX}{predicate}{geometry}_v4_{kind}_f32{offset}{compared}"
    for predicate, geometry, kind, offset, compared in product(
        ("", "pred_"), _GEOMETRIES, ("f16", "f32", "s32", "u32"), ("", _OFFSET), ("", _COMPARED)
    )
)


def perform(e: Emitter[V], name: str) -> None:
    """One call of a function of NAMES."""
    geometry, _, kind, *_ = name.removeprefix(_PREFIX).removeprefix("pred_").split("_")
    shape, count, layered = SHAPES[_GEOMETRIES[geometry]]
    words = [e.get_reg(_PLACE + n, False) for n in range(layered + count)]
    layer = words.pop(0) if layered else None
    across = [e.get_reg(_ACROSS + n, False) for n in range(count)]
    down = _on_stack(e, 0, count)
    offsets = _cut(e, _on_stack(e, _OFFSETS_AT, count)) if _OFFSET in name else []
    if geometry == "1d" and name.endswith(_COMPARED):
        texel = [e.const(0, 32)] * 4
    else:
        if layer is not None:
            layer = e.umin(layer, e.const(0xFFFF, 32))
        texel = _sample(e, shape, words, layer, [across, down], offsets)
    if kind == "f16":
        halves = [e.zext(e.float_to_float("f16", "f32", one), 32) for one in texel]
        texel = [e.or_(halves[n], e.shl(halves[n + 1], e.const(16, 32))) for n in (0, 2)]
    for n, word in enumerate([e.const(1, 32), *texel]):
        e.set_reg(_RESULT + n, False, word)


def _on_stack(e: Emitter[V], offset: int, count: int) -> list[V]:
    at = e.add(e.get_reg(_STACK, False), e.const(offset, 32))
    return [e.load("local", e.add(at, e.const(4 * n, 32)), 32, 1)[0] for n in range(count)]


def _cut(e: Emitter[V], offsets: list[V]) -> list[V]:
    return [unpack_offsets(e, one, 1)[0] for one in offsets]


def _sample(
    e: Emitter[V], shape: str, place: list[V], layer: V | None, steps: list[list[V]], offsets: list[V]
) -> list[V]:
    """A texture's sample at `place` of the level that the two steps ask for."""
    if shape.startswith("cube"):
        places = [place, *([e.fadd("f32", a, b) for a, b in zip(place, step, strict=True)] for step in steps)]
        place, *ends = (_shortened(e, one) for one in places)
        steps = [[_minus(e, a, b) for a, b in zip(end, place, strict=True)] for end in ends]
    if shape == "1d":  # ptxas samples one coordinate as two
        zero = e.const(0, 32)
        shape, place, steps = "2d", [*place, zero], [[*step, zero] for step in steps]
        offsets = [*offsets, zero] if offsets else []
    return e.sample(e.get_reg(_HANDLE, False), shape, place, layer, None, [*steps[0], *steps[1]], offsets)


def _minus(e: Emitter[V], a: V, b: V) -> V:
    return e.fadd("f32", a, e.xor(b, e.const(0x8000_0000, 32)))


def _shortened(e: Emitter[V], direction: list[V]) -> list[V]:
    """With 1, or nearly, as the longest coordinate."""
    x, y, z = (e.and_(one, e.const(0x7FFF_FFFF, 32)) for one in direction)
    scale = e.mufu("rcp", e.fmax("f32", e.fmax("f32", x, y), z))
    return [e.fmul("f32", one, scale) for one in direction]
