"""Lanes of one wave that wait for each other come to an end, with the right result."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from numpy.typing import NDArray

from cass_shim.model.artifacts import PtxModule
from cass_shim.model.errors import Unsupported
from cass_shim.translate.ptx_hip import translate_kernel
from tests.translate.ptx_hip.emulated import build, device

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
START = """.reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .shared .align 4 .b32 turn;
ld.param.u64 %rd0, [words]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd2, %rd0, %rd1;"""
ADD = "ld.volatile.global.u32 %r2, [%rd0+4]; add.u32 %r3, %r2, 3; st.volatile.global.u32 [%rd0+4], %r3; membar.gl;"
BODIES = {
    # The critical section lies behind the loop that takes the lock.
    "lock": f"""again: atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra again; {ADD}
      atom.global.exch.b32 %r4, [%rd0], 0; st.global.u32 [%rd2+64], %r2; bar.sync 0;""",
    # Two locks, taken in different orders by odd and even lanes, one after the other.
    "two": f"""and.b32 %r8, %r0, 1; mul.wide.u32 %rd3, %r8, 8; add.u64 %rd4, %rd0, %rd3;
      again: atom.global.exch.b32 %r1, [%rd4+8], 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra again;
      other: atom.global.cas.b32 %r5, [%rd0], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra other; {ADD}
      atom.global.exch.b32 %r4, [%rd0], 0; atom.global.exch.b32 %r6, [%rd4+8], 0; st.global.u32 [%rd2+64], %r2;""",
    # Lane 40 raises the flag that its siblings poll.
    "flag": """setp.eq.u32 %p0, %r0, 40; @%p0 bra raise;
      wait: ld.volatile.global.u32 %r1, [%rd0]; setp.eq.u32 %p1, %r1, 0; @%p1 bra wait;
      ld.volatile.global.u32 %r2, [%rd0+4]; add.u32 %r3, %r2, %r0; st.global.u32 [%rd2+64], %r3; bra done;
      raise: st.global.u32 [%rd0+4], 7; membar.gl; st.volatile.global.u32 [%rd0], 1;
      st.global.u32 [%rd2+64], 47; done:""",
    # Lanes take turns from the last to the first, in shared memory.
    "turns": """setp.eq.u32 %p0, %r0, 0; @%p0 st.volatile.shared.u32 [turn], 63; bar.sync 0;
      wait: ld.volatile.shared.u32 %r1, [turn]; setp.ne.u32 %p1, %r1, %r0; @%p1 bra wait;
      ld.volatile.global.u32 %r2, [%rd0+4]; mad.lo.u32 %r3, %r2, 3, %r0; st.volatile.global.u32 [%rd0+4], %r3;
      st.global.u32 [%rd2+64], %r3; membar.cta; sub.u32 %r4, %r1, 1; st.volatile.shared.u32 [turn], %r4; bar.sync 0;""",
    # A ticket is drawn, and the counter asked by adding nothing.
    "tickets": f"""atom.global.add.u32 %r5, [%rd0], 1;
      wait: atom.global.add.u32 %r6, [%rd0+8], 0; setp.ne.u32 %p0, %r5, %r6; @%p0 bra wait; {ADD}
      st.global.u32 [%rd2+64], %r2; red.global.add.u32 [%rd0+8], 1;""",
}
TEXT = HEAD + "".join(f".visible .entry {n}(.param .u64 words) {{ {START}\n{b}\nret; }}\n" for n, b in BODIES.items())
LANES = 64


def run(name: str, text: str = TEXT) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    code = build(PtxModule(text, 80), [name])
    with device().buffer(np.zeros(16 + LANES, np.uint32)) as words:
        code.function(name).launch((1,), (LANES,), struct.pack("<QQ", words.address, 0))
        device().synchronize()
        read: NDArray[np.uint32] = words.read()
        return read[:16], read[16:]


@pytest.mark.parametrize("name", ["lock", "two", "tickets"])
def test_every_lane_gets_the_lock_once(name: str) -> None:
    words, seen = run(name)
    assert words[1] == 3 * LANES
    assert sorted(seen.tolist()) == [3 * n for n in range(LANES)]


def test_a_flag_of_a_sibling_is_seen() -> None:
    assert run("flag")[1].tolist() == [7 + lane for lane in range(LANES)]


def test_turns_are_taken_in_order() -> None:
    total, expected = 0, {}
    for lane in reversed(range(LANES)):
        total = expected[lane] = (total * 3 + lane) & 0xFFFFFFFF
    assert run("turns")[1].tolist() == [expected[lane] for lane in range(LANES)]


def test_a_loop_of_compare_and_swap_that_makes_progress_stays_a_loop() -> None:
    body = """ld.global.u32 %r1, [%rd0]; again: add.u32 %r2, %r1, %r0; mov.u32 %r3, %r1;
      atom.global.cas.b32 %r1, [%rd0], %r3, %r2; setp.ne.u32 %p0, %r1, %r3; @%p0 bra again;"""
    text = translate_kernel(PtxModule(f"{HEAD}.visible .entry k(.param .u64 words) {{ {START} {body} ret; }}", 80), "k")
    assert "do {" in text.text and "switch" not in text.text


# Each lane polls the tiles before its own, as CUB's radix sort does; what stands between the poll and the vote is open.
TILES = """mov.u32 %r5, 3; mov.u32 %r6, 0; mov.u32 %r7, -1;
  tile: mul.wide.u32 %rd3, %r5, 4; add.u64 %rd4, %rd0, %rd3;
  wait: ld.volatile.global.u32 %r1, [%rd4]; setp.eq.u32 %p1, %r1, 0; @%p1 bra wait;
  {between} and.b32 %r2, %r1, 0xffff; add.u32 %r6, %r6, %r2;
  setp.gt.s32 %p2, %r1, -1; {vote} @!%p2 bra out;
  sub.u32 %r5, %r5, 1; setp.gt.s32 %p3, %r5, 0; @%p3 bra tile;
  out: st.global.u32 [%rd2+64], %r6;"""
VOTE, RAISE = "vote.sync.ballot.b32 %r7, %p2, %r7;", "st.volatile.global.u32 [%rd2+64], 1;"


@pytest.mark.parametrize(
    ("between", "vote", "apart"), [("", VOTE, False), (RAISE, VOTE, True), ("", "", True), ("", VOTE + RAISE, False)]
)
def test_lanes_that_meet_behind_each_poll_stay_together(between: str, vote: str, apart: bool) -> None:
    """Scheduled apart such a sort took two minutes to compile, all of it one switch."""
    body = TILES.format(between=between, vote=vote)
    text = f"{HEAD}.visible .entry k(.param .u64 words) {{ {START}\n{body}\nret; }}"
    assert ("switch" in translate_kernel(PtxModule(text, 80), "k").text) == apart


def test_tiles_before_are_summed() -> None:
    body = "setp.ne.u32 %p0, %r0, 0; @%p0 bra begin; st.global.u32 [%rd0+12], 5; st.global.u32 [%rd0+8], 0x80000007;"
    body += " membar.gl; begin: bar.sync 0; " + TILES.format(between="", vote=VOTE)
    text = f"{HEAD}.visible .entry k(.param .u64 words) {{ {START}\n{body}\nret; }}"
    assert run("k", text)[1].tolist() == [12] * LANES


FUNCTIONS = """
.func (.param .b32 free) attempt(.param .b64 at) { .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [at]; atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.eq.u32 %p0, %r1, 0; selp.u32 %r2, 1, 0, %p0;
  st.param.b32 [free], %r2; ret; }
.func take(.param .b64 at) { .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<2>; ld.param.u64 %rd0, [at];
  again: { .param .b64 where; .param .b32 got; st.param.b64 [where], %rd0; call (got), attempt, (where);
  ld.param.b32 %r1, [got]; } setp.eq.u32 %p0, %r1, 0; @%p0 bra again; ret; }
.func await(.param .b64 at) { .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<2>; ld.param.u64 %rd0, [at];
  again: ld.volatile.global.u32 %r1, [%rd0]; setp.ne.u32 %p0, %r1, 0; @%p0 ret; bra again; }
"""
CALLERS = {
    "called_lock": f""".param .b64 a; st.param.b64 [a], %rd0; call take, (a); {ADD}
      atom.global.exch.b32 %r4, [%rd0], 0; st.global.u32 [%rd2+64], %r2; bar.sync 0;""",
    # Lane 40 does not call: it raises the flag.
    "called_flag": """.param .b64 a; st.param.b64 [a], %rd0; setp.ne.u32 %p0, %r0, 40; @%p0 call await, (a);
      @!%p0 st.global.u32 [%rd0+4], 7; membar.gl; @!%p0 st.volatile.global.u32 [%rd0], 1;
      ld.volatile.global.u32 %r2, [%rd0+4]; add.u32 %r3, %r2, %r0; st.global.u32 [%rd2+64], %r3;""",
}
CALLING = (
    HEAD
    + FUNCTIONS
    + "".join(f".visible .entry {n}(.param .u64 words) {{ {START}\n{b}\nret; }}\n" for n, b in CALLERS.items())
)


def test_a_lock_that_a_function_takes_for_its_caller_is_given_to_every_lane() -> None:
    words, seen = run("called_lock", CALLING)
    assert words[1] == 3 * LANES
    assert sorted(seen.tolist()) == [3 * n for n in range(LANES)]


def test_a_flag_that_a_function_polls_is_seen() -> None:
    assert run("called_flag", CALLING)[1].tolist() == [7 + lane for lane in range(LANES)]


def test_a_function_that_polls_and_calls_itself_is_refused_by_name() -> None:
    module = f"""{HEAD}.func take(.param .b64 at) {{ .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<2>;
      .param .b64 b; ld.param.u64 %rd0, [at]; again: ld.volatile.global.u32 %r1, [%rd0]; setp.ne.u32 %p0, %r1, 0;
      @%p0 bra again; st.param.b64 [b], %rd0; setp.eq.u64 %p1, %rd0, 0; @%p1 call take, (b); ret; }}
      .visible .entry k(.param .u64 words) {{ {START} .param .b64 a; st.param.b64 [a], %rd0; call take, (a); {ADD}
      st.global.u32 [%rd0], 0; ret; }}"""
    with pytest.raises(Unsupported, match=r"a flag polled in function take.*translate with lift"):
        translate_kernel(PtxModule(module, 80), "k")
