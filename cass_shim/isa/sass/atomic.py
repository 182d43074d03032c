"""Atomic operations. Sources: sass.md §5.4 and §5.5; PTX ISA, atom and red."""

from __future__ import annotations

from collections.abc import Sequence

from cass_shim.isa.emitter import Emitter
from cass_shim.isa.operands import (
    V,
    address32,
    address64,
    int32,
    put32,
    put64,
    put_predicate,
    raw64,
    unwanted,
)
from cass_shim.isa.sass.memory import scope
from cass_shim.isa.spec import Effect, sass, unsupported
from cass_shim.model.instruction import RZ, Instruction, Mem, Operand, Pred, Reg

_OPERATIONS = ("ADD", "MIN", "MAX", "AND", "OR", "XOR", "EXCH", "CAS", "INC", "DEC")
# Kinds by printed type; u32 when none is printed. A signed sum is the unsigned one.
_KINDS = {
    "U32": "u32",
    "S32": "s32",
    "64": "u64",
    "U64": "u64",
    "S64": "s64",
    "F32": "f32",
    "F64": "f64",
    "F16x2": "f16x2",
    "BF16x2": "bf16x2",
    "BF16_V2": "bf16x2",
    "F16_V2": "f16x2",
    "32": "u32",
}
_HINTS = "E STRONG SM CTA GPU SYS RN FTZ EF EL LU NA EU PRIVATE"  # .FTZ: as PTX's red.add.f32 does everywhere
_ACCEPTED = " ".join((*_OPERATIONS, *_KINDS, _HINTS))


def _kind(i: Instruction) -> str:
    return next((_KINDS[m] for m in i.modifiers if m in _KINDS), "u32")


def _operation(i: Instruction) -> str:
    for name in _OPERATIONS:
        if i.has(name):
            return name.lower()
    raise unsupported(i)


def _value(e: Emitter[V], operand: Operand, kind: str) -> V:
    return raw64(e, operand) if kind.endswith("64") else int32(e, operand)


def _apply(e: Emitter[V], i: Instruction, space: str, where: Operand, values: Sequence[Operand]) -> V:
    """Do the operation; values: the operand, or for CAS the comparand and the new value."""
    kind, operation = _kind(i), _operation(i)
    target = address32(e, where) if space == "shared" else address64(e, where, wide=_is_wide(where))
    held = [_value(e, v, kind) for v in values]
    width = "cta" if space == "shared" else scope(i)
    if operation == "cas":
        return e.atomic(space, operation, kind, target, held[1], held[0], width)
    if len(held) != 1:
        raise unsupported(i)
    return e.atomic(space, operation, kind, target, held[0], None, width)


def _is_wide(where: Operand) -> bool | None:
    """ATOMG.CAS prints [R2] for a pair; only a uniform base makes the register a 32-bit offset."""
    uniform = where.uniform if isinstance(where, Mem) else None
    return None if uniform is not None and uniform.index != RZ else True


def _put(e: Emitter[V], dst: Operand, kind: str, value: V) -> None:
    if kind.endswith("64"):
        put64(e, dst, value)
    else:
        put32(e, dst, value)


@sass("ATOMG", "ATOM", modifiers=_ACCEPTED, effect=Effect.MEMORY)
def atom(e: Emitter[V], i: Instruction) -> None:
    """dst = old value of global or generic memory.

    Before sm_80 a generic atomic's predicate says that the address was not in shared memory, for which the program
    then has code of its own; here it is done for every space.
    """
    flag, dst, where, *values = i.operands
    if not unwanted(flag) and i.mnemonic == "ATOMG":
        raise unsupported(i, "predicate result")
    space = "global" if i.mnemonic == "ATOMG" else "generic"
    _put(e, dst, _kind(i), _apply(e, i, space, where, values))
    put_predicate(e, flag, e.const(1, 1))


@sass("RED", "REDG", modifiers=_ACCEPTED, effect=Effect.MEMORY)
def red(e: Emitter[V], i: Instruction) -> None:
    """An atomic without a result."""
    operands = [o for o in i.operands if not isinstance(o, Pred)]
    _apply(e, i, "global", operands[0], operands[1:])


@sass("ATOMS", modifiers=f"{_ACCEPTED} POPC CAST SPIN ARRIVE", effect=Effect.MEMORY)
def atoms(e: Emitter[V], i: Instruction) -> None:
    """Shared memory. .POPC.INC adds one per lane; .CAST.SPIN says 1 where compare-and-store succeeded,
    of as many bits (ptxas compares all 64 with it).

    .ARRIVE arrives at an mbarrier and gives its old state.
    """
    dst, where, *values = i.operands
    if i.has("POPC"):
        put32(e, dst, e.atomic("shared", "add", "u32", address32(e, where), e.const(1, 32), None, "cta"))
        return
    if i.has("ARRIVE"):
        if not i.has("64") or values:
            raise unsupported(i)
        put64(e, dst, e.atomic("shared", "arrive", "u64", address32(e, where), e.const(1, 64), None, "cta"))
        return
    if i.has("CAST"):
        kind = "u64" if i.has("64") else "u32"
        expected, new = (_value(e, v, kind) for v in values)
        old = e.atomic("shared", "cas", kind, address32(e, where), new, expected, "cta")
        done = e.compare("eq", old, expected)
        if isinstance(dst, Pred):  # from sm_100 on
            put_predicate(e, dst, done)
        else:
            _put(e, dst, kind, e.zext(done, 64 if i.has("64") else 32))
        return
    old = _apply(e, i, "shared", where, values)
    if isinstance(dst, Reg) and dst.index != RZ:
        _put(e, dst, _kind(i), old)
