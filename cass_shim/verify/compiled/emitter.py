"""The emitter for the host: registers, memory and what lanes say to each other.

A unit of code loops over lanes. Operations in which lanes meet (stores and atomic operations too, whose order over
the lanes shows) end a loop: they are made by a call of native/reference/ for all lanes at once, and the meaning is
written again behind it, taking their results from rows of `scratch`. `done` says how many such calls lie behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cass_shim.verify.compiled.floating import Floats
from cass_shim.verify.compiled.text import PREDICATES, UNIFORM, Body, Missing, Value, number

SPACES = ("global", "shared", "local", "generic")
ATOMICS = ("add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec")
INTEGER_KINDS = {"u16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64}
SHUFFLES = ("up", "down", "bfly", "idx")
VOTES = ("ballot", "any", "all", "first")
REDUCTIONS = ("and", "or", "xor", "add", "umin", "umax", "smin", "smax")
EVENT_ROWS = 6  # of scratch, for each event of an instruction
EVENTS = 10  # of one instruction


class Stop(Exception):
    """The instruction's loop ends here: `call` is what to do for all lanes before the next one begins.

    row: of scratch, where the call's operands begin (ROWS in its text).
    """

    def __init__(self, call: str, row: int) -> None:
        super().__init__(call)
        self.call, self.row = call, row


class HostEmitter(Floats):
    """One instruction at a time: set `index` and `address` before its meaning runs.

    banks: sizes of the constant banks. specials: special registers that exist, each with its row.
    """

    def __init__(self, sm: int, banks: Mapping[int, int], specials: Mapping[str, int], nearest: bool) -> None:
        self.sm, self.banks, self.specials, self.nearest = sm, banks, specials, nearest
        self.body = Body()
        self.index = self.address = 0
        self.event = 0  # of this instruction, so far
        self.done = 0  # events whose results lie in scratch
        self.keeps = False  # the instruction has several parts, so loads leave their results in scratch

    def __getattr__(self, name: str) -> Any:
        raise Missing(name)

    # state
    def get_reg(self, index: int, uniform: bool) -> Value:
        return self.body.get(("r", index + UNIFORM * uniform))

    def set_reg(self, index: int, uniform: bool, value: Value) -> None:
        assert value.width == 32, value
        self.body.set(("r", index + UNIFORM * uniform), value)

    def get_pred(self, index: int, uniform: bool) -> Value:
        return self.body.get(("p", index + PREDICATES * uniform))

    def set_pred(self, index: int, uniform: bool, value: Value) -> None:
        assert value.width == 1, value
        self.body.set(("p", index + PREDICATES * uniform), value)

    def special(self, name: str) -> Value:
        if name not in self.specials:
            raise Missing(name)
        row = self.specials[name]
        self.body.specials.add(row)
        return self._at(f"%s{row}", "%lane", 32)

    def _at(self, base: str, index: str, width: int) -> Value:
        where = self.body.put(0, f"getelementptr i{width}, ptr {base}, i64 {index}").text
        return self.body.put(width, f"load i{width}, ptr {where}")

    def load_const(self, bank: int, offset: int, index: Value | None, width: int) -> Value:
        size = width // 8
        if bank not in self.banks:
            raise Missing(f"bank {bank}")
        limit = self.banks[bank] - size
        self.body.banks.add(bank)
        if index is None:
            if not 0 <= offset <= limit:
                raise Missing("beyond the bank")
            at = str(offset)
        else:
            place = self.add(index, number(offset, 32))
            self._checked(
                f"constant(ptr %memory, i32 %lane32, i32 {place.text}, i32 {max(limit + 1, 0)}, i32 {size}, "
                f"i32 {self.index}, i32 {bank})"
            )
            at = self.zext(place, 64).text
        where = self.body.put(0, f"getelementptr i8, ptr %bank{bank}, i64 {at}").text
        value = self.body.put(width, f"load i{width}, ptr {where}, align 1")
        return self.zext(value, max(width, 32))

    def _checked(self, call: str) -> None:
        """A call that answers whether the lane may go on."""
        answer = self.body.put(32, f"call i32 @cass_reference_{call}").text
        failed = self.body.put(1, f"icmp ne i32 {answer}, 0").text
        label = self.body.name()[1:]
        self.body.raw(f"  br i1 {failed}, label %failed, label %{label}\n{label}:")

    # memory
    def load(
        self, space: str, address: Value, width: int, count: int, signed: bool = False, order: str = "weak"
    ) -> list[Value]:
        event, past = self._begin()
        if past:
            return [self._result(event, part, 32) for part in range(count)]
        where = self.zext(address, 64)
        self._checked(
            f"load(ptr %memory, i32 {SPACES.index(space)}, i32 %lane32, i64 {where.text}, i32 {width // 8 * count}, "
            f"i32 {self.index}, ptr %out)"
        )
        values = [self._at("%out", str(part), 32) for part in range(count)]
        if width < 32 and signed:
            values = [self.sext(self.trunc(values[0], width), 32)]
        if self.keeps:
            for part, value in enumerate(values):
                self._keep(event, part, value)
        return values

    def load_where(self, p: Value, address: Value, count: int) -> list[Value]:
        raise Missing("load_where")

    def store(self, space: str, address: Value, values: list[Value], width: int, order: str = "weak") -> None:
        event, past = self._begin()
        if not past:
            what = (SPACES.index(space), self.index, width // 8, len(values), self.address)
            self._stop(event, "store", [address, *values], *what)

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
        if operation not in ATOMICS or kind not in INTEGER_KINDS:
            raise Missing(operation, kind)
        event, past = self._begin()
        width = INTEGER_KINDS[kind]
        if not past:
            number_of = ATOMICS.index(operation)
            what = (SPACES.index(space), self.index, width // 8, number_of, int(kind[0] == "s"), self.address)
            self._stop(event, "atomic", [address, value, compare or value], *what)
        return self._result(event, 0, 64 if width == 64 else 32)

    def is_space(self, space: str, address: Value) -> Value:
        window = self.high(address)
        shared = self.compare("eq", window, Value("%shared.high", 32))
        local = self.compare("eq", window, Value("%local.high", 32))
        return {"shared": shared, "local": local}.get(space) or self.not_(self.or_(shared, local))

    def fence(self, scope: str) -> None:
        """Accesses take effect at once, in order: nothing to do."""

    # lanes
    def _begin(self) -> tuple[int, bool]:
        """The number of this event, and whether its results are there already."""
        event = self.event
        self.event += 1
        if event >= EVENTS:
            raise Missing("too many events")
        return event, event < self.done

    def _row(self, event: int, row: int) -> str:
        place = self.body.put(0, f"getelementptr ptr, ptr %scratch, i64 {EVENT_ROWS * event + row}").text
        return self.body.put(0, f"load ptr, ptr {place}").text

    def _keep(self, event: int, row: int, value: Value) -> None:
        where = self.body.put(0, f"getelementptr i64, ptr {self._row(event, row)}, i64 %lane").text
        self.body.raw(f"  store i64 {self.zext(value, 64).text}, ptr {where}")

    def _result(self, event: int, row: int, width: int) -> Value:
        return self.trunc(self._at(self._row(event, row), "%lane", 64), width)

    def _stop(self, event: int, function: str, arguments: list[Value], *constants: int) -> None:
        """End this part: the arguments of all lanes first, then the call."""
        for row, value in enumerate(arguments):
            self._keep(event, row, value)
        rest = "".join(f", i32 {c}" for c in constants)
        memory = "ptr %memory, " if function in ("store", "atomic") else ""
        raise Stop(f"{function}({memory}ptr %active, i64 %some, ptr ROWS{rest})", EVENT_ROWS * event)

    def _meet(self, function: str, arguments: list[Value], operation: int, *back: tuple[int, int]) -> list[Value]:
        event, past = self._begin()
        if not past:
            self._stop(event, function, arguments, operation)
        return [self._result(event, row, width) for row, width in back]

    def shuffle(self, mode: str, value: Value, lane: Value, clamp: Value) -> tuple[Value, Value]:
        found, inside = self._meet("shuffle", [value, lane, clamp], SHUFFLES.index(mode), (3, value.width), (4, 1))
        return found, inside

    def ballot(self, p: Value) -> Value:
        return self._meet("vote", [p], VOTES.index("ballot"), (1, 32))[0]

    def match_any(self, value: Value) -> Value:
        return self._meet("vote", [value], VOTES.index("any"), (1, 32))[0]

    def match_all(self, value: Value) -> tuple[Value, Value]:
        lanes, same = self._meet("vote", [value], VOTES.index("all"), (1, 32), (2, 1))
        return lanes, same

    def read_first(self, value: Value) -> Value:
        return self._meet("vote", [value], VOTES.index("first"), (1, value.width))[0]

    def reduce(self, operation: str, value: Value) -> Value:
        return self._meet("reduce", [value], REDUCTIONS.index(operation), (1, 32))[0]
