"""Graphs of the emulated device: explicit nodes, capture, launch, update."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.native.hip_support import call, code_of, compile_hip, library

HIP = library().hip
KIND = HIP.hipMemcpyKind
INVALID, UNJOINED, IMPLICIT, UNSUPPORTED, INVALIDATED, UPDATE_FAILED = 1, 904, 906, 900, 901, 910
SOURCE = "KERNEL add(int *p, int n, int v) { if (TID < n) p[TID] += v; } KERNEL twice(int *p) { p[TID] *= 2; }"


@pytest.fixture
def kernels() -> dict[str, object]:
    module = call("hipModuleLoadData", compile_hip(SOURCE))
    return {name: call("hipModuleGetFunction", module, name.encode()) for name in ("add", "twice")}


@pytest.fixture
def memory() -> int:
    address = int(call("hipMalloc", 64))
    call("hipMemset", address, 0, 64)
    return address


def values(address: int, count: int = 4) -> list[int]:
    out = np.zeros(count, np.int32)
    call("hipDeviceSynchronize")
    call("hipMemcpy", out, address, out.nbytes, KIND.hipMemcpyDeviceToHost)
    return out.tolist()


def add(kernels: dict[str, object], stream: object, address: int, value: int) -> None:
    arguments = (ctypes.c_void_p(address), ctypes.c_int(4), ctypes.c_int(value))
    call("hipModuleLaunchKernel", kernels["add"], 1, 1, 1, 4, 1, 1, 0, stream, None, arguments)


def capture(stream: object, record: object, mode: int = 0) -> object:
    call("hipStreamBeginCapture", stream, HIP.hipStreamCaptureMode(mode))
    record()  # type: ignore[operator]
    return call("hipStreamEndCapture", stream)


def instantiate(graph: object) -> object:
    return call("hipGraphInstantiateWithFlags", graph, 0)


def test_a_captured_graph_runs_when_launched_and_only_then(kernels: dict[str, object], memory: int) -> None:
    stream = call("hipStreamCreate")
    graph = capture(stream, lambda: [add(kernels, stream, memory, 1), add(kernels, stream, memory, 10)])
    assert values(memory) == [0] * 4
    executable = instantiate(graph)
    for _ in range(3):
        call("hipGraphLaunch", executable, stream)
    assert values(memory) == [33] * 4
    call("hipGraphExecDestroy", executable)
    call("hipGraphDestroy", graph)
    assert code_of("hipGraphLaunch", executable, stream) == INVALID


def test_capture_spreads_by_events_and_must_be_joined(kernels: dict[str, object], memory: int) -> None:
    first, second = call("hipStreamCreate"), call("hipStreamCreate")
    fork, joined = call("hipEventCreate"), call("hipEventCreate")

    def branch(join: bool) -> None:
        add(kernels, first, memory, 1)
        call("hipEventRecord", fork, first)
        call("hipStreamWaitEvent", second, fork, 0)
        add(kernels, second, memory + 16, 5)
        if join:
            call("hipEventRecord", joined, second)
            call("hipStreamWaitEvent", first, joined, 0)
        add(kernels, first, memory, 2)

    graph = capture(first, lambda: branch(True))
    executable = instantiate(graph)
    call("hipGraphLaunch", executable, first)
    assert values(memory, 8) == [3] * 4 + [5] * 4
    call("hipStreamBeginCapture", first, HIP.hipStreamCaptureMode(0))
    branch(False)
    assert code_of("hipStreamEndCapture", first) == UNJOINED
    assert code_of("hipStreamSynchronize", second) == 0, "the joined stream is free again"


def test_forbidden_calls_invalidate_a_capture(kernels: dict[str, object], memory: int) -> None:
    stream = call("hipStreamCreate")
    call("hipStreamBeginCapture", stream, HIP.hipStreamCaptureMode(0))
    assert code_of("hipMalloc", 16) == UNSUPPORTED
    assert code_of("hipStreamEndCapture", stream) == INVALIDATED
    call("hipStreamBeginCapture", stream, HIP.hipStreamCaptureMode(0))
    assert code_of("hipStreamSynchronize", stream) == UNSUPPORTED
    assert code_of("hipMemset", memory, 0, 4) == IMPLICIT
    assert code_of("hipStreamEndCapture", stream) == INVALIDATED
    assert code_of("hipStreamEndCapture", stream) == 401
    add(kernels, stream, memory, 4)
    assert values(memory) == [4] * 4


def test_copies_fills_and_host_functions_are_captured(memory: int) -> None:
    stream, seen = call("hipStreamCreate"), []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: seen.append(len(seen)))
    source, target = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)

    def record() -> None:
        call("hipMemcpyAsync", memory, source, 16, KIND.hipMemcpyHostToDevice, stream)
        call("hipMemsetD32Async", memory + 4, 77, 1, stream)
        call("hipMemcpyAsync", target, memory, 16, KIND.hipMemcpyDeviceToHost, stream)
        address = ctypes.cast(function, ctypes.c_void_p)
        assert library().native.hipLaunchHostFunc(ctypes.c_void_p(int(stream)), address, None) == 0

    executable = instantiate(capture(stream, record))
    assert target.tolist() == [0, 0, 0, 0] and not seen
    source[:] = [9, 8, 7, 6]
    call("hipGraphLaunch", executable, stream)
    call("hipStreamSynchronize", stream)
    assert target.tolist() == [9, 77, 7, 6] and seen == [0]


def nodes(*handles: object) -> object:
    return (ctypes.c_void_p * len(handles))(*(int(handle) for handle in handles))  # type: ignore[call-overload]


def node_params(kernel: object, address: int, value: int) -> tuple[object, list[object]]:
    """hipKernelNodeParams of `add` and what must stay alive with it."""
    keep: list[object] = [ctypes.c_void_p(address), ctypes.c_int(4), ctypes.c_int(value)]
    pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(one) for one in keep))  # type: ignore[arg-type]
    params = HIP.hipKernelNodeParams()
    params.gridDim.x = params.gridDim.y = params.gridDim.z = 1
    params.blockDim.x, params.blockDim.y, params.blockDim.z = 4, 1, 1
    params.func = int(kernel)  # type: ignore[call-overload]
    params.kernelParams = pointers
    return params, [*keep, pointers]


def test_explicit_nodes_edges_and_parameter_changes(kernels: dict[str, object], memory: int) -> None:
    graph = call("hipGraphCreate", 0)
    params, keep = node_params(kernels["add"], memory, 3)
    first = call("hipGraphAddKernelNode", graph, None, 0, params)
    double = HIP.hipKernelNodeParams()
    double.gridDim.x = double.gridDim.y = double.gridDim.z = 1
    double.blockDim.x, double.blockDim.y, double.blockDim.z = 4, 1, 1
    double.func = int(kernels["twice"])  # type: ignore[call-overload]
    argument = ctypes.c_void_p(memory)
    pointers = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
    double.kernelParams = pointers
    second = call("hipGraphAddKernelNode", graph, None, 0, double)
    call("hipGraphAddDependencies", graph, nodes(first), nodes(second), 1)
    assert code_of("hipGraphAddDependencies", graph, nodes(first), nodes(second), 1) == INVALID
    executable, stream = instantiate(graph), call("hipStreamCreate")
    call("hipGraphLaunch", executable, stream)
    assert values(memory) == [6] * 4
    changed, keep_changed = node_params(kernels["add"], memory, 100)
    call("hipGraphExecKernelNodeSetParams", executable, first, changed)
    call("hipGraphLaunch", executable, stream)
    assert values(memory) == [212] * 4
    call("hipGraphNodeSetEnabled", executable, second, 0)
    call("hipGraphLaunch", executable, stream)
    assert values(memory) == [312] * 4
    call("hipGraphAddDependencies", graph, nodes(second), nodes(first), 1)
    assert code_of("hipGraphInstantiateWithFlags", graph, 0) == INVALID
    assert "cycle" in library().reason()
    assert keep and keep_changed


def test_update_takes_new_parameters_and_refuses_new_shapes(kernels: dict[str, object], memory: int) -> None:
    stream = call("hipStreamCreate")
    executable = instantiate(capture(stream, lambda: add(kernels, stream, memory, 1)))
    call("hipGraphExecUpdate", executable, capture(stream, lambda: add(kernels, stream, memory, 50)), nodes(0))
    call("hipGraphLaunch", executable, stream)
    assert values(memory) == [50] * 4
    longer = capture(stream, lambda: [add(kernels, stream, memory, 1), add(kernels, stream, memory, 1)])
    assert code_of("hipGraphExecUpdate", executable, longer, nodes(0)) == UPDATE_FAILED
    call("hipGraphLaunch", executable, stream)
    assert values(memory) == [100] * 4


def test_child_graphs_and_clones(kernels: dict[str, object], memory: int) -> None:
    stream = call("hipStreamCreate")
    inner = capture(stream, lambda: add(kernels, stream, memory, 7))
    outer = call("hipGraphCreate", 0)
    call("hipGraphAddChildGraphNode", outer, None, 0, inner)
    clone = call("hipGraphClone", outer)
    call("hipGraphDestroy", inner)
    call("hipGraphDestroy", outer)
    call("hipGraphLaunch", instantiate(clone), stream)
    assert values(memory) == [7] * 4


def test_stream_ordered_memory_in_a_capture(kernels: dict[str, object], memory: int) -> None:
    stream, held = call("hipStreamCreate"), []

    def record() -> None:
        held.append(int(call("hipMallocAsync", 16, stream)))
        call("hipMemsetAsync", held[0], 0, 16, stream)
        add(kernels, stream, held[0], 6)
        call("hipMemcpyAsync", memory, held[0], 16, KIND.hipMemcpyDeviceToDevice, stream)
        call("hipFreeAsync", held[0], stream)

    graph = capture(stream, record)
    executable = instantiate(graph)
    for _ in range(2):
        call("hipGraphLaunch", executable, stream)
        assert values(memory) == [6] * 4
    call("hipGraphExecDestroy", executable)
    call("hipGraphDestroy", graph)
    call("hipDeviceSynchronize")
    assert code_of("hipMemset", held[0], 0, 16) == INVALID
