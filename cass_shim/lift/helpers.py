"""CUDA's own slow paths of division, reciprocal and square root, replaced by the one operation they compute.

ptxas links a copy of these functions into every kernel that divides, with registers allocated and instructions
scheduled anew each time; their names are in the symbol table. What stays the same is where the operands are first
looked at and where the special-case result (of NaNs, or of the last step) is written, just before every path joins.
A copy that does not show both is lifted as it is. Source: recorded, ptxas 13.0, sm_80 and sm_90.
"""

from __future__ import annotations

from dataclasses import dataclass

from cass_shim.lift import plain_helpers
from cass_shim.lift.code import STEP, Code, Function
from cass_shim.lift.plain_helpers import EXPONENT_SHIFT, SQRT_UNSCALE, Body
from cass_shim.model.instruction import RZ, Imm, Instruction, Reg

_NAMES = {
    "__cuda_sm3x_div_rn_noftz_f32_slowpath": "fdiv",
    "__cuda_sm20_rcp_rn_f32_slowpath": "rcp",
    "__cuda_sm20_sqrt_rn_f32_slowpath": "sqrt",
}
_BEGINNING = 12  # instructions in which both exponents are taken


@dataclass(frozen=True, slots=True)
class Shortcut:
    """operation over `sources` into `target`, written by the instruction before `tail`.

    prologue: addresses of the instructions at the entry that save registers and must still run.
    """

    operation: str
    sources: tuple[int, ...]
    target: int
    tail: int
    prologue: tuple[int, ...]


def find_shortcut(code: Code, function: Function) -> Shortcut | None:
    """The shortcut through a function, if it is one of these and looks as they do."""
    name = code.functions.get(function.entry, "").rpartition("$")[2]
    operation = _NAMES.get(name)
    if operation is None:
        return None
    body = [(a, code.instructions[a]) for a in _addresses(code, function)]
    match = {"fdiv": _divide, "rcp": _reciprocal, "sqrt": _square_root}[operation](body)
    if match is None:
        return _without_optimisation(code, operation, body)
    first, sources, last, target = match
    tail = body[last][0] + STEP
    if tail not in function.blocks:
        return None
    prologue = tuple(address for address, _ in body[:first])
    return Shortcut(operation, sources, target, tail, prologue)


def _without_optimisation(code: Code, operation: str, body: Body) -> Shortcut | None:
    match = plain_helpers.match(code, operation, body)
    if match is None:
        return None
    sources, last, target = match
    tail = body[last][0] + STEP
    code.leaders.add(tail)
    return Shortcut(operation, sources, target, tail, ())


def _addresses(code: Code, function: Function) -> list[int]:
    return sorted(address for start in function.blocks for address, _ in code.block(start))


Match = tuple[int, tuple[int, ...], int, int]


def _register(operand: object) -> int | None:
    if isinstance(operand, Reg) and not operand.uniform and operand.index != RZ:
        return operand.index
    return None


def _is(i: Instruction, form: str) -> bool:
    return i.form == form


def _exponents(body: Body) -> list[tuple[int, int]]:
    """(position, register) of the instructions that take an operand's exponent, at the beginning."""
    found = []
    for at, (_, i) in enumerate(body[:_BEGINNING]):
        if _is(i, "SHF.R.U32.HI") and i.operands[2] == Imm(EXPONENT_SHIFT):
            register = _register(i.operands[3])
            if register is not None:
                found.append((at, register))
    return found


def _divide(body: Body) -> Match | None:
    """Both exponents are taken, in either order; what the reciprocal is of is the denominator; the sum of both is the
    result for NaNs.

    Copies made for a constant operand take one exponent only and are left alone.
    """
    exponents = _exponents(body)
    sums = [at for at, (_, i) in enumerate(body) if _is(i, "FADD.FTZ") and i.guard is None]
    if len(exponents) != 2 or not sums:
        return None
    first = exponents[0][0]
    target = _register(body[sums[-1]][1].operands[0])
    below = plain_helpers.divisor(body[first:])
    operands = {register for _, register in exponents}
    if target is None or first > 4 or len(operands) != 2 or below not in operands:
        return None
    (numerator,) = operands - {below}
    return first, (numerator, below), sums[-1], target


def _reciprocal(body: Body) -> Match | None:
    """The operand is shifted left to lose its sign; the last MUFU.RCP gives the result of the common case."""
    i = body[0][1]
    shifts = i.form in ("SHF.L.U32", "IMAD.SHL.U32", "IMAD.SHL")
    source = _register(i.operands[1]) if shifts else None
    last = [at for at, (_, j) in enumerate(body) if _is(j, "MUFU.RCP") and j.guard is None]
    if source is None or not last or _register(body[last[-1]][1].operands[1]) != source:
        return None
    target = _register(body[last[-1]][1].operands[0])
    return None if target is None else (0, (source,), last[-1], target)


def _square_root(body: Body) -> Match | None:
    """The operand is tested for zero; the last multiplication undoes the scaling."""
    i = body[0][1]
    tests = _is(i, "LOP3.LUT") and len(i.operands) > 2 and Imm(0x7FFF_FFFF) in i.operands
    source = _register(i.operands[2]) if tests else None
    last = [at for at, (_, j) in enumerate(body) if _is(j, "FMUL.FTZ") and Imm(SQRT_UNSCALE) in j.operands]
    if source is None or len(last) != 1:
        return None
    target = _register(body[last[0]][1].operands[0])
    return None if target is None else (0, (source,), last[0], target)
