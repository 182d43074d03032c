"""Bounds of 0 are among the first seed's inputs: a translation that is wrong only there is rejected."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from dataclasses import replace

import pytest

from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.device import Device
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import CodeObject, Evidence, SassKernel
from cass_shim.model.errors import Rejected
from cass_shim.pipeline import Work, assemble, translate_source
from cass_shim.verify import verify_kernel
from cass_shim.verify.inputs import Shape, first_roles, make_input
from cass_shim.verify.plan import corners, edges, scenarios
from cass_shim.verify.survey import Survey, is_padding, survey
from tests.verify.support import from_ptx
from tests.verify.text import kernel

SHAPE = Shape((2, 1, 1), (64, 1, 1))
SHUFFLES = {"SHFL": 1}  # of the PTX
COUNT_AT = 24  # vector_add's fourth parameter


def lifted(sass: SassKernel) -> CodeObject:
    return assemble_llvm(lift_kernel(sass), sass.abi)


def test_a_translation_that_is_wrong_for_no_elements_is_rejected(vector_add: Work, device: Device) -> None:
    verify_kernel(from_ptx(vector_add), vector_add.sass, vector_add.module.cubin, device)
    wrong = from_ptx(vector_add, "r1 < (i32)param_3", "param_3 == 0 || r1 < (i32)param_3")
    with pytest.raises(Rejected, match="does not write there"):
        verify_kernel(wrong, vector_add.sass, vector_add.module.cubin, device)


def test_an_edge_sets_one_bound_and_leaves_the_others(vector_add: Work) -> None:
    found = survey(vector_add.sass)
    roles = first_roles(vector_add.sass, found)
    (scenario,) = edges(found, roles, SHAPE, 1)
    assert scenario.edge == COUNT_AT
    given = make_input(vector_add.sass, vector_add.module.cubin, found, roles, scenario, 0x10000)
    assert given.params[COUNT_AT:] == bytes(4) and all(given.params[at] or given.params[at + 2] for at in (0, 8, 16))


def test_lanes_that_may_meet_are_few(vector_add: Work) -> None:
    found = survey(vector_add.sass)
    roles = first_roles(vector_add.sass, found)
    for other in (replace(found, grid_sync=True), replace(found, atomics=True, exchanges=Counter(SHFL=1))):
        (warp,) = edges(other, roles, SHAPE, 1)
        assert warp.edge == COUNT_AT and warp.shape == Shape((1, 1, 1), (32, 1, 1))
    assert edges(Survey(), roles, SHAPE, 1) == []
    (alone,) = edges(replace(found, atomics=True), roles, SHAPE, 1)
    assert alone.edge == COUNT_AT and alone.shape == Shape((1, 1, 1), (1, 1, 1))


def test_one_element_and_part_of_a_warp_are_always_tried(vector_add: Work, device: Device) -> None:
    report = verify_kernel(from_ptx(vector_add), vector_add.sass, vector_add.module.cubin, device).report
    inputs = report["inputs"]
    assert any(one[-6:] == "size 1" for one in inputs)  # type: ignore[attr-defined]
    assert any("grid (4, 1, 1) block (50, 1, 1)" in one for one in inputs)  # type: ignore[attr-defined]
    found = survey(vector_add.sass)
    assert all(one.shape.is_whole for one in corners(vector_add.sass, replace(found, whole_warps=True), SHAPE, 1))


@pytest.mark.parametrize(("exchange", "threads"), [("SHFL.BFLY PT, R5, R0, 0x1, 0x1f", 32), ("NOP", 1)])
def test_a_translation_that_is_wrong_for_no_elements_is_rejected_beside_atomics(
    device: Device, exchange: str, threads: int
) -> None:
    """Nothing is counted where the bound is 0; the wrong one counts its first thread all the same."""
    right = f"""S2R R0, SR_TID.X
 {exchange}
 ISETP.GE.AND P0, PT, R0, c[0x0][0x168], PT
 @P0 EXIT
 MOV R2, c[0x0][0x160]
 MOV R3, c[0x0][0x164]
 MOV R4, 0x1
 RED.E.ADD.STRONG.GPU [R2.64], R4
 EXIT"""
    compared = "ISETP.GE.AND P0, PT, R0, c[0x0][0x168], PT"
    wrong = right.replace(compared, f"ISETP.NE.AND P1, PT, RZ, c[0x0][0x168], PT\n{compared[:-2]}P1")
    sass, mutant = (kernel(text) for text in (right, wrong))
    assert survey(sass).atomics and wrong != right
    assert verify_kernel(lifted(sass), sass, None, device).evidence >= Evidence.E1U
    with pytest.raises(Rejected, match=rf"grid \(1, 1, 1\) block \({threads}, 1, 1\).*size 9"):
        verify_kernel(lifted(mutant), sass, None, device)


@pytest.mark.parametrize(("exchange", "threads"), [("SHFL.DOWN PT, R2, R2, 0x6, 0x1f", 32), ("NOP", 1)])
def test_who_reads_other_lanes_is_tried_with_a_whole_warp(exchange: str, threads: int) -> None:
    """A block of one thread has no lanes to read. ptxas folds the exchange of equal values away, so the SASS need not
    show that the program's PTX reads them (generated kernel 9205, refused wrongly)."""
    atomic = kernel(f"S2R R0, SR_TID.X\n MOV R2, R0\n {exchange}\n ATOMS.ADD R3, [R0.X4], R2\n EXIT", shared=256)
    found = survey(atomic)
    assert found.atomics
    alone = [s.shape.block for s in scenarios(atomic, found, SHAPE, 1) if s.shape.grid == (1, 1, 1)]
    assert (threads, 1, 1) in alone and (33 - threads, 1, 1) not in alone


def test_where_ptxas_folded_every_exchange_away_only_whole_warps_are_tried(vector_add: Work, device: Device) -> None:
    """What the PTX gives for lanes that a block has not is undefined (generated kernels 838, 4613 and 9268, refused
    wrongly for what they gave in a block of one thread)."""
    small = replace(vector_add.sass.kernel, abi=replace(vector_add.sass.abi, max_threads=60))  # 32 and 50 are tried
    sass, cubin = replace(vector_add.sass, kernel=small), vector_add.module.cubin
    other = from_ptx(vector_add, "r1 < (i32)param_3", "ptx_ntid_x() % 32 == 0 && r1 < (i32)param_3")
    verified = verify_kernel(other, sass, cubin, device, reads_lanes="candidate", lane_reads=SHUFFLES, seed=2)
    assert verified.evidence >= Evidence.E1U
    with pytest.raises(Rejected, match=r"block \(50, 1, 1\)"):
        verify_kernel(other, sass, cubin, device, seed=2)
    with pytest.raises(
        Rejected, match=r"block \(50, 1, 1\)"
    ):  # of a second opinion's lanes the candidate knows nothing
        verify_kernel(other, sass, cubin, device, reads_lanes="second", lane_reads=SHUFFLES, seed=2)
    right = assemble(translate_source(vector_add, "lift"), sass.abi)
    second = verify_kernel(
        right, sass, cubin, device, reads_lanes="second", lane_reads=SHUFFLES, second=(lambda: other, 20), seed=2
    )
    assert second.report["second opinion"]["verdict"] == "agrees" and "(50, 1, 1)" in str(second.report["inputs"])
    atomic = kernel("S2R R0, SR_TID.X\n ATOMS.ADD R3, [R0.X4], R0\n EXIT", shared=256)
    found = replace(survey(atomic), whole_warps=True)
    blocks = {s.shape.block[0] for s in scenarios(atomic, found, SHAPE, 1)}
    assert 32 in blocks and not any(block % 32 for block in blocks)


def test_what_stands_behind_the_code_is_no_code(vector_add: Work) -> None:
    padding = [one.address for one in vector_add.sass.instructions if is_padding(one)]
    assert padding[0] == 0x100 and vector_add.sass.instructions[0xF0 // 16].mnemonic == "EXIT"
    assert padding == list(range(0x100, 16 * len(vector_add.sass.instructions), 16))


@pytest.mark.parametrize(("kept", "folded"), [(Counter(REDUX=1), True), (Counter(REDUX=1, SHFL=1), False)])
def test_an_exchange_that_ptxas_kept_does_not_speak_for_those_that_it_folded(
    kept: Counter[str], folded: bool, vector_add: Work, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Generated kernels 2176 and 7011: a REDUX is left, the shuffles of what it gives are not."""
    small = replace(vector_add.sass.kernel, abi=replace(vector_add.sass.abi, max_threads=60))
    sass, cubin = replace(vector_add.sass, kernel=small), vector_add.module.cubin
    other = from_ptx(vector_add, "r1 < (i32)param_3", "ptx_ntid_x() % 32 == 0 && r1 < (i32)param_3")
    monkeypatch.setattr("cass_shim.verify.kernel.survey", lambda sass: replace(survey(sass), exchanges=kept))
    wrong = nullcontext() if folded else pytest.raises(Rejected, match=r"block \(50, 1, 1\)")
    with wrong:
        found = verify_kernel(other, sass, cubin, device, reads_lanes="candidate", lane_reads=SHUFFLES, seed=2)
        assert found.evidence >= Evidence.E1U


UNWRITTEN = """S2R R0, SR_TID.X
 LDS R5, [R0.X4]
 IMNMX.U32 R5, R5, 0x10, PT
 MOV R2, c[0x0][0x160]
 MOV R3, c[0x0][0x164]
 IMAD.WIDE R2, R0, 0x4, R2
 STG.E [R2.64], R5
 IADD3 R6, R0, 0x7, RZ
 STG.E [R2.64+0x2000], R6
 EXIT"""


def test_what_follows_from_memory_that_nobody_wrote_decides_nothing(device: Device) -> None:
    """The least of a number and anything else is that number in nearly every run of the reference, and 0 on a device
    whose shared memory is empty (a training kernel's block with fewer warps than it has words was refused)."""
    sass = kernel(UNWRITTEN, shared=4096)
    assert verify_kernel(lifted(sass), sass, None, device).evidence >= Evidence.E1U
    wrong = kernel(UNWRITTEN.replace("0x7, RZ", "0x8, RZ"), shared=4096)
    with pytest.raises(Rejected, match="differs from the reference"):
        verify_kernel(lifted(wrong), sass, None, device)


CHASED = """MOV R2, c[0x0][0x160]
 MOV R3, c[0x0][0x164]
 LDG.E R0, [R2.64]
 IMAD.WIDE R4, R0, 0x4, R2
 LDG.E R5, [R4.64]
 IADD3 R7, R0, 0x1, R5
 STG.E [R2.64], R7
 EXIT"""


def test_a_race_that_ends_in_a_fault_of_the_device_does_not_spoil_the_inputs_behind_it(device: Device) -> None:
    """Made for one thread: of several warps one may read an address that another has changed, on the device only.
    Where it faults, the device does nothing more until it is reset."""
    sass = kernel(CHASED)
    verified = [verify_kernel(lifted(sass), sass, None, device, seed=seed) for seed in range(1, 5)]
    assert all(one.evidence >= Evidence.E1U for one in verified)
    assert any("another warp" in why for one in verified for why in one.report["skipped"])
