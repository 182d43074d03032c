"""What kernels ask of the host: printf, assert and malloc of HIP's device library, and what is not offered.

Most kernels here keep the library's protocol themselves (ockl of ROCm 5 to 7: a stack of free packets, one of ready
ones). Where the `triton` package or CASS_OCKL=ockl.bc is there, AMD's own library is linked in their place.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import tempfile
from pathlib import Path

import pytest

from tests.native.hip_support import FLAGS, PREFIX, run_python, zig

PROTOCOL = """
typedef unsigned long u64; typedef unsigned u32;
struct header { u64 next, active; u32 service, control; };
struct buffer { struct header *headers; u64 (*slots)[64][8]; u64 doorbell, free, ready, mask; };
DEVICE u64 hidden(int word) {
    return ((u64 __attribute__((address_space(4))) *)__builtin_amdgcn_implicitarg_ptr())[word];
}
DEVICE u64 ask(u32 service, u64 a, u64 b, u64 c) {
    struct buffer *all = (struct buffer *)hidden(10);
    u32 me = __builtin_amdgcn_mbcnt_lo(~0u, 0), low = __builtin_amdgcn_readfirstlane(me), at = 0;
    u64 mine = 0;
    if (me == low) {
        mine = __hip_atomic_load(&all->free, __ATOMIC_ACQUIRE, 5);
        while (!__hip_atomic_compare_exchange_strong(&all->free, &mine, all->headers[mine & all->mask].next,
                                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, 5))
            __builtin_amdgcn_s_sleep(1);
    }
    at = __builtin_amdgcn_readfirstlane((u32)(mine & all->mask));
    struct header *header = &all->headers[at];
    u64 *slot = all->slots[at][me], active = __builtin_amdgcn_ballot_w32(1);
    slot[0] = a, slot[1] = b, slot[2] = c;
    if (me == low) {
        header->service = service, header->active = active, header->control = 1;
        u64 top = __hip_atomic_load(&all->ready, __ATOMIC_RELAXED, 5);
        do header->next = top;
        while (!__hip_atomic_compare_exchange_strong(&all->ready, &top, mine, __ATOMIC_RELEASE, __ATOMIC_RELAXED, 5));
        while (__hip_atomic_load(&header->control, __ATOMIC_ACQUIRE, 5) & 1) __builtin_amdgcn_s_sleep(1);
    }
    u64 answer = slot[0];
    if (me == low) {
        mine += all->mask + 1;
        u64 top = __hip_atomic_load(&all->free, __ATOMIC_RELAXED, 5);
        do header->next = top;
        while (!__hip_atomic_compare_exchange_strong(&all->free, &top, mine, __ATOMIC_RELEASE, __ATOMIC_RELAXED, 5));
    }
    return answer;
}
KERNEL say(int *out) {  // "%d!\\n" in two parts
    u64 message = ask(2, 1 | 1 << 5, 0, 0);
    message = ask(2, (message & ~0xfful) | 2 << 5 | 2, 0x0a216425ul, BID * 1000 + TID);
    out[BID * 64 + TID] = message;
}
KERNEL memory(int **out) {
    int *mine = (int *)ask(3, 0, 5000, 0);
    *mine = TID;
    out[TID] = mine;
    if (TID & 1) ask(3, (u64)mine, 0, 0);
}
KERNEL wrong(int *out, int service) { out[0] = ask(service, 77, 0, 0); }
KERNEL heap(int *out) { out[0] = *(int *)hidden(12); }
KERNEL queue(int *out) { out[0] = *(int *)hidden(13); }
"""

SCRIPT = """
import ctypes, sys
from tests.native.hip_support import call, code_of, compile_hip, library
import tests.native.test_hip_hostcall as here
function = lambda name: call("hipModuleGetFunction", MODULE, name)
out = ctypes.c_void_p(int(call("hipHostMalloc", 1 << 16, 0)))
words = (ctypes.c_int * 64).from_address(out.value)
MODULE = call("hipModuleLoadData", {image})
def launch(name, groups, items, *more):
    call("hipModuleLaunchKernel", function(name), groups, 1, 1, items, 1, 1, 0, None, None, (out, *more))
    return code_of("hipDeviceSynchronize")
{body}
"""


def run(body: str, image: str = "compile_hip(here.PROTOCOL)", **settings: str) -> tuple[str, str]:
    done = run_python(SCRIPT.format(body=body, image=image), **settings)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.parametrize("settings", [{}, {"CASS_EMU_THREADS": "7"}, {"CASS_EMU_NATIVE": "wait"}], ids=str)
def test_every_lane_prints_once_and_is_told_how_much(settings: dict[str, str]) -> None:
    out, _ = run("print(launch(b'say', 40, 64), set(words))", **settings)
    *lines, end = out.splitlines()
    assert end == "0 {3, 4}"  # characters of the first group's
    assert sorted(lines) == sorted(f"{group * 1000 + lane}!" for group in range(40) for lane in range(64))


MEMORY = """
MODULE = call("hipModuleLoadData", compile_hip(here.PROTOCOL))
assert launch(b"memory", 1, 32) == 0
given = [(ctypes.c_uint64 * 32).from_address(out.value)[lane] for lane in range(32)]
assert len(set(given)) == 32 and all(address % 4096 == 0 for address in given)
kind = library().hip.hipMemcpyKind.hipMemcpyDeviceToHost
for lane, address in enumerate(given):
    number = ctypes.c_int()
    code = code_of("hipMemcpy", ctypes.addressof(number), address, 4, kind)
    assert (code == 0 and number.value == lane) if lane % 2 == 0 else code != 0, (lane, code)
print("right")
"""


def test_memory_is_given_and_taken_back() -> None:
    assert run(MEMORY)[0] == "right\n"
    assert run(MEMORY, CASS_EMU_CHECK="1")[0] == "right\n"


@pytest.mark.parametrize(
    ("kernel", "service", "code", "words"),
    [
        ("wrong", 3, 719, "a wave frees what malloc did not give"),
        ("wrong", 1, 719, "a wave calls a function of the host, which is not served"),
        ("wrong", 9, 719, "a wave asks the host for an unknown service"),
        ("queue", 0, 700, "the queue for kernels that kernels launch (hidden_default_queue), which this device"),
    ],
)
def test_what_is_not_offered_ends_the_launch_by_name(kernel: str, service: int, code: int, words: str) -> None:
    body = f"print(launch({kernel.encode()!r}, 1, 1, ctypes.c_int({service})), library().reason())"
    out, _ = run(body)
    assert out.startswith(f"{code} kernel {kernel}: ") and words in out, out


# What the library asks of the compiler: version of the ABI, the processor, the size of waves.
CONTROLS = """extern "C" {
__attribute__((constant)) extern const int __oclc_ABI_version = 500, __oclc_ISA_version = 11000;
__attribute__((constant)) extern const char __oclc_wavefrontsize64 = 0;
}
"""
LIBRARY = """
extern "C" DEVICE int printf(const char *, ...);
extern "C" DEVICE u64 __ockl_fprintf_stderr_begin(void);
extern "C" DEVICE u64 __ockl_fprintf_append_string_n(u64, const char *, u64, u32);
extern "C" DEVICE u64 __ockl_dm_alloc(u64);
extern "C" DEVICE void __ockl_dm_dealloc(u64);
extern "C" DEVICE void __ockl_grid_sync(void);
KERNEL say(int *out) {
    out[BID * 64 + TID] = printf("%s: %4d|%-6s|%8.3f|%c%%|%#lx %*d %hd\\n", "group", (int)BID,
        TID & 1 ? "odd" : "even", TID * 0.5, 'a' + (int)TID % 26, 0x123456789aul + TID, 5, -7, (short)-3);
}
KERNEL fail(int *out) {
    const char *text = "out is not as it should be";
    __ockl_fprintf_append_string_n(__ockl_fprintf_stderr_begin(), text, 27, 1);
    __builtin_trap();
}
KERNEL allocate(int *out) {
    u32 sum = 0;
    for (u32 turn = 0; turn < 30; turn++) {
        u32 words = (TID * 7 + turn * 131 + BID) % 1500 + 1;
        u32 *mine = (u32 *)__ockl_dm_alloc(words * 4);
        if (!mine) { sum = 1u << 30; break; }
        for (u32 k = 0; k < words; k += 17) mine[k] = k ^ TID ^ turn;
        for (u32 k = 0; k < words; k += 17) sum += mine[k] != (k ^ TID ^ turn);
        if (turn % 3) __ockl_dm_dealloc((u64)mine);
    }
    out[BID * 64 + TID] = sum;
}
"""


def device_library() -> Path | None:
    """AMD's ockl.bc: of CASS_OCKL, or of the triton package."""
    if os.environ.get("CASS_OCKL"):
        return Path(os.environ["CASS_OCKL"])
    found = importlib.util.find_spec("triton")
    place = Path(found.origin or "").parent / "backends/amd/lib/ockl.bc" if found else None
    return place if place and place.exists() else None


@functools.cache
def link_device_library(source: str) -> bytes:
    """A code object of HIP text with AMD's library linked in."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "k.hip").write_text(PREFIX + source)
        bitcode = ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(device_library()))
        zig("clang", *FLAGS, "-mcode-object-version=5", *bitcode, "-S", "k.hip", "-o", "k.s", cwd=folder)
        target = ("-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-mcode-object-version=5")
        zig("clang", *target, "-x", "assembler", "-c", "k.s", "-o", "k.o", cwd=folder)
        zig("ld.lld", "-shared", "k.o", "-o", "k.hsaco", cwd=folder)
        return (folder / "k.hsaco").read_bytes()


def with_device_library() -> bytes:
    """LIBRARY, with AMD's library."""
    return link_device_library("typedef unsigned long u64; typedef unsigned u32;\n" + CONTROLS + LIBRARY)


@pytest.mark.skipif(device_library() is None, reason="no ockl.bc: neither CASS_OCKL nor the triton package")
class TestWithTheDeviceLibrary:
    """The same with AMD's own code."""

    def test_printf(self) -> None:
        out, _ = run("print(launch(b'say', 3, 64), set(words))", "here.with_device_library()")
        *lines, end = out.splitlines()
        want = [
            f"group: {group:4}|{('even', 'odd')[lane & 1]:6}|{lane / 2:8.3f}|{chr(97 + lane % 26)}%|"
            f"{0x123456789A + lane:#x}    -7 -3"
            for group in range(3)
            for lane in range(64)
        ]
        assert sorted(lines) == sorted(want)
        assert end == f"0 {{{len(want[0]) + 1}}}"

    def test_a_failed_assertion(self) -> None:
        out, error = run("print(launch(b'fail', 1, 1))", "here.with_device_library()")
        assert out == "719\n" and "out is not as it should be" in error

    @pytest.mark.parametrize("settings", [{}, {"CASS_EMU_CHECK": "1"}], ids=str)
    def test_malloc(self, settings: dict[str, str]) -> None:
        body = "print(launch(b'allocate', 20, 64), set(words))\nMODULE = call('hipDeviceReset')"
        assert run(body, "here.with_device_library()", **settings)[0] == "0 {0}\n"
