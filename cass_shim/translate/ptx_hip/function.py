"""The body of one function: registers, parameters, local variables, then its statements with their structure."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from cass_shim.isa.ptx.syntax import Function, Pair, Register, Sink
from cass_shim.isa.ptx.types import TYPES
from cass_shim.model.errors import Unsupported
from cass_shim.translate.ptx_hip.contract import contract, counts
from cass_shim.translate.ptx_hip.graph import Branch, Graph, Switch, build_graph
from cass_shim.translate.ptx_hip.inline import inline_values
from cass_shim.translate.ptx_hip.layout import align_of, size_of
from cass_shim.translate.ptx_hip.locks import scheduled_apart, takes_lock
from cass_shim.translate.ptx_hip.scopes import move_declarations, without_blocks
from cass_shim.translate.ptx_hip.structure import Printer, chained, structured
from cass_shim.translate.ptx_hip.writer import FunctionWriter

if TYPE_CHECKING:
    from cass_shim.translate.ptx_hip.program import Program


def write_function(program: Program, function: Function) -> tuple[FunctionWriter, list[str]]:
    """The writer (for names and slots) and the lines between the braces."""
    graph = build_graph(function)
    contract(graph)
    apart = scheduled_apart(graph, function, program.module)
    graph = apart.graph
    counting = FunctionWriter(program, function)
    program.writing = False
    for number, block in enumerate(graph.blocks):
        for instruction in block.code:
            counting.count(instruction)
        _condition(counting, graph, number, False)
    _forget_unread(graph)
    writer = FunctionWriter(program, function)
    writer.votes = counting.votes
    program.writing = True
    meeting = meeting_points(graph)
    printer = Printer(
        code=lambda number: [*(["ptx_wave_barrier();"] if number in meeting else []), *_code(writer, graph, number)],
        condition=lambda number, negated: _condition(writer, graph, number, negated),
        index=lambda number: _condition(writer, graph, number, False),
        leave=lambda exits: _leave(writer, exits),
    )
    body = structured(graph, printer, apart.waiting, apart.together)
    while body and body[-1].strip() == "return;":
        body.pop()
    types = writer.named_types() | _passed_on(writer, body)
    body, moved = move_declarations(without_blocks(body, types), types)
    if not program.line_references:
        fixed = {**writer.parameter_types(), **dict.fromkeys(writer.symbols.values(), "u64")}
        body, gone = inline_values(body, types, fixed)
        moved |= gone
    return writer, [*(f"    {line}" for line in _declarations(program, writer, moved)), *chained(body)]


def _passed_on(writer: FunctionWriter, body: list[str]) -> dict[str, str]:
    """C++ type of each .param variable of the body that is one value, and whose address nobody takes."""
    mine = [each for each in writer.function.variables.values() if each.space == "param" and not each.array]
    named = {
        writer.parameter(each): TYPES[each.type].c
        for each in mine
        if each.vector == 1 and each.name not in writer.formal
    }
    return {name: c for name, c in named.items() if not any(f"&{name}" in line for line in body)}


def _forget_unread(graph: Graph) -> None:
    """Second results that nobody reads are not asked for: `d|p` of a shuffle whose p is not used."""
    pairs = [
        (block, place)
        for block in graph.blocks
        for place, each in enumerate(block.code)
        if each.operands and isinstance(each.operands[0], Pair) and each.opcode == "shfl"
    ]
    read = counts(graph)[1] if pairs else {}
    for block, place in pairs:
        each = block.code[place]
        first = each.operands[0]
        if isinstance(first, Pair) and isinstance(first.second, Register) and not read.get(first.second.name):
            operands = (Pair(first.first, Sink()), *each.operands[1:])
            block.code[place] = dataclasses.replace(each, operands=operands)


def meeting_points(graph: Graph) -> set[int]:
    """Where paths join in a loop that takes a lock: the lane that got it must meet the others there, each turn.

    Else clang threads its way out of the loop, behind the lanes that spin: they wait for the lock that it still holds.
    """
    found: set[int] = set()
    for header, members in graph.loops.items():
        code = [i for number in members for i in graph.blocks[number].code]
        if any(takes_lock(each) for each in code):
            found |= {n for n in members if n != header and len(graph.predecessors[n]) > 1}
    return found


def _code(writer: FunctionWriter, graph: Graph, number: int) -> list[str]:
    lines: list[str] = []
    for instruction in graph.blocks[number].code:
        written = writer.statement(instruction)
        if writer.program.line_references and written:
            written[0] += f"  // PTX line {instruction.line}"
        lines.extend(written)
    return lines


def _condition(writer: FunctionWriter, graph: Graph, number: int, negated: bool) -> str:
    """The guard of a block's branch, or the index of its switch."""
    end = graph.blocks[number].end
    writer.current = None
    if isinstance(end, Switch):
        return writer.get(end.index, "u32")
    if not isinstance(end, Branch):
        return ""
    register, inverted = end.guard
    text = writer.get(register, "pred")
    return f"!{text}" if inverted != negated else text


def _leave(writer: FunctionWriter, exits: bool) -> str:
    function = writer.function
    if function.entry:
        return "return;"
    if exits:
        raise Unsupported("exit", kernel=function.name, why="a thread that ends inside a device function")
    results = function.signature.results
    return f"return {writer.parameter(results[0])};" if results else "return;"


def _declarations(program: Program, writer: FunctionWriter, moved: set[str]) -> list[str]:
    """What stands at the top of a function. moved: registers that are declared where they get their value."""
    from cass_shim.translate.ptx_hip.program import value_type

    function = writer.function
    lines = []
    for name, local in writer.symbols.items():
        lines.append(f"const u64 {local} = (u64)bindings[{program.slot_of_symbol(name)}];")
    lines.extend(writer.declarations(moved))
    for variable in function.variables.values():
        if variable.space == "param" and variable.name not in writer.formal:
            if writer.parameter(variable) in moved:
                continue
            lines.append(f"{value_type(variable)} {writer.parameter(variable)} = {{}};")
        elif variable.space == "local":
            name = writer.names.of(f"local {variable.name}", variable.name)
            lines.append(f"alignas({align_of(variable)}) u8 {name}[{max(size_of(variable), 1)}];")
    return lines
