"""Textures. Source: PTX ISA 9.0 §9.7.10; handles are those of the descriptor table (docs/abi.md).

Only the unified mode, with handles in registers or texture references (.texref variables, which CUDA 12 dropped): nvcc
never made samplers of their own. Without a level the first one is meant, as in every kernel that is no shader.
"""

from __future__ import annotations

from collections.abc import Sequence

from cass_shim.isa.ptx.spec import Use, Writer, items_of, memory, ptx
from cass_shim.isa.ptx.syntax import Address, Operand, Pair, Vector

GEOMETRIES = "1d|2d|3d|a1d|a2d|cube|acube"
# Geometry → (coordinates, whether a layer stands in front of them, elements of the coordinate vector).
_SHAPES = {
    "1d": (1, False, 1), "2d": (2, False, 2), "3d": (3, False, 4), "a1d": (1, True, 2), "a2d": (2, True, 4),
    "cube": (3, False, 4), "acube": (3, True, 4),
}  # fmt: skip
_PARTS = ("x", "y", "z", "w")


def handle(w: Writer, i: Use, address: Address) -> str:
    """The table and the handle, the first two arguments of every function of the prelude."""
    if address.offset or len(address.extra) > 1:
        raise i.unsupported("a sampler of its own")
    return f"{w.slot('TEXTURES')}, {w.get(address.base, 'u64')}"


def coordinates(w: Writer, i: Use, address: Address, type_name: str) -> list[str]:
    """The layer, if there is one, and the coordinates; what PTX pads with is left out."""
    count, layered, elements = _SHAPES[i["g"]]
    if len(address.extra) != 1:
        raise i.unsupported("expected coordinates")
    items = items_of(address.extra[0], elements, i)
    layer = [w.get(items[0], "u32")] if layered else []
    return [*layer, *(w.get(item, type_name) for item in items[layered : count + layered])]


def _moved(w: Writer, i: Use, behind: Sequence[Operand]) -> tuple[str, list[str]]:
    """What stands behind the place: texel offsets in braces, a comparand. The word in the function's name, arguments.

    The comparand changes nothing: no texture of CUDA's is a depth texture (recorded on an H200).
    """
    offsets = behind[0] if behind and isinstance(behind[0], Vector) else None
    for comparand in behind if offsets is None else behind[1:]:
        w.get(comparand, "f32")
    if len(behind) > 1 + (offsets is not None):
        raise i.unsupported("operands behind the comparand")
    if offsets is None:
        return "", []
    count = _SHAPES[i["g"]][0]
    if i["g"] in ("cube", "acube"):
        raise i.unsupported("cubes have no texel offsets")
    items = items_of(offsets, 4 if count == 3 else count, i)[:count]
    return "offset_", [w.get(item, "u32") for item in items]


def _put(w: Writer, i: Use, d: Operand, call: str) -> None:
    """Four results, as floats, as the bits they are, or as two pairs of f16. No page is ever missing here."""
    if isinstance(d, Pair):
        w.set(d.second, "pred", "true")
        d = d.first
    name = w.fresh("texel")
    w.line(f"auto {name} = {call}")
    if i.t == "f16x2":
        for item, low, high in zip(items_of(d, 2, i), "xz", "yw", strict=True):
            w.agree(item, "f16x2")
            w.set(item, "b32", f"ptx_texel_halves({name}.{low}, {name}.{high})")
        return
    for item, part in zip(items_of(d, 4, i), _PARTS, strict=True):
        value = f"{name}.{part}"
        w.set(item, i.t, value if i.t == "f32" else f"as<{'i32' if i.t == 's32' else 'u32'}>((f32){value})")


@ptx(
    f"tex.{{base}}?.{{g:{GEOMETRIES}}}.v4.{{t:f32|s32|u32}}.f32", f"tex.{{base}}?.{{g:{GEOMETRIES}}}.v2.{{t:f16x2}}.f32"
)
def tex(w: Writer, i: Use) -> None:
    """Sample the first level."""
    d, a, *behind = i.take(2, 3, 4)
    address = memory(a, i)
    word, offsets = _moved(w, i, behind)
    arguments = [handle(w, i, address), *coordinates(w, i, address, "f32"), *offsets]
    _put(w, i, d, f"ptx_tex_{word}{i['g']}({', '.join(arguments)})")


@ptx("tex.{base}?.{g:1d|2d|3d|a1d|a2d}.v4.{t:f32|s32|u32}.s32", "tex.{base}?.{g:1d|2d|3d|a1d|a2d}.v2.{t:f16x2}.s32")
def tex_fetch(w: Writer, i: Use) -> None:
    """One texel by number."""
    d, a, *behind = i.take(2, 3)
    address = memory(a, i)
    word, offsets = _moved(w, i, behind)
    arguments = [handle(w, i, address), *coordinates(w, i, address, "u32"), *offsets]
    _put(w, i, d, f"ptx_tex_fetch_{word}{i['g']}({', '.join(arguments)})")


@ptx(f"tex.level.{{g:{GEOMETRIES}}}.v4.{{t:f32|s32|u32}}.f32", f"tex.level.{{g:{GEOMETRIES}}}.v2.{{t:f16x2}}.f32")
def tex_level(w: Writer, i: Use) -> None:
    """Sample a level."""
    d, a, level, *behind = i.take(3, 4, 5)
    address = memory(a, i)
    word, offsets = _moved(w, i, behind)
    arguments = [handle(w, i, address), *coordinates(w, i, address, "f32"), w.get(level, "f32"), *offsets]
    _put(w, i, d, f"ptx_tex_level_{word}{i['g']}({', '.join(arguments)})")


@ptx(f"tex.grad.{{g:{GEOMETRIES}}}.v4.{{t:f32|s32|u32}}.f32", f"tex.grad.{{g:{GEOMETRIES}}}.v2.{{t:f16x2}}.f32")
def tex_grad(w: Writer, i: Use) -> None:
    """Sample the level that the gradients ask for.

    With one coordinate and a comparand ptxas calls a function of the driver, which gives zeros whatever the texture
    holds (20 forms recorded on an H200).
    """
    d, a, dx, dy, *behind = i.take(4, 5, 6)
    address = memory(a, i)
    count = _SHAPES[i["g"]][0]
    arguments = [handle(w, i, address), *coordinates(w, i, address, "f32")]
    for gradient in (dx, dy):
        arguments += [w.get(item, "f32") for item in items_of(gradient, 4 if count == 3 else count, i)[:count]]
    word, offsets = _moved(w, i, behind)
    compared = len(behind) > bool(offsets)
    called = f"ptx_tex_grad_{word}{i['g']}({', '.join([*arguments, *offsets])})"
    _put(w, i, d, "(V4<f32>)0" if compared and i["g"] == "1d" else called)


@ptx("tld4.{channel:r|g|b|a}.{g:2d|a2d|cube|acube}.v4.{t:f32|s32|u32}.f32")
def tld4(w: Writer, i: Use) -> None:
    """One channel of the four texels around a place."""
    d, a, *behind = i.take(2, 3, 4)
    address = memory(a, i)
    word, offsets = _moved(w, i, behind)
    arguments = [handle(w, i, address), *coordinates(w, i, address, "f32"), *offsets]
    _put(w, i, d, f"ptx_tld4_{word}{i['g']}<{'rgba'.index(i['channel'])}>({', '.join(arguments)})")


_SIZES = "width|height|depth"


@ptx(
    f"txq.{{what:{_SIZES}|array_size|num_mipmap_levels}}.{{t:b32}}",
    f"txq.{{level:level}}.{{what:{_SIZES}}}.{{t:b32}}",
    f"suq.{{what:{_SIZES}|array_size}}.{{t:b32}}",
)
def txq(w: Writer, i: Use) -> None:
    """Sizes of a texture or surface."""
    d, a, *level = i.take(3 if i["level"] else 2)
    which = w.get(level[0], "u32") if level else "0"
    w.set(d, "u32", f"ptx_txq_{i['what']}({handle(w, i, memory(a, i))}, {which})")


@ptx("istypep.{kind:texref|surfref}")
def istypep(w: Writer, i: Use) -> None:
    """Whether a handle is a texture's, or a surface's."""
    d, a = i.take(2)
    name = "texture" if i["kind"] == "texref" else "surface"
    w.set(d, "pred", f"ptx_is_{name}({w.slot('TEXTURES')}, {w.get(a, 'u64')})")
