"""The same slow paths with operands and results copied: as ptxas writes them without optimisation, and sometimes with.

In: a function's instructions by address. Out: what `lift.helpers` needs to know of it. Which entry registers hold the
operands is followed through the copies; behind the special-case result there must be nothing but copies up to the
return. Source: recorded, ptxas 13.0 with -O0, sm_80 and sm_90.
"""

from __future__ import annotations

from collections.abc import Iterator

from cass_shim.lift.code import STEP, Code
from cass_shim.model.instruction import RZ, Imm, Instruction, Reg

Body = list[tuple[int, Instruction]]
# (position, registers) of where operands are looked at first; position of the special-case result
Found = tuple[tuple[int, ...], int]

EXPONENT_SHIFT = 0x17
SQRT_UNSCALE = 0x2F80_0000  # 2^-32, the last factor of the square root
_BEGINNING = 12  # instructions in which all operands are looked at
_COPIES = frozenset({"MOV", "IMAD.MOV.U32"})
_PASSED = frozenset({"BRA", "BSYNC", "RET"})
_LONGEST = 16  # instructions from the result to the return


def match(code: Code, operation: str, body: Body) -> tuple[tuple[int, ...], int, int] | None:
    """(entry registers of the operands, position of the special-case result, its register)."""
    found = {"fdiv": _divide, "rcp": _reciprocal, "sqrt": _square_root}[operation](body)
    if found is None:
        return None
    sources, last = found
    target = _written(body[last][1])
    if target is None or RZ in sources or not _copies_to_the_return(code, body, last, target):
        return None
    return sources, last, target


def _written(i: Instruction) -> int | None:
    """The register that one of these instructions writes; comparisons write predicates only."""
    first = i.operands[0] if i.operands else None
    return first.index if isinstance(first, Reg) and not first.uniform and first.index != RZ else None


def _read(i: Instruction) -> Iterator[int]:
    written = i.mnemonic != "RET" and bool(i.operands) and isinstance(i.operands[0], Reg)
    for operand in i.operands[1:] if written else i.operands:
        if isinstance(operand, Reg) and operand.index != RZ:
            yield operand.index


def _origins(body: Body, position: int, register: int) -> set[int]:
    """Entry registers that a register's value at a position comes from, were the code to run as it stands."""
    wanted = {register}
    for _, i in reversed(body[:position]):
        written = _written(i)
        if written in wanted:
            wanted.remove(written)
            wanted.update(_read(i))
    return wanted


def _copied_from(body: Body, position: int, register: int) -> int | None:
    """The entry register that a register is a copy of."""
    for _, i in reversed(body[:position]):
        if _written(i) == register:
            source = i.operands[-1] if i.form in _COPIES and i.guard is None else None
            if not isinstance(source, Reg) or source.uniform:
                return None
            register = source.index
    return register


def _first(body: Body, form: str, operand: Imm) -> list[int]:
    return [at for at, (_, i) in enumerate(body[:_BEGINNING]) if i.form == form and operand in i.operands]


def _last(body: Body, form: str) -> int | None:
    return next(
        (at for at in range(len(body) - 1, -1, -1) if body[at][1].form == form and body[at][1].guard is None), None
    )


def _operand(body: Body, at: int) -> int | None:
    """The entry register that an instruction with one register source looks at."""
    sources = list(_read(body[at][1]))
    return _copied_from(body, at, sources[0]) if len(sources) == 1 else None


def _divide(body: Body) -> Found | None:
    """Both exponents are taken; what the only reciprocal is of is the denominator; a sum is the result for NaNs."""
    operands = [_operand(body, at) for at in _first(body, "SHF.R.U32.HI", Imm(EXPONENT_SHIFT))]
    below, last = divisor(body), _last(body, "FADD.FTZ")
    if len(operands) != 2 or None in operands or below is None or last is None:
        return None
    above = [o for o in operands if o != below]
    if len(above) != 1 or _origins_of(body, last) != {below, *above}:
        return None
    return (above[0] or RZ, below), last


def divisor(body: Body) -> int | None:
    """The entry register that alone the last reciprocal of a division is made of."""
    at = _last(body, "MUFU.RCP")
    below = _origins(body, at, next(_read(body[at][1]), RZ)) if at is not None else set[int]()
    return below.pop() if len(below) == 1 else None


def _origins_of(body: Body, at: int) -> set[int]:
    return set().union(*(_origins(body, at, register) for register in _read(body[at][1])))


def _reciprocal(body: Body) -> Found | None:
    """The operand is shifted left to lose its sign; the last reciprocal gives the result of the common case."""
    shifts, last = _first(body, "SHF.L.U32", Imm(1)), _last(body, "MUFU.RCP")
    source = _operand(body, shifts[0]) if shifts else None
    if source is None or last is None or not _origins_of(body, last) <= {source}:
        return None
    return (source,), last


def _square_root(body: Body) -> Found | None:
    """The operand is tested for zero; the last multiplication undoes the scaling."""
    tests = _first(body, "LOP3.LUT", Imm(0x7FFF_FFFF))
    source = _operand(body, tests[0]) if tests else None
    last = _last(body, "FMUL.FTZ")
    if source is None or last is None or not _origins_of(body, last) <= {source}:
        return None
    factors = (_constant(body, last, register) for register in _read(body[last][1]))
    return ((source,), last) if SQRT_UNSCALE in factors else None


def _constant(body: Body, position: int, register: int) -> int | None:
    """The constant that a MOV has put into a register."""
    mover = next((i for _, i in reversed(body[:position]) if _written(i) == register), None)
    source = mover.operands[-1] if mover is not None and mover.form in _COPIES else None
    return source.bits if isinstance(source, Imm) else None


def _copies_to_the_return(code: Code, body: Body, last: int, target: int) -> bool:
    """Whether what follows a result only copies it, and returns to where no instruction before has written."""
    address = body[last][0] + STEP
    path: list[tuple[int, Instruction]] = []
    while len(path) < _LONGEST:
        i = code.instructions.get(address)
        if i is None or (i.form not in _COPIES and i.mnemonic not in _PASSED) or i.guard is not None:
            return False
        path.append((address, i))
        if i.mnemonic == "RET":
            break
        address = code.successors(_block_of(code, address))[0][0] if i.mnemonic == "BRA" else address + STEP
    else:
        return False
    behind = {at for at, _ in path}
    unknown = {_written(i) for at, i in body if at not in behind} - {target}
    results = {target}
    for _, i in path:
        written, read = _written(i) if i.form in _COPIES else None, set(_read(i))
        if i.mnemonic == "RET" and read & unknown:
            return False
        if written is not None:
            (unknown.add if read & unknown else unknown.discard)(written)
            (results.add if read & results else results.discard)(written)
    return bool(results)


def _block_of(code: Code, address: int) -> int:
    """The leader of the block that an address is in."""
    while address not in code.leaders:
        address -= STEP
    return address
