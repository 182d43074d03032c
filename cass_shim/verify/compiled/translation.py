"""The compiled code of one kernel, shared by its runs, and when making it pays.

In: a prepared program and what of it has run. Out: units by index. Compiling an instruction costs as much as six steps
in numpy, and a kernel is tried on a dozen inputs and more, so that it pays after the first run or two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cass_shim.verify.compiled.library import UnitRow, compile_units, library
from cass_shim.verify.compiled.unit import Unit
from cass_shim.verify.compiled.units import Units
from cass_shim.verify.program import Program

LEAST_STEPS = 100  # in numpy, before a kernel is compiled
WHOLE = 256  # instructions of a program that is compiled at once; of a longer one what has run, as most never does


class Translation:
    """units: what starts at an index, and its function's address (None for what machine.c does by itself). table: the
    same as machine.c takes it. rows: of the registers that they use."""

    misses = 40  # instructions run in numpy that might be compiled, before more is

    def __init__(self) -> None:
        self.units: dict[int, tuple[Unit, int | None]] = {}
        self.table: Any = None
        self.rows: set[int] = set()
        self.specials: dict[str, int] = {}
        self.steps = 0  # that earlier runs took in numpy
        self._engines: list[Any] = []
        self._maker: Units | None = None
        self._tried: set[int] = set()
        self._misses = 0
        self._key: object = None
        self._wanted: set[int] = set()
        self._known = np.zeros(0, bool)  # instructions that have run, one by one

    def pays(self, steps: int) -> bool:
        """Whether it is time to compile, after so many steps of the current run."""
        return bool(self.units) or (self.steps + steps >= LEAST_STEPS and library() is not None)

    def spent(self, steps: int, compiled: bool) -> None:
        """A run has ended."""
        if not compiled:
            self.steps += steps

    def begin(self, program: Program, banks: Mapping[int, Any], specials: Mapping[str, Any], nearest: bool) -> None:
        """Another run of the kernel. Code is kept where addresses that are written into it are the same."""
        sizes = {bank: len(content) for bank, content in banks.items()}
        key = (tuple(step.instruction for step in program.steps if step.instruction.relocation), nearest,
               tuple(sorted(sizes.items())))  # fmt: skip
        if key != self._key:
            self.units, self._tried, self._key = {}, set(), key
            self.rows, self.table = set(), (UnitRow * len(program.steps))()
            self.specials = {name: row for row, name in enumerate(specials)}
            self._maker = Units(program, sizes, self.specials, nearest)

    def extend(self, executed: Any) -> None:
        """Compile what starts where something has run, in this run or an earlier one."""
        assert self._maker is not None
        self._known = executed | self._known if len(self._known) else executed.copy()
        fresh: dict[int, Unit] = {}
        wanted = self._maker.starts
        if len(self._known) > WHOLE:
            wanted = wanted & ({int(n) for n in np.flatnonzero(self._known)} | self._wanted)
        self._wanted = set()
        for start in sorted(wanted - self._tried):
            self._tried.add(start)
            fresh.update(self._maker.at(start))
        if not fresh:
            return
        engine, addresses = compile_units(fresh)
        self._engines.append(engine)
        for index, unit in fresh.items():
            address = addresses.get(index)
            self.units[index] = (unit, address)
            self.rows |= unit.rows
            self.table[index] = UnitRow(
                address, unit.kind, unit.length, unit.guard, unit.negated, unit.number, unit.mask
            )

    def missed(self, index: int) -> bool:
        """Note that numpy ran an instruction; True when that made more code."""
        assert self._maker is not None
        if index in self._maker.starts and index not in self._tried:
            self._wanted.add(index)
        self._misses += index not in self.units
        if self._misses < self.misses or not self._wanted:
            return False
        self._misses = 0
        self.extend(np.zeros_like(self._known))
        return True
