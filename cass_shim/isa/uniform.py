"""Which values that some lanes give to a uniform register are read by those lanes alone.

In: a section's instructions. Out: addresses of guarded R2URs that are moves of each lane's own. The others are seen by
the whole warp (`spec.warp_wide`), a cross-lane operation. In functions that are called, ptxas for sm_100 has a
descriptor in ordinary registers, gives it by `@P R2UR` and reads it under P.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cass_shim.model.instruction import PT, Const, Instruction, Mem, Operand, Pred, Reg, Target

STEP = 16
STATES = 20_000  # looked at for one value; one that would need more is not a lane's own
_ENDS = frozenset({"EXIT", "KILL", "RET"})
_JUMPS = frozenset({"BRA", "JMP", "BRX", "BRXU", "JMX", "JMXU"})
_WIDTHS = {"64": 2, "128": 4}  # of LDCU and ULDC
_WRITERS = frozenset({"R2UR", "S2UR", "VOTEU", "REDUX", "CREDUX"})  # beside U… and LDCU, whose first operand is written
# Instructions whose operands are single registers, without these modifiers; others may read up to four.
_NARROW = frozenset({"IADD", "IADD3", "VIADD", "IMAD", "ISETP", "LOP3", "MOV", "SEL"})
_WIDE = frozenset({"WIDE", "HI", "64", "U64", "S64", "128"})

Guards = frozenset[tuple[int, bool]]


def own_moves(instructions: Sequence[Instruction], closed: bool) -> frozenset[int]:
    """Addresses of guarded R2URs whose value no lane reads that has not given one itself.

    closed: whether its functions are called from within the section only.
    """
    guarded = [i for i in instructions if given_by_some(i) and not isinstance(i.operands[0], Pred)]
    if not guarded:
        return frozenset()
    section = _Section(instructions, closed)
    return frozenset(i.address for i in guarded if section.is_own(i))


def given_by_some(i: Instruction) -> bool:
    """Whether it is an R2UR that only lanes with a predicate carry out."""
    return i.mnemonic == "R2UR" and i.guard is not None and not i.guard.uniform and i.guard.index != PT


class _Section:
    def __init__(self, instructions: Sequence[Instruction], closed: bool) -> None:
        self.at = {i.address: i for i in instructions}
        self.returns = [i.address + STEP for i in instructions if i.mnemonic == "CALL"] if closed else None

    def is_own(self, start: Instruction) -> bool:
        """Follow every way from the instruction to where the register is written again."""
        register, guard = start.operands[0], start.guard
        assert isinstance(register, Reg) and guard is not None
        waiting: list[tuple[int, Guards]] = [(start.address + STEP, frozenset({(guard.index, guard.negate)}))]
        seen = set(waiting)
        while waiting:
            address, having = waiting.pop()
            i = self.at.get(address)
            if i is None or len(seen) > STATES:
                return False
            if register.index in _read(i) and not _asked(i, having):
                return False
            if register.index in _written(i):
                if i.guard is None:
                    continue
                if not given_by_some(i):
                    return False
                having |= {(i.guard.index, i.guard.negate)}
            having = _still(i, having)
            following = self._following(i)
            if following is None:
                return False
            new = {(one, having) for one in following} - seen
            seen |= new
            waiting += new
        return True

    def _following(self, i: Instruction) -> list[int] | None:
        """Addresses that may come next; None where they are not known. A jump may ask a predicate by its operands."""
        asks = i.guard is not None or any(isinstance(one, Pred) for one in i.operands)
        forever = not asks and i.mnemonic in _ENDS | _JUMPS
        found = [] if forever else [i.address + STEP]
        if i.mnemonic == "RET":
            return None if self.returns is None else found + self.returns
        if i.mnemonic not in _JUMPS and i.mnemonic != "CALL":
            return found
        target = i.operands[-1] if i.operands else None
        if isinstance(target, Target) and not target.symbol and not any(isinstance(one, Reg) for one in i.operands):
            return [*found, target.address]
        return [*found, *i.targets] if i.targets else None


def _asked(i: Instruction, having: Guards) -> bool:
    """Whether only lanes read that have given a value themselves."""
    return i.guard is not None and not i.guard.uniform and (i.guard.index, i.guard.negate) in having


def _still(i: Instruction, having: Guards) -> Guards:
    """The guards that still stand for the lanes that gave a value: of predicates that it cannot have written."""
    if i.mnemonic in ("R2P", "CALL", "RET") or "PR" in i.modifiers:
        return frozenset()
    named = {one.index for one in i.operands if isinstance(one, Pred) and not one.uniform}
    return frozenset(one for one in having if one[0] not in named)


def _is_written(i: Instruction) -> bool:
    """Whether its first register is a result."""
    return i.mnemonic in _WRITERS or i.mnemonic[0] == "U" or i.mnemonic == "LDCU"


def _written(i: Instruction) -> range:
    """Numbers of the uniform registers that it writes for certain."""
    first = i.operands[0] if i.operands else None
    if not isinstance(first, Reg) or not first.uniform or not _is_written(i):
        return range(0)
    wide = i.mnemonic in ("LDCU", "ULDC")
    count = max((_WIDTHS.get(one, 1) for one in i.modifiers), default=1) if wide else 1
    return range(first.index, first.index + count)


def _read(i: Instruction) -> set[int]:
    """Numbers of the uniform registers that it may read: as many as the widest operand of its kind has."""
    operands = i.operands[1:] if _written(i) else i.operands
    narrow = i.mnemonic.removeprefix("U") in _NARROW and not _WIDE.intersection(i.modifiers)
    most = 1 if narrow else 4
    return {register.index + n for one in operands for register, count in _registers(one, most) for n in range(count)}


def _registers(operand: Operand, most: int) -> Iterator[tuple[Reg, int]]:
    """Uniform registers that an operand names, and how many from each on it may mean."""
    if isinstance(operand, Reg) and operand.uniform:
        yield operand, most
    held: tuple[Reg | None, ...] = ()
    if isinstance(operand, Mem):
        held = (operand.base, operand.uniform, operand.descriptor)
    elif isinstance(operand, Const):
        held = (operand.index, operand.bank_register)
    yield from ((one, 2) for one in held if one is not None and one.uniform)
