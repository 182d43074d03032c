"""Makes the first inputs of every target from the prebuilt examples and the test data.

`python3 -m tools.fuzz seeds` writes them into `tests/fuzz/corpus/TARGET/`. Needs the whole environment (the code
objects are translated), unlike a campaign.
"""

from __future__ import annotations

import hashlib
import json
import struct
import subprocess
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.cache.pack import write_pack
from cass_shim.cache.record import Record
from cass_shim.cache.storage import Entry
from cass_shim.cache.trust import Signer
from cass_shim.cli.programs import find_modules
from cass_shim.decode import decode_kernel
from cass_shim.decode.table import DESCRIBED
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.elf import Elf
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import CodeObject, EntryKind, Evidence
from cass_shim.model.captured import CapturedLaunch, MemoryRange, pack_capture
from cass_shim.model.config import Config
from cass_shim.model.entry import CodeEntry, pack_entry
from cass_shim.model.kernel_abi import AbiClass
from cass_shim.model.layout import FILE_HEADER
from cass_shim.model.manifest import pack_manifest
from cass_shim.model.sidecar import describe, write_sidecar
from cass_shim.model.wire import FrameKind, KernelRequest, ModuleRequest, Reply, Status, frame
from cass_shim.module import load_module, module_manifest
from tools import samples
from tools.environment import ROOT
from tools.fuzz.engine import digest
from tools.ptxforms.oracle import module, written
from tools.ptxforms.selection import sampled
from tools.ptxforms.signatures import all_rows, signature
from tools.ptxforms.wrong import taken

CORPUS = ROOT / "tests" / "fuzz" / "corpus"
PREBUILT = ROOT / "examples" / "prebuilt"
DATA = ROOT / "tests" / "extract" / "data"
ANSWERS = ROOT / "tests" / "translate" / "cass" / "answers"
ROWS_A_SEED = 12
SEED_LIMIT = 24 << 10  # bytes of one seed: what is larger mutates slowly
NATIVE = ROOT / "tests" / "native"
LINKED = (("b", "a"), ("tables",), ("zeroes", "plain"))  # of tests/native/linked: each an archive
COMPILED = ("k12", "k14", "k15", "k16", "k17", "k22", "k26")  # atomics, arrays, calls, printf, switch, mma, barriers
GFX = b"hipv4-amdgcn-amd-amdhsa--gfx1100"
Seed = tuple[str, bytes]  # target, input


def bundle(code: bytes) -> bytes:
    """An offload bundle of a host entry and one for gfx1100. Source: clang's OffloadBundler documentation."""
    table = b""
    host = b"host-x86_64-unknown-linux-gnu-"
    head = 32 + 2 * 24 + len(host) + len(GFX)
    for name, size in ((host, 0), (GFX, len(code))):
        table += struct.pack("<QQQ", head, size, len(name)) + name
    return b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", 2) + table + code


def compressed(plain: bytes) -> bytes:
    """A compressed bundle, version 2 with zlib."""
    packed = zlib.compress(plain)
    return b"CCOB" + struct.pack("<HHIIQ", 2, 0, 24 + len(packed), len(plain), 0) + packed


def of_cubin(content: bytes) -> Iterator[Seed]:
    """A cubin, and what lies in it."""
    yield "cubin", content
    for section in Elf(content).sections:
        if section.name.startswith(".nv.info"):
            yield "nvinfo", section.content


def archive(members: Sequence[bytes]) -> bytes:
    """A Unix archive. Source: ar(5)."""
    rows = [b"%-16s%-12d%-6d%-6d%-8o%-10d`\n" % (b"%d.o/" % i, 0, 0, 0, 0, len(one)) for i, one in enumerate(members)]
    return b"!<arch>\n" + b"".join(row + one + b"\n" * (len(one) & 1) for row, one in zip(rows, members, strict=True))


def of_code(code: CodeObject, key: bytes, kernel: str) -> Iterator[Seed]:
    """A translated kernel, and the files and messages that carry it."""
    yield "codeobject-c", code.elf
    yield "bundle-c", bundle(code.elf)
    yield "bundle-c", compressed(bundle(code.elf))
    yield "rdna3-c", bytes((3, 1, 4, 32, 0, 0, 0, 0)) + text_of(code)
    content = pack_entry(CodeEntry(key, code, Evidence.E1, "lift"))
    yield "entry-c", content[FILE_HEADER.size :]
    yield "reply-c", frame(FrameKind.REPLY, Reply(Status.OK, content).pack())
    record = Record(key=key.hex(), entry="0" * 64, route="lift", evidence="E1", kernel=kernel, created=1)
    yield "record", record.canonical()
    yield "wire", frame(FrameKind.REPLY, Reply(Status.OK, record.canonical() + b"\n" + content).pack())


def text_of(code: CodeObject) -> bytes:
    """The instructions of a code object, beginning with the kernel's first."""
    section = Elf(code.elf).section(".text")
    assert section is not None
    return section.content


def of_program(path: Path) -> Iterator[Seed]:
    """The modules of a prebuilt example."""
    for found in find_modules(path, Config()):
        yield "fatbin", found.region
        module = load_module(found.region, found.entry_offset, found.digest, path.name)
        manifest = pack_manifest(module_manifest(module, "gfx1100"))
        yield "manifest-c", manifest[FILE_HEADER.size :]
        yield "reply-c", frame(FrameKind.REPLY, Reply(Status.OK, manifest).pack())
        yield "wire", frame(FrameKind.MODULE, ModuleRequest(found.digest, found.entry_offset, found.region).pack())
        for one in found.fatbin.entries:
            if one.kind is EntryKind.PTX:
                yield "ptx", one.payload
        if found.chosen.kind is EntryKind.ELF:
            yield from of_cubin(found.chosen.payload)
            yield from of_kernels(found.chosen.payload, found.digest)


def of_kernels(content: bytes, digest: bytes) -> Iterator[Seed]:
    """Every kernel of a cubin, translated."""
    cubin = read_cubin(content)
    for name, kernel in cubin.kernels.items():
        yield "sass", bytes((DESCRIBED.index(kernel.sm),)) + kernel.code
        yield "wire", frame(FrameKind.KERNEL, KernelRequest(digest, name, "CASS_MIN_EVIDENCE=E1\n").pack())
        source = lift_kernel(decode_kernel(kernel, cubin))
        yield from of_code(assemble_llvm(source, kernel.abi), digest, name)
        yield "sidecar", write_sidecar(describe(name, "lift", kernel.abi, source)).encode()


def of_rows() -> Iterator[Seed]:
    """Small modules in which each row of PTX's table stands once: quick to translate, every instruction at hand."""
    forms = (next(filter(None, (signature(row, each) for each in sampled(row, 20))), None) for row in all_rows())
    lines = [line for form in forms if form is not None and taken(line := written(form))]
    for at in range(0, len(lines), ROWS_A_SEED):
        yield "ptx", module(lines[at : at + ROWS_A_SEED], "100")[0].encode()


def a_capture() -> Seed:
    """A launch of two blocks with two ranges of memory."""
    ranges = (MemoryRange(0x10000, bytes(range(64)), None), MemoryRange(0x20000, bytes(32), 1))
    launch = CapturedLaunch((2, 1, 1), (32, 1, 1), 16, bytes(24), ranges)
    return "capture", pack_capture(KernelRequest(bytes(32), "kernel", "CASS_CAPTURE=1\n"), launch)


def a_pack() -> Seed:
    """A signed pack of one translation."""
    code = CodeObject(b"\x7fELF" * 20, "kernel", AbiClass.CASS1, (), 0)
    content = pack_entry(CodeEntry(bytes(32), code, Evidence.E1, "lift"))
    record = Record(key=bytes(32).hex(), entry=hashlib.sha256(content).hexdigest(), route="lift", evidence="E1")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "seed.pack"
        write_pack(path, "program", [Entry(record, content)], Signer.generate("fuzz-1"))
        return "pack", path.read_bytes()


def compiled(folder: Path) -> Iterator[Seed]:
    """PTX and cubins with line tables of a few kernels of the corpus, where there is nvcc."""
    if why := samples.can_build():
        print(f"no seeds from nvcc: {why}")
        return
    for name in COMPILED:
        (source,) = (ROOT / "tests" / "corpus").glob(f"{name}_*.cu")
        for flags, target in ((("-ptx", "-arch=sm_80"), "ptx"), (("-cubin", "-lineinfo", "-arch=sm_90"), "cubin")):
            path = folder / f"{name}.{target}"
            subprocess.run(["nvcc", "-w", *flags, "-o", str(path), str(source)], check=True, timeout=300)
            yield target, path.read_bytes()


def relocatable(folder: Path) -> Iterator[Seed]:
    """Archives of objects to link, where there is nvcc: calls, tables, constants, shared memory, textures."""
    if samples.can_build():
        return
    for sm, names in zip(("sm_90", "sm_75", "sm_80"), LINKED, strict=True):
        members = []
        for name in names:
            path = folder / f"{name}.cubin"
            source = NATIVE / "linked" / f"{name}.cu"
            flags = ("-DNAME=zeroes", "-DKERNEL=set") if name == "zeroes" else ()
            subprocess.run(["nvcc", "-w", "-rdc=true", "-cubin", f"-arch={sm}", *flags, "-o", path, source], check=True)
            members.append(path.read_bytes())
        yield "linker", archive(members)
    path = folder / "references.cubin"
    subprocess.run(["ptxas", "-c", "-arch=sm_80", NATIVE / "references" / "kernels.ptx", "-o", path], check=True)
    yield "linker", archive([path.read_bytes()])


def all_seeds() -> Iterator[Seed]:
    """Every seed, too large ones too."""
    for path in sorted(PREBUILT.iterdir()):
        if path.suffix == "":
            yield from of_program(path)
    for path in sorted(DATA.glob("*.cubin")):
        yield from of_cubin(path.read_bytes())
    for path in sorted(DATA.glob("*.o")):
        yield "program", path.read_bytes()
        yield "object-c", path.read_bytes()
        for one in read_fatbins(path.read_bytes()):
            yield "fatbin", path.read_bytes()[one.offset :]
    for name in ("program-c", "object-c"):
        yield name, (ROOT / "cass_shim" / "native" / "_build" / "cass-run").read_bytes()[:SEED_LIMIT]
    yield "program-c", b"#!/usr/bin/env -S sh -e\n"
    yield from of_rows()
    yield a_pack()
    yield a_capture()
    with tempfile.TemporaryDirectory() as folder:
        yield from compiled(Path(folder))
        yield from relocatable(Path(folder))
    yield "listing", json.dumps(["E1:" + "1" * 64, "E0:" + "2" * 64]).encode()
    for path in sorted(ANSWERS.glob("*.md"))[:8]:
        yield "answer", path.read_bytes()


def write() -> int:
    """Write the seeds; returns how many bytes the corpora hold now."""
    for target, content in all_seeds():
        if len(content) <= SEED_LIMIT:
            folder = CORPUS / target
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"seed-{digest(content)}").write_bytes(content)
    return sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file())
