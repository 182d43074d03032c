"""CUDA programs whose answers were recorded on an NVIDIA GPU (driver 580, CUDA 13.0): ours must be the same."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.native.runtime_support import CONFORMANCE, NEED_NVCC, build_program, built, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)

# Properties of the recorded device (compute capability 9.0) that ours (8.9) has otherwise; not of the API.
OF_THE_DEVICE = {
    "runtime_errors": {"limit_6 11796480": "limit_6 0", "blocks 2": "blocks 1"},
    "driver": {"block 1024": "block 768"},
}


def expected(name: str) -> list[str]:
    """The recorded lines, with the device's own properties as ours are."""
    changed = OF_THE_DEVICE.get(name, {})
    return [changed.get(line, line) for line in (CONFORMANCE / f"{name}.expected").read_text().splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("conformance")


@pytest.mark.parametrize("runtime", ["static", "shared"])
def test_errors_are_those_of_cuda(folder: Path, runtime: str) -> None:
    made = folder / runtime
    made.mkdir()
    done = run_emulated(build_program(CONFORMANCE / "runtime_errors.cu", made, "-cudart", runtime))
    assert done.stdout.splitlines() == expected("runtime_errors"), done.stderr
    for thread in (0, 1):
        place = f"block: [0,0,0], thread: [{thread},0,0] Assertion `x == 7` failed."
        assert f"runtime_errors.cu:21: void check(int): {place}" in done.stderr


@pytest.mark.parametrize("name", ["printed", "graphs", "memory", "textures"])
def test_answers_are_those_of_cuda(folder: Path, name: str) -> None:
    done = run_emulated(build_program(CONFORMANCE / f"{name}.cu", folder))
    assert done.stdout.splitlines() == expected(name), done.stderr
    assert done.returncode == 0


def test_the_driver_api_by_itself(folder: Path) -> None:
    """Linked against our libcuda.so.1, as it would be against NVIDIA's; PTX text is the module."""
    (folder / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    flags = (f"-L{folder}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")
    program = build_program(CONFORMANCE / "driver.cu", folder, *flags)
    done = run_emulated(program)
    assert done.stdout.splitlines() == expected("driver"), done.stderr


def test_two_threads_launch_at_once(folder: Path) -> None:
    """Eight host threads, each with its own stream, launching one kernel whose code none of them has yet."""
    source = folder / "threads.cu"
    source.write_text(r"""
#include <cstdio>
#include <thread>
#include <vector>
#include <cuda_runtime.h>
__global__ void add(int *p, int v) { p[blockIdx.x * blockDim.x + threadIdx.x] += v; }
int main() {
    int *p; cudaMalloc(&p, 8 * 256 * 4); cudaMemset(p, 0, 8 * 256 * 4); cudaDeviceSynchronize();
    std::vector<std::thread> all;
    for (int t = 0; t < 8; t++) all.emplace_back([=] {
        cudaStream_t s; cudaStreamCreate(&s);
        for (int i = 0; i < 20; i++) add<<<4, 64, 0, s>>>(p + t * 256, t + 1);
        cudaStreamSynchronize(s); cudaStreamDestroy(s);
    });
    for (auto &one : all) one.join();
    std::vector<int> out(2048); cudaMemcpy(out.data(), p, 8192, cudaMemcpyDeviceToHost);
    int wrong = 0; for (int i = 0; i < 2048; i++) wrong += out[i] != 20 * (i / 256 + 1);
    printf("wrong %d last %d\n", wrong, (int)cudaGetLastError());
}
""")
    done = run_emulated(build_program(source, folder))
    assert done.stdout == "wrong 0 last 0\n", done.stderr


def test_host_functions_behind_a_fault_are_forgotten(folder: Path) -> None:
    """They are not called, as in CUDA, and leave nothing allocated; callbacks are called with the error (recorded)."""
    source = folder / "behind_a_fault.cu"
    source.write_text(
        """
#include <atomic>
#include <cstdio>
#include <malloc.h>
#include <cuda_runtime.h>
static std::atomic<int> called, told, held{1};
static void function(void *) { called++; }
static void hold(void *) { while (held) ; }
static void callback(cudaStream_t, cudaError_t error, void *) { if (error) told++; }
__global__ void wild(int *p) { *p = 1; }
int main() {
    const int count = 500;
    cudaStream_t s;
    int *p;
    cudaStreamCreate(&s);
    cudaMalloc(&p, 4);
    wild<<<1, 1, 0, s>>>(p);
    for (int i = 0; i < count; i++) cudaLaunchHostFunc(s, function, nullptr);
    cudaStreamSynchronize(s);
    called = 0;
    size_t before = mallinfo2().uordblks;
    cudaLaunchHostFunc(s, hold, nullptr);
    wild<<<1, 1, 0, s>>>((int *)16);
    for (int i = 0; i < count; i++) cudaLaunchHostFunc(s, function, nullptr);
    cudaStreamAddCallback(s, callback, nullptr, 0);
    held = 0;
    int error = cudaStreamSynchronize(s);
    long long left = (long long)mallinfo2().uordblks - (long long)before;
    printf("%d called %d told %d left %s\\n", error, (int)called, (int)told, left < 16 * count ? "little" : "much");
}
"""
    )
    done = run_emulated(build_program(source, folder))
    assert done.stdout == "700 called 0 told 1 left little\n", done.stderr


def test_a_long_capture_needs_no_long_stack(folder: Path) -> None:
    """A chain of 20,000 nodes on a thread with 512 KiB of stack: ending the capture looks at all of them."""
    source = folder / "chain.cu"
    source.write_text(
        """
#include <cstdio>
#include <sys/resource.h>
#include <unistd.h>
#include <cuda_runtime.h>
int main(int count, char **arguments) {
    rlimit small = {512 << 10, 512 << 10};
    if (count == 1 && !setrlimit(RLIMIT_STACK, &small)) return execl(arguments[0], arguments[0], "again", nullptr);
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    char *p;
    size_t nodes = 0;
    cudaStreamCreate(&s);
    cudaMalloc(&p, 16);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < 20000; i++) cudaMemsetAsync(p, i, 16, s);
    int ended = cudaStreamEndCapture(s, &g);
    cudaGraphGetNodes(g, nullptr, &nodes);
    int made = cudaGraphInstantiate(&x, g, 0), launched = cudaGraphLaunch(x, s), done = cudaStreamSynchronize(s);
    printf("%d %zu %d %d %d\\n", ended, nodes, made, launched, done);
}
"""
    )
    done = run_emulated(build_program(source, folder))
    assert done.stdout == "0 20000 0 0 0\n", done.stderr


def test_grid_barriers_and_the_device_heap(folder: Path) -> None:
    """A cooperative launch whose blocks read each other's values across a barrier, six times; malloc in a kernel."""
    source = folder / "services.cu"
    source.write_text(r"""
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void rotate(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cg::grid_group all = cg::this_grid();
    int v = p[(i + 33) % n]; all.sync(); p[i] = v;
}
__global__ void heap(int *out) {
    int *p = (int *)malloc(16);
    if (p) { p[0] = threadIdx.x; out[threadIdx.x] = p[0] + 1; free(p); }
}
int main() {
    int *p, n = 256, h[256], wrong = 0; cudaMalloc(&p, 1024);
    for (int i = 0; i < n; i++) h[i] = i;
    cudaMemcpy(p, h, 1024, cudaMemcpyHostToDevice);
    void *args[] = {&p, &n};
    for (int r = 0; r < 6; r++) cudaLaunchCooperativeKernel((void *)rotate, dim3(4), dim3(64), args, 0, 0);
    cudaMemcpy(h, p, 1024, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) wrong += h[i] != (i + 6 * 33) % n;
    heap<<<1, 4>>>(p); cudaMemcpy(h, p, 16, cudaMemcpyDeviceToHost);
    printf("wrong %d heap %d %d last %d\n", wrong, h[0], h[3], (int)cudaGetLastError());
}
""")
    done = run_emulated(build_program(source, folder))
    assert done.stdout == "wrong 0 heap 1 4 last 0\n", done.stderr


def test_a_kernel_nothing_can_translate_is_the_drivers_error(folder: Path) -> None:
    """The launch fails with 209, one line says why, and the program goes on."""
    source = folder / "refused.cu"
    source.write_text(r"""
#include <cstdio>
#include <cuda_runtime.h>
__global__ void shifted(float *p, cudaTextureObject_t t) { // samples of a pixel: no translator has them
    float a, b, c, d; int x = threadIdx.x;
    asm volatile("tex.2dms.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%5,%5,%5,%5}];"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(t), "r"(x));
    p[threadIdx.x] = a + b + c + d;
}
int main() {
    float *p; cudaMalloc(&p, 128); shifted<<<1, 32>>>(p, 1);
    printf("%s\n", cudaGetErrorName(cudaGetLastError())); printf("%d\n", (int)cudaFree(p));
}
""")
    done = run_emulated(build_program(source, folder))
    assert done.stdout == "cudaErrorNoKernelImageForDevice\n0\n", done.stderr
    named = [line for line in done.stderr.splitlines() if "_Z7shiftedPfy" in line]
    assert len(named) == 1, done.stderr


def test_no_device_is_an_error_and_one_line(folder: Path) -> None:
    program = folder / "driver"
    if not program.exists():
        pytest.skip("the driver program was not built")
    command, settings = [str(built() / "cass-run"), str(program)], {"CASS_DEVICE": "nonsense", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False, timeout=60)
    assert "init 100" in done.stdout.splitlines()
    assert "CASS_DEVICE=nonsense" in done.stderr
