"""Control flow: random graphs run on the emulated device against a walk over the same graph in Python."""

from __future__ import annotations

import random
import re
import struct
from dataclasses import dataclass

import numpy as np
import pytest

from cass_shim.model.artifacts import PtxModule
from cass_shim.model.errors import Malformed
from cass_shim.translate.ptx_hip import translate_kernel
from cass_shim.translate.ptx_hip.structure import chained
from tests.translate.ptx_hip.emulated import build, device

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
LANES, FUEL, MASK = 64, 40, 0xFFFFFFFF


@dataclass(frozen=True)
class Flow:
    """Blocks as (multiplier, bit, successors): none returns, one jumps, two branch on a bit of x, more switch."""

    blocks: tuple[tuple[int, int, tuple[int, ...]], ...]

    def walk(self, x: int) -> int:
        at, fuel = 0, FUEL
        while True:
            multiplier, bit, targets = self.blocks[at]
            x = (x * multiplier + at + 1) & MASK
            fuel -= 1
            if fuel < 0 or not targets:
                return x
            if len(targets) == 1:
                at = targets[0]
            elif len(targets) == 2:
                at = targets[0] if x >> bit & 1 else targets[1]
            else:
                at = targets[(x >> bit) % len(targets)]

    def ptx(self, name: str) -> str:
        lines = [
            f".visible .entry {name}(.param .u64 a) {{",
            ".reg .b32 %x, %t, %fuel; .reg .b64 %rd<4>; .reg .pred %p, %q;",
            "ld.param.u64 %rd1, [a]; mov.u32 %t, %tid.x; mul.wide.u32 %rd2, %t, 4; add.u64 %rd1, %rd1, %rd2;",
            f"ld.global.u32 %x, [%rd1]; mov.u32 %fuel, {FUEL};",
        ]
        for number, (multiplier, bit, targets) in enumerate(self.blocks):
            lines.append(f"B{number}: mad.lo.u32 %x, %x, {multiplier}, {number + 1}; sub.s32 %fuel, %fuel, 1;")
            lines.append("setp.lt.s32 %q, %fuel, 0; @%q bra END;")
            if not targets:
                lines.append("bra END;")
            elif len(targets) == 1:
                lines.append(f"bra.uni B{targets[0]};")
            elif len(targets) == 2:
                lines.append(f"shr.u32 %t, %x, {bit}; and.b32 %t, %t, 1; setp.ne.u32 %p, %t, 0;")
                lines.append(f"@%p bra B{targets[0]}; bra B{targets[1]};")
            else:
                names = ", ".join(f"B{target}" for target in targets)
                lines.append(f"shr.u32 %t, %x, {bit}; rem.u32 %t, %t, {len(targets)};")
                lines.append(f"T{number}: .branchtargets {names}; brx.idx %t, T{number};")
        return "\n".join([*lines, "END: st.global.u32 [%rd1], %x; ret;", "}", ""])


def random_flow(seed: int) -> Flow:
    """Up to 12 blocks; edges prefer to be near, so that there are loops, diamonds and now and then a mess."""
    source = random.Random(seed)
    count = source.randint(2, 12)
    blocks = []
    for at in range(count):
        kind = source.choices((0, 1, 2, 3), (1, 3, 6, 1))[0]
        width = kind if kind < 3 else source.randint(3, 5)
        near = [max(0, min(count - 1, at + source.randint(-3, 4))) for _ in range(width)]
        blocks.append((source.randrange(1, 1 << 16) | 1, source.randint(0, 8), tuple(near)))
    return Flow(tuple(blocks))


@pytest.mark.parametrize("first", range(0, 120, 40))
def test_random_graphs(first: int) -> None:
    flows = [random_flow(seed) for seed in range(first, first + 40)]
    text = HEAD + "".join(flow.ptx(f"k{number}") for number, flow in enumerate(flows))
    code = build(PtxModule(text, 80), [f"k{number}" for number in range(len(flows))])
    given = np.random.default_rng(first).integers(0, 1 << 32, LANES, dtype=np.uint32)
    for number, flow in enumerate(flows):
        with device().buffer(given) as words:
            code.function(f"k{number}").launch((1,), (LANES,), struct.pack("<QQ", words.address, 0))
            device().synchronize()
            got = words.read()
        want = [flow.walk(int(x)) for x in given]
        assert got.tolist() == want, f"seed {first + number}"


def source_of(body: str) -> str:
    text = f"{HEAD}.visible .entry k(.param .u64 a, .param .u32 n) {{ .reg .b32 %r<9>; .reg .pred %p<4>; {body} }}"
    return translate_kernel(PtxModule(text, 80), "k").text.split('extern "C"')[1]


def test_a_guard_becomes_an_if() -> None:
    text = source_of("ld.param.u32 %r1,[n]; setp.gt.s32 %p1,%r1,3; @%p1 bra END; mov.u32 %r2,1; membar.gl; END: ret;")
    assert re.search(r"if \(\(i32\)n <= 3\) \{\n        __builtin_amdgcn_fence", text)
    assert "goto" not in text


def test_a_loop_with_its_test_at_the_end_becomes_do_while() -> None:
    text = source_of("mov.u32 %r1,0; L: membar.gl; add.s32 %r1,%r1,1; setp.lt.s32 %p1,%r1,9; @%p1 bra L; ret;")
    assert re.search(r"do \{\n(.*\n)+    \} while \(r1 < 9\);", text)


def test_a_loop_with_its_test_at_the_start_breaks() -> None:
    body = (
        "mov.u32 %r1,0; L: setp.ge.s32 %p1,%r1,9; @%p1 bra E; membar.gl; add.s32 %r1,%r1,1; bra L; E: membar.sys; ret;"
    )
    text = source_of(body)
    assert "while (r1 < 9) {\n" in text
    assert "goto" not in text


def test_if_else() -> None:
    body = (
        "ld.param.u32 %r1,[n]; setp.gt.s32 %p1,%r1,3; @%p1 bra A; membar.gl; bra E; A: membar.cta; E: membar.sys; ret;"
    )
    text = source_of(body)
    assert "} else {" in text
    assert "goto" not in text


def test_an_irreducible_graph_becomes_a_loop_over_its_blocks() -> None:
    body = "ld.param.u32 %r1,[n]; setp.gt.s32 %p1,%r1,3; @%p1 bra B; A: membar.gl; B: membar.cta; @!%p1 bra A; ret;"
    text = source_of(body)
    assert "switch (now) {" in text
    assert "goto" not in text


def test_switch() -> None:
    body = (
        "ld.param.u32 %r1,[n]; T: .branchtargets A, B, A; brx.idx %r1, T; A: membar.gl; bra E; B: membar.cta; E: ret;"
    )
    text = source_of(body)
    assert "switch (n) {" in text
    assert "case 0: case 2: default: {" in text or "case 0: case 2:" in text


@pytest.mark.parametrize("body", ["bra NOWHERE;", "T: .branchtargets X; brx.idx %r1, T;", "brx.idx %r1, U;"])
def test_branches_to_nowhere_are_malformed(body: str) -> None:
    with pytest.raises(Malformed):
        source_of(body)


LOCK = """
.visible .entry lock(.param .u64 a) {
    .reg .b32 %x, %old; .reg .b64 %rd<3>; .reg .pred %p;
    ld.param.u64 %rd1, [a];
AGAIN:
    atom.global.cas.b32 %old, [%rd1], 0, 1;
    setp.ne.s32 %p, %old, 0;
    @%p bra MEET;
    ld.volatile.global.u32 %x, [%rd1+4]; add.s32 %x, %x, 1; st.volatile.global.u32 [%rd1+4], %x;
    membar.gl; atom.global.exch.b32 %x, [%rd1], 0;
MEET:
    @%p bra AGAIN;
    ret;
}
"""


def test_every_lane_gets_a_lock_that_its_loop_releases() -> None:
    """Without a meeting point clang sends the winner behind the loop, where it waits for the losers for ever."""
    module = PtxModule(HEAD + LOCK, 80)
    with device().buffer(np.zeros(2, np.uint32)) as words:
        build(module, ["lock"]).function("lock").launch((2,), (64,), struct.pack("<QQ", words.address, 0))
        device().synchronize()
        assert words.read().tolist() == [0, 128]


def test_a_condition_of_two_parts_needs_no_goto() -> None:
    """`if (a && b) X else Y`, where Y is reached from both tests."""
    body = """ld.param.u32 %r1,[n]; setp.gt.s32 %p1,%r1,3; @!%p1 bra Y; membar.gl; setp.lt.s32 %p2,%r1,9; @!%p2 bra Y;
    membar.cta; bra E; Y: membar.sys; membar.gl; E: membar.cta; ret;"""
    text = source_of(body)
    assert "goto" not in text
    assert re.search(r"do \{\n(.*\n)+            .*break;\n(.*\n)+    \} while \(0\);", text)


def test_a_way_out_of_two_loops_is_a_goto() -> None:
    """C++ has no word for it; a flag would be tested again at each level."""
    body = """mov.u32 %r1,0; A: mov.u32 %r2,0; B: membar.gl; ld.param.u32 %r3,[n]; setp.eq.s32 %p1,%r2,%r3;
    @%p1 bra OUT; add.s32 %r2,%r2,1; setp.lt.s32 %p2,%r2,9; @%p2 bra B; membar.cta; add.s32 %r1,%r1,1;
    setp.lt.s32 %p3,%r1,9; @%p3 bra A; membar.sys; membar.sys; membar.sys; OUT: membar.cta; ret;"""
    assert source_of(body).count("goto") == 1


def test_a_block_behind_a_condition_of_three_parts_stands_twice() -> None:
    """`if (a) { if (b && c) goto X; Y } else X`: both ways through X are right, and neither is a goto."""
    body = """ld.global.u32 %x, [%rd1]; and.b32 %t, %x, 1; setp.eq.u32 %p, %t, 1; @!%p bra X; and.b32 %t, %x, 2;
    setp.eq.u32 %p, %t, 0; @%p bra Y; mul.lo.u32 %x, %x, 3; and.b32 %t, %x, 4; setp.eq.u32 %q, %t, 0; @%q bra X;
    Y: add.u32 %x, %x, 7; bra E; X: xor.b32 %x, %x, 85; E: add.u32 %x, %x, 1; st.global.u32 [%rd1], %x; ret;"""
    text = f"""{HEAD}.visible .entry k(.param .u64 a) {{ .reg .b32 %x, %t; .reg .b64 %rd<4>; .reg .pred %p, %q;
    ld.param.u64 %rd1, [a]; mov.u32 %t, %tid.x; mul.wide.u32 %rd2, %t, 4; add.u64 %rd1, %rd1, %rd2; {body} }}\n"""
    assert "goto" not in translate_kernel(PtxModule(text, 80), "k").text
    given = np.arange(LANES, dtype=np.uint32)
    with device().buffer(given) as words:
        kernarg = struct.pack("<QQ", words.address, 0)
        build(PtxModule(text, 80), ["k"]).function("k").launch((1,), (LANES,), kernarg)
        device().synchronize()
        got = words.read()
    tripled = np.where(given & 3 == 3, given * 3, given)
    crossed = (given & 1 == 0) | ((given & 2 != 0) & (tripled & 4 == 0))
    assert got.tolist() == (np.where(crossed, tripled ^ 85, tripled + 7) + 1).tolist()


def test_an_if_alone_behind_else_goes_on_from_it() -> None:
    nested = ["if (a) {", "    x;", "} else {", "    if (b) {", "        y;", "    } else {", "        if (c) {",
              "            z;", "        }", "    }", "}", "w;"]  # fmt: skip
    assert chained(nested) == [
        "if (a) {", "    x;", "} else if (b) {", "    y;", "} else if (c) {", "    z;", "}", "w;"]  # fmt: skip
    for other in ("v;", "if (b) break;", "while (b) {", "do {"):
        kept = ["if (a) {", "    x;", "} else {", f"    {other}", "    if (b) {", "        y;", "    }", "}"]
        assert chained(kept) == kept
    two = ["if (a) {", "} else {", "    if (b) {", "    }", "    if (c) {", "    }", "}"]
    assert chained(two) == two
    labelled = ["if (a) {", "} else {", "    if (b) {", "L3:;", "        y;", "    }", "}"]
    assert chained(labelled) == ["if (a) {", "} else if (b) {", "L3:;", "    y;", "}"]
    last = ["if (a) {", "} else {", "    if (b) {", "        y;", "    }", "L3:;", "}"]
    assert chained(last) == last
