"""The grid-wide barrier of HIP programs: ROCm's device library counts workgroups in memory that the launch gives.

The kernel here keeps the library's protocol (ockl, `__ockl_grid_sync` for gfx11): the pointer in the eleventh hidden
word, in its record the word at byte 32 with arrivals in the low half and the turn in the high one, and how many
workgroups there are at byte 40.
"""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.native.hip_support import call, compile_hip, library

GROUPS, ROUNDS = 24, 5
SOURCE = """
struct record {
    unsigned long devices; unsigned grid, grids; unsigned long before, all; unsigned word, spare, groups;
};
DEVICE struct record *given() {
    return ((struct record *__attribute__((address_space(4))) *)__builtin_amdgcn_implicitarg_ptr())[WORD];
}
DEVICE void grid_sync(struct record *record) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
    __builtin_amdgcn_s_barrier();
    if (TID == 0) {
        unsigned members = record->groups, seen = __hip_atomic_fetch_add(&record->word, 1u, 0, 4);
        if ((seen & 0xffff) == members - 1)
            __hip_atomic_fetch_add(&record->word, 0x10000u - members, 0, 4);
        else
            while ((__hip_atomic_load(&record->word, 0, 4) & ~0xffffu) == (seen & ~0xffffu))
                __builtin_amdgcn_s_sleep(1);
    }
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}
KERNEL rotate(unsigned *values, int groups, int rounds) {
    for (int round = 0; round < rounds; round++) {
        unsigned *from = values + (round & 1 ? groups * 64 : 0), *to = values + (round & 1 ? 0 : groups * 64);
        to[BID * 64 + TID] = from[(BID + 1) % groups * 64 + TID] + 1;
        grid_sync(given());
    }
}
KERNEL look(unsigned long *out) {
    struct record *record = given();
    out[0] = record != 0;
    if (record) {
        out[1] = record->groups; out[2] = record->word; out[3] = record->grids; out[4] = record->devices;
    }
}
"""


def kernel(name: str, version: int) -> object:
    word = {4: "6", 5: "11"}[version]
    module = call("hipModuleLoadData", compile_hip(SOURCE.replace("WORD", word), version))
    return call("hipModuleGetFunction", module, name.encode())


@pytest.mark.parametrize("version", [4, 5])
def test_workgroups_meet_at_the_libraries_barrier(version: int) -> None:
    values = np.zeros((2, GROUPS, 64), np.uint32)
    values[0] = np.arange(GROUPS)[:, None] * 1000
    memory, kind = int(call("hipMalloc", values.nbytes)), library().hip.hipMemcpyKind
    call("hipMemcpy", memory, values, values.nbytes, kind.hipMemcpyHostToDevice)
    numbers = [ctypes.c_void_p(memory), ctypes.c_int(GROUPS), ctypes.c_int(ROUNDS)]
    pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(number) for number in numbers))
    call("hipModuleLaunchCooperativeKernel", kernel("rotate", version), GROUPS, 1, 1, 64, 1, 1, 0, None, pointers)
    call("hipDeviceSynchronize")
    call("hipMemcpy", values, memory, values.nbytes, kind.hipMemcpyDeviceToHost)
    want = (np.arange(GROUPS) + ROUNDS) % GROUPS * 1000 + ROUNDS
    assert (values[ROUNDS % 2] == want[:, None]).all()
    call("hipFree", memory)


@pytest.mark.parametrize(("cooperative", "want"), [(True, [1, 6, 0, 0, 0]), (False, [0, 0, 0, 0, 0])])
def test_only_cooperative_launches_have_the_record(cooperative: bool, want: list[int]) -> None:
    """`grid_group::is_valid` asks whether the pointer is there, `multi_grid_group`'s whether there are grids."""
    out = np.zeros(5, np.uint64)
    memory, kind = int(call("hipMalloc", out.nbytes)), library().hip.hipMemcpyKind
    call("hipMemset", memory, 0, out.nbytes)
    pointer = ctypes.c_void_p(memory)
    pointers = (ctypes.c_void_p * 1)(ctypes.addressof(pointer))
    shape = (3, 2, 1, 32, 1, 1, 0, None, pointers)
    if cooperative:
        call("hipModuleLaunchCooperativeKernel", kernel("look", 5), *shape)
    else:
        call("hipModuleLaunchKernel", kernel("look", 5), *shape, None)
    call("hipDeviceSynchronize")
    call("hipMemcpy", out, memory, out.nbytes, kind.hipMemcpyDeviceToHost)
    assert out.tolist() == want
    call("hipFree", memory)
