"""The launch path: no lock and no allocation after a kernel's first launch; a million launches."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.native.runtime_support import NEED_NVCC, build_program, built, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)

HERE = Path(__file__).resolve().parent
INSTANT = HERE.parents[1] / "tools" / "bench" / "instant.c"

PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <unistd.h>
__global__ void count(unsigned long long *p, int n) { if (threadIdx.x == 0) *p += n; }
template <class F> static void counted(const char *name, F f) {
    auto begin = (void (*)())dlsym(RTLD_DEFAULT, "counted_begin");
    auto end = (void (*)(int *, int *))dlsym(RTLD_DEFAULT, "counted_end");
    int locks, allocations;
    begin();
    for (int i = 0; i < 1000; i++) f();
    end(&locks, &allocations);
    printf("%s %d %d\n", name, locks, allocations);
}
static long resident() {
    long pages = 0, whole;
    FILE *file = fopen("/proc/self/statm", "r");
    if (fscanf(file, "%ld %ld", &whole, &pages) != 2) return -1;
    fclose(file);
    return pages * 4;
}
int main(int arguments, char **) {
    unsigned long long *p, got = 0, *host;
    cudaStream_t s;
    cudaMalloc(&p, 8); cudaMemset(p, 0, 8); cudaMallocHost(&host, 64); cudaStreamCreate(&s);
    count<<<1, 32>>>(p, 0); cudaDeviceSynchronize();
    if (arguments > 1) {
        long before = resident();
        for (int i = 0; i < 1000000; i++) count<<<1, 32>>>(p, 1);
        long grown = resident() - before;
        cudaMemcpy(&got, p, 8, cudaMemcpyDeviceToHost);
        printf("%llu %d\n", got, (int)cudaGetLastError());
        fprintf(stderr, "grown %ld\n", grown);
        return 0;
    }
    CUfunction f; int n = 1; void *args[] = {&p, &n};
    cudaGetFuncBySymbol(&f, (const void *)count);
    counted("launch", [&] { count<<<1, 32>>>(p, 1); });
    counted("stream", [&] { count<<<1, 32, 0, s>>>(p, 1); });
    counted("runtime", [&] { cudaLaunchKernel((void *)count, dim3(1), dim3(32), args, 0, s); });
    counted("driver", [&] { cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, args, nullptr); });
    cudaFuncSetAttribute(count, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    count<<<1, 32, 65536>>>(p, 1);
    counted("shared", [&] { count<<<1, 32, 65536>>>(p, 1); });
    counted("copy", [&] { cudaMemcpyAsync(p, host, 8, cudaMemcpyHostToDevice, s); });
    counted("wait", [&] { cudaStreamSynchronize(s); cudaDeviceSynchronize(); });
    counted("error", [&] { cudaGetLastError(); });
    counted("control", [&] { cudaStream_t t; cudaStreamCreate(&t); cudaStreamDestroy(t); });
    return cudaGetLastError() != cudaSuccess;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("path")
    (folder / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    source = folder / "path.cu"
    source.write_text(PROGRAM)
    return build_program(source, folder, f"-L{folder}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")


def instant(folder: Path) -> Path:
    """A libamdhip64.so whose launches return at once, over the emulated one, which it finds by its SONAME."""
    library, emulated = folder / "libinstant.so", built() / "emulated" / "libamdhip64.so"
    (folder / "libamdhip64.so.7").symlink_to(emulated)
    link = ["gcc", "-O2", "-shared", "-fPIC", "-o", str(library), str(INSTANT), "-Wl,--no-as-needed", str(emulated)]
    subprocess.run([*link, f"-Wl,-rpath,{folder}"], check=True)
    return library


@pytest.mark.parametrize("shared", ["lds", "spill"])
def test_launches_copies_and_waits_take_no_lock_and_no_memory(program: Path, tmp_path: Path, shared: str) -> None:
    counter = tmp_path / "libcounted.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", counter, HERE / "counted.c", "-ldl"], check=True)
    settings = {"LD_PRELOAD": str(counter), "CASS_HIP_LIBRARY": str(instant(tmp_path)), "CASS_SHARED": shared}
    done = run_emulated(program, **settings)
    assert done.returncode == 0, done.stderr
    counts = {name: (int(a), int(b)) for name, a, b in (line.split() for line in done.stdout.splitlines())}
    locks, allocations = counts.pop("control")
    assert locks >= 1000 and allocations >= 1000  # creating a stream does both: the counter counts
    names = ["launch", "stream", "runtime", "driver", "shared", "copy", "wait", "error"]
    assert counts == dict.fromkeys(names, (0, 0))


def test_a_million_launches(program: Path) -> None:
    command = [str(built() / "cass-run"), str(program), "million"]
    environment = {**os.environ, "CASS_DEVICE": "emulated"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "1000000 0\n", done.stderr
    (grown,) = (int(line.split()[1]) for line in done.stderr.splitlines() if line.startswith("grown"))
    assert grown < 64 << 10, f"{grown} KiB more"
