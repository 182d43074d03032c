"""Cubins made by ptxas and nvlink, whole and damaged. Layouts are what the source beside the data declares."""

from __future__ import annotations

import contextlib
import io
import struct
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from hypothesis import given, settings
from hypothesis import strategies as st

from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.elf import Elf
from cass_shim.model.errors import Malformed, Unsupported
from cass_shim.model.kernel_abi import Param

DATA = Path(__file__).parent / "data"
WHOLE = (DATA / "sample.sm_80.cubin").read_bytes()
LINKED = (DATA / "linked.sm_80.cubin").read_bytes()


def test_parameter_layout_and_limits() -> None:
    cubin = read_cubin(WHOLE)
    assert cubin.sm == 80 and set(cubin.kernels) == {"add", "pick"}
    add, pick = cubin.kernels["add"].abi, cubin.kernels["pick"].abi
    assert add.params == (Param(0, 0, 8), Param(1, 8, 8), Param(2, 16, 8), Param(3, 24, 4))
    assert (add.params_base, add.params_bytes, add.bindings_offset) == (0x160, 28, 32)
    # float *, char, struct { double; short }, int by the C rules for sizes and alignment
    assert pick.params == (Param(0, 0, 8), Param(1, 8, 1), Param(2, 16, 16), Param(3, 32, 4))
    assert pick.shared_bytes == 64 * 4 and pick.max_threads == 128 and pick.registers > 8


def test_variables_and_their_initial_values() -> None:
    cubin = read_cubin(WHOLE)
    by_name = {v.name: v for v in cubin.variables if v.visible}
    assert set(by_name) == {"table", "counter", "zeros", "choices"}
    table = by_name["table"]
    image = cubin.images[table.image]
    assert image.kind == "constant3" and image.content[table.offset : table.offset + 4] == b"\0\0\x80\x3f"
    counter = by_name["counter"]
    assert cubin.images[counter.image].content[counter.offset : counter.offset + 4] == b"\7\0\0\0"
    zeros = by_name["zeros"]
    assert cubin.images[zeros.image].kind == "zero" and zeros.size == 20
    assert cubin.images[zeros.image].content == b""


def test_bank4_names_what_it_points_to() -> None:
    kernel = read_cubin(WHOLE).kernels["pick"]
    assert {r.symbol for r in kernel.bank4.values()} == {"counter", "zeros", "choices"}
    assert all(offset % 8 == 0 for offset in kernel.bank4)


def test_function_pointers_of_a_linked_module_are_tokens() -> None:
    """The pointers in memory must be the tokens of the functions, in the order of the initialiser."""
    cubin = read_cubin(LINKED)
    choices = next(v for v in cubin.variables if v.name == "choices")
    content = cubin.images[choices.image].content[choices.offset : choices.offset + 16]
    tokens = [int.from_bytes(content[at : at + 8], "little") for at in (0, 8)]
    assert tokens == [cubin.functions["_Z5twicef"].token, cubin.functions["_Z6squaref"].token]
    assert len(set(tokens)) == 2 and all(t and t % 16 == 0 for t in tokens)
    everything = [*cubin.kernels.values(), *cubin.functions.values()]
    for one in everything:
        for other in everything:
            assert one is other or not one.token <= other.token < one.token + len(one.code)


def test_pointers_lead_to_functions_whose_address_is_told_and_to_no_others() -> None:
    """A return address is told to instructions, too, and is no function; one that is only called is not pointed to."""
    cubin = read_cubin(LINKED)
    assert cubin.pointed == {one.token for one in cubin.functions.values()}
    content = bytearray(LINKED)
    elf = Elf(LINKED)
    data = elf.section(".nv.global.init")
    assert data is not None
    table = next(s for s in elf.sections if s.kind in (4, 9) and s.info == data.index)
    step = 24 if table.kind == 4 else 16
    for at in range(table.offset, table.offset + table.size, step):
        content[at + 8 : at + 12] = (73).to_bytes(4, "little")  # R_CUDA_UNUSED_CLEAR64: the word is told nothing
    assert read_cubin(bytes(content)).pointed == frozenset()


def test_relocatable_cubins_are_refused_by_name() -> None:
    with pytest.raises(Unsupported, match="relocatable"):
        read_cubin((DATA / "sample.reloc.cubin").read_bytes())


def test_sections_and_symbols_agree_with_pyelftools() -> None:
    for content in (WHOLE, LINKED):
        ours, theirs = Elf(content), ELFFile(io.BytesIO(content))
        assert [s.name for s in ours.sections] == [s.name for s in theirs.iter_sections()]
        for section in ours.sections:
            if section.content:
                assert section.content == theirs.get_section(section.index).data()
        symbols = theirs.get_section_by_name(".symtab")
        named = [s.name for s in symbols.iter_symbols() if s.entry.st_info.type != "STT_SECTION"]
        assert [s.name for s in ours.symbols if s.kind != 3] == named


def test_memory_of_nvidias_own_section_types_has_no_bytes() -> None:
    """Relocatable objects of CUDA 11 and 12 say 0x7000000a for shared memory, whose size may exceed the file."""
    content = bytearray((DATA / "sample.sm_80.cubin").read_bytes())
    shared = Elf(bytes(content)).section(".nv.shared.pick")
    assert shared is not None
    (table,) = struct.unpack_from("<Q", content, 40)
    struct.pack_into("<I", content, table + 64 * shared.index + 4, 0x7000000A)
    struct.pack_into("<Q", content, table + 64 * shared.index + 32, len(content))
    again = Elf(bytes(content)).section(".nv.shared.pick")
    assert again is not None and again.content == b"" and again.size == len(content)


def test_truncation_at_every_byte() -> None:
    """ptxas puts the section headers or program headers last: any cut loses something that is needed."""
    for length in range(len(WHOLE) - 1):
        try:
            cut = read_cubin(WHOLE[:length])
        except Malformed:
            continue
        assert cut.kernels == read_cubin(WHOLE).kernels  # only the unused program headers are gone


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_flipped_bytes(data: st.DataObject) -> None:
    content = bytearray(data.draw(st.sampled_from([WHOLE, LINKED])))
    (table,) = (int.from_bytes(content[40:48], "little"),)
    places = st.one_of(st.integers(0, 63), st.integers(table, len(content) - 1), st.integers(0, len(content) - 1))
    for at in data.draw(st.lists(places, min_size=1, max_size=4)):
        content[at] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(Malformed, Unsupported):
        read_cubin(bytes(content))
