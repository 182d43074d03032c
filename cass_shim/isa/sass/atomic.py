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
    registers,
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
# Vectors, of which each element is one step: kind and number of the registers that they lie in.
_VECTORS = {
    "F16x4": ("f16x2", 2), "F16x8": ("f16x2", 4), "BF16x4": ("bf16x2", 2), "BF16x8": ("bf16x2", 4),
    "F32x2": ("f32", 2), "F32x4": ("f32", 4),
}  # fmt: skip
_WHOLE = "128"  # EXCH and CAS of 16 bytes: one step
_HINTS = "E STRONG SM CTA GPU SYS RN FTZ EF EL LU NA EU PRIVATE"  # .FTZ: as PTX's red.add.f32 does everywhere
_ACCEPTED = " ".join((*_OPERATIONS, *_KINDS, *_VECTORS, _WHOLE, _HINTS))


def result_registers(i: Instruction) -> int:
    """How many registers an atomic's result takes."""
    if i.has(_WHOLE):
        return 4
    vector = _vector(i)
    return vector[1] if vector else 2 if _kind(i).endswith("64") else 1


def _vector(i: Instruction) -> tuple[str, int] | None:
    return next((_VECTORS[m] for m in i.modifiers if m in _VECTORS), None)


def _kind(i: Instruction) -> str:
    return next((_KINDS[m] for m in i.modifiers if m in _KINDS), "u32")


def _operation(i: Instruction) -> str:
    for name in _OPERATIONS:
        if i.has(name):
            return name.lower()
    raise unsupported(i)


def _value(e: Emitter[V], operand: Operand, kind: str) -> V:
    return raw64(e, operand) if kind.endswith("64") else int32(e, operand)


def _apply(e: Emitter[V], i: Instruction, space: str, where: Operand, values: Sequence[Operand]) -> list[V]:
    """Do the operation; values: the operand, or for CAS the comparand and the new value. The old value's registers."""
    kind, operation, vector = _kind(i), _operation(i), _vector(i)
    target, width = _target(e, i, space, where)
    if len(values) != (2 if operation == "cas" else 1):
        raise unsupported(i)
    if i.has(_WHOLE):
        words = [registers(e, v, 4) for v in values]
        return e.atomic_whole(space, operation, target, words[-1], words[0] if operation == "cas" else None, width)
    if vector is not None:
        if operation not in ("add", "min", "max"):
            raise unsupported(i)
        return _elements(e, space, operation, vector[0], target, registers(e, values[0], vector[1]), width)
    held = [_value(e, v, kind) for v in values]
    old = e.atomic(space, operation, kind, target, held[-1], held[0] if operation == "cas" else None, width)
    return [e.low(old), e.high(old)] if kind.endswith("64") else [old]


def _elements(e: Emitter[V], space: str, operation: str, kind: str, target: V, words: list[V], width: str) -> list[V]:
    """A vector's registers one after the other: only each element is one step (PTX ISA, atom)."""
    bits = 32 if space == "shared" else 64
    places = [e.add(target, e.const(4 * k, bits)) if k else target for k in range(len(words))]
    return [e.atomic(space, operation, kind, at, v, None, width) for at, v in zip(places, words, strict=True)]


def _is_wide(where: Operand) -> bool | None:
    """ATOMG.CAS prints [R2] for a pair; only a uniform base makes the register a 32-bit offset."""
    uniform = where.uniform if isinstance(where, Mem) else None
    return None if uniform is not None and uniform.index != RZ else True


def _compare_and_store(
    e: Emitter[V], i: Instruction, dst: Operand, space: str, where: Operand, values: Sequence[Operand]
) -> None:
    """.CAST.SPIN says 1 where the store was made, of as many bits (ptxas compares all 64 with it)."""
    kind = _kind(i)
    expected, new = (_value(e, v, kind) for v in values)
    target, width = _target(e, i, space, where)
    done = e.compare("eq", e.atomic(space, "cas", kind, target, new, expected, width), expected)
    if isinstance(dst, Pred):  # from sm_100 on
        put_predicate(e, dst, done)
    else:
        _put(e, dst, [e.zext(done, 32), e.const(0, 32)][: result_registers(i)])


def _target(e: Emitter[V], i: Instruction, space: str, where: Operand) -> tuple[V, str]:
    """Address and scope."""
    if space == "shared":
        return address32(e, where), "cta"
    return address64(e, where, wide=_is_wide(where)), scope(i)


def _put(e: Emitter[V], dst: Operand, words: Sequence[V]) -> None:
    for part, word in enumerate(words):
        put32(e, dst, word, part)


@sass("ATOMG", "ATOM", modifiers=f"{_ACCEPTED} CAST SPIN", effect=Effect.MEMORY)
def atom(e: Emitter[V], i: Instruction) -> None:
    """dst = old value of global or generic memory.

    Before sm_80 a generic atomic's predicate says that the address was not in shared memory, for which the program
    then has code of its own; here it is done for every space.
    """
    flag, dst, where, *values = i.operands
    if not unwanted(flag) and (i.mnemonic == "ATOMG" or i.has("CAST")):
        raise unsupported(i, "predicate result")
    space = "global" if i.mnemonic == "ATOMG" else "generic"
    if i.has("CAST"):
        _compare_and_store(e, i, dst, space, where, values)
        return
    _put(e, dst, _apply(e, i, space, where, values))
    put_predicate(e, flag, e.const(1, 1))


@sass("RED", "REDG", modifiers=_ACCEPTED, effect=Effect.MEMORY)
def red(e: Emitter[V], i: Instruction) -> None:
    """An atomic without a result."""
    operands = [o for o in i.operands if not isinstance(o, Pred)]
    _apply(e, i, "global", operands[0], operands[1:])


@sass("ATOMS", modifiers=f"{_ACCEPTED} POPC CAST SPIN ARRIVE", effect=Effect.MEMORY)
def atoms(e: Emitter[V], i: Instruction) -> None:
    """Shared memory. .POPC.INC adds one per lane; .ARRIVE arrives at an mbarrier and gives its old state."""
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
        _compare_and_store(e, i, dst, "shared", where, values)
        return
    old = _apply(e, i, "shared", where, values)
    if isinstance(dst, Reg) and dst.index != RZ:
        _put(e, dst, old)
