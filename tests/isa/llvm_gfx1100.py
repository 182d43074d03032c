"""LLVM's gfx1100 assembler as an oracle: which mnemonics it knows, which lines it takes, and their bytes.

LLVM is the copy in the ziglang package. Its matcher holds every AMDGPU mnemonic in one table of text, each with its
length in front, in alphabetical order; which of them gfx1100 has, the assembler itself says.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
import ziglang
from elftools.elf.elffile import ELFFile

from tests.native.emulator_core_support import TARGET, ZIG

NAME = re.compile(rb"[a-z][a-z0-9_]*")
KNOWN = b"s_abs_i32"  # any mnemonic that no other text contains with its length in front
REACH = 200_000  # bytes of the table before it, at most
ERROR = re.compile(r"^.*?\.s:(\d+):\d+: error: (.*)$", re.MULTILINE)
UNKNOWN = ("invalid instruction", "instruction not supported on this GPU")
SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")]
)


def names_from(data: bytes, at: int) -> list[str]:
    """Names in a row, each behind its length, from an offset on."""
    names = []
    while 0 < data[at] < 60 and NAME.fullmatch(name := data[at + 1 : at + 1 + data[at]]):
        names.append(name.decode())
        at += 1 + data[at]
    return names


def mnemonics() -> list[str]:
    """Every AMDGPU mnemonic of every generation; AssertionError where LLVM's table is not found."""
    data = (Path(ziglang.__file__).parent / "zig").read_bytes()
    known = data.find(bytes([len(KNOWN)]) + KNOWN)
    assert known > 0, "the ziglang package holds no table of AMDGPU mnemonics"
    found = max((names_from(data, at) for at in range(max(0, known - REACH), known + 1)), key=len)
    assert KNOWN.decode() in found and found == sorted(found), "LLVM's table of mnemonics has another form"
    return found


def assemble_lines(lines: Sequence[str], folder: Path) -> tuple[bytes, dict[int, str]]:
    """The object file, empty when there are errors, and the first error of each line by its number from 0 on."""
    source, target = folder / "lines.s", folder / "lines.o"
    source.write_text("".join(f"L{i}: {line}\n" for i, line in enumerate(lines)) + f"L{len(lines)}:\n")
    options = ("-ferror-limit=0", "-fno-caret-diagnostics", "-fno-color-diagnostics", "-x", "assembler")
    command = [*ZIG, "clang", *TARGET, *options, "-c", str(source), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    errors: dict[int, str] = {}
    for number, message in ERROR.findall(done.stderr):
        errors.setdefault(int(number) - 1, message)
    assert (done.returncode == 0) == (not errors), done.stderr[:2000]
    return (b"" if errors else target.read_bytes()), errors


def taken(lines: Sequence[str], folder: Path) -> list[tuple[int, bytes]]:
    """Of each line that LLVM assembles: its index and its machine code."""
    _, errors = assemble_lines(lines, folder)
    kept = [i for i in range(len(lines)) if i not in errors]
    image, again = assemble_lines([lines[i] for i in kept], folder)
    assert not again, again
    elf = ELFFile(BytesIO(image))
    index, section = next((i, s) for i, s in enumerate(elf.iter_sections()) if s.name == ".text")
    symbols = np.frombuffer(elf.get_section_by_name(".symtab").data(), SYMBOL)
    at = np.sort(symbols["value"][(symbols["section"] == index) & (symbols["info"] & 15 == 0)]).tolist()
    assert len(at) == len(kept) + 1
    text = section.data()
    return [(i, text[at[k] : at[k + 1]]) for k, i in enumerate(kept)]


def accepted(folder: Path) -> list[str]:
    """The mnemonics that gfx1100 has: a bare name gets another complaint there than that it is unknown."""
    names = mnemonics()
    _, errors = assemble_lines(names, folder)
    return [name for i, name in enumerate(names) if not errors.get(i, "").startswith(UNKNOWN)]
