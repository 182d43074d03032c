"""s_waitcnt for answers of our own model, which have none.

In: lines of fields with allocated registers. Out: the same lines with waits: before the first use of a loaded
register, before branches and labels while loads are under way, before everything that orders memory between threads,
and between a transcendental instruction and a reader close behind it. Source: AMD RDNA3 ISA, "Data dependency
resolution"; AMDGPUUsage, "Memory Model GFX11". The wait checker of the verifier (`verify/waits.py`) and its check of
hazards (`verify/hazards.py`) judge the outcome like any other answer's.
"""

from __future__ import annotations

from collections.abc import Sequence

from cass_shim.isa.rdna3.transcendental import TRANSCENDENTALS_BETWEEN, VECTORS_BETWEEN, WAIT, is_transcendental
from cass_shim.translate.cass.fields import Line, number
from cass_shim.translate.cass.registers import Register, places

_VECTOR, _SCALAR = "vmcnt", "lgkmcnt"
_STORES = ["s_waitcnt_vscnt", "null", ",", "#0"]
_ORDERING = ("s_barrier", "buffer_gl", "buffer_wb", "s_dcache")


def _counters(line: Line) -> tuple[str, ...]:
    """The counters that tell when the results of a line are back."""
    name = line[0]
    if name.startswith("s_load"):
        return (_SCALAR,)
    if name.startswith("ds_"):
        return (_SCALAR,)
    if name.startswith("flat_"):
        return (_VECTOR, _SCALAR)
    return (_VECTOR,) if name.startswith(("global_", "scratch_", "buffer_", "image_")) else ()


def _wait(counters: set[str]) -> Line:
    line = ["s_waitcnt"]
    for counter in sorted(counters, reverse=True):
        line += [counter, "(", "#0", ")"]
    return line


class _Block:
    """What is under way. Loads without a result of their own (plain stores) count only where memory is ordered."""

    def __init__(self, any_stores: bool) -> None:
        self.pending: dict[Register, set[str]] = {}
        self.active: set[str] = set()
        self.any_stores = any_stores
        self.stores = False
        self.slow: dict[Register, tuple[int, int]] = {}  # results of transcendental instructions → how long ago
        self.lines: list[Line] = []

    def wait(self, counters: set[str]) -> None:
        if counters:
            self.lines.append(_wait(counters))
            self.pending = {one: rest for one, of in self.pending.items() if (rest := of - counters)}
            self.active -= counters

    def everything(self) -> None:
        """Before what other threads must see."""
        self.wait(set(self.active))
        if self.stores:
            self.lines.append(list(_STORES))
            self.stores = False

    def _settle(self, line: Line, touched: set[Register], written: set[Register]) -> None:
        """What follows a transcendental instruction too closely to read its result waits for it, and so do branches."""
        vector = line[0].startswith("v_")
        if self.slow.keys() & touched if vector else self.slow and line[0].startswith(("L", "s_cbranch", "s_branch")):
            self.lines.append(["s_waitcnt_depctr", *number(WAIT)])
            self.slow = {}
        if vector:
            slow = is_transcendental(line[0])
            aged = {one: (vectors + 1, others + slow) for one, (vectors, others) in self.slow.items()}
            self.slow = {
                one: age for one, age in aged.items() if age[0] <= VECTORS_BETWEEN and age[1] <= TRANSCENDENTALS_BETWEEN
            }
            self.slow |= {one: (0, 0) for one in written if slow}

    def add(self, line: Line) -> None:
        found = places(line)
        touched = {one for place in found for one in place.registers()}
        self._settle(line, touched, {one for place in found if place.written for one in place.registers()})
        self.wait({counter for one in touched & self.pending.keys() for counter in self.pending[one]})
        if line[0].startswith(_ORDERING) or "_atomic_" in line[0]:
            self.everything()
        elif line[0] == "L" or line[0].startswith(("s_cbranch", "s_branch", "s_setpc")):
            self.wait(set(self.active))
            self.stores = self.any_stores  # of a path that comes from elsewhere
        self.lines.append(line)
        counters = _counters(line)
        if not counters:
            return
        for one in (one for place in found if place.written for one in place.registers()):
            self.pending[one] = set(counters)
        stores = "_store_" in line[0] or ("_atomic_" in line[0] and "glc" not in line)
        if stores and not line[0].startswith("ds_"):
            self.stores = True
            self.active |= {_SCALAR} & set(counters)
        else:
            self.active |= set(counters)


def with_waits(lines: Sequence[Line]) -> list[Line]:
    """The lines with every wait they need. Never fails on lines that `registers.allocate` accepts."""
    block = _Block(any("_store_" in line[0] or "_atomic_" in line[0] for line in lines if line))
    for line in lines:
        if line:
            block.add(list(line))
    return block.lines
