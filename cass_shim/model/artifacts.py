"""The artifacts that pass between stages, one type per arrow of the pipeline.

Fatbin → Cubin → SassKernel → LlvmModule | AmdgcnAsm | HipSource → CodeObject → Verified
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from cass_shim.model.instruction import Instruction, Relocation
from cass_shim.model.kernel_abi import AbiClass, KernelAbi, Slot


class EntryKind(IntEnum):
    """What a fatbinary entry holds."""

    PTX = 1
    ELF = 2
    NVVM = 8


@dataclass(frozen=True, slots=True)
class FatbinEntry:
    """One entry. `stored` is the payload as stored (its SHA-256 is the module's identity), `payload` decompressed.

    offset: of the entry header from the start of the fatbin region, in bytes. sm: 80 for sm_80.
    variant: "", "a" or "f". ptx_version: (9, 0) for PTX entries.
    """

    kind: EntryKind
    sm: int
    variant: str
    flags: int
    offset: int
    stored: bytes
    payload: bytes
    identifier: str = ""
    ptx_version: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Fatbin:
    """One region (magic 0xBA55ED50) of a program. `offset`: of its header in the file `source`, if known."""

    entries: tuple[FatbinEntry, ...]
    source: str = ""
    offset: int = 0


REFERENCE_BYTES = 8


@dataclass(frozen=True, slots=True)
class DataImage:
    """A block of module memory. kind: "global" (initialised), "zero" (not), "constant3", "texture", "surface".

    content is b"" for zero-initialised memory. relocations patch 8-byte words of content. A texture or surface
    reference is a word of REFERENCE_BYTES that holds a handle (docs/abi.md).
    """

    kind: str
    size: int
    align: int
    content: bytes = b""
    relocations: tuple[Relocation, ...] = ()


@dataclass(frozen=True, slots=True)
class Variable:
    """A symbol in a DataImage. visible: a user variable (cudaMemcpyToSymbol), not a string or a vtable."""

    name: str
    image: int
    offset: int
    size: int
    visible: bool = True
    managed: bool = False


@dataclass(frozen=True, slots=True)
class CubinKernel:
    """One kernel of a cubin, not decoded.

    code: the bytes of its .text section (kernel plus private clones of its callees). symbols: functions inside
    the section, name → byte address (the kernel itself at 0). constants: bank → bytes for banks private to the
    kernel (2). bank4: relocations of .nv.constant4, offset → symbol + addend. targets: address of an indirect
    branch → its possible targets. token: the virtual address of the code within its module, what a function
    pointer made by a relocation holds (0: not in a cubin); functions of other sections are in Cubin.functions.
    references: offset in constant bank 0 → the texture or surface reference whose 32-bit handle lies there.
    """

    name: str
    sm: int
    abi: KernelAbi
    code: bytes
    symbols: Mapping[str, int] = field(default_factory=dict)
    constants: Mapping[int, bytes] = field(default_factory=dict)
    bank4: Mapping[int, Relocation] = field(default_factory=dict)
    relocations: tuple[Relocation, ...] = ()
    targets: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    token: int = 0
    references: Mapping[int, str] = field(default_factory=dict)

    def starts(self) -> set[int]:
        """The virtual addresses of the functions in it."""
        return {self.token, *(self.token + at for at in self.symbols.values())}


@dataclass(frozen=True, slots=True)
class Cubin:
    """A parsed cubin: kernels by name, module data, and the functions that may be called indirectly.

    functions: device functions with their own .text section, by symbol (same shape as a kernel, abi empty).
    content: the ELF bytes. pointed: virtual addresses of the functions among these that a pointer may lead to, since
    a relocation gives them to a word of data or to an instruction other than a call.
    """

    sm: int
    content: bytes
    kernels: Mapping[str, CubinKernel]
    images: tuple[DataImage, ...] = ()
    variables: tuple[Variable, ...] = ()
    functions: Mapping[str, CubinKernel] = field(default_factory=dict)
    source: str = ""
    pointed: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class SassKernel:
    """A decoded kernel: what translators and the reference interpreter read. Extension .sass

    instructions: in address order, index = address / 16. callees: functions of other sections that it can reach
    (-rdc builds; same shape, own addresses from 0, their address in memory is kernel.token). pointed: see Cubin.
    """

    kernel: CubinKernel
    instructions: tuple[Instruction, ...]
    decoder: str = ""
    callees: Mapping[str, SassKernel] = field(default_factory=dict)
    pointed: frozenset[int] = frozenset()

    @property
    def name(self) -> str:
        return self.kernel.name

    @property
    def abi(self) -> KernelAbi:
        return self.kernel.abi

    @property
    def sm(self) -> int:
        return self.kernel.sm


@dataclass(frozen=True, slots=True)
class PtxModule:
    """PTX text of one fatbinary entry."""

    text: str
    sm: int
    source: str = ""


@dataclass(frozen=True, slots=True)
class LlvmModule:
    """LLVM IR text of one kernel for amdgcn. Extension .ll"""

    text: str
    symbol: str
    slots: tuple[Slot, ...] = ()


@dataclass(frozen=True, slots=True)
class HipSource:
    """HIP C++ of one kernel, freestanding. Extension .hip"""

    text: str
    symbol: str
    slots: tuple[Slot, ...] = ()


@dataclass(frozen=True, slots=True)
class AmdgcnAsm:
    """gfx1100 assembly text. Extension .s"""

    text: str
    symbol: str
    abi: AbiClass = AbiClass.CASS1
    slots: tuple[Slot, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeObject:
    """A gfx1100 code object v5 that holds one kernel. Extension .hsaco

    kernarg_bytes, lds_bytes, scratch_bytes, vgprs, sgprs: from its descriptor and metadata.
    bindings_offset: where the binding-table pointer goes in the kernarg (cass1). provenance: strings only.
    """

    elf: bytes
    symbol: str
    abi: AbiClass
    slots: tuple[Slot, ...]
    bindings_offset: int
    kernarg_bytes: int = 0
    lds_bytes: int = 0
    scratch_bytes: int = 0
    vgprs: int = 0
    sgprs: int = 0
    provenance: Mapping[str, str] = field(default_factory=dict)


class Evidence(IntEnum):
    """How well a translation is known to be right (architecture decision 6). Ordered."""

    NONE = 0
    E0 = 10
    E1U = 15
    E1 = 20
    E2 = 30
    E3 = 40
    E4 = 50

    @property
    def label(self) -> str:
        return {0: "none", 10: "E0", 15: "E1u", 20: "E1", 30: "E2", 40: "E3", 50: "E4"}[int(self)]

    @classmethod
    def of(cls, label: str) -> Evidence:
        """The level of a label. Raises KeyError."""
        return {one.label: one for one in cls}[label]


def is_disputed(report: Mapping[str, object]) -> bool:
    """Whether the code differed on a captured launch and there was no time to tell whether that is a fault."""
    told = report.get("captured launch")
    return isinstance(told, Mapping) and told.get("verdict") == "undecided"


def disputed_reason(report: Mapping[str, object]) -> str:
    """What is known of a disputed report's difference."""
    told = report.get("captured launch")
    return f"on a captured launch: {told['reason']}" if isinstance(told, Mapping) and "reason" in told else ""


# The share of a kernel's instructions that inputs must have reached for agreement on them to be enough by itself. Half:
# wrong stores that passed at E1 lay in kernels of which inputs had reached a fifth (`project` of the suite's
# `transformer`, `jacobi` of `jacobi_grid`). What is left out above it are mostly slow ways of divisions, loops unrolled
# for larger sizes and one side of a branch, which a launch seldom takes either.
LEAST_REACHED = 0.5


def reached_little(report: Mapping[str, object]) -> bool:
    """Whether the inputs that agreed reached less than `LEAST_REACHED` of the kernel's instructions."""
    covered = report.get("instructions_covered")
    if not isinstance(covered, Sequence) or len(covered) != 2:
        return False
    return bool(covered[0] < LEAST_REACHED * covered[1])


@dataclass(frozen=True, slots=True)
class Verified:
    """A code object that the verifier accepted. Only `cass_shim.verify` makes one; `launch` takes only these.

    report: what was checked, JSON-ready (seeds, shapes, launches, coverage, unvectored forms).
    """

    code: CodeObject
    evidence: Evidence
    report: Mapping[str, object] = field(default_factory=dict)

    @property
    def launch_may_tell(self) -> bool:
        """Whether a captured launch decides what generated inputs left open: all (E0), or most of the code."""
        if "reference" in self.report or "captured launch" in self.report:  # it cannot be compared, or it was
            return False
        return self.evidence is Evidence.E0 or (self.evidence < Evidence.E3 and reached_little(self.report))
