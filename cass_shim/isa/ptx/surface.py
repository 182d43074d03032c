"""Surfaces. Source: PTX ISA 9.0 §9.7.11; handles are those of the descriptor table (docs/abi.md).

`.b` accesses name bytes: x is a byte offset and data are copied as they are. `.p` ones name texels.
"""

from __future__ import annotations

from cass_shim.isa.ptx.spec import Use, Writer, items_of, memory, ptx
from cass_shim.isa.ptx.syntax import Operand
from cass_shim.isa.ptx.texture import coordinates, handle
from cass_shim.isa.ptx.types import bits_of

_GEOMETRIES = "{g:1d|2d|3d|a1d|a2d}"
_OUTSIDE = "{outside:trap|clamp|zero}"
_WORDS = ("x", "y", "z", "w")


def _count(i: Use) -> int:
    return int(i["vec"][1:]) if i["vec"] else 1


def _place(w: Writer, i: Use, a: Operand) -> str:
    """Table, handle and coordinates."""
    address = memory(a, i)
    return ", ".join([handle(w, i, address), *coordinates(w, i, address, "u32")])


def _mode(i: Use) -> str:
    return f"PTX_{i['outside'].upper()}"


@ptx(f"suld.b.{_GEOMETRIES}.{{ca|cg|cs|cv}}?.{{vec:v2|v4}}?.{{t:b8|b16|b32|b64}}.{_OUTSIDE}")
def suld(w: Writer, i: Use) -> None:
    """d = bytes of a texel, element by element."""
    d, a = i.take(2)
    bits, count = bits_of(i.t), _count(i)
    name = w.fresh("texel")
    w.line(f"auto {name} = ptx_suld_{i['g']}<{bits * count // 8}, {_mode(i)}>({_place(w, i, a)})")
    for index, item in enumerate(items_of(d, count, i)):
        word, shift = divmod(index * bits, 32)
        part = f"{name}.{_WORDS[word]}"
        if bits == 64:
            w.set(item, i.t, f"(u64){part} | (u64){name}.{_WORDS[word + 1]} << 32")
        elif bits == 32:
            w.set(item, i.t, part)
        else:
            w.set(item, i.t, f"(u{bits})({part} >> {shift})" if shift else f"(u{bits}){part}")


@ptx(f"sust.b.{_GEOMETRIES}.{{wb|cg|cs|wt}}?.{{vec:v2|v4}}?.{{t:b8|b16|b32|b64}}.{_OUTSIDE}")
def sust(w: Writer, i: Use) -> None:
    """A texel = bytes."""
    a, b = i.take(2)
    bits, count = bits_of(i.t), _count(i)
    words: list[list[str]] = [[], [], [], []]
    for index, item in enumerate(items_of(b, count, i)):
        word, shift = divmod(index * bits, 32)
        value = w.get(item, i.t)
        if bits == 64:
            words[word].append(f"(u32)({value})")
            words[word + 1].append(f"(u32)(({value}) >> 32)")
        else:
            low = f"(u32){value}" if bits == 32 else f"(u32)(u{bits}){value}"
            words[word].append(f"{low} << {shift}" if shift else low)
    listed = ", ".join(" | ".join(parts) or "0" for parts in words)
    w.line(f"ptx_sust_{i['g']}<{bits * count // 8}, {_mode(i)}>({_place(w, i, a)}, V4<u32>{{{listed}}})")


@ptx(f"sust.p.{_GEOMETRIES}.{{vec:v2|v4}}?.{{t:b32}}.{_OUTSIDE}")
def sust_formatted(w: Writer, i: Use) -> None:
    """A texel = channels, converted to the surface's format."""
    a, b = i.take(2)
    values = [w.get(item, "u32") for item in items_of(b, _count(i), i)]
    listed = ", ".join([*values, *["0"] * (4 - len(values))])
    w.line(f"ptx_sust_{i['g']}<0, {_mode(i)}>({_place(w, i, a)}, V4<u32>{{{listed}}})")


@ptx(
    f"sured.{{way:b}}.{{op:add|min|max}}.{{g:1d|2d|3d}}.{{t:u32|s32}}.{_OUTSIDE}",
    f"sured.{{way:b}}.{{op:and|or}}.{{g:1d|2d|3d}}.{{t:b32}}.{_OUTSIDE}",
    f"sured.{{way:p}}.{{op:add|min|max|and|or}}.{{g:1d|2d|3d}}.{{t:b32}}.{_OUTSIDE}",
    f"sured.{{way:b}}.{{op:add|min|max}}.{{g:1d|2d|3d}}.{{t:u64}}.{_OUTSIDE}",
    f"sured.{{way:b}}.{{op:min|max}}.{{g:1d|2d|3d}}.{{t:s64}}.{_OUTSIDE}",
    f"sured.{{way:p}}.{{op:min|max}}.{{g:1d|2d|3d}}.{{t:b64}}.{_OUTSIDE}",
)
def sured(w: Writer, i: Use) -> None:
    """An atomic operation on a texel. Minimum and maximum of .p are signed where the surface's format is."""
    a, b = i.take(2)
    bytes_ = str(i["way"] == "b").lower()
    wide, data = ("64", "u64") if i.t.endswith("64") else ("", "u32")
    place, value = _place(w, i, a), w.get(b, data)

    def call(sign: str) -> str:
        return f"ptx_sured_{sign}{i['op']}{wide}_{i['g']}<{bytes_}, {_mode(i)}>({place}, {value})"

    if i["op"] not in ("min", "max"):
        w.line(call(""))
    elif i["way"] == "b":
        w.line(call(i.t[0]))
    else:
        w.line(f"if (ptx_signed_texels({handle(w, i, memory(a, i))})) {call('s')}; else {call('u')}")
