"""`python3 -m tools.ptxforms.evidence OUT.json SM… [--part N/M]`: which SASS forms the recorded PTX probes speak for.

ptxas compiles every recorded probe for each SM; its machine code is run by the verifier's interpreter on the probe's
inputs. Where that gives what the H200 gave for the PTX, the kernel is run once more for each of its instructions, with
what that writes changed (or with it left out, where it writes to memory): if the result differs then, the instruction's
form and the kinds of its operands are among what was shown. Only what `vectored.json` does not hold is looked for, but
for sm_90 alone (`tests/vectors/ptx/shown-sm90.json`: there the H200 ran that very machine code). Probes that can show
nothing new are not run; those that do not agree are named.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.model.artifacts import Cubin, SassKernel
from cass_shim.model.errors import CassError
from cass_shim.model.instruction import Instruction
from cass_shim.selftest.inputs import inputs
from cass_shim.verify import mufu
from cass_shim.verify.interpreter import Interpreter, Launch
from cass_shim.verify.memory import Arena
from cass_shim.verify.program import Program, prepare
from cass_shim.verify.state import Geometry
from cass_shim.verify.vectored import Slots, covered, form_keys, index, needs_vectors
from tools.ptxforms.probes import CELL_BYTES, HEADER, INPUT_BYTES, LANES, PARAM_BYTES, RESULT_BYTES, Probe, kernel
from tools.ptxforms.recorded import KEPT_LANES, agrees, comparable, recording

BASE = 0x7F00_0000_0000
BLOCK = bytes((29 * byte + 7) & 255 for byte in range(PARAM_BYTES))  # as launcher.c fills it
CHUNK = 1000
ENOUGH = 2  # probes that must show a form and its operands
_CONSTANTS = ".nv.constant3"

Words = NDArray[np.uint32]


def compiled(probes: Sequence[Probe], numbers: Sequence[int], sm: int) -> tuple[Cubin | None, list[int]]:
    """The cubin of some probes, entry pN for probe N, without those that ptxas refuses for this SM."""
    texts = {number: kernel(number, probes[number]) + "\n" for number in numbers}
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "probes.ptx", Path(folder) / "probes.cubin"
        while texts:
            header = HEADER.format(sm=sm)
            source.write_text(header + "".join(texts.values()))
            command = ["ptxas", f"-arch=sm_{sm}", str(source), "-o", str(output)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return read_cubin(output.read_bytes(), f"sm_{sm}"), list(texts)
            refused = _named(done.stderr, header, texts)
            if not refused:
                raise SystemExit(done.stderr[-2000:])
            texts = {number: text for number, text in texts.items() if number not in refused}
    return None, []


def _named(errors: str, header: str, texts: dict[int, str]) -> set[int]:
    """The probes whose lines ptxas complains about."""
    ends, line = [], header.count("\n")
    for number, text in texts.items():
        line += text.count("\n")
        ends.append((line, number))
    lines = [int(found) for found in re.findall(r"line (\d+)", errors)]
    named = {next((number for end, number in ends if at <= end), ends[-1][1]) for at in lines}
    return named | {int(found) for found in re.findall(r"'p(\d+)'", errors)} & texts.keys()


@dataclass
class Case:
    """One probe's machine code, ready to run. want: what the H200 gave, as `recorded.agrees` compares it."""

    probe: Probe
    code: SassKernel
    constants: bytes
    want: Words

    def program(self) -> Program:
        return prepare(self.code, {_CONSTANTS: self._table(), "table": self._table()}, self.constants)

    def _table(self) -> int:
        return BASE + LANES * (INPUT_BYTES + RESULT_BYTES + CELL_BYTES)

    def run(self, program: Program) -> Words:
        """uint32 [KEPT_LANES, words]: results and what changed in the cells. Raises CassError."""
        given = np.ascontiguousarray(inputs(self.probe.seed)[:LANES])
        cells = np.ascontiguousarray(given[:, : CELL_BYTES // 4])
        results = np.full((LANES, RESULT_BYTES // 4), 0xA5A5A5A5, np.uint32)
        parts = [given.view(np.uint8).ravel(), results.view(np.uint8).ravel(), cells.view(np.uint8).ravel()]
        tail = np.frombuffer(self.constants + bytes(-len(self.constants) % 16), np.uint8)
        content = np.concatenate([*parts, tail])
        out = BASE + LANES * INPUT_BYTES
        own = out + LANES * RESULT_BYTES
        arena = Arena(BASE, content, np.ones(len(content), bool))
        launch = Launch(Geometry((1, 1, 1), (LANES, 1, 1)), struct.pack("<QQQ8x", BASE, out, own) + BLOCK)
        machine = Interpreter(program, self.code.abi, launch, arena, seed=1, mufu=mufu.nearest, max_steps=20_000)
        left = machine.run().arena.content.view(np.uint32)
        got = left[(out - BASE) // 4 : (own - BASE) // 4].reshape(LANES, -1)
        changed = left[(own - BASE) // 4 : (self._table() - BASE) // 4].reshape(LANES, -1) ^ cells
        return np.concatenate([got, changed], axis=1)[:KEPT_LANES]

    def agrees(self, program: Program) -> bool:
        """Whether every lane gives what the GPU gave."""
        return bool(agrees(self.probe, self.run(program), self.want).all())


def changed(meaning: Callable[[Any, Instruction], None], mask: int) -> Callable[[Any, Instruction], None]:
    """The meaning with `mask` on every register that it writes and every predicate inverted."""

    def run(e: Any, instruction: Instruction) -> None:
        register, predicate = e.set_reg, e.set_pred
        e.set_reg = lambda index, uniform, value: register(index, uniform, value ^ np.uint32(mask))
        e.set_pred = lambda index, uniform, value: predicate(index, uniform, ~value)
        try:
            meaning(e, instruction)
        finally:
            del e.set_reg, e.set_pred

    return run


def is_needed(case: Case, program: Program, at: int) -> bool:
    """Whether the kernel's result tells that one of its instructions gives something else, or does nothing."""
    step = program.steps[at]
    assert step.meaning is not None
    writes_memory = not any(True for _ in _destinations(step.instruction))
    others = [None] if writes_memory else [changed(step.meaning, mask) for mask in (1, 0x8000_0000, 0xFFFF_FFFF)]
    for other in others:
        program.steps[at] = replace(step, meaning=other)
        try:
            same = case.agrees(program)
        except CassError:
            same = False
        finally:
            program.steps[at] = step
        if not same:
            return True
    return False


_STORES = ("ST", "RED", "SUST", "SURED")


def _destinations(instruction: Instruction) -> Iterator[Any]:
    if not instruction.mnemonic.startswith(_STORES):
        yield from instruction.operands[:1]


@dataclass
class Shown:
    """What was found. known: what needs no more showing. counts: (form, slot) → probes that show it."""

    known: Slots = field(default_factory=dict)
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    differ: list[str] = field(default_factory=list)
    not_run: int = 0
    agreed: int = 0

    def wants(self, keys: Sequence[tuple[str, str]]) -> bool:
        return any(self.counts.get(key, 0) < ENOUGH and not covered(*key, self.known) for key in keys)

    def judge(self, case: Case) -> None:
        """Run a case if it can show anything new."""
        steps = [(at, form_keys(one)) for at, one in enumerate(case.code.instructions) if needs_vectors(one)]
        if not any(self.wants(keys) for _, keys in steps):
            return
        try:
            program = case.program()
            if not case.agrees(program):
                self.differ.append(case.probe.name)
                return
        except CassError:
            self.not_run += 1
            return
        self.agreed += 1
        mine: set[tuple[str, str]] = set()
        for at, keys in steps:
            fresh = [key for key in keys if key not in mine]
            if self.wants(fresh) and program.steps[at].meaning is not None and is_needed(case, program, at):
                mine |= set(fresh)
        for key in (key for key in mine if not covered(*key, self.known)):
            self.counts[key] = self.counts.get(key, 0) + 1


def cases(cubin: Cubin, numbers: Sequence[int]) -> Iterator[Case]:
    """The kernels of a cubin that decode."""
    recorded = recording()
    constants = next((bytes(image.content) for image in cubin.images if image.kind == "constant3"), b"")
    for number in numbers:
        try:
            code = decode_kernel(cubin.kernels[f"p{number}"], cubin)
        except CassError:
            continue
        yield Case(recorded.probes[number], code, constants, recorded.results[number])


def main(arguments: list[str]) -> None:
    """Write the table: form → slots."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.ptxforms.evidence")
    parser.add_argument("out", type=Path)
    parser.add_argument("sms", type=int, nargs="+")
    parser.add_argument("--part", default="0/1")
    options = parser.parse_args(arguments)
    first, _, step = options.part.partition("/")
    probes = recording().probes
    chosen = [n for n, probe in enumerate(probes) if comparable(probe)][int(first) :: int(step)]
    shown = Shown({} if options.sms == [90] else index())
    for sm in options.sms:
        for at in range(0, len(chosen), CHUNK):
            cubin, numbers = compiled(probes, chosen[at : at + CHUNK], sm)
            for case in cases(cubin, numbers) if cubin is not None else ():
                shown.judge(case)
            print(f"sm_{sm} {at}: {shown.agreed} agree, {len(shown.differ)} differ, {shown.not_run} not run, "
                  f"{len(shown.counts)} kinds", flush=True)  # fmt: skip
    forms: dict[str, list[str]] = {}
    for form, slot in sorted(shown.counts):
        forms.setdefault(form, []).append(slot)
    made = f"{datetime.date.today()} by python3 -m tools.ptxforms.evidence {' '.join(map(str, options.sms))}"
    write(options.out, made, forms, shown.differ)


def write(path: Path, made: str, forms: dict[str, list[str]], differ: list[str]) -> None:
    """The table, a line for each form; differ: the probes whose machine code gave something else than the GPU."""
    lines = ",\n".join(f"{json.dumps(form)}: {json.dumps(slots)}" for form, slots in forms.items())
    head = json.dumps({"made": made, "recorded on": recording().machine, "differ": differ}, indent=1)[:-2]
    path.write_text(f'{head},\n "forms": {{\n{lines}\n}}\n}}\n')


if __name__ == "__main__":
    main(sys.argv[1:])
