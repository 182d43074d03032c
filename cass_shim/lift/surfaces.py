"""Surface loads, stores and reductions as LLVM image intrinsics.

What lies in a texel is copied as it is: the resource's format is replaced by the unsigned integers of the texel's
size, and the byte offset that SASS gives in x becomes a texel and a place in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cass_shim.lift.builder import Value, constant, typed
from cass_shim.lift.image_helpers import FLAGS
from cass_shim.lift.images import entry_of, field, helper, image_of, object_of, words_of
from cass_shim.model.kernel_abi import TEXTURE_FORMAT_SHIFT, TextureFormat

if TYPE_CHECKING:
    from cass_shim.lift.emitter import LlvmEmitter

# Shape → (gfx11's resource type, fields of the table's entry that bound the coordinates).
_WIDTH, _HEIGHT, _DEPTH, _TEXEL_BYTES = 16, 20, 24, 8
_SHAPES = {
    "1d": (8, (_WIDTH,)), "2d": (9, (_WIDTH, _HEIGHT)), "3d": (10, (_WIDTH, _HEIGHT, _DEPTH)),
    "1darray": (12, (_WIDTH, _DEPTH)), "2darray": (13, (_WIDTH, _HEIGHT, _DEPTH)),
}  # fmt: skip
_WIDEST = 16  # bytes of a texel
_MOST_TEXELS = 16384  # in a row of gfx11's images
_ATOMICS = {"add": "add", "and": "and", "or": "or", "xor": "xor", "inc": "inc", "dec": "dec"}


class _Place:
    """One access: the texel's coordinates, the byte in the texel, the resource, and whether it lies outside."""

    def __init__(self, e: LlvmEmitter, handle: Value, shape: str, coordinates: list[Value], in_bytes: bool) -> None:
        kind, bounds = _SHAPES[shape]
        entry = entry_of(e, handle)
        self.texel_bytes = field(e, entry, _TEXEL_BYTES)
        self.unbound = e.compare("eq", self.texel_bytes, constant(0, 32))  # handle 0: of a reference without a surface
        x, *rest = coordinates
        self.byte = constant(0, 32)
        if in_bytes:
            self.byte = e.and_(x, e.sub(self.texel_bytes, constant(1, 32)))
            log = e.and_(e.sub(constant(31, 32), e.count_leading_zeros(self.texel_bytes)), constant(31, 32))
            x = e.ashr(x, log)
        self.coordinates = [x, *rest]
        self.extents = [field(e, entry, offset) for offset in bounds]
        image = image_of(e, object_of(e, entry))
        arguments = (f"<8 x i32> {image}", typed(self.texel_bytes), f"i32 {kind}")
        self.flags = field(e, entry, FLAGS)
        self.image, self.raw = image, e.call_text("<8 x i32>", helper(e, "cass.raw"), *arguments)

    def beyond(self, e: LlvmEmitter) -> Value:
        """i1: some coordinate is outside."""
        found = constant(0, 1)
        for one, extent in zip(self.coordinates, self.extents, strict=True):
            found = e.or_(found, e.compare("uge", one, extent))
        return found

    def clamp(self, e: LlvmEmitter) -> None:
        """Move the coordinates to the nearest texel."""
        zero, one = constant(0, 32), constant(1, 32)
        pairs = zip(self.coordinates, self.extents, strict=True)
        self.coordinates = [e.umin(e.smax(c, zero), e.sub(extent, one)) for c, extent in pairs]

    def operands(self, image: str) -> list[str]:
        return _operands(self.coordinates, image)


def _operands(coordinates: list[Value], image: str) -> list[str]:
    return [*(typed(c) for c in coordinates), f"<8 x i32> {image}", "i32 0", "i32 0"]


def _trap_if(e: LlvmEmitter, bad: Value) -> None:
    """Leave for the trap at the function's end: LLVM 22 loses its way when a trap stands between other blocks."""
    go = e.new_label("inside")
    e.raw(f"br i1 {bad.text}, label %lost, label %{go}")
    e.start(go)


def _check(e: LlvmEmitter, place: _Place, size: int, whole: bool, outside: str) -> Value:
    """Trap on an access that is wider than the texel (or, `whole`, not exactly it); i1: it is to be left out.

    Where nothing is bound every access is left out, as on an H200 (`tests/native/references`).
    """
    wrong = constant(0, 1)
    if size:
        condition = "ne" if whole else "ugt"
        wrong = e.compare(condition, constant(size, 32), place.texel_bytes)
    if outside == "clamp":
        place.clamp(e)
    beyond = place.beyond(e) if outside != "clamp" else constant(0, 1)
    if outside == "trap":
        wrong, beyond = e.or_(wrong, beyond), constant(0, 1)
    if wrong.known != 0:
        _trap_if(e, e.and_(wrong, e.not_(place.unbound)))
    first, *rest = place.coordinates
    place.coordinates = [e.select(place.unbound, constant(-1, 32), first), *rest]  # outside of any image
    return e.or_(beyond, place.unbound)


def surface_load(
    e: LlvmEmitter, handle: Value, shape: str, coordinates: list[Value], size: int, outside: str
) -> list[Value]:
    """`isa.emitter.Emitter.surface_load`."""
    place = _Place(e, handle, shape, coordinates, True)
    beyond = _check(e, place, size, False, outside)
    name = f"llvm.amdgcn.image.load.{shape}.v4i32.i32"
    words = words_of(e, e.call_text("<4 x i32>", name, "i32 15", *place.operands(place.raw)))
    if size == 8:
        upper = e.compare("uge", place.byte, constant(8, 32))
        words = [e.select(upper, words[2 + k], words[k]) for k in range(2)]
    elif size < 8:
        words = [_part(e, words, place.byte, size)]
    zero = constant(0, 32)
    return [e.select(beyond, zero, w) for w in words]


def _part(e: LlvmEmitter, words: list[Value], byte: Value, size: int) -> Value:
    """Up to four bytes of a texel, zero-extended."""
    which = e.lshr(byte, constant(2, 32))
    found = words[0]
    for k in range(1, 4):
        found = e.select(e.compare("eq", which, constant(k, 32)), words[k], found)
    if size == 4:
        return found
    shift = e.shl(e.and_(byte, constant(3, 32)), constant(3, 32))
    return e.and_(e.lshr(found, shift), constant((1 << 8 * size) - 1, 32))


def surface_store(
    e: LlvmEmitter, handle: Value, shape: str, coordinates: list[Value], values: list[Value], size: int, outside: str
) -> None:
    """`isa.emitter.Emitter.surface_store`. An integer format saturates, so narrow values are cut off first."""
    place = _Place(e, handle, shape, coordinates, size > 0)
    beyond = _check(e, place, size, size == _WIDEST, outside)
    if 0 < size < 4:
        values = [e.and_(values[0], constant((1 << 8 * size) - 1, 32))]

    def whole() -> None:
        _store(e, shape, place.operands(place.raw if size else place.image), values)

    if size in (0, _WIDEST):
        _unless(e, beyond, whole)
        return
    wider = e.compare("ne", constant(size, 32), place.texel_bytes)
    _unless(e, beyond, lambda: _either(e, wider, lambda: _store_part(e, place, shape, values, size), whole))


def _store(e: LlvmEmitter, shape: str, operands: list[str], values: list[Value]) -> None:
    vector = "zeroinitializer"
    for k, value in enumerate(values):
        vector = e.text(f"insertelement <4 x i32> {vector}, {typed(value)}, i32 {k}")
    floats = e.text(f"bitcast <4 x i32> {vector} to <4 x float>")  # the intrinsic takes no integers
    e.call_text("void", f"llvm.amdgcn.image.store.{shape}.v4f32.i32", f"<4 x float> {floats}", "i32 15", *operands)


def _store_part(e: LlvmEmitter, place: _Place, shape: str, values: list[Value], size: int) -> None:
    """Into a texel that is wider, by its words: less than one with atomics, since others may write the rest of it."""
    row = e.mul(place.extents[0], place.texel_bytes)
    _trap_if(e, e.compare("ugt", row, constant(4 * _MOST_TEXELS, 32)))
    words = e.call_text("<8 x i32>", helper(e, "cass.words"), f"<8 x i32> {place.raw}", typed(place.texel_bytes))
    x, *rest = place.coordinates
    start = e.add(e.mul(x, place.texel_bytes), place.byte)
    word = e.lshr(start, constant(2, 32))
    if size >= 4:
        for k, value in enumerate(values):
            at = e.add(word, constant(k, 32))
            _store(e, shape, _operands([at, *rest], words), [value])
        return
    shift = e.shl(e.and_(start, constant(3, 32)), constant(3, 32))
    mask = e.shl(constant((1 << 8 * size) - 1, 32), shift)
    for operation, value in (("and", e.not_(mask)), ("or", e.shl(values[0], shift))):
        arguments = [typed(value), *_operands([word, *rest], words)]
        e.call_text("i32", f"llvm.amdgcn.image.atomic.{operation}.{shape}.i32.i32", *arguments)


def surface_reduce(
    e: LlvmEmitter,
    handle: Value,
    shape: str,
    coordinates: list[Value],
    operation: str,
    kind: str,
    value: Value,
    in_bytes: bool,
    outside: str,
) -> None:
    """`isa.emitter.Emitter.surface_reduce`."""
    place = _Place(e, handle, shape, coordinates, in_bytes)
    beyond = _check(e, place, value.width // 8, True, outside)
    arguments, type_ = [typed(value), *place.operands(place.raw)], f"i{value.width}"

    def write(name: str) -> None:
        e.call_text(type_, f"llvm.amdgcn.image.atomic.{name}.{shape}.{type_}.i32", *arguments)

    def by_format() -> None:
        texels = e.and_(e.lshr(place.flags, constant(TEXTURE_FORMAT_SHIFT, 32)), constant(15, 32))
        signed = e.compare("eq", texels, constant(TextureFormat.SIGNED, 32))
        _either(e, signed, lambda: write(f"s{operation}"), lambda: write(f"u{operation}"))

    plain = _ATOMICS.get(operation)
    if plain is None and kind[0] == "d":
        _unless(e, beyond, by_format)
    else:
        _unless(e, beyond, lambda: write(plain or f"{kind[0]}{operation}"))


def _either(e: LlvmEmitter, condition: Value, yes: Callable[[], None], no: Callable[[], None]) -> None:
    labels = [e.new_label(stem) for stem in ("part", "whole", "both")]
    e.raw(f"br i1 {condition.text}, label %{labels[0]}, label %{labels[1]}")
    for label, write in zip(labels, (yes, no), strict=False):
        e.start(label)
        write()
        e.raw(f"br label %{labels[2]}")
    e.start(labels[2])


def _unless(e: LlvmEmitter, left_out: Value, write: Callable[[], object]) -> None:
    inside, after = e.new_label("stored"), e.new_label("after")
    e.raw(f"br i1 {left_out.text}, label %{after}, label %{inside}")
    e.start(inside)
    write()
    e.raw(f"br label %{after}")
    e.start(after)
