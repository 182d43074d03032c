"""PTX of every version from 6.0 on, and what code for GPUs before sm_70 has: cross-lane instructions without .sync."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

from cass_shim.model.artifacts import PtxModule
from cass_shim.model.errors import Malformed
from cass_shim.translate.ptx_hip import translate_kernel
from cass_shim.translate.ptx_hip.parser import parse_module
from tests.translate.ptx_hip.emulated import build, device

# PTX ISA 9.0 chapter 12, release notes; the version and a target that it has.
VERSIONS = (
    *((f"6.{minor}", "sm_60") for minor in range(6)), *((f"7.{minor}", "sm_75") for minor in range(9)),
    *((f"8.{minor}", "sm_80") for minor in range(9)), ("9.0", "sm_90"),
)  # fmt: skip
LANES = 32


def module(version: str, target: str, body: str) -> str:
    """One kernel `k`: the lane's word of `in` is in %r1, what it gives is in %r9."""
    return f"""//
.version {version}
.target {target}
.address_size 64
.visible .entry k(.param .u64 k_in, .param .u64 k_out) {{
  .reg .pred %p<9>; .reg .b32 %r<10>; .reg .b64 %d<5>;
  ld.param.u64 %d1, [k_in]; ld.param.u64 %d2, [k_out]; cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2;
  mov.u32 %r0, %tid.x; mul.wide.u32 %d3, %r0, 4; add.s64 %d1, %d1, %d3; add.s64 %d2, %d2, %d3;
  ld.global.u32 %r1, [%d1]; setp.lt.u32 %p1, %r1, 1000;
  {body}
  st.global.u32 [%d2], %r9; ret;
}}
"""


PLAIN = "add.u32 %r9, %r1, 1;"


@pytest.mark.parametrize(("version", "target"), VERSIONS)
def test_every_version_is_read(version: str, target: str, tmp_path: Path) -> None:
    text = module(version, target, PLAIN)
    assert parse_module(text).version == tuple(map(int, version.split(".")))
    assert "k" in translate_kernel(PtxModule(text, 90), "k").text
    if shutil.which("ptxas"):
        (tmp_path / "k.ptx").write_text(text)
        command = ["ptxas", "-arch=sm_90", "-o", str(tmp_path / "k.cubin"), str(tmp_path / "k.ptx")]
        assert subprocess.run(command, capture_output=True).returncode == 0


PAIRS = {
    "shfl.down.b32 %r9, %r1, 3, 31;": "shfl.sync.down.b32 %r9, %r1, 3, 31, 0xffffffff;",
    "shfl.up.b32 %r9|%p2, %r1, 5, 0; @!%p2 mov.b32 %r9, 7;":
        "shfl.sync.up.b32 %r9|%p2, %r1, 5, 0, 0xffffffff; @!%p2 mov.b32 %r9, 7;",
    "shfl.bfly.b32 %r9, %r1, 9, 31;": "shfl.sync.bfly.b32 %r9, %r1, 9, 31, 0xffffffff;",
    "shfl.idx.b32 %r9, %r1, %r0, 0x181f;": "shfl.sync.idx.b32 %r9, %r1, %r0, 0x181f, 0xffffffff;",
    "vote.ballot.b32 %r9, %p1;": "vote.sync.ballot.b32 %r9, %p1, 0xffffffff;",
    "vote.all.pred %p3, %p1; selp.b32 %r9, 1, 0, %p3;":
        "vote.sync.all.pred %p3, %p1, 0xffffffff; selp.b32 %r9, 1, 0, %p3;",
    "vote.any.pred %p3, !%p1; selp.b32 %r9, 1, 0, %p3;":
        "vote.sync.any.pred %p3, !%p1, 0xffffffff; selp.b32 %r9, 1, 0, %p3;",
    "vote.uni.pred %p3, %p1; selp.b32 %r9, 1, 0, %p3;":
        "vote.sync.uni.pred %p3, %p1, 0xffffffff; selp.b32 %r9, 1, 0, %p3;",
}  # fmt: skip


def run(text: str, given: np.ndarray) -> list[int]:
    with device().buffer(given) as source, device().buffer(np.zeros(LANES, np.uint32)) as target:
        kernarg = struct.pack("<QQQ", source.address, target.address, 0)
        build(PtxModule(text, 90), ["k"]).function("k").launch((1,), (LANES,), kernarg)
        device().synchronize()
        return [int(word) for word in target.read()]


@pytest.mark.parametrize("old", PAIRS)
def test_without_sync_every_lane_takes_part(old: str) -> None:
    given = np.random.default_rng(4).integers(0, 2000, LANES).astype(np.uint32)
    assert run(module("6.0", "sm_60", old), given) == run(module("6.0", "sm_60", PAIRS[old]), given)


def test_without_sync_only_the_lanes_that_are_there_count() -> None:
    """As the masks of two halves say it; ptxas makes the same of both."""
    given = np.arange(LANES, dtype=np.uint32) * 100
    old = "setp.lt.u32 %p4, %r0, 16; @%p4 bra LOW; vote.ballot.b32 %r9, %p1; bra END; LOW: vote.all.pred %p3, %p1;"
    text = module("6.0", "sm_60", f"{old} selp.b32 %r9, 1, 0, %p3; END:")
    assert run(text, given) == [0] * 32
    small = given // 4
    assert run(text, small) == [1] * 16 + [0xFFFF0000] * 16


@pytest.mark.parametrize(("version", "target"), [("6.4", "sm_70"), ("9.0", "sm_90a"), ("7.0", "sm_75")])
def test_without_sync_code_for_newer_gpus_is_malformed(version: str, target: str) -> None:
    for old in ("shfl.down.b32 %r9, %r1, 3, 31;", "vote.ballot.b32 %r9, %p1;"):
        with pytest.raises(Malformed, match=r"without \.sync on sm_70 and later"):
            translate_kernel(PtxModule(module(version, target, old), 90), "k")
        translate_kernel(PtxModule(module("6.3", "sm_70", old), 90), "k")
        translate_kernel(PtxModule(module("8.0", "sm_61", old), 90), "k")
