"""Releases at the head of a loop whose end stores keep their wait (llvm/llvm-project#220357)."""

from __future__ import annotations

import io
import re

import pytest
from elftools.elf.elffile import ELFFile

from cass_shim.assemble.hip import compile_to_assembly
from cass_shim.assemble.llvm import generate_assembly, generate_object
from cass_shim.assemble.releases import WAITS, marked, settled_object, waited
from cass_shim.assemble.repairs import IN_PROCESS
from cass_shim.assemble.toolchain import assemble_object
from cass_shim.model.artifacts import HipSource

LOOP = """
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %flag, i32 %count) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%j, %loop]
  FIRST
  %x = atomicrmw umax ptr addrspace(1) %flag, i32 %i syncscope("agent") monotonic
  %j = add i32 %i, 1
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store i32 7, ptr addrspace(1) %a
  %c = icmp ult i32 %j, %count
  br i1 %c, label %loop, label %end
end:
  ret void
}
attributes #0 = { "target-cpu"="gfx1100" }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
"""
RELEASES = {
    "fence": 'fence syncscope("agent") seq_cst',
    "fence of the system": "fence release",
    "fence of the block": 'fence syncscope("workgroup") acq_rel',
    "atomic": '%y = atomicrmw add ptr addrspace(1) %flag, i32 1 syncscope("agent") acq_rel',
    "exchange": '%y = cmpxchg ptr addrspace(1) %flag, i32 1, i32 2 syncscope("agent") release monotonic',
    "store": 'store atomic i32 0, ptr addrspace(1) %flag syncscope("agent") release, align 4',
}
HIP = """
#define __global__ __attribute__((global))
extern "C" __global__ void k(int *p, int *flag, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        FIRST;
        __hip_atomic_fetch_max(flag, (int)i, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        p[i] = 7;
    }
}
"""
END = (0xBF9F0000).to_bytes(4, "little")  # s_code_end, with which LLVM fills up
VSCNT_0 = (0xBC7C0000).to_bytes(4, "little")  # s_waitcnt_vscnt null, 0x0
WAIT, INSTRUCTION = "s_waitcnt_vscnt null, 0x0", re.compile(r"^\s+(?:global_(?:store|atomic)|buffer_gl1_inv)")


def waits_come_first(assembly: str) -> bool:
    """Whether behind the loop's last store a wait comes before anything else is done to memory. LLVM puts the end of
    the loop in front of its head."""
    lines = assembly.split("\nk:")[1].split("s_endpgm")[0].splitlines()
    store = next(at for at, line in enumerate(lines) if "global_store_b32" in line)
    first = next(at for at, line in enumerate(lines) if at > store and INSTRUCTION.match(line))
    return any(WAIT in line for line in lines[store:first])


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_waits_for_what_comes_round_the_loop(name: str) -> None:
    assert waits_come_first(generate_assembly(LOOP.replace("FIRST", RELEASES[name])))


def test_llvm_loses_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where this fails LLVM has been mended, and `assemble/releases.py` can go."""
    without = tuple(one for one in IN_PROCESS if one is not marked)
    monkeypatch.setattr("cass_shim.assemble.llvm.IN_PROCESS", without)
    assert not waits_come_first(generate_assembly(LOOP.replace("FIRST", RELEASES["fence"])))


@pytest.mark.parametrize("first", ['__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent")', "__threadfence_of(flag)"])
def test_so_it_does_in_code_of_clang(first: str) -> None:
    atomic = "__hip_atomic_fetch_add(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT)"
    text = HIP.replace("FIRST", atomic if "_of" in first else first)
    assert waits_come_first(compile_to_assembly(HipSource(text, "k", ())).text)


@pytest.mark.parametrize(
    "line",
    [
        'fence syncscope("wavefront") acq_rel',
        'fence syncscope("agent") acquire',
        "store i32 1, ptr %p",
        'fence syncscope("workgroup") release\n  tail call void @llvm.amdgcn.s.barrier()',
    ],
)
def test_what_tells_no_other_wave_or_stands_before_a_barrier_needs_none(line: str) -> None:
    assert waited(LOOP.replace("FIRST", line)) is None


def test_only_what_is_done_again_needs_it() -> None:
    once = LOOP.replace("FIRST", "").replace("ret void", "fence release\n  ret void")
    assert waited(once) is None
    both = once.replace("  %j = add", '  fence syncscope("agent") release\n  %j = add')
    assert waited(both) == both.replace("  fence sync", f"{WAITS}\n  fence sync")


def code(relocatable: bytes) -> bytes:
    """The instructions, without the padding behind them."""
    section = ELFFile(io.BytesIO(relocatable)).get_section_by_name(".text")
    return bytes(section.data()).rstrip(END)


@pytest.mark.parametrize("name", RELEASES)
def test_it_becomes_machine_code(name: str) -> None:
    """That of the assembler, for the text with the waits in it."""
    text = LOOP.replace("FIRST", RELEASES[name])
    found = generate_object(text)
    assert VSCNT_0 in found and b"\xbb\xbf" not in found
    assert code(found) == code(assemble_object(generate_assembly(text)))
    assert VSCNT_0 not in generate_object(LOOP.replace("FIRST", ""))


def test_a_constant_that_looks_like_a_mark_stays_a_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the assembler makes the object of the text, in which a mark is told from a number."""
    text = LOOP.replace("FIRST", RELEASES["fence"]).replace("i32 7,", f"i32 {0xBFBB6CA5 - (1 << 32)},")
    with monkeypatch.context() as patched:
        patched.setattr("cass_shim.assemble.llvm.settled_object", bytes)
        assert settled_object(generate_object(text)) is None
    found = generate_object(text)
    assert (0xBFBB6CA5).to_bytes(4, "little") in code(found) and VSCNT_0 in code(found)


def test_marks_are_declared_once() -> None:
    once = marked(LOOP.replace("FIRST", RELEASES["fence"]))
    assert once is not None
    again = marked(once)
    assert again is not None and again.count("declare void @llvm.amdgcn.s.ttracedata.imm") == 1
