"""A CUDA program in Python that needs nothing but the driver API: `cass-run python3 examples/python/driver_api.py`.

Compiles nothing: the kernel is PTX in this file, as CuPy's RawKernel and numba-cuda hand it to the driver once NVRTC or
NVVM have made it. ctypes only.
"""

from __future__ import annotations

import array
import ctypes
import sys

PTX = b"""
.version 7.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 data, .param .f32 factor, .param .u32 count)
{
    .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<3>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [data];
    ld.param.f32 %f1, [factor];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p, %r5, %r1;
    @%p ret;
    cvta.to.global.u64 %d1, %d1;
    mul.wide.u32 %d2, %r5, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.f32 %f2, [%d3];
    mul.f32 %f2, %f2, %f1;
    st.global.f32 [%d3], %f2;
    ret;
}
"""
COUNT, THREADS = 1000, 128

driver = ctypes.CDLL("libcuda.so.1")


def call(name: str, *arguments: object) -> None:
    """A driver function; ends the program with the error's name when it fails."""
    code = getattr(driver, name)(*arguments)
    if code:
        text = ctypes.c_char_p()
        driver.cuGetErrorName(code, ctypes.byref(text))
        sys.exit(f"{name}: {(text.value or b'?').decode()}")


def main() -> int:
    """Scale an array on the device and check it."""
    device, context, module, function = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    memory = ctypes.c_uint64()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), PTX)
    call("cuModuleGetFunction", ctypes.byref(function), module, b"scale")
    values = array.array("f", range(COUNT))
    address, size = values.buffer_info()[0], ctypes.c_size_t(4 * COUNT)
    call("cuMemAlloc_v2", ctypes.byref(memory), size)
    call("cuMemcpyHtoD_v2", memory, ctypes.c_void_p(address), size)
    held = (memory, ctypes.c_float(2.5), ctypes.c_uint32(COUNT))
    arguments = (ctypes.c_void_p * 3)(*(ctypes.addressof(one) for one in held))
    blocks = -(-COUNT // THREADS)
    call("cuLaunchKernel", function, blocks, 1, 1, THREADS, 1, 1, 0, None, arguments, None)
    call("cuMemcpyDtoH_v2", ctypes.c_void_p(address), memory, size)
    wrong = sum(value != 2.5 * number for number, value in enumerate(values))
    call("cuMemFree_v2", memory)
    print(f"driver_api: {COUNT - wrong} of {COUNT} right, the last is {values[-1]:g}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
