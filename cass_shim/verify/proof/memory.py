"""Global and shared memory of one side of a proof: what was read, what was written, under which conditions.

In: loads and stores of single lanes, in the order in which they happen. Out: terms that were read, and the accesses
for comparison. Memory is an array of cells, as wide as the narrowest access of either side; its first contents are an
uninterpreted function of the address, the same on both sides. A load of global memory sees its own thread's stores and
those before the last barrier; shared memory is seen as it is. Both are exact for kernels without data races.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cass_shim.verify.proof.floats import Terms
from cass_shim.verify.proof.lanes import Unknown
from cass_shim.verify.proof.terms import Term

SCALAR = -1  # the thread of an access that a whole wave makes


@dataclass(frozen=True, slots=True)
class Access:
    """One cell. condition: whether it happens. value: what is written, None for a load."""

    thread: int
    condition: Term
    address: Term
    phase: int  # how many barriers of the block came before
    value: Term | None = None


@dataclass(frozen=True, slots=True)
class Atomic:
    """One atomic operation without a result."""

    thread: int
    condition: Term
    address: Term
    operation: str
    width: int
    value: Term
    phase: int


@dataclass
class Memory:
    """One memory. cell: bytes of an element. own: a load sees only its thread's stores since the last barrier."""

    terms: Terms
    name: str
    cell: int
    own: bool
    reads: list[Access] = field(default_factory=list)
    writes: list[Access] = field(default_factory=list)
    atomics: list[Atomic] = field(default_factory=list)
    phase: int = 0
    fenced: bool = False  # lanes may have shown each other stores of this phase
    _settled: int = 0  # writes before the last barrier
    _by_thread: dict[int, list[int]] = field(default_factory=dict)
    _by_address: dict[int, list[int]] = field(default_factory=dict)  # constant addresses
    _open: list[int] = field(default_factory=list)  # writes at other addresses

    def first(self, address: Term) -> Term:
        """A cell before the kernel ran."""
        return self.terms.apply(f"memory.{self.name}", 8 * self.cell, address)

    def load(self, thread: int, condition: Term, address: Term, octets: int) -> Term:
        """`octets` bytes, the first lowest."""
        if octets % self.cell:
            raise Unknown(f"{self.name} access of {octets} bytes")
        self._refuse_after_atomics(thread)
        cells = []
        for offset in range(0, octets, self.cell):
            at = self.terms.add(address, self.terms.const(offset, address.width))
            self.reads.append(Access(thread, condition, at, self.phase))
            cells.append(self._read(thread, at))
        return self.terms.from_octets(cells)

    def _refuse_after_atomics(self, thread: int) -> None:
        """What an atomic operation of the own thread or before the last barrier left has no terms."""
        if any(one.thread == thread or one.phase < self.phase for one in self.atomics):
            raise Unknown(f"{self.name} memory is used after an atomic operation on it")

    def _visible(self, thread: int, address: Term) -> list[int]:
        """Which writes a load may see, in order."""
        if not self.own:
            if address.known is None:
                return list(range(len(self.writes)))
            return sorted([*self._by_address.get(address.known, ()), *self._open])
        if self.fenced and len(self.writes) > self._settled:
            raise Unknown(f"lanes may exchange {self.name} memory without a barrier of the block")
        mine = [n for n in self._by_thread.get(thread, ()) if n >= self._settled]
        return [*range(self._settled), *mine]

    def _read(self, thread: int, address: Term) -> Term:
        return self.seen(self.first(address), [self.writes[n] for n in self._visible(thread, address)], address)

    def seen(self, before: Term, writes: list[Access], address: Term) -> Term:
        """What a cell holds after some writes."""
        terms, value = self.terms, before
        for write in writes:
            hit = terms.both(write.condition, terms.eq(write.address, address))
            if hit is not terms.false:
                assert write.value is not None
                value = terms.ite(hit, write.value, value)
        return value

    def store(self, thread: int, condition: Term, address: Term, value: Term) -> None:
        """Write all of a value's bytes."""
        if value.width % (8 * self.cell):
            raise Unknown(f"{self.name} access of {value.width // 8} bytes")
        self._refuse_after_atomics(thread)
        for offset in range(0, value.width // 8, self.cell):
            at = self.terms.add(address, self.terms.const(offset, address.width))
            part = self.terms.extract(value, 8 * offset, 8 * self.cell)
            if condition is self.terms.false:
                continue
            number = len(self.writes)
            self.writes.append(Access(thread, condition, at, self.phase, part))
            self._by_thread.setdefault(thread, []).append(number)
            if at.known is None:
                self._open.append(number)
            else:
                self._by_address.setdefault(at.known, []).append(number)

    def fence(self) -> None:
        """Lanes of a warp may have made their stores known to each other."""
        if len(self.writes) > self._settled:
            self.fenced = True

    def barrier(self) -> None:
        """Every store so far is seen by every thread."""
        self._settled, self.fenced = len(self.writes), False
        self.phase += 1
