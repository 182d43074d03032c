"""Textures and surfaces as LLVM image intrinsics.

A handle is an index into the descriptor table (`model.kernel_abi`, slot TEXTURES), whose entry leads to the image
resource and the sampler in memory. Lanes with different handles are LLVM's business: it serves one descriptor after
the other. Each form is a helper function of its own, inlined where it is used. Descriptor fields: AMD's RDNA3 ISA
manual, "Image Resource Descriptor"; the cube's coordinates and the face plus eight times the layer: ibid., image
addressing.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from cass_shim.lift.builder import Value, constant, typed
from cass_shim.lift.image_helpers import DECLARED, DEPTH, FLAGS, HELPERS
from cass_shim.model.kernel_abi import TEXTURE_KIND_MASK, TEXTURE_SURFACE, SlotKind, TextureKind

if TYPE_CHECKING:
    from cass_shim.lift.emitter import LlvmEmitter

FACES = 6
# Shape → (LLVM's dimension, coordinates that are filtered, whether a layer follows).
SHAPES = {
    "1d": ("1d", 1, False), "2d": ("2d", 2, False), "3d": ("3d", 3, False), "cube": ("cube", 3, False),
    "1darray": ("1darray", 1, True), "2darray": ("2darray", 2, True), "cubearray": ("cube", 3, True),
}  # fmt: skip


def helper(e: LlvmEmitter, name: str) -> str:
    """Make a helper available, with what it calls; its name."""
    text = HELPERS[name]
    for other in HELPERS:
        if f"@{other}(" in text and other != name:
            helper(e, other)
    e.helpers.setdefault(name, text)
    for called, declaration in DECLARED.items():
        if f"@{called}(" in text:
            e.declarations[called] = declaration
    return name


def entry_of(e: LlvmEmitter, handle: Value) -> str:
    """Pointer to the table's entry of a handle."""
    table = e.slot(SlotKind.TEXTURES)
    pointer = e.text(f"inttoptr {typed(table)} to ptr addrspace(4)")
    return e.call_text("ptr addrspace(4)", helper(e, "cass.entry"), f"ptr addrspace(4) {pointer}", typed(handle))


def field(e: LlvmEmitter, entry: str, offset: int) -> Value:
    """A 32-bit field of an entry."""
    where = e.text(f"getelementptr i8, ptr addrspace(4) {entry}, i32 {offset}")
    return e.op(32, f"load i32, ptr addrspace(4) {where}, align 4, !invariant.load !0")


def object_of(e: LlvmEmitter, entry: str) -> str:
    return e.call_text("ptr addrspace(4)", helper(e, "cass.object"), f"ptr addrspace(4) {entry}")


def image_of(e: LlvmEmitter, found: str) -> str:
    return e.text(f"load <8 x i32>, ptr addrspace(4) {found}, align 16, !invariant.load !0")


def words_of(e: LlvmEmitter, vector: str) -> list[Value]:
    """The four words of a <4 x i32>."""
    return [e.op(32, f"extractelement <4 x i32> {vector}, i32 {k}") for k in range(4)]


def _float(e: LlvmEmitter, bits: Value) -> str:
    return f"float {e.text(f'bitcast {typed(bits)} to float')}"


def _coordinates(e: LlvmEmitter, shape: str, coordinates: list[Value], layer: Value | None) -> list[str]:
    """The address of a sample: coordinates, then the face or the layer as a float."""
    _, _, layered = SHAPES[shape]
    place = [_float(e, one) for one in coordinates]
    number = e.text(f"uitofp {typed(layer)} to float") if layered and layer is not None else ""
    if shape.startswith("cube"):
        three = e.call_text("{ float, float, float }", helper(e, "cass.cube"), *place)
        place = [f"float {e.text(f'extractvalue {{ float, float, float }} {three}, {k}')}" for k in range(3)]
        if number:
            place[2] = f"float {e.call_text('float', 'llvm.fma.f32', f'float {number}', 'float 8.0', place[2])}"
        return place
    return [*place, f"float {number}"] if number else place


def _last_cube(e: LlvmEmitter, entry: str, layer: Value) -> Value:
    """The layer, or the last cube's: the device clamps the face behind it, which would turn into another one."""
    faces = field(e, entry, DEPTH)
    cubes = e.op(32, f"udiv {typed(faces)}, {FACES}")
    return e.umin(layer, e.sub(cubes, constant(1, 32)))


def _sampled(e: LlvmEmitter, entry: str, shape: str) -> tuple[str, str]:
    """Image and sampler."""
    found = object_of(e, entry)
    image = image_of(e, found)
    sampler = e.call_text("<4 x i32>", helper(e, "cass.sampler"), f"ptr addrspace(4) {found}")
    if shape != "2d":
        return image, sampler
    kind = e.and_(field(e, entry, FLAGS), constant(TEXTURE_KIND_MASK, 32))
    row = e.compare("eq", kind, constant(TextureKind.ARRAY_1D, 32))
    plane = e.call_text("<8 x i32>", helper(e, "cass.plane"), f"<8 x i32> {image}", typed(row))
    return plane, sampler


def _level_is_base(level: Value) -> bool:
    """Whether a level is a constant at or below 0: ptxas gives -32 where PTX names none."""
    return level.known is not None and struct.unpack("<f", struct.pack("<I", level.known))[0] <= 0.0


def sample(
    e: LlvmEmitter,
    handle: Value,
    shape: str,
    coordinates: list[Value],
    layer: Value | None,
    level: Value | None,
    gradients: list[Value],
    offsets: list[Value],
) -> list[Value]:
    """`isa.emitter.Emitter.sample`."""
    entry = entry_of(e, handle)
    image, sampler = _sampled(e, entry, shape)
    if shape == "cubearray" and layer is not None:
        layer = _last_cube(e, entry, layer)
    place = _coordinates(e, shape, coordinates, layer)
    dimension = SHAPES[shape][0]
    types = "v4f32.f32"
    if gradients:
        operation, types = "sample.d", "v4f32.f32.f32"
        place = [*_gradients(e, shape, coordinates, gradients), *place]
    elif level is None or _level_is_base(level):
        operation = "sample.lz"
    else:
        operation = "sample.l"
        place = [*place, _float(e, level)]
    name = f"llvm.amdgcn.image.{operation}{'.o' * bool(offsets)}.{dimension}.{types}"
    result = _image(e, name, 15, [*_packed(e, offsets), *place], image, sampler)
    return words_of(e, e.text(f"bitcast <4 x float> {result} to <4 x i32>"))


def _gradients(e: LlvmEmitter, shape: str, coordinates: list[Value], gradients: list[Value]) -> list[str]:
    """d/dx of all coordinates, then d/dy; of a cube those of the place on the face."""
    floats = [_float(e, one) for one in gradients]
    if not shape.startswith("cube"):
        return floats
    direction = [_float(e, one) for one in coordinates]
    four = e.call_text("<4 x float>", helper(e, "cass.cube.gradients"), *direction, *floats)
    return [f"float {e.text(f'extractelement <4 x float> {four}, i32 {k}')}" for k in range(4)]


def _packed(e: LlvmEmitter, offsets: list[Value]) -> list[str]:
    """Texel offsets in one operand: six bits each at 0, 8 and 16 (RDNA3 ISA manual, image addressing)."""
    packed = constant(0, 32)
    for n, one in enumerate(offsets):
        packed = e.or_(packed, e.shl(e.and_(one, constant(63, 32)), constant(8 * n, 32)))
    return [typed(packed)] if offsets else []


def _image(e: LlvmEmitter, name: str, mask: int, place: list[str], image: str, sampler: str) -> str:
    operands = [f"i32 {mask}", *place, f"<8 x i32> {image}", f"<4 x i32> {sampler}", "i1 false", "i32 0", "i32 0"]
    return e.call_text("<4 x float>", name, *operands)


def gather_texels(
    e: LlvmEmitter,
    handle: Value,
    shape: str,
    coordinates: list[Value],
    layer: Value | None,
    component: int,
    offsets: list[Value],
) -> list[Value]:
    """`isa.emitter.Emitter.gather_texels`."""
    entry = entry_of(e, handle)
    image, sampler = _sampled(e, entry, shape)
    if shape == "cubearray" and layer is not None:
        layer = _last_cube(e, entry, layer)
    place = _coordinates(e, shape, coordinates, layer)
    name = f"llvm.amdgcn.image.gather4.lz{'.o' * bool(offsets)}.{SHAPES[shape][0]}.v4f32.f32"
    result = _image(e, name, 1 << component, [*_packed(e, offsets), *place], image, sampler)
    return words_of(e, e.text(f"bitcast <4 x float> {result} to <4 x i32>"))


def fetch(
    e: LlvmEmitter, handle: Value, shape: str, coordinates: list[Value], layer: Value | None, level: Value | None
) -> list[Value]:
    """`isa.emitter.Emitter.fetch`. One coordinate: linear memory; an array reads as 0 (recorded on an H200)."""
    entry = entry_of(e, handle)
    found = object_of(e, entry)
    if shape == "1d":
        return _linear(e, entry, found, coordinates[0])
    place = [typed(one) for one in (*coordinates, *([layer] if layer is not None else []))]
    if level is not None:
        place.append(typed(level))
    operation = "load.mip" if level is not None else "load"
    name = f"llvm.amdgcn.image.{operation}.{SHAPES[shape][0]}.v4i32.i32"
    image = f"<8 x i32> {image_of(e, found)}"
    return words_of(e, e.call_text("<4 x i32>", name, "i32 15", *place, image, "i32 0", "i32 0"))


def _linear(e: LlvmEmitter, entry: str, found: str, x: Value) -> list[Value]:
    """A texel of linear memory, or zeros where the texture is none."""
    kind = e.and_(field(e, entry, FLAGS), constant(TEXTURE_KIND_MASK, 32))
    linear = e.compare("eq", kind, constant(TextureKind.LINEAR, 32))
    before = e.block
    memory, join = e.new_label("linear"), e.new_label("fetched")
    e.raw(f"br i1 {linear.text}, label %{memory}, label %{join}")
    e.start(memory)
    arguments = (f"ptr addrspace(4) {entry}", f"ptr addrspace(4) {found}", typed(x))
    texel = e.call_text("<4 x i32>", helper(e, "cass.linear"), *arguments)
    e.raw(f"br label %{join}")
    e.start(join)
    return words_of(e, e.text(f"phi <4 x i32> [ {texel}, %{memory} ], [ zeroinitializer, %{before} ]"))


def texture_size(e: LlvmEmitter, handle: Value, level: Value) -> list[Value]:
    """`isa.emitter.Emitter.texture_size`."""
    entry = entry_of(e, handle)
    width, height, depth, levels = (field(e, entry, 16 + 4 * k) for k in range(4))
    flags = field(e, entry, FLAGS)
    kind = e.and_(flags, constant(TEXTURE_KIND_MASK, 32))
    shift, one, none = e.umin(level, constant(31, 32)), constant(1, 32), constant(0, 32)
    small = [e.umax(e.lshr(size, shift), one) for size in (width, height, depth)]

    def among(found: Value, *cases: tuple[TextureKind, Value]) -> Value:
        for one_kind, value in cases:
            found = e.select(e.compare("eq", kind, constant(one_kind, 32)), value, found)
        return found

    surface = e.compare("ne", e.and_(flags, constant(TEXTURE_SURFACE, 32)), none)
    row = e.select(surface, none, small[1])
    high = among(small[1], (TextureKind.LAYERED_1D, depth), (TextureKind.ARRAY_1D, row))
    cubes = e.lshr(e.mul(depth, constant(43691, 32)), constant(18, 32))  # a sixth, of up to 98,303
    deep = among(
        none, (TextureKind.ARRAY_3D, small[2]), (TextureKind.LAYERED_2D, depth), (TextureKind.LAYERED_CUBE, cubes)
    )
    return [small[0], high, deep, levels]
