"""Python programs that use the driver directly, under cass-run: ctypes, cffi, numba-cuda, CuPy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.native.runtime_support import built

PTX = r"""
.version 7.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 p, .param .u32 k)
{
.reg .b64 %d<4>;
.reg .b32 %r<5>;
ld.param.u64 %d1, [p];
ld.param.u32 %r1, [k];
cvta.to.global.u64 %d1, %d1;
mov.u32 %r2, %tid.x;
mul.wide.u32 %d2, %r2, 4;
add.s64 %d3, %d1, %d2;
ld.global.u32 %r3, [%d3];
mul.lo.s32 %r4, %r3, %r1;
st.global.u32 [%d3], %r4;
ret;
}
"""
CTYPES = f"""
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
def check(result):
    assert result == 0, result
context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
device, memory, factor = ctypes.c_int(), ctypes.c_uint64(), ctypes.c_int(3)
check(cuda.cuInit(0)); check(cuda.cuDeviceGet(ctypes.byref(device), 0))
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)); check(cuda.cuCtxSetCurrent(context))
check(cuda.cuModuleLoadData(ctypes.byref(module), {PTX.encode()!r}))
check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"scale"))
check(cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(32)))
values = (ctypes.c_int * 8)(*range(8))
check(cuda.cuMemcpyHtoD_v2(memory, values, ctypes.c_size_t(32)))
arguments = (ctypes.c_void_p * 2)(*(ctypes.cast(ctypes.byref(x), ctypes.c_void_p) for x in (memory, factor)))
check(cuda.cuLaunchKernel(function, 1, 1, 1, 8, 1, 1, 0, None, arguments, None))
check(cuda.cuMemcpyDtoH_v2(values, memory, ctypes.c_size_t(32)))
print(list(values))
"""
CFFI = f"""
from cffi import FFI
ffi = FFI()
ffi.cdef('''
int cuInit(unsigned); int cuDeviceGet(int *, int);
int cuDevicePrimaryCtxRetain(void **, int); int cuCtxSetCurrent(void *);
int cuModuleLoadData(void **, const void *); int cuModuleGetFunction(void **, void *, const char *);
int cuMemAlloc_v2(uint64_t *, size_t); int cuMemcpyHtoD_v2(uint64_t, const void *, size_t);
int cuMemcpyDtoH_v2(void *, uint64_t, size_t);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                   void **);
''')
cuda = ffi.dlopen("libcuda.so.1")
device, pointers, memory, factor = ffi.new("int *"), ffi.new("void *[3]"), ffi.new("uint64_t *"), ffi.new("int *", 3)
def check(result):
    assert result == 0, result
check(cuda.cuInit(0)); check(cuda.cuDeviceGet(device, 0)); check(cuda.cuDevicePrimaryCtxRetain(pointers, device[0]))
check(cuda.cuCtxSetCurrent(pointers[0])); check(cuda.cuModuleLoadData(pointers + 1, {PTX.encode()!r}))
check(cuda.cuModuleGetFunction(pointers + 2, pointers[1], b"scale")); check(cuda.cuMemAlloc_v2(memory, 32))
values = ffi.new("int[8]", list(range(8)))
check(cuda.cuMemcpyHtoD_v2(memory[0], values, 32))
arguments = ffi.new("void *[2]", [memory, factor])
check(cuda.cuLaunchKernel(pointers[2], 1, 1, 1, 8, 1, 1, 0, ffi.NULL, arguments, ffi.NULL))
check(cuda.cuMemcpyDtoH_v2(values, memory[0], 32))
print(list(values))
"""
NUMBA = """
import numpy, warnings
from numba import cuda
warnings.simplefilter("ignore")
@cuda.jit
def scale(p, k):
    i = cuda.grid(1)
    if i < p.size:
        p[i] *= k
values = cuda.to_device(numpy.arange(8, dtype=numpy.int32))
scale[1, 32](values, 3)
print(values.copy_to_host().tolist())
"""
CUPY = """
import cupy
scale = cupy.RawKernel("extern \\"C\\" __global__ void scale(int *p, int k) { p[threadIdx.x] *= k; }", "scale")
values = cupy.arange(8, dtype=cupy.int32)
scale((1,), (8,), (values, cupy.int32(3)))
print(cupy.asnumpy(values).tolist())
"""


@pytest.mark.parametrize(
    ("package", "text"),
    [("ctypes", CTYPES), ("cffi", CFFI), ("numba_cuda", NUMBA), ("cupy", CUPY)],
    ids=["ctypes", "cffi", "numba-cuda", "cupy"],
)
def test_a_python_program_launches_a_kernel(tmp_path: Path, package: str, text: str) -> None:
    """CASS_TEST_PYTHON names the interpreter; packages that it lacks are skipped by name."""
    python = os.environ.get("CASS_TEST_PYTHON", sys.executable)
    find = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({package!r}) is None)"
    if subprocess.run([python, "-c", find], check=False).returncode:
        pytest.skip(f"{package} is not installed for {python}")
    program = tmp_path / "program.py"
    program.write_text(text)
    environment = {**os.environ, "CASS_DEVICE": "emulated"}
    command = [str(built() / "cass-run"), python, str(program)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == "[0, 3, 6, 9, 12, 15, 18, 21]\n", done.stderr
