"""A sample of the PTX probes recorded on a real NVIDIA GPU; `python3 -m tools.ptxforms.check` runs all of them."""

from __future__ import annotations

import numpy as np
import pytest

from cass_shim.isa.ptx import load_all
from cass_shim.isa.ptx.spec import ROWS
from tests.translate.ptx_hip.emulated import device
from tools.ptxforms.check import expected, wrong
from tools.ptxforms.flow import all_flow
from tools.ptxforms.kin import kin, plain
from tools.ptxforms.probes import POLICY, RESULT_BYTES, Probe
from tools.ptxforms.recorded import agrees, chosen, recording, started_from
from tools.ptxforms.selection import probe_of
from tools.ptxforms.signatures import signature

SAMPLE = (
    "vadd.u32.s32.u32.sat.max", "vshl.u32.u32.u32.sat.wrap", "vmad.s32.u32.u32.sat", "vabsdiff.u32.s32.u32.sat.min",
    "vset.s32.s32.eq.max", "vadd4.u32.s32.s32.add", "vmin.s32.s32.s32.sat %s32_10.h1",
    "m8n8k4.row.row.f32.f16.f16.f16", "m8n8k4.col.col.f32.f16.f16.f16",
    "m16n8k32.row.col.s32.s8.u8", "m16n8k64.row.col.f32.e4m3.e5m2", "cvt.rp.ftz.f16.f32", "cp.async", "mbarrier",
    "atom.add.f32", "atom.shared.add.f32", "atom.add.noftz.f16", "red.add.v4.f32", "red.global.add.f32",
    "isspacep",
)  # fmt: skip


@pytest.mark.parametrize("part", [chosen(SAMPLE, ""), chosen((), "7/60")], ids=["once wrong", "every 60th"])
def test_probes_give_what_the_gpu_gave(part: list[int]) -> None:
    assert len(part) > 40
    assert wrong(device(), expected(part)) == {}


HINTED = (
    "ld.weak.L2::cache_hint.v2.s64", "ld.acquire.cta.global.L1::evict_first.L2::cache_hint.b64",
    "ld.global.nc.L2::cache_hint.L2::64B.v4.f32", "st.weak.L1::evict_last.L2::cache_hint.u64",
    "st.release.cta.L2::cache_hint.v2.s16", "atom.and.b32.L2::cache_hint", "atom.add.f32.L2::cache_hint",
    "atom.acq_rel.gpu.global.add.noftz.bf16.L2::cache_hint", "atom.exch.b128.L2::cache_hint",
    "atom.global.add.L2::cache_hint.v2.f32", "atom.min.noftz.L2::cache_hint.v4.f16x2", "red.dec.u32.L2::cache_hint",
    "red.relaxed.sys.global.max.s64.L2::cache_hint", "red.add.noftz.L2::cache_hint.v8.f16",
)  # fmt: skip


def hinted(name: str) -> Probe:
    """The probe of a form with a cache policy."""
    opcode, *modifiers = name.split(".")
    form = next(filter(None, (signature(row, tuple(modifiers)) for row in ROWS[opcode])))
    return probe_of(form)


def test_a_cache_policy_changes_no_result() -> None:
    load_all()
    probes = [hinted(name) for name in HINTED]
    assert all(POLICY[0] in probe.body and POLICY[1] in "".join(probe.body) for probe in probes)
    recorded = recording()
    held = [(probe, recorded.results[n]) for n, probe in enumerate(recorded.probes) if probe.name in HINTED]
    group = [*held, *kin(probes)]
    assert sorted(probe.name for probe, _ in group) == sorted(HINTED) and len(held) > 9
    assert wrong(device(), group) == {}


def test_hints_changed_no_result_on_the_gpu() -> None:
    """So the recording of a form may stand for another that differs in hints alone (`kin`)."""
    recorded = recording()
    rows: dict[tuple[str, tuple[str, ...]], set[int]] = {}
    for number, probe in enumerate(recorded.probes):
        rows.setdefault((probe.seed, plain(probe)), set()).add(int(recorded.results.row_of[number]))
    assert sum(map(len, rows.values())) < len(recorded.probes) - 4900
    assert [key for key, different in rows.items() if len(different) > 1] == []


@pytest.mark.parametrize("name", ["trap", "brkpt"])
def test_what_ended_the_launch_on_the_gpu_ends_it(name: str) -> None:
    """719, the launch failed: so does a breakpoint where no debugger is."""
    assert recording().failed[name].endswith(": 719")
    probe = next(probe for probe in all_flow() if probe.name == name)
    nothing = np.zeros_like(recording().results[0])
    assert "719" in wrong(device(), [(probe, nothing)])[name]


def test_another_result_does_not_pass() -> None:
    recorded = recording()
    number = chosen(("vadd.u32.s32.u32.sat",), "")[0]
    want = recorded.results[number]
    changed = want.copy()
    changed[3, 0] ^= 1
    assert agrees(recorded.probes[number], want, want).all()
    assert agrees(recorded.probes[number], changed, want).tolist().index(False) == 3


def test_a_cell_is_compared_by_its_values() -> None:
    """What changed in it is kept: two NaNs there are any two, and what only looks like NaNs is compared by bits."""
    recorded = recording()
    number = chosen(("atom.release.add.f32",), "")[0]
    probe, want = recorded.probes[number], recorded.results[number]
    cell = RESULT_BYTES // 4
    started = started_from(probe)[:, cell]
    values = (want[:, cell] ^ started).view(np.float32)
    nan = int(np.argmax(np.isnan(values)))
    other = int(np.argmax(np.isfinite(values)))
    changed = want.copy()
    changed[nan, cell] = 0x7FC12345 ^ started[nan]
    assert np.isnan(values[nan]) and agrees(probe, changed, want).all()
    want, changed = want.copy(), want.copy()
    want[other, cell], changed[other, cell] = 0x7FC00001, 0x7FC00002
    assert agrees(probe, changed, want).tolist().index(False) == other
