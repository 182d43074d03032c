"""Waits of releases: what a wave has read and written is done before others are told.

LLVM makes these waits early (SIMemoryLegalizer) and takes out again those for which nothing is under way
(SIInsertWaitcnts); at the head of a loop it does so before it knows what comes round (22 and before;
llvm/llvm-project#220357). A `__threadfence()` or a release there lost its wait for the store at the loop's end, which
no emulator shows: there a store is done at once. So the waits are written before each release in a cycle of blocks,
where LLVM does not look into them: for clang as an asm; in process, where there is no parser of asm, as instructions of
traces, which nothing else uses and which become the waits in what was emitted. Those of fences right before a barrier
are kept by `toolchain.FEATURES`.

In: optimised IR as text. Out: the same text with those waits, or None where nothing is released; and what was emitted
with the waits in place of their marks.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import numpy as np
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from cass_shim.assemble.ir_text import functions

WAITS = '  call void asm sideeffect "s_waitcnt vmcnt(0) lgkmcnt(0)\\0As_waitcnt_vscnt null, 0x0", "~{memory}"()'
# A mark's number, the wait it stands for and that wait's word. Source: LLVM 22 `llvm-mc -show-encoding`.
_MARKS = ((0x6CA5, "s_waitcnt vmcnt(0) lgkmcnt(0)", 0xBF890007), (0x6CA6, "s_waitcnt_vscnt null, 0x0", 0xBC7C0000))
_TRACE = 0xBFBB0000  # s_ttracedata_imm, whose low half is any number
_DECLARED = "declare void @llvm.amdgcn.s.ttracedata.imm(i16 immarg)"
MARKED = "\n".join(f"  call void @llvm.amdgcn.s.ttracedata.imm(i16 {number})" for number, _, _ in _MARKS)
_RELEASE = re.compile(
    r"^\s+(?:%\S+ = )?(?:tail )?(?:fence|atomicrmw|cmpxchg|store atomic|load atomic)\b"
    r'(?:[^"]|"(?P<scope>[^"]*)")*?\s(?:release|acq_rel|seq_cst)\b'
)
_LABEL = re.compile(r'^(?P<name>[\w.$-]+|"[^"]*"):')
_TARGET = re.compile(r'\blabel %([\w.$-]+|"[^"]*")')
_BARRIER = "@llvm.amdgcn.s.barrier("
ALONE = ("wavefront", "singlethread")  # scopes in which the hardware keeps the order itself


def waited(text: str) -> str | None:
    """The module with the waits of its releases in loops, as an asm; None where it has none."""
    return _with(WAITS, text)


def marked(text: str) -> str | None:
    """The same with marks in the waits' place."""
    found = _with(MARKED, text)
    return found if found is None or _DECLARED in found else f"{found}\n{_DECLARED}\n"


def settled_text(assembly: str) -> str:
    """Assembly with the waits in place of their marks."""
    for number, wait, _ in _MARKS:
        assembly = assembly.replace(f"s_ttracedata_imm {number:#x}", wait)
    return assembly


def settled_object(relocatable: bytes) -> bytes | None:
    """An object with the waits in place of their marks; None where a constant may look like a mark: what is found does
    not come in pairs then."""
    settled = bytearray(relocatable)
    for section in ELFFile(io.BytesIO(relocatable)).iter_sections():
        if not section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR:
            continue
        words = np.frombuffer(settled, "<u4", section["sh_size"] // 4, section["sh_offset"])
        first, second = (np.flatnonzero(words == _TRACE + number) for number, _, _ in _MARKS)
        if len(first) != len(second) or (first >= second).any() or (second[:-1] >= first[1:]).any():
            return None
        for found, (_, _, wait) in zip((first, second), _MARKS, strict=True):
            words[found] = wait
    return bytes(settled)


def _with(waits: str, text: str) -> str | None:
    lines = text.split("\n")
    released = {
        at
        for at, line in enumerate(lines)
        if ("release" in line or "acq_rel" in line or "seq_cst" in line) and _releases(lines, at)
    }
    if not released:
        return None
    repeated = set[int]()
    for start, end in functions(lines):
        inside = [at for at in released if start < at < end]
        repeated |= set(_in_cycles(lines, start, end, inside)) if inside else set()
    if not repeated:
        return None
    return "\n".join(one for at, line in enumerate(lines) for one in ((waits, line) if at in repeated else (line,)))


def _in_cycles(lines: list[str], start: int, end: int, wanted: list[int]) -> Iterator[int]:
    """Those of the wanted lines whose block is reached again from its end."""
    block, of, leads = "", dict[int, str](), dict[str, set[str]]()
    asked = frozenset(wanted)
    for at in range(start + 1, end):
        line = lines[at]
        if line[:1] != " " and (found := _LABEL.match(line)):
            block = found["name"].strip('"')
        if at in asked:
            of[at] = block
        if "label %" in line:
            leads.setdefault(block, set()).update(name.strip('"') for name in _TARGET.findall(line))
    for at in wanted:
        seen, work = set[str](), list(leads.get(of[at], ()))
        while work:
            one = work.pop()
            if one not in seen:
                seen.add(one)
                work += leads.get(one, ())
        if of[at] in seen:
            yield at


def _releases(lines: list[str], at: int) -> bool:
    """Whether a line is a release to other waves without a barrier right behind it."""
    found = _RELEASE.match(lines[at])
    if found is None or (found["scope"] or "").startswith(ALONE):
        return False
    fences_block = "fence" in found[0] and (found["scope"] or "").startswith("workgroup")
    return not (fences_block and _BARRIER in lines[at + 1])
