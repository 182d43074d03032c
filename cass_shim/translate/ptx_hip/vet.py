"""What PTX's compiler says of a whole module when it is loaded, also of kernels that are never launched.

In: a parsed module. Raises InvalidPtx. The types of operands are checked when a kernel is translated.
"""

from __future__ import annotations

from cass_shim.isa.ptx.documentation import ISA, OPCODES
from cass_shim.isa.ptx.syntax import Function, Instruction, Label, Module, Symbol
from cass_shim.model.errors import InvalidPtx, NewerPtx

# Those that PTX ISA 9.0 names (.target), beside which later versions may have others.
TARGETS = frozenset(
    f"sm_{number}"
    for number in (10, 11, 12, 13, 20, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90)
) | {"sm_100", "sm_101", "sm_103", "sm_110", "sm_120", "sm_121"}


def vet(module: Module) -> None:
    """Instructions that PTX lacks (of its versions that we know), and branches to nowhere."""
    if module.version[0] > ISA[0]:
        raise NewerPtx(f".version {module.version[0]}.{module.version[1]} is not known", where="PTX")
    known = module.version <= ISA
    targets = [one.rstrip("af") for one in module.target if one.startswith("sm_")]
    if not targets or (known and not TARGETS.issuperset(targets)):
        raise InvalidPtx(f".target {', '.join(module.target) or '(none)'} is not known", where="PTX")
    for function in module.functions.values():
        labels = {one.name for one in function.body or () if isinstance(one, Label)}
        for one in function.body or ():
            if isinstance(one, Instruction):
                _vet(one, function, labels, known=known)


def _vet(one: Instruction, function: Function, labels: set[str], *, known: bool) -> None:
    where = f"PTX {one.place} in {function.name}"
    if known and one.opcode not in OPCODES:
        raise InvalidPtx(f"{one.opcode} is no instruction of PTX", where=where)
    if one.opcode != "bra" or not one.operands:
        return
    target = one.operands[0]
    if isinstance(target, Symbol) and target.name not in labels:
        raise InvalidPtx(f"branch to {target.name}, which is no label of this function", where=where)
