"""Forms that no recording covers yet, on the emulated device, against what PTX's manual makes of them."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from numpy.typing import NDArray

from cass_shim.model.artifacts import PtxModule
from cass_shim.model.errors import Unsupported
from cass_shim.translate.ptx_hip import translate_kernel
from tests.translate.ptx_hip.emulated import build, device

REGISTERS = """.reg .pred %p<9>; .reg .b16 %h<40>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<9>;
.reg .b128 %q<9>; .reg .f16x2 %x<9>; .reg .u16 %u<9>; .shared .align 16 .b64 gate[2];
ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x;"""
THREADS = 64


def kernel(name: str, body: str) -> str:
    return f".visible .entry {name}(.param .u64 in, .param .u64 out) {{ {REGISTERS}\n{body}\nret; }}\n"


KERNELS = {
    # 64 threads of two warps and four blocks count in one 128-bit cell: each adds 1 to the low and 3 to the high half.
    "swap128": """again: ld.relaxed.gpu.global.b128 %q0, [%rd1]; mov.b128 {%rd2, %rd3}, %q0;
      add.u64 %rd4, %rd2, 1; add.u64 %rd5, %rd3, 3; mov.b128 %q1, {%rd4, %rd5};
      atom.acq_rel.gpu.global.cas.b128 %q2, [%rd1], %q0, %q1; mov.b128 {%rd6, %rd7}, %q2;
      setp.ne.u64 %p0, %rd2, %rd6; @%p0 bra again; setp.ne.u64 %p1, %rd3, %rd7; @%p1 bra again;""",
    # Each lane puts its number in; what comes out, and what stays, is every number once.
    "exchange128": """cvt.u64.u32 %rd2, %r0; not.b64 %rd3, %rd2; mov.b128 %q0, {%rd2, %rd3};
      atom.exch.b128 %q1, [%rd1], %q0; mov.b128 {%rd4, %rd5}, %q1; mul.wide.u32 %rd6, %r0, 16; add.u64 %rd7, %rd1, %rd6;
      st.global.v2.u64 [%rd7+16], {%rd4, %rd5};""",
    "vectors": """ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd0];
      atom.global.v2.f32.add {%f1, %f2}, [%rd1], {1.5, 0f40000000};
      red.global.add.noftz.v4.f16x2 [%rd1+16], {%r1, %r2, %r3, %r4};
      red.global.max.noftz.v4.f16x2 [%rd1+32], {%r1, %r2, %r3, %r4};
      red.global.min.noftz.v4.bf16x2 [%rd1+48], {%r1, %r2, %r3, %r4};
      setp.eq.u32 %p0, %r0, 0; @!%p0 bra end;
      atom.global.v2.bf16.max.noftz {%h0, %h1}, [%rd1+64], {%h2, %h3}; end:""",
    # The second warp waits for a phase that needs 64 arrivals and 640 transactions, 10 completed by each thread.
    "transactions": """setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [gate], 64; bar.sync 0;
      @%p0 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [gate], 300;
      @%p0 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd2, [gate], 340;
      @!%p0 mbarrier.arrive.shared.b64 %rd2, [gate]; bar.sync 0;
      mbarrier.test_wait.parity.shared.b64 %p1, [gate], 0; selp.u32 %r1, 1, 0, %p1; bar.sync 0;
      mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [gate], 10;
      wait: mbarrier.try_wait.parity.shared.b64 %p2, [gate], 0; @!%p2 bra wait;
      mbarrier.test_wait.parity.shared.b64 %p3, [gate], 1; selp.u32 %r2, 1, 0, %p3;
      mul.wide.u32 %rd3, %r0, 8; add.u64 %rd4, %rd1, %rd3; st.global.v2.u32 [%rd4], {%r1, %r2};""",
    "beyond": """mul.wide.u32 %rd2, %r0, 4; add.u64 %rd3, %rd0, %rd2; ld.global.u32 %r1, [%rd3];
      mov.b32 {%h0, %h1}, %r1; mov.b16 %h2, 0x3c00; mov.b16 %h3, 0x4000;
      fma.rn.oob.f16 %h4, %h0, %h2, %h3; fma.rn.oob.relu.f16 %h5, %h2, %h0, %h3; mov.b32 %r2, {%h4, %h5};
      mov.b32 %r3, 0x3f803f80; mov.b32 %r4, 0x40004000; fma.rn.oob.bf16x2 %r5, %r1, %r3, %r4;
      shl.b32 %r6, %r0, 3; cvt.u64.u32 %rd4, %r6; add.u64 %rd5, %rd1, %rd4; st.global.v2.u32 [%rd5], {%r2, %r5};""",
    # Rows of 9 halves, which PTX does not allow.
    "rows_of_nine": """wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd0], 9;
      mul.wide.u32 %rd2, %r0, 16; add.u64 %rd3, %rd1, %rd2; st.global.v4.u32 [%rd3], {%r1, %r2, %r3, %r4};""",
    # What ptxas takes: .f16x2 and .b128 registers for integers, a 32-bit generic address, a third source for nothing.
    "odd": """ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0]; mov.b32 %x0, %r1; add.s32 %x1, %x0, %r2;
      mul.lo.s32 %r5, %r2, %x0; cvt.u32.u8 %r6, %x0; cvt.u32.u16 %q0, %r2; cvt.u32.u16 %r7, %q0;
      mov.b128 {%rd4, %rd5}, %q0; cvt.u32.u64 %r8, %rd5; cvt.rn.f32.s16 %f0, %q0; isspacep.shared %p0, %r3;
      selp.u32 %r9, 1, 0, %p0; vadd.s32.u32.u32 %r10, %r1, %r2, %r4; set.eq.bf16.f32 %u0, %f0, %f0;
      cvt.u32.u16 %r11, %u0; mov.b32 %r12, %x1; mov.b32 %r13, %f0; cvta.shared.u64 %rd6, gate;
      st.global.v4.u32 [%rd1], {%r12, %r5, %r6, %r7}; st.global.v4.u32 [%rd1+16], {%r8, %r9, %r10, %r11};
      st.global.u32 [%rd1+32], %r13;""",
}
TEXT = ".version 8.8\n.target sm_90\n.address_size 64\n" + "".join(kernel(*each) for each in KERNELS.items())


@pytest.fixture(scope="module")
def code() -> object:
    return build(PtxModule(TEXT, 90), list(KERNELS))


def run(code: object, name: str, given: NDArray[np.uint32], words: int, blocks: int = 1) -> NDArray[np.uint32]:
    with device().buffer(given) as source, device().buffer(np.zeros(words, np.uint32)) as target:
        kernarg = struct.pack("<QQQ", source.address, target.address, 0)
        code.function(name).launch((blocks,), (THREADS,), kernarg)  # type: ignore[attr-defined]
        device().synchronize()
        read: NDArray[np.uint32] = target.read()
        return read


NOTHING = np.zeros(4, np.uint32)


def test_compare_and_swap_of_16_bytes_loses_no_update(code: object) -> None:
    low, high = run(code, "swap128", NOTHING, 4, blocks=4).view(np.uint64)
    assert (low, high) == (4 * THREADS, 3 * 4 * THREADS)


def test_exchange_of_16_bytes_hands_every_value_on_once(code: object) -> None:
    cells = run(code, "exchange128", NOTHING, 4 * (THREADS + 1)).view(np.uint64).reshape(-1, 2)
    seen = sorted(map(tuple, cells.tolist()))
    assert seen == sorted([(0, 0), *((n, n ^ 0xFFFFFFFFFFFFFFFF) for n in range(THREADS))])


def test_vectors_of_halves_are_added_and_compared_as_floats(code: object) -> None:
    halves = np.array([1.0, -2.0, 0.5, 3.0, -0.25, 0.0, 8.0, -1.0], np.float16)
    found = run(code, "vectors", halves.view(np.uint32), 20)
    assert found[:2].view(np.float32).tolist() == [1.5 * THREADS, 2.0 * THREADS]
    assert found[4:8].view(np.float16).tolist() == (halves * THREADS).tolist()
    assert found[8:12].view(np.float16).tolist() == np.maximum(halves, 0).tolist()
    as_bf16 = (halves.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    assert (found[12:16].view(np.uint16).astype(np.uint32) << 16).view(np.float32).tolist() == np.minimum(
        as_bf16, 0
    ).tolist()
    assert found[16] == 0


def test_a_phase_is_over_when_arrivals_and_transactions_are(code: object) -> None:
    flags = run(code, "transactions", NOTHING, 2 * THREADS).reshape(THREADS, 2)
    assert not flags.any()  # not over before the transactions, and the next phase not over after them


def test_oob_nan_factors_give_zero_and_other_nans_stay(code: object) -> None:
    given = np.full(THREADS, 0x3C003C00, np.uint32)
    given[1:5] = [0x7FF77FF7, 0xFFF7FFF7, 0x7E007E00, 0x7FF73C00]
    found = run(code, "beyond", given, 2 * THREADS).view(np.uint16).reshape(THREADS, 4)
    assert found[0].tolist() == [0x4200, 0x4200, 0x4000, 0x4000]  # 1 + 2 = 3; as bf16 2^-7 + 2 rounds to 2
    assert found[1].tolist() == found[2].tolist() == [0, 0, 0, 0]
    assert found[3, 0] & 0x7C00 == 0x7C00 and found[3, 0] & 0x3FF and found[3, 1] & 0x3FF
    assert found[4].tolist() == [0x4200, 0x4200, 0x4000, 0]


def test_registers_that_ptxas_takes_for_others(code: object) -> None:
    """As its SASS computes them: words are words, 16 bits are the low ones, an address is extended by zeros."""
    found = run(code, "odd", np.array([0x12345678, 0x9ABC8001, 64, 5], np.uint32), 9)
    total, product = (0x12345678 + 0x9ABC8001) & 0xFFFFFFFF, 0x12345678 * 0x9ABC8001 & 0xFFFFFFFF
    assert found[:8].tolist() == [total, product, 0x78, 0x8001, 0, 0, total, 0x3F80]
    assert found[8:].view(np.float32).tolist() == [-0x7FFF]


def test_rows_that_break_the_rule_of_alignment_are_those_of_ptxas(code: object) -> None:
    """As its SASS has them: words of a row, of which there are 9 / 2, and eight rows are eight times 9 halves."""
    found = run(code, "rows_of_nine", np.arange(200, dtype=np.uint32), 4 * THREADS).reshape(THREADS, 4)[:32]
    first = np.arange(32) // 4 * 4 + np.arange(32) % 4
    assert found.tolist() == np.stack([first, first + 36, first + 4, first + 40], axis=1).tolist()


def test_static_shared_memory_beyond_the_devices_says_what_to_do() -> None:
    text = TEXT.replace("gate[2]", "gate[8193]")
    with pytest.raises(Unsupported, match="65544 bytes of static shared memory, a work-group has 65536: build"):
        translate_kernel(PtxModule(text, 90), "transactions")


def test_the_size_of_shared_memory_that_a_launch_gives() -> None:
    """Also to a kernel without such a variable: the hidden argument is there only where code generation sees one."""
    body = "mov.u32 %r1, %dynamic_smem_size; st.global.u32 [%rd1], %r1;"
    text = TEXT.split(".visible")[0] + kernel("size", body).replace(".shared .align 16 .b64 gate[2];", "")
    with device().buffer(NOTHING) as target:
        size = build(PtxModule(text, 90), ["size"]).function("size")
        size.launch((1,), (THREADS,), struct.pack("<QQQ", 0, target.address, 0), 1000)
        device().synchronize()
        assert target.read()[0] == 1000


PRODUCTS = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 %a<4>; .reg .b64 %d<4>; .reg .f32 %f<5>; .reg .b16 %h<5>;
  ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %a0, %tid.x;
  mul.wide.u32 %d2, %a0, 8; add.u64 %d0, %d0, %d2; add.u64 %d1, %d1, %d2;
  ld.global.v2.f32 {%f0, %f1}, [%d0]; mul.f32 %f2, %f0, %f1;
  cvt.rn.f16.f32 %h0, %f2; cvt.rz.f16.f32 %h1, %f2; cvt.rn.f16x2.f32 %a1, %f2, %f2;
  mov.b32 %a2, {%h0, %h1}; st.global.v2.b32 [%d1], {%a1, %a2}; ret;
}
"""


def test_a_product_that_is_a_negative_zero_keeps_its_sign_as_a_half() -> None:
    """NVRTC's __h2div: clang made v_fma_mixlo_f16 with +0 of a product and its conversion."""
    given = np.array([[0, -12.5], [-0.0, 3], [-1e-30, 1e-30], [0, 2], [1.5, -2]], np.float32)
    with device().buffer(given) as source, device().buffer(np.zeros((5, 4), np.uint16)) as target:
        kernarg = struct.pack("<QQQ", source.address, target.address, 0)
        build(PtxModule(PRODUCTS, 80), ["k"]).function("k").launch((1,), (5,), kernarg)
        device().synchronize()
        got = target.read()
    want = (given[:, 0] * given[:, 1]).astype(np.float16).view(np.uint16)
    assert want[:3].tolist() == [0x8000] * 3
    assert (got == want[:, None]).all()


REGISTER_FORMALS = """.version 8.0
.target sm_80
.address_size 64
.func (.reg .b32 %given) shifted(.reg .b32 %taken, .reg .u64 %by) {
  .reg .pred %p; .reg .b32 %s; cvt.u32.u64 %s, %by; setp.eq.u32 %p, %s, 1; mov.b32 %given, 7; @%p ret;
  shl.b32 %given, %taken, %s;
}
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 %a<4>; .reg .b64 %d<4>;
  ld.param.u64 %d0, [out]; mov.u32 %a0, %tid.x; cvt.u64.u32 %d1, %a0; mul.wide.u32 %d2, %a0, 4; add.u64 %d2, %d2, %d0;
  call (%a1), shifted, (%a0, %d1);
  st.global.u32 [%d2], %a1; ret;
}
"""


def test_functions_whose_formals_are_registers() -> None:
    """PTX ISA 9.0 §7.1: `.func (.reg .b32 d) f (.reg .b32 a)`; a result is what its register holds at each return."""
    lanes = np.arange(8, dtype=np.uint32)
    with device().buffer(np.zeros(8, np.uint32)) as target:
        kernarg = struct.pack("<QQQ", 0, target.address, 0)
        build(PtxModule(REGISTER_FORMALS, 80), ["k"]).function("k").launch((1,), (8,), kernarg)
        device().synchronize()
        got = target.read()
    assert got.tolist() == np.where(lanes == 1, 7, lanes << lanes).tolist()
