"""Callees that lanes scheduled apart share: the numbers of chains of calls, and that lanes of two chains keep apart."""

from __future__ import annotations

import re

import pytest

from cass_shim.assemble.llvm import generate_assembly
from cass_shim.lift import independent, layout, lift_kernel
from cass_shim.lift.code import Function
from cass_shim.lift.contexts import number_calls
from cass_shim.lift.layout import HARD_LIMIT, choose_once
from cass_shim.model.artifacts import SassKernel
from cass_shim.model.errors import Unsupported
from tests.lift.support import HEAD, WORDS, run
from tests.lift.test_calls import called, many


def graph(calls: dict[int, tuple[int, ...]], size: int = 100) -> dict[int, Function]:
    """Functions that all reach a cross-lane operation; a site is a number of its own."""
    sites = iter(range(1000, 2000))
    return {e: Function(e, calls={next(sites): (c,) for c in callees}, size=size, lanes=True)
            for e, callees in calls.items()}  # fmt: skip


def numbers(functions: dict[int, Function], shared: set[int], entry: int) -> list[int]:
    """The numbers that the chains from the root, 0, to `entry` have."""
    added = number_calls(functions, 0, shared)
    found, waiting = [], [(0, 0)]
    while waiting:
        at, number = waiting.pop()
        found += [number] if at == entry else []
        calls = [(site, c) for site, callees in functions[at].calls.items() for c in callees]
        waiting += [(c, number + added.get((at, site, c), 0)) for site, c in calls]
    return sorted(found)


def test_every_chain_to_a_shared_function_has_its_own_number() -> None:
    functions = graph({0: (1, 1, 2, 3), 1: (2, 3, 3), 2: (3, 3), 3: ()})
    assert numbers(functions, {1, 2, 3}, 2) == [0, 1, 2]
    assert numbers(functions, {1, 2, 3}, 3) == list(range(11))


def test_a_copy_s_call_sites_need_no_numbers() -> None:
    """1 has a copy per site, each of which has a world with a copy of 3."""
    functions = graph({0: (1, 1), 1: (3, 3), 3: ()})
    assert number_calls(functions, 0, {3}) == {(1, site, 3): 1 for site in list(functions[1].calls)[1:]}


def test_what_has_no_cross_lane_operation_needs_none() -> None:
    functions = graph({0: (1, 1), 1: ()})
    functions[1].lanes = False
    assert number_calls(functions, 0, {1}) == {}


def test_more_chains_than_numbers_are_refused() -> None:
    functions = graph({**{level: (level + 1,) * 2 for level in range(33)}, 33: ()})
    with pytest.raises(Unsupported, match="multiply the code"):
        number_calls(functions, 0, set(functions) - {0})
    assert number_calls(functions, 1, set(functions) - {0, 1})


def test_long_code_is_not_taken_for_copies() -> None:
    functions = graph({0: (1, 1, 2), 1: (2,), 2: ()}, size=HARD_LIMIT)
    assert choose_once(functions, 0, apart=True) == ({1, 2}, set())


def test_callers_of_what_is_shared_are_shared() -> None:
    """As copies they would be worlds, each with a copy of what is shared."""
    functions = graph({0: (1, 1), 1: (2,), 2: (), 3: ()}, size=layout.COPY_BUDGET)
    functions[1].size = functions[3].size = 1
    functions[0].calls[1] = (3,)
    assert choose_once(functions, 0, apart=True) == ({1, 2}, set())


CHAINS = f"""{HEAD}
    MOV R10, RZ
    LOP3.LUT R9, R0, 0x1, RZ, 0xc0, !PT
    ISETP.EQ.AND P1, PT, R9, RZ, PT
    ISETP.LT.AND P0, PT, R0, 0x8, PT
    @P0 BRA =low
    MOV R22, =high
    CALL.REL.NOINC =outer
    high:
    BRA =joined
    low:
    MOV R22, =joined
    CALL.REL.NOINC =outer
    joined:
    STG.E [R2.64], R10
    EXIT
    outer:
    @P1 BRA =even
    MOV R20, =first
    CALL.REL.NOINC =inner
    first:
    RET.REL.NODEC R22, 0x0
    even:
    MOV R20, =second
    CALL.REL.NOINC =inner
    second:
    MOV R20, =behind
    CALL.REL.NOINC =inner
    behind:
    RET.REL.NODEC R22, 0x0
    inner:
    VOTE.ANY R8, PT, PT
    WARPSYNC R8
    VOTE.ANY R8, PT, PT
    IADD3 R10, R10, R8, RZ
    RET.REL.NODEC R20, 0x0
"""


def expected() -> list[int]:
    masks = [sum(1 << n for n in range(32) if (n < 8, n & 1) == (lane < 8, lane & 1)) for lane in range(32)]
    return [mask * (1 if lane & 1 else 2) & 0xFFFF_FFFF for lane, mask in enumerate(masks)]


def chains(monkeypatch: pytest.MonkeyPatch, budget: int) -> SassKernel:
    monkeypatch.setattr("cass_shim.lift.kernel.lanes_wait", lambda code, functions: True)
    monkeypatch.setattr(layout, "COPY_BUDGET", budget)
    monkeypatch.setattr(layout, "SMALL", 0)
    return called(CHAINS, "outer", "inner")


@pytest.mark.parametrize("budget", [0, 10_000], ids=["shared", "copied"])
@pytest.mark.parametrize("limit", [0, 10_000], ids=["in memory", "in registers"])
def test_lanes_of_two_chains_vote_apart(budget: int, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sass = chains(monkeypatch, budget)
    monkeypatch.setattr(independent, "_MANY", limit)
    assert lift_kernel(sass).text.count("@llvm.amdgcn.ballot.i32(i1 true)") == (2 if budget == 0 else 12)
    assert run(sass, WORDS, 32).tolist() == expected()


def test_without_numbers_they_would_vote_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cass_shim.lift.kernel.number_calls", lambda functions, root, shared: {})
    assert run(chains(monkeypatch, 0), WORDS, 32).tolist() != expected()


def test_what_long_code_needs_is_not_made_before_its_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine LICM made the constants of all blocks there: 256 registers, and 60 s of work with their lives."""
    monkeypatch.setattr("cass_shim.lift.kernel.lanes_wait", lambda code, functions: True)
    monkeypatch.setattr(independent, "_MANY", 100)
    text = lift_kernel(many(200)).text

    def before(of: str) -> int:
        """Constants in front of the loop."""
        return len(re.findall(r"_mov\w* [sv]\d+, (?:0x[0-9a-f]+|\d+)\n", generate_assembly(of).split("\n.LBB0")[0]))

    plain = text.replace(" !prof !3", "").replace(", !prof !4", "")
    assert before(text) < before(plain) / 2
    assert before(lift_kernel(many(200), lines=True).text) == before(text)
