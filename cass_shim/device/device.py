"""A HIP device for Python: load a code object, launch its kernels, move bytes. Every call goes through hip-python.

In: gfx1100 code objects and kernarg blocks as bytes. Out: device memory as bytes or numpy arrays. Sizes in bytes,
grids in workgroups, addresses as integers. Every failure is `DeviceFailed` with the HIP error and the reason.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cass_shim.device.library import Library, open_library
from cass_shim.model.errors import DeviceFailed

Array = NDArray[Any]


class Device:
    """One HIP device of this process. Not to be made directly: `Device.open`.

    name, arch ("gfx1100"), compute_units, memory_bytes: what the device says of itself. emulated: whether it is ours.
    """

    def __init__(self, library: Library, ordinal: int) -> None:
        self.library = library
        self.ordinal = ordinal
        self._hip = library.hip
        properties = self._properties()
        self.name: str = _text(properties.name)
        self.arch: str = _text(properties.gcnArchName).partition(":")[0]
        self.compute_units: int = properties.multiProcessorCount
        self.memory_bytes: int = properties.totalGlobalMem
        self.emulated = hasattr(library.native, "hipCassLastFault")
        kinds = self._hip.hipMemcpyKind
        self._to_device, self._to_host = kinds.hipMemcpyHostToDevice, kinds.hipMemcpyDeviceToHost
        self._within = kinds.hipMemcpyDeviceToDevice
        self._success = self._hip.hipError_t.hipSuccess

    @classmethod
    def open(cls, kind: str = "auto", ordinal: int = 0) -> Device:
        """The device of this process. kind: "auto", "hip" or "emulated"; the first call decides for the process."""
        device = cls(open_library(kind), ordinal)
        device.call("hipSetDevice", ordinal)
        return device

    def _properties(self) -> Any:
        try:
            return self._checked("hipGetDeviceProperties", self._hip.hipGetDeviceProperties(self.ordinal))
        except TypeError:  # 7.x takes the structure to fill
            properties = self._hip.hipDeviceProp_t()
            self._checked("hipGetDeviceProperties", self._hip.hipGetDeviceProperties(properties, self.ordinal))
            return properties

    def call(self, name: str, *arguments: Any) -> Any:
        """hip-python's function `name`: its results without the error. DeviceFailed if it fails."""
        return self._checked(name, getattr(self._hip, name)(*arguments))

    def _checked(self, name: str, result: tuple[Any, ...]) -> Any:
        error = result[0]
        if int(error) != 0:
            raise DeviceFailed(name, int(error), self.library.reason() or _text(error.name))
        return result[1] if len(result) == 2 else result[1:]

    def load(self, code_object: bytes) -> Module:
        """A module from a code object or offload bundle."""
        return Module(self, code_object)

    def alloc(self, size: int) -> int:
        """Device memory: its address. Contents are undefined."""
        return int(self.call("hipMalloc", size))

    def free(self, address: int) -> None:
        """Give back what `alloc` returned; waits for the device."""
        self.call("hipFree", address)

    def copy(self, target: int | Array | bytearray, source: int | Array | bytes, size: int | None = None) -> None:
        """Copy between host buffers and device addresses (integers); done when it returns.

        size: bytes; may be left out where one side is a buffer, whose whole length is then meant.
        """
        lengths = [_length(side) for side in (target, source) if not isinstance(side, int)]
        if size is None:
            if not lengths:
                raise ValueError("a copy between two addresses needs a size")
            size = min(lengths)
        elif any(length < size for length in lengths):
            raise ValueError(f"a buffer is shorter than the {size} bytes to copy")
        if size == 0:
            return
        if isinstance(target, int):
            kind = self._within if isinstance(source, int) else self._to_device
        elif isinstance(source, int):
            kind = self._to_host
        else:
            raise ValueError("neither side of the copy is a device address")
        self.call("hipMemcpy", _buffer(target), _buffer(source), size, kind)

    def read(self, address: int, size: int) -> bytes:
        """`size` bytes of device memory."""
        content = bytearray(size)
        self.copy(content, address)
        return bytes(content)

    def memset(self, address: int, value: int, size: int) -> None:
        """Fill device memory with a byte value; done when it returns."""
        if size:
            self.call("hipMemset", address, value, size)
            self.synchronize()

    def spent(self) -> float:
        """What launches have cost so far: wave-instructions on the emulated device, seconds on the clock elsewhere."""
        if not self.emulated:
            return time.perf_counter()
        count = self.library.native.hipCassInstructions
        count.restype = ctypes.c_size_t
        return float(count())

    def limit(self, instructions: int) -> None:
        """How many a wave of later launches may run on the emulated device; 0: as many as CASS_EMU_LIMIT lets, the most
        there may be."""
        if self.emulated:
            self.library.native.hipCassLimit(ctypes.c_size_t(instructions))

    def synchronize(self) -> None:
        """Wait for everything; the place where a launch's failure is heard of."""
        self.call("hipDeviceSynchronize")

    def reset(self) -> None:
        """Free everything on the device and forget its sticky error. Modules and buffers are gone."""
        self.call("hipDeviceReset")

    def buffer(self, array: Array) -> Buffer:
        """Device memory with the contents, shape and type of a numpy array."""
        return Buffer(self, np.ascontiguousarray(array))

    def stream(self) -> Any:
        """A new non-blocking stream, for `Function.launch`; destroy it with `call("hipStreamDestroy", stream)`."""
        return self.call("hipStreamCreateWithFlags", 1)


class Module:
    """A loaded code object; `close` or `with` unloads it."""

    def __init__(self, device: Device, code_object: bytes) -> None:
        self.device = device
        self._handle: Any = device.call("hipModuleLoadData", code_object)

    def function(self, name: str) -> Function:
        """The kernel of that name. DeviceFailed (hipErrorNotFound) if there is none."""
        return Function(self, name, self.device.call("hipModuleGetFunction", self._handle, name.encode()))

    def variable(self, name: str) -> tuple[int, int]:
        """Address and size of a device variable."""
        address, size = self.device.call("hipModuleGetGlobal", self._handle, name.encode())
        return int(address), int(size)

    def close(self) -> None:
        """Unload; waits for launches in flight. Its functions must not be used afterwards."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            self.device.call("hipModuleUnload", handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class Function:
    """A kernel. launch() copies its arguments before it returns; it does not wait for the kernel."""

    def __init__(self, module: Module, name: str, handle: Any) -> None:
        self.module = module
        self.name = name
        self._handle = handle

    def launch(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        kernarg: bytes,
        shared_bytes: int = 0,
        stream: Any = None,
    ) -> None:
        """Queue the kernel.

        grid: workgroups per dimension, block: work-items per workgroup; one to three numbers each. kernarg: the
        explicit part of the kernarg segment, laid out as the kernel expects it; hidden arguments are the runtime's.
        shared_bytes: dynamic LDS. stream: from `Device.stream`, None is the default stream.
        """
        size = ctypes.c_size_t(len(kernarg))
        content = ctypes.create_string_buffer(kernarg, len(kernarg) or 1)
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(content), 2, ctypes.addressof(size), 3)
        gx, gy, gz = (*grid, 1, 1)[:3]
        bx, by, bz = (*block, 1, 1)[:3]
        self.module.device.call(
            "hipModuleLaunchKernel", self._handle, gx, gy, gz, bx, by, bz, shared_bytes, stream, None, extra
        )  # fmt: skip


class Buffer:
    """Device memory that mirrors a numpy array; `close` or `with` frees it. address: where it is."""

    def __init__(self, device: Device, array: Array) -> None:
        self.device = device
        self.shape, self.dtype, self.size = array.shape, array.dtype, array.nbytes
        self.address = device.alloc(max(self.size, 1))
        self.write(array)

    def write(self, array: Array) -> None:
        """Replace the contents."""
        if array.nbytes != self.size:
            raise ValueError(f"{array.nbytes} bytes for a buffer of {self.size}")
        self.device.copy(self.address, np.ascontiguousarray(array))

    def read(self) -> Array:
        """The contents as a new array."""
        array = np.empty(self.shape, self.dtype)
        self.device.copy(array, self.address)
        return array

    def close(self) -> None:
        """Free the memory."""
        if self.address:
            address, self.address = self.address, 0
            self.device.free(address)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _text(value: bytes | str) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _buffer(side: int | Array | bytes | bytearray) -> Any:
    """What hip-python takes as a pointer: an integer, or an object with the buffer protocol."""
    return side if isinstance(side, int | bytes | bytearray) else side.reshape(-1).view(np.uint8)


def _length(side: Array | bytes | bytearray) -> int:
    return len(side) if isinstance(side, bytes | bytearray) else int(side.nbytes)
