"""Launches on several devices at once: the barrier that their grids share, what is before and behind, wrong launches.

The kernels keep the protocol of ROCm's device library (ockl's `__ockl_multi_grid_sync` for gfx11); with CASS_OCKL, or
the triton package, its own code is linked.
"""

from __future__ import annotations

import pytest

from tests.native.hip_support import run_python
from tests.native.test_hip_hostcall import device_library

KERNELS = """
typedef unsigned u32; typedef unsigned long u64;
struct record { u32 *devices; u32 grid, grids; u64 before, all; u32 word, spare, groups; };
DEVICE struct record *given() {
    return ((struct record *__attribute__((address_space(4))) *)__builtin_amdgcn_implicitarg_ptr())[11];
}
DEVICE void meet(u32 *word, u32 members, u32 low, int scope) {
    u32 seen = __hip_atomic_fetch_add(word, 1u, 0, 5);
    if ((seen & low) == members - 1) __hip_atomic_fetch_add(word, low + 1 - members, 0, 5);
    else while ((__hip_atomic_load(word, 0, 5) & ~low) == (seen & ~low)) __builtin_amdgcn_s_sleep(1);
}
DEVICE void all_grids() {
    struct record *mine = given();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
    __builtin_amdgcn_s_barrier();
    if (TID == 0) {
        meet(&mine->word, mine->groups, 0xffff, 4);
        if (BID == 0) meet(mine->devices, mine->grids, 0xff, 5);
        meet(&mine->word, mine->groups, 0xffff, 4);
    }
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}
"""
ROTATE = """
KERNEL rotate(u32 *values, u32 *seen, int rounds) {
    struct record *mine = given();
    u32 all = mine->all, at = mine->before + BID * 64 + TID;
    if (at == mine->before) seen[mine->grid] = mine->grids * 1000 + mine->groups;
    for (int round = 0; round < rounds; round++) {
        u32 *from = values + (round & 1 ? all : 0), *to = values + (round & 1 ? 0 : all);
        to[at] = from[(at + 64) % all] + 1;
        SYNC();
    }
}
KERNEL wild(u32 *values, u32 *seen, int rounds) {
    if (given()->grid == 1) *(volatile u32 *)64 = 1;
    SYNC();
}
KERNEL slow(u32 *values, u32 *seen, int rounds) {
    for (int k = 0; k < 20000; k++) __builtin_amdgcn_s_sleep(1);
    values[0] = 7;
}
KERNEL look(u32 *values, u32 *seen, int rounds) { seen[0] = values[0]; }
"""
OURS = KERNELS + ROTATE.replace("SYNC", "all_grids")

SCRIPT = """
import ctypes
import numpy as np
from tests.native.hip_support import call, code_of, compile_hip, library
import tests.native.test_hip_grids as here

class Shape(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]

class Params(ctypes.Structure):
    _fields_ = [("function", ctypes.c_void_p), ("grid", Shape), ("block", Shape), ("args", ctypes.c_void_p),
                ("shared", ctypes.c_size_t), ("stream", ctypes.c_void_p)]

class FunctionParams(ctypes.Structure):
    _fields_ = [("function", ctypes.c_void_p), ("grid", Shape), ("block", Shape), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("args", ctypes.c_void_p)]

DEVICES, GROUPS, ROUNDS = 3, 5, 6
IMAGE = {image}
native, streams, modules = library().native, [], []
for device in range(DEVICES):
    call("hipSetDevice", device)
    streams.append(call("hipStreamCreate"))
    modules.append(call("hipModuleLoadData", IMAGE))
pointer = int(call("hipHostMalloc", 1 << 16, 0))
values = np.ctypeslib.as_array((ctypes.c_uint32 * (1 << 14)).from_address(pointer))
seen = values[(1 << 13):]
arguments = (ctypes.c_void_p(pointer), ctypes.c_void_p(pointer + (1 << 15)), ctypes.c_int(ROUNDS))
table = (ctypes.c_void_p * 3)(*(ctypes.addressof(value) for value in arguments))

def member(kind, name, device, groups=GROUPS, stream=None):
    function = int(call("hipModuleGetFunction", modules[device], name))
    queue = int(streams[device]) if stream is None else stream
    return kind(function=function, grid=Shape(groups, 1, 1), block=Shape(64, 1, 1), args=ctypes.addressof(table),
                stream=queue)

def launch(name, members, flags=0):
    return getattr(native, name)((type(members[0]) * len(members))(*members), len(members), flags)

def wait():
    codes = []
    for device in range(DEVICES):
        call("hipSetDevice", device)
        codes.append(code_of("hipDeviceSynchronize"))
    return codes
{body}
print("right")
"""


def run(body: str, image: str = "compile_hip(here.OURS)", **settings: str) -> None:
    done = run_python(SCRIPT.format(body=body, image=image), CASS_EMU_DEVICES="3", **settings)
    assert done.stdout == "right\n", done.stderr


MEET = """
for kind, name in ((Params, "hipLaunchCooperativeKernelMultiDevice"),
                   (FunctionParams, "hipModuleLaunchCooperativeKernelMultiDevice")):
    all = DEVICES * GROUPS * 64
    values[:all] = np.arange(all)
    assert launch(name, [member(kind, b"rotate", device) for device in range(DEVICES)]) == 0
    assert wait() == [0, 0, 0]
    at = np.arange(all)
    assert (values[ROUNDS % 2 * all :][:all] == (at + 64 * ROUNDS) % all + ROUNDS).all()
    assert seen[:DEVICES].tolist() == [DEVICES * 1000 + GROUPS] * DEVICES
"""


@pytest.mark.parametrize("threads", ["1", "2", "7"])
def test_grids_of_several_devices_meet(threads: str) -> None:
    run(MEET, CASS_EMU_THREADS=threads)


@pytest.mark.skipif(device_library() is None, reason="no ockl.bc: neither CASS_OCKL nor the triton package")
def test_grids_meet_at_the_librarys_barrier() -> None:
    run(MEET, "here.with_the_library()")


def with_the_library() -> bytes:
    """The same kernels with AMD's barrier."""
    from tests.native.test_hip_hostcall import CONTROLS, link_device_library

    sync = 'extern "C" DEVICE void __ockl_multi_grid_sync(void);\n'
    return link_device_library(KERNELS + CONTROLS + sync + ROTATE.replace("SYNC", "__ockl_multi_grid_sync"))


def test_a_grid_that_fails_ends_the_others() -> None:
    run("""
assert launch("hipLaunchCooperativeKernelMultiDevice", [member(Params, b"wild", d) for d in range(DEVICES)]) == 0
codes = wait()
assert codes[1] == 700 and codes[0] == codes[2] == 719, codes
assert "another device's grid of the same launch has failed" in library().reason()
""")


def test_what_is_before_and_behind() -> None:
    run("""
values[0] = seen[0] = 0
call("hipSetDevice", 0)
slow = call("hipModuleGetFunction", modules[0], b"slow")
call("hipModuleLaunchKernel", slow, 1, 1, 1, 32, 1, 1, 0, streams[0], None, arguments)
assert launch("hipExtLaunchMultiKernelMultiDevice", [member(Params, b"look", 1, 1), member(Params, b"slow", 0, 1)]) == 0
assert wait() == [0, 0, 0] and seen[0] == 7  # device 1 waited for what device 0 had to do
values[0] = seen[0] = 0
both = [member(Params, b"slow", 0, 1), member(Params, b"look", 1, 1)]
assert launch("hipExtLaunchMultiKernelMultiDevice", both, 1) == 0
call("hipSetDevice", 1)
look = call("hipModuleGetFunction", modules[1], b"look")
call("hipModuleLaunchKernel", look, 1, 1, 1, 32, 1, 1, 0, streams[1], None, arguments)
assert wait() == [0, 0, 0] and seen[0] == 7  # what device 1 was given later waited for device 0's grid
""")


def test_wrong_launches_are_refused() -> None:
    run("""
name = "hipLaunchCooperativeKernelMultiDevice"
right = [member(Params, b"rotate", device) for device in range(DEVICES)]
assert launch(name, right * 2) == 1, "more than there are devices"
assert launch(name, right, 4) == 1, "a flag that does not exist"
assert getattr(native, name)(None, 1, 0) == 1
assert launch(name, [right[0], right[0]]) == 101, "a device twice"
assert launch(name, [right[0], member(Params, b"rotate", 1, groups=6)]) == 1, "two shapes"
assert launch(name, [right[0], member(Params, b"look", 1)]) == 1, "two kernels"
assert launch(name, [right[0], member(Params, b"rotate", 1, stream=0)]) == 400, "no stream"
assert launch(name, [member(Params, b"rotate", 0, stream=int(streams[1]))]) == 400, "another device's stream"
assert launch(name, [member(Params, b"rotate", 0, groups=1 << 20)]) == 720, "too large a grid"
assert wait() == [0, 0, 0]
""")
