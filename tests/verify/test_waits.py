"""The wait checker on hand-written code: what must pass, and each way of forgetting a wait."""

from __future__ import annotations

import pytest

from cass_shim.model.errors import Rejected
from cass_shim.verify.contract import check_contract
from tests.verify.test_contract import ABI, build
from tests.verify.wait_cases import BAD, GOOD


@pytest.mark.parametrize("name", GOOD)
def test_waited_for(name: str) -> None:
    facts = check_contract(build(GOOD[name] + "\ns_endpgm"), ABI)
    assert facts["loads_waited_for"]


@pytest.mark.parametrize("name", BAD)
def test_forgotten(name: str) -> None:
    body, reason = BAD[name]
    with pytest.raises(Rejected, match=reason):
        check_contract(build(body + "\ns_endpgm"), ABI)


def test_functions_begin_with_waits_for_all_but_stores_to_memory() -> None:
    """LLVM 22 begins every function with `s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)`, and relies on it at calls."""
    called = "flat_store_b32 v[2:3], v0\nds_store_b32 v0, v0\ns_swappc_b64 s[30:31], s[2:3]\n{}s_barrier\ns_endpgm"
    check_contract(build(called.format("s_waitcnt_vscnt null, 0\n")), ABI)
    with pytest.raises(Rejected, match=r"barrier.* before vscnt"):
        check_contract(build(called.format("")), ABI)


def test_a_wait_reads_its_register() -> None:
    """`s_waitcnt_vmcnt s6, 0`, which LLVM's assembler does not write."""
    with pytest.raises(Rejected, match="s6 is touched"):
        check_contract(build("s_load_b32 s6, s[0:1], 0\n.long 0xbc860000\ns_endpgm"), ABI)
