"""Large functions whose phis become pairs of halves: the same results, and no time that grows as the square."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from llvmlite import binding

from cass_shim.assemble import llvm, webs
from cass_shim.cli.programs import find_modules
from cass_shim.model.artifacts import Evidence
from cass_shim.model.config import Config
from cass_shim.pipeline import Work, assemble, translate_source, verify

PREBUILT = Path(__file__).resolve().parents[2] / "examples" / "prebuilt"

IR = """target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
define i32 @f(i32 %a, i32 noundef range(i32 -3, 2) %0, ptr addrspace(1) %p) {
entry:
  %c = icmp eq i32 %a, %0
  br i1 %c, label %head, label %"the other"

"the other":
  %"my sum" = add i32 %a, 1
  br label %head

head:
  %x = phi i32 [ %0, %entry ], [ %"my sum", %"the other" ], [ %y, %head ]
  %1 = phi i32 [ 7, %entry ], [ undef, %"the other" ], [ %x, %head ]
  %l = phi i64 [ 0, %entry ], [ 1, %"the other" ], [ %m, %head ]
  %m = add i64 %l, 1
  %y = add i32 %x, %1
  store i32 %y, ptr addrspace(1) %p
  %d = icmp ult i64 %m, 9
  br i1 %d, label %head, label %end

end:
  ret i32 %1
}
"""


def pairs(monkeypatch: pytest.MonkeyPatch, text: str) -> str:
    monkeypatch.setattr(webs, "LARGE", 0)
    found = webs.paired(text)
    assert found is not None
    with binding.parse_assembly(found) as module:
        module.verify()
    return found


def test_every_i32_phi_becomes_a_pair_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = pairs(monkeypatch, IR).splitlines()
    assert [line for line in lines if "phi i32" in line] == []
    where = lines.index("head:")
    assert lines[where + 1 : where + 6] == [
        '  %"x.pair" = phi <2 x i16> [ %"0.pair", %entry ], [ %"my sum.pair", %"the other" ], [ %"y.pair", %head ]',
        '  %"1.pair" = phi <2 x i16> [ bitcast (i32 7 to <2 x i16>), %entry ], [ undef, %"the other" ], '
        '[ %"x.pair", %head ]',
        '  %l = phi i64 [ 0, %entry ], [ 1, %"the other" ], [ %m, %head ]',
        '  %x = bitcast <2 x i16> %"x.pair" to i32',
        '  %1 = bitcast <2 x i16> %"1.pair" to i32',
    ]


def test_small_functions_are_left_alone() -> None:
    assert webs.paired(IR) is None


@pytest.mark.parametrize("program", ["mandelbrot_shared", "matmul_tiled_static_sass"])
def test_kernels_compiled_so_agree_with_the_sass(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webs, "LARGE", 0)
    asked: list[str] = []
    monkeypatch.setattr(llvm, "IN_PROCESS", (*llvm.IN_PROCESS, lambda text: asked.append(text)))
    config = Config()
    (found,) = find_modules(PREBUILT / program, config)
    for name in found.module.kernels:
        work = Work(found.module, name, config)
        code = assemble(translate_source(work, "lift"), work.abi)
        assert "phi <2 x i16>" in asked[-1]
        assert verify(work, code).evidence >= Evidence.E1


def loops(count: int) -> str:
    """IR of loops behind each other, in which every i32 is made of those before it."""
    text = ['target triple = "amdgcn-amd-amdhsa"', "declare i32 @llvm.amdgcn.workitem.id.x()",
            "define amdgpu_kernel void @k(ptr addrspace(1) %p) {", "entry:",
            "  %i = call i32 @llvm.amdgcn.workitem.id.x()", "  br label %b0"]  # fmt: skip
    values = ["%i"] * 8
    for n in range(count):
        before = f"%b{n - 1}" if n else "%entry"
        text.append(f"b{n}:")
        names = [f"%x{n}.{k}" for k in range(8)]
        text += [f"  {name} = phi i32 [ {values[k]}, {before} ], [ %y{n}.{k}, %b{n} ]" for k, name in enumerate(names)]
        text += [f"  %y{n}.{k} = add i32 {names[k]}, {names[k - 1]}" for k in range(8)]
        text += [f"  %c{n} = icmp ult i32 %y{n}.0, 100", f"  br i1 %c{n}, label %b{n}, label %b{n + 1}"]
        values = [f"%y{n}.{k}" for k in range(8)]
    text += [f"b{count}:", f"  store i32 {values[0]}, ptr addrspace(1) %p", "  ret void", "}"]
    return "\n".join(text) + "\n"


def test_the_search_for_masks_costs_nothing_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processor time of code generation with and without: half and less."""
    plain = loops(300)
    took = []
    for text in (pairs(monkeypatch, plain), plain):
        with binding.parse_assembly(text) as module:
            began = time.process_time()
            llvm._machine().emit_object(module)
            took.append(time.process_time() - began)
    assert took[0] < 0.5 * took[1], took
