"""Are two sides equal? What must hold, as conditions that must not be satisfiable.

In: two `Side`s of one block. Out: `Claim`s, each with the condition under which it fails; one that is `false` already
holds by the normal form of terms. The claims together: every thread writes the same values to the same places, the
same atomic operations happen, nothing is read that the original does not read, and no loop of the translation runs
on when the original's has ended.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from cass_shim.model.kernel_abi import WARP
from cass_shim.verify.proof.execution import Side
from cass_shim.verify.proof.floats import Terms
from cass_shim.verify.proof.lanes import Unknown
from cass_shim.verify.proof.memory import SCALAR, Access, Atomic, Memory
from cass_shim.verify.proof.terms import Term

_FLOAT_SYMBOLS = ("add.", "mul.", "fma.", "nan.", "integral.", "gfx.", "f16.to.f", "f32.to.f", "f64.to.f")
MAX_ATOMICS = 64  # compared by their sum rather than one by one


@dataclass(frozen=True)
class Claim:
    """fails: under which condition it does not hold. thread: whose access it is about; access: the load, if one.

    joint: it is about what all threads contribute to.
    """

    what: str
    thread: int
    fails: Term
    access: Access | None = None
    joint: bool = False


def is_float(term: Term, depth: int = 12) -> bool:
    """Whether a value was computed as a float, so that its NaNs' payloads are open."""
    if depth == 0:
        return False
    if term.op == "apply":
        return str(term.value).startswith(_FLOAT_SYMBOLS)
    if term.op == "ite":
        return any(is_float(a, depth - 1) for a in term.args[1:])
    return term.op in ("bxor", "bor") and is_float(term.args[0], depth - 1)


class Comparison:
    """The claims about one block."""

    def __init__(self, terms: Terms, one: Side, other: Side) -> None:
        self.terms, self.one, self.other = terms, one, other

    def claims(self) -> Iterator[Claim]:
        """All of them, the cheap ones first."""
        first, second = self.one.memories["global"], self.other.memories["global"]
        yield from self._writes(first, second)
        yield from self._atomics(first, second)
        yield from self._reads(first, second)
        mine, theirs = self.one.memories["shared"], self.other.memories["shared"]
        if mine.atomics or theirs.atomics:  # what they leave is the same where what they found is
            yield from self._writes(mine, theirs)
            yield from self._atomics(mine, theirs)
        yield from self._local(mine, theirs)
        for condition in self.other.beyond:
            yield Claim("a loop of the translation runs on", 0, condition)

    def differs(self, mine: Term, theirs: Term) -> Term:
        """Two values are not the same; any NaN is as good as another where a float was computed."""
        t = self.terms
        unequal = t.invert(t.eq(mine, theirs))
        if unequal is t.false or mine.width not in (32,) or not is_float(mine):
            return unequal
        return t.both(unequal, t.invert(t.both(t.is_nan("f32", mine), t.is_nan("f32", theirs))))

    # stores

    def _writes(self, first: Memory, second: Memory) -> Iterator[Claim]:
        mine, theirs = _by_thread(first.writes), _by_thread(second.writes)
        for thread in sorted(mine.keys() | theirs.keys()):
            yield Claim("a store", thread, self._unlike(mine.get(thread, []), theirs.get(thread, [])))

    def _unlike(self, mine: list[Access], theirs: list[Access]) -> Term:
        """Under which condition two threads' stores do not leave the same memory."""
        t = self.terms
        if [a.after for a in mine if a.after] != [a.after for a in theirs if a.after]:
            raise Unknown("stores and atomic operations in another order")
        if len(mine) == len(theirs):
            pairs = [self._pair(a, b) for a, b in zip(mine, theirs, strict=True)]
            if all(p is t.false for p in pairs):
                return t.false
            if len(mine) == 1:
                return pairs[0]
        width = (mine or theirs)[0].address.width
        place = t.var(f"place.{width}", width)
        return self._unlike_at(mine, theirs, place)

    def _pair(self, mine: Access, theirs: Access) -> Term:
        t = self.terms
        assert mine.value is not None and theirs.value is not None
        moved = t.invert(t.eq(mine.address, theirs.address))
        wrong = t.either(moved, self.differs(mine.value, theirs.value))
        either = t.invert(t.eq(mine.condition, theirs.condition))
        return t.either(either, t.both(mine.condition, wrong))

    def _unlike_at(self, mine: list[Access], theirs: list[Access], place: Term) -> Term:
        """At one place, any place: one side writes and the other does not, or they leave other values."""
        t = self.terms
        written, value = self._left(mine, place)
        also, other = self._left(theirs, place)
        one_only = t.invert(t.eq(written, also))
        if value is None or other is None:
            return one_only
        return t.either(one_only, t.both(written, self.differs(value, other)))

    def _left(self, writes: list[Access], place: Term) -> tuple[Term, Term | None]:
        """Whether a place is written, and what it then holds."""
        t = self.terms
        written, value = t.false, None
        for write in writes:
            hit = t.both(write.condition, t.eq(write.address, place))
            written = t.either(written, hit)
            assert write.value is not None
            value = write.value if value is None else t.ite(hit, write.value, value)
        return written, value

    # atomic operations

    def _atomics(self, first: Memory, second: Memory) -> Iterator[Claim]:
        """Where their order matters thread by thread; else each kind apart, since different kinds at one place do not
        commute, then place by place."""
        if first.ordered or second.ordered:
            ours, others = _atomics_by_thread(first.atomics), _atomics_by_thread(second.atomics)
            for thread in sorted(ours.keys() | others.keys()):
                yield self._in_order(thread, ours.get(thread, []), others.get(thread, []))
            return
        mine, theirs = _by_kind(first.atomics), _by_kind(second.atomics)
        for kind in sorted(mine.keys() | theirs.keys()):
            unlike = self._unlike_atomics(mine.get(kind, []), theirs.get(kind, []))
            yield Claim(f"atomic {kind[0]}", 0, unlike, joint=True)

    def _in_order(self, thread: int, mine: list[Atomic], theirs: list[Atomic]) -> Claim:
        """A thread makes the same operations one after another."""
        kinds = [[(a.operation, a.width, a.phase) for a in of] for of in (mine, theirs)]
        if kinds[0] != kinds[1]:  # in another order, or others: equal only where none is made
            return Claim("an atomic operation", thread, self.terms.any_of(a.condition for a in (*mine, *theirs)))
        unlike = self.terms.any_of(self._pair_atomics(a, b) for a, b in zip(mine, theirs, strict=True))
        return Claim("an atomic operation", thread, unlike)

    def _unlike_atomics(self, mine: list[Atomic], theirs: list[Atomic]) -> Term:
        t = self.terms
        if len(mine) == len(theirs):
            pairs = [self._pair_atomics(a, b) for a, b in zip(mine, theirs, strict=True)]
            if all(p is t.false for p in pairs) or len(mine) == 1:
                return t.any_of(pairs)
        if max(len(mine), len(theirs)) > MAX_ATOMICS:
            raise Unknown(f"{len(mine)} and {len(theirs)} atomic operations in another order")
        example = (mine or theirs)[0]
        place = t.var(f"place.{example.address.width}", example.address.width)
        (done, total), (also, other) = self._combined(mine, place), self._combined(theirs, place)
        return t.either(t.invert(t.eq(done, also)), t.invert(t.eq(total, other)))

    def _pair_atomics(self, mine: Atomic, theirs: Atomic) -> Term:
        t = self.terms
        moved = t.invert(t.eq(mine.address, theirs.address))
        wrong = t.either(moved, t.invert(t.eq(mine.value, theirs.value)))
        if mine.compare is not None and theirs.compare is not None:
            wrong = t.either(wrong, t.invert(t.eq(mine.compare, theirs.compare)))
        return t.either(t.invert(t.eq(mine.condition, theirs.condition)), t.both(mine.condition, wrong))

    def _combined(self, atomics: list[Atomic], place: Term) -> tuple[Term, Term]:
        """Whether a place is touched, and the joint operand of all operations on it."""
        t, width, name = self.terms, atomics[0].width if atomics else 32, atomics[0].operation if atomics else "add"
        neutral = t.const(_neutral(name, width), width)
        touched, total = t.false, neutral
        for one in atomics:
            hit = t.both(one.condition, t.eq(one.address, place))
            touched = t.either(touched, hit)
            value = t.ite(hit, one.value, neutral)
            if name == "add":
                total = t.add(total, value)
            elif name in ("and", "or", "xor"):
                total = t.bitwise(f"b{name}", total, value)
            else:
                total = t.extreme(name, total, value)
        return touched, total

    # loads

    def _reads(self, first: Memory, second: Memory) -> Iterator[Claim]:
        """What the translation reads, the original reads or writes in the same phase, by the same thread."""
        t = self.terms
        known: dict[tuple[int, int, int], Term] = {}
        by_thread: dict[tuple[int, int], list[Access]] = defaultdict(list)
        for access in (*first.reads, *first.writes):
            for thread in (access.thread, SCALAR):
                key = (thread, access.phase, access.address.id)
                known[key] = t.either(known.get(key, t.false), access.condition)
                by_thread[thread, access.phase].append(access)
        for access in second.reads:
            held = known.get((access.thread, access.phase, access.address.id), t.false)
            missing = t.both(access.condition, t.invert(held))
            if missing is t.false:
                continue
            others = by_thread[access.thread, access.phase]
            covered = t.any_of(t.both(o.condition, t.eq(o.address, access.address)) for o in others)
            yield Claim("a load from elsewhere", access.thread, t.both(access.condition, t.invert(covered)), access)

    # LDS

    def _local(self, shared: Memory, memory: Memory) -> Iterator[Claim]:
        """Aligned accesses within bounds, and no two waves at one place in one phase unless both read.

        Where addresses depend on the input, or atomic operations are about, each access has to be one that the same
        thread of the original makes in the same phase: those are legal and race with none.
        """
        if memory.atomics or any(access.address.known is None for access in (*memory.reads, *memory.writes)):
            yield from self._covered(shared, memory)
            return
        places: dict[tuple[int, int], list[Access]] = defaultdict(list)
        known = {access.address.known for access in (*shared.reads, *shared.writes)}
        for access in (*memory.reads, *memory.writes):
            assert access.address.known is not None
            if access.address.known % memory.cell:
                raise Unknown(f"a misaligned LDS access at {access.address.known:#x}")
            if access.address.known not in known and access.address.known + memory.cell > self.other.lds_bytes:
                raise Unknown(f"an LDS access at {access.address.known:#x}, beyond what the translation asks for")
            places[access.phase, access.address.known].append(access)
        for accesses in places.values():
            waves = {a.thread // WARP for a in accesses}
            if len(waves) == 1 or all(a.value is None for a in accesses):
                continue
            yield Claim("a race in LDS", accesses[0].thread, self._race(accesses))

    def _covered(self, shared: Memory, memory: Memory) -> Iterator[Claim]:
        t = self.terms
        made: dict[tuple[int, int, bool], list[Access]] = defaultdict(list)
        for access in (*shared.reads, *shared.writes):
            made[access.thread, access.phase, False].append(access)
            if access.value is not None:
                made[access.thread, access.phase, True].append(access)
        for access in (*memory.reads, *memory.writes):
            others = made[access.thread, access.phase, access.value is not None]
            same = t.any_of(o.condition for o in others if o.address is access.address)
            missing = t.both(access.condition, t.invert(same))
            if missing is t.false:
                continue
            covered = t.any_of(t.both(o.condition, t.eq(o.address, access.address)) for o in others)
            yield Claim("an access of LDS", access.thread, t.both(access.condition, t.invert(covered)))

    def _race(self, accesses: list[Access]) -> Term:
        t = self.terms
        clashes = []
        for write in (a for a in accesses if a.value is not None):
            for other in accesses:
                if other.thread // WARP != write.thread // WARP:
                    clashes.append(t.both(write.condition, other.condition))
        return t.any_of(clashes)


def _neutral(operation: str, width: int) -> int:
    ones, top = (1 << width) - 1, 1 << (width - 1)
    return {"and": ones, "umin": ones, "smin": top - 1, "smax": top}.get(operation, 0)


def _by_thread(accesses: list[Access]) -> dict[int, list[Access]]:
    found: dict[int, list[Access]] = defaultdict(list)
    for access in accesses:
        found[access.thread].append(access)
    return found


def _atomics_by_thread(atomics: list[Atomic]) -> dict[int, list[Atomic]]:
    found: dict[int, list[Atomic]] = defaultdict(list)
    for one in atomics:
        found[one.thread].append(one)
    return found


def _by_kind(atomics: list[Atomic]) -> dict[tuple[str, int, int], list[Atomic]]:
    found: dict[tuple[str, int, int], list[Atomic]] = defaultdict(list)
    for one in atomics:
        found[one.operation, one.width, one.phase].append(one)
    return found
