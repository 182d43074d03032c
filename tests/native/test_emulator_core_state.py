"""Forward progress between waves and workgroups that spin on each other, and MODE's rounding and subnormal control."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from tests.native.emulator_core_support import CodeObject, assemble, compile_hip, launch_code

SOURCE = Path(__file__).with_name("emulator_spin.hip")
U32, F32 = np.uint32, np.float32
IEEE = 1 << 23
KEEPS_F32 = 3 << 16
PLAIN_MODE = 63 | 0xF << 16 | 1 << 21 | IEEE


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> CodeObject:
    return CodeObject(compile_hip(SOURCE, tmp_path_factory.mktemp("spin"), "-O3"))


@pytest.mark.parametrize("groups", [4, 64])
def test_grid_barrier_of_a_cooperative_launch(kernels: CodeObject, groups: int) -> None:
    count, out = np.zeros(1, U32), np.zeros(groups, U32)
    done = kernels.launch("gridsync", (groups,), (128,), [count, out, U32(groups)], cooperative=True)
    assert done.status == "ok" and (out == 3 * groups).all()


@pytest.mark.parametrize("groups", [2, 12, 500])
def test_first_group_waits_for_the_last(kernels: CodeObject, groups: int) -> None:
    flag, out = np.zeros(1, U32), np.zeros(64, U32)
    done = kernels.launch("back", (groups,), (64,), [flag, out, U32(groups)])
    assert done.status == "ok" and (out == 7).all()


def test_waves_of_a_group_spin_on_each_other(kernels: CodeObject) -> None:
    out = np.zeros(256, U32)
    done = kernels.launch("waves", (1,), (256,), [out])
    assert done.status == "ok" and (out == np.arange(256) // 32 + 1).all()


def binary(
    instruction: str, before: str, tmp_path: Path, a: np.ndarray, b: np.ndarray, rsrc1: int, modifier: str = ""
) -> np.ndarray:
    """32 lanes of one instruction on v1, v2 into v3, after a scalar instruction."""
    memory = np.zeros(96, U32)
    memory[:32], memory[32:64] = a.view(U32), b.view(U32)
    text = f"""
    v_lshlrev_b32 v0, 2, v0
    global_load_b32 v1, v0, s[0:1]
    global_load_b32 v2, v0, s[0:1] offset:128
    {before}
    {instruction} v3, v1, v2 {modifier}
    global_store_b32 v0, v3, s[0:1] offset:256
    s_endpgm
"""
    done = launch_code(assemble(text, tmp_path), memory.ctypes.data, rsrc1, 1, 32)
    assert done.status == "ok", done.text
    return memory[64:].view(F32)


@pytest.mark.parametrize(("mode", "toward"), [(0, None), (1, np.inf), (2, -np.inf), (3, 0)])
def test_round_mode(tmp_path: Path, mode: int, toward: float | None) -> None:
    """Quotas of the exact sum: directed rounding gives the neighbour on its side."""
    rng = np.random.default_rng(5)
    a, b = rng.normal(0, 1, 32).astype(F32), rng.normal(0, 1e-4, 32).astype(F32)
    got = binary("v_add_f32", f"s_round_mode {mode}", tmp_path, a, b, PLAIN_MODE)
    exact = a.astype(np.float64) + b.astype(np.float64)
    want = exact.astype(F32)
    if toward is not None:
        side = np.where(toward == 0, np.sign(exact) * -np.inf, toward)
        wrong = np.where(side > 0, want < exact, want > exact)
        want = np.where(wrong, np.nextafter(want, side.astype(F32)), want)
    assert (got == want).all()


def test_subnormals_follow_mode(tmp_path: Path) -> None:
    """Flushed when the descriptor or s_denorm_mode says so, and only then."""
    tiny, one = np.full(32, 1e-40, F32), np.full(32, 1, F32)
    assert (binary("v_mul_f32", "s_nop 0", tmp_path, tiny, one, PLAIN_MODE) == tiny).all()
    assert (binary("v_mul_f32", "s_nop 0", tmp_path, tiny, one, PLAIN_MODE & ~KEEPS_F32) == 0).all()
    assert (binary("v_mul_f32", "s_denorm_mode 12", tmp_path, tiny, one, PLAIN_MODE) == 0).all()
    assert (binary("v_mul_f32", "s_denorm_mode 15", tmp_path, tiny, one, PLAIN_MODE & ~(3 << 16)) == tiny).all()
    small = np.full(32, 2e-38, F32)
    half = np.full(32, 0.25, F32)
    assert (binary("v_mul_f32", "s_denorm_mode 13", tmp_path, small, half, PLAIN_MODE) == 0).all()
    assert (binary("v_max_f32", "s_nop 0", tmp_path, tiny, -one, PLAIN_MODE) == tiny).all()
    assert (binary("v_max_f32", "s_nop 0", tmp_path, tiny, -one, PLAIN_MODE & ~KEEPS_F32) == 0).all()


@pytest.mark.parametrize("before", ["s_denorm_mode 12", "s_denorm_mode 15"])
def test_halves_of_mixed_operands_keep_their_subnormals(tmp_path: Path, before: str) -> None:
    """Single precision's flushing is of single precision's operands: a half's subnormal is no subnormal once it is
    widened. A matrix product built with -use_fast_math lost them here."""
    halves = np.array([0x0001, 0x03FF, 0x0400, 0x8123, 0x7BFF, 0xBC00, 0, 0x8000] * 4, np.uint16)
    mixed = (halves.astype(U32)).view(F32)
    got = binary("v_fma_mix_f32", before, tmp_path, mixed, np.full(32, 3, F32), PLAIN_MODE, ", 0 op_sel_hi:[1,0,0]")
    assert (got == 3 * halves.view(np.float16).astype(F32)).all()


@pytest.mark.parametrize(("off", "factor"), [(0, 1), (IEEE, 1), (KEEPS_F32, 1), (IEEE | KEEPS_F32, 2)])
def test_output_scale_needs_flushing_and_no_ieee_mode(tmp_path: Path, off: int, factor: int) -> None:
    """Elsewhere it is ignored; where it counts, -0 becomes +0."""
    a, zero = np.arange(-16, 16).astype(F32), np.full(32, -0.0, F32)
    got = binary("v_add_f32_e64", "s_nop 0", tmp_path, a, zero, PLAIN_MODE & ~off, "mul:2")
    assert (got == a * factor).all()
    got = binary("v_add_f32_e64", "s_nop 0", tmp_path, zero, zero, PLAIN_MODE & ~off, "mul:2")
    assert (np.signbit(got) == (factor == 1)).all()


MEMORY_SUM = """global_store_b32 v0, v1, s[0:1] offset:256
    s_waitcnt_vscnt null, 0
    global_atomic_add_f32 v0, v2, s[0:1] offset:256
    s_waitcnt_vscnt null, 0
    global_load_b32 v1, v0, s[0:1] offset:256
    s_waitcnt vmcnt(0)
    v_mov_b32 v2, 0"""
LDS_SUM = """s_waitcnt vmcnt(0)
    ds_store_b32 v0, v1
    ds_add_f32 v0, v2
    ds_load_b32 v1, v0
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v2, 0"""


@pytest.mark.parametrize(
    ("a", "b", "flushed", "by_mode"),
    [
        (0x31, 0x31, 0, (0, 0, 0, 0x62)),
        (0x00800001, 0x80800000, 0, (0, 0, 1, 1)),
        (0x00400000, 0x00800000, 0x00800000, (0x00800000, 0x00C00000, 0x00800000, 0x00C00000)),
    ],
)
def test_atomic_sums_flush_subnormals(tmp_path: Path, a: int, b: int, flushed: int, by_mode: tuple[int, ...]) -> None:
    """In memory always; in LDS, MODE's first bit keeps those of addends, its second those of sums (RDNA3 ISA, 13.2)."""
    x, y = (np.full(32, value, U32) for value in (a, b))
    for mode, want in enumerate(by_mode):
        for text, result in ((MEMORY_SUM, flushed), (LDS_SUM, want)):
            before = f"s_denorm_mode {12 | mode}\n    {text}"
            got = binary("v_or_b32", before, tmp_path, x, y, PLAIN_MODE)
            assert (got.view(U32) == result).all(), (mode, text)


@pytest.mark.parametrize(("kill", "want"), [(1, 5), (0, 9), (2, 9)])
def test_a_wave_that_kills_itself_ends_there(tmp_path: Path, kill: int, want: int) -> None:
    """s_setkill acts on the lowest bit of its operand; other waves go on."""
    memory = np.zeros(64, U32)
    text = f"""
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 5
    global_store_b32 v1, v2, s[0:1]
    v_cmp_gt_u32 vcc_lo, 32, v0
    s_cbranch_vccz other
    s_setkill {kill}
other:
    v_mov_b32 v2, 9
    global_store_b32 v1, v2, s[0:1]
    s_endpgm
"""
    done = launch_code(assemble(text, tmp_path), memory.ctypes.data, PLAIN_MODE, 1, 64)
    assert done.status == "ok", done.text
    assert (memory[:32] == want).all() and (memory[32:] == 9).all()


def test_lane_pattern_and_halves_of_one_packed_source(tmp_path: Path) -> None:
    """The lane pattern comes first, then the choice of halves and the signs: x0*y1 + (-x1)*y0 of the lane beside."""
    rng = np.random.default_rng(7)
    a, b = (rng.integers(-8, 9, (32, 2)).astype(np.float16) for _ in range(2))
    modifiers = ", v4 op_sel:[0,1,0] op_sel_hi:[1,0,1] neg_hi:[1,0,0] quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"
    got = binary(
        "v_dot2_f32_f16_e64_dpp", "v_mov_b32 v4, 1.0", tmp_path, a.view(F32).ravel(), b.view(F32).ravel(), PLAIN_MODE,
        modifiers,
    )  # fmt: skip
    x, y = a[np.arange(32) ^ 1].astype(F32), b.astype(F32)
    assert (got == x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0] + 1).all()


def test_device_clocks_run(tmp_path: Path) -> None:
    """The real-time counter's 100 MHz and the shader's cycles, around a loop, against the host's clock around both."""
    memory = np.zeros(4, np.uint64)
    text = """
    s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_REALTIME)
    s_getreg_b32 s8, hwreg(HW_REG_SHADER_CYCLES, 0, 20)
    s_mov_b32 s12, 300000
more:
    s_sub_u32 s12, s12, 1
    s_cmp_lg_u32 s12, 0
    s_cbranch_scc1 more
    s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)
    s_getreg_b32 s10, hwreg(HW_REG_SHADER_CYCLES, 0, 20)
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v4, s4
    v_mov_b32 v5, s5
    v_mov_b32 v6, s6
    v_mov_b32 v7, s7
    v_mov_b32 v8, s8
    v_mov_b32 v9, 0
    v_mov_b32 v10, s10
    v_mov_b32 v11, 0
    v_mov_b32 v0, 0
    global_store_b128 v0, v[4:7], s[0:1]
    global_store_b128 v0, v[8:11], s[0:1] offset:16
    s_endpgm
"""
    code, before = assemble(text, tmp_path), time.monotonic_ns()
    done = launch_code(code, memory.ctypes.data, PLAIN_MODE, 1, 1)
    passed = time.monotonic_ns() - before
    assert done.status == "ok", done.text
    ticks = int(memory[1]) - int(memory[0])
    assert 0 < ticks * 10 <= passed
    assert memory[2] != memory[3] and max(memory[2:]) < 1 << 20
