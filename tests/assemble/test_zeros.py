"""Code generation takes `+0 - x` for `-x` (LLVM's AMDGPU selection), which differs for x = +0."""

from __future__ import annotations

import re

import pytest

from cass_shim.assemble.llvm import generate_assembly
from cass_shim.assemble.zeros import constrained

KINDS = {"half": ("i16", "f16"), "float": ("i32", "f32"), "double": ("i64", "f64")}
WIDER = {
    "half": "%w = fpext half %r to float\nstore float %w, ptr addrspace(1) %p",
    "float": "%w = fpext float %r to double\nstore double %w, ptr addrspace(1) %p",
    "double": "%w = fptrunc double %r to float\nstore float %w, ptr addrspace(1) %p",
}
FORMS = {
    "difference": "%r = fsub {kind} 0.0, %x",
    "sum with a negation": "%n = fneg {kind} %x\n%r = fadd {kind} 0.0, %n",
    "sum with a set sign": "%y = or {bits} %i, {sign}\n%n = bitcast {bits} %y to {kind}\n%r = fadd {kind} %n, 0.0",
    "product with -1": "%r = call {kind} @llvm.fma.{short}({kind} %x, {kind} -1.0, {kind} 0.0)",
}


def kernel(kind: str, form: str) -> str:
    """IR whose result a conversion reads: the user that takes a source's sign for free."""
    bits, short = KINDS[kind]
    return f"""target triple = "amdgcn-amd-amdhsa"
declare {kind} @llvm.fma.{short}({kind}, {kind}, {kind})
define amdgpu_kernel void @k(ptr addrspace(1) %p, {bits} %i) {{
%x = bitcast {bits} %i to {kind}
{FORMS[form].format(kind=kind, short=short, bits=bits, sign=-(1 << int(bits[1:]) - 1))}
{WIDER[kind]}
ret void
}}
"""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_difference_from_zero_stays_one(kind: str, form: str) -> None:
    """The conversion reads a sum's or a difference's result, not x with its sign changed."""
    text = generate_assembly(kernel(kind, form))
    assert re.search(rf"v_(dual_)?(sub|add|fma|fmac)\w*_{KINDS[kind][1]}", text), text
    assert not re.search(r"v_cvt_\w+ \S+, -", text), text


def test_what_has_none_is_left_alone() -> None:
    """A negative zero, another constant, a flag that permits it: no other text."""
    for value in ("fsub float -0.0, %x", "fsub float 1.0, %x", "fsub nsz float 0.0, %x", "fadd float -0.0, %x"):
        assert constrained(f"define float @f(float %x) {{\n  %r = {value}\n  ret float %r\n}}\n") is None
