"""What lanes of a warp say to each other, and memory: the effects of the emitter that makes terms.

In: values, the condition of each lane. Out: terms of other lanes, accesses in the block's memories. What a lane reads
from one that takes no part is undefined: an unknown of its own.
"""

from __future__ import annotations

from collections.abc import Callable

from cass_shim.verify.proof.emitter import Arithmetic
from cass_shim.verify.proof.lanes import WARP, Unknown, Value, each, gathered, lane, spread
from cass_shim.verify.proof.launch import AXES, Domain
from cass_shim.verify.proof.memory import Atomic, Memory, local_memory
from cass_shim.verify.proof.terms import Term

_NEUTRAL = {"and": 0xFFFF_FFFF, "or": 0, "xor": 0, "add": 0, "umin": 0xFFFF_FFFF, "umax": 0}
_NEUTRAL |= {"smin": 0x7FFF_FFFF, "smax": 0x8000_0000}
ATOMICS = frozenset({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"})
ATOMIC_KINDS = frozenset({"u32", "s32", "u64", "s64", "b32", "b64", "f32"})


class LaneOperations(Arithmetic):
    """Registers come with the subclass, which also sets `active` and `guard` for each instruction."""

    sm: int

    def __init__(self, domain: Domain, warp: int, memories: dict[str, Memory]) -> None:
        super().__init__(domain.terms)
        self.domain, self.warp, self.memories = domain, warp, memories
        self.active: tuple[Term, ...] = (self.terms.true,) * WARP  # each lane executes the instruction
        self.guard: Value | None = None
        self.registers: dict[tuple[str, int], Value] = {}
        self.current = 0
        self._fresh = 0

    def undefined(self, what: str, width: int) -> Term:
        """Something that the program leaves open."""
        self._fresh += 1
        return self.terms.var(f"undefined.sass.{what}.{self.warp}.{self._fresh}", width)

    def special(self, name: str) -> Value:
        t, every = self.terms, 0xFFFF_FFFF
        for number, axis in enumerate(AXES.upper()):
            if name == f"SR_TID.{axis}":
                return self.domain.thread(self.warp, number)
            if name == f"SR_CTAID.{axis}":
                return self.domain.group[number]
        masks: dict[str, Callable[[int], int]] = {
            "SR_LANEID": lambda n: n,
            "SR_EQMASK": lambda n: 1 << n,
            "SR_LTMASK": lambda n: (1 << n) - 1,
            "SR_LEMASK": lambda n: (2 << n) - 1,
            "SR_GTMASK": lambda n: every & ~((2 << n) - 1),
            "SR_GEMASK": lambda n: every & ~((1 << n) - 1),
        }
        if name in masks:
            return gathered(tuple(t.const(masks[name](n), 32) for n in range(WARP)))
        if name == "SR_NTID.X":
            return self.domain.dimensions[0]
        raise Unknown(f"special register {name}")

    # lanes

    def shuffle(self, mode: str, value: Value, lane: Value, clamp: Value) -> tuple[Value, Value]:
        picked, inside = [], []
        for own in range(WARP):
            by, control = spread(lane)[own].known, spread(clamp)[own].known
            if by is None or control is None:
                raise Unknown("a shuffle from a lane that is not known")
            source, valid = _source(mode, own, by & 31, control)
            inside.append(self.terms.const(valid, 1))
            picked.append(self._from_lane(value, source, own))
        return gathered(tuple(picked)), gathered(tuple(inside))

    def _from_lane(self, value: Value, source: int, own: int) -> Term:
        term, present = spread(value)[source], self.active[source]
        if source == own or present is self.terms.true or present is self.active[own]:
            return term
        return self.terms.ite(present, term, self.undefined("shuffle", term.width))

    def ballot(self, p: Value) -> Value:
        return self.terms.bits(tuple(map(self.terms.both, self.active, spread(p))))

    def reduce(self, operation: str, value: Value) -> Value:
        t = self.terms
        neutral = t.const(_NEUTRAL[operation], 32)
        bitwise = f"b{operation}"

        def combine(a: Term, b: Term) -> Term:
            if operation == "add":
                return t.add(a, b)
            return t.bitwise(bitwise, a, b) if operation in ("and", "or", "xor") else t.extreme(operation, a, b)

        total = neutral
        for present, term in zip(self.active, spread(value), strict=True):
            total = combine(total, t.ite(present, term, neutral))
        return total

    def match_any(self, value: Value) -> Value:
        t, terms = self.terms, spread(value)

        def mask(own: int) -> Term:
            return t.bits(tuple(t.both(self.active[n], t.eq(terms[own], terms[n])) for n in range(WARP)))

        return gathered(tuple(mask(own) for own in range(WARP)))

    def match_all(self, value: Value) -> tuple[Value, Value]:
        t, every = self.terms, self.ballot(self.terms.true)
        same = each(t.eq, self.match_any(value), every)
        return each(lambda s, m: t.ite(s, m, t.const(0, 32)), same, every), same

    def is_uniform(self, value: Value) -> Value:
        return self.match_all(value)[1]

    def read_first(self, value: Value) -> Value:
        if isinstance(value, Term):
            return value
        result = value[WARP - 1]
        for number in reversed(range(WARP - 1)):
            result = self.terms.ite(self.active[number], value[number], result)
        return result

    # memory

    def _memory(self, space: str, thread: int = 0) -> Memory:
        """The block's, or a thread's own."""
        if space == "local":
            return local_memory(self.memories, "sass", self.terms, thread)
        found = self.memories.get(space)
        if found is None:
            raise Unknown(f"{space} memory has no terms")
        return found

    def _thread(self, number: int) -> int:
        return WARP * self.warp + number

    def load(
        self, space: str, address: Value, width: int, count: int, signed: bool = False, order: str = "weak"
    ) -> list[Value]:
        if order != "weak":
            raise Unknown("strong loads have no terms")
        t, size = self.terms, width // 8
        columns: list[list[Term]] = [[] for _ in range(count)]
        for number, present in enumerate(self.active):
            memory = self._memory(space, self._thread(number))
            for part, column in enumerate(columns):
                if present is t.false:
                    column.append(t.const(0, 32))
                    continue
                at = t.add(lane(address, number), t.const(size * part, lane(address, number).width))
                word = memory.load(self._thread(number), present, at, size)
                column.append(t.sext(word, 32) if signed else t.zext(word, 32))
        return [gathered(tuple(column)) for column in columns]

    def store(self, space: str, address: Value, values: list[Value], width: int, order: str = "weak") -> None:
        if order != "weak":
            raise Unknown("strong stores have no terms")
        t, size = self.terms, width // 8
        for number, present in enumerate(self.active):
            if present is t.false:
                continue
            memory = self._memory(space, self._thread(number))
            for part, value in enumerate(values):
                at = t.add(lane(address, number), t.const(size * part, lane(address, number).width))
                memory.store(self._thread(number), present, at, t.extract(lane(value, number), 0, width))

    def atomic(
        self,
        space: str,
        operation: str,
        kind: str,
        address: Value,
        value: Value,
        compare: Value | None = None,
        scope: str = "gpu",
    ) -> Value:
        memory = self._memory(space)
        if operation not in ATOMICS or kind not in ATOMIC_KINDS or (kind == "f32" and operation != "add"):
            raise Unknown(f"atomic {operation} of {kind} in {space} memory")
        name = f"{kind[0]}{operation}" if operation in ("min", "max") else operation
        name += ".f32" if kind == "f32" else ""
        results = []
        for number, present in enumerate(self.active):
            one, at = lane(value, number), lane(address, number)
            if present is self.terms.false:
                results.append(self.terms.const(0, one.width))
                continue
            wanted = None if compare is None else lane(compare, number)
            made = Atomic(self._thread(number), present, at, name, one.width, one, compare=wanted)
            results.append(memory.atomic(made, returns=False))  # whether it is used, the translation says
        memory.atomics_end()
        return gathered(tuple(results))

    def is_space(self, space: str, address: Value) -> Value:
        raise Unknown("generic addresses have no terms")

    def fence(self, scope: str) -> None:
        self.memories["global"].fence()

    # the block: `SassWarp` stops at barriers before their meaning runs

    def barrier(self, barrier_id: Value | None, thread_count: Value | None) -> None:
        raise Unknown("a barrier within an instruction")

    def barrier_reduce(self, operation: str, p: Value, barrier_id: Value | None, thread_count: Value | None) -> None:
        raise Unknown("a barrier that combines predicates")

    def barrier_result(self) -> Value:
        raise Unknown("a barrier that combines predicates")

    def barrier_arrive(self, barrier_id: Value | None, thread_count: Value) -> None:
        raise Unknown("a barrier of some warps")


def _source(mode: str, own: int, by: int, control: int) -> tuple[int, bool]:
    """Which lane SHFL reads, and whether it lies in range. Source: PTX ISA, shfl.sync."""
    segment, limit = control >> 8 & 31, control & 31
    last = (own & segment) | (limit & ~segment)
    if mode == "up":
        source, inside = own - by, own - by >= last
    else:
        source = {"down": own + by, "bfly": own ^ by, "idx": (own & segment) | (by & ~segment)}[mode]
        inside = source <= last
    return (source if inside else own) & 31, inside
