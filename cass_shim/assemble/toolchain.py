"""Finds clang and ld.lld for gfx1100, proves that they are fit, and runs them.

In: ziglang's binary, ROCm's LLVM or a system LLVM. Out: a `Toolchain` (pinned in provenance), `link`.
A tool is trusted only after it assembled two known instructions into the right bytes with an empty stderr:
LLVM 14 warns about gfx1100, exits 0 and writes code of another generation. And only after it compiled a function
whose two ways to one value LLVM 22 makes one of.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import io
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from cass_shim.assemble.linker import link_object
from cass_shim.model.errors import ToolFailed

TIMEOUT_S = 120.0
OLDEST_LLVM = 18  # the first release whose gfx11 support this project was tried with

# Source: LLVM 22 `llvm-mc -show-encoding`, RDNA3 ISA manual §16.4 (SOPP) and §15.5 (VOPD).
PROBE_TEXT = b"v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2\ns_endpgm\n"
PROBE_BYTES = bytes.fromhex("010110ca020102000000b0bf")

# `x` is `a` for lanes that come by `take`, else `b`. LLVM 22's structurizer (`hoistZeroCostElseBlockPhiValues`, since
# July 2025; mended after its release, llvm/llvm-project#183792) lets all lanes have `b`: of generated kernels 3414 was
# wrong by it. What is left is a masked region with nothing in it.
PROBE_IR = b"""target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %s, i1 %t, i32 %h, i64 %a, i64 %b) {
entry:
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %none = icmp eq i32 %s, 0
  br i1 %none, label %take, label %pick
pick:
  br i1 %t, label %signed, label %unsigned
signed:
  %less = icmp sle i32 %lane, %h
  br label %merge
unsigned:
  %below = icmp ule i32 %lane, %h
  br label %merge
merge:
  %c = phi i1 [ %less, %signed ], [ %below, %unsigned ]
  br i1 %c, label %take, label %join
take:
  br label %join
join:
  %x = phi i64 [ %a, %take ], [ %b, %merge ]
  %p = getelementptr inbounds i64, ptr addrspace(1) %out, i32 %lane
  store i64 %x, ptr addrspace(1) %p
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
"""
NOTHING_MASKED = re.compile(r"s_and_saveexec_b32 (s\d+), \S+\n\s*s_or_b32 exec_lo, exec_lo, \1\b")

# No halves of registers for 16-bit values. LLVM 22 copies whole registers to them and ends with a segmentation fault
# (generated kernel 5709, whose chosen bools become i16); LLVM 21 writes the upper half of a register whose lower half a
# load is still to bring, without a wait (3072 and thirteen others; llvm/llvm-project#157795 waits for the whole).
# No barriers that back off: with them (from LLVM 22 on for gfx11) LLVM relies on the waits of the fence before a
# barrier, which it drops where what is under way comes round a loop (llvm/llvm-project#220357, September 2026). LDS
# stored by one wave could be read too early by another. Without, it counts what is under way at each barrier.
FEATURES = "-real-true16,-back-off-barrier"

_TARGET = ("-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-mcode-object-version=5")
_ASSEMBLE = (*_TARGET, "-x", "assembler", "-c")
# Code generation alone, of IR that has been optimised.
GENERATE = (*_TARGET, "-x", "ir", "-O3", "-Xclang", "-disable-llvm-passes", "-nogpulib", "-w", "-S")


@dataclass(frozen=True, slots=True)
class Tool:
    """An executable with the arguments that select it ("zig", "clang"). version: its first line."""

    command: tuple[str, ...]
    version: str = ""

    @property
    def name(self) -> str:
        return Path(self.command[-1]).name


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A clang and an ld.lld that passed the probe. origin: "ziglang", "rocm", "system" or "CASS_LLVM"."""

    origin: str
    clang: Tool
    lld: Tool

    @property
    def provenance(self) -> dict[str, str]:
        return {"toolchain": self.origin, "clang": self.clang.version, "lld": self.lld.version}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One place looked at. reason: why it was refused, "" when accepted (`cass doctor` prints these)."""

    origin: str
    clang: tuple[str, ...]
    lld: tuple[str, ...]
    reason: str = ""
    toolchain: Toolchain | None = None


@contextlib.contextmanager
def scratch_directory() -> Iterator[Path]:
    """A private directory (0700) that is gone afterwards, also when the tool fails or times out."""
    with tempfile.TemporaryDirectory(prefix="cass-tool-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def _environment(directory: Path) -> dict[str, str]:
    """What a tool may see: nothing that changes its output or that preloads us into it."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "LC_ALL": "C", "TMPDIR": str(directory), "ZIG_LOCAL_CACHE_DIR": str(directory)}


def run_tool(tool: Tool, arguments: Sequence[str], directory: Path, timeout_s: float = TIMEOUT_S) -> str:
    """Run one tool in `directory`; its stderr. Raises ToolFailed on a bad exit, a signal or a timeout."""
    command = [*tool.command, *arguments]
    shown = " ".join(command)
    try:
        child = subprocess.Popen(
            command,
            cwd=directory,
            env=_environment(directory),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolFailed(tool.name, command=shown, stderr=str(error)) from error
    try:
        _, stderr = child.communicate(timeout=timeout_s)
    except BaseException as error:
        _kill_group(child)
        if isinstance(error, subprocess.TimeoutExpired):
            raise ToolFailed(tool.name, command=shown, stderr=f"no answer after {timeout_s:g} s") from error
        raise
    text = stderr.decode("utf-8", "replace")
    if child.returncode != 0:
        detail = text if text.strip() else f"exit status {child.returncode}"
        raise ToolFailed(tool.name, command=shown, stderr=detail)
    return text


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    """The tool and what it started (clang runs cc1 as a child): it has its own session."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.communicate()


def version_of(command: tuple[str, ...]) -> str:
    """First line of `--version`, "" when the tool does not run."""
    try:
        answer = subprocess.run(
            [*command, "--version"],
            capture_output=True,
            encoding="utf-8",
            timeout=20,
            stdin=subprocess.DEVNULL,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.strip().splitlines()[0] if answer.stdout.strip() else ""


def text_section(elf: bytes) -> bytes:
    """The bytes of `.text`, b"" when there is none or this is no ELF file."""
    try:
        section = ELFFile(io.BytesIO(elf)).get_section_by_name(".text")
        return bytes(section.data()) if section is not None else b""
    except (ELFError, ValueError, OSError):
        return b""


def loses_values(assembly: str) -> bool:
    """Whether what a code generator made of `PROBE_IR` lacks one of its two values."""
    return NOTHING_MASKED.search(assembly) is not None


def probe(origin: str, clang: tuple[str, ...], lld: tuple[str, ...]) -> Candidate:
    """Whether this clang and this ld.lld can be trusted with gfx1100."""

    def refused(reason: str) -> Candidate:
        return Candidate(origin, clang, lld, reason)

    tools = Toolchain(origin, Tool(clang, version_of(clang)), Tool(lld, version_of(lld)))
    if not tools.clang.version or not tools.lld.version:
        return refused("does not run")
    try:
        with scratch_directory() as directory:
            (directory / "probe.s").write_bytes(PROBE_TEXT)
            warned = run_tool(tools.clang, [*_ASSEMBLE, "probe.s", "-o", "probe.o"], directory, 30)
            code = text_section((directory / "probe.o").read_bytes())
            if warned.strip():
                return refused(f"warns about gfx1100: {warned.strip().splitlines()[0]}")
            if code != PROBE_BYTES:
                return refused(f"assembles gfx1100 to {code.hex()}, expected {PROBE_BYTES.hex()}: too old or broken")
            run_tool(tools.lld, ["-shared", "probe.o", "-o", "probe.hsaco"], directory, 30)
            if text_section((directory / "probe.hsaco").read_bytes())[: len(PROBE_BYTES)] != PROBE_BYTES:
                return refused("ld.lld does not keep the code")
            (directory / "probe.ll").write_bytes(PROBE_IR)
            run_tool(tools.clang, [*GENERATE, "probe.ll", "-o", "probe.s"], directory, 30)
            if loses_values((directory / "probe.s").read_text()):
                return refused("makes one value of two where ways meet (LLVM 22; llvm/llvm-project#183792)")
    except (ToolFailed, OSError) as error:
        return refused(str(error))
    return Candidate(origin, clang, lld, toolchain=tools)


def _places() -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Where to look, best first. CASS_LLVM names a `bin` folder and excludes all others."""
    chosen = os.environ.get("CASS_LLVM")
    if chosen:
        yield "CASS_LLVM", (f"{chosen}/clang",), (f"{chosen}/ld.lld",)
        return
    spec = importlib.util.find_spec("ziglang")
    if spec is not None and spec.origin:
        zig = str(Path(spec.origin).parent / "zig")
        yield "ziglang", (zig, "clang"), (zig, "ld.lld")
    for root in filter(None, (os.environ.get("ROCM_PATH"), "/opt/rocm")):
        yield "rocm", (f"{root}/llvm/bin/clang",), (f"{root}/llvm/bin/ld.lld",)
    for release in range(30, OLDEST_LLVM - 1, -1):
        folder = f"/usr/lib/llvm-{release}/bin"
        yield "system", (f"{folder}/clang",), (f"{folder}/ld.lld",)
    clang, lld = shutil.which("clang"), shutil.which("ld.lld")
    if clang and lld:
        yield "system", (clang,), (lld,)


def candidates() -> Iterator[Candidate]:
    """Probe every place that exists, best first, lazily."""
    for origin, clang, lld in _places():
        if origin == "CASS_LLVM" or (Path(clang[0]).exists() and Path(lld[0]).exists()):
            yield probe(origin, clang, lld)


@functools.cache
def toolchain() -> Toolchain:
    """The first toolchain that passes the probe. Raises ToolFailed that lists what was refused and why."""
    refused = []
    for candidate in candidates():
        if candidate.toolchain is not None:
            return candidate.toolchain
        refused.append(f"{' '.join(candidate.clang)}: {candidate.reason}")
    tried = "; ".join(refused) or "none found"
    raise ToolFailed("clang", stderr=f"no LLVM fit for gfx1100 ({tried}); fix: pip install 'ziglang>=0.15,<0.17'")


def assemble_object(text: str) -> bytes:
    """gfx1100 assembly text to a relocatable object. Raises ToolFailed with the assembler's messages."""
    tools = toolchain()
    with scratch_directory() as directory:
        (directory / "kernel.s").write_text(text, encoding="utf-8")
        run_tool(tools.clang, [*_ASSEMBLE, "kernel.s", "-o", "kernel.o"], directory)
        return (directory / "kernel.o").read_bytes()


def link(relocatable: bytes) -> bytes:
    """A relocatable gfx1100 object to a loadable code object, by ld.lld where `linker` does not know its shape.

    Raises ToolFailed with its messages.
    """
    linked = link_object(relocatable)
    return _link_by_lld(relocatable) if linked is None else linked


def _link_by_lld(relocatable: bytes) -> bytes:
    tools = toolchain()
    with scratch_directory() as directory:
        (directory / "kernel.o").write_bytes(relocatable)
        run_tool(tools.lld, ["-shared", "--no-undefined", "kernel.o", "-o", "kernel.hsaco"], directory)
        return (directory / "kernel.hsaco").read_bytes()
