"""Linking relocatable cubins: what nvlink makes of the same objects is the oracle, where it is installed."""

from __future__ import annotations

import contextlib
import functools
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import pytest

from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.elf import SHT_NOBITS, STT_CUDA_SURFACE, STT_CUDA_TEXTURE, Elf
from cass_shim.extract.elf_writer import ElfWriter, OutSection
from cass_shim.extract.link_fields import FIELDS
from cass_shim.extract.link_inputs import link_images, read_archive
from cass_shim.extract.linker import link_cubins
from cass_shim.extract.nvinfo import FRAME_SIZE, read_records
from cass_shim.model.artifacts import Cubin
from cass_shim.model.errors import CassError, LinkFailed, Malformed, Unsupported
from cass_shim.model.wire import LinkInput, LinkKind

SOURCES = Path(__file__).resolve().parents[1] / "native" / "linked"
NEED = "" if shutil.which("nvcc") and shutil.which("nvlink") else "needs nvcc and nvlink"
pytestmark = pytest.mark.skipif(bool(NEED), reason=NEED)
SMS = (75, 90)


@functools.cache
def folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="linker-"))


@functools.cache
def built(name: str, sm: int, *flags: str) -> Path:
    target = folder() / f"{name}_{sm}{''.join(flags)}.cubin"
    command = ["nvcc", f"-arch=sm_{sm}", "-rdc=true", "-cubin", *flags, str(SOURCES / f"{name}.cu"), "-o", str(target)]
    subprocess.run(command, check=True)
    return target


def ours(*parts: Path) -> Cubin:
    return read_cubin(link_cubins([part.read_bytes() for part in parts], [part.name for part in parts]))


def theirs(sm: int, *parts: Path) -> Cubin:
    target = folder() / f"nvlink_{sm}.cubin"
    subprocess.run(
        ["nvlink", f"-arch=sm_{sm}", *map(str, parts), "-o", str(target)], check=True, stderr=subprocess.DEVNULL
    )
    return read_cubin(target.read_bytes())


@pytest.mark.parametrize("sm", SMS)
def test_two_objects_are_what_nvlink_makes_of_them(sm: int) -> None:
    parts = built("a", sm), built("b", sm)
    mine, other = ours(*parts), theirs(sm, *parts)
    assert mine.kernels.keys() == other.kernels.keys() and mine.functions.keys() == other.functions.keys()
    for name, kernel in other.kernels.items():
        assert mine.kernels[name].abi == kernel.abi, name
        assert mine.kernels[name].code == kernel.code, name
    images = [
        {(one.kind, one.size, one.content) for one in cubin.images if one.kind != "global"} for cubin in (mine, other)
    ]
    assert images[0] == images[1]
    named = [{(v.name, v.size, v.visible, c.images[v.image].kind) for v in c.variables} for c in (mine, other)]
    plain = [{row for row in rows if row[2]} for rows in named]
    assert plain[0] == plain[1]


@pytest.mark.parametrize("sm", SMS)
@pytest.mark.parametrize("name", ["mixed", "tables"])
def test_shared_variables_and_constants_of_called_functions(name: str, sm: int) -> None:
    """Shared memory of functions that kernels call, function tables, switches, library functions with constants."""
    part = built(name, sm)
    mine, other = ours(part), theirs(sm, part)
    for name, kernel in other.kernels.items():
        assert mine.kernels[name].abi.shared_bytes == kernel.abi.shared_bytes, name
        assert mine.kernels[name].abi.registers == kernel.abi.registers, name
        assert mine.kernels[name].abi.barriers == kernel.abi.barriers, name
        assert mine.kernels[name].abi.local_bytes == kernel.abi.local_bytes, name
        assert mine.kernels[name].targets == kernel.targets, name


def texture_words(cubin: Cubin, objects: list[Elf]) -> set[tuple[str, int, str]]:
    """(function, offset, reference) of each instruction that reads the word of a texture or surface in bank 0."""
    words = {at: name for kernel in cubin.kernels.values() for at, name in kernel.references.items()}
    found = set()
    for elf in objects:
        for records in elf.relocations.values():
            for record in records:
                name = elf.sections[record.target].name.removeprefix(".text.")
                if record.symbol.kind not in (STT_CUDA_TEXTURE, STT_CUDA_SURFACE):
                    continue
                field = FIELDS[record.kind]
                code = (cubin.kernels.get(name) or cubin.functions[name]).code
                word = int.from_bytes(code[record.offset : record.offset + 16], "little")
                found.add((name, record.offset, words[(word >> field.at & (1 << field.bits) - 1) << field.shift]))
    return found


@pytest.mark.parametrize("sm", [75, 80, 90, 120])
@pytest.mark.parametrize(
    "names", [("linked/texture",), ("references/kernels",), ("linked/texture", "references/kernels")]
)
def test_texture_references_are_words_of_bank_0(names: tuple[str, ...], sm: int) -> None:
    """Behind the longest parameters, at one place for all kernels, as nvlink has them; in another order."""
    parts = []
    for name in names:
        parts.append(folder() / f"{name.replace('/', '_')}_{sm}.cubin")
        source = SOURCES.parent / f"{name}.ptx"
        subprocess.run(["ptxas", "-c", f"-arch=sm_{sm}", str(source), "-o", str(parts[-1])], check=True)
    mine, other = ours(*parts), theirs(sm, *parts)
    objects = [Elf(part.read_bytes()) for part in parts]
    expected = {
        (elf.sections[one.target].name.removeprefix(".text."), one.offset, one.symbol.plain)
        for elf in objects for records in elf.relocations.values() for one in records
        if one.symbol.kind in (STT_CUDA_TEXTURE, STT_CUDA_SURFACE)
    }  # fmt: skip
    assert len(expected) >= 2
    assert texture_words(mine, objects) == texture_words(other, objects) == expected
    places = [{at for one in cubin.kernels.values() for at in one.references} for cubin in (mine, other)]
    assert places[0] == places[1]
    for name, kernel in other.kernels.items():
        found = mine.kernels[name]
        assert set(found.references.values()) <= set(kernel.references.values()), name
        assert found.abi == kernel.abi, name
    variables = [{(v.name, c.images[v.image].kind) for v in c.variables} for c in (mine, other)]
    assert variables[0] == variables[1]


def test_what_nvlink_refuses() -> None:
    with pytest.raises(LinkFailed, match="Undefined reference to '_Z5twicei'"):
        ours(built("a", 80))
    with pytest.raises(LinkFailed, match="Multiple definition of 'v'"):
        ours(built("v1", 80), built("v2", 80))
    with pytest.raises(LinkFailed, match="Size doesn't match for 'v'"):
        ours(built("v1", 80), built("v3", 80))
    with pytest.raises(LinkFailed, match="sm_90 does not match sm_80"):
        ours(built("v1", 80), built("v1", 90))


def test_only_needed_members_of_a_library() -> None:
    """`v1` defines nothing that `a` lacks, so that its second definition of `v` is no conflict."""
    archive = folder() / "lib.a"
    archive.unlink(missing_ok=True)
    subprocess.run(["ar", "rcs", str(archive), str(built("v1", 80)), str(built("b", 80))], check=True)
    names = [name for name, _ in read_archive(archive.read_bytes(), "lib.a")]
    assert names == [built("v1", 80).name, built("b", 80).name]
    inputs = [
        LinkInput(LinkKind.CUBIN, "a", built("a", 80).read_bytes()),
        LinkInput(LinkKind.CUBIN, "v2", built("v2", 80).read_bytes()),
        LinkInput(LinkKind.LIBRARY, "lib.a", archive.read_bytes()),
    ]
    image = link_images(inputs).cubin
    assert {"_Z3runPii", "_Z2v2Pii", "_Z5otherPii"} <= read_cubin(image).kernels.keys()
    assert "_Z2v1Pii" not in read_cubin(image).kernels


def test_libraries_alone_are_linked_whole_whatever_they_are_for() -> None:
    archive = folder() / "alone.a"
    archive.unlink(missing_ok=True)
    subprocess.run(
        ["ar", "rcs", str(archive), str(built("v1", 75)), str(built("b", 75)), str(built("a", 75))], check=True
    )
    linked = read_cubin(link_images([LinkInput(LinkKind.LIBRARY, "alone.a", archive.read_bytes())]).cubin)
    assert linked.sm == 75 and {"_Z2v1Pii", "_Z3runPii", "_Z5otherPii"} <= linked.kernels.keys()


def changed(content: bytes, name: str, field: int, value: int) -> bytes:
    """With another number at an offset in the header of a section."""
    elf, (table,) = Elf(content), struct.unpack_from("<Q", content, 40)
    section = elf.section(name)
    assert section is not None
    at = table + 64 * section.index + field
    return content[:at] + struct.pack("<Q", value) + content[at + 8 :]


KIND, SIZE, ALIGN = 4, 32, 48  # in a section header


@pytest.mark.parametrize(
    "name", [".text._Z2swi", ".nv.constant2._Z2swi", ".nv.constant3", ".nv.global.init", ".nv.info._Z2swi"]
)
def test_sections_that_lost_their_bytes(name: str) -> None:
    part = changed(built("tables", 80).read_bytes(), name, KIND, SHT_NOBITS)
    with pytest.raises(Malformed, match=f"bytes without content in {name}$"):
        link_cubins([part])


@pytest.mark.parametrize("align", [1 << 20, 1 << 40, (1 << 64) - 1])
def test_code_that_is_aligned_to_more_than_memory_holds(align: int) -> None:
    part = changed(built("b", 80).read_bytes(), ".text._Z5twicei", ALIGN, align)
    with pytest.raises(Malformed, match="aligned to"):
        link_cubins([part])


def test_zeroes_of_variables_are_not_made() -> None:
    """A terabyte of them in one object, and more in the next."""
    one, two = (
        built("zeroes", 80, f"-DNAME={name}", f"-DKERNEL=use_{name}").read_bytes() for name in ("first", "second")
    )
    linked = Elf(link_cubins([changed(one, ".nv.global", SIZE, 1 << 40), two])).section(".nv.global")
    assert linked is not None and linked.size == (1 << 40) + 4 * 256


def test_stack_of_a_chain_of_calls_that_no_field_holds() -> None:
    part = bytearray(built("mixed", 80).read_bytes())
    section = Elf(bytes(part)).section(".nv.info")
    assert section is not None
    for record in read_records(section.content, ""):
        if record.attribute == FRAME_SIZE:
            struct.pack_into("<I", part, section.offset + record.offset + 8, 0xF000_0000)
    with pytest.raises(LinkFailed, match="a stack of"):
        link_cubins([bytes(part)])


def test_more_sections_than_have_numbers() -> None:
    writer = ElfWriter(190, 0, 0, 0)
    with pytest.raises(Unsupported, match="so many sections"):
        for _ in range(1 << 16):
            writer.add(OutSection(".text", 1))


def test_damaged_objects_and_archives_are_refused_cleanly() -> None:
    """Cut anywhere, or with any byte changed, the answer is an image or an error of ours, never another exception."""
    whole = built("b", 80).read_bytes()
    for at in range(0, len(whole), 97):
        for damaged in (whole[:at], whole[:at] + bytes((whole[at] ^ 0xFF,)) + whole[at + 1 :]):
            with contextlib.suppress(CassError):
                link_cubins([damaged, built("a", 80).read_bytes()])
    with pytest.raises(Malformed):
        list(read_archive(b"!<arch>\n" + b"x" * 70, "broken.a"))


def text(name: str) -> LinkInput:
    """PTX of one of the parts."""
    target = folder() / f"{name}.ptx"
    if not target.exists():
        source = str(SOURCES / f"{name}.cu")
        subprocess.run(["nvcc", "-arch=compute_80", "-rdc=true", "-ptx", source, "-o", str(target)], check=True)
    return LinkInput(LinkKind.PTX, name, target.read_bytes())


def code(name: str) -> LinkInput:
    return LinkInput(LinkKind.CUBIN, name, built(name, 80).read_bytes())


def test_ptx_and_machine_code_without_ptx_stay_apart() -> None:
    linked = link_images([text("apart"), code("a"), code("b")])
    assert {"_Z3runPii", "_Z5otherPii"} <= read_cubin(linked.cubin).kernels.keys()
    assert linked.texts == text("apart").content + b"\0"
    names = linked.names.split(b"\0")
    assert {b"_Z3runPii", b"offset", b"_Z5twicei"} <= set(names) and b"_Z15shared_templateIiET_S0_" not in names


def test_machine_code_that_needs_what_is_ptx_is_refused_with_the_name() -> None:
    with pytest.raises(Unsupported, match=r"(offset|table|chosen|_Z5twicei|_Z6nestedi) is used across"):
        link_images([text("b"), code("a")])
    with pytest.raises(LinkFailed, match="Undefined reference"):
        link_images([text("apart"), code("a")])
