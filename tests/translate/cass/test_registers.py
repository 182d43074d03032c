"""Names to registers: ranges, loops, what the hardware fills, and the waits that answers do not have."""

from __future__ import annotations

import pytest

from cass_shim.model.errors import Rejected
from cass_shim.translate.cass.fields import Line, target_text
from cass_shim.translate.cass.pauses import with_waits
from cass_shim.translate.cass.registers import LIMIT, allocate, places


def lines(*texts: str) -> list[Line]:
    return [text.split() for text in texts]


def code(*texts: str) -> list[str]:
    return [line.strip() for line in target_text(allocate(lines(*texts))).splitlines()]


def test_a_register_is_free_again_after_its_last_use() -> None:
    found = code(
        "v_mov_b32 v #4 , v #0",
        "v_mov_b32 v #5 , v #4",
        "v_mov_b32 v #6 , v #5",
        "v_mov_b32 v #7 , v #6",
    )
    assert found == ["v_mov_b32 v1, v0", "v_mov_b32 v0, v1", "v_mov_b32 v1, v0", "v_mov_b32 v0, v1"]


def test_ranges_are_neighbours_and_scalar_ranges_aligned() -> None:
    found = code(
        "s_mov_b32 s #16 , s #15",
        "s_load_b64 s*2 #18 , s*2 #0 , #8",
        "s_load_b128 s*4 #20 , s*2 #0 , #16",
        "s_add_u32 s #18 , s #19 , s #21",
        "s_add_u32 s #16 , s #16 , s #18",
    )
    assert found[:3] == ["s_mov_b32 s2, s15", "s_load_b64 s[4:5], s[0:1], 8", "s_load_b128 s[8:11], s[0:1], 16"]
    assert found[3:] == ["s_add_u32 s4, s5, s9", "s_add_u32 s2, s2, s4"]


def test_what_comes_around_in_a_loop_keeps_its_register() -> None:
    """v5 is read at the top and written at the bottom; the temporary v6 must not take its register in between."""
    body = (
        "v_mov_b32 v #4 , #1",
        "v_mov_b32 v #5 , #0",
        "L #0 :",
        "v_add_nc_u32 v #6 , v #5 , v #4",
        "v_mov_b32 v #7 , v #6",
        "v_mov_b32 v #5 , v #7",
        "s_cbranch_scc1 L #0",
        "v_mov_b32 v #8 , v #5",
    )
    found = allocate(lines(*body))
    numbers = {name: line[at] for line, given in zip(found, lines(*body), strict=True)
               for at, name in enumerate(given) if at and given[at - 1] == "v"}  # fmt: skip
    assert numbers["#4"] not in (numbers["#6"], numbers["#7"]), "read in every round"
    assert numbers["#5"] not in (numbers["#6"], numbers["#7"], numbers["#4"])


def test_a_value_that_leaves_a_loop_holds_through_all_of_it() -> None:
    """A lane that leaves early must find it, though a later round's temporaries come before its definition."""
    found = allocate(
        lines(
            "L #0 :",
            "v_mov_b32 v #4 , v #0",
            "v_mov_b32 v #5 , v #4",
            "s_cbranch_scc1 L #0",
            "v_mov_b32 v #6 , v #5",
        )
    )
    assert found[1][2] != found[2][2]


def test_registers_that_the_hardware_fills_stay() -> None:
    assert code("v_add_nc_u32 v #4 , s #15 , v #0")[0] == "v_add_nc_u32 v1, s15, v0"
    with pytest.raises(Rejected, match="which the hardware fills"):
        allocate(lines("v_mad_u64_u32 v*2 #3 , null , s #15 , s #2 , v*2 #0"))


def test_too_many_values_at_once_are_refused() -> None:
    """Scalars live together; a program of 200 that die at once is no trouble."""
    many = [f"s_mov_b32 s #{number} , #1" for number in range(16, 200)]
    allocate(lines(*many))
    with pytest.raises(Rejected, match="no 1 s registers are free"):
        allocate(lines(*many, *(f"s_mov_b32 s #15 , s #{number}" for number in range(16, 200))))
    assert LIMIT["s"] == 106


@pytest.mark.parametrize("text", ["v_mov_b32 v , #1", "v_mov_b32 v*99 #4 , #1", "v_mov_b32 v #4 , v x"])
def test_broken_operands_are_refused(text: str) -> None:
    with pytest.raises(Rejected, match="without a number"):
        allocate(lines(text))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("global_load_b32 v #4 , v*2 #6 , off", [4]),
        ("global_store_b32 v*2 #6 , v #4 , off", []),
        ("global_atomic_add_u32 v #4 , v*2 #6 , v #8 , off glc", [4]),
        ("global_atomic_add_u32 v*2 #6 , v #8 , off", []),
        ("ds_add_u32 v #4 , v #5", []),
        ("ds_add_rtn_u32 v #4 , v #5 , v #6", [4]),
        ("ds_bpermute_b32 v #4 , v #5 , v #6", [4]),
        ("v_mad_u64_u32 v*2 #4 , s #16 , v #6 , v #7 , v*2 #8", [4, 16]),
        ("v_add_co_u32 v #4 , vcc_lo , v #5 , v #6", [4]),
        ("v_cmp_gt_i32 s #16 , v #5 , v #6", [16]),
        ("v_cmpx_gt_i32 v #5 , v #6", []),
        ("s_and_saveexec_b32 s #16 , vcc_lo", [16]),
        ("v_readfirstlane_b32 s #16 , v #4", [16]),
    ],
)
def test_what_an_instruction_writes(text: str, written: list[int]) -> None:
    assert [place.number for place in places(text.split()) if place.written] == written


def test_accumulators_read_what_they_write() -> None:
    assert [place.read for place in places(lines("v_fmac_f32 v #4 , v #5 , v #6")[0])] == [True, True, True]
    assert not places(lines("v_fma_f32 v #4 , v #5 , v #6 , v #7")[0])[0].read


def waits(*texts: str) -> list[str]:
    return [" ".join(line) for line in with_waits(lines(*texts))]


def test_a_loaded_register_is_waited_for_at_its_first_use() -> None:
    found = waits(
        "s_load_b64 s*2 #2 , s*2 #0 , #0",
        "v_mov_b32 v #1 , #0",
        "global_load_b32 v #2 , v #1 , s*2 #2",
        "v_add_nc_u32 v #3 , v #1 , v #1",
        "v_add_nc_u32 v #3 , v #2 , v #3",
        "s_endpgm",
    )
    assert found[2] == "s_waitcnt lgkmcnt ( #0 )" and found[5] == "s_waitcnt vmcnt ( #0 )"
    assert sum("s_waitcnt" in line for line in found) == 2


def test_a_register_is_not_overwritten_while_a_load_is_under_way() -> None:
    found = waits("ds_load_b32 v #2 , v #1", "v_mov_b32 v #2 , #0", "s_endpgm")
    assert found[1] == "s_waitcnt lgkmcnt ( #0 )"


def test_branches_and_labels_wait_for_all_loads() -> None:
    found = waits("global_load_b32 v #2 , v*2 #0 , off", "s_cbranch_execz L #0", "v_nop", "L #0 :", "s_endpgm")
    assert found[1] == "s_waitcnt vmcnt ( #0 )"


def test_stores_are_seen_before_a_barrier_also_around_a_loop() -> None:
    found = waits(
        "L #0 :",
        "s_barrier",
        "global_store_b32 v*2 #0 , v #2 , off",
        "s_cbranch_scc1 L #0",
        "s_endpgm",
    )
    assert found[1] == "s_waitcnt_vscnt null , #0" and found[2] == "s_barrier"
    assert "s_waitcnt_vscnt null , #0" in waits("global_store_b32 v*2 #0 , v #2 , off", "s_barrier", "s_endpgm")
    assert "s_waitcnt lgkmcnt ( #0 )" in waits("ds_store_b32 v #0 , v #2", "s_barrier", "s_endpgm")


@pytest.mark.parametrize(("between", "waited"), [(0, True), (5, True), (6, False)])
def test_a_transcendental_result_is_not_read_too_soon(between: int, waited: bool) -> None:
    found = waits("v_rcp_f32 v #1 , v #2", *["v_mov_b32 v #8 , v #9"] * between, "v_add_f32 v #3 , v #1 , v #1")
    assert ("s_waitcnt_depctr 0x #15 #255" in found) == waited
    around = waits("L #0 :", "v_mov_b32 v #8 , v #1", "v_exp_f32 v #1 , v #2", "s_cbranch_scc1 L #0", "s_endpgm")
    assert around[3] == "s_waitcnt_depctr 0x #15 #255"
