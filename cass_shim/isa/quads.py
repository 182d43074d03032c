"""What ptxas makes of gradients that no instruction takes (3D, cubes, comparands, before sm_90): four lanes at a time.

One after the other the lanes of a quad are served by all four: MACTIVE is widened to whole quads, SHFL gives all of
them what that lane holds, FSWZADD adds the gradients to its place in the second, third and fourth lane, TEX.NDV finds
the level from the four places, MACTIVE is as before, and a MOV with a mask of lanes keeps the result in the lane that
was served. The lanes that help need not be there for the program, and what they compute nobody keeps. So a lane alone
stands for the quad here: it computes what all four would while they serve it.

Recorded: `tests/vectors/ptx/texture_forms.txt.xz` (by PTX).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, cast

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import V
from cass_shim.isa.sass.texture import sample_among
from cass_shim.isa.spec import Effect, lookup, unsupported
from cass_shim.model.instruction import PT, RZ, Barrier, Imm, Instruction, Pred, Reg, Word

Key = tuple[str, int, bool]  # R or P, number, whether it is a uniform one
LANES = "MACTIVE"
_WITHIN_QUAD = 0x1C03  # SHFL's segments of four lanes, all of them in range
_HINTS = ("DEPBAR", "NOP")


class _Foreign(Exception):
    """What is asked for is another lane's."""


def touches_state(i: Instruction) -> bool:
    """Whether a BMOV is about anything but barriers and registers."""
    return i.mnemonic == "BMOV" and (i.has("PQUAD") or any(isinstance(o, Word) for o in i.operands))


def notes_lanes(i: Instruction) -> bool:
    """BMOV B, MACTIVE: a barrier register holds the lanes that run."""
    return touches_state(i) and i.guard is None and isinstance(i.operands[0], Barrier) and _is_lanes(i.operands[1])


def begins(i: Instruction) -> bool:
    """BMOV.PQUAD MACTIVE, B: whole quads run from here."""
    return i.mnemonic == "BMOV" and i.has("PQUAD") and i.guard is None and _is_lanes(i.operands[0])


def region(rest: Sequence[Instruction]) -> list[Instruction]:
    """Of the instructions from a BMOV.PQUAD on, those to the BMOV that ends its region. Raises Unsupported."""
    first = rest[0]
    for n, i in enumerate(rest[1:], 1):
        if touches_state(i):
            if i.guard is None and not i.has("PQUAD") and i.operands == first.operands:
                return list(rest[: n + 1])
            break
    raise unsupported(first, "where whole quads stop running")


def _is_lanes(operand: object) -> bool:
    return operand == Word(LANES)


class Lane(Generic[V]):
    """The emitter as one of the four lanes has it: number, registers and predicates as the region wrote them."""

    def __init__(self, e: Emitter[V], number: int, served: int) -> None:
        self.e = e
        self.number = number
        self.served = served
        self.held: dict[Key, V | None] = {}  # None: what this lane computes belongs to another one
        self.written: set[Key] = set()  # by the instruction at hand

    def __getattr__(self, name: str) -> Any:
        return getattr(self.e, name)

    def special(self, name: str) -> V:
        return self.e.const(self.number, 32) if name == "SR_LANEID" else self.e.special(name)

    def get_reg(self, index: int, uniform: bool) -> V:
        return self._get("R", index, uniform, self.e.get_reg)

    def get_pred(self, index: int, uniform: bool) -> V:
        return self._get("P", index, uniform, self.e.get_pred)

    def set_reg(self, index: int, uniform: bool, value: V) -> None:
        self._put(("R", index, uniform), value)

    def set_pred(self, index: int, uniform: bool, value: V) -> None:
        self._put(("P", index, uniform), value)

    def _put(self, key: Key, value: V) -> None:
        self.held[key] = value
        self.written.add(key)

    def _get(self, kind: str, index: int, uniform: bool, outside: Callable[[int, bool], V]) -> V:
        key = kind, index, uniform
        if key in self.held:
            value = self.held[key]
            if value is None:
                raise _Foreign
            return value
        if self.number != self.served and not uniform:
            raise _Foreign
        return outside(index, uniform)


def run(e: Emitter[V], instructions: Sequence[Instruction]) -> None:
    """Run a region, from BMOV.PQUAD to BMOV. Raises Unsupported for what ptxas does not put there."""
    inside = [i for i in instructions[1:-1] if i.mnemonic not in _HINTS]
    lanes = [Lane(e, number, _served(instructions[0], inside)) for number in range(4)]
    for i in inside:
        if i.guard is not None:
            raise unsupported(i, "a guard while whole quads run")
        if i.mnemonic == "SHFL":
            _exchange(lanes, i)
        elif i.mnemonic == "TEX" and i.has("NDV"):
            _sample(lanes, i)
        elif lookup(i).effect is Effect.REGISTERS:
            _compute(lanes, i)
        else:
            raise unsupported(i, "while whole quads run")
    _keep(e, lanes)


def _served(first: Instruction, inside: list[Instruction]) -> int:
    """The lane whose values the others take."""
    written: set[int] = set()
    for i in inside:
        if i.mnemonic == "SHFL":
            source = i.operands[2]
            if isinstance(source, Reg) and source.index not in written:
                return _from(i)
        written.update(o.index for o in i.operands[:2] if isinstance(o, Reg))
    raise unsupported(first, "no lane of a quad gives its values to the others")


def _from(i: Instruction) -> int:
    """The lane that a SHFL reads."""
    found, _, _, lane, clamp = i.operands
    constant = 0 if isinstance(lane, Reg) and lane.index == RZ else lane.bits if isinstance(lane, Imm) else -1
    if not i.has("IDX") or found != Pred(PT) or clamp != Imm(_WITHIN_QUAD) or not 0 <= constant < 4:
        raise unsupported(i, "while whole quads run")
    return constant


def _exchange(lanes: list[Lane[V]], i: Instruction) -> None:
    """SHFL.IDX: all four have what one has."""
    destination, source = i.operands[1:3]
    if not isinstance(destination, Reg) or not isinstance(source, Reg):
        raise unsupported(i, "while whole quads run")
    try:
        value = lanes[_from(i)].get_reg(source.index, source.uniform)
    except _Foreign:
        raise unsupported(i, "of a lane that is not served") from None
    for lane in lanes:
        lane.set_reg(destination.index, destination.uniform, value)


def _sample(lanes: list[Lane[V]], i: Instruction) -> None:
    """TEX.NDV: the first lane's texel, of the level that the places in the first three ask for."""
    lanes[0].written.clear()
    try:
        sample_among([cast(Emitter[V], lane) for lane in lanes], i)
    except _Foreign:
        raise unsupported(i, "coordinates of a lane that is not served") from None
    for lane in lanes[1:]:
        lane.held.update(dict.fromkeys(lanes[0].written))


def _compute(lanes: list[Lane[V]], i: Instruction) -> None:
    """Each lane for itself; where one lacks an operand, what it would write belongs to another lane, too."""
    lacking, written = [], set()
    for lane in lanes:
        lane.written.clear()
        try:
            lookup(i).meaning(cast(Emitter[V], lane), i)
            written |= lane.written
        except _Foreign:
            lacking.append(lane)
    if len(lacking) == len(lanes):
        raise unsupported(i, "operands of lanes that are not served")
    for lane in lacking:
        lane.held.update(dict.fromkeys(written))


def _keep(e: Emitter[V], lanes: list[Lane[V]]) -> None:
    """What the served lane holds in the end is this lane's, which the MOVs behind keep where it was served."""
    served = lanes[lanes[0].served]
    for (kind, index, uniform), value in served.held.items():
        if value is None:
            continue
        (e.set_reg if kind == "R" else e.set_pred)(index, uniform, value)
