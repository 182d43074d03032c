"""`or x, -1` whose -1 shows late becomes a move of x (LLVM's SIFoldOperands): halves of 64-bit ors that are all ones.

What rewriting keeps is judged by LLVM's code for the host.
"""

from __future__ import annotations

import ctypes
import re

import pytest
from llvmlite import binding

from cass_shim.assemble.hip import compile_to_assembly
from cass_shim.assemble.llvm import generate_assembly
from cass_shim.assemble.ones import whole
from cass_shim.model.artifacts import HipSource

FORMS = {
    "complement": "%w = zext i32 %c to i64\n%n = xor i64 %w, -1\n%x = or i64 %a, %n",
    "complement first": "%w = zext i32 %c to i64\n%n = xor i64 %w, -1\n%x = or i64 %n, %a",
    "complement of a halfword": "%w = zext i16 %h to i64\n%n = xor i64 %w, -1\n%x = or i64 %a, %n",
    "small negative": "%w = zext i32 %c to i64\n%n = xor i64 %w, -5\n%x = or i64 %a, %n",
    "choice": "%w = icmp eq i32 %c, 5\n%n = select i1 %w, i64 -5, i64 -7\n%x = or i64 %a, %n",
    "count": "%w = call range(i64 0, 65) i64 @llvm.ctpop.i64(i64 %a)\n%n = xor i64 %w, -1\n%x = or i64 %a, %n",
    "smaller one": "%w = zext i32 %c to i64\n%n = xor i64 %w, -1\n"
    "%s = tail call noundef i64 @llvm.smin.i64(i64 %n, i64 -7)\n%x = or i64 %a, %s",
    "turned": "%w = zext i32 %c to i64\n%n = xor i64 %w, -1\n"
    "%s = call i64 @llvm.fshl.i64(i64 %n, i64 noundef %n, i64 32)\n%x = or i64 %a, %s",
    "low half": "%w = zext i32 %c to i64\n%s = shl i64 %w, 32\n%n = xor i64 %s, -1\n%x = or i64 %a, %n",
    "shift right": "%s = lshr i64 %a, 35\n%n = xor i64 %s, -1\n%b = mul i64 %a, 77\n%x = or i64 %b, %n",
    "signed shift": "%k = or i64 %a, -9223372036854775808\n%s = ashr i64 %k, 63\n%m = mul i64 %a, %s\n"
    "%v = xor i64 %m, -1\n%u = lshr i64 %v, 32\n%n = xor i64 %u, -1\n%x = or i64 %v, %n",
    "vector": "%w = insertelement <2 x i32> <i32 0, i32 -1>, i32 %c, i32 0\n%n = bitcast <2 x i32> %w to i64\n"
    "%x = or i64 %a, %n",
    "vector's low half": "%w = insertelement <2 x i32> splat (i32 -1), i32 %c, i64 1\n"
    "%n = bitcast <2 x i32> %w to i64\n%x = or i64 %a, %n",
    "chosen vector": "%i = icmp eq i32 %c, 5\n%v = insertelement <2 x i32> <i32 poison, i32 -1>, i32 %c, i32 0\n"
    "%w = select i1 %i, <2 x i32> %v, <2 x i32> <i32 7, i32 -1>\n%n = bitcast <2 x i32> %w to i64\n"
    "%f = freeze i64 %n\n%x = or i64 %a, %f",
    "one after the other": "%w = zext i32 %c to i64\n%n = xor i64 %w, -1\n%y = or i64 %a, %n\n%m = mul i64 %a, 77\n"
    "%x = or i64 %m, %y",
    "both halves": "%w = zext i32 %c to i64\n%s = shl i64 %w, 32\n%n = xor i64 %s, -1\n%m = xor i64 %w, -1\n"
    "%x = or i64 %m, %n",
}
NO_ONES = {
    "a constant": "%x = or i64 %a, -5",
    "a difference": "%w = zext i32 %c to i64\n%n = sub i64 5, %w\n%x = or i64 %a, %n",
    "an and": "%w = zext i32 %c to i64\n%n = xor i64 %w, -1\n%x = and i64 %a, %n",
    "zeros": "%w = zext i32 %c to i64\n%x = or i64 %a, %w",
    "another choice": "%w = icmp eq i32 %c, 5\n%n = select i1 %w, i64 -5, i64 7\n%x = or i64 %a, %n",
    "a sign": "%n = ashr i64 %a, 40\n%b = mul i64 %a, 77\n%x = or i64 %b, %n",
}
KERNEL = """target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) {{
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr inbounds i64, ptr addrspace(1) %out, i32 %lane
  %q = getelementptr inbounds i64, ptr addrspace(1) %in, i32 %lane
  %a = load i64, ptr addrspace(1) %q
  %c = load i32, ptr addrspace(1) %p
  %h = load i16, ptr addrspace(1) %p
  {}
  store i64 %x, ptr addrspace(1) %p
  ret void
}}
declare i32 @llvm.amdgcn.workitem.id.x()
"""
DECLARED = """declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.fshl.i64(i64, i64, i64)
"""
KERNEL += DECLARED
FUNCTION = "define i64 @f(i64 %a, i32 %c) {{\n  %h = trunc i32 %c to i16\n  {}\n  ret i64 %x\n}}\n" + DECLARED


def indented(form: str) -> str:
    return form.replace("\n", "\n  ")


def on_host(text: str) -> list[int]:
    """What the function gives on this machine, by LLVM's code for it, which has no such fold."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(opt=0)
    with binding.create_mcjit_compiler(binding.parse_assembly(text), machine) as engine:
        engine.finalize_object()
        function = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint32)(engine.get_function_address("f"))
        values = (0, 1, 5, 0x80000000, 0xFFFFFFFF, 0x123456789ABCDEF0, 0xFEDCBA9876543210, (1 << 64) - 1)
        return [function(a, c & 0xFFFFFFFF) for a in values for c in values]


@pytest.mark.parametrize("form", FORMS)
def test_the_known_half_stays_ones(form: str) -> None:
    """Code generation moves -1 to a register; it moved the other operand's half."""
    text = generate_assembly(KERNEL.format(indented(FORMS[form])))
    assert re.search(r"v_(dual_)?mov_b32(_e32)? v\d+, -1", text), text


@pytest.mark.parametrize("form", FORMS)
def test_the_value_is_the_same(form: str) -> None:
    text = FUNCTION.format(indented(FORMS[form]))
    safe = whole(text)
    assert safe is not None
    assert on_host(safe) == on_host(text)


@pytest.mark.parametrize("form", NO_ONES)
def test_what_has_none_is_left_alone(form: str) -> None:
    assert whole(FUNCTION.format(indented(NO_ONES[form]))) is None


def test_flags_change_nothing() -> None:
    form = FORMS["complement"].replace("zext", "zext nneg").replace("or i64", "or disjoint i64")
    assert whole(FUNCTION.format(indented(form))) is not None


def test_a_block_may_stand_before_the_one_it_needs() -> None:
    text = """define i64 @f(i64 %a, i32 %c) {
  br label %first
later:
  %x = or i64 %a, %n
  ret i64 %x
first:
  %w = zext i32 %c to i64
  %n = xor i64 %w, -1
  br label %later
}
"""
    safe = whole(text)
    assert safe is not None and on_host(safe) == on_host(text)


def test_hip_keeps_the_half() -> None:
    """As in generated kernel 6236, by clang."""
    text = """extern "C" __attribute__((global)) void k(const unsigned long *from, unsigned long *to, unsigned n) {
    unsigned lane = __builtin_amdgcn_workitem_id_x();
    to[lane] = from[lane] | ~(unsigned long)__builtin_popcountl(from[lane + n]);
}
"""
    made = compile_to_assembly(HipSource(text, "k", ())).text
    assert re.search(r"v_(dual_)?mov_b32(_e32)? v\d+, -1", made), made
