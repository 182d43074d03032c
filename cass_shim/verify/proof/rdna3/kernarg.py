"""The kernel argument segment and the binding table, as terms.

In: the layout of a code object's arguments, the launch. Out: the word at an offset. Layouts: docs/abi.md for the CUDA
parameters and the binding table, LLVM AMDGPUUsage ("Code Object V5 Metadata") for the hidden arguments.
"""

from __future__ import annotations

from cass_shim.model.kernel_abi import Slot, SlotKind
from cass_shim.verify.proof.lanes import Unknown
from cass_shim.verify.proof.launch import AXES, Domain
from cass_shim.verify.proof.memory import BANK
from cass_shim.verify.proof.rdna3.image import Image
from cass_shim.verify.proof.terms import Term


class Kernarg:
    """base: its address. bindings: offset of the binding table's address, as the contract has it."""

    def __init__(self, domain: Domain, image: Image, slots: tuple[Slot, ...], bindings: int) -> None:
        self.domain, self.terms, self.slots, self.offset = domain, domain.terms, slots, bindings
        self.base = self.terms.var("kernarg", 64)
        self.table = self.terms.var("bindings", 64)
        self.hidden = {offset: (size, kind) for offset, size, kind in image.arguments if kind.startswith("hidden_")}

    def load(self, address: Term) -> Term | None:
        """The word at an address within the arguments or the binding table, None for any other address."""
        for base, read in ((self.base, self._argument), (self.table, self._slot)):
            distance = self.terms.sub(address, base)
            if distance.known is not None:
                return read(distance.known & ~3)
        return None

    def _argument(self, offset: int) -> Term:
        return self.terms.from_octets([self._octet(offset + n) for n in range(4)])

    def _octet(self, offset: int) -> Term:
        t = self.terms
        if 0 <= offset < self.domain.abi.params_bytes:
            return t.octet(self.domain.parameter(offset & ~3), offset & 3)
        if self.offset <= offset < self.offset + 8:
            return t.octet(self.table, offset - self.offset)
        for start, (size, kind) in self.hidden.items():
            if start <= offset < start + size:
                return t.octet(self._hidden(kind, 8 * size), offset - start)
        return t.var(f"undefined.kernarg.{offset:#x}", 8)

    def _hidden(self, kind: str, width: int) -> Term:
        t = self.terms
        for number, axis in enumerate(AXES):
            if kind == f"hidden_block_count_{axis}":
                return self.domain.grid[number]
            if kind == f"hidden_group_size_{axis}":
                return t.extract(self.domain.dimensions[number], 0, 16)
            if kind in (f"hidden_remainder_{axis}", f"hidden_global_offset_{axis}"):
                return t.const(0, width)
        return t.var(kind, width)

    def _slot(self, offset: int) -> Term:
        """A word of the binding table: addresses of symbols, the same on both sides."""
        number, part = offset // 8, offset // 4 % 2
        if not 0 <= number < len(self.slots):
            raise Unknown(f"the binding table has no slot {number}")
        slot = self.slots[number]
        if slot.kind is SlotKind.BANK:
            return self.terms.extract(self.terms.var(f"{BANK}{slot.addend}", 64), 32 * part, 32)
        if slot.kind is not SlotKind.SYMBOL:
            raise Unknown(f"binding {slot.kind.name}")
        address = self.terms.add(self.terms.var(f"symbol.{slot.symbol}", 64), self.terms.const(slot.addend, 64))
        return self.terms.extract(address, 32 * part, 32)
