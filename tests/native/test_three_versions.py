"""Callers of CUDA 11.8, 12 and 13 in one process: one name, several signatures, a last error each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.runtime_support import run_emulated
from tests.native.shim_support import NEED_GCC, compile_c

pytestmark = pytest.mark.skipif(bool(NEED_GCC), reason=NEED_GCC)

# cudaMemAdvise takes a device until 12.9 and a location (type, id) since 13.0; cudaDeviceProp has 728 bytes in 11.8 and
# 1032 in 12.8. Source: cuda_runtime_api.h of the wheels 11.8.89, 12.8.90 and 13.0.96.
PROGRAM = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
struct location { int type, id; };
static void *get(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) printf("no %s\n", name);
    return found;
}
static int written(const unsigned char *bytes, int room) {
    while (room && bytes[room - 1] == 0xAB) room--;
    return room;
}
int main(void) {
    const char *names[] = {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"};
    void *libraries[3], *memory = 0;
    for (int i = 0; i < 3; i++) {
        int version = 0, major = 0;
        unsigned char properties[4096];
        libraries[i] = dlopen(names[i], RTLD_NOW);
        if (!libraries[i]) return puts(dlerror()), 1;
        ((int (*)(int *))get(libraries[i], "cudaRuntimeGetVersion"))(&version);
        memset(properties, 0xAB, sizeof properties);
        const char *name = i == 1 ? "cudaGetDeviceProperties_v2" : "cudaGetDeviceProperties";
        int result = ((int (*)(void *, int))get(libraries[i], name))(properties, 0);
        memcpy(&major, properties + 360, 4);
        printf("%d properties %d major %d bytes %d\n", version / 1000, result, major, written(properties, 4096));
    }
    ((int (*)(void **, size_t, unsigned))get(libraries[1], "cudaMallocManaged"))(&memory, 4096, 1);
    int (*by_device)(const void *, size_t, int, int) = get(libraries[1], "cudaMemAdvise");
    int (*older)(const void *, size_t, int, int) = get(libraries[0], "cudaMemAdvise");
    int (*by_location)(const void *, size_t, int, struct location) = get(libraries[2], "cudaMemAdvise");
    printf("advise %d %d %d\n", older(memory, 4096, 1, 0), by_device(memory, 4096, 3, 0),
           by_location(memory, 4096, 3, (struct location){1, 0}));
    printf("wrong %d %d\n", by_device(memory, 4096, 3, 99), by_location(memory, 4096, 3, (struct location){1, 99}));
    for (int i = 0; i < 3; i++) ((int (*)(void))get(libraries[i], "cudaGetLastError"))();
    ((int (*)(int))get(libraries[0], "cudaSetDevice"))(99);
    for (int i = 0; i < 3; i++) printf("last %d\n", ((int (*)(void))get(libraries[i], "cudaGetLastError"))());
    return 0;
}
"""


def test_each_caller_gets_its_own_signature(tmp_path: Path) -> None:
    done = run_emulated(compile_c(PROGRAM, tmp_path / "versions", "-ldl"))
    lines = done.stdout.splitlines()
    assert [line.split(" bytes")[0] for line in lines[:3]] == [f"{n} properties 0 major 8" for n in (11, 12, 13)]
    sizes = [int(line.split()[-1]) for line in lines[:3]]
    assert sizes[:2] == [728, 1032], lines
    assert lines[3] == "advise 0 0 0", done.stderr
    assert lines[4] == "wrong 101 1"  # the second is recorded (`wrong.expected`)
    assert lines[5:] == ["last 101", "last 0", "last 0"]
