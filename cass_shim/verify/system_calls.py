"""vprintf, malloc, free, __assertfail and cudaGraphSetConditional as the reference interpreter performs them.

By the CUDA device ABI: arguments in R4 upwards (64-bit ones in pairs), result in R4. Records are kept as the
printf ring of model/kernel_abi.py would hold them: (format address, argument bytes).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cass_shim.isa import texture_calls
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import Instruction
from cass_shim.model.kernel_abi import PRINTF_HEADER_BYTES, PRINTF_RECORD_BYTES
from cass_shim.verify.inputs import DEVICE_HEAP_BYTES, RING_BYTES
from cass_shim.verify.memory import Fault
from cass_shim.verify.program import SYSTEM_CALL_BASE, SYSTEM_CALLS

if TYPE_CHECKING:
    from cass_shim.verify.interpreter import Interpreter


def called(address: int) -> str:
    """The driver function at a pretended address, or ""."""
    index, rest = divmod(address - SYSTEM_CALL_BASE, 16)
    return SYSTEM_CALLS[index] if 0 <= index < len(SYSTEM_CALLS) and rest == 0 else ""


class SystemCalls:
    """The calls of one run.

    printed: one entry per vprintf and lane: 8 bytes of format address, then the formatted arguments' bytes.
    """

    def __init__(self, machine: Interpreter, given: set[int]) -> None:
        self.machine = machine
        self.printed: list[bytes] = []
        self.given = given  # addresses that malloc gave and nobody freed
        self.room = RING_BYTES - PRINTF_HEADER_BYTES  # left in the device's ring
        self.sizes: dict[int, list[int]] = {}  # of the arguments, by format address

    def perform(self, name: str, instruction: Instruction) -> None:
        """Run one call for the lanes of the machine's mask. Raises Fault, Unsupported."""
        if name in texture_calls.NAMES:
            texture_calls.perform(self.machine, name)
        elif name == "vprintf":
            self._vprintf()
        elif name == "__assertfail":
            raise Fault("an assertion failed", lane=int(self.machine.active[0]))
        elif name == "malloc" and self.machine.heap[1]:
            self._malloc()
        elif name == "free":
            self._free()
        elif name == "cudaGraphSetConditional":  # a condition handle is the address of its word
            machine = self.machine
            machine.store("global", machine.pair(*(machine.get_reg(4 + k, False) for k in range(2))),
                          [machine.get_reg(6, False)], 32)  # fmt: skip
        else:
            raise Unsupported(name, address=instruction.address, why="in the reference interpreter")

    def _free(self) -> None:
        """Blocks that malloc gave, each once, and null pointers; anything else is undefined in CUDA."""
        machine = self.machine
        addresses = machine.spread(machine.pair(machine.get_reg(4, False), machine.get_reg(5, False)))
        for lane in machine.active.tolist():
            address = int(addresses[lane])
            if address and address not in self.given:
                raise Fault(f"free of {address:#x}, which malloc did not give", lane=lane)
            self.given.discard(address)

    def _malloc(self) -> None:
        """Blocks of what is left of the heap, each lane its own; 0 for none and for what no heap here could hold.

        Sizes are rounded up as an H200 does, without regard to the carry, malloc(0) gives a block
        (`tests/native/conformance/device_heap.expected`). Nothing is taken back. Between the reference's heap and the
        device's, a larger one, nothing can be compared.
        """
        machine = self.machine
        sizes = machine.pair(machine.get_reg(4, False), machine.get_reg(5, False))
        address = np.zeros(machine.mask.shape, np.uint64)
        for lane in machine.active.tolist():
            start, end = machine.heap
            wanted = int(machine.spread(sizes)[lane])
            size = max((wanted + 15) % (1 << 64) & ~15, 16)
            if size > DEVICE_HEAP_BYTES:
                continue
            if start + size > end:
                raise Fault(f"malloc of {wanted} bytes beyond the reference's heap", lane=lane)
            address[lane] = start
            self.given.add(start)
            machine.heap = (start + size, end)
        machine.set_reg(4, False, machine.low(address))
        machine.set_reg(5, False, machine.high(address))

    def _vprintf(self) -> None:
        """Count of arguments as the result; the record holds the format address and its argument bytes."""
        machine = self.machine
        formats = machine.pair(machine.get_reg(4, False), machine.get_reg(5, False))
        arguments = machine.pair(machine.get_reg(6, False), machine.get_reg(7, False))
        counts = np.zeros(machine.mask.shape, np.uint32)
        for lane in machine.active.tolist():
            text = int(formats[lane])
            if text not in self.sizes:
                self.sizes[text] = argument_sizes(self._read_string(text))
            sizes = self.sizes[text]
            content = self._read_local(lane, int(arguments[lane]), sizes) if sizes else b""
            self.printed.append(text.to_bytes(8, "little") + content)
            self.room -= PRINTF_RECORD_BYTES + -(-len(content) // 8) * 8
            if self.room < 0:
                raise Fault(f"prints more than the {RING_BYTES} bytes of the verifier's ring", lane=lane)
            counts[lane] = len(sizes)
        machine.set_reg(4, False, counts)

    def _read_string(self, address: int) -> bytes:
        arena = self.machine.arena
        start = address - arena.base
        if not 0 <= start < len(arena.content):
            raise Fault(f"printf format at {address:#x} is not in memory")
        end = start
        while end < len(arena.content) and arena.content[end]:
            end += 1
        return arena.content[start:end].tobytes()

    def _read_local(self, lane: int, address: int, sizes: list[int]) -> bytes:
        """The argument buffer: each argument at its natural alignment, by generic address."""
        machine = self.machine
        offset = address - machine.local_window
        length = _packed_length(sizes)
        if not 0 <= offset <= machine.local.size - length:
            raise Fault(f"printf arguments at {address:#x} are not in local memory", lane=lane)
        start = lane * machine.local.size + offset
        return machine.local.content[start : start + length].tobytes()


def _packed_length(sizes: list[int]) -> int:
    end = 0
    for size in sizes:
        end = -(-end // size) * size + size
    return end


def argument_sizes(text: bytes) -> list[int]:
    """Bytes each conversion of a printf format takes: 4 for int-sized ones, 8 for the rest. Source: CUDA C++
    Programming Guide, formatted output (floats are promoted to double, `*` takes an int)."""
    sizes: list[int] = []
    at = 0
    while (at := text.find(b"%", at)) >= 0:
        at += 1
        long = False
        while at < len(text) and text[at : at + 1] in b"-+ #0123456789.*hlLjzt":
            if text[at : at + 1] == b"*":
                sizes.append(4)
            long |= text[at : at + 1] in b"lLjzt"
            at += 1
        conversion = text[at : at + 1]
        at += 1
        if conversion in b"dioxXuc":
            sizes.append(8 if long else 4)
        elif conversion in b"eEfFgGaApsn":
            sizes.append(8)
    return sizes
