"""A kernel for each PTX form: loads its operands from the lane's input, executes it, stores what it gave.

A lane has 80 bytes of input (`inputs(probe.seed)`), a cell of 64 bytes that memory instructions work on (it starts as
the first 64 bytes of the input), and 32 bytes of result: 16 for the destination, then a predicate, then the carry.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from cass_shim.isa.ptx.types import bits_of
from tools.ptxforms.oracle import REGISTERS, VERSION, constant, declared, register
from tools.ptxforms.signatures import Form

LANES = 256
RESULT_BYTES, CELL_BYTES, INPUT_BYTES, PARAM_BYTES = 32, 64, 80, 64
KEPT_WORDS = (RESULT_BYTES + CELL_BYTES) // 4
# What makes a cache policy, and the register that it is in.
POLICY = ("createpolicy.fractional.L2::evict_last.b64 %b64_95, 1.0;", "%b64_95")

HEADER = f"""\
.version {VERSION}
.target sm_{{sm}}
.address_size 64
.const .align 16 .b8 table[{CELL_BYTES}] = {{{{{", ".join(str(37 * k % 256) for k in range(CELL_BYTES))}}}}};
"""

# What probes with need "call" call.
FUNCTIONS = """\
.func (.param .align 32 .b8 given[32]) echo(.param .align 32 .b8 taken[32]) {
  .reg .b64 %e<4>;
  ld.param.v2.b64 {%e0, %e1}, [taken]; ld.param.v2.b64 {%e2, %e3}, [taken+16];
  st.param.v2.b64 [given], {%e0, %e1}; st.param.v2.b64 [given+16], {%e2, %e3};
  ret;
}
.func (.reg .b32 %given) twice(.reg .b32 %taken) { add.u32 %given, %taken, %taken; ret.uni; }
.func (.reg .b32 %given) negated(.reg .b32 %taken) { neg.s32 %given, %taken; ret; }
.func (.reg .b32 %given) sum_to(.reg .b32 %taken) {
  .reg .b32 %less, %rest; .reg .pred %none;
  setp.eq.u32 %none, %taken, 0; mov.b32 %given, 0; @%none ret;
  sub.u32 %less, %taken, 1; call (%rest), sum_to, (%less); add.u32 %given, %rest, %taken;
  ret;
}
"""


@dataclass(frozen=True, slots=True)
class Probe:
    """One kernel. body: PTX between prologue and `ret`; needs: of "shared local call warpgroups" (those: sm_90a).

    like: the name whose inputs it has, if not its own: modifiers that must not change a result are recorded so.
    stands: what the GPU runs in the body's place, where it has no such instruction: what PTX's manual defines it by.
    """

    name: str
    body: tuple[str, ...]
    needs: frozenset[str] = frozenset()
    like: str = ""
    stands: tuple[str, ...] = ()

    @property
    def seed(self) -> str:
        """What its inputs follow from (`cass_shim.selftest.inputs`)."""
        return self.like or self.name

    @property
    def on_the_gpu(self) -> Probe:
        """As it is recorded."""
        return replace(self, body=self.stands, stands=()) if self.stands else self


def architecture(probes: Iterable[Probe], sm: str = "90") -> str:
    """What ptxas is to make of them."""
    return f"{sm}a" if any("warpgroups" in probe.needs for probe in probes) else sm


def kernel(number: int, probe: Probe) -> str:
    """The entry `pN`. The input is at %at_in, the result at %at_out, the cell at %at_cell, %at_shared, %at_local."""
    # setmaxnreg is ignored where the number of registers at the entry is not known
    limits = f" .maxntid {LANES} .minnctapersm 1" if "warpgroups" in probe.needs else ""
    lines = [
        f".visible .entry p{number}(.param .u64 p_in, .param .u64 p_out, .param .u64 p_cells,"
        f" .param .align 16 .b8 p_block[{PARAM_BYTES}]){limits} {{",
        "  " + " ".join(f".reg .{name} %{name}_<100>;" for name in REGISTERS),
        "  .reg .b64 %at_in, %at_out, %at_cell, %at_const, %at_generic; .reg .b32 %lane, %at_shared, %at_local, %copy;",
        "  ld.param.u64 %at_in, [p_in]; ld.param.u64 %at_out, [p_out]; ld.param.u64 %at_cell, [p_cells];",
        f"  mov.u32 %lane, %tid.x; mad.wide.u32 %at_in, %lane, {INPUT_BYTES}, %at_in;",
        f"  mad.wide.u32 %at_out, %lane, {RESULT_BYTES}, %at_out;",
        f"  mad.wide.u32 %at_cell, %lane, {CELL_BYTES}, %at_cell;",
    ]
    for space in ("shared", "local"):
        if space in probe.needs:
            lines += _own_cell(space)
    lines += [f"  {line}" for line in probe.body]
    for space in ("shared", "local"):
        if space in probe.needs:
            lines += _copies(f"ld.{space}.b32 %copy, [%at_{space}+{{0}}]; st.global.b32 [%at_cell+{{0}}], %copy;")
    return "\n".join([*lines, "  ret;", "}", ""])


def _copies(text: str) -> list[str]:
    return [f"  {text.format(4 * word)}" for word in range(CELL_BYTES // 4)]


def _own_cell(space: str) -> list[str]:
    count = LANES if space == "shared" else 1
    lines = [f"  .{space} .align 64 .b8 cells_{space}[{count * CELL_BYTES}];", f"  mov.u32 %at_{space}, cells_{space};"]
    if space == "shared":
        lines.append(f"  mad.lo.u32 %at_shared, %lane, {CELL_BYTES}, %at_shared;")
    return lines + _copies(f"ld.global.b32 %copy, [%at_cell+{{0}}]; st.{space}.b32 [%at_{space}+{{0}}], %copy;")


def module(probes: Iterable[Probe], sm: str = "90") -> str:
    """One PTX module, entry pN for probe N; what they call before them."""
    chosen = list(probes)
    called = FUNCTIONS if any("call" in probe.needs for probe in chosen) else ""
    kernels = "\n".join(kernel(number, probe) for number, probe in enumerate(chosen))
    return HEADER.format(sm=architecture(chosen, sm)) + called + kernels


def load(type_name: str, target: str, offset: int, base: str = "%at_in") -> list[str]:
    """PTX that reads a value of the input into a register."""
    if type_name == "pred":
        word = "%u32_99"
        return [f"ld.global.u32 {word}, [{base}+{offset}]; and.b32 {word}, {word}, 1; setp.ne.u32 {target}, {word}, 0;"]
    if bits_of(type_name) == 128:
        return [f"ld.global.v2.b64 {{%b64_98, %b64_99}}, [{base}+{offset}]; mov.b128 {target}, {{%b64_98, %b64_99}};"]
    access = type_name if type_name in ("u8", "s8", "b8") else f"b{bits_of(type_name)}"
    return [f"ld.global.{access} {target}, [{base}+{offset}];"]


def store(type_name: str, source: str, offset: int) -> list[str]:
    """PTX that writes a register into the result."""
    if type_name == "pred":
        return [f"selp.u32 %u32_99, 1, 0, {source}; st.global.u32 [%at_out+{offset}], %u32_99;"]
    if bits_of(type_name) == 128:
        return [f"mov.b128 {{%b64_98, %b64_99}}, {source}; st.global.v2.b64 [%at_out+{offset}], {{%b64_98, %b64_99}};"]
    return [f"st.global.b{max(bits_of(declared(type_name)), 16)} [%at_out+{offset}], {source};"]


def of_form(form: Form) -> Probe:
    """The probe of a form of the table."""
    before: list[str] = []
    after: list[str] = []
    operands: list[str] = []
    needs: set[str] = set()
    slot = place = 0
    for number, (shape, type_name, count, is_written) in enumerate(form.operands):
        names = [register(type_name, 8 * number + k) for k in range(count if shape == "V" else 1)]
        if shape == "A":
            operands.append(_address(form, needs))
            continue
        if shape == "I":
            operands.append(constant(form.name, number))
            continue
        if shape == "H":
            before.append(POLICY[0])
            operands.append(POLICY[1])
            continue
        for name in names:
            if is_written:
                width = max(bits_of(declared(type_name)) // 8, 2)
                place += -place % width
                after += store(type_name, name, 16 if type_name == "pred" else place)
                place += width
            else:
                slot += slot % 2 if type_name == "b128" else 0
                before += load(type_name, name, 8 * slot)
                slot += 2 if type_name == "b128" else 1
        if shape == "P":
            predicate = register("pred", 8 * number)
            after += store("pred", predicate, 16)
            names = [f"{names[0]}|{predicate}"]
        operands.append("{" + ", ".join(names) + "}" if shape == "V" and count > 1 else names[0])
    text = f"{form.name}{' ' if operands else ''}{', '.join(operands)};"
    first, last = carry(form.name)
    return Probe(form.name, (*before, *first, text, *last, *after), frozenset(needs))


def carry(name: str) -> tuple[Sequence[str], Sequence[str]]:
    """What sets the carry before, and what shows it after, as the form reads or writes it."""
    opcode, *modifiers = name.split(".")
    subtracts = opcode in ("sub", "subc")
    before, after = [], []
    if opcode in ("addc", "madc", "subc"):
        before = load("u32", "%u32_97", 72)
        before.append(f"{'sub' if subtracts else 'add'}.cc.u32 %u32_96, %u32_97, {'12' if subtracts else '-12'};")
    if "cc" in modifiers:
        after = [f"{'subc' if subtracts else 'addc'}.u32 %u32_96, 0, 0; st.global.u32 [%at_out+20], %u32_96;"]
    return before, after


def _address(form: Form, needs: set[str]) -> str:
    modifiers = form.name.split(".")
    if "param" in modifiers or "param::entry" in modifiers:
        return "[p_block+16]"
    space = form.space.split("::")[0]
    if space in ("shared", "local"):
        needs.add(space)
        return f"[%at_{space}]"
    return "[table+16]" if space == "const" else "[%at_cell]"


__all__ = ["LANES", "Probe", "architecture", "carry", "kernel", "load", "module", "of_form", "store"]
