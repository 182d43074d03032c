"""What goes wrong on the emulated device is an error with a reason, never a crash of the host."""

from __future__ import annotations

import ctypes
import struct

import numpy as np
import pytest

from tests.native.hip_support import call, code_of, compile_hip, library, run_python

SOURCE = """
KERNEL poke(int *p, long i) { p[i] = 1; }
KERNEL peek(const int *p, int *q) { q[0] = p[0]; }
KERNEL stop(int *p) { p[0] = 4; __builtin_trap(); }
KERNEL forever(volatile int *p) { while (p[0] == 0) ; }
"""
ILLEGAL_ADDRESS, LAUNCH_FAILURE, TIMEOUT = 700, 719, 702


def launch(name: str, *arguments: object, items: int = 1) -> None:
    module = call("hipModuleLoadData", compile_hip(SOURCE))
    function = call("hipModuleGetFunction", module, name.encode())
    call("hipModuleLaunchKernel", function, 1, 1, 1, items, 1, 1, 0, None, None, arguments)


@pytest.mark.parametrize("index", [1 << 20, -(1 << 20), 1 << 40, 1 << 61])
def test_a_wild_store_is_sticky_until_reset(index: int) -> None:
    address = int(call("hipMalloc", 4096))
    launch("poke", ctypes.c_void_p(address), ctypes.c_long(index))
    assert code_of("hipDeviceSynchronize") == ILLEGAL_ADDRESS
    reason = library().reason()
    assert "kernel poke" in reason and "lane 0" in reason and f"{(address + 4 * index) & (2**64 - 1):#x}" in reason
    assert code_of("hipMalloc", 16) == ILLEGAL_ADDRESS
    assert code_of("hipGetLastError") == ILLEGAL_ADDRESS == code_of("hipGetLastError")
    call("hipDeviceReset")
    assert code_of("hipDeviceSynchronize") == 0
    launch("poke", ctypes.c_void_p(int(call("hipMalloc", 4096))), ctypes.c_long(3))
    call("hipDeviceSynchronize")


def test_host_memory_is_out_of_reach_unless_registered() -> None:
    host, out = np.full(1024, 77, np.int32), int(call("hipMalloc", 4))
    launch("peek", ctypes.c_void_p(host.ctypes.data), ctypes.c_void_p(out))
    assert code_of("hipDeviceSynchronize") == ILLEGAL_ADDRESS
    call("hipDeviceReset")
    out = int(call("hipMalloc", 4))
    call("hipHostRegister", host, host.nbytes, 0)
    launch("peek", ctypes.c_void_p(host.ctypes.data), ctypes.c_void_p(out))
    seen = np.zeros(1, np.int32)
    call("hipMemcpy", seen, out, 4, library().hip.hipMemcpyKind.hipMemcpyDeviceToHost)
    assert seen[0] == 77
    call("hipHostUnregister", host)


def test_freed_memory_faults() -> None:
    address, other = int(call("hipMalloc", 4096)), int(call("hipMalloc", 4096))
    call("hipFree", address)
    launch("peek", ctypes.c_void_p(address), ctypes.c_void_p(other))
    assert code_of("hipDeviceSynchronize") == ILLEGAL_ADDRESS
    assert f"inside 4096 bytes of device memory at {address:#x} that were freed" in library().reason()
    call("hipDeviceReset")


def test_the_reason_says_what_lies_there() -> None:
    for address, index, words in (
        (lambda: 0, 5, "a null pointer"),
        (lambda: int(call("hipMalloc", 4096)), 1030, "24 bytes past the end of 4096 bytes of device memory"),
        (lambda: id(words_of), 0, "a host pointer that was not registered"),
    ):
        launch("poke", ctypes.c_void_p(address()), ctypes.c_long(index))
        found, reason = code_of("hipDeviceSynchronize"), library().reason()
        call("hipDeviceReset")  # before anything is asserted: later tests use the same device
        assert found == ILLEGAL_ADDRESS and words in reason


REUSED = """
import ctypes
from tests.native.hip_support import call, code_of, library
from tests.native.test_hip_fault import launch
sizes = {}
for turn in range(3000):
    old = int(call("hipMalloc", 8 << 20))
    sizes[old] = 8 << 20
    call("hipFree", old)
    address = int(call("hipMalloc", 4096))  # kept
    inside = [one for one in sizes if one < address < one + sizes[one] - 16384]
    if inside:
        break
launch("poke", ctypes.c_void_p(address), ctypes.c_long(1030))
assert code_of("hipDeviceSynchronize") == 700
reason = library().reason()
assert "8388608 bytes of device memory at" in reason, reason
assert f"that were freed, and 24 bytes past the end of 4096 bytes of device memory at {address:#x}" in reason, reason
print("both")
"""


def test_past_the_end_of_what_was_given_out_where_memory_was_freed() -> None:
    """Either may be what was meant: a stale pointer to the freed memory, or an index too large."""
    done = run_python(REUSED)
    assert done.stdout == "both\n", done.stderr


def words_of() -> None:
    """Something that lies in host memory."""


CHECKED = """
import ctypes
import numpy as np
from tests.native.hip_support import call, code_of, library
from tests.native.test_hip_fault import launch
for size, index in ((4000, 1000), (4, 4), (100, 28), (1 << 20, 1 << 18)):
    address = int(call("hipMalloc", size))
    first = np.zeros(1, np.uint8)
    call("hipMemcpy", first, address, 1, library().hip.hipMemcpyKind.hipMemcpyDeviceToHost)
    assert first[0] == 0xA5 and address % 16 == 0
    launch("poke", ctypes.c_void_p(address), ctypes.c_long(size // 4 - 1))
    assert code_of("hipDeviceSynchronize") == 0
    launch("poke", ctypes.c_void_p(address), ctypes.c_long(index))
    assert code_of("hipDeviceSynchronize") == 700, size
    assert f"{4 * index - size} bytes past the end of {size} bytes" in library().reason(), library().reason()
    call("hipDeviceReset")
print("checked")
"""


def test_checking_mode_finds_the_first_byte_past_an_allocation() -> None:
    done = run_python(CHECKED, CASS_EMU_CHECK="1")
    assert done.stdout == "checked\n", done.stderr


STALE = """
import ctypes
from tests.native.hip_support import call, code_of, library
from tests.native.test_hip_fault import launch
stale = int(call("hipMalloc", 4096))
call("hipFree", stale)
again = []
for turn in range(3000):  # many times what the device has
    again.append(int(call("hipMalloc", 65 << 20)))
    call("hipFree", again[-1])
assert stale not in again
launch("poke", ctypes.c_void_p(stale), ctypes.c_long(1))
assert code_of("hipDeviceSynchronize") == 700
assert f"inside 4096 bytes of device memory at {stale:#x} that were freed" in library().reason(), library().reason()
call("hipDeviceReset")
for turn in range(3000):  # beyond the range of addresses
    call("hipFree", int(call("hipMalloc", 65 << 20)))
print("checked")
"""


def test_checking_mode_gives_no_address_twice_while_there_are_others() -> None:
    done = run_python(STALE, CASS_EMU_CHECK="1")
    assert done.stdout == "checked\n", done.stderr


def test_a_trap_is_a_launch_failure() -> None:
    address = int(call("hipMalloc", 4096))
    launch("stop", ctypes.c_void_p(address))
    assert code_of("hipDeviceSynchronize") == LAUNCH_FAILURE
    assert "stop" in library().reason()
    call("hipDeviceReset")


def test_later_work_of_every_stream_is_dropped_after_a_fault() -> None:
    address, view_address = int(call("hipMalloc", 4096)), int(call("hipHostMalloc", 4, 0))
    view = ctypes.c_int32.from_address(view_address)
    launch("poke", ctypes.c_void_p(address), ctypes.c_long(1 << 30))
    library().native.hipMemsetD32Async(ctypes.c_void_p(view_address), 5, ctypes.c_size_t(1), None)
    assert code_of("hipDeviceSynchronize") == ILLEGAL_ADDRESS
    assert view.value == 0
    call("hipDeviceReset")


RUNAWAY = """
import ctypes
from tests.native.hip_support import call, code_of, library
from tests.native.test_hip_fault import launch
launch("forever", ctypes.c_void_p(int(call("hipMalloc", 4096))))
print(code_of("hipDeviceSynchronize"), library().reason())
"""


def test_a_runaway_kernel_is_stopped_by_the_limit() -> None:
    done = run_python(RUNAWAY, CASS_EMU_LIMIT="200000")
    assert done.stdout.startswith(f"{TIMEOUT} kernel forever"), done.stdout + done.stderr


FORK = """
import os
from tests.native.hip_support import code_of, library
from cass_shim.native import locate
import ctypes
library() if {first} else ctypes.CDLL(str(locate.emulated_hip()))
child = os.fork()
if child == 0:
    native = ctypes.CDLL(str(locate.emulated_hip()))
    memory = ctypes.c_void_p()
    os._exit(native.hipMalloc(ctypes.byref(memory), ctypes.c_size_t(4096)))
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(status, code_of("hipMalloc", 16))
"""


@pytest.mark.parametrize("first, expected", [(True, 3), (False, 0)])
def test_fork(first: bool, expected: int) -> None:
    """A child of a process that used the device gets hipErrorNotInitialized; of one that did not, a device."""
    done = run_python(FORK.format(first=first))
    assert done.stdout.split() == [str(expected), "0"], done.stdout + done.stderr


def test_launch_shapes_are_checked() -> None:
    module = call("hipModuleLoadData", compile_hip(SOURCE))
    function = call("hipModuleGetFunction", module, b"poke")
    arguments = (ctypes.c_void_p(0), ctypes.c_long(0))

    def code(grid: tuple[int, int, int], block: tuple[int, int, int], shared: int = 0) -> int:
        return code_of("hipModuleLaunchKernel", function, *grid, *block, shared, None, None, arguments)

    assert code((0, 1, 1), (1, 1, 1)) == 9 and code((1, 1, 1), (1, 0, 1)) == 9
    assert code((1, 1, 1), (1025, 1, 1)) == 9 and code((1, 1, 1), (32, 32, 2)) == 9
    assert code((1, 1, 1), (1, 1, 1), 65537) == 1
    assert code_of("hipModuleLaunchKernel", 0x1234, 1, 1, 1, 1, 1, 1, 0, None, None, arguments) == 98
    size = struct.pack("<Q", 3)
    assert len(size) == 8 and code_of("hipDeviceSynchronize") == 0
