"""%total_smem_size on the emulated device, against how ptxas lays out a kernel's shared memory."""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

from cass_shim.extract.elf import Elf
from cass_shim.model.artifacts import PtxModule
from cass_shim.model.errors import Unsupported
from cass_shim.translate.ptx_hip import translate_kernel
from cass_shim.translate.ptx_hip.translate import kernels
from tests.translate.ptx_hip.emulated import build, device

HEAD = ".version 8.0\n.target sm_80\n.address_size 64"


def shared_sizes(text: str, tmp_path: Path) -> list[int]:
    """What ptxas lays out for each kernel: the sizes of `.nv.shared`."""
    (tmp_path / "sizes.ptx").write_text(text)
    cubin = tmp_path / "sizes.cubin"
    subprocess.run(["ptxas", "-arch=sm_80", "-o", str(cubin), str(tmp_path / "sizes.ptx")], check=True)
    elf = Elf(cubin.read_bytes())
    sections = [elf.section(f".nv.shared.{name}") for name in kernels(PtxModule(text, 80))]
    return [section.size if section else 0 for section in sections]


def sized(number: int) -> str:
    """A module with a kernel that gives the size of its shared memory."""
    generator = random.Random(number)
    declared: dict[str, list[str]] = {"module": [], "kernel": []}
    for at in range(number // 2):
        where, align = generator.choice(("module", "kernel")), generator.choice((1, 2, 4, 8, 16, 32))
        declared[where].append(f".shared .align {align} .b8 {where}{number}_{at}[{generator.randint(1, 90)}];")
    if generator.random() < 0.5:
        declared["module"].append(f".extern .shared .align {generator.choice((16, 64))} .b8 given{number}[];")
    used = [line.split()[-1].split("[")[0] for lines in declared.values() for line in lines if line[1] != "e"]
    stores = " ".join(f"st.shared.b8 [{name}], 7;" for name in generator.sample(used, len(used)))
    head = f".visible .entry size{number}(.param .u64 in, .param .u64 out) {{ .reg .b32 %r<2>; .reg .b64 %d<2>; "
    body = "ld.param.u64 %d0, [out]; mov.u32 %r0, %total_smem_size; st.global.u32 [%d0], %r0; ret; }"
    return "\n".join([HEAD, *declared["module"], head, *declared["kernel"], stores, body])


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="needs ptxas")
def test_the_size_of_all_shared_memory_of_a_block(tmp_path: Path) -> None:
    """PTX ISA 9.0 §10.27: static and dynamic, in units of 128 bytes; ptxas says how much the static is."""
    fixed = []
    for number in range(14):
        text, name = sized(number), f"size{number}"
        fixed += shared_sizes(text.replace(", %total_smem_size", ", %tid.x"), tmp_path)
        function = build(PtxModule(text, 80), [name]).function(name)
        for given in (0, 1, 1000):
            with device().buffer(np.zeros(1, np.uint32)) as target:
                function.launch((1,), (1,), struct.pack("<QQQ", 0, target.address, 0), given)
                device().synchronize()
                assert target.read()[0] == -(-(fixed[-1] + given) // 128) * 128, (text, fixed, given)
    assert len(set(fixed)) > 10


def test_the_size_where_a_function_has_shared_memory_is_refused() -> None:
    text = f"""{HEAD}
.func f() {{ .shared .b8 own[8]; st.shared.b8 [own], 1; ret; }}
.visible .entry k(.param .u64 out) {{ .reg .b32 %r<2>; .reg .b64 %d<2>;
  call f; ld.param.u64 %d0, [out]; mov.u32 %r0, %total_smem_size; st.global.u32 [%d0], %r0; ret; }}
"""
    with pytest.raises(Unsupported, match=r"%total_smem_size.*shared variables of a function"):
        translate_kernel(PtxModule(text, 80), "k")
