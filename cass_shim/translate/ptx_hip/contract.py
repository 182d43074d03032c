"""Fuses multiplications into additions where ptxas does, so that results are those of the GPU.

PTX lets a mul and an add without rounding modifiers become one fma, and ptxas does it by default. Measured with
ptxas 13.0 for sm_80: within a block, when every use of the product is such an addition; of two products the first
operand's is fused; a negation in between is looked through.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator

from cass_shim.isa.ptx.syntax import Address, Arguments, Instruction, Negative, Not, Operand, Pair, Register, Vector
from cass_shim.translate.ptx_hip.graph import Block, Branch, Graph, Switch

_TYPES = ("f32", "f64", "f16", "f16x2", "bf16", "bf16x2")
_STORES = ("st", "red", "bra", "ret", "call", "bar", "barrier", "membar", "fence")


@dataclasses.dataclass(slots=True)
class _Product:
    """A multiplication by its place in the block; negated: as its user sees it through `neg` at place `via`."""

    place: int
    instruction: Instruction
    negated: bool = False
    via: int = -1


def registers_of(operand: Operand) -> Iterator[str]:
    """Names of the registers in an operand."""
    if isinstance(operand, Register):
        yield operand.name
    elif isinstance(operand, (Not, Negative)):
        yield operand.operand.name
    elif isinstance(operand, (Vector, Arguments)):
        for item in operand.items:
            yield from registers_of(item)
    elif isinstance(operand, Pair):
        yield from registers_of(operand.first)
        yield from registers_of(operand.second)
    elif isinstance(operand, Address):
        yield from registers_of(operand.base)
        for item in operand.extra:
            yield from registers_of(item)


def counts(graph: Graph) -> tuple[Counter[str], Counter[str]]:
    """How often each register is written and read. Where PTX does not tell, both."""
    written: Counter[str] = Counter()
    read: Counter[str] = Counter()
    for block in graph.blocks:
        for instruction in block.code:
            for index, operand in enumerate(instruction.operands):
                names = list(registers_of(operand))
                if index == 0 and not isinstance(operand, Address) and instruction.opcode not in _STORES:
                    written.update(names)
                else:
                    read.update(names)
                if instruction.opcode == "call":
                    written.update(names)
            if instruction.guard is not None:
                read[instruction.guard[0].name] += 1
        if isinstance(block.end, Branch):
            read[block.end.guard[0].name] += 1
        elif isinstance(block.end, Switch):
            read.update(registers_of(block.end.index))
    return written, read


def _plain(instruction: Instruction, opcodes: tuple[str, ...], allowed: tuple[str, ...]) -> bool:
    """One of these instructions on a float type without a rounding modifier."""
    if instruction.opcode not in opcodes:
        return False
    *flags, type_name = instruction.modifiers or ("",)
    return type_name in _TYPES and set(flags) <= set(allowed)


def contract(graph: Graph) -> None:
    """Rewrite the blocks of a graph in place."""
    blocks = [block for block in graph.blocks if any(_plain(each, ("mul",), ("ftz",)) for each in block.code)]
    if not blocks:
        return
    written, read = counts(graph)
    fresh = iter(range(1, 1 << 30))
    for block in blocks:
        _contract_block(block, written, read, fresh)


def _contract_block(block: Block, written: Counter[str], read: Counter[str], fresh: Iterator[int]) -> None:
    products = _products(block, written, read)
    while True:
        chosen = {
            place: product
            for place, instruction in enumerate(block.code)
            if (product := _choice(block, place, instruction, products)) is not None
        }
        used: Counter[int] = Counter(product.place for product in chosen.values())
        kept = {
            name: product
            for name, product in products.items()
            if used[product.place] == read[name] and used[product.place]
        }
        if len(kept) == len(products):
            break
        products = kept
    code: list[Instruction] = []
    gone = {product.place for product in chosen.values()} | {product.via for product in chosen.values()}
    for place, instruction in enumerate(block.code):
        if place in chosen:
            code.extend(_fused(instruction, chosen[place], products, fresh))
        elif place not in gone:
            code.append(instruction)
    block.code[:] = code


def _products(block: Block, written: Counter[str], read: Counter[str]) -> dict[str, _Product]:
    """Register → the multiplication it holds."""
    found: dict[str, _Product] = {}
    for place, instruction in enumerate(block.code):
        if instruction.guard is not None or not instruction.operands:
            continue
        d = instruction.operands[0]
        if not isinstance(d, Register) or written[d.name] != 1:
            continue
        if _plain(instruction, ("mul",), ("ftz",)) and len(instruction.operands) == 3:
            found[d.name] = _Product(place, instruction)
        elif _plain(instruction, ("neg",), ()) and len(instruction.operands) == 2:
            a = instruction.operands[1]
            inner = found.get(a.name) if isinstance(a, Register) else None
            if not isinstance(a, Register) or inner is None or inner.via >= 0 or read[a.name] != 1:
                continue
            if inner.instruction.modifiers[-1] == instruction.modifiers[-1]:
                del found[a.name]
                found[d.name] = _Product(inner.place, inner.instruction, True, place)
    return found


def _choice(block: Block, place: int, instruction: Instruction, products: dict[str, _Product]) -> _Product | None:
    """The product that an addition takes in: of its first operand, else of its second."""
    if not _plain(instruction, ("add", "sub"), ("ftz", "sat")) or len(instruction.operands) != 3:
        return None
    _, a, b = instruction.operands
    if a == b:
        return None
    for operand in (a, b):
        product = products.get(operand.name) if isinstance(operand, Register) else None
        if product is None or product.place >= place or not _compatible(instruction, product):
            continue
        if _unchanged(block, product, place):
            return product
    return None


def _compatible(instruction: Instruction, product: _Product) -> bool:
    same_type = instruction.modifiers[-1] == product.instruction.modifiers[-1]
    return same_type and ("ftz" in instruction.modifiers) == ("ftz" in product.instruction.modifiers)


def _unchanged(block: Block, product: _Product, place: int) -> bool:
    """Whether the factors still hold their values at `place`."""
    factors = {name for operand in product.instruction.operands[1:] for name in registers_of(operand)}
    for instruction in block.code[product.place + 1 : place]:
        if instruction.opcode in _STORES or not instruction.operands:
            continue
        if factors & set(registers_of(instruction.operands[0])):
            return False
    return True


def _fused(
    instruction: Instruction, product: _Product, products: dict[str, _Product], fresh: Iterator[int]
) -> list[Instruction]:
    """The fma of an addition, with a neg in front where a sign has to change."""
    d, a, b = instruction.operands
    first = isinstance(a, Register) and products.get(a.name) is product
    other = b if first else a
    _, x, y = product.instruction.operands
    type_name = instruction.modifiers[-1]
    negate_product = product.negated != (instruction.opcode == "sub" and not first)
    negate_other = instruction.opcode == "sub" and first
    code = []
    if negate_product:
        negation, x = _negated(x, instruction, type_name, fresh)
        code.append(negation)
    if negate_other:
        negation, other = _negated(other, instruction, type_name, fresh)
        code.append(negation)
    modifiers = ("rn", *instruction.modifiers)
    code.append(
        Instruction("fma", modifiers, (d, x, y, other), instruction.guard, instruction.line, instruction.column)
    )
    return code


def _negated(operand: Operand, at: Instruction, type_name: str, fresh: Iterator[int]) -> tuple[Instruction, Register]:
    bits = {"f64": 64, "f16": 16, "bf16": 16}.get(type_name, 32)
    register = Register(f"%minus{next(fresh)}", f"f{bits}" if type_name in ("f32", "f64") else f"b{bits}")
    return Instruction("neg", (type_name,), (register, operand), None, at.line, at.column), register
