"""Impossible instructions, made from every row of the table: refused by name and place, never a Python error.

ptxas said which operands are impossible: `python3 -m tools.ptxforms.wrong` asks it about thousands more.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from cass_shim.isa.ptx.spec import Row
from cass_shim.model.artifacts import PtxModule
from cass_shim.model.errors import CassError, Malformed, Unsupported
from cass_shim.translate.ptx_hip.parser import parse_module
from cass_shim.translate.ptx_hip.program import write_own
from cass_shim.translate.ptx_hip.translate import kernel_abi, translate_kernel
from tools.ptxforms.oracle import module, written
from tools.ptxforms.selection import sampled
from tools.ptxforms.signatures import all_rows, signature
from tools.ptxforms.wrong import mutants

ROWS = all_rows()
EACH = 3


def refused(line: str) -> str:
    """What is said of an instruction, "" when it is translated. Anything but a CassError is a fault."""
    text, _ = module([line], "100")
    try:
        tree = parse_module(text)
        write_own(tree, "probe", kernel_abi(PtxModule(text, 100), "probe"), {})
    except CassError as error:
        return str(error)
    return ""


def some_mutants(rows: list[Row]) -> Iterator[str]:
    for row in rows:
        generator = random.Random(row.pattern)
        form = next(filter(None, (signature(row, modifiers) for modifiers in sampled(row, 20))), None)
        if form is not None:
            lines = list(mutants(written(form), generator))
            yield from generator.sample(lines, min(EACH, len(lines)))


@pytest.mark.parametrize("part", range(4))
def test_no_instruction_of_any_row_ends_in_a_python_error(part: int) -> None:
    complaints = [refused(line) for line in some_mutants(ROWS[part::4])]
    told = [text for text in complaints if text]
    assert len(told) > len(complaints) // 2
    assert all(re.search(r"line \d+, column \d+", text) for text in told)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("add.u32 %f32_0, %u32_1, %u32_2;", r"%f32_0 is \.f32, expected \.u32"),
        ("add.u32 %u32_0, %u64_1, %u32_2;", r"%u64_1 is \.u64, expected \.u32"),
        ("add.f32 %f32_0, %f32_1, 1;", "an integer for .f32"),
        ("add.u32 %u32_0, %u32_1, 0f3F800000;", "a float for .u32"),
        ("add.u32 %u32_0, %tid.x, 1;", "only mov and cvt read"),
        ("mul.lo.u32 %u32_0, in_global, %u32_2;", "a register or constant is expected"),
        ("min.u32 _, %u32_1, %u32_2;", "may not be dropped"),
        ("add.u32 %u32_0, %u32_1.b0, %u32_2;", "only video instructions"),
        ("add.u32 %u32_0.x, %u32_1, %u32_2;", "has no part"),
        ("not.b32 %b32_0, !%pred_1;", "negated predicate"),
        ("cvt.sat.u32.u16 %u32_0, %u16_0;", "every u16 is a u32"),
        ("cvt.rn.satfinite.f32.bf16 %f32_0, %b16_0;", "no such form"),
        ("ld.global.f16 %f16_0, [in_global];", "no such form"),
        ("ld.relaxed.global.u32 %u32_0, [in_global];", "no such form"),
        ("ld.global.v4.u64 {%u64_0, %u64_1, %u64_2}, [in_global];", "a vector of 3"),
        ("st.param.b32 [p0], %b32_0;", "a store to the parameter"),
        ("setp.lo.s32 %pred_0, %s32_1, %s32_2;", "comparison lo of signed integers"),
        ("bar.sync 16;", "barrier 16"),
        ("mbarrier.arrive.b64 [in_shared];", "1 operands, expected 2 or 3"),
        ("vadd.u32.u32.u32 %u32_0.b1, %u32_1, %u32_2;", "goes with a third source"),
        ("vadd.s32.u32.s32.add %s32_0, %u32_1, -%s32_2, %s32_3;", "a minus sign"),
        ("ld.global.u32 _, [in_global];", "may not be dropped"),
        ("ld.global.v2.u32 {_, _}, [in_global];", "a vector without a register"),
        ("st.global.u64 [in_global], in_global;", "a register or constant is expected"),
        ("shr.u32 %u32_0, %u32_1, %f16x2_2;", r"%f16x2_2 is \.f16x2"),
        ("popc.b32 %f16x2_0, %b32_1;", r"%f16x2_0 is \.f16x2"),
        ("cvt.ftz.f64.f32 %b128_0, %f32_1;", r"%b128_0 is \.b128"),
        ("cvt.rn.bf16x2.f32 %b32_0, %f32_1, %b128_2;", r"%b128_2 is \.b128"),
        ("isspacep.shared %pred_0, %f32_1;", r"%f32_1 is \.f32"),
        ("cvt.pack.sat.s8.s32.b32 %u32_0, %clock64, %s32_1, %b32_2;", "%clock64"),
        ("mma.sync.aligned.m8n8k16.row.col.f32.f16.f16.f32 {%f32_0, %f32_1}, %b32_0, %b32_1, {%f32_2, %f32_3};",
         "m8n8k16"),
        ("mma.sync.aligned.m16n8k8.row.col.satfinite.f32.f16.f16.f32 {%f32_0, %f32_1, %f32_2, %f32_3},"
         " {%b32_0, %b32_1}, {%b32_2}, {%f32_0, %f32_1, %f32_2, %f32_3};", "satfinite with sums of f32"),
        ("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32.rn {%s32_0, %s32_1}, %b32_0, %b32_1, {%s32_2, %s32_3};",
         "rn with sums of s32"),
        ("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32 {%b32_0, %b32_1, %b32_2, %b32_3}, {%b32_0, %b32_1},"
         " {%b32_2, %b32_3}, {%f32_0, %f32_1, %f32_2, %f32_3, %f32_4, %f32_5, %f32_6, %f32_7};", "accumulators of f32"),
        ("wmma.load.a.sync.aligned.row.m16n16k16.global.f32 {%b32_0, %b32_1}, [%u64_0];", "a matrix a of f32"),
        ("wmma.store.d.sync.aligned.row.m8n8k128.global.f32 [%u64_0], {%f32_0, %f32_1};", "a matrix c of f32"),
        ("wmma.mma.sync.aligned.row.col.m8n8k4.s32.s8.s8.s32 {%b32_0}, {%b32_1}, {%b32_2}, {%b32_3};", "m8n8k4 of s8"),
        ("ld.global.L2::cache_hint.b32 %b32_0, [in_global], %b128_0;", r"a cache policy in a \.b128"),
        ("ld.global.L2::cache_hint.b32 %b32_0, [in_global], %f64_0;", r"%f64_0 is \.f64"),
        ("st.global.L2::cache_hint.b32 [in_global], %b32_0, %b128_0;", r"a cache policy in a \.b128"),
        ("prefetch.global.L2 [in_shared];", "in_shared is in shared memory"),
        ("prefetch.local.L1 [in_global];", "in_global is in global memory"),
        ("prefetch.L1 [table, {%b32_0}];", "an address with coordinates"),
        ("prefetch.L1 [5];", "a number for an address"),
        ("prefetch.global.L1 [%b32_0+4];", "expected an address"),
        ("prefetchu.L1 [in_shared];", "an address that is not generic"),
        ("discard.global.L2 [in_shared], 128;", "in_shared is in shared memory"),
        ("mov.b16 %b16_0, {%b32_0, %b32_1};", "%b32_0 for 8 bits"),
        ("mov.b16 {%b16_0, %b16_1}, %b16_2;", "%b16_0 for 8 bits"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(line: str, reason: str) -> None:
    text, _ = module([line], "100")
    with pytest.raises((Malformed, Unsupported), match=reason):
        write_own(parse_module(text), "probe", kernel_abi(PtxModule(text, 100), "probe"), {})


@pytest.mark.parametrize(
    "line",
    [
        "ld.relaxed.cta.shared.s8 %f16x2_1, [in_shared];", "add.sat.s32 %s32_0, %f16x2_1, %s32_2;",
        "div.s32 %f16x2_0, %s32_1, %s32_2;", "slct.u16.s32 %u16_0, %u16_1, %u16_2, %f16x2_0;",
        "cvt.rzi.sat.s8.f16 %s16_0, %b128_0;", "cvt.rmi.sat.f32.f32 %b128_0, %f32_1;",
        "cvt.pack.sat.u8.s32.b32 %b128_0, %s32_1, %s32_2, %b32_3;", "atom.sys.inc.u32 %u32_0, [in_global], %f16x2_1;",
        "shfl.sync.down.b32 %b32_0, %b32_1, %f16x2_1, %u32_2, %u32_3;",
        "shfl.sync.bfly.b32 %b32_0, %b32_8, %f32_0, %u32_24, %u32_32;",
        "shfl.sync.up.b32 %b32_0, %b32_8, 0f3F800000, %f32_0, %u32_32;",
        "vset4.u32.u32.le.add %u32_0, %f16x2_1, %u32_2, %u32_3;",
        "vshr.u32.u32.u32.sat.clamp %u32_0, %u32_1, %f16x2_1;", "isspacep.const %pred_0, %b32_0;",
        "vset.s32.u32.ne %u32_0, %s32_1, %u32_2, %b32_3;", "set.le.bf16.f64 %u16_0, %f64_1, %f64_2;",
        "set.eq.or.bf16x2.bf16x2 %f32_0, %b32_1, %b32_2, %pred_3;", "prefetch.L1 [in_shared];",
        "prefetch.L1 [in_local];", "prefetch.local.L1 [%b32_0+4];", "prefetchu.L1 [in_global];",
        "discard.L2 [in_shared], 128;", "ld.global.L2::cache_hint.b32 %b32_0, [in_global], %s64_0;",
    ],
)  # fmt: skip
def test_odd_registers_that_ptxas_takes(line: str) -> None:
    assert not refused(line)


def test_ptx_of_another_kernel_is_refused() -> None:
    """CUB's DeviceScanKernel: 320 threads a block on sm_80, 128 on sm_89."""
    text = ".version 8.0\n.target sm_89\n.address_size 64\n.visible .entry k()\n.maxntid 128, 1, 1\n{ ret; }\n"
    ptx = PtxModule(text, 89)
    own = kernel_abi(ptx, "k")
    assert translate_kernel(ptx, "k", own)
    with pytest.raises(Unsupported, match=r"PTX \(sm_89\) of another kernel.*128 threads a block.*320"):
        translate_kernel(ptx, "k", replace(own, max_threads=320))
