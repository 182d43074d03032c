"""Instructions with operands of every kind: what they leave is what the real NVIDIA GPU left, bit for bit, NaN aside.

The probes are `tools.sassvectors.shapes`'; MUFU, whose values are approximations, is left to the index of forms.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from cass_shim.isa.spec import execute
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import Instruction, Reg
from cass_shim.selftest.inputs import inputs
from cass_shim.verify.memory import Arena
from cass_shim.verify.state import Geometry
from tests.isa.sass.row_judge import document, verdicts
from tests.isa.sass.test_hardware_vectors import machine_state
from tools.ptxforms.recorded import recording

# What differs, by the beginning of the probe's text, and why that is no code of ptxas's, or known.
KNOWN = {
    r"BMMA\.\w+\.XOR": "the H200 counts ANDs: ptxas makes XOR of ANDs for sm_90 (PTX ISA 9.0, mma .b1)",
    r"ELECT P4, UR32, !?P0": "of the lanes with P0; ptxas gives PT",
    r"FMUL\.\S*M[24]": "the H200 scales the product, we an operand: they differ where that overflows",
    r"FSET\.NAN\.AND R32, R8, R12": "1.0 without .BF too",
    r"HFMA2\.MMA\S* R32, .*H0_H0": "the H200 takes both halves: .MMA has no broadcast; ptxas gives it none",
    r"HMMA": "tensor cores truncate to a grid and add all at once (tensor_sums.py), we round after each product",
    r"LD\.E(\.64)? R32, \[R28\+": "an address of 32 bits, which ptxas never gives a generic load",
    r"R2UR\.OR": "which lane a uniform register comes from, where they differ",
    r"UPRMT\.": "the H200 ignores the modes of the uniform one",
    r"VIADD\.U8x4": "of sm_100; the H200 adds words",
    r"VIMNMX\S* R32, R8, -": "the H200 ignores the sign",
    r"BREV R32, ~": "the H200 ignores the inversion; ptxas gives BREV none",
    r"ATOMS\.POPC\.INC\.32 R32, \[R28\.X": "the H200 gives no result; ptxas makes it with RZ for one only",
}


@pytest.mark.timeout(1200)
def test_agrees_with_the_gpu() -> None:
    """Every word that has a meaning, on all 128 rows."""
    wrong = {name: why for name, why in verdicts().items() if why and not name.startswith("MUFU")}
    unknown = {name: why for name, why in wrong.items() if not any(re.match(known, name) for known in KNOWN)}
    assert unknown == {}
    unused = [known for known in KNOWN if not any(re.match(known, name) for name in wrong)]
    assert unused == []
    assert sum(why == "" for why in verdicts().values()) > 3900


def test_probes_hold_every_kind_of_operand() -> None:
    texts = " ".join(probe["text"] for probe in document()["probes"])
    for kind in ("c[0x0][0x220]", " UR12", "UP0", "-|R8|", ".H1_H1", "[R28+UR28+0x100]", "[UR28+0x100]", "~R16"):
        assert kind in texts, kind


def test_a_half_is_widened_and_clamped_in_one() -> None:
    """sm_75's HADD2.F32.SAT was taken for HADD2.F32: what the H200 gave for PTX's cvt.sat.f32.f16 tells."""
    recorded = recording()
    number = next(n for n, probe in enumerate(recorded.probes) if probe.name == "cvt.sat.f32.f16")
    want = recorded.results[number][:, 0]
    given = inputs("cvt.sat.f32.f16")[: len(want), 0] & np.uint32(0xFFFF)
    nothing = Arena(0x10000, np.zeros(16, np.uint8), np.zeros(16, bool))
    state: Any = machine_state(Geometry((1, 1, 1), (len(want), 1, 1)), nothing)
    state.set_reg(2, False, given)
    half, zero = Reg(2, suffix=("H0_H0",)), Reg(255, negate=True, suffix=("H0_H0",))
    execute(state, Instruction(0, "HADD2", ("F32", "SAT"), (Reg(7), half, zero)))
    assert np.array_equal(state.get_reg(7, False), want)
    with pytest.raises(Unsupported):
        execute(state, Instruction(0, "HADD2", ("F32", "RELU"), (Reg(7), half, zero)))
