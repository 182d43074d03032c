"""Global and shared memory of one side of a proof: what was read, what was written, under which conditions.

In: loads and stores of single lanes, in the order in which they happen. Out: terms that were read, and the accesses
for comparison. Memory is an array of cells, as wide as the narrowest access of either side; its first contents are an
uninterpreted function of the address, the same on both sides. A load of global memory sees its own thread's stores and
those before the last barrier; shared memory is seen as it is. Both are exact for kernels without data races.

What an atomic operation gave, and what memory holds behind it, depends on the other threads: unknowns, named by how
many such operations the thread (of shared memory: anybody) made before. They mean the same on both sides where both
make the same operations in the same order, thread by thread, which is then claimed (`ordered`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cass_shim.verify.proof.floats import Terms
from cass_shim.verify.proof.lanes import Unknown
from cass_shim.verify.proof.terms import Term

BANK = "bank."  # how the addresses of constant banks are called
SCALAR = -1  # the thread of an access that a whole wave makes


@dataclass(frozen=True, slots=True)
class Access:
    """One cell. condition: whether it happens. value: what is written, None for a load."""

    thread: int
    condition: Term
    address: Term
    phase: int  # how many barriers of the block came before
    value: Term | None = None
    after: int = 0  # how many atomic operations of its thread came before


COMMUTATIVE = frozenset({"add", "and", "or", "xor", "umin", "umax", "smin", "smax"})


@dataclass(frozen=True, slots=True)
class Atomic:
    """One atomic operation. compare: what compare-and-swap expects."""

    thread: int
    condition: Term
    address: Term
    operation: str
    width: int
    value: Term
    phase: int = 0
    compare: Term | None = None


def is_constant(address: Term) -> bool:
    """Whether an address lies in a constant bank, which no kernel writes."""
    parts = address.args if address.op == "sum" else (address,)
    return any(part.op == "var" and str(part.value).startswith(BANK) for part in parts)


def local_memory(memories: dict[str, Memory], side: str, terms: Terms, thread: int) -> Memory:
    """A thread's own memory, whose first contents are not defined."""
    name = f"local.{side}.{thread}"
    if name not in memories:
        memories[name] = Memory(terms, name, memories["local"].cell, own=False)
    return memories[name]


@dataclass
class Memory:
    """One memory. cell: bytes of an element. own: a load sees only its thread's stores since the last barrier.

    ordered: the order of a thread's atomic operations matters, since a result or what they left behind is used.
    """

    terms: Terms
    name: str
    cell: int
    own: bool
    reads: list[Access] = field(default_factory=list)
    writes: list[Access] = field(default_factory=list)
    atomics: list[Atomic] = field(default_factory=list)
    phase: int = 0
    fenced: bool = False  # lanes may have shown each other stores of this phase
    ordered: bool = False
    _made: dict[int, int] = field(default_factory=dict)  # thread → its atomic operations
    _since: dict[int, int] = field(default_factory=dict)  # thread → those of this epoch
    _known_from: dict[int, int] = field(default_factory=dict)  # thread → the first write behind its last one
    _stale: int = 0  # writes before the last barrier that follows atomic operations
    _epoch: int = 0  # such barriers; of shared memory, instructions with atomic operations
    _counted: int = 0  # atomic operations before this epoch
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
        cells = []
        for offset in range(0, octets, self.cell):
            at = self.terms.add(address, self.terms.const(offset, address.width))
            self.reads.append(Access(thread, condition, at, self.phase, None, self._before(thread)))
            cells.append(self._read(thread, at))
        return self.terms.from_octets(cells)

    def atomic(self, one: Atomic, returns: bool) -> Term:
        """Make an operation; what it found, which is only to be used where `returns`."""
        made = self._made.get(one.thread, 0)
        self._made[one.thread] = made + 1
        for thread in (one.thread, SCALAR):
            self._since[thread] = self._since.get(thread, 0) + 1
            self._known_from[thread] = len(self.writes)
        self.atomics.append(replace(one, phase=self.phase))
        self.ordered |= returns or one.operation not in COMMUTATIVE
        return self.terms.var(f"atomic.{self.name}.{one.thread}.{made}", one.width)

    def atomics_end(self) -> None:
        """The end of an instruction that made some: shared memory is another from here on."""
        if not self.own:
            self._next_epoch()

    def _next_epoch(self) -> None:
        if len(self.atomics) > self._counted:
            self._epoch, self._stale, self._counted = self._epoch + 1, len(self.writes), len(self.atomics)
            self._since.clear()

    def _before(self, thread: int) -> int:
        """Atomic operations that the thread made; an access behind them makes their order matter."""
        made = self._made.get(thread, 0)
        self.ordered |= made > 0 if self.own else self._epoch > 0
        return made

    def _base(self, thread: int, address: Term) -> Term:
        """A cell as it was before the writes that are visible."""
        made = self._since.get(thread, 0) if self.own else 0
        if not made and not self._epoch:
            return self.first(address)
        name = f"memory.{self.name}.after.{self._epoch}{f'.{thread}.{made}' if made else ''}"
        return self.terms.apply(name, 8 * self.cell, address)

    def _visible(self, thread: int, address: Term) -> list[int]:
        """Which writes a load may see, in order: none that an atomic operation may have followed."""
        known = max(self._stale, self._known_from.get(thread, 0) if self.own else 0)
        return [n for n in self._stored(thread, address) if n >= known]

    def _stored(self, thread: int, address: Term) -> list[int]:
        if not self.own:
            if address.known is None:
                return list(range(len(self.writes)))
            return sorted([*self._by_address.get(address.known, ()), *self._open])
        if self.fenced and len(self.writes) > self._settled:
            raise Unknown(f"lanes may exchange {self.name} memory without a barrier of the block")
        mine = [n for n in self._by_thread.get(thread, ()) if n >= self._settled]
        return [*range(self._settled), *mine]

    def _read(self, thread: int, address: Term) -> Term:
        if is_constant(address):
            return self.first(address)
        return self.seen(self._base(thread, address), [self.writes[n] for n in self._visible(thread, address)], address)

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
        after = self._before(thread)
        for offset in range(0, value.width // 8, self.cell):
            at = self.terms.add(address, self.terms.const(offset, address.width))
            part = self.terms.extract(value, 8 * offset, 8 * self.cell)
            if condition is self.terms.false:
                continue
            number = len(self.writes)
            self.writes.append(Access(thread, condition, at, self.phase, part, after))
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
        if self.own:
            self._next_epoch()
        self.phase += 1
