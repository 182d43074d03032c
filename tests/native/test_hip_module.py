"""Code objects on the emulated device: loading, arguments, variables, relocations, bundles, and broken ones."""

from __future__ import annotations

import ctypes
import random
import struct
import zlib

import numpy as np
import pytest

from tests.native.hip_support import HipError, call, code_of, compile_hip, library

SOURCE = """
struct triple { int a; double b; char c; };
DEVICE int table[4] = {10, 20, 30, 40};
DEVICE int zeros[256] = {0};
DEVICE const char text[] = "from the data segment";
DEVICE const char *pointers[3] = {text, text + 5, (const char *)table};
KERNEL vadd(const float *a, const float *b, float *c, int n) {
    int i = BID * __builtin_amdgcn_workgroup_size_x() + TID;
    if (i < n) c[i] = a[i] + b[i];
}
KERNEL mixed(char x, struct triple t, short y, long *out) {
    out[0] = x; out[1] = t.a; out[2] = (long)t.b; out[3] = t.c; out[4] = y;
}
KERNEL follow(int *out) {
    out[0] = pointers[1][0]; out[1] = *(const int *)pointers[2]; out[2] = zeros[7]; zeros[7] = 5; table[1] += 1;
}
KERNEL geometry(unsigned *out) {
    out[0] = __builtin_amdgcn_workgroup_size_x(); out[1] = __builtin_amdgcn_workgroup_size_y();
    out[2] = __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x();
    out[3] = __builtin_amdgcn_workgroup_size_z();
}
KERNEL reverse(int *data) {
    extern SHARED int cache[];
    int n = __builtin_amdgcn_workgroup_size_x();
    cache[TID] = data[TID];
    __builtin_amdgcn_s_barrier();
    data[TID] = cache[n - 1 - TID];
}
KERNEL nothing() {}
"""
INVALID, BAD_IMAGE, NO_BINARY, NOT_FOUND = 1, 200, 209, 500
KIND = library().hip.hipMemcpyKind


def function(name: str, code: bytes | None = None) -> object:
    module = call("hipModuleLoadData", code or compile_hip(SOURCE))
    return call("hipModuleGetFunction", module, name.encode())


def upload(array: np.ndarray) -> int:
    address = int(call("hipMalloc", array.nbytes))
    call("hipMemcpy", address, array, array.nbytes, KIND.hipMemcpyHostToDevice)
    return address


def download(address: int, count: int, dtype: type = np.int32) -> np.ndarray:
    out = np.zeros(count, dtype)
    call("hipMemcpy", out, address, out.nbytes, KIND.hipMemcpyDeviceToHost)
    return out


def launch(kernel: object, grid: int, block: tuple[int, ...], arguments: tuple[object, ...], shared: int = 0) -> None:
    bx, by, bz = (*block, 1, 1)[:3]
    call("hipModuleLaunchKernel", kernel, grid, 1, 1, bx, by, bz, shared, None, None, arguments)
    call("hipDeviceSynchronize")


@pytest.mark.parametrize("version", [4, 5, 6])
def test_vadd_in_every_code_object_version(version: int) -> None:
    n = 1000
    a, b = np.random.rand(2, n).astype(np.float32)
    out = int(call("hipMalloc", a.nbytes))
    arguments = (*(ctypes.c_void_p(at) for at in (upload(a), upload(b), out)), ctypes.c_int(n))
    launch(function("vadd", compile_hip(SOURCE, version)), 8, (128,), arguments)
    assert (download(out, n, np.float32) == a + b).all()


def test_kernel_params_are_packed_by_the_metadata() -> None:
    out = int(call("hipMalloc", 40))
    triple = struct.pack("<i4xdc7x", -3, 9.5, b"z")
    values = [ctypes.c_char(b"A"), ctypes.create_string_buffer(triple, 24), ctypes.c_short(-7), ctypes.c_void_p(out)]
    pointers = (ctypes.c_void_p * 4)(*(ctypes.addressof(value) for value in values))
    call("hipModuleLaunchKernel", function("mixed"), 1, 1, 1, 1, 1, 1, 0, None, pointers, None)
    assert download(out, 5, np.int64).tolist() == [65, -3, 9, 122, -7]


def test_variables_relocations_and_zero_data() -> None:
    module = call("hipModuleLoadData", compile_hip(SOURCE))
    follow, out = call("hipModuleGetFunction", module, b"follow"), int(call("hipMalloc", 12))
    launch(follow, 1, (1,), (ctypes.c_void_p(out),))
    launch(follow, 1, (1,), (ctypes.c_void_p(out),))
    assert download(out, 3).tolist() == [ord("t"), 10, 5]
    address, size = call("hipModuleGetGlobal", module, b"table")
    assert size == 16 and download(int(address), 4).tolist() == [10, 22, 30, 40]
    call("hipMemsetD32", int(address), 9, 4)
    launch(follow, 1, (1,), (ctypes.c_void_p(out),))
    assert download(out, 2)[1] == 9
    call("hipModuleUnload", module)
    assert code_of("hipModuleGetFunction", module, b"follow") == 400


def test_two_loads_have_variables_of_their_own() -> None:
    first, second = (call("hipModuleLoadData", compile_hip(SOURCE)) for _ in range(2))
    one, two = (int(call("hipModuleGetGlobal", module, b"table")[0]) for module in (first, second))
    assert one != two
    call("hipMemsetD32", one, 1, 4)
    assert download(two, 4).tolist() == [10, 20, 30, 40]


def test_hidden_arguments_and_dispatch_packet() -> None:
    out = int(call("hipMalloc", 16))
    launch(function("geometry"), 5, (8, 4, 2), (ctypes.c_void_p(out),))
    assert download(out, 4).tolist() == [8, 4, 5, 2]


def test_dynamic_lds() -> None:
    data = upload(np.arange(256, dtype=np.int32))
    launch(function("reverse"), 1, (256,), (ctypes.c_void_p(data),), shared=1024)
    assert (download(data, 256) == np.arange(256)[::-1]).all()


def test_a_kernel_without_arguments() -> None:
    kernel = function("nothing")
    call("hipModuleLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, None, None, None)
    call("hipDeviceSynchronize")


def test_attributes_and_occupancy() -> None:
    hip = library().hip
    kernel = function("reverse")
    attributes = hip.hipFunction_attribute
    assert call("hipFuncGetAttribute", attributes.HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel) == 1024
    assert call("hipFuncGetAttribute", attributes.HIP_FUNC_ATTRIBUTE_NUM_REGS, kernel) > 0
    assert call("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", kernel, 1024, 0) == 2
    assert call("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", kernel, 64, 65536) == 2
    assert call("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", kernel, 64, 70000) == 0
    grid, block = call("hipModuleOccupancyMaxPotentialBlockSize", kernel, 0, 0)
    assert block == 1024 and grid == 2 * 48


def bundle(*entries: tuple[bytes, bytes]) -> bytes:
    """An offload bundle of (target, content)."""
    head = 24 + 8 + sum(24 + len(target) for target, _ in entries)
    table, body = b"", b""
    for target, content in entries:
        table += struct.pack("<QQQ", head + len(body), len(content), len(target)) + target
        body += content
    return b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries)) + table + body


def compressed(plain: bytes) -> bytes:
    """A compressed bundle, version 2 with zlib."""
    packed = zlib.compress(plain)
    return b"CCOB" + struct.pack("<HHIIQ", 2, 0, 24 + len(packed), len(plain), 0) + packed


HOST, GFX = (b"host-x86_64-unknown-linux-gnu-", b""), b"hipv4-amdgcn-amd-amdhsa--gfx1100"


def test_offload_bundles() -> None:
    code = compile_hip(SOURCE)
    other = (b"hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", b"not for us")
    for image in (bundle(HOST, other, (GFX, code)), compressed(bundle(HOST, (GFX, code)))):
        call("hipModuleUnload", call("hipModuleLoadData", image))
    assert code_of("hipModuleLoadData", bundle(HOST, other)) == NO_BINARY
    assert "no entry for gfx1100" in library().reason()


def test_broken_objects_say_what_is_broken() -> None:
    code = bytearray(compile_hip(SOURCE))
    cases = [(b"\x7fELF", BAD_IMAGE), (b"", BAD_IMAGE), (b"hello world, this is no code object" * 4, BAD_IMAGE)]
    wrong_machine, wrong_chip, relocatable = bytearray(code), bytearray(code), bytearray(code)
    wrong_machine[18:20] = struct.pack("<H", 62)
    wrong_chip[48] = 0x3F
    relocatable[16] = 1
    cases += [(bytes(wrong_machine), NO_BINARY), (bytes(wrong_chip), NO_BINARY), (bytes(relocatable), BAD_IMAGE)]
    for image, expected in cases:
        padded = image + bytes(64)
        assert code_of("hipModuleLoadData", padded) == expected
        assert library().reason()
    assert code_of("hipModuleGetFunction", call("hipModuleLoadData", bytes(code)), b"absent") == NOT_FOUND


def test_fuzzed_objects_never_crash() -> None:
    """Flipped bytes and truncations: loaded or refused, and whatever was loaded can be unloaded."""
    code, draw = compile_hip(SOURCE), random.Random(20)
    headers = 64 + 56 * struct.unpack_from("<H", code, 56)[0]
    metadata = code.index(b"amdhsa.kernels")
    for round_ in range(1500):
        image = bytearray(code)
        for _ in range(draw.choice((1, 1, 2, 8))):
            low, high = draw.choice(((0, headers), (metadata - 64, metadata + 4096), (0, len(code))))
            image[draw.randrange(low, min(high, len(code)))] = draw.randrange(256)
        if round_ % 5 == 0:
            del image[draw.randrange(len(image)) :]
        try:
            module = call("hipModuleLoadData", bytes(image) + bytes(4096))
        except HipError as failure:
            assert failure.code in (BAD_IMAGE, NO_BINARY, 2, 302), failure
        else:
            call("hipModuleUnload", module)


@pytest.mark.parametrize("size, expected", [(27, INVALID), (28, 0), (32, 0), (288, 0), (400, INVALID)])
def test_extra_buffer_sizes(size: int, expected: int) -> None:
    content = ctypes.create_string_buffer(bytes(size), size)
    length = ctypes.c_size_t(size)
    extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(content), 2, ctypes.addressof(length), 3)
    assert code_of("hipModuleLaunchKernel", function("vadd"), 1, 1, 1, 1, 1, 1, 0, None, None, extra) == expected
    call("hipDeviceSynchronize")
