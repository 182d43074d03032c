"""Writes the statements of one function: operands, registers, memory addresses, parameters.

It runs twice over the same instructions. The first run only counts how each register is used (`votes`, known already
for an instruction like one before), the second writes, with registers declared as the type that most of their uses
want.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cass_shim.isa.ptx.spec import Use, find, items_of, memory
from cass_shim.isa.ptx.special import SPECIAL
from cass_shim.isa.ptx.syntax import (
    Address,
    Float,
    Function,
    Instruction,
    Integer,
    Not,
    Operand,
    Register,
    Sink,
    Symbol,
    Variable,
)
from cass_shim.isa.ptx.types import REFERENCES, TYPES, bits_of, bytes_of
from cass_shim.model.errors import Unsupported
from cass_shim.translate.ptx_hip.agreement import misfit
from cass_shim.translate.ptx_hip.conversions import FLOATS, converted, widened
from cass_shim.translate.ptx_hip.layout import size_of
from cass_shim.translate.ptx_hip.literals import literal
from cass_shim.translate.ptx_hip.registers import Registers
from cass_shim.translate.ptx_hip.votes import keep, known, shape

if TYPE_CHECKING:
    from cass_shim.translate.ptx_hip.program import Program

_SPACES = {"global", "const", "shared", "local"}
_DECLARES = re.compile(r"(?:auto|bool|[uif]\d+|const \w+) \w+(?: =|;)")


_SYNCED = ("shfl", "vote")


class FunctionWriter(Registers):
    """Implements `isa.ptx.spec.Writer` for one function of a program."""

    def __init__(self, program: Program, function: Function) -> None:
        super().__init__(program, function)
        given = program.source_names.get(function.name, ())
        formals = function.signature.parameters
        self.formal = {each.name: _short(each.name, function.name) for each in formals}
        if len(given) == len(formals):
            self.formal = {each.name: name for each, name in zip(formals, given, strict=True)}
        self.lines: list[str] = []
        self.symbols: dict[str, str] = {}

    # -- operands ----------------------------------------------------------------------------------------------

    def get(self, operand: Operand, type_name: str) -> str:
        self.agree(operand, type_name)
        if isinstance(operand, Register):
            return self._read(operand, type_name)
        if isinstance(operand, (Integer, Float)):
            return literal(operand, type_name)
        if isinstance(operand, Not):
            return f"!{self.get(operand.operand, type_name)}"
        if isinstance(operand, Symbol):
            address = self.address(operand, self.space_of(operand))
            variable = self._variable(operand.name)
            if variable is not None and variable.type in REFERENCES:
                return f"*(const GLOBAL u64 *){address}"  # the handle that its word holds
            return address if bits_of(type_name) >= 32 else f"({TYPES[type_name].c})({address})"
        raise self.malformed(f"a {type(operand).__name__.lower()} where a value is expected")

    def whole(self, operand: Operand, type_name: str) -> str:
        bits = bits_of(type_name)
        self.agree(operand, type_name)
        if isinstance(operand, Integer) and -0x8000 <= operand.value < 0 and bits >= 32:
            return literal(operand, f"s{bits}")
        if isinstance(operand, Register) and not operand.special and operand.type == "pred":
            raise self.malformed(f"{operand.name} is a predicate")
        if isinstance(operand, Register) and not operand.special and bits_of(operand.type) == bits:
            name, held = self._held(operand)
            self._vote(operand, f"b{bits}")
            return f"as<u{bits}>({name})" if held in FLOATS else name
        return self.get(operand, f"{'b' if isinstance(operand, Float) else 'u'}{bits}")

    def agree(self, operand: Operand, type_name: str) -> None:
        if self.program.writing:
            return  # the first run has asked
        wrong = misfit(operand, type_name, self.current)
        if wrong:
            raise self.malformed(wrong)

    def set(self, operand: Operand, type_name: str, expression: str) -> None:
        self.agree(operand, type_name)
        if isinstance(operand, Sink):
            if "(" in expression:  # the call may have an effect
                self.line(f"(void)({expression})")
            return
        if not isinstance(operand, Register) or operand.special:
            raise self.malformed("the destination is not a register")
        self._vote(operand, type_name)
        name, held = self._held(operand)
        row = TYPES[type_name]
        if operand.type == "pred" or type_name == "pred":
            if operand.type != type_name:
                raise self.malformed(f"{operand.name} is .{operand.type}, expected .{type_name}")
            self.line(f"{name} = {expression}")
        elif bits_of(operand.type) < row.bits:
            raise self.malformed(f"{operand.name} is narrower than .{type_name}")
        elif bits_of(operand.type) > row.bits:
            self.line(f"{name} = {widened(expression, row.c, held, bits_of(operand.type))}")
        else:
            self.line(f"{name} = {converted(expression, row.c, held)}")

    def _read(self, register: Register, type_name: str) -> str:
        row = TYPES[type_name]
        if register.special:
            return self._read_special(register, type_name)
        self._vote(register, type_name)
        name, held = self._held(register)
        if (register.type == "pred") != (type_name == "pred"):
            raise self.malformed(f"{register.name} is .{register.type}, expected .{type_name}")
        if held == row.c:
            return name
        bits = bits_of(register.type)
        if bits < row.bits:
            raise self.malformed(f"{register.name} is narrower than .{type_name}")
        if bits > row.bits:
            name = f"as<u{bits}>({name})" if held in FLOATS else name
            narrow = f"({'u' + str(row.bits) if row.c in FLOATS else row.c}){name}"
            return f"as<{row.c}>({narrow})" if row.c in FLOATS else narrow
        if held in FLOATS or row.c in FLOATS:
            return f"as<{row.c}>({name})"
        return f"({row.c}){name}"

    def _read_special(self, register: Register, type_name: str) -> str:
        text = SPECIAL.get(register.name + register.part)
        if register.name in ("%envreg1", "%envreg2"):  # the halves of the cooperative launch's workspace
            shift = " >> 32" if register.name == "%envreg1" else ""
            text = f"(u32)({self.slot('GRID_SYNC')}{shift})"
        if register.name == "%total_smem_size":
            text = f"ptx_total_shared({self.program.static_shared()})"
        if text is None:
            place = self.current.place if self.current else ""
            raise Unsupported(register.name + register.part, why=f"{place}: no such register on this device")
        row = TYPES[type_name]
        if row.bits > bits_of(register.type) and register.type != "pred":
            return f"({row.c}){text}"
        return text if row.c == TYPES[register.type].c else f"({row.c}){text}"

    # -- statements --------------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append(f"{text};")

    def fresh(self, hint: str) -> str:
        return self.names.fresh(hint)

    def count(self, instruction: Instruction) -> None:
        """The votes of one instruction. It is written to see them, unless one of its shape has been."""
        key, registers = shape(instruction, self._variable)
        found = known.get(key)
        if found is not None:
            for number, part, kind in found:
                self._count(registers[number] + part, kind)
            return
        self.cast, touched = [], self.program.touched
        self.statement(instruction)
        if key is not None and touched == self.program.touched:
            keep(key, registers, self.cast)

    def statement(self, instruction: Instruction) -> list[str]:
        """The C++ of one instruction that does not end a block."""
        self.current = instruction
        row, use = find(instruction)
        if row.opcode in _SYNCED and "sync" not in instruction.modifiers:
            self._before_sync(instruction)
        self.lines = []
        row.meaning(self, use)
        lines, self.lines = self.lines, []
        if not self.uses_carry and any("carry" in line for line in lines):
            self.uses_carry = True
        scoped = len(lines) > 1 and any(_DECLARES.match(line) for line in lines)
        if instruction.guard is None:
            return ["{", *(f"    {line}" for line in lines), "}"] if scoped else lines
        if not lines:
            return []
        condition = self.guard(instruction)
        if len(lines) == 1 and not scoped:
            return [f"if ({condition}) {lines[0]}"]
        return [f"if ({condition}) {{", *(f"    {line}" for line in lines), "}"]

    def _before_sync(self, instruction: Instruction) -> None:
        """Malformed where ptxas does not take it: PTX ISA 9.0 §9.7.9.5 and §9.7.13.8."""
        module = self.program.module
        generation = re.match(r"sm_(\d+)", module.target[0] if module.target else "")
        if module.version >= (6, 4) and generation is not None and int(generation[1]) >= 70:
            raise self.malformed(f"{instruction.opcode} without .sync on sm_70 and later, from PTX 6.4 on")

    def guard(self, instruction: Instruction) -> str:
        assert instruction.guard is not None
        register, negated = instruction.guard
        return f"{'!' if negated else ''}{self._read(register, 'pred')}"

    # -- memory ------------------------------------------------------------------------------------------------

    def space_of(self, operand: Operand) -> str:
        if isinstance(operand, Address):
            operand = operand.base
        if not isinstance(operand, Symbol) or operand.generic:
            return ""
        variable = self._variable(operand.name)
        if variable is None:
            return ""
        return "" if variable.space == "param" else variable.space

    def _variable(self, name: str) -> Variable | None:
        return self.function.variables.get(name) or self.program.module.variables.get(name)

    def address(self, operand: Operand, space: str) -> str:
        base, offset = self.place(operand, space)
        return f"{base} {'+' if offset > 0 else '-'} {abs(offset)}" if offset else base

    def place(self, operand: Operand, space: str) -> tuple[str, int]:
        narrow = space in ("shared", "local")
        offset = 0
        if isinstance(operand, Address):
            if operand.extra:
                raise self.malformed("an address with coordinates")
            offset = operand.offset
            operand = operand.base
        if isinstance(operand, Symbol):
            base, offset = self._symbol_address(operand, space), offset + operand.offset
        elif isinstance(operand, Integer):
            return literal(Integer(operand.value + offset), "u32" if narrow else "u64"), 0
        elif isinstance(operand, Register):
            base = self._address_register(operand, narrow)
        else:
            raise self.malformed("expected an address")
        return base, offset

    def _address_register(self, register: Register, narrow: bool) -> str:
        if bits_of(register.type) == 32 and narrow:
            return self._read(register, "u32")
        if bits_of(register.type) != 64 or TYPES[register.type].kind not in "bus":
            raise self.malformed(f"{register.name} is .{register.type}, expected an address")
        text = self._read(register, "u64")
        return f"(u32){text}" if narrow else text

    def _symbol_address(self, symbol: Symbol, space: str) -> str:
        """The address of a variable in `space`, or generic when that is "" or the variable is elsewhere."""
        variable = self._variable(symbol.name)
        if variable is None:
            return self.program.function_token(self, symbol.name)
        if space and variable.space in _SPACES and space != variable.space and not symbol.generic:
            raise self.malformed(f"{symbol.name} is in {variable.space} memory, not in {space}")
        if variable.space in ("global", "const", "tex"):
            return self.module_symbol(variable.name)
        if variable.space == "param":
            return f"(u64)&{self.parameter(variable)}"
        here = self._block_symbol(variable)
        if space == variable.space:
            return f"(u32)({'SHARED' if space == 'shared' else 'LOCAL'} u8 *){here}"
        return f"(u64)(const void *){here}"

    def _block_symbol(self, variable: Variable) -> str:
        if variable.space == "shared":
            return self.program.shared_variable(self.function, variable)
        return self.names.of(f"local {variable.name}", variable.name)

    def module_symbol(self, name: str) -> str:
        """A local that holds the address of a module variable, read from the binding table on entry."""
        found = self.symbols.get(name)
        if found is None:
            found = self.symbols[name] = self.names.of(f"symbol {name}", name)
            self.program.slot_of_symbol(name)
        return found

    def constants(self) -> list[tuple[str, int]]:
        variables = [each for each in self.program.module.variables.values() if each.space == "const"]
        unknown = [each.name for each in variables if size_of(each) == 0]
        if unknown:
            raise Unsupported("isspacep", kernel=self.function.name, why=f"the size of {unknown[0]} is not known here")
        return [(self.module_symbol(each.name), size_of(each)) for each in variables]

    def shared_bytes(self, name: str, size: int) -> str:
        return f"(u32)(SHARED u8 *){self.program.own_shared(name, size)}"

    def slot(self, kind: str) -> str:
        return f"(u64)bindings[{self.program.slot_of_kind(kind)}]"

    # -- parameters --------------------------------------------------------------------------------------------

    def parameter(self, variable: Variable) -> str:
        """The C++ lvalue that holds a .param variable."""
        wanted = self.formal.get(variable.name) or _short(variable.name, self.function.name)
        return self.names.of(f"param {variable.name}", wanted)

    def parameter_types(self) -> dict[str, str]:
        """C++ type of each parameter of a kernel that is passed as it is: nothing writes to them."""
        formal = self.function.signature.parameters if self.function.entry else ()
        return {self.parameter(each): TYPES[each.type].c for each in formal if not each.array and each.vector == 1}

    def _parameter_part(self, address: Address, type_name: str, step: int) -> str:
        """An lvalue for `type_name` at the address plus `step` bytes."""
        c = TYPES[type_name].c
        base = address.base
        if isinstance(base, Register):
            return f"*({c} *)({self.address(Address(base, address.offset + step), '')})"
        if not isinstance(base, Symbol):
            raise self.malformed("expected a parameter")
        variable = self._variable(base.name)
        if variable is None or variable.space not in ("param", "reg"):
            raise self.malformed(f"{base.name} is not a parameter")
        offset = address.offset + step
        size = bytes_of(type_name)
        if not 0 <= offset <= size_of(variable) - size:
            raise self.malformed(f"{size} bytes at offset {offset} of {base.name}, which has {size_of(variable)}")
        name = self.parameter(variable)
        if not variable.array and variable.vector == 1 and offset == 0 and TYPES[variable.type].c == c:
            return name
        if variable.array or variable.vector > 1:
            return f"{name}.at<{c}>({offset})"
        return f"*({c} *)((u8 *)&{name} + {offset})" if offset else f"*({c} *)&{name}"

    def parameter_load(self, use: Use, types: Sequence[str]) -> None:
        d, a = use.operands[:2]
        address, step = memory(a, use), 0
        for item, type_name in zip(items_of(d, len(types), use), types, strict=True):
            self.set(item, type_name, self._parameter_part(address, type_name, step))
            step += bytes_of(type_name)

    def parameter_store(self, use: Use, types: Sequence[str]) -> None:
        a, b = use.operands[:2]
        address, step = memory(a, use), 0
        if isinstance(address.base, Symbol) and address.base.name in self.formal:
            raise self.malformed(f"a store to the parameter {address.base.name}")
        for item, type_name in zip(items_of(b, len(types), use), types, strict=True):
            self.line(f"{self._parameter_part(address, type_name, step)} = {self.get(item, type_name)}")
            step += bytes_of(type_name)

    def call(self, use: Use) -> None:
        self.program.write_call(self, use)


def _short(name: str, function: str) -> str:
    """`kernel_param_0` → `param_0`."""
    return name.removeprefix(f"{function}_")
