"""The values of a kernel's SASS, each under a number of its own: what our own model reads in place of registers.

In: decoded instructions. Out: the same with R, UR, P and UP numbered in the order in which values are first met; the
registers of a range stay neighbours. What an instruction reads and writes is asked of its meaning (`isa/sass`), run
against an emitter that only listens.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from cass_shim.isa.spec import CONTROL, lookup
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import PT, RZ, Instruction, Mem, Operand, Pred, Reg, Target
from cass_shim.translate.cass.prompt import TOO_LONG
from cass_shim.translate.cass.webs import Classes, Flow, Webs

Key = tuple[str, int]  # ("R", 4), ("UR", 4), ("P", 0), ("UP", 0)
MOST = 254  # RZ is 255
_MANY = {"add_carry": 2, "sub_borrow": 2, "shuffle": 2, "match_all": 2, "add_carry3": 3}
_LISTS = {"sample": 4, "gather_texels": 4, "fetch": 4, "texture_size": 4}


class _Listener:
    """An emitter whose values are nothing; it notes registers and predicates."""

    def __init__(self, sm: int) -> None:
        self.sm = sm
        self.reads: dict[Key, None] = {}
        self.writes: dict[Key, None] = {}

    def get_reg(self, index: int, uniform: bool) -> int:
        self.reads["UR" if uniform else "R", index] = None
        return 0

    def set_reg(self, index: int, uniform: bool, value: object) -> None:
        self.writes["UR" if uniform else "R", index] = None

    def get_pred(self, index: int, uniform: bool) -> int:
        self.reads["UP" if uniform else "P", index] = None
        return 0

    def set_pred(self, index: int, uniform: bool, value: object) -> None:
        self.writes["UP" if uniform else "P", index] = None

    def load(self, space: str, address: object, width: int, count: int, *_: object, **__: object) -> list[int]:
        return [0] * count

    def load_where(self, p: object, address: object, count: int) -> list[int]:
        return [0] * count

    def matrix_multiply(self, kinds: object, a: object, b: object, c: list[int], present: object = None) -> list[int]:
        return [0] * len(c)

    def surface_load(self, handle: object, shape: str, coordinates: object, size: int, outside: str) -> list[int]:
        return [0] * max(1, size // 4)

    def __getattr__(self, name: str) -> Any:
        if name in _MANY:
            return lambda *_, **__: (0,) * _MANY[name]
        if name in _LISTS:
            return lambda *_, **__: [0] * _LISTS[name]
        return lambda *_, **__: 0


def effects(one: Instruction, sm: int) -> tuple[list[Key], list[Key]]:
    """What an instruction reads and writes. Raises Unsupported where it has no meaning."""
    listener = _Listener(sm)
    if one.mnemonic not in CONTROL:
        try:
            lookup(one).meaning(listener, one)
        except (ValueError, IndexError, KeyError, StopIteration, TypeError) as error:
            raise Unsupported(one.form, address=one.address, why=f"its operands: {error}") from error
    for operand in one.operands if one.mnemonic in CONTROL else ():
        listener.reads |= dict.fromkeys(key for key in _keys(operand))
    if one.guard is not None and one.guard.index != PT:
        listener.reads |= dict.fromkeys((*_keys(one.guard), *listener.writes))  # the old value stays where it is false
    return list(listener.reads), list(listener.writes)


def _keys(operand: Operand) -> Iterator[Key]:
    match operand:
        case Reg(index, uniform) if index != RZ:
            yield ("UR" if uniform else "R", index)
        case Pred(index, uniform) if index != PT:
            yield ("UP" if uniform else "P", index)
        case Mem(base, _, uniform):
            for part in (base, uniform):
                if part is not None:
                    yield from _keys(part)


def _results(one: Instruction, writes: Sequence[Key]) -> set[int]:
    """Positions of the operands that are written: the first register, and predicates around it, two at most."""
    found: set[int] = set()
    registers = predicates = 0
    for position, operand in enumerate(one.operands):
        if isinstance(operand, Reg):
            registers += 1
        elif isinstance(operand, Pred):
            predicates += 1
        if not isinstance(operand, (Reg, Pred)) or registers > 1 or predicates > 2:
            break
        if any(key in writes for key in _keys(operand)):
            found.add(position)
        elif isinstance(operand, Reg):
            break
    return found


def follow(instructions: Sequence[Instruction]) -> list[list[int]]:
    """Per instruction, the numbers of those that may run next."""
    at = {one.address: number for number, one in enumerate(instructions)}
    found = []
    for number, one in enumerate(instructions):
        always = one.guard is None and not any(isinstance(operand, Pred) for operand in one.operands)
        ends = one.mnemonic in ("BRA", "EXIT", "RET", "KILL", "JMP") and always
        follow = [number + 1] if not ends and number + 1 < len(instructions) else []
        if one.mnemonic in ("BRA", "JMP"):
            follow += [at[o.address] for o in one.operands if isinstance(o, Target) and o.address in at]
        found.append(follow)
    return found


class _Numbering:
    """Names for the webs of one kernel."""

    def __init__(self, instructions: Sequence[Instruction], sm: int) -> None:
        self.instructions = instructions
        touched = [effects(one, sm) for one in instructions]
        self.reads, self.writes = [reads for reads, _ in touched], [writes for _, writes in touched]
        self.webs: Webs[Key] = Webs(Flow(self.reads, self.writes, follow(instructions)))
        for number, one in enumerate(instructions):
            for key in self.writes[number] if one.guard is not None else ():
                self.webs.keep(number, key)
        self.groups = Classes(len(self.webs.owner))
        self.lowest: dict[int, int] = {}
        self.size: dict[int, int] = {}
        self.names: dict[int, int] = {}
        self.following = {"R": 0, "UR": 0, "P": 0, "UP": 0}
        spans = [span for number in range(len(instructions)) for span in self._spans(number)]
        for span in spans:
            self.groups.join([web for _, web in span])
        for (_, index), web in (one for span in spans for one in span):
            group = self.groups.find(web)
            low = min(self.lowest.get(group, index), index)
            high = max(self.lowest.get(group, index) + self.size.get(group, 1) - 1, index)
            self.lowest[group], self.size[group] = low, high - low + 1

    def _spans(self, number: int) -> Iterator[list[tuple[Key, int]]]:
        """The neighbouring registers that each operand of an instruction stands for, with their webs."""
        one = self.instructions[number]
        results = _results(one, self.writes[number])
        parts = [(key, position in results) for position, operand in enumerate(one.operands) for key in _keys(operand)]
        if one.guard is not None:
            parts += [(key, False) for key in _keys(one.guard)]
        named = {key for key, _ in parts}
        for (kind, index), result in parts:
            pool = self.writes[number] if result else self.reads[number]
            span: list[tuple[Key, int]] = []
            while (kind, index) in pool and (not span or (kind, index) not in named):
                web = self._web(number, (kind, index), result)
                if web is None:
                    break
                span.append(((kind, index), web))
                index += 1 if kind in ("R", "UR") else MOST
            if span:
                yield span

    def _web(self, number: int, key: Key, result: bool) -> int | None:
        return self.webs.written(number, key) if result else self.webs.read(number, key)

    def name(self, number: int, key: Key, result: bool) -> int:
        """The number of a value at an operand; the register's own where no path leads."""
        kind, index = key
        if (result and key not in self.writes[number]) or (not result and key not in self.reads[number]):
            return index  # an operand that the meaning does not look at
        web = self._web(number, key, result)
        if web is None:
            return index
        group = self.groups.find(web)
        if group not in self.names:
            base = self.following[kind]
            base += kind.endswith("P") and base == PT
            self.names[group] = base
            self.following[kind] = base + self.size[group]
            if self.following[kind] > MOST:
                raise Unsupported(TOO_LONG, why=f"more than {MOST} values, for which it has no numbers")
        return self.names[group] + index - self.lowest[group]

    def renamed(self, number: int) -> Instruction:
        """One instruction with numbers of values."""
        one = self.instructions[number]
        results = _results(one, self.writes[number])
        sources = {at: self._operand(number, o, False) for at, o in enumerate(one.operands) if at not in results}
        guard = None if one.guard is None else self._operand(number, one.guard, False)
        operands = tuple(
            self._operand(number, o, True) if at in results else sources[at] for at, o in enumerate(one.operands)
        )
        assert guard is None or isinstance(guard, Pred)
        return dataclasses.replace(one, operands=operands, guard=guard)

    def _operand(self, number: int, operand: Operand, result: bool) -> Operand:
        match operand:
            case Reg() | Pred():
                for key in _keys(operand):
                    return dataclasses.replace(operand, index=self.name(number, key, result))
                return operand
            case Mem(base, _, uniform):
                base, uniform = self._register(number, base), self._register(number, uniform)
                return dataclasses.replace(operand, base=base, uniform=uniform)
            case _:
                return operand

    def _register(self, number: int, part: Reg | None) -> Reg | None:
        """A register of an address."""
        for key in () if part is None else _keys(part):
            assert part is not None
            return dataclasses.replace(part, index=self.name(number, key, False))
        return part


def numbered(instructions: Sequence[Instruction], sm: int) -> list[Instruction]:
    """The instructions with numbers of values for registers. Raises Unsupported for what has no meaning."""
    if not instructions:
        return []
    numbering = _Numbering(instructions, sm)
    return [numbering.renamed(number) for number in range(len(instructions))]
