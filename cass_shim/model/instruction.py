"""A decoded SASS instruction, independent of who decoded it (nvdisasm today, our own decoder next).

In: nothing. Out: the types that `decode` produces and that `isa.sass` semantics, `lift` and `verify` read.
Names are NVIDIA's. The fields follow the printed form, so that `mnemonic + modifiers + operands` is the text.
"""

from __future__ import annotations

from dataclasses import dataclass, field

RZ = 255  # the zero register, R or UR, whatever number the encoding of the generation uses
PT = 7  # the true predicate, P or UP
UNIFORM_REGISTERS = 80  # of sm_100 and later (ptxas 13.0 uses UR79); 63 before


@dataclass(frozen=True, slots=True)
class Reg:
    """R<index> or UR<index>; index RZ reads 0. Suffixes as printed, in order ("H0_H0", "64"), without "reuse"."""

    index: int
    uniform: bool = False
    negate: bool = False
    absolute: bool = False
    invert: bool = False
    suffix: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pred:
    """P<index> or UP<index>; index PT is true."""

    index: int
    uniform: bool = False
    negate: bool = False


@dataclass(frozen=True, slots=True)
class Imm:
    """The raw 32-bit immediate field. For an f64 operand it is the high word; for half2 both halves."""

    bits: int


@dataclass(frozen=True, slots=True)
class Const:
    """c[bank][index + offset]; `bank_register` for the bindless form cx[UR][...]."""

    bank: int
    offset: int
    index: Reg | None = None
    bank_register: Reg | None = None
    negate: bool = False
    absolute: bool = False
    invert: bool = False
    suffix: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mem:
    """desc[descriptor][base + uniform + offset]. `wide`: base is a 64-bit pair; `scale` multiplies base."""

    base: Reg | None
    offset: int = 0
    uniform: Reg | None = None
    wide: bool = False
    scale: int = 1
    descriptor: Reg | None = None


@dataclass(frozen=True, slots=True)
class Special:
    """A special register, "SR_TID.X"."""

    name: str


@dataclass(frozen=True, slots=True)
class Barrier:
    """Convergence barrier register B<index>."""

    index: int


@dataclass(frozen=True, slots=True)
class Scoreboard:
    """SB<index>, the operand of DEPBAR."""

    index: int


@dataclass(frozen=True, slots=True)
class Target:
    """A code address: bytes from the start of the kernel's section, or a symbol for a relocated call.

    After a register operand (CALL.REL R, RET.REL R, BRX R) the destination is register + address.
    """

    address: int
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    """An operand that is printed as a bare word, for example `2D` of a texture fetch."""

    text: str


Operand = Reg | Pred | Imm | Const | Mem | Special | Barrier | Scoreboard | Target | Word


@dataclass(frozen=True, slots=True)
class Relocation:
    """What the loader would patch into an instruction or a data word. `kind` is the R_CUDA_ number."""

    offset: int
    kind: int
    symbol: str
    addend: int = 0


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. `address` is in bytes from the start of the section; `word` the 128-bit encoding.

    modifiers: as printed, without the dots, in order. targets: the possible targets of an indirect branch
    (EIATTR_INDIRECT_BRANCH_TARGETS). relocation: what patches this instruction, if anything.
    """

    address: int
    mnemonic: str
    modifiers: tuple[str, ...] = ()
    operands: tuple[Operand, ...] = ()
    guard: Pred | None = None
    word: int = 0
    targets: tuple[int, ...] = ()
    relocation: Relocation | None = None
    text: str = field(default="", compare=False)

    def has(self, *names: str) -> bool:
        """Whether any of these modifiers is present."""
        return any(map(self.modifiers.__contains__, names))

    @property
    def form(self) -> str:
        """The mnemonic with its modifiers, the name that coverage counts ("ISETP.GE.U32.AND")."""
        return ".".join((self.mnemonic, *self.modifiers))
