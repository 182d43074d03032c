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
