"""Drives the interpreter core through its exported test entries: compile, load a code object, launch, read back.

Everything lives in host memory of the test process; `libamdhip64.so` is loaded with ctypes.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import subprocess
import sys
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from elftools.elf.elffile import ELFFile

ZIG = (sys.executable, "-m", "ziglang")
TARGET = ("-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-mcode-object-version=5")
IMPLICIT_BYTES = 256
WAVE32 = 1 << 10
KERNARG_PTR = 1 << 3


class Launch(ctypes.Structure):
    """emu_launch of core.h."""

    _fields_ = [
        ("program", ctypes.c_void_p),
        ("entry", ctypes.c_uint64),
        ("rsrc1", ctypes.c_uint32),
        ("rsrc2", ctypes.c_uint32),
        ("rsrc3", ctypes.c_uint32),
        ("properties", ctypes.c_uint16),
        ("groups", ctypes.c_uint32 * 3),
        ("group_items", ctypes.c_uint32 * 3),
        ("grid_items", ctypes.c_uint64 * 3),
        ("kernarg", ctypes.c_uint64),
        ("dispatch_packet", ctypes.c_uint64),
        ("lds_bytes", ctypes.c_uint32),
        ("scratch_bytes", ctypes.c_uint32),
        ("cooperative", ctypes.c_uint32),
        ("instruction_limit", ctypes.c_uint64),
        ("kernel_name", ctypes.c_char_p),
        ("serve", ctypes.c_void_p),
        ("calls", ctypes.c_void_p),
    ]


class Fault(ctypes.Structure):
    """emu_fault of core.h."""

    _fields_ = [
        ("status", ctypes.c_int),
        ("pc", ctypes.c_uint64),
        ("address", ctypes.c_uint64),
        ("group", ctypes.c_uint32 * 3),
        ("wave", ctypes.c_uint32),
        ("lane", ctypes.c_uint32),
        ("text", ctypes.c_char * 256),
        ("executed", ctypes.c_uint64),
        ("translated", ctypes.c_uint64),
        ("translation", ctypes.c_char * 80),
    ]


STATUS = ("ok", "illegal address", "illegal instruction", "misaligned", "trap", "limit", "bad launch", "race", "wait")


@functools.cache
def library() -> ctypes.CDLL:
    """The emulated libamdhip64.so: $CASS_EMU_LIBRARY, else built on first use."""
    chosen = os.environ.get("CASS_EMU_LIBRARY")
    if not chosen:
        from cass_shim.native.build import build_all

        chosen = str(build_all(["libamdhip64"])[0])

    loaded = ctypes.CDLL(chosen)
    pointers = [ctypes.POINTER(Launch), ctypes.c_void_p, ctypes.c_uint64, ctypes.POINTER(Fault)]
    loaded.cass_emu_launch_raw.argtypes = pointers
    loaded.cass_emu_launch_checked.argtypes = pointers
    loaded.cass_emu_instructions.restype = ctypes.c_uint64
    return loaded


def assemble_object(text: str, folder: Path) -> bytes:
    """The object file of gfx1100 assembler text, by LLVM."""
    source, target = folder / "a.s", folder / "a.o"
    source.write_text(text)
    subprocess.run([*ZIG, "clang", *TARGET, "-x", "assembler", "-c", str(source), "-o", str(target)], check=True)
    return target.read_bytes()


def assemble(text: str, folder: Path) -> bytes:
    """Machine code (.text) of gfx1100 assembler text."""
    return ELFFile(BytesIO(assemble_object(text, folder))).get_section_by_name(".text").data()


def compile_hip(source: Path, folder: Path, optimize: str) -> bytes:
    """A gfx1100 code object (v5) from HIP source, by LLVM."""
    assembly, obj, linked = folder / "k.s", folder / "k.o", folder / "k.co"
    hip = ["-x", "hip", "--offload-arch=gfx1100", "--cuda-device-only", "-nogpuinc", "-nogpulib"]
    where = ["-target", "x86_64-linux-gnu", "-mcode-object-version=5", optimize, "-S"]
    subprocess.run([*ZIG, "clang", *hip, *where, str(source), "-o", str(assembly)], check=True)
    subprocess.run([*ZIG, "clang", *TARGET, "-x", "assembler", "-c", str(assembly), "-o", str(obj)], check=True)
    subprocess.run([*ZIG, "ld.lld", "-shared", str(obj), "-o", str(linked)], check=True)
    return linked.read_bytes()


@dataclass
class Outcome:
    """Of one launch: status word, fault text, wave-instructions executed, what the second back end did."""

    status: str
    text: str
    instructions: int
    translation: str = ""


class CodeObject:
    """A loaded code object: segments at one base, kernels by name."""

    def __init__(self, image: bytes) -> None:
        elf = ELFFile(BytesIO(image))
        segments = [s for s in elf.iter_segments() if s["p_type"] == "PT_LOAD"]
        size = max(s["p_vaddr"] + s["p_memsz"] for s in segments)
        self.memory = mmap.mmap(-1, (size + 4095) & ~4095)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        for segment in segments:
            at = segment["p_vaddr"]
            self.memory[at : at + segment["p_filesz"]] = segment.data()
        self.text = elf.get_section_by_name(".text")
        table = elf.get_section_by_name(".dynsym")
        self.symbols = {s.name: s["st_value"] for s in table.iter_symbols() if s.name}

    def launch(
        self,
        kernel: str,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        arguments: list[object],
        dynamic_lds: int = 0,
        limit: int = 0,
        scratch: int | None = None,
        cooperative: bool = False,
    ) -> Outcome:
        """Run `kernel`; arguments: numpy arrays (passed by address), numpy scalars, bytes (by value, aligned to 8)."""
        at = self.symbols[kernel + ".kd"]
        descriptor = np.frombuffer(self.memory[at : at + 64], dtype=np.uint32)
        grid, block = (*grid, 1, 1)[:3], (*block, 1, 1)[:3]
        kernarg = np.zeros(4096, np.uint8)
        used = pack_arguments(kernarg, arguments)
        fill_hidden(kernarg, used, grid, block, dynamic_lds)
        packet = np.zeros(64, np.uint8)
        packet[4:10].view(np.uint16)[:] = block
        packet[12:24].view(np.uint32)[:] = [g * b for g, b in zip(grid, block, strict=True)]
        launch = Launch(
            entry=self.base + at + int(descriptor[4:6].view(np.int64)[0]),
            rsrc1=int(descriptor[12]),
            rsrc2=int(descriptor[13]),
            rsrc3=int(descriptor[11]),
            properties=int(descriptor[14]) & 0xFFFF,
            groups=grid,
            group_items=block,
            grid_items=tuple(g * b for g, b in zip(grid, block, strict=True)),
            kernarg=kernarg.ctypes.data,
            dispatch_packet=packet.ctypes.data,
            lds_bytes=int(descriptor[0]) + dynamic_lds,
            scratch_bytes=int(descriptor[1]) if scratch is None else scratch,
            cooperative=int(cooperative),
            instruction_limit=limit,
            kernel_name=kernel.encode(),
        )
        fault = Fault()
        before = library().cass_emu_instructions()
        text = self.base + self.text["sh_addr"]
        status = library().cass_emu_launch_raw(ctypes.byref(launch), text, self.text["sh_size"], ctypes.byref(fault))
        done = library().cass_emu_instructions() - before
        return Outcome(STATUS[status], fault.text.decode(), done)


def pack_arguments(kernarg: np.ndarray, arguments: list[object]) -> int:
    """Lay the arguments out by their natural alignment; returns the bytes used."""
    used = 0
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            raw = np.uint64(argument.ctypes.data).tobytes()
            align = 8
        elif isinstance(argument, bytes):
            raw, align = argument, 8
        else:
            raw = argument.tobytes()
            align = len(raw)
        used = (used + align - 1) // align * align
        kernarg[used : used + len(raw)] = np.frombuffer(raw, np.uint8)
        used += len(raw)
    return used


def fill_hidden(kernarg: np.ndarray, used: int, grid: tuple[int, ...], block: tuple[int, ...], lds: int) -> None:
    """The implicit arguments that LLVM places behind the explicit ones (AMDGPUUsage, code object v5)."""
    hidden = kernarg[(used + 7) // 8 * 8 :][:IMPLICIT_BYTES]
    hidden[0:12].view(np.uint32)[:] = grid
    hidden[12:18].view(np.uint16)[:] = block
    hidden[64:66].view(np.uint16)[:] = 3
    hidden[120:124].view(np.uint32)[:] = lds
    hidden[192:196].view(np.uint32)[:] = 0x20000000
    hidden[196:200].view(np.uint32)[:] = 0x10000000


def launch_code(code: bytes, arguments: int, rsrc1: int, groups: int, items: int, lds: int = 65536) -> Outcome:
    """Run raw machine code whose s[0:1] is `arguments`."""
    text = np.frombuffer(code, np.uint8).copy()
    launch = Launch(
        entry=text.ctypes.data,
        rsrc1=rsrc1,
        rsrc2=2 << 1 | 1 << 7 | 2 << 11,
        properties=WAVE32 | KERNARG_PTR,
        groups=(groups, 1, 1),
        group_items=(items, 1, 1),
        grid_items=(groups * items, 1, 1),
        kernarg=arguments,
        lds_bytes=lds,
        scratch_bytes=4096,
        instruction_limit=1_000_000,
    )
    fault = Fault()
    before = library().cass_emu_instructions()
    status = library().cass_emu_launch_raw(ctypes.byref(launch), text.ctypes.data, len(code), ctypes.byref(fault))
    done = library().cass_emu_instructions() - before
    return Outcome(STATUS[status], fault.text.decode(), done, fault.translation.decode())
