"""The registers of one function: their C++ names, and the types that most of their uses want."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from cass_shim.isa.ptx.syntax import Function, Instruction, Register
from cass_shim.isa.ptx.types import TYPES, bits_of
from cass_shim.model.errors import InvalidPtx
from cass_shim.translate.ptx_hip.names import Names

if TYPE_CHECKING:
    from cass_shim.translate.ptx_hip.program import Program

_NO_VOTES = dict.fromkeys("usf", 0)
_SIGNLESS = {"ld", "ldu", "st", "mov"}


class Registers:
    """Part of `FunctionWriter`. votes: by register, how often it is used as unsigned, signed and float.

    cast: the votes of the current instruction. current: it, for messages.
    """

    def __init__(self, program: Program, function: Function) -> None:
        self.program, self.function = program, function
        self.names = Names(program.names)
        self.votes: dict[str, dict[str, int]] = {}
        self.cast: list[tuple[str, str, str]] = []
        self.types: dict[str, str] = {}
        self.held: dict[str, tuple[str, str]] = {}
        self.uses_carry = False
        self.current: Instruction | None = None

    def malformed(self, what: str) -> InvalidPtx:
        place = self.current.place if self.current else f"line {self.function.line}"
        form = f" ({self.current.form})" if self.current else ""
        return InvalidPtx(what + form, where=f"PTX {place} in {self.function.name}")

    def _held(self, register: Register) -> tuple[str, str]:
        """C++ name and type."""
        key = register.name + register.part
        found = self.held.get(key)
        if found is None:
            if register.part.startswith("v"):
                raise self.malformed(f"{register.name} is a vector register, a component is expected")
            name = self.names.of(f"%{key}", register.name + register.part.replace(".", "_"))
            found = self.held[key] = (name, self._type(register, key))
        return found

    def _vote(self, register: Register, type_name: str) -> None:
        if self.program.writing:
            return  # the first run has counted
        row = TYPES[type_name]
        if row.bits == bits_of(register.type) and row.kind in "usf":
            opcode = self.current.opcode if self.current else ""
            if row.kind != "u" or opcode not in _SIGNLESS:  # nvcc moves signed values as .u32 too
                self.cast.append((register.name, register.part, row.kind))
                self._count(register.name + register.part, row.kind)

    def _count(self, key: str, kind: str) -> None:
        counter = self.votes.get(key)
        if counter is None:
            counter = self.votes[key] = dict(_NO_VOTES)
        counter[kind] += 1

    def _type(self, register: Register, key: str) -> str:
        """The C++ type that its uses prefer; while they are counted, that of its declaration."""
        if not self.program.writing:
            return TYPES[register.type].c
        found = self.types[key] = self._decide(register, self.votes.get(key) or _NO_VOTES)
        return found

    def _decide(self, register: Register, votes: dict[str, int]) -> str:
        if register.type in ("pred", "b128"):
            return TYPES[register.type].c
        bits = bits_of(register.type)
        if bits == 8:
            return "i8" if register.type == "s8" else "u8"
        if votes["f"] > votes["u"] + votes["s"]:
            return f"f{bits}"
        return f"i{bits}" if votes["s"] > votes["u"] else f"u{bits}"

    def named_types(self) -> dict[str, str]:
        """C++ type of each register's C++ name."""
        return {self.names.of(f"%{key}"): c for key, c in self.types.items()}

    def declarations(self, moved: AbstractSet[str]) -> list[str]:
        """Declarations of registers by type, less those `moved`; zero where PTX would leave them undefined."""
        grouped: dict[str, list[str]] = {}
        lines: list[str] = []
        for key, c in self.types.items():
            name = self.names.of(f"%{key}")
            if name in moved:
                continue
            grouped.setdefault(c, []).append(f"{name} = {'false' if c == 'bool' else '0'}")
        for c in sorted(grouped):
            members = grouped[c]
            lines.extend(f"{c} {', '.join(members[at : at + 10])};" for at in range(0, len(members), 10))
        if self.uses_carry:
            lines.append("bool carry = false;")
        return lines
