"""Compiled reference runs are those of numpy, bit for bit: memory, who wrote what, coverage, steps and faults.

Single instructions are also held to what an H200 gave, by way of numpy, which must reproduce that
(`tests/isa/sass/test_hardware_vectors.py`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.model.artifacts import Cubin, CubinKernel, EntryKind, SassKernel
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import Instruction
from cass_shim.model.kernel_abi import KernelAbi
from cass_shim.verify import mufu
from cass_shim.verify.agreement import ORDERS, Judge, run_reference
from cass_shim.verify.compiled.functions import CONTEXT
from cass_shim.verify.compiled.library import library
from cass_shim.verify.compiled.machine import Machine
from cass_shim.verify.compiled.translation import Translation
from cass_shim.verify.inputs import first_roles, make_input
from cass_shim.verify.interpreter import Launch
from cass_shim.verify.memory import Arena, Fault
from cass_shim.verify.plan import probes, scenarios
from cass_shim.verify.program import prepare
from cass_shim.verify.state import Geometry
from cass_shim.verify.survey import survey
from tests.isa.sass.test_hardware_vectors import LANES, computed, document, inputs, instruction
from tests.verify.text import BASE, kernel

PREBUILT = Path(__file__).parents[2] / "examples" / "prebuilt"
ARENA = 0x7200_0000_0000

pytestmark = pytest.mark.skipif(library() is None, reason="libcass_reference.so is not built")


class _Never(Translation):
    def pays(self, steps: int) -> bool:
        return False


class _AtOnce(Translation):
    """Compiles from the first group on, and whatever numpy had to run."""

    misses = 1

    def pays(self, steps: int) -> bool:
        return True


def kernels() -> Iterator[tuple[str, SassKernel, Cubin]]:
    for program in ("mandelbrot_shared", "matmul_tiled_static_sass", "symbols_shared_sass", "vector_add_static"):
        for fatbin in read_fatbins((PREBUILT / program).read_bytes(), program):
            for entry in fatbin.entries:
                if entry.kind == EntryKind.ELF:
                    cubin = read_cubin(entry.payload, program)
                    for one in cubin.kernels.values():
                        yield one.name, decode_kernel(one, cubin), cubin


def _both(judge: Judge, given: Any, order: int, translation: Translation) -> tuple[Any, Any]:
    results = []
    for one in (_Never(), translation):
        judge.translation = one
        try:
            results.append(judge.run(given, ARENA, order))
        except Fault as fault:
            results.append(fault)
    return results[0], results[1]


def _assert_same(numpy: Any, compiled: Any) -> None:
    if isinstance(numpy, Fault) or isinstance(compiled, Fault):
        assert str(numpy) == str(compiled)
        return
    for name in ("content", "touched", "writer"):
        assert np.array_equal(getattr(numpy.arena, name), getattr(compiled.arena, name)), name
    assert np.array_equal(numpy.executed, compiled.executed)
    assert numpy.steps == compiled.steps and numpy.printed == compiled.printed
    assert bool(numpy.undefined_reads) == bool(compiled.undefined_reads)
    assert numpy.contended == compiled.contended


@pytest.mark.parametrize(
    "name, sass, cubin", list(kernels()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_kernels_run_alike_in_every_order(name: str, sass: SassKernel, cubin: Cubin) -> None:
    found = survey(sass)
    roles = first_roles(sass, found)
    judge = Judge(sass, cubin, found, mufu.nearest, 12_000, run_seconds=20.0, translation=_Never())
    main = next(p for p in probes(sass, found, 1) if not isinstance(run_reference(judge, roles, p, ARENA), Fault))
    translation = _AtOnce()
    for scenario in (main, *scenarios(sass, found, main.shape, 1)[:2]):
        given = make_input(sass, cubin, found, roles, scenario, ARENA)
        for order in range(ORDERS.index("warps") + 1):
            _assert_same(*_both(judge, given, order, translation))
    assert translation.units


LOOPS = """
    S2R R0, SR_TID.X
    LOP3.LUT R4, R0, 0x7, RZ, 0xc0, !PT
    MOV R5, RZ
    BSSY B0, out
loop:
    ISETP.GE.AND P0, PT, R5, R4, PT
    @P0 BREAK B0
    @P0 BRA after
    IADD3 R5, R5, 0x1, RZ
    ISETP.LT.AND P1, PT, R5, 0x5, PT
    @P1 BRA loop
    BSYNC B0
out:
    VOTE.ANY R6, PT, PT
    IADD3 R5, R5, R6, RZ
after:
    WARPSYNC 0xffffffff
    SHFL.BFLY PT, R7, R5, 0x1, 0x1f
    STS [R0.X4], R7
    BAR.SYNC.DEFER_BLOCKING 0x0
    LOP3.LUT R8, R0, 0x3, RZ, 0xc0, !PT
    ATOMS.ADD R9, [R8.X4], R5
    BAR.SYNC.DEFER_BLOCKING 0x0
    LDS R10, [R0.X4]
    IADD3 R10, R10, R9, RZ
"""
ENDS = {
    "stored": "IMAD.WIDE R2, R0, 0x4, c[0x0][0x160]\n STG.E [R2.64], R10\n EXIT",
    "out of range": "IMAD.WIDE R2, R0, 0x400, c[0x0][0x160]\n STG.E [R2.64], R10\n EXIT",
    "misaligned": "IMAD.WIDE R2, R0, 0x3, c[0x0][0x160]\n LDG.E R3, [R2.64]\n EXIT",
    "beyond shared memory": "SHF.L.U32 R2, R0, 0x7, RZ\n LDS.64 R10, [R2]\n EXIT",
    "for ever": "BRA loop",
}


def _text_run(sass: SassKernel, policy: str, translation: Translation | None) -> Any:
    content = np.zeros(4096, np.uint8)
    machine = Machine(
        prepare(sass, {}, b""), sass.abi, Launch(Geometry((2, 1, 1), (70, 1, 1)), BASE.to_bytes(12, "little")),
        Arena(BASE, content, np.ones(len(content), bool)), seed=3, mufu=mufu.nearest, policy=policy,
        max_steps=3000,
    )  # fmt: skip
    machine.translation = translation
    try:
        return machine.run()
    except Fault as fault:
        return fault


@pytest.mark.parametrize("policy", ["lowest", "random", "blocks", "warps reversed"])
@pytest.mark.parametrize("end", [name for name in ENDS if name != "for ever"])
def test_divergence_exchange_and_faults_are_alike(end: str, policy: str) -> None:
    sass = kernel(LOOPS + ENDS[end], shared=280)
    results = [_text_run(sass, policy, translation) for translation in (None, _AtOnce())]
    _assert_same(*results)
    assert isinstance(results[0], Fault) == (end != "stored")


SAVED = """
    S2R R0, SR_TID.X
    LOP3.LUT R4, R0, 0x1f, RZ, 0xc0, !PT
    BSSY B6, outer
    ISETP.LT.AND P0, PT, R4, 0x10, PT
    @P0 BRA outer
    BMOV.32.CLEAR R5, B6
    BSSY B6, inner
    ISETP.LT.AND P1, PT, R4, 0x18, PT
    @P1 BRA inner
    MOV R6, RZ
    BRA inner
inner:
    BSYNC B6
    BMOV.32 B6, R5
outer:
    BSYNC B6
    VOTE.ANY R10, PT, PT
"""


@pytest.mark.parametrize("policy", ["lowest", "random", "blocks", "warps reversed"])
def test_a_barrier_that_a_callee_has_saved_is_not_the_one_that_it_waits_at(policy: str) -> None:
    """Half a warp saves the register, sets it anew and meets there, while the other half waits for all at the first."""
    sass = kernel(SAVED + ENDS["stored"])
    results = [_text_run(sass, policy, translation) for translation in (None, _AtOnce())]
    _assert_same(*results)
    assert set(results[1].arena.content[: 4 * 64].view(np.uint32)) == {0xFFFF_FFFF}


def test_a_run_that_does_not_end_is_stopped() -> None:
    fault = _text_run(kernel(LOOPS + ENDS["for ever"], shared=280), "lowest", _AtOnce())
    assert isinstance(fault, Fault) and "not finished after" in fault.reason


def test_numpy_comes_first_and_long_runs_are_compiled() -> None:
    """A short run pays no compilation; its steps count towards that of the kernel's next runs."""
    sass = kernel("MOV R5, RZ\nloop:\n IADD3 R5, R5, 0x1, RZ\n ISETP.LT.AND P1, PT, R5, 0x1e, PT\n @P1 BRA loop\n EXIT")
    translation = Translation()
    _text_run(sass, "lowest", translation)
    assert not translation.units and translation.steps > 50
    _text_run(sass, "lowest", translation)
    assert translation.units


def _recorded() -> tuple[list[dict[str, Any]], list[Instruction]]:
    chosen, code = [], []
    for probe in document()["probes"]:
        try:
            computed(probe["text"], int(probe["word"], 16))
        except Unsupported:
            continue
        chosen.append(probe)
        code.append(replace(instruction(probe["text"], int(probe["word"], 16)), address=16 * len(code)))
    return chosen, code


def test_recorded_instructions_compile_to_what_numpy_computes() -> None:
    """Every recorded form that compiles at all, on the recorded inputs; f64 NaNs may differ in payload."""
    chosen, code = _recorded()
    sass = SassKernel(CubinKernel("all", 90, KernelAbi(), bytes(16 * len(code))), tuple(code))
    nothing = Arena(0x10000, np.zeros(16, np.uint8), np.zeros(16, bool))
    machine = Machine(prepare(sass, {}, b""), sass.abi, Launch(Geometry((1, 1, 1), (LANES, 1, 1)), b""), nothing,
                      seed=1, mufu=mufu.nearest)  # fmt: skip
    machine.set_mask(np.ones(LANES, bool))
    machine.executed[:] = True
    translation = _EachAlone()
    machine._change_over(translation)
    machine._list[:] = np.arange(LANES)
    machine._context[CONTEXT.index("count")] = LANES
    compiled = [n for n in range(len(code)) if n in translation.units]
    for n in compiled:
        expected = computed(chosen[n]["text"], int(chosen[n]["word"], 16))
        _fill(machine, chosen[n]["text"])
        function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(translation.units[n][1])
        assert function(machine._context.ctypes.data) == 0
        _same_registers(machine, expected, chosen[n]["text"])
    assert len(compiled) > 0.6 * len(code), sorted({c.form for n, c in enumerate(code) if n not in compiled})


class _EachAlone(_AtOnce):
    """Every instruction is a unit of its own."""

    def begin(self, *arguments: Any) -> None:
        super().begin(*arguments)
        assert self._maker is not None
        self._maker.starts = set(range(len(self._maker.program.steps)))


def _fill(machine: Machine, text: str) -> None:
    given = inputs(text)
    for base, column in ((8, 0), (12, 4), (16, 8), (32, 12)):
        for k in range(4):
            machine._matrix[base + k] = given[:, column + k]
    machine._flags[:] = False
    for bit, number in enumerate((0, 1, 2, 4, 5)):
        machine._flags[number] = given[:, 16] >> bit & 1


def _same_registers(machine: Machine, expected: Any, text: str) -> None:
    wide = text.startswith(("D", "F2F.F64", "F2F.F32.F64"))
    for index, value in enumerate(expected._regs):
        if value is None:
            continue
        want, got = np.broadcast_to(value, (LANES,)), machine._matrix[index]
        same = want == got
        if wide:  # a pair that is NaN on both sides
            pair = (
                [np.broadcast_to(expected._regs[index | 1], (LANES,)), machine._matrix[index | 1]]
                if (index < 255 and expected._regs[index | 1] is not None)
                else [want, got]
            )
            nan = [(high & np.uint32(0x7FFF_FFFF)) >= np.uint32(0x7FF0_0000) for high in pair]
            same |= nan[0] & nan[1]
        bad = np.flatnonzero(~same)
        assert not len(bad), (text, index, hex(int(want[bad[0]])), hex(int(got[bad[0]])))
    for index in range(7):
        assert np.array_equal(np.broadcast_to(expected._preds[index], (LANES,)), machine._flags[index]), text
