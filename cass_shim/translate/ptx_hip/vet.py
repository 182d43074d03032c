"""What PTX's compiler says of a whole module when it is loaded, also of kernels that are never launched.

In: a parsed module. Raises InvalidPtx. The types of operands are checked when a kernel is translated.
"""

from __future__ import annotations

from cass_shim.isa.ptx.documentation import ISA, OPCODES
from cass_shim.isa.ptx.syntax import Function, Instruction, Label, Module, Symbol
from cass_shim.model.errors import InvalidPtx


def vet(module: Module) -> None:
    """Instructions that PTX lacks (of its versions that we know), and branches to nowhere."""
    known = module.version <= ISA
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
