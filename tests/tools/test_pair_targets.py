"""Targets of pairs: an instruction becomes the same whatever stands around it, and the whole is still right."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from cass_shim.translate.cass.fields import Line
from tools import environment
from tools.pairs.naming import named

PROGRAM = """
import json, sys
from cass_shim.assemble.text import assemble_text
from cass_shim.translate.cass.contracts import CONTRACTS, FIELDS
from cass_shim.translate.cass.edges import joined
from cass_shim.translate.cass.parts import FIRST_WORD, Splitter
from cass_shim.translate.cass.search import complete
from cass_shim.verify import verify_kernel
from tests.translate.cass.test_fields import kernel
from tools.pairs.generate import check_pair, make_pair
WHOLE = ("vector_add_static", "mandelbrot_shared")
found = {}
for name in sys.argv[1:]:
    sass, cubin = kernel(name)
    if name in WHOLE:
        pair = make_pair(sass, "", set())
        found[name] = {"source": pair.source, "target": pair.target, "evidence": check_pair(pair, sass, cubin, 1.0)}
        continue
    splitter = Splitter(sass)
    parts = splitter.split(lambda one: len(one.instructions) <= 24)
    said = CONTRACTS[FIELDS]
    bodies = {one.number: said.body(one.sass, make_pair(one.sass, "", set()).target) for one in parts}
    whole = complete(sass, joined(sass.name, bodies, FIRST_WORD + len(splitter.words)))
    together = verify_kernel(assemble_text(whole, sass.abi), sass, cubin, budget_s=1.0).evidence.label
    found[name] = {"parts": len(parts), "together": together}
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def made() -> Any:
    """In a process of its own: the options of LLVM are the whole process's."""
    command = [sys.executable, "-c", PROGRAM, "vector_add_static", "mandelbrot_shared", "matmul_tiled_static_sass"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=environment.ROOT)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ["vector_add_static", "mandelbrot_shared"])
def test_instructions_are_told_one_by_one(made: Any, name: str) -> None:
    source, target = (made[name][part].split("\n") for part in ("source", "target"))
    reads = [line.split("param ")[1].split(" ,")[0] for line in source if "param" in line]
    loads = [line.split("s*2 #0 , ")[1] for line in target if line.startswith("s_load") and "s*2 #0 , " in line]
    launch = [line for line in source if "ntid" in line]
    assert len(loads) == len(reads) + len(launch)
    assert [one for one in loads if one in reads] == reads
    wide = [line for line in source if line.startswith("IMAD .WIDE")]
    assert sum(line.startswith("v_mad_") for line in target) == len(wide)
    assert not any("vcc" in line for line in target)
    assert made[name]["evidence"] in ("E1", "E1u")


def test_parts_told_so_are_right_together(made: Any) -> None:
    found = made["matmul_tiled_static_sass"]
    assert found["parts"] > 2
    assert found["together"] in ("E1", "E1u")


def lines(*texts: str) -> list[Line]:
    return [text.split() for text in texts]


def test_vcc_is_a_name_like_others() -> None:
    found = named(lines("v_cmp_gt_i32 vcc_lo , s #3 , v #0", "v_cndmask_b32 v #1 , #0 , #1 , vcc_lo", "s_endpgm"))
    assert [" ".join(line) for line in found[:2]] == [
        "v_cmp_gt_i32 s #16 , s #3 , v #0",
        "v_cndmask_b32 v #4 , #0 , #1 , s #16",
    ]


def test_vcc_stays_where_it_is_read_without_being_said() -> None:
    text = (
        "v_div_scale_f32 v #1 , vcc_lo , v #0 , v #0 , v #0",
        "v_div_fmas_f32 v #1 , v #1 , v #1 , v #1",
        "s_endpgm",
    )
    assert [" ".join(line) for line in named(lines(*text))[:2]] == [
        "v_div_scale_f32 v #4 , vcc_lo , v #0 , v #0 , v #0",
        "v_div_fmas_f32 v #5 , v #4 , v #4 , v #4",
    ]


def test_lanes_wake_where_a_mask_that_held_them_is_set() -> None:
    """v3 of the first line is dead behind the inner region: its lanes sleep on until s4 is set."""
    text = (
        "v_mov_b32 v #3 , #1",
        "s_and_saveexec_b32 s #4 , s #2",
        "global_store_b32 v #0 , v #3 , s*2 #0",
        "s_and_saveexec_b32 s #5 , s #3",
        "v_mov_b32 v #3 , #2",
        "s_or_b32 exec_lo , exec_lo , s #5",
        "v_mov_b32 v #3 , #3",
        "global_store_b32 v #0 , v #3 , s*2 #0",
        "s_or_b32 exec_lo , exec_lo , s #4",
        "s_endpgm",
    )
    found = [" ".join(line) for line in named(lines(*text))]
    assert found[0] == "v_mov_b32 v #4 , #1"
    assert found[6] == "v_mov_b32 v #6 , #3"
    kept = list(text)
    kept[8:9] = [text[8], "global_store_b32 v #0 , v #3 , s*2 #0"]  # now the lanes that slept read it
    found = [" ".join(line) for line in named(lines(*kept))]
    assert found[0] == "v_mov_b32 v #4 , #1"
    assert found[6] == "v_mov_b32 v #4 , #3"


def test_lanes_of_the_other_side_wake_by_a_mask_that_is_made_of_the_saved_one() -> None:
    text = (
        "v_mov_b32 v #3 , #1",
        "s_and_saveexec_b32 s #4 , s #2",
        "s_xor_b32 s #4 , exec_lo , s #4",
        "v_mov_b32 v #3 , #2",
        "s_or_saveexec_b32 s #5 , s #4",
        "global_store_b32 v #0 , v #3 , s*2 #0",
        "s_endpgm",
    )
    found = [" ".join(line) for line in named(lines(*text))]
    assert found[0] == "v_mov_b32 v #4 , #1"
    assert found[3] == "v_mov_b32 v #4 , #2"  # lanes that slept read the first value in the same register


def test_what_saveexec_writes_holds_no_lane_that_slept_before() -> None:
    """The second mask is made in front of both regions; s5 holds the lanes that are awake when it is written."""
    text = (
        "v_cmp_gt_i32 s #20 , v #0 , #1",
        "v_cmp_gt_i32 s #21 , v #0 , #2",
        "v_mov_b32 v #3 , #1",
        "s_and_saveexec_b32 s #4 , s #20",
        "global_store_b32 v #0 , v #3 , s*2 #0",
        "s_or_b32 exec_lo , exec_lo , s #4",
        "v_mov_b32 v #3 , #2",
        "s_and_saveexec_b32 s #5 , s #21",
        "global_store_b32 v #0 , v #3 , s*2 #0",
        "s_or_b32 exec_lo , exec_lo , s #5",
        "global_store_b32 v #0 , v #3 , s*2 #0",
        "s_endpgm",
    )
    found = [" ".join(line) for line in named(lines(*text))]
    assert (found[2], found[6]) == ("v_mov_b32 v #4 , #1", "v_mov_b32 v #5 , #2")
