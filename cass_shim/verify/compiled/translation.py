"""The compiled code of one kernel, shared by its runs, and when making it pays.

In: a prepared program and what of it has run. Out: units by index. A kernel is compiled once its runs have taken as
long in numpy as compiling what ran would: a kernel is tried on a dozen inputs and more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cass_shim.verify.compiled.library import compile_units, library
from cass_shim.verify.compiled.unit import Unit
from cass_shim.verify.compiled.units import Units
from cass_shim.verify.program import Program

STEP_SECONDS = 35e-6  # of numpy for one step of a block or two
COMPILE_SECONDS = 0.25e-3  # for one instruction
LEAST_STEPS = 300


class Translation:
    """units: what starts at an index, and its function's address (None for what machine.c does by itself)."""

    misses = 200  # instructions run in numpy that might be compiled, before more is

    def __init__(self) -> None:
        self.units: dict[int, tuple[Unit, int | None]] = {}
        self.specials: dict[str, int] = {}
        self.steps = 0  # that earlier runs took in numpy
        self.ran = 0  # instructions that have run
        self._engines: list[Any] = []
        self._maker: Units | None = None
        self._tried: set[int] = set()
        self._misses = 0
        self._key: object = None
        self._wanted: set[int] = set()

    def pays(self, steps: int) -> bool:
        """Whether it is time to compile, after so many steps of the current run."""
        if self.units:
            return True
        return (
            self.steps + steps >= max(LEAST_STEPS, self.ran * COMPILE_SECONDS / STEP_SECONDS)
            and library() is not None
        )

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
            self.specials = {name: row for row, name in enumerate(specials)}
            self._maker = Units(program, sizes, self.specials, nearest)

    def extend(self, executed: Any) -> None:
        """Compile what starts where something has run."""
        assert self._maker is not None
        self.ran = max(self.ran, int(executed.sum()))
        fresh: dict[int, Unit] = {}
        wanted = {int(n) for n in np.flatnonzero(executed)} | self._wanted
        for start in sorted((self._maker.starts & wanted) - self._tried):
            self._tried.add(start)
            fresh.update(self._maker.at(start))
        if not fresh:
            return
        engine, addresses = compile_units(fresh)
        self._engines.append(engine)
        for index, unit in fresh.items():
            self.units[index] = (unit, addresses.get(index))

    def missed(self, index: int) -> bool:
        """Note that numpy ran an instruction; True when that made more code."""
        assert self._maker is not None
        if index in self._maker.starts and index not in self._tried:
            self._wanted.add(index)
        self._misses += index not in self.units
        if self._misses < self.misses or not self._wanted:
            return False
        self._misses = 0
        self.extend(np.zeros(0, bool))
        self._wanted = set()
        return True
