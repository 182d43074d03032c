"""The targets in Python: one function a parser or protocol, which gets any bytes.

A target returns, or raises one of our own errors (`CassError`): that is what bad input must end in. Imports happen in
`prepare`, so that a machine without some package runs the others.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

Check = Callable[[bytes], None]
KERNELS_A_CASE = 1  # the others of a module teach little more and cost as much


@dataclass(frozen=True)
class Target:
    """prepare: imports what it needs and gives the check. corpus: whose seeds it shares. text: mutate words too."""

    name: str
    purpose: str
    prepare: Callable[[], Check]
    corpus: str = ""
    text: bool = False

    @property
    def seeds(self) -> str:
        return self.corpus or self.name


def fatbin() -> Check:
    from cass_shim.extract.choice import choose_entries
    from cass_shim.extract.fatbin import read_fatbins

    def check(data: bytes) -> None:
        for one in read_fatbins(data, "fuzz"):
            choose_entries(one.entries, 0)

    return check


def cubin() -> Check:
    from cass_shim.extract.cubin import read_cubin

    def check(data: bytes) -> None:
        read_cubin(data, "fuzz")

    return check


def linker() -> Check:
    """An archive: its first member is linked with what it needs of the others. The result is a whole ELF file."""
    from cass_shim.extract.elf import Elf
    from cass_shim.extract.link_inputs import link_images, read_archive
    from cass_shim.model.errors import CassError
    from cass_shim.model.wire import LinkInput, LinkKind

    def check(data: bytes) -> None:
        _, first = next(read_archive(data, "fuzz"), ("", b""))
        parts = [LinkInput(LinkKind.OBJECT, "first", first), LinkInput(LinkKind.LIBRARY, "fuzz", data)]
        image = link_images(parts).cubin
        if not image:
            return
        try:
            linked = Elf(image, "linked")
            assert linked.symbols is not None and linked.relocations is not None
        except CassError as error:
            raise AssertionError(f"what was linked cannot be read: {error}") from error

    return check


def nvinfo() -> Check:
    from cass_shim.extract import nvinfo as info

    def check(data: bytes) -> None:
        facts = info.read_function_facts(data, "fuzz")
        for one in [*facts.values(), info.FunctionFacts()]:
            info.read_kernel_abi(data, one, 0, "fuzz")
        info.read_indirect_targets(data, "fuzz")

    return check


def line_table() -> Check:
    from cass_shim.extract.line_table import read_line_table

    def check(data: bytes) -> None:
        read_line_table(data, "fuzz")

    return check


def sass() -> Check:
    """One byte chooses the generation, the rest are instruction words. A described word prints as text."""
    from cass_shim.decode.table import DESCRIBED, decode_words
    from cass_shim.model.errors import Unsupported

    def check(data: bytes) -> None:
        sm = DESCRIBED[data[0] % len(DESCRIBED)] if data else 80
        for at in range(1, len(data) - 15, 16):
            with contextlib.suppress(Unsupported):
                assert decode_words(data[at : at + 16], sm)[0].text

    return check


def lift() -> Check:
    """Cubins with anything changed, decoded by our table and lifted to LLVM IR."""
    from cass_shim.decode import decode_kernel, kernel
    from cass_shim.extract.cubin import read_cubin
    from cass_shim.lift import lift_kernel
    from cass_shim.model.errors import CassError

    kernel.has_tool = lambda name: False  # what our table refuses is refused: nvdisasm is a process a case

    def check(data: bytes) -> None:
        cubin = read_cubin(data, "fuzz")
        for one in list(cubin.kernels.values())[:KERNELS_A_CASE]:
            with contextlib.suppress(CassError):
                lift_kernel(decode_kernel(one, cubin))

    return check


def ptx() -> Check:
    from cass_shim.model.artifacts import PtxModule
    from cass_shim.model.errors import CassError
    from cass_shim.translate import ptx_hip

    def check(data: bytes) -> None:
        module = PtxModule(data.decode("utf-8", "replace"), 80, "fuzz")
        ptx_hip.module_data(module)
        for name in ptx_hip.kernels(module)[:KERNELS_A_CASE]:
            with contextlib.suppress(CassError):
                ptx_hip.translate_kernel(module, name)

    return check


def code_object() -> Check:
    """A code object from a cache or a compiler: its descriptors, and the contract (E0) of each kernel."""
    from cass_shim.assemble.code_object import parse_code_object, read_descriptors
    from cass_shim.model.errors import CassError
    from cass_shim.verify.contract import check_contract

    def check(data: bytes) -> None:
        for name in read_descriptors(data):
            with contextlib.suppress(CassError):
                check_contract(parse_code_object(data, name), None)

    return check


def wire() -> Check:
    """Frames as the daemon and its workers read them."""
    from cass_shim.daemon.reverify import unpack_check
    from cass_shim.model.config import Config
    from cass_shim.model.wire import (
        FRAME,
        REQUEST_LIMIT,
        FrameKind,
        KernelRequest,
        ModuleRequest,
        Reply,
        read_frame_head,
    )

    def check(data: bytes) -> None:
        _, kind, size = read_frame_head(data[: FRAME.size], REQUEST_LIMIT)
        payload = data[FRAME.size : FRAME.size + size]
        if kind is FrameKind.MODULE:
            Config().with_options(ModuleRequest.unpack(payload).options)
        elif kind is FrameKind.KERNEL:
            Config().with_options(KernelRequest.unpack(payload).options)
        elif kind is FrameKind.VERIFY:
            unpack_check(payload)
        elif kind is FrameKind.REPLY:
            Reply.unpack(payload)

    return check


def capture() -> Check:
    """Captured launches as a program sends them; what is read is written and read again."""
    from cass_shim.model.captured import pack_capture, unpack_capture

    def check(data: bytes) -> None:
        read = unpack_capture(data)
        assert unpack_capture(pack_capture(*read)) == read

    return check


def manifest() -> Check:
    """A manifest with a right seal and any tables; what is read is written and read again."""
    from cass_shim.model import manifest as model
    from cass_shim.model.layout import seal

    def check(data: bytes) -> None:
        read = model.read_manifest(seal(model.MANIFEST_MAGIC, model.MANIFEST_VERSION, data))
        assert model.read_manifest(model.pack_manifest(read)) == read

    return check


def entry() -> Check:
    """A code entry with a right seal and any tables; what is read is written and read again."""
    from cass_shim.model import entry as model
    from cass_shim.model.layout import seal

    def check(data: bytes) -> None:
        read = model.read_entry(seal(model.ENTRY_MAGIC, model.ENTRY_VERSION, data))
        assert model.read_entry(model.pack_entry(read)) == read

    return check


def record() -> Check:
    """A record; one that is read keeps its digest when written again."""
    from cass_shim.cache.record import read_record

    def check(data: bytes) -> None:
        read = read_record(data)
        assert read_record(read.canonical()).digest == read.digest

    return check


def listing() -> Check:
    """Heads of a team's cache, and what adding to one makes of it."""
    from cass_shim.cache.remote import extended, read_listing
    from cass_shim.model.artifacts import Evidence

    def check(data: bytes) -> None:
        read_listing(extended(data, Evidence.E1, "0" * 64))
        read_listing(data)

    return check


def pack() -> Check:
    """Packs whose signatures all hold, so that what lies behind them is reached too."""
    from cass_shim.cache.pack import read_pack
    from cass_shim.cache.record import Record
    from cass_shim.cache.trust import TrustSet

    class Believing(TrustSet):
        def check(self, signature: str, content: bytes, what: str) -> str:
            return "fuzz-1"

        def signer_of(self, record: Record) -> str:
            return "fuzz-1"

    folder = tempfile.mkdtemp(prefix="cass-fuzz-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    path = Path(folder) / "fuzzed.pack"

    def check(data: bytes) -> None:
        path.write_bytes(data)
        read_pack(path, Believing({}))
        read_pack(path, TrustSet({}))

    return check


def answer() -> Check:
    from cass_shim.translate.cass.answer import parse_answer, symbols_used

    def check(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        head = text.find(":")
        name = text[text.rfind("\n", 0, max(head, 0)) + 1 : head].strip() or "kernel"
        symbols_used(parse_answer(text, name))

    return check


def fields() -> Check:
    """Answers in the words of our own model, as fields and as text."""
    from cass_shim.model.errors import CassError
    from cass_shim.translate.cass.fields import target_lines, target_text

    def check(data: bytes) -> None:
        lines = data.decode("utf-8", "replace").split("\n")
        with contextlib.suppress(CassError):
            target_text([line.split(" ") for line in lines])
        target_text(target_lines(lines))

    return check


def sidecar() -> Check:
    from cass_shim.model.sidecar import read_sidecar, write_sidecar

    def check(data: bytes) -> None:
        read = read_sidecar(data.decode("utf-8", "replace"))
        assert read_sidecar(write_sidecar(read)) == replace(read)

    return check


def program() -> Check:
    """Whole programs as `cass inspect` reads them: host ELF, its sections, its regions."""
    from cass_shim.extract.elf import Elf
    from cass_shim.extract.fatbin import read_fatbins

    def check(data: bytes) -> None:
        elf = Elf(data, "fuzz")
        assert elf.symbols is not None and elf.relocations is not None
        read_fatbins(data, "fuzz")

    return check


TARGETS = {
    one.name: one
    for one in (
        Target("fatbin", "fatbinaries, wrappers, compressed entries: extract/fatbin.py", fatbin),
        Target("program", "host ELF files: extract/elf.py, extract/fatbin.py", program),
        Target("cubin", "cubins: extract/cubin.py, extract/elf.py", cubin),
        Target("linker", "relocatable cubins and libraries of them: extract/link*.py, extract/elf_writer.py", linker),
        Target("nvinfo", "sections .nv.info: extract/nvinfo.py", nvinfo),
        Target("line-table", "DWARF line programs of cubins: extract/line_table.py", line_table, corpus="cubin"),
        Target("sass", "instruction words of every generation: decode/, isa/encoding/", sass),
        Target("lift", "mutated cubins decoded and lifted: decode/, lift/", lift, corpus="cubin"),
        Target("ptx", "PTX parsed and translated: translate/ptx_hip/", ptx, text=True),
        Target("code-object", "code objects, the contract: assemble/, verify/contract.py", code_object, "codeobject-c"),
        Target("wire", "frames of programs and workers: model/wire.py, daemon/reverify.py", wire),
        Target("capture", "captured launches: model/captured.py", capture),
        Target("manifest", "module manifests: model/manifest.py", manifest, "manifest-c"),
        Target("entry", "code entries: model/entry.py", entry, "entry-c"),
        Target("record", "cache records: cache/record.py", record, text=True),
        Target("listing", "heads of a team's cache: cache/remote.py", listing, text=True),
        Target("pack", "packs: cache/pack.py", pack),
        Target("answer", "a language model's assembly: translate/cass/answer.py", answer, text=True),
        Target("fields", "our own model's words: translate/cass/fields.py", fields, "answer", text=True),
        Target("sidecar", "sidecars of kept artifacts: model/sidecar.py", sidecar, text=True),
    )
}  # fmt: skip
