"""Parses the body of a function: declarations, labels, instructions and their operands.

Scopes are flattened: a register, variable or label that an inner scope declares under a name already taken gets a
new name, so that later stages see one name space per function.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from cass_shim.isa.ptx.memory import DATA
from cass_shim.isa.ptx.syntax import (
    Address,
    Arguments,
    Function,
    Instruction,
    Label,
    Module,
    Negative,
    Not,
    Operand,
    Pair,
    Register,
    Sink,
    Symbol,
    Variable,
    Vector,
)
from cass_shim.isa.ptx.types import TYPES, bits_of
from cass_shim.translate.ptx_hip.declarations import Declarations, parse_prototype, parse_variable, passed, unused
from cass_shim.translate.ptx_hip.reader import Reader

MAX_SCOPES = 256
_COMPONENT = re.compile("[xyzwrgba]")  # of a vector or of a predefined register
_SELECTOR = re.compile("[bh][0-7]+")  # of video instructions
_TRAILING = re.compile(r"\d+$")
_VARIABLE_SPACES = ("local", "shared", "param", "const", "global", "tex", "sreg")


def _moved(formal: Variable, line: int, opcode: str) -> Instruction:
    """The load of a parameter that is a register, or the store of such a result."""
    modifier = formal.type if formal.type in DATA.split("|") else f"b{bits_of(formal.type)}"
    register, address = Register(formal.name, formal.type), Address(Symbol(passed(formal).name))
    operands = (register, address) if opcode == "ld" else (address, register)
    return Instruction(opcode, ("param", modifier), operands, None, line)


class BodyParser:
    """One function's body, from after its opening brace to its closing one."""

    def __init__(self, reader: Reader, module: Module, function: Function) -> None:
        self.reader, self.module, self.function = reader, module, function
        self.scopes: list[Declarations] = []
        self.code: list[Instruction | Label] = []
        self.labels: set[str] = set()
        self.numbers: dict[str, int] = {}  # of labels

    def parse(self, results: Sequence[Variable], parameters: Sequence[Variable]) -> list[Instruction | Label]:
        """The statements. Formals that are registers are read at the start, and written where the function returns."""
        line = self.reader.line
        self._scope((*results, *parameters))
        back = [_moved(each, line, "st") for each in results if each.space == "reg"]
        code: list[Instruction | Label] = [_moved(each, line, "ld") for each in parameters if each.space == "reg"]
        for each in self.code:
            if isinstance(each, Instruction) and each.opcode == "ret":
                code += [dataclasses.replace(one, guard=each.guard) for one in back]
            code.append(each)
        return [*code, *back]

    def _scope(self, formals: Sequence[Variable] = ()) -> None:
        """A `{ … }`, its opening brace already taken."""
        if len(self.scopes) >= MAX_SCOPES:
            self.reader.fail("scopes nested too deeply")
        scope = Declarations()
        scope.declare_formals(formals, self.function)
        self.scopes.append(scope)
        first, reader = len(self.code), self.reader
        while (kind := reader.kinds[reader.at]) != "}":
            if kind == "end":
                reader.fail("expected } before the end of the text")
            self._statement(kind, scope)
        reader.at += 1
        self._rename_labels(scope, first)
        self.scopes.pop()

    def _statement(self, kind: str, scope: Declarations) -> None:
        """kind: of the token that it begins with."""
        reader = self.reader
        if kind == "name":
            if reader.kinds[reader.at + 1] == ":":
                self._labelled(scope)
            else:
                self.code.append(self._instruction())
        elif kind == "dot":
            self._directive(scope)
        elif kind == "{":
            reader.at += 1
            self._scope()
        elif kind == ";":
            reader.at += 1
        else:
            self.code.append(self._instruction())

    def _labelled(self, scope: Declarations) -> None:
        line, name = self.reader.line, self.reader.next().text
        self.reader.next()
        if self.reader.accept("dot", "callprototype"):
            self.function.prototypes[name] = parse_prototype(self.reader)
            self.reader.expect(";")
        elif self.reader.accept("dot", "branchtargets") or self.reader.accept("dot", "calltargets"):
            names = [self.reader.expect("name")]
            while self.reader.accept(","):
                names.append(self.reader.expect("name"))
            self.reader.expect(";")
            self.function.targets[name] = tuple(names)
        else:
            scope.declare(name, self.reader)
            scope.labels[name] = name
            self.code.append(Label(name, line))

    def _directive(self, scope: Declarations) -> None:
        reader, name = self.reader, self.reader.text
        if name == "reg":
            reader.next()
            scope.parse_registers(reader, self.function)
        elif name == "pragma":
            reader.next()
            self.function.pragmas.append(reader.expect("string"))
            reader.skip_past(";")
        elif name == "loc":
            line = reader.line
            while reader.kind != "end" and reader.line == line and not reader.peek("}"):
                reader.next()
        elif name in _VARIABLE_SPACES or name in ("extern", "visible", "weak"):
            for variable in parse_variable(reader):
                unique = scope.declare_variable(variable.name, self.function, reader)
                self.function.variables[unique] = dataclasses.replace(variable, name=unique)
        else:
            reader.fail(f"unknown directive .{name} in a function")

    def _rename_labels(self, scope: Declarations, first: int) -> None:
        """Give labels of this scope that are taken elsewhere in the function a name of their own."""
        changed = {}
        for name in scope.labels:
            unique = unused(name, self.labels, self.numbers)
            self.labels.add(unique)
            if unique != name:
                changed[name] = unique
        if not changed:
            return
        for index in range(first, len(self.code)):
            statement = self.code[index]
            if isinstance(statement, Label):
                self.code[index] = Label(changed.get(statement.name, statement.name), statement.line)
            else:
                operands = tuple(
                    Symbol(changed[operand.name])
                    if isinstance(operand, Symbol) and operand.name in changed
                    else operand
                    for operand in statement.operands
                )
                self.code[index] = dataclasses.replace(statement, operands=operands)

    def _instruction(self) -> Instruction:
        reader = self.reader
        guard = None
        if reader.accept("@"):
            negated = reader.accept("!")
            token = reader.expect_token("name")
            register = self._register(token.text)
            if register is None or register.type != "pred":
                reader.fail(f"{token.text} is not a predicate register", token)
            guard = (register, negated)
        start = reader.at
        opcode = reader.expect("name")
        kinds, at = reader.kinds, reader.at
        while kinds[at] == "dot":
            at += 1
        modifiers = tuple(reader.texts[reader.at : at])
        reader.at = at
        operands: list[Operand] = []
        if kinds[at] not in (";", "}"):
            operands.append(self._operand())
            while kinds[reader.at] == ",":
                reader.at += 1
                operands.append(self._operand())
        reader.expect(";")
        tokens = reader.tokens
        return Instruction(opcode, modifiers, tuple(operands), guard, tokens.lines[start], tokens.columns[start])

    def _operand(self) -> Operand:
        reader = self.reader
        kind = reader.kinds[reader.at]
        if kind == "name" and reader.texts[reader.at] != "WARP_SZ":
            first = self._named()
            if reader.kinds[reader.at] != "|":
                return first
            reader.at += 1
            return Pair(first, self._named())
        if kind == "[":
            reader.at += 1
            return self._address()
        if kind == "{":
            reader.at += 1
            vector = Vector(self._list("}"))
            return Pair(vector, self._named()) if reader.accept("|") else vector
        if kind == "(":
            reader.at += 1
            if self._is_constant_group():
                reader.at -= 1
                return reader.constant()
            return Arguments(self._list(")"))
        if kind in "!-" and reader.peek("name", ahead=1):
            reader.at += 1
            return (Not if kind == "!" else Negative)(self._declared_register())
        return reader.constant()

    def _is_constant_group(self) -> bool:
        """Whether what follows `(` is an expression of numbers, not a list of call arguments."""
        return not self.reader.peek("name") and not self.reader.peek(")") and not self.reader.peek("[")

    def _list(self, end: str) -> tuple[Operand, ...]:
        items: list[Operand] = []
        if self.reader.accept(end):
            return ()
        items.append(self._operand())
        while self.reader.accept(","):
            items.append(self._operand())
        self.reader.expect(end)
        return tuple(items)

    def _address(self) -> Address:
        """[base], [base + n], [n], [base, extra…]; the opening bracket already taken."""
        reader = self.reader
        base: Operand
        if reader.peek("name") and reader.text != "WARP_SZ":
            base = self._named()
        else:
            base = reader.constant()
        offset = 0
        while (kind := reader.kinds[reader.at]) == "+" or kind == "-":
            reader.at += kind == "+"
            offset += reader.integer()
        if isinstance(base, Symbol):
            base, offset = Symbol(base.name, 0, base.generic), offset + base.offset
        extra: list[Operand] = []
        while reader.accept(","):
            extra.append(self._operand())
        reader.expect("]")
        return Address(base, offset, tuple(extra))

    def _named(self) -> Operand:
        """A register (with its component), a symbol with an offset, or the sink."""
        reader = self.reader
        name = reader.expect("name")
        register = self._register(name)
        if register is not None:
            return self._component(register) if reader.kinds[reader.at] == "dot" else register
        if name == "_":
            return Sink()
        if name == "generic" and reader.accept("("):
            variable = self._variable_name(reader.expect("name"))
            reader.expect(")")
            return Symbol(variable, self._plus(), generic=True)
        if name.startswith("%"):
            reader.at -= 1
            reader.fail(f"{name} is not declared")
        return Symbol(self._variable_name(name), self._plus())

    def _component(self, register: Register) -> Register:
        part = self.reader.next()
        kinds = _COMPONENT if register.part or register.special else _SELECTOR
        if not kinds.fullmatch(part.text):
            self.reader.fail(f"{register.name} has no part .{part.text}", part)
        return dataclasses.replace(register, part=f".{part.text}")

    def _plus(self) -> int:
        """`+ n` after a symbol, when what follows is a number."""
        reader = self.reader
        kind = reader.kinds[reader.at]
        if kind in ("+", "-") and reader.peek("number", ahead=1):
            reader.at += kind == "+"
            return reader.integer()
        return 0

    def _declared_register(self) -> Register:
        token = self.reader.expect_token("name")
        register = self._register(token.text)
        return register if register is not None else self.reader.fail(f"{token.text} is not declared", token)

    def _register(self, name: str) -> Register | None:
        for scope in reversed(self.scopes):
            found = scope.registers.get(name) or (scope.ranges and scope.find_register(name, self.function))
            if found:
                return found
        if name in SPECIAL_TYPES or _TRAILING.sub("", name) in ("%envreg", "%pm"):
            return Register(name, SPECIAL_TYPES.get(name, "b32"), special=True)
        return None

    def _variable_name(self, name: str) -> str:
        for scope in reversed(self.scopes):
            if name in scope.variables:
                return scope.variables[name]
        return name


# Predefined registers and their type (the vector ones by element). Source: PTX ISA 9.0 chapter 10.
SPECIAL_TYPES: dict[str, str] = {
    **dict.fromkeys(("%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid", "%nclusterid", "%cluster_ctaid",
                     "%cluster_nctaid", "%laneid", "%warpid", "%nwarpid", "%smid", "%nsmid", "%cluster_ctarank",
                     "%cluster_nctarank", "%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge",
                     "%lanemask_gt", "%clock", "%clock_hi", "%globaltimer_lo", "%globaltimer_hi",
                     "%total_smem_size", "%aggr_smem_size", "%dynamic_smem_size", "%reserved_smem_offset_begin",
                     "%reserved_smem_offset_end", "%reserved_smem_offset_cap"), "u32"),
    **dict.fromkeys(("%gridid", "%clock64", "%globaltimer", "%current_graph_exec"), "u64"),
    "%is_explicit_cluster": "pred",
}  # fmt: skip

assert set(SPECIAL_TYPES.values()) <= set(TYPES)
