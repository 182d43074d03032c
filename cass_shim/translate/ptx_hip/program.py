"""One kernel with everything it reaches, as one HIP C++ text.

In: a parsed module and a kernel's name. Out: `HipSource` with its binding slots. The kernel comes last, after the
device functions it calls, the prelude pieces all of them use, and the shared variables.
"""

from __future__ import annotations

from collections.abc import Mapping

from cass_shim.isa.ptx.prelude import HEADER, select, words_of
from cass_shim.isa.ptx.spec import Use
from cass_shim.isa.ptx.syntax import (
    Arguments,
    Function,
    Instruction,
    Module,
    Operand,
    Prototype,
    Register,
    Symbol,
    Variable,
)
from cass_shim.isa.ptx.types import TYPES
from cass_shim.model.artifacts import HipSource
from cass_shim.model.errors import Malformed, Unsupported
from cass_shim.model.kernel_abi import KernelAbi, Slot, SlotKind
from cass_shim.translate.ptx_hip.calls import runtime_call
from cass_shim.translate.ptx_hip.data import referenced
from cass_shim.translate.ptx_hip.flatten import flattened
from cass_shim.translate.ptx_hip.function import write_function
from cass_shim.translate.ptx_hip.layout import align_of, parameter_block, size_of, static_shared
from cass_shim.translate.ptx_hip.names import Names, readable
from cass_shim.translate.ptx_hip.reach import called_prototype, callees, indirect_targets, recursive
from cass_shim.translate.ptx_hip.writer import FunctionWriter

# The meaning rests on these: wrapping integers, no contraction but the one written, saturating float casts.
NEEDS = (
    "// Compile as HIP (C++20) for gfx1100 with -fwrapv -fwrapv-pointer -ffp-contract=off -fno-strict-aliasing",
    "// -fno-strict-float-cast-overflow; kernarg: the CUDA parameter block, then the address of the binding table.",
)
_WIDTH = 110  # of a kernel's head
_NO_NAMES: Mapping[str, tuple[str, ...]] = {}
_LDS_BYTES = 64 << 10  # per work-group; AMD RDNA3 ISA manual §2.2


class Program:
    """Shared state of the functions of one translation unit."""

    def __init__(
        self,
        module: Module,
        kernel: Function,
        tokens: Mapping[str, int],
        line_references: bool = False,
        source_names: Mapping[str, tuple[str, ...]] = _NO_NAMES,
    ) -> None:
        """source_names: what the source called each function's parameters (`debug_names`)."""
        self.module, self.kernel, self.tokens = module, kernel, tokens
        self.line_references, self.source_names = line_references, source_names
        self.names = Names()
        self.writing = False
        self.touched = 0  # how often something that functions share was asked for
        self.slots: list[Slot] = []
        self.shared: dict[str, str] = {}
        self.shared_total = 0
        self.zeroed: list[tuple[str, int]] = []
        self.signatures: dict[str, str] = {}

    # -- the binding table -------------------------------------------------------------------------------------

    def _slot(self, slot: Slot) -> int:
        self.touched += 1
        if slot not in self.slots:
            self.slots.append(slot)
        return self.slots.index(slot)

    def slot_of_symbol(self, name: str) -> int:
        return self._slot(Slot(SlotKind.SYMBOL, name))

    def slot_of_kind(self, kind: str) -> int:
        return self._slot(Slot(SlotKind[kind]))

    # -- shared memory -----------------------------------------------------------------------------------------

    def shared_variable(self, function: Function, variable: Variable) -> str:
        """The C++ name of a .shared variable; declares it on first use."""
        self.touched += 1
        inside = variable.name in function.variables
        key = f"shared {function.name if inside else ''} {variable.name}"
        wanted = variable.name.removeprefix(f"{function.name}_") if inside else variable.name
        name = self.names.of(key, readable(wanted))
        if name not in self.shared:
            size = size_of(variable)
            extern = variable.linkage == "extern" or size == 0
            extent = "" if extern else str(size)
            attributes = f"__attribute__((shared, aligned({max(align_of(variable), 16 if extern else 1)})))"
            self.shared[name] = f"{'extern' if extern else 'static'} {attributes} u8 {name}[{extent}];"
            self._count_shared(size)
        return name

    def own_shared(self, name: str, size: int) -> str:
        """A zeroed block of shared memory for the translation's own use."""
        self.touched += 1
        given = self.names.of(f"own {name}", name)
        if given not in self.shared:
            self.shared[given] = f"static __attribute__((shared, aligned(8))) u8 {given}[{size}];"
            self.zeroed.append((given, size))
            self._count_shared(size)
        return given

    def _count_shared(self, size: int) -> None:
        self.shared_total += size
        if self.shared_total > _LDS_BYTES:
            raise Unsupported(
                "shared memory",
                kernel=self.kernel.name,
                why=f"{self.shared_total} bytes of static shared memory, a work-group has {_LDS_BYTES}: build the "
                "program with smaller tiles",
            )

    def static_shared(self) -> int:
        """Bytes of shared memory that the program's own variables take, without what a launch gives."""
        reached = callees(self.module, self.kernel.name, self.resolve)
        if any(variable.space == "shared" for function in reached for variable in function.variables.values()):
            raise Unsupported("%total_smem_size", kernel=self.kernel.name, why="shared variables of a function")
        used = set().union(*(referenced(self.module, function.name) for function in (self.kernel, *reached)))
        shared = [variable for variable in self.module.variables.values() if variable.space == "shared"]
        own = [variable for variable in self.kernel.variables.values() if variable.space == "shared"]
        named = [variable for variable in shared if variable.name in used and variable.linkage != "extern"]
        return static_shared([*own, *named], [variable for variable in shared if size_of(variable) == 0])

    # -- functions ---------------------------------------------------------------------------------------------

    def resolve(self, name: str) -> str:
        """Follow .alias."""
        seen = set()
        while name in self.module.aliases and name not in seen:
            seen.add(name)
            name = self.module.aliases[name]
        return name

    def function_name(self, function: Function) -> str:
        wanted = function.name if function.entry else readable(function.name)
        return self.names.of(f"function {function.name}", wanted)

    def function_token(self, writer: FunctionWriter, name: str) -> str:
        """The value of a function's address: its token."""
        resolved = self.resolve(name)
        if resolved in self.tokens:
            return f"{self.tokens[resolved]:#x}ul"
        if resolved in self.module.functions:
            raise Unsupported(
                f"address of function {name}", kernel=self.kernel.name, why="the SASS does not tell its value"
            )
        raise writer.malformed(f"{name} is not declared")

    def write_call(self, writer: FunctionWriter, use: Use) -> None:
        """call [(results),] target [, (arguments)] [, prototype]."""
        operands = list(use.operands)
        results = _items(operands.pop(0)) if operands and isinstance(operands[0], Arguments) else ()
        if not operands:
            raise writer.malformed("a call without a target")
        target = operands.pop(0)
        if not operands and not isinstance(use.operands[-1], Arguments):
            arguments: tuple[Operand, ...] = ()
        else:
            arguments = _items(operands.pop(0)) if operands and isinstance(operands[0], Arguments) else ()
        if isinstance(target, Symbol):
            self._direct(writer, use, self.resolve(target.name), results, arguments)
            return
        if not isinstance(target, Register) or not operands or not isinstance(operands[0], Symbol):
            raise writer.malformed("an indirect call needs a register and a prototype")
        self._indirect(writer, use.instruction, target, results, arguments)

    def _direct(
        self, writer: FunctionWriter, use: Use, name: str, results: tuple[Operand, ...], arguments: tuple[Operand, ...]
    ) -> None:
        callee = self.module.functions.get(name)
        if callee is None:
            raise writer.malformed(f"{name} is not declared")
        values = self._arguments(writer, callee.signature, arguments)
        if callee.body is None:
            text = runtime_call(self, writer, name, values)
            if text is None:
                raise Unsupported(f"call {name}", why=f"{use.instruction.place}: the function has no body here")
        else:
            text = f"{self.function_name(callee)}({', '.join(['bindings', *values])})"
        self._assign(writer, callee.signature, results, text)

    def _indirect(
        self,
        writer: FunctionWriter,
        call: Instruction,
        target: Register,
        results: tuple[Operand, ...],
        arguments: tuple[Operand, ...],
    ) -> None:
        """A switch over the functions that it can reach; any other value aborts, as a wild call would."""
        prototype = called_prototype(self.module, writer.function, call)
        if prototype is None:
            raise writer.malformed("the call's prototype is not declared")
        values = self._arguments(writer, prototype, arguments)
        address = writer.get(target, "u64")
        branches = []
        for function in indirect_targets(self.module, writer.function, call):
            token = self.function_token(writer, function.name)
            text = f"{self.function_name(function)}({', '.join(['bindings', *values])})"
            kept, writer.lines = writer.lines, []
            self._assign(writer, prototype, results, text)
            branches.append(f"if ({address} == {token}) {{ {' '.join(writer.lines)} }}")
            writer.lines = kept
        writer.lines.extend(f"else {branch}" if index else branch for index, branch in enumerate(branches))
        writer.lines.append("else __builtin_trap();" if branches else "__builtin_trap();")

    def _arguments(self, writer: FunctionWriter, signature: Prototype, arguments: tuple[Operand, ...]) -> list[str]:
        if len(arguments) != len(signature.parameters):
            raise writer.malformed(f"{len(arguments)} arguments for {len(signature.parameters)} parameters")
        values = []
        for operand, formal in zip(arguments, signature.parameters, strict=True):
            if isinstance(operand, Symbol) and operand.name in writer.function.variables:
                values.append(writer.parameter(writer.function.variables[operand.name]))
            else:
                values.append(writer.get(operand, formal.type))
        return values

    def _assign(self, writer: FunctionWriter, signature: Prototype, results: tuple[Operand, ...], text: str) -> None:
        if not results:
            writer.line(text)
            return
        if len(results) > 1 or len(signature.results) != len(results):
            raise writer.malformed(f"{len(results)} results of a function that has {len(signature.results)}")
        if isinstance(results[0], Symbol) and results[0].name in writer.function.variables:
            writer.line(f"{writer.parameter(writer.function.variables[results[0].name])} = {text}")
        else:
            writer.set(results[0], signature.results[0].type, text)


def _items(operand: Operand) -> tuple[Operand, ...]:
    assert isinstance(operand, Arguments)
    return operand.items


def value_type(variable: Variable) -> str:
    """The C++ type of a .param variable that is passed by value."""
    if variable.array or variable.vector > 1:
        return f"Block<{max(size_of(variable), 1)}, {align_of(variable)}>"
    return TYPES[variable.type].c


def _check_block(kernel: Function, abi: KernelAbi) -> None:
    """Each parameter is an argument of its own: clang lays them out as CUDA does, the binding pointer behind them."""
    _, size = parameter_block(kernel)
    if abi.params_bytes != size:
        raise Malformed(f"PTX says {size} bytes of parameters, the kernel takes {abi.params_bytes}", where=kernel.name)


def _prototype(program: Program, function: Function, writer: FunctionWriter) -> str:
    """The head of a device function."""
    results = function.signature.results
    if len(results) > 1:
        raise Unsupported("several results", kernel=function.name)
    result = value_type(results[0]) if results else "void"
    parameters = ["void *const *bindings", *_formals(function, writer)]
    inline = "noinline" if recursive(program.module, function.name) else "always_inline"
    return (
        f"static __attribute__((device, {inline})) {result} {program.function_name(function)}({', '.join(parameters)})"
    )


def _formals(function: Function, writer: FunctionWriter) -> list[str]:
    return [f"{value_type(each)} {writer.parameter(each)}" for each in function.signature.parameters]


def _kernel_head(kernel: Function, name: str, writer: FunctionWriter) -> str:
    """The kernel's head; one whose name C++ or the prelude uses gets it as the symbol only."""
    threads = kernel.tuning.get("reqntid") or kernel.tuning.get("maxntid") or ()
    total = 1
    for extent in threads:
        total *= extent
    bound = f", amdgpu_flat_work_group_size(1, {total})" if threads and 1 <= total <= 1024 else ""
    formals = [*_formals(kernel, writer), "void *const *bindings"]
    head = f'extern "C" __attribute__((global{bound})) void {name}('
    one_line = len(head) + sum(len(each) + 2 for each in formals) <= _WIDTH
    head += f"{', '.join(formals)})" if one_line else "\n    " + ",\n    ".join(formals) + ")"
    return head if name == kernel.name else f'{head} __asm__("{kernel.name}");\n{head}'


def write_program(
    module: Module,
    name: str,
    abi: KernelAbi,
    tokens: Mapping[str, int],
    line_references: bool = False,
    source_names: Mapping[str, tuple[str, ...]] = _NO_NAMES,
) -> HipSource:
    """The HIP source of kernel `name`. Raises Unsupported or Malformed."""
    program, own = write_own(module, name, abi, tokens, line_references, source_names)
    version = ".".join(str(part) for part in module.version)
    title = f"// {name}: from PTX {version} for {', '.join(module.target)}. Freestanding HIP for gfx1100, wave32."
    text = "\n".join([title, *NEEDS, HEADER, select(words_of(own)), "", own])
    return HipSource(text, name, tuple(program.slots))


def write_own(
    module: Module,
    name: str,
    abi: KernelAbi,
    tokens: Mapping[str, int],
    line_references: bool = False,
    source_names: Mapping[str, tuple[str, ...]] = _NO_NAMES,
) -> tuple[Program, str]:
    """The kernel and what it reaches, without the prelude: several of them can share one compilation."""
    kernel = module.functions.get(name)
    if kernel is None or not kernel.entry or kernel.body is None:
        raise Malformed(f"the module has no kernel {name}", where="PTX")
    _check_block(kernel, abi)
    program = Program(module, kernel, tokens, line_references, source_names)
    program.names.of(f"function {name}", name)
    module = program.module = flattened(module, kernel, program.resolve)
    kernel = program.kernel = module.functions[name]
    needed = callees(module, name, program.resolve)
    bodies, forward = [], []
    for function in needed:
        writer, lines = write_function(program, function)
        head = _prototype(program, function, writer)
        forward.append(f"{head};")
        bodies.append("\n".join([f"{head} {{", *lines, "}", ""]))
    writer, lines = write_function(program, kernel)
    zeroing = _zero_shared(program)
    head = _kernel_head(kernel, program.function_name(kernel), writer)
    main = "\n".join([f"{head} {{", *zeroing, *lines, "}", ""])
    shared = [*program.shared.values(), ""] if program.shared else []
    return program, "\n".join([*shared, *forward, *([""] if forward else []), *bodies, main])


def _zero_shared(program: Program) -> list[str]:
    if not program.zeroed:
        return []
    lines = [
        f"    for (u32 at = 0; at < {size // 4}; at++) ((SHARED u32 *){name})[at] = 0;" for name, size in program.zeroed
    ]
    return [*lines, "    ptx_barrier();"]
