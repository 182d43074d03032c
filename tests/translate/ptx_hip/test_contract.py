"""Which multiplications become part of an addition: as ptxas does it, whose SASS is the oracle."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cass_shim.decode.nvdisasm import find_tool
from cass_shim.model.artifacts import PtxModule
from cass_shim.model.errors import CassError
from cass_shim.translate.ptx_hip import translate_kernel

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
CASES = {
    "two_products": "mul.f32 %f4,%f0,%f1; mul.f32 %f5,%f2,%f3; sub.f32 %f6,%f4,%f5; st.global.f32 [%rd0+16],%f6;",
    "both_uses_fuse": "mul.f32 %f4,%f0,%f1; add.f32 %f6,%f4,%f2; add.f32 %f7,%f4,%f3; "
    "st.global.v2.f32 [%rd0+16],{%f6,%f7};",
    "another_use": "mul.f32 %f4,%f0,%f1; add.f32 %f6,%f4,%f2; st.global.v2.f32 [%rd0+16],{%f6,%f4};",
    "other_block": "mul.f32 %f4,%f0,%f1; setp.gt.f32 %p0,%f2,0f00000000; @%p0 bra L; add.f32 %f3,%f4,%f3; "
    "st.global.f32 [%rd0+20],%f3; L: st.global.f32 [%rd0+16],%f3;",
    "negated": "mul.f32 %f4,%f0,%f1; neg.f32 %f5,%f4; add.f32 %f6,%f2,%f5; st.global.f32 [%rd0+16],%f6;",
    "with_itself": "mul.f32 %f4,%f0,%f1; add.f32 %f6,%f4,%f4; st.global.f32 [%rd0+16],%f6;",
    "rounded_add": "mul.f32 %f4,%f0,%f1; add.rn.f32 %f6,%f4,%f2; st.global.f32 [%rd0+16],%f6;",
    "rounded_mul": "mul.rn.f32 %f4,%f0,%f1; add.f32 %f6,%f4,%f2; st.global.f32 [%rd0+16],%f6;",
    "other_flush": "mul.ftz.f32 %f4,%f0,%f1; add.f32 %f6,%f4,%f2; st.global.f32 [%rd0+16],%f6;",
    "saturated": "mul.f32 %f4,%f0,%f1; add.sat.f32 %f6,%f4,%f2; st.global.f32 [%rd0+16],%f6;",
    "guarded": "setp.gt.f32 %p0,%f3,0f00000000; mul.f32 %f4,%f0,%f1; @%p0 add.f32 %f3,%f4,%f2; "
    "st.global.f32 [%rd0+16],%f3;",
}


def kernel(name: str, body: str) -> str:
    return (
        f".visible .entry {name}(.param .u64 p) {{ .reg .f32 %f<9>; .reg .b64 %rd<2>; .reg .pred %p<2>; "
        f"ld.param.u64 %rd0,[p]; ld.global.v4.f32 {{%f0,%f1,%f2,%f3}},[%rd0]; {body} ret; }}\n"
    )


TEXT = HEAD + "".join(kernel(name, body) for name, body in CASES.items())


@pytest.fixture(scope="module")
def sass(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, int, int]]:
    """Fused, products and sums per kernel, as ptxas has them."""
    if shutil.which("ptxas") is None:
        pytest.skip("no ptxas")
    folder: Path = tmp_path_factory.mktemp("contract")
    (folder / "a.ptx").write_text(TEXT)
    subprocess.run(["ptxas", "-arch=sm_80", "a.ptx", "-o", "a.cubin"], cwd=folder, check=True)
    done = subprocess.run(
        [find_tool("nvdisasm"), "-c", "a.cubin"], cwd=folder, check=True, capture_output=True, text=True
    )
    found = {}
    for part in done.stdout.split(".section\t.text.")[1:]:
        name = part.split(",")[0]
        found[name] = tuple(len(re.findall(rf"\b{word}[ .]", part)) for word in ("FFMA", "FMUL", "FADD"))
    return found  # type: ignore[return-value]


@pytest.mark.parametrize("name", CASES)
def test_fuses_what_ptxas_fuses(name: str, sass: dict[str, tuple[int, int, int]]) -> None:
    text = translate_kernel(PtxModule(TEXT, 80), name).text.split('extern "C"')[1]
    fused = len(re.findall(r"__builtin_fmaf\(", text))
    products = len(re.findall(r"f\d+\)? \* ", text))
    sums = len(re.findall(r"f\d+\)? [+-] (?:ptx_ftz\()?f\d", text))
    assert (fused, products, sums) == sass[name]


def test_a_product_of_one_factor_is_refused_by_name() -> None:
    """Found by fuzzing: a multiplication that lacks a factor was a Python error where an addition takes it in."""
    text = HEAD + kernel("short", "mul.f32 %f4,%f0; add.f32 %f6,%f4,%f2; st.global.f32 [%rd0+16],%f6;")
    with pytest.raises(CassError, match="mul"):
        translate_kernel(PtxModule(text, 80), "short")
