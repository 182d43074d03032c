"""Streams and events of the emulated device: order, concurrency with the host, callbacks, time."""

from __future__ import annotations

import ctypes
import threading
import time

import numpy as np

from tests.native.hip_support import call, code_of, library

NOT_READY, INVALID_HANDLE = 600, 400
HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
KIND = library().hip.hipMemcpyKind


class Gate:
    """A host function that holds a stream until it is opened, and says when it runs."""

    def __init__(self) -> None:
        self.opened, self.entered = threading.Event(), threading.Event()
        self.function = HOST_FUNCTION(self._wait)

    def _wait(self, _: int | None) -> None:
        self.entered.set()
        assert self.opened.wait(20)

    def close(self, stream: object) -> None:
        """Queue the gate."""
        launch_host(stream, self.function)


def launch_host(stream: object, function: object) -> None:
    address = ctypes.cast(function, ctypes.c_void_p).value
    handle = int(stream) if stream is not None else 0
    native = library().native
    assert native.hipLaunchHostFunc(ctypes.c_void_p(handle), ctypes.c_void_p(address), None) == 0


def pinned(count: int) -> tuple[int, np.ndarray]:
    address = int(call("hipHostMalloc", count * 4, 0))
    return address, np.ctypeslib.as_array((ctypes.c_int32 * count).from_address(address))


def test_work_runs_beside_the_host_and_in_order() -> None:
    stream = call("hipStreamCreate")
    gate = Gate()
    address, view = pinned(4)
    gate.close(stream)
    call("hipMemsetD32Async", address, 1, 4, stream)
    call("hipMemsetD32Async", address, 2, 2, stream)
    assert gate.entered.wait(20)
    assert code_of("hipStreamQuery", stream) == NOT_READY and view.tolist() == [0, 0, 0, 0]
    gate.opened.set()
    call("hipStreamSynchronize", stream)
    assert view.tolist() == [2, 2, 1, 1]
    assert code_of("hipStreamQuery", stream) == 0
    call("hipStreamDestroy", stream)
    call("hipHostFree", address)


def test_the_legacy_stream_orders_itself_with_blocking_streams_only() -> None:
    blocking, apart = call("hipStreamCreate"), call("hipStreamCreateWithFlags", 1)
    gate = Gate()
    address, view = pinned(3)
    gate.close(blocking)
    call("hipMemsetD32Async", address + 4, 5, 1, apart)
    call("hipStreamSynchronize", apart)
    assert view[1] == 5
    call("hipMemsetD32Async", address, 7, 1, None)
    call("hipMemsetD32Async", address + 8, 9, 1, blocking)
    time.sleep(0.05)
    assert code_of("hipStreamQuery", None) == NOT_READY and view[0] == 0 and view[2] == 0
    gate.opened.set()
    call("hipStreamSynchronize", blocking)
    assert view.tolist() == [7, 5, 9]
    call("hipStreamDestroy", blocking)
    call("hipStreamDestroy", apart)
    call("hipHostFree", address)


def test_an_event_orders_two_streams() -> None:
    first, second = call("hipStreamCreateWithFlags", 1), call("hipStreamCreateWithFlags", 1)
    event = call("hipEventCreate")
    gate = Gate()
    address, view = pinned(1)
    gate.close(first)
    call("hipMemsetD32Async", address, 1, 1, first)
    call("hipEventRecord", event, first)
    call("hipStreamWaitEvent", second, event, 0)
    call("hipMemsetD32Async", address, 2, 1, second)
    assert code_of("hipEventQuery", event) == NOT_READY
    time.sleep(0.02)
    assert view[0] == 0
    gate.opened.set()
    call("hipStreamSynchronize", second)
    assert view[0] == 2 and code_of("hipEventQuery", event) == 0
    for stream in (first, second):
        call("hipStreamDestroy", stream)
    call("hipEventDestroy", event)
    call("hipHostFree", address)


def test_events_measure_time() -> None:
    start, stop, untimed = call("hipEventCreate"), call("hipEventCreate"), call("hipEventCreateWithFlags", 2)
    nap = HOST_FUNCTION(lambda _: time.sleep(0.05))
    stream = call("hipStreamCreate")
    call("hipEventRecord", start, stream)
    launch_host(stream, nap)
    call("hipEventRecord", stop, stream)
    call("hipEventSynchronize", stop)
    assert 45 < call("hipEventElapsedTime", start, stop) < 5000
    assert code_of("hipEventElapsedTime", start, untimed) == INVALID_HANDLE
    call("hipEventRecord", untimed, stream)
    call("hipStreamSynchronize", stream)
    assert code_of("hipEventElapsedTime", start, untimed) == INVALID_HANDLE
    call("hipStreamDestroy", stream)


def test_pageable_source_may_change_after_an_asynchronous_copy_returns() -> None:
    stream, gate = call("hipStreamCreateWithFlags", 1), Gate()
    data = np.arange(1000, dtype=np.int32)
    address = int(call("hipMalloc", data.nbytes))
    gate.close(stream)
    call("hipMemcpyAsync", address, data, data.nbytes, KIND.hipMemcpyHostToDevice, stream)
    data[:] = -1
    gate.opened.set()
    out = np.zeros_like(data)
    call("hipMemcpyAsync", out, address, out.nbytes, KIND.hipMemcpyDeviceToHost, stream)
    assert (out == np.arange(1000)).all(), "a copy to pageable memory is done when the call returns"
    call("hipStreamDestroy", stream)
    call("hipFree", address)


def test_destroyed_and_invented_handles_are_refused() -> None:
    stream, event = call("hipStreamCreate"), call("hipEventCreate")
    call("hipStreamDestroy", stream)
    call("hipEventDestroy", event)
    for name, handle in (("hipStreamSynchronize", stream), ("hipStreamQuery", 0x1234), ("hipEventQuery", event)):
        assert code_of(name, handle) == INVALID_HANDLE
    assert code_of("hipStreamDestroy", stream) == INVALID_HANDLE
    assert code_of("hipStreamDestroy", 0) == INVALID_HANDLE


def test_destroying_a_busy_stream_finishes_its_work() -> None:
    stream, gate = call("hipStreamCreateWithFlags", 1), Gate()
    address, view = pinned(1)
    gate.close(stream)
    call("hipMemsetD32Async", address, 3, 1, stream)
    call("hipStreamDestroy", stream)
    gate.opened.set()
    deadline = time.monotonic() + 20
    while view[0] != 3 and time.monotonic() < deadline:
        time.sleep(0.001)
    assert view[0] == 3
    call("hipHostFree", address)


def test_stream_memory_operations() -> None:
    first, second = call("hipStreamCreateWithFlags", 1), call("hipStreamCreateWithFlags", 1)
    address, view = pinned(2)
    call("hipStreamWaitValue32", first, address, 5, 0, 0xFFFFFFFF)
    call("hipMemsetD32Async", address + 4, 8, 1, first)
    time.sleep(0.02)
    assert view[1] == 0
    call("hipStreamWriteValue32", second, address, 6, 0)
    call("hipStreamSynchronize", first)
    assert view.tolist() == [6, 8]
    for stream in (first, second):
        call("hipStreamDestroy", stream)
    call("hipHostFree", address)


def test_threads_share_a_stream_and_have_one_of_their_own() -> None:
    address, view = pinned(8)
    stream = call("hipStreamCreate")
    failures: list[BaseException] = []

    def work(index: int) -> None:
        try:
            for round_ in range(100):
                call("hipMemsetD32Async", address + 4 * index, round_ + 1, 1, stream if index % 2 else 2)
            call("hipStreamSynchronize", stream if index % 2 else 2)
            assert view[index] == 100
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures and view.tolist() == [100] * 8
    call("hipDeviceSynchronize")
    call("hipStreamDestroy", stream)
    call("hipHostFree", address)
