"""What other emulators of RDNA3 are known to get wrong, each as a test. Sources: rocm-systems issue 9933 (rocjitsu),
tinygrad 0.14's emulator and remu, as measured in November 2026.

Elsewhere: device functions and variables, f64 sums by compare-and-swap, swizzles, s_sendmsg_rtn, recursion, private
memory of each wave and kernels compiled with -O0 (`test_emulator_core.py`), several barriers of a wave (its
`test_matrix_product`), subnormals, rounding and IEEE by MODE (`test_emulator_core_state.py`), scalar float operations
of RDNA3.5 (`isa/test_rdna3_decode.py`), wild addresses that are the host's (`test_hip_fault.py`), kernels that ask for
the dispatch packet (`test_hip_module.py`), counts by fidelity (`test_emulator_count.py`).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.native.emulator_core_support import CodeObject, assemble, compile_hip, launch_code

MODE = 0xF0 << 12 | 8  # rounding to nearest, subnormals kept; registers enough


def run(text: str, folder: Path, *arrays: np.ndarray, items: int = 32) -> None:
    """Assembler text whose s[0:1] is the place of the arrays' addresses."""
    places = np.array([array.ctypes.data for array in arrays], np.uint64)
    done = launch_code(assemble(text, folder), places.ctypes.data, MODE, 1, items)
    assert done.status == "ok", done.text


def test_operands_102_and_103_are_scalar_registers(tmp_path: Path) -> None:
    """On earlier generations they were FLAT_SCRATCH (rocjitsu)."""
    out = np.zeros(32, np.uint32)
    text = """
    s_load_b64 s[4:5], s[0:1], null
    s_mov_b32 s102, 40
    s_mov_b32 s103, 2
    s_add_u32 s6, s102, s103
    v_add_nc_u32 v1, s102, v0
    v_mad_u32_u24 v1, v1, s103, s6
    v_lshlrev_b32 v2, 2, v0
    s_waitcnt lgkmcnt(0)
    global_store_b32 v2, v1, s[4:5]
    s_endpgm
"""
    run(text, tmp_path, out)
    assert (out == (np.arange(32) + 40) * 2 + 42).all()


def test_a_buffer_ends_at_its_number_of_records(tmp_path: Path) -> None:
    """Raw buffers: loads beyond give 0, stores beyond do nothing (RDNA3 ISA manual, range checking; rocjitsu)."""
    source, target, out = np.arange(1, 33, dtype=np.uint32), np.zeros(32, np.uint32), np.zeros(32, np.uint32)
    text = """
    s_load_b128 s[4:7], s[0:1], null
    s_load_b64 s[16:17], s[0:1], 0x10
    s_waitcnt lgkmcnt(0)
    s_mov_b64 s[8:9], s[4:5]
    s_mov_b32 s10, 20
    s_mov_b32 s11, 0x31004000
    s_mov_b64 s[12:13], s[6:7]
    s_mov_b32 s14, 28
    s_mov_b32 s15, 0x31004000
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, -1
    buffer_load_b32 v2, v1, s[8:11], 0 offen
    s_waitcnt vmcnt(0)
    buffer_store_b32 v0, v1, s[12:15], 0 offen
    global_store_b32 v1, v2, s[16:17]
    s_endpgm
"""
    run(text, tmp_path, source, target, out)
    assert list(out) == [1, 2, 3, 4, 5] + [0] * 27
    assert list(target) == [0, 1, 2, 3, 4, 5, 6] + [0] * 25


def test_scalar_loads_add_register_and_immediate(tmp_path: Path) -> None:
    """Both offsets of s_load count (rocjitsu dropped one)."""
    source, out = np.arange(100, 164, dtype=np.uint32), np.zeros(32, np.uint32)
    text = """
    s_load_b128 s[4:7], s[0:1], null
    s_mov_b32 s8, 0x20
    s_waitcnt lgkmcnt(0)
    s_load_b32 s9, s[4:5], s8 offset:0x14
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v2, s9
    global_store_b32 v1, v2, s[6:7]
    s_endpgm
"""
    run(text, tmp_path, source, out)
    assert (out == 100 + (0x20 + 0x14) // 4).all()


def test_compare_and_swap_of_64_bits(tmp_path: Path) -> None:
    """The new value is the first pair of registers, what is compared the second (tinygrad stored another)."""
    cells = np.array([7, 8 << 40, 9, 10], np.uint64)
    out = np.zeros(4, np.uint64)
    text = """
    s_load_b128 s[4:7], s[0:1], null
    v_lshlrev_b32 v1, 3, v0
    v_mov_b32 v2, 0x55
    v_mov_b32 v3, 0x66
    v_mov_b32 v4, 0
    v_mov_b32 v5, 8 << 8
    s_waitcnt lgkmcnt(0)
    global_atomic_cmpswap_b64 v[6:7], v1, v[2:5], s[4:5] glc
    s_waitcnt vmcnt(0)
    global_store_b64 v1, v[6:7], s[6:7]
    s_endpgm
"""
    run(text, tmp_path, cells, out, items=4)
    assert list(out) == [7, 8 << 40, 9, 10]
    assert list(cells) == [7, 0x66 << 32 | 0x55, 9, 10]


def test_a_kernel_of_one_dimension_gets_x_alone(tmp_path: Path) -> None:
    """LLVM does not mask v0 where it asked for x only, whatever the workgroup's shape (tinygrad packs y and z in)."""
    source = tmp_path / "k.hip"
    source.write_text(
        '#define A __attribute__\nextern "C" A((global)) void count(int *o) '
        "{ __hip_atomic_fetch_add(&o[__builtin_amdgcn_workitem_id_x()], 1, __ATOMIC_RELAXED, 4); }\n"
    )
    kernels, out = CodeObject(compile_hip(source, tmp_path, "-O3")), np.zeros(64, np.int32)
    done = kernels.launch("count", (2,), (8, 4, 2), [out])
    assert done.status == "ok", done.text
    assert list(out) == [16] * 8 + [0] * 56
