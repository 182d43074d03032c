"""Memory of the emulated device through hip-python: allocation, copies and fills of every shape, refusals."""

from __future__ import annotations

import ctypes
import mmap

import numpy as np
import pytest

from tests.native.hip_support import call, code_of, library, run_python

INVALID, OUT_OF_MEMORY, PITCH = 1, 2, 12
KIND = library().hip.hipMemcpyKind
H2D, D2H, D2D, DEFAULT = (
    KIND.hipMemcpyHostToDevice,
    KIND.hipMemcpyDeviceToHost,
    KIND.hipMemcpyDeviceToDevice,
    KIND.hipMemcpyDefault,
)


def upload(array: np.ndarray) -> int:
    address = int(call("hipMalloc", array.nbytes))
    call("hipMemcpy", address, array, array.nbytes, H2D)
    return address


def download(address: int, like: np.ndarray) -> np.ndarray:
    out = np.zeros_like(like)
    call("hipMemcpy", out, address, out.nbytes, D2H)
    return out


def test_round_trip_and_device_to_device() -> None:
    data = np.arange(100_003, dtype=np.int32)
    first, second = upload(data), int(call("hipMalloc", data.nbytes))
    call("hipMemcpy", second, first, data.nbytes, D2D)
    assert (download(second, data) == data).all()
    call("hipMemcpy", second + 4, first, data.nbytes - 4, DEFAULT)
    assert (download(second, data)[1:] == data[:-1]).all()
    call("hipFree", first)
    call("hipFree", second)


@pytest.mark.parametrize("offset, size", [(-4, 8), (97, 4), (100, 1), (1 << 20, 4), (0, 101)])
def test_copies_that_leave_an_allocation_are_refused(offset: int, size: int) -> None:
    data = np.zeros(100, np.uint8)
    address = upload(data)
    other = np.full(1 << 10, 7, np.uint8)
    assert code_of("hipMemcpy", address + offset, other, size, H2D) == INVALID
    assert code_of("hipMemcpy", other, address + offset, size, D2H) == INVALID
    assert code_of("hipMemset", address + offset, 7, size) == INVALID
    assert (download(address, data) == 0).all()
    call("hipFree", address)


def test_wild_host_pointers_are_errors_not_crashes() -> None:
    address = int(call("hipMalloc", 4096))
    assert code_of("hipMemcpy", address, 0x1000, 64, H2D) == INVALID
    assert code_of("hipMemcpy", 0x1000, address, 64, D2H) == INVALID
    assert code_of("hipMemcpyAsync", address, 0x1000, 64, H2D, None) == INVALID
    assert code_of("hipMemcpy", 0, address, 64, D2H) == INVALID
    assert code_of("hipDeviceSynchronize") == 0
    call("hipFree", address)


def test_free_checks_its_argument() -> None:
    address = int(call("hipMalloc", 100))
    assert code_of("hipFree", address + 16) == INVALID
    assert code_of("hipFree", 0x1234) == INVALID
    call("hipFree", address)
    assert code_of("hipFree", address) == INVALID
    call("hipFree", 0)


def test_memory_is_counted_and_limited() -> None:
    free, total = call("hipMemGetInfo")
    address = call("hipMalloc", 64 << 20)
    assert call("hipMemGetInfo") == (free - (64 << 20), total)
    call("hipFree", address)
    assert call("hipMemGetInfo") == (free, total)
    assert code_of("hipMalloc", total + 1) == OUT_OF_MEMORY
    assert code_of("hipMalloc", 1 << 62) == OUT_OF_MEMORY


def test_fresh_memory_is_zero_even_after_reuse() -> None:
    for _ in range(40):
        address = int(call("hipMalloc", 64 << 20))
        assert (download(address, np.ones(1000, np.uint8)) == 0).all()
        call("hipMemset", address, 0xFF, 64 << 20)
        call("hipFree", address)


def test_many_small_allocations_are_distinct() -> None:
    addresses = [int(call("hipMalloc", 24)) for _ in range(3000)]
    assert len(set(addresses)) == 3000 and all(address % 256 == 0 for address in addresses)
    for address in addresses:
        call("hipFree", address)


def test_two_dimensional_copies() -> None:
    host = np.arange(30 * 40, dtype=np.uint8).reshape(30, 40)
    address, pitch = call("hipMallocPitch", 40, 30)
    assert pitch % 256 == 0
    call("hipMemcpy2D", int(address), pitch, host, 40, 40, 30, H2D)
    out = np.zeros((30, 50), np.uint8)
    call("hipMemcpy2D", out, 50, int(address), pitch, 40, 30, D2H)
    assert (out[:, :40] == host).all() and (out[:, 40:] == 0).all()
    assert code_of("hipMemcpy2D", int(address), 39, host, 40, 40, 30, H2D) == PITCH
    assert code_of("hipMemcpy2D", int(address), pitch, host, 40, 40, 31, H2D) == INVALID
    call("hipMemset2D", int(address), pitch, 9, 10, 5)
    call("hipMemcpy2D", out, 50, int(address), pitch, 40, 30, D2H)
    assert (out[:5, :10] == 9).all() and (out[:5, 10:40] == host[:5, 10:]).all() and (out[5:, :40] == host[5:]).all()
    call("hipFree", int(address))


@pytest.mark.parametrize("suffix, dtype", [("D8", np.uint8), ("D16", np.uint16), ("D32", np.uint32)])
def test_fills_of_elements(suffix: str, dtype: type) -> None:
    like = np.zeros(1001, dtype)
    address = upload(like)
    value = 0xA5C31234 & int(np.iinfo(dtype).max)
    signed = value - (1 << 32) if suffix == "D32" else value
    call(f"hipMemset{suffix}", address + like.itemsize, signed, 999)
    out = download(address, like)
    assert out[0] == 0 and out[1000] == 0 and (out[1:1000] == value).all()
    if like.itemsize > 1:
        assert code_of(f"hipMemset{suffix}", address + 1, 0, 4) == INVALID
    call("hipFree", address)


def test_pinned_memory_is_host_memory_that_the_device_reaches() -> None:
    address = int(call("hipHostMalloc", 4096, 0))
    view = np.ctypeslib.as_array((ctypes.c_uint8 * 4096).from_address(address))
    view[:] = np.arange(4096) % 251
    device = int(call("hipMalloc", 4096))
    call("hipMemcpyAsync", device, address, 4096, H2D, None)
    call("hipDeviceSynchronize")
    assert (download(device, view.copy()) == view).all()
    attributes = call("hipPointerGetAttributes", address + 100)
    assert int(attributes.type) == 1 and int(attributes.hostPointer) == address + 100
    assert code_of("hipFree", address) == INVALID
    call("hipHostFree", address)
    call("hipFree", device)


def test_pointer_attributes_tell_kinds_apart() -> None:
    device, managed = int(call("hipMalloc", 100)), int(call("hipMallocManaged", 100, 1))
    assert int(call("hipPointerGetAttributes", device + 99).type) == 2
    assert int(call("hipPointerGetAttributes", managed).isManaged) == 1
    host = np.zeros(10)
    assert int(call("hipPointerGetAttributes", host).type) == 0
    base, size = call("hipMemGetAddressRange", device + 50)
    assert (int(base), size) == (device, 100)
    call("hipFree", device)
    call("hipFree", managed)


def test_registered_host_memory() -> None:
    host = np.arange(5000, dtype=np.int64)
    call("hipHostRegister", host, host.nbytes, 0)
    assert code_of("hipHostRegister", host, 8, 0) == 712
    assert int(call("hipHostGetDevicePointer", host, 0)) == host.ctypes.data
    call("hipHostUnregister", host)
    assert code_of("hipHostUnregister", host) == 713
    assert code_of("hipHostRegister", 0x1000, 4096, 0) == INVALID


def test_stream_ordered_allocation_and_pool_counters() -> None:
    hip = library().hip
    pool = call("hipDeviceGetDefaultMemPool", 0)
    stream = call("hipStreamCreate")
    address = int(call("hipMallocAsync", 1 << 20, stream))
    used = np.zeros(1, np.uint64)
    call("hipMemPoolGetAttribute", pool, hip.hipMemPoolAttr.hipMemPoolAttrUsedMemCurrent, used)
    assert used[0] == 1 << 20
    call("hipMemsetAsync", address, 3, 1 << 20, stream)
    call("hipFreeAsync", address, stream)
    call("hipStreamSynchronize", stream)
    call("hipMemPoolGetAttribute", pool, hip.hipMemPoolAttr.hipMemPoolAttrUsedMemCurrent, used)
    assert used[0] == 0
    assert code_of("hipMemset", address, 0, 16) == INVALID
    call("hipStreamDestroy", stream)


def test_settings_shape_the_board() -> None:
    done = run_python(
        "from cass_shim.device import Device; d = Device.open('emulated');"
        "print(d.memory_bytes, d.compute_units, d.call('hipGetDeviceCount'))",
        CASS_EMU_MEMORY="512M", CASS_EMU_CUS="7", CASS_EMU_DEVICES="3",
    )  # fmt: skip
    assert done.stdout.split() == [str(512 << 20), "7", "3"], done.stderr


def test_a_process_with_little_address_space_gets_a_smaller_device() -> None:
    done = run_python(
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))\n"
        "from tests.native.hip_support import call, code_of\n"
        "free, total = call('hipMemGetInfo')\n"
        "assert total == (512 << 20) // 4 * 3, total\n"
        "call('hipMalloc', 300 << 20)\n"
        "print(code_of('hipMalloc', 300 << 20))"
    )
    assert done.stdout == "2\n", done.stderr


def test_large_copies_check_host_memory_too() -> None:
    size = 1 << 20
    address = int(call("hipMalloc", size))
    room = mmap.mmap(-1, 2 * size)
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(start + size), ctypes.c_size_t(size), 0) == 0
    assert code_of("hipMemcpy", address, start, size, H2D) == 0
    assert code_of("hipMemcpy", address, start + 4096, size, H2D) == INVALID
    assert code_of("hipMemcpy", start + 4096, address, size, D2H) == INVALID
    assert libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(size), 1) == 0
    assert code_of("hipMemcpy", start, address, size, D2H) == INVALID, "read-only"
    assert code_of("hipMemcpy", start, address, 64, D2H) == INVALID
    assert code_of("hipMemcpy", address, start, size, H2D) == 0
    call("hipFree", address)
