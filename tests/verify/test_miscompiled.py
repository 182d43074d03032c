"""What LLVM compiled wrongly in generated kernels, and once agreed on every generated input, is rejected.

Each is compiled without the repair that keeps it right (`assemble/repairs.py`), so the wrong code is LLVM's own.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cass_shim.assemble import hip, llvm
from cass_shim.assemble.meets import guarded
from cass_shim.assemble.ones import whole
from cass_shim.device import Device
from cass_shim.model.artifacts import Evidence
from cass_shim.model.config import Config
from cass_shim.model.errors import Rejected
from cass_shim.module import load_module
from cass_shim.pipeline import Work, assemble, translate_source
from cass_shim.verify import verify_kernel
from tools import campaign, samples

SEEDS = (1, 2)

Rewrite = Callable[[str], str | None]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("number", "route", "repair"),
    [
        (3414, "lift", guarded),  # lanes get another way's value, in loops that few inputs reach
        (6236, "ptx-hip", whole),  # a half of a 64-bit number is wrong, where a result seldom shows it
    ],
)
def test_wrong_code_that_rare_values_show_is_rejected(
    number: int, route: str, repair: Rewrite, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    if missing := samples.can_build():
        pytest.skip(missing)
    module = load_module(campaign.build(1, number, 1, "80").read_bytes())
    work = Work(module, next(iter(module.kernels)), Config())
    right = assemble(translate_source(work, route), work.abi)
    for room, table in ((llvm, "IN_PROCESS"), (hip, "BY_CLANG")):
        monkeypatch.setattr(room, table, tuple(one for one in getattr(room, table) if one is not repair))
    wrong = assemble(translate_source(work, route), work.abi)
    assert wrong.elf != right.elf
    for seed in SEEDS:
        with pytest.raises(Rejected, match="differs from the reference"):
            verify_kernel(wrong, work.sass, module.cubin, device, seed=seed)
        assert verify_kernel(right, work.sass, module.cubin, device, seed=seed).evidence >= Evidence.E1U
