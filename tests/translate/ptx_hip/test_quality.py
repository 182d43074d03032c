"""What clang makes of the source: accesses of neighbours are one, and so are loads of parameters."""

from __future__ import annotations

import re

from cass_shim.assemble.hip import compile_to_assembly
from cass_shim.model.artifacts import PtxModule
from cass_shim.translate.ptx_hip import translate_kernel

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def assembly(parameters: str, registers: str, body: str) -> str:
    """Of one kernel `k`."""
    text = f"{HEAD}.visible .entry k({parameters}) {{\n.reg {registers};\n{body}\nret;\n}}\n"
    return compile_to_assembly(translate_kernel(PtxModule(text, 80), "k")).text


def test_bytes_of_neighbours_are_loaded_and_stored_at_once() -> None:
    """The addresses share a pointer; as sums of 64 bits clang left eight accesses."""
    parts = range(4)
    loads = "\n".join(f"ld.u8 %b{at}, [%d1+{at}];" for at in reversed(parts))
    stores = "\n".join(f"st.u8 [%d2+{at}], %b{3 - at};" for at in parts)
    body = f"ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b];\n{loads}\n{stores}"
    text = assembly(".param .u64 a, .param .u64 b", ".b16 %b<4>; .reg .b64 %d<3>", body)
    assert re.findall(r"\t(?:flat|global)_(\w+)", text) == ["load_b32", "store_b32"]


def test_parameters_of_later_blocks_are_loaded_with_the_first() -> None:
    """As for HIP's own kernels: arguments one by one, not a struct whose members are read where they are needed."""
    body = """ld.param.u64 %d1, [a]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [f]; mov.u32 %r3, %tid.x;
    setp.ge.u32 %p1, %r3, %r1; @%p1 bra END; mul.lo.u32 %r4, %r3, %r2; st.global.u32 [%d1], %r4; END:"""
    text = assembly(".param .u64 a, .param .u32 n, .param .u32 f", ".b32 %r<5>; .reg .b64 %d<2>; .reg .pred %p1", body)
    assert re.findall(r"\ts_load_(\w+) .*, (0x8|0xc)\n", text) == [("b64", "0x8")]
