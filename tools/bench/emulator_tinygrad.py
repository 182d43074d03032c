"""Runs the workloads of `tools/bench emulator` on tinygrad's emulator: `emulator_tinygrad.py KERNELS WORKLOADS`.

TINYGRAD_REPO names a checkout (its emulator is in no package). KERNELS, WORKLOADS: as emulator_worker.py has them.
Prints `name seconds checksum`: processor time of one run, after a small one in which tinygrad compiles what it meets.
Kernels lie in host memory and begin with their arguments' address in s[0:1], as tinygrad's `run_asm` has it. The
invalidation of a cache, which it does not decode, becomes s_nop.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import struct
import sys
import time
import types
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Section, SymbolTableSection

from cass_shim.assemble import toolchain
from tools.bench.emulator_worker import WORDS, checksum, compiled, values

ITEMS = 256  # in a workgroup of every workload
NOP = bytes.fromhex("000080bf")  # s_nop 0
MUBUF_BYTES = 8  # of buffer_gl0_inv


def emulator(checkout: str) -> Any:
    """tinygrad's `test/mockgpu/amd/emu.py`; Python has a package `test` of its own, which would win."""
    sys.path.insert(0, checkout)
    package = types.ModuleType("test")
    package.__path__ = [str(Path(checkout) / "test")]
    sys.modules["test"] = package
    return importlib.import_module("test.mockgpu.amd.emu")


def section(elf: ELFFile, name: str) -> Section:
    """A section that every code object has."""
    found = elf.get_section_by_name(name)
    assert found is not None
    return found


def without_cache_control(text: bytes) -> bytes:
    """Code in which buffer_gl0_inv is two s_nop."""
    object_file = ELFFile(BytesIO(toolchain.assemble_object("buffer_gl0_inv\n")))
    word = section(object_file, ".text").data()[:MUBUF_BYTES]
    return text.replace(word, NOP * (len(word) // len(NOP)))


class Kernels:
    """A code object's text in host memory."""

    def __init__(self, image: bytes) -> None:
        elf = ELFFile(BytesIO(image))
        text = section(elf, ".text")
        code = without_cache_control(text.data())
        self.memory = ctypes.create_string_buffer(code, len(code) + 64)
        self.size = len(code)
        table = section(elf, ".dynsym")
        assert isinstance(table, SymbolTableSection)
        self.symbols = {one.name: one["st_value"] for one in table.iter_symbols()}
        self.first, self.elf = text["sh_addr"], elf

    def code(self, name: str) -> tuple[int, int, int]:
        """Address of a kernel's first instruction, bytes from there on, and rsrc2 of its descriptor."""
        at = self.symbols[f"{name}.kd"]
        rodata = section(self.elf, ".rodata")
        descriptor = rodata.data()[at - rodata["sh_addr"] :][:64]
        entry = at + struct.unpack_from("<q", descriptor, 16)[0] - self.first
        return ctypes.addressof(self.memory) + entry, self.size - entry, struct.unpack_from("<I", descriptor, 52)[0]


def main(kernels: str, workloads: str) -> None:
    """One timed run of each workload; a workload that tinygrad refuses says so on stderr."""
    run_asm = emulator(os.environ["TINYGRAD_REPO"]).run_asm
    code = Kernels(compiled(Path(kernels).read_text()))
    a, b, c = values(2654435761), values(2246822519), np.zeros(WORDS, np.float32)
    for name, x, y, n in json.loads(workloads):
        address, size, rsrc2 = code.code(name)
        kernarg = ctypes.create_string_buffer(struct.pack("<QQQi", a.ctypes.data, b.ctypes.data, c.ctypes.data, n))
        try:
            run_asm(address, size, 1, 1, 1, ITEMS, 1, 1, ctypes.addressof(kernarg), rsrc2)
            c[:] = 0
            begin = time.process_time()
            run_asm(address, size, x, y, 1, ITEMS, 1, 1, ctypes.addressof(kernarg), rsrc2)
        except Exception as error:  # of any kind: it is another's program
            print(f"{name}: tinygrad's emulator: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        print(name, time.process_time() - begin, checksum(c), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
