"""What PTX that an H200 ran tells about other generations' instructions."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from cass_shim.model.instruction import RZ, Reg
from cass_shim.verify.vectored import covered, indirect
from tools.ptxforms.evidence import Case, Shown, cases, changed, compiled, is_needed
from tools.ptxforms.recorded import recording

PROBE = "vmin4.s32.s32.s32.add %s32_10.b3210, %s32_0, %s32_1, %s32_2"
pytestmark = pytest.mark.skipif(not shutil.which("ptxas"), reason="needs ptxas")


def case_of(name: str, sm: int) -> Case:
    numbers = [n for n, probe in enumerate(recording().probes) if probe.name == name]
    cubin, kept = compiled(recording().probes, numbers, sm)
    assert cubin is not None and kept == numbers
    return next(iter(cases(cubin, kept)))


def test_a_probe_shows_the_instruction_that_it_is_made_of() -> None:
    shown = Shown()
    shown.judge(case_of(PROBE, 80))
    assert ("IMNMX", "2:R") in shown.counts and ("STG.E", "1:R") in shown.counts
    assert shown.agreed == 1 and not shown.differ
    assert all(covered("IMNMX", slot, indirect()) for form, slot in shown.counts if form == "IMNMX")


def test_a_wrong_meaning_shows_nothing() -> None:
    """With what the one instruction does changed the kernel does not agree, and gives no evidence."""
    case = case_of(PROBE, 80)
    program = case.program()
    at = next(n for n, one in enumerate(case.code.instructions) if one.mnemonic == "IMNMX")
    assert is_needed(case, program, at)
    step = program.steps[at]
    assert step.meaning is not None
    program.steps[at] = replace(step, meaning=changed(step.meaning, 4))
    assert not case.agrees(program)


def test_an_instruction_that_nothing_needs_is_not_shown() -> None:
    case = case_of(PROBE, 80)
    program = case.program()
    at = next(n for n, one in enumerate(case.code.instructions) if one.mnemonic == "IMNMX")
    program.steps[-1] = program.steps[at]  # behind the kernel's end
    assert not is_needed(case, program, len(program.steps) - 1)


def test_sm_100_has_eighty_uniform_registers() -> None:
    """ptxas uses UR79 here, behind the file that the interpreter had."""
    case = case_of("redux.sync.add.u32 halves", 100)
    named = {o.index for i in case.code.instructions for o in i.operands if isinstance(o, Reg) and o.uniform}
    assert max(named - {RZ}) >= 64
    assert case.agrees(case.program())


def test_what_ptxas_refuses_is_left_out() -> None:
    numbers = [n for n, probe in enumerate(recording().probes) if probe.name == PROBE or "stmatrix" in probe.name]
    cubin, kept = compiled(recording().probes, numbers, 75)
    assert cubin is not None and 0 < len(kept) < len(numbers)
