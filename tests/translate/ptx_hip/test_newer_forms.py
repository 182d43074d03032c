"""Forms of sm_100 and sm_120 on the emulated device, against what PTX's manual defines them by, run there too.

What they are defined by is recorded on an H200 (`forms.npz`, `probes.npz`); the forms themselves it does not have.
"""

from __future__ import annotations

import pytest

from cass_shim.isa.ptx import load_all
from cass_shim.isa.ptx.spec import ROWS
from tests.translate.ptx_hip.emulated import device
from tools.ptxforms.check import compiled, result_of
from tools.ptxforms.matrices import products
from tools.ptxforms.newer import reductions, stand_in
from tools.ptxforms.probes import Probe
from tools.ptxforms.recorded import agrees
from tools.ptxforms.signatures import signature

FORMS = (
    "add.f32x2", "add.rm.ftz.f32x2", "sub.rz.f32x2", "mul.rp.f32x2", "mul.ftz.f32x2", "fma.rn.f32x2",
    "fma.rz.ftz.f32x2",
    "add.rm.f32.f16", "add.sat.f32.bf16", "sub.rp.sat.f32.f16", "sub.f32.bf16", "fma.rz.f32.bf16", "fma.rp.sat.f32.f16",
    "cvt.rn.satfinite.tf32.f32", "cvt.rz.relu.satfinite.tf32.f32", "ld.global.v8.b32", "ld.v4.f64", "ld.global.v8.f32",
    "ld.acquire.gpu.global.v4.u64", "st.global.v8.s32", "st.v4.b64", "st.release.sys.global.v8.f32",
)  # fmt: skip


def probe_of(name: str) -> Probe:
    """The form's probe with its stand-in."""
    load_all()
    opcode, *modifiers = name.split(".")
    form = next(filter(None, (signature(row, tuple(modifiers)) for row in ROWS[opcode])))
    probe = stand_in(form)
    assert probe is not None
    return probe


def probes() -> list[Probe]:
    kinds = [probe for probe in products() if "kind::f8f6f4" in probe.name]
    return [*map(probe_of, FORMS), *reductions(), *kinds]


@pytest.mark.parametrize("part", range(4))
def test_a_form_gives_what_it_is_defined_by(part: int) -> None:
    chosen = probes()[part::4]
    assert len(chosen) > 5
    both = [each for probe in chosen for each in (probe, probe.on_the_gpu)]
    assert all(one.body != other.body for one, other in zip(both[::2], both[1::2], strict=True))
    code, slots = compiled(both)
    loaded, wrong = device().load(code), []
    for number in range(0, len(both), 2):
        got, want = (result_of(device(), loaded.function(f"p{at}"), both[at], slots[at]) for at in (number, number + 1))
        if not agrees(both[number], got, want).all():
            wrong.append(both[number].name)
    assert not wrong
