"""Memory beyond one allocation: mapped ranges, other processes, arrays, libraries, several devices."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

from tests.native.hip_support import call, code_of, compile_hip, library, run_python

INVALID = 1
HIP = library().hip
KIND = HIP.hipMemcpyKind
NATIVE = library().native
MIB2 = 2 << 20


def raw(name: str, *arguments: object) -> int:
    """A call by ctypes, for structures that hip-python passes by value."""
    return int(getattr(NATIVE, name)(*arguments))


class Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class Prop(ctypes.Structure):
    """hipMemAllocationProp."""

    _fields_ = [
        ("type", ctypes.c_int),
        ("handle_types", ctypes.c_int),
        ("location", Location),
        ("meta", ctypes.c_void_p),
        ("flags", ctypes.c_uint32),
    ]


class Access(ctypes.Structure):
    """hipMemAccessDesc."""

    _fields_ = [("location", Location), ("flags", ctypes.c_int)]


PINNED = Prop(1, 1, Location(1, 0), None, 0)
READ_WRITE = Access(Location(1, 0), 3)


def piece(size: int) -> ctypes.c_void_p:
    handle = ctypes.c_void_p()
    assert (
        raw("hipMemCreate", ctypes.byref(handle), ctypes.c_size_t(size), ctypes.byref(PINNED), ctypes.c_ulonglong(0))
        == 0
    )
    return handle


def reserve(size: int) -> int:
    at = ctypes.c_void_p()
    zero = ctypes.c_size_t(0)
    assert raw("hipMemAddressReserve", ctypes.byref(at), ctypes.c_size_t(size), zero, None, ctypes.c_ulonglong(0)) == 0
    return at.value or 0


def mapped(at: int, size: int, offset: int, handle: ctypes.c_void_p) -> int:
    return raw(
        "hipMemMap", ctypes.c_void_p(at), ctypes.c_size_t(size), ctypes.c_size_t(offset), handle, ctypes.c_ulonglong(0)
    )


def test_ranges_pieces_and_mappings() -> None:
    at = reserve(2 * MIB2)
    data = np.arange(MIB2 // 2, dtype=np.int32)
    assert code_of("hipMemcpy", at, data, 64, KIND.hipMemcpyHostToDevice) == INVALID, "a range has no memory yet"
    first, second = piece(MIB2), piece(MIB2)
    assert mapped(at, MIB2, 0, first) == 0 and mapped(at + MIB2, MIB2, 0, second) == 0
    assert mapped(at, MIB2, 0, second) == INVALID and mapped(at + 2 * MIB2, MIB2, 0, second) == INVALID
    size = ctypes.c_size_t(2 * MIB2)
    assert raw("hipMemSetAccess", ctypes.c_void_p(at), size, ctypes.byref(READ_WRITE), ctypes.c_size_t(1)) == 0
    both = np.arange(MIB2 // 4, dtype=np.int64)
    call("hipMemcpy", at, both, 2 * MIB2, KIND.hipMemcpyHostToDevice)
    again = reserve(MIB2)
    assert mapped(again, MIB2, 0, second) == 0
    out = np.zeros(MIB2 // 8, np.int64)
    call("hipMemcpy", out, again, MIB2, KIND.hipMemcpyDeviceToHost)
    assert (out == both[MIB2 // 8 :]).all(), "one piece, two addresses"
    for handle in (first, second):
        assert raw("hipMemRelease", handle) == 0
    assert raw("hipMemAddressFree", ctypes.c_void_p(at), size) == INVALID, "still mapped"
    assert raw("hipMemUnmap", ctypes.c_void_p(at), size) == 0
    assert raw("hipMemAddressFree", ctypes.c_void_p(at), size) == 0
    assert code_of("hipMemset", at, 0, 16) == INVALID


IMPORT = """
import ctypes, sys
import numpy as np
from tests.native.hip_support import call, library
class Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 64)]
native = library().native
def handle(text):
    return Handle.from_buffer_copy(bytes.fromhex(text))
at, event = ctypes.c_void_p(), ctypes.c_void_p()
code = native.hipIpcOpenMemHandle(ctypes.byref(at), handle(sys.argv[1] if len(sys.argv) > 1 else MEMORY), 1)
assert code == 0, (code, library().reason())
assert native.hipIpcOpenEventHandle(ctypes.byref(event), handle(EVENT)) == 0
assert native.hipEventSynchronize(event) == 0
data = np.zeros(1000, np.int32)
call("hipMemcpy", data, at.value, data.nbytes, library().hip.hipMemcpyKind.hipMemcpyDeviceToHost)
call("hipMemsetD32", at.value, 99, 10)
print(int(data.sum()))
assert native.hipIpcCloseMemHandle(at) == 0
assert native.hipIpcCloseMemHandle(at) == 1
"""


def test_memory_and_events_between_processes() -> None:
    data = np.arange(1000, dtype=np.int32)
    at = int(call("hipMalloc", data.nbytes))
    call("hipMemcpy", at, data, data.nbytes, KIND.hipMemcpyHostToDevice)
    memory, shared = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
    event = ctypes.c_void_p()
    assert raw("hipIpcGetMemHandle", memory, ctypes.c_void_p(at)) == 0
    assert raw("hipEventCreateWithFlags", ctypes.byref(event), 2 | 4) == 0
    assert raw("hipIpcGetEventHandle", shared, event) == 0
    assert raw("hipEventRecord", event, None) == 0
    script = f"MEMORY = {memory.raw.hex()!r}\nEVENT = {shared.raw.hex()!r}\n" + IMPORT
    done = run_python(script)
    assert done.stdout == "499500\n", done.stderr
    out = np.zeros(1000, np.int32)
    call("hipMemcpy", out, at, out.nbytes, KIND.hipMemcpyDeviceToHost)
    assert (out[:10] == 99).all() and (out[10:] == data[10:]).all()
    call("hipFree", at)
    gone = run_python(script)
    assert "no longer shares this memory" in gone.stderr
    before = len(os.listdir("/proc/self/fd"))
    assert raw("hipEventDestroy", event) == 0
    assert len(os.listdir("/proc/self/fd")) == before - 1


def array(width: int, height: int, channels: int = 1) -> ctypes.c_void_p:
    class Desc(ctypes.Structure):
        _fields_ = [("bits", ctypes.c_int * 4), ("kind", ctypes.c_int)]

    handle, desc = ctypes.c_void_p(), Desc((ctypes.c_int * 4)(*([32] * channels + [0] * (4 - channels))), 2)
    size = (ctypes.c_size_t(width), ctypes.c_size_t(height))
    assert raw("hipMallocArray", ctypes.byref(handle), ctypes.byref(desc), *size, 0) == 0
    return handle


def test_arrays_keep_rows_apart_and_check_their_bounds() -> None:
    handle = array(10, 6)
    host = np.arange(60, dtype=np.float32).reshape(6, 10)
    zero, row, rows = ctypes.c_size_t(0), ctypes.c_size_t(40), ctypes.c_size_t(6)
    at = host.ctypes.data_as(ctypes.c_void_p)
    assert raw("hipMemcpy2DToArray", handle, zero, zero, at, row, row, rows, 1) == 0
    out = np.zeros((3, 4), np.float32)
    back = out.ctypes.data_as(ctypes.c_void_p)
    part = (
        ctypes.c_size_t(16),
        handle,
        ctypes.c_size_t(8),
        ctypes.c_size_t(2),
        ctypes.c_size_t(16),
        ctypes.c_size_t(3),
    )
    assert raw("hipMemcpy2DFromArray", back, *part, 2) == 0
    assert (out == host[2:5, 2:6]).all()
    flat = np.zeros(25, np.float32)
    target = flat.ctypes.data_as(ctypes.c_void_p)
    assert (
        raw("hipMemcpyFromArray", target, handle, ctypes.c_size_t(20), ctypes.c_size_t(1), ctypes.c_size_t(100), 2) == 0
    )
    assert (flat == host.reshape(-1)[15:40]).all()
    assert raw("hipMemcpy2DToArray", handle, ctypes.c_size_t(4), zero, at, row, row, rows, 1) == INVALID
    assert raw("hipMemcpy2DToArray", handle, zero, zero, at, row, ctypes.c_size_t(39), rows, 1) == INVALID
    assert raw("hipFreeArray", handle) == 0 and raw("hipFreeArray", handle) == 400


def test_libraries() -> None:
    code = compile_hip("DEVICE int v = 3; KERNEL one(int *p, long q) { p[0] = v + q; } KERNEL two() {}")
    handle, kernel, function, count = (ctypes.c_void_p() for _ in range(4))
    assert raw("hipLibraryLoadData", ctypes.byref(handle), code, None, None, 0, None, None, 0) == 0
    assert raw("hipLibraryGetKernelCount", ctypes.byref(count), handle) == 0 and count.value == 2
    assert raw("hipLibraryGetKernel", ctypes.byref(kernel), handle, b"one") == 0
    assert raw("hipLibraryGetKernel", ctypes.byref(function), handle, b"none") == 500
    offset, size = ctypes.c_size_t(), ctypes.c_size_t()
    assert raw("hipKernelGetParamInfo", kernel, ctypes.c_size_t(1), ctypes.byref(offset), ctypes.byref(size)) == 0
    assert (offset.value, size.value) == (8, 8)
    assert raw("hipKernelGetFunction", ctypes.byref(function), kernel) == 0
    out = int(call("hipMalloc", 4))
    arguments = (ctypes.c_void_p(out), ctypes.c_long(4))
    call("hipModuleLaunchKernel", function.value, 1, 1, 1, 1, 1, 1, 0, None, None, arguments)
    seen = np.zeros(1, np.int32)
    call("hipMemcpy", seen, out, 4, KIND.hipMemcpyDeviceToHost)
    assert seen[0] == 7
    assert raw("hipLibraryUnload", handle) == 0 and raw("hipLibraryUnload", handle) == 400
    assert raw("hipKernelGetFunction", ctypes.byref(function), kernel) != 0


PEERS = """
import numpy as np
from tests.native.hip_support import call, code_of, library
kind = library().hip.hipMemcpyKind
assert call("hipDeviceCanAccessPeer", 0, 1) == 1 and call("hipDeviceCanAccessPeer", 1, 1) == 0
data = np.arange(100, dtype=np.int32)
first = int(call("hipMalloc", 400))
call("hipMemcpy", first, data, 400, kind.hipMemcpyHostToDevice)
call("hipSetDevice", 1)
second = int(call("hipMalloc", 400))
assert int(call("hipPointerGetAttributes", second).device) == 1
assert int(call("hipPointerGetAttributes", first).device) == 0
call("hipDeviceEnablePeerAccess", 0, 0)
assert code_of("hipDeviceEnablePeerAccess", 0, 0) == 704
call("hipMemcpyPeer", second, 1, first, 0, 400)
out = np.zeros_like(data)
call("hipMemcpy", out, second, 400, kind.hipMemcpyDeviceToHost)
assert (out == data).all()
stream = call("hipStreamCreate")
assert call("hipStreamGetDevice", stream) == 1
call("hipSetDevice", 0)
event = call("hipEventCreate")
assert code_of("hipEventRecord", event, stream) == 400
call("hipDeviceReset")
call("hipMemset", second, 0, 400)
print("peers")
"""


def test_several_devices() -> None:
    done = run_python(PEERS, CASS_EMU_DEVICES="2")
    assert done.stdout == "peers\n", done.stderr


@pytest.mark.parametrize("name", ["hipMemAdvise", "hipMemPrefetchAsync"])
def test_managed_hints_want_managed_memory(name: str) -> None:
    managed, plain = int(call("hipMallocManaged", 4096, 1)), int(call("hipMalloc", 4096))
    last = (HIP.hipMemoryAdvise.hipMemAdviseSetReadMostly, 0) if name == "hipMemAdvise" else (0, None)
    assert code_of(name, managed, 4096, *last) == 0
    assert code_of(name, plain, 4096, *last) == INVALID
    assert code_of(name, managed, 8192, *last) == INVALID
    call("hipFree", managed)
    call("hipFree", plain)
