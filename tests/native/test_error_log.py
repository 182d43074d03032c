"""The error log: a line for every call that fails, in the format of the CUDA Programming Guide (Error Log Management),
whose example is `[22:21:32.099][25642][CUDA][E] Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuLogsDumpToMemory`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.native.runtime_support import NEED_NVCC, build_program, built, run_emulated

pytestmark = pytest.mark.skipif(bool(NEED_NVCC), reason=NEED_NVCC)
LINE = re.compile(r"\[\d\d:\d\d:\d\d\.\d{3}\]\[\d+\]\[CUDA\]\[E\] Returning (\d+) \((\w+)\) from (\w+)")

PROGRAM = r"""
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
static int told;
static void CUDA_CB reader(void *data, CUlogLevel level, char *text, size_t length) {
    told++;
    if (level != CU_LOG_LEVEL_ERROR || length != strlen(text) || strchr(text, '\n')) ++*(int *)data;
}
static void CUDART_CB hold(void *p) { while (*(volatile int *)p) ; }
int main() {
    static char text[32768];
    int wrong = 0;
    volatile int held = 1;
    CUlogIterator at;
    CUlogsCallbackHandle handle;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cuLogsRegisterCallback(reader, &wrong, &handle);
    cuLogsCurrent(&at, 0);
    cudaLaunchHostFunc(stream, hold, (void *)&held);
    cudaStreamQuery(stream); // not ready: no failure
    held = 0;
    cudaStreamSynchronize(stream);
    cudaSetDevice(99);
    cudaGetLastError(); // gives that error again, and does not fail itself
    cuMemFree(77);
    cuLogsUnregisterCallback(handle);
    cuCtxSetLimit((CUlimit)99, 1);
    size_t size = 20;
    int little = cuLogsDumpToMemory(&at, text, &size, 0);
    printf("little %d %zu told %d wrong %d\n", little, size, told, wrong);
    size = sizeof text;
    printf("all %d ", cuLogsDumpToMemory(&at, text, &size, 0));
    printf("%d\n%s", size == strlen(text), text);
    size = sizeof text;
    printf("rest %d ", cuLogsDumpToMemory(&at, text, &size, 0));
    printf("%zu\n", size);
    for (int i = 0; i < 1000; i++) cudaSetDevice(99);
    size = sizeof text;
    printf("kept %d ", cudaLogsDumpToMemory(nullptr, text, &size, 0));
    printf("%d\n", size > 4096 && size <= 25600);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("error_log")
    (folder / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    (folder / "failing.cu").write_text(PROGRAM)
    link = (f"-L{folder}", "-lcuda", "-Xlinker", "--allow-shlib-undefined")
    return build_program(folder / "failing.cu", folder, *link)


def test_lines_are_dumped_read_and_written(program: Path, tmp_path: Path) -> None:
    """What is too long for the buffer stays; a dump goes on where the last one ended."""
    file = tmp_path / "log"
    lines = run_emulated(program, CUDA_LOG_FILE=str(file)).stdout.splitlines()
    assert lines[:2] == ["little 1 0 told 2 wrong 0", "all 0 1"]
    failed = [LINE.fullmatch(line) for line in lines[2:6]]
    assert [found.groups() for found in failed if found] == [
        ("101", "cudaErrorInvalidDevice", "cudaSetDevice"),
        ("1", "CUDA_ERROR_INVALID_VALUE", "cuMemFree_v2"),
        ("1", "CUDA_ERROR_INVALID_VALUE", "cuCtxSetLimit"),
        ("1", "CUDA_ERROR_INVALID_VALUE", "cuLogsDumpToMemory"),
    ]
    assert lines[6:] == ["rest 0 0", "kept 0 1"]
    written = file.read_text().splitlines()
    assert written[:4] == lines[2:6] and len(written) == 1004
