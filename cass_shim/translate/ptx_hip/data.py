"""Module data of PTX: initialised variables as bytes with relocations, and function tokens."""

from __future__ import annotations

import struct

from cass_shim.isa.ptx.syntax import Address, Float, Instruction, Module, Operand, Symbol, Variable, Vector
from cass_shim.isa.ptx.types import REFERENCES, TYPES, bytes_of
from cass_shim.model.artifacts import DataImage
from cass_shim.model.artifacts import Variable as ModuleVariable
from cass_shim.model.errors import Malformed, Unsupported
from cass_shim.model.instruction import Relocation
from cass_shim.translate.ptx_hip.layout import align_of, size_of
from cass_shim.translate.ptx_hip.literals import _float_bits as float_bits
from cass_shim.translate.ptx_hip.reach import address_taken

ADDRESS = 2  # R_CUDA_64: a 64-bit absolute address
FUNCTION_TOKEN = 68  # R_CUDA_FUNC_DESC_64: a 64-bit function address
_FIRST_TOKEN = 0x10000  # never a null pointer, never a small integer by accident
_TOKEN_STEP = 0x100


def module_tokens(tree: Module) -> dict[str, int]:
    """Tokens in the module's order: the same text gives the same tokens."""
    taken = address_taken(tree)
    return {function.name: _FIRST_TOKEN + _TOKEN_STEP * index for index, function in enumerate(taken)}


def module_data(tree: Module) -> tuple[tuple[DataImage, ...], tuple[ModuleVariable, ...]]:
    """One image per .global or .const variable of the module."""
    images: list[DataImage] = []
    variables: list[ModuleVariable] = []
    tokens = module_tokens(tree)
    for variable in tree.variables.values():
        if variable.space not in ("global", "const") or variable.linkage == "extern":
            continue
        if variable.type == "samplerref" or (variable.type in REFERENCES and variable.initializer):
            raise Unsupported(f".{variable.type}", why=f"{variable.name}: samplers that nvcc never makes")
        content, relocations = _content(tree, variable, tokens)
        constant = variable.space == "const"
        kind = REFERENCES.get(variable.type) or ("constant3" if constant else "global" if content else "zero")
        if constant and not content:
            content = bytes(size_of(variable))
        images.append(DataImage(kind, size_of(variable), align_of(variable), content, relocations))
        variables.append(
            ModuleVariable(
                variable.name,
                len(images) - 1,
                0,
                size_of(variable),
                visible=variable.linkage in ("visible", "weak", "common") and variable.type not in REFERENCES,
                managed=variable.managed,
            )
        )
    return tuple(images), tuple(variables)


def _content(tree: Module, variable: Variable, tokens: dict[str, int]) -> tuple[bytes, tuple[Relocation, ...]]:
    if not variable.initializer:
        return b"", ()
    content = bytearray(size_of(variable))
    relocations = []
    step = bytes_of(variable.type)
    bits = 8 * step
    for index, element in enumerate(variable.initializer):
        at = index * step
        if element.symbol:
            relocations.append(_relocation(tree, variable, index, at, tokens))
        elif isinstance(element.value, Float):
            content[at : at + step] = _float(variable, element.value).to_bytes(step, "little")
        elif TYPES[variable.type].kind == "f" and step >= 4:
            content[at : at + step] = struct.pack("<f" if step == 4 else "<d", element.value)
        else:
            content[at : at + step] = (element.value & ((1 << bits) - 1)).to_bytes(step, "little")
    return bytes(content), tuple(each for each in relocations if each is not None)


def _float(variable: Variable, value: Float) -> int:
    """A float in an initialiser as ptxas 13.0 writes it: untyped elements get the low bits of what is written."""
    row = TYPES[variable.type]
    if variable.type in ("f32", "f64") or (row.kind == "b" and row.bits == 32 and not value.single):
        return float_bits(value, row.bits)
    if row.kind != "b":
        raise Malformed(f"a float for an element of {variable.name}, which is .{variable.type}", where="PTX")
    return value.bits & ((1 << row.bits) - 1)


def _relocation(tree: Module, variable: Variable, index: int, at: int, tokens: dict[str, int]) -> Relocation | None:
    """The relocation of one element; eight masked bytes of one address count as one, at the first of them."""
    element = variable.initializer[index]
    assert isinstance(element.value, int)
    name = tree.aliases.get(element.symbol, element.symbol)
    step = bytes_of(variable.type)
    if element.mask:
        masks = [0xFF << 8 * byte for byte in range(8)]
        if element.mask != 0xFF:
            return None
        run = variable.initializer[index : index + 8]
        if step != 1 or [each.mask for each in run] != masks or any(each.symbol != element.symbol for each in run):
            raise Unsupported("part of an address in an initialiser", why=variable.name)
    elif step != 8:
        raise Malformed(f"an address in a {step}-byte element of {variable.name}", where="PTX")
    if name in tokens:
        return Relocation(at, FUNCTION_TOKEN, name, element.value)
    if name not in tree.variables:
        raise Malformed(f"{name}, in the initialiser of {variable.name}, is not declared", where="PTX")
    return Relocation(at, ADDRESS, name, element.value)


def referenced(tree: Module, name: str) -> set[str]:
    """Module variables that the body of a kernel names."""
    found: set[str] = set()

    def visit(operand: Operand) -> None:
        if isinstance(operand, Symbol):
            found.add(operand.name)
        elif isinstance(operand, Address):
            visit(operand.base)
        elif isinstance(operand, Vector):
            for item in operand.items:
                visit(item)

    for statement in tree.functions[name].body or ():
        if isinstance(statement, Instruction):
            for operand in statement.operands:
                visit(operand)
    return found & set(tree.variables)
