"""What lanes of a warp say to each other, and memory: the effects of the emitter that makes terms.

In: values, the condition of each lane. Out: terms of other lanes, accesses in the block's memories. What a lane reads
from one that takes no part is undefined: an unknown of its own.
"""

from __future__ import annotations

from cass_shim.isa.derived import LANE_MASKS
from cass_shim.model.kernel_abi import WARP
from cass_shim.verify.proof.emitter import Arithmetic
from cass_shim.verify.proof.lanes import Unknown, Value, gathered, lane, spread
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
        self._lane_ids = gathered(tuple(self.terms.const(n, 32) for n in range(WARP)))

    def undefined(self, what: str, width: int) -> Term:
        """Something that the program leaves open."""
        self._fresh += 1
        return self.terms.var(f"undefined.sass.{what}.{self.warp}.{self._fresh}", width)

    def special(self, name: str) -> Value:
        for number, axis in enumerate(AXES.upper()):
            if name == f"SR_TID.{axis}":
                return self.domain.thread(self.warp, number)
            if name == f"SR_CTAID.{axis}":
                return self.domain.group[number]
        if name == "SR_LANEID":
            return self._lane_ids
        if name in LANE_MASKS:
            return self.lane_mask(LANE_MASKS[name], self._lane_ids)
        if name == "SR_NTID.X":
            return self.domain.dimensions[0]
        raise Unknown(f"special register {name}")

    # lanes

    def shuffle(self, mode: str, value: Value, lane: Value, clamp: Value) -> tuple[Value, Value]:
        offset = self.and_(lane, self.const(31, 32))
        sources, inside = self.shuffle_source(mode, self._lane_ids, offset, clamp)
        picked = []
        for own, (source, valid) in enumerate(zip(spread(sources), spread(inside), strict=True)):
            if source.known is None or valid.known is None:
                raise Unknown("a shuffle from a lane that is not known")
            picked.append(self._from_lane(value, source.known, own))
        return gathered(tuple(picked)), inside

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

    def atomic_whole(
        self, space: str, operation: str, address: Value, value: list[Value], compare: list[Value] | None, scope: str
    ) -> list[Value]:
        raise Unknown("atomics of 16 bytes have no terms")

    def load_where(self, p: Value, address: Value, count: int) -> list[Value]:
        raise Unknown("copies of some lanes have no terms")

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
