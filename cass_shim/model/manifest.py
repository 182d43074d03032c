"""The module manifest: what the target process must know of one fatbinary entry, in a layout that C reads.

In: the kernels, images and variables of a module. Out: the bytes of a `.cman` file, and back.
File: FILE_HEADER, MANIFEST_HEAD, then the tables at the offsets that the head gives (from the file's start,
each 8-aligned), image contents 16-aligned, strings last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cass_shim.model.errors import Malformed
from cass_shim.model.kernel_abi import KernelAbi, Param
from cass_shim.model.layout import FILE_HEADER, Layout, Record, StringTable, check_seal, read_string, seal

MANIFEST_MAGIC = b"CASSMAN\0"
MANIFEST_VERSION = 2
MANIFEST_EXTENSION = ".cman"

# The kinds of an image; `CASS_IMAGE_*` of client.h. DataImage.kind → number.
IMAGE_KINDS = {"global": 0, "zero": 1, "constant3": 2, "texture": 3, "surface": 4}

# The kinds of an image relocation; `cass_image_relocation.kind` of client.h.
RELOCATION_VARIABLE = 0
RELOCATION_TOKEN = 1

MANIFEST_HEAD = Layout(
    "cass_manifest_head",
    (
        ("u8[32]", "module"),
        ("u32", "kernel_count"),
        ("u32", "param_count"),
        ("u32", "image_count"),
        ("u32", "variable_count"),
        ("u32", "relocation_count"),
        ("u32", "reserved0"),
        ("u64", "kernels"),
        ("u64", "params"),
        ("u64", "images"),
        ("u64", "variables"),
        ("u64", "relocations"),
        ("u64", "strings"),
        ("u64", "strings_bytes"),
    ),
)

MANIFEST_KERNEL = Layout(
    "cass_manifest_kernel",
    (
        ("u8[32]", "key"),
        ("u32", "name"),
        ("u32", "first_param"),
        ("u32", "param_count"),
        ("u32", "params_bytes"),
        ("u32", "registers"),
        ("u32", "shared_bytes"),
        ("u32", "local_bytes"),
        ("u32", "const_bytes"),
        ("u32", "max_threads"),
        ("u32", "required_block_x"),
        ("u32", "required_block_y"),
        ("u32", "required_block_z"),
        ("u32", "cooperative"),
        ("u32", "sm"),
        ("u32", "ptx_version"),
        ("u32", "reserved0"),
    ),
)

MANIFEST_PARAM = Layout("cass_manifest_param", (("u32", "offset"), ("u32", "size")))

MANIFEST_IMAGE = Layout(
    "cass_manifest_image",
    (("u32", "kind"), ("u32", "align"), ("u64", "size"), ("u64", "content")),  # content: file offset or 0
)

MANIFEST_VARIABLE = Layout(
    "cass_manifest_variable",
    (
        ("u32", "name"),
        ("u32", "image"),
        ("u64", "offset"),
        ("u64", "size"),
        ("u32", "visible"),
        ("u32", "managed"),
    ),
)

MANIFEST_RELOCATION = Layout(
    "cass_manifest_relocation",
    (
        ("u32", "image"),
        ("u32", "kind"),
        ("u64", "offset"),
        ("u32", "variable"),
        ("u32", "reserved0"),
        ("i64", "addend"),
    ),
)


@dataclass(frozen=True, slots=True)
class ManifestKernel:
    """One kernel. key: 32 bytes. const_bytes: constant memory that it can reach. ptx_version: 90 for 9.0."""

    name: str
    key: bytes
    abi: KernelAbi
    sm: int
    ptx_version: int = 0
    const_bytes: int = 0


@dataclass(frozen=True, slots=True)
class ManifestImage:
    """A block of module memory; `content` is empty for zeros, else `size` bytes."""

    kind: str
    size: int
    align: int
    content: bytes = b""


@dataclass(frozen=True, slots=True)
class ManifestVariable:
    """A symbol at `offset` bytes of image number `image`."""

    name: str
    image: int
    offset: int
    size: int
    visible: bool = True
    managed: bool = False


@dataclass(frozen=True, slots=True)
class ManifestRelocation:
    """An 8-byte word at `offset` of an image that holds a variable's address, or (variable None) a token."""

    image: int
    offset: int
    variable: int | None
    addend: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the shim knows of a module. `module`: SHA-256 of the fatbinary entry as stored."""

    module: bytes
    kernels: tuple[ManifestKernel, ...]
    images: tuple[ManifestImage, ...] = ()
    variables: tuple[ManifestVariable, ...] = ()
    relocations: tuple[ManifestRelocation, ...] = ()


def _aligned(size: int, alignment: int) -> int:
    return (size + alignment - 1) & -alignment


def _pack_kernels(kernels: Sequence[ManifestKernel], strings: StringTable) -> tuple[bytes, bytes]:
    """The kernel table and the parameter table."""
    table, params = bytearray(), bytearray()
    for kernel in kernels:
        abi = kernel.abi
        block = abi.required_block or (0, 0, 0)
        table += MANIFEST_KERNEL.pack(
            key=kernel.key,
            name=strings.add(kernel.name),
            first_param=len(params) // MANIFEST_PARAM.size,
            param_count=len(abi.params),
            params_bytes=abi.params_bytes,
            registers=abi.registers,
            shared_bytes=abi.shared_bytes,
            local_bytes=abi.local_bytes,
            const_bytes=kernel.const_bytes,
            max_threads=abi.max_threads,
            required_block_x=block[0],
            required_block_y=block[1],
            required_block_z=block[2],
            cooperative=int(abi.cooperative),
            sm=kernel.sm,
            ptx_version=kernel.ptx_version,
        )
        for param in sorted(abi.params, key=lambda one: one.ordinal):
            params += MANIFEST_PARAM.pack(offset=param.offset, size=param.size)
    return bytes(table), bytes(params)


def _pack_images(images: Sequence[ManifestImage], first_content: int) -> tuple[bytes, bytes]:
    """The image table and the contents, which begin at file offset `first_content` (16-aligned)."""
    table, contents = bytearray(), bytearray()
    for image in images:
        offset = 0
        if image.content:
            if len(image.content) != image.size:
                raise Malformed(f"image of {image.size} bytes has {len(image.content)} bytes of content")
            contents += bytes(-len(contents) % 16)
            offset = first_content + len(contents)
            contents += image.content
        table += MANIFEST_IMAGE.pack(kind=IMAGE_KINDS[image.kind], align=image.align, size=image.size, content=offset)
    return bytes(table), bytes(contents)


def _pack_variables(manifest: Manifest, strings: StringTable) -> tuple[bytes, bytes]:
    variables = b"".join(
        MANIFEST_VARIABLE.pack(
            name=strings.add(one.name),
            image=one.image,
            offset=one.offset,
            size=one.size,
            visible=int(one.visible),
            managed=int(one.managed),
        )
        for one in manifest.variables
    )
    relocations = b"".join(
        MANIFEST_RELOCATION.pack(
            image=one.image,
            kind=RELOCATION_TOKEN if one.variable is None else RELOCATION_VARIABLE,
            offset=one.offset,
            variable=one.variable or 0,
            addend=one.addend,
        )
        for one in manifest.relocations
    )
    return variables, relocations


def pack_manifest(manifest: Manifest) -> bytes:
    """The bytes of the manifest's file."""
    strings = StringTable()
    kernels, params = _pack_kernels(manifest.kernels, strings)
    variables, relocations = _pack_variables(manifest, strings)
    at_kernels = _aligned(FILE_HEADER.size + MANIFEST_HEAD.size, 8)
    at_params = _aligned(at_kernels + len(kernels), 8)
    at_variables = _aligned(at_params + len(params), 8)
    at_relocations = _aligned(at_variables + len(variables), 8)
    at_images = _aligned(at_relocations + len(relocations), 8)
    at_contents = _aligned(at_images + len(manifest.images) * MANIFEST_IMAGE.size, 16)
    images, contents = _pack_images(manifest.images, at_contents)
    at_strings = at_contents + len(contents)
    head = MANIFEST_HEAD.pack(
        module=manifest.module,
        kernel_count=len(manifest.kernels),
        param_count=len(params) // MANIFEST_PARAM.size,
        image_count=len(manifest.images),
        variable_count=len(manifest.variables),
        relocation_count=len(manifest.relocations),
        kernels=at_kernels,
        params=at_params,
        images=at_images,
        variables=at_variables,
        relocations=at_relocations,
        strings=at_strings,
        strings_bytes=len(strings.content),
    )
    body = bytearray(at_strings - FILE_HEADER.size)
    placed = (
        (FILE_HEADER.size, head),
        (at_kernels, kernels),
        (at_params, params),
        (at_variables, variables),
        (at_relocations, relocations),
        (at_images, images),
        (at_contents, contents),
    )
    for offset, table in placed:
        body[offset - FILE_HEADER.size : offset - FILE_HEADER.size + len(table)] = table
    return seal(MANIFEST_MAGIC, MANIFEST_VERSION, bytes(body) + bytes(strings.content))


class _Reader:
    """Typed access to the tables of a checked file."""

    def __init__(self, content: bytes, where: str) -> None:
        self.content, self.where = content, where
        self.head = MANIFEST_HEAD.unpack(content, FILE_HEADER.size, where=where)
        start, size = self.number("strings"), self.number("strings_bytes")
        self.strings = content[start : start + size]

    def number(self, field: str) -> int:
        value = self.head[field]
        assert isinstance(value, int)
        return value

    def rows(self, layout: Layout, table: str, count: str) -> list[Record]:
        start = self.number(table)
        return [
            layout.unpack(self.content, start + index * layout.size, where=self.where)
            for index in range(self.number(count))
        ]

    def text(self, offset: int | bytes) -> str:
        assert isinstance(offset, int)
        return read_string(self.strings, offset, where=self.where)


def _read_kernel(reader: _Reader, row: Record, params: list[Record]) -> ManifestKernel:
    value = {name: field for name, field in row.items() if isinstance(field, int)}
    block = (value["required_block_x"], value["required_block_y"], value["required_block_z"])
    first, count = value["first_param"], value["param_count"]
    if first + count > len(params):
        raise Malformed("parameters outside their table", where=reader.where)
    abi = KernelAbi(
        params=tuple(
            Param(ordinal, int(one["offset"]), int(one["size"]))
            for ordinal, one in enumerate(params[first : first + count])
        ),
        params_bytes=value["params_bytes"],
        registers=value["registers"],
        shared_bytes=value["shared_bytes"],
        local_bytes=value["local_bytes"],
        max_threads=value["max_threads"],
        required_block=block if any(block) else None,
        cooperative=bool(value["cooperative"]),
    )
    key = row["key"]
    assert isinstance(key, bytes)
    return ManifestKernel(reader.text(value["name"]), key, abi, value["sm"], value["ptx_version"], value["const_bytes"])


def _read_image(reader: _Reader, row: Record) -> ManifestImage:
    kinds = {number: name for name, number in IMAGE_KINDS.items()}
    if row["kind"] not in kinds:
        raise Malformed(f"image kind {row['kind']!r}", where=reader.where)
    size, start = int(row["size"]), int(row["content"])
    if start and start + size > len(reader.content):
        raise Malformed("image content outside the file", where=reader.where, offset=start)
    content = reader.content[start : start + size] if start else b""
    return ManifestImage(kinds[int(row["kind"])], size, int(row["align"]), content)


def read_manifest(content: bytes, where: str = "manifest") -> Manifest:
    """The manifest in a file's bytes; Malformed when they are not one. `params_base` is not kept."""
    check_seal(content, MANIFEST_MAGIC, MANIFEST_VERSION, where=where)
    reader = _Reader(content, where)
    params = reader.rows(MANIFEST_PARAM, "params", "param_count")
    module = reader.head["module"]
    assert isinstance(module, bytes)
    return Manifest(
        module,
        tuple(_read_kernel(reader, row, params) for row in reader.rows(MANIFEST_KERNEL, "kernels", "kernel_count")),
        tuple(_read_image(reader, row) for row in reader.rows(MANIFEST_IMAGE, "images", "image_count")),
        tuple(
            ManifestVariable(
                reader.text(row["name"]),
                int(row["image"]),
                int(row["offset"]),
                int(row["size"]),
                bool(row["visible"]),
                bool(row["managed"]),
            )
            for row in reader.rows(MANIFEST_VARIABLE, "variables", "variable_count")
        ),
        tuple(
            ManifestRelocation(
                int(row["image"]),
                int(row["offset"]),
                int(row["variable"]) if row["kind"] == RELOCATION_VARIABLE else None,
                int(row["addend"]),
            )
            for row in reader.rows(MANIFEST_RELOCATION, "relocations", "relocation_count")
        ),
    )
