"""What is not control flow itself but ends or calls. Branches are read from the graph, not from here.

Source: PTX ISA 9.0 §9.7.12 and §9.7.19.
"""

from __future__ import annotations

from cass_shim.isa.ptx.spec import Use, Writer, ptx
from cass_shim.isa.ptx.syntax import Integer

# Read by the translator's graph; listed here so that the table names every instruction.
BRANCHES = ("bra", "brx", "ret", "exit")


@ptx("bra.{uni}?", "brx.idx.{uni}?", "ret.{uni}?", "exit")
def branch(w: Writer, i: Use) -> None:
    """Ends a block of the graph; never written through a meaning."""
    raise AssertionError(f"{i.instruction.form} outside of the graph")


@ptx("call.{uni}?")
def call(w: Writer, i: Use) -> None:
    """A direct call, a call through a register (one of the module's functions), or a runtime function."""
    w.call(i)


@ptx("trap", "brkpt")
def trap(w: Writer, i: Use) -> None:
    """Abort the grid. So does a breakpoint where no debugger is (error 719 on an H200)."""
    i.take(0)
    w.line("__builtin_trap()")


@ptx("pmevent.{mask}?", "nanosleep.{t:u32}", "setmaxnreg.{inc|dec}.sync.aligned.{t:u32}")
def no_effect(w: Writer, i: Use) -> None:
    """Profiler and scheduler hints; they change no result. nanosleep lets other waves run."""
    if i.instruction.opcode in ("pmevent", "setmaxnreg"):
        for operand in i.take(1):
            if not isinstance(operand, Integer):
                raise i.unsupported("expected a constant")
            if i.instruction.opcode == "pmevent" and not 0 <= operand.value <= (0xFFFF if i["mask"] else 15):
                raise i.unsupported(f"{operand.value}, which is no performance monitor event")
    if i.instruction.opcode == "nanosleep":
        w.get(i.take(1)[0], "u32")
        w.line("__builtin_amdgcn_s_sleep(1)")


@ptx("griddepcontrol.{what:launch_dependents|wait}")
def griddepcontrol(w: Writer, i: Use) -> None:
    """Dependent launches do not overlap here, so everything before them is already complete and visible."""
    i.take(0)
