"""A Python host that forks while a thread of it launches: os.fork, multiprocessing's fork, spawn, a subprocess.

`host.py` for all of them, `host.py whole` for a use of the device by itself. Prints "right" when parent and children
were: forked children of a process that uses the device get CUDA_ERROR_NOT_INITIALIZED, new programs have it to
themselves. ctypes only.
"""

from __future__ import annotations

import array
import ctypes
import multiprocessing
import os
import subprocess
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "python"))
import driver_api as example

NOT_INITIALIZED = 3
TIMES, LIMIT_S = 8, 60


def use_device() -> int:
    """The whole of the example; its exit status."""
    return example.main()


def be_forked() -> int:
    """0 when the device is refused as CUDA refuses it to a forked child."""
    memory = ctypes.c_uint64()
    codes = (example.driver.cuInit(0), example.driver.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(16)))
    return 0 if codes == (NOT_INITIALIZED, NOT_INITIALIZED) else 41


def forked_process() -> None:
    """A process of multiprocessing."""
    sys.exit(be_forked())


class Launching(threading.Thread):
    """Uses the device again and again until it is told to end."""

    def __init__(self, context: ctypes.c_void_p) -> None:
        super().__init__()
        self.context = context
        self.going, self.rounds, self.wrong = True, 0, 0

    def run(self) -> None:
        example.call("cuCtxSetCurrent", self.context)
        module, function, memory = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
        example.call("cuModuleLoadData", ctypes.byref(module), example.PTX)
        example.call("cuModuleGetFunction", ctypes.byref(function), module, b"scale")
        values = array.array("f", range(example.COUNT))
        address, size = ctypes.c_void_p(values.buffer_info()[0]), ctypes.c_size_t(4 * example.COUNT)
        example.call("cuMemAlloc_v2", ctypes.byref(memory), size)
        held = (memory, ctypes.c_float(-1.0), ctypes.c_uint32(example.COUNT))
        arguments = (ctypes.c_void_p * 3)(*(ctypes.addressof(one) for one in held))
        blocks = -(-example.COUNT // example.THREADS)
        while self.going or self.rounds < 20:
            example.call("cuMemcpyHtoD_v2", memory, address, size)
            example.call("cuLaunchKernel", function, blocks, 1, 1, example.THREADS, 1, 1, 0, None, arguments, None)
            example.call("cuMemcpyDtoH_v2", address, memory, size)
            self.rounds += 1
            self.wrong += values[-1] != (example.COUNT - 1) * (-1) ** self.rounds


def by_fork() -> int:
    child = os.fork()
    if child == 0:
        os._exit(be_forked())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def by_multiprocessing(method: str, target: object) -> int:
    process = multiprocessing.get_context(method).Process(target=target)  # type: ignore[attr-defined]
    process.start()
    process.join(LIMIT_S)
    return -1 if process.exitcode is None else process.exitcode


def by_subprocess() -> int:
    command = [sys.executable, __file__, "whole"]
    return subprocess.run(command, stdout=subprocess.DEVNULL, timeout=LIMIT_S, check=False).returncode


def spawned() -> None:
    """A new interpreter: the device is its own."""
    with open(os.devnull, "w") as sys.stdout:
        sys.exit(use_device())


def main() -> int:
    """Everything, while a thread uses the device."""
    if sys.argv[1:] == ["whole"]:
        return use_device()
    context = ctypes.c_void_p()
    example.call("cuInit", 0)
    example.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    example.call("cuCtxSetCurrent", context)
    launching = Launching(context)
    launching.start()
    found = {f"fork {number}": by_fork() for number in range(TIMES)}
    found["multiprocessing, fork"] = by_multiprocessing("fork", forked_process)
    found["multiprocessing, spawn"] = by_multiprocessing("spawn", spawned)
    found["subprocess"] = by_subprocess()
    launching.going = False
    launching.join()
    wrong = {what: status for what, status in found.items() if status}
    if wrong or launching.wrong:
        print(wrong, launching.wrong)
        return 1
    print("right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
