"""Memory instructions of a wave of terms: kernel arguments, global memory, LDS, and lanes' exchange through DS.

In: DS, GLOBAL and SMEM operations. Out: registers written, accesses in the block's memories.
"""

from __future__ import annotations

import re

from cass_shim.model.kernel_abi import WARP
from cass_shim.verify.proof.lanes import Unknown, Value, each, gathered, lane, spread
from cass_shim.verify.proof.launch import Domain
from cass_shim.verify.proof.memory import SCALAR, Atomic, Memory, local_memory
from cass_shim.verify.proof.rdna3.alu import Alu
from cass_shim.verify.proof.rdna3.image import Image
from cass_shim.verify.proof.rdna3.kernarg import Kernarg
from cass_shim.verify.proof.rdna3.operation import NULL, VGPR, Operation, dwords
from cass_shim.verify.proof.terms import Term

_ACCESS = re.compile(r"^(?:ds|global|scratch)_(load|store)_(?:(2addr)_)?(?:(stride64)_)?([bui])(8|16|32|64|96|128)$")
_ATOMIC = re.compile(
    r"^(?:global_atomic|ds)_(add|min|max|and|or|xor|inc|dec|swap|storexchg|cmpswap|cmpstore)_(rtn_)?([uibf])(32|64)$"
)
_EXCHANGES = {"swap": "exch", "storexchg": "exch", "cmpswap": "cas", "cmpstore": "cas"}


def access_bytes(name: str) -> int | None:
    """The width of a load or store of device memory or LDS, None for another instruction."""
    found = _ACCESS.match(name)
    return int(found[5]) // 8 if found else None


class MemoryOperations(Alu):
    """Memory."""

    condition: Term  # under which the wave is here

    def __init__(self, domain: Domain, image: Image, warp: int, memories: dict[str, Memory], kernarg: Kernarg) -> None:
        super().__init__(domain, image, warp)
        self.memories, self.kernarg = memories, kernarg

    def _execute(self, operations: tuple[Operation, ...]) -> None:
        """Run what stands at one address; of two operations both read before either writes."""
        if len(operations) == 2:
            self._dual(operations)
            return
        (o,) = operations
        if self._execute_alu(o) or o.name.endswith("_inv") or o.name == "s_nop":
            return
        families = {"SMEM": self._scalar_load, "DS": self._local, "GLOBAL": self._global, "SCRATCH": self._scratch}
        families.get(o.row.encoding, _refuse)(o)

    def _dual(self, operations: tuple[Operation, ...]) -> None:
        sources = [[self.source(o, n) for n in range(len(o.row.sources))] for o in operations]
        for o, values in zip(operations, sources, strict=True):
            self._vector_result(o, values)

    def _scalar_load(self, o: Operation) -> None:
        t = self.terms
        base = t.concat(self.scalar(o.sources[0]), self.scalar(o.sources[0] + 1))
        start = t.add(t.add(base, t.zext(self.scalar(o.sources[1]), 64)), t.const(o.offset, 64))
        if not o.name.startswith("s_load_b"):
            raise Unknown(f"{o.row.name} has no terms")
        words = []
        for n in range(dwords(o.row.destination)):
            at = t.add(start, t.const(4 * n, 64))
            word = self.kernarg.load(at)
            words.append(self.memories["global"].load(SCALAR, self.condition, at, 4) if word is None else word)
        for n, word in enumerate(words):
            self.set_scalar(o.d + n, word)

    def _present(self) -> tuple[Term, ...]:
        """Under which condition each lane executes the instruction."""
        return tuple(self.terms.both(self.condition, m) for m in self.exec())

    def _access(
        self, memory: Memory | None, o: Operation, addresses: Value, kind: str, bits: int, d: int, data: int
    ) -> None:
        """One load or store by every lane. d: first VGPR of a load's result, data: of a store's value.

        memory: None for each lane's own.
        """
        t, words = self.terms, max(1, bits // 32)
        if kind == "load":
            columns: list[list[Term]] = [[] for _ in range(words)]
        for number, present in enumerate(self._present()):
            at, thread = lane(addresses, number), WARP * self.warp + number
            where = memory or local_memory(self.memories, "rdna3", t, thread)
            for word in range(words):
                place = t.add(at, t.const(4 * word, at.width))
                size = min(bits, 32)
                if kind == "store":
                    value = t.extract(lane(self.seen(data + word), number), 0, size)
                    where.store(thread, present, place, value)
                elif present is t.false:
                    columns[word].append(t.const(0, 32))
                else:
                    loaded = where.load(thread, present, place, size // 8)
                    signed = re.search(r"_i(8|16)$", o.name)
                    columns[word].append(t.sext(loaded, 32) if signed else t.zext(loaded, 32))
        if kind == "load":
            for word, column in enumerate(columns):
                self.set_vector(d + word, gathered(tuple(column)))

    # device memory

    def _global(self, o: Operation) -> None:
        t, name = self.terms, o.name
        vector, data, base = o.sources[0] - VGPR, o.sources[1] - VGPR, o.sources[2]
        if base == NULL:
            address = each(t.concat, self.seen(vector), self.seen(vector + 1))
        else:
            scalar = t.concat(self.scalar(base), self.scalar(base + 1))
            address = each(lambda x: t.add(scalar, t.zext(x, 64)), self.seen(vector))
        address = each(lambda x: t.add(x, t.const(o.offset, 64)), address)
        found, atomic = _ACCESS.match(name), _ATOMIC.match(name)
        if found:
            self._access(self.memories["global"], o, address, found[1], int(found[5]), o.d, data)
        elif atomic:
            second = data + int(atomic[4]) // 32  # the expected value stands behind the new one
            self._atomic(o, self.memories["global"], atomic, address, data, second, o.returns)
        else:
            raise Unknown(f"{o.row.name} has no terms")

    def _atomic(
        self, o: Operation, memory: Memory, found: re.Match[str], address: Value, data: int, second: int, returns: bool
    ) -> None:
        """data, second: VGPRs of the operand and of what compare-and-swap expects."""
        kind, width, t = found[3], int(found[4]), self.terms
        operation = _EXCHANGES.get(found[1], found[1])
        if kind == "f" and (operation != "add" or width != 32 or self.image.mode.ftz):
            raise Unknown(f"{o.row.name} has no terms")
        name = f"{'s' if kind == 'i' else 'u'}{operation}" if operation in ("min", "max") else operation
        name += ".f32" if kind == "f" else ""
        value = self._register(data, width)
        compare = self._register(second, width) if operation == "cas" else None
        results = []
        for number, present in enumerate(self._present()):
            if present is t.false:
                results.append(t.const(0, width))
                continue
            thread, at = WARP * self.warp + number, lane(address, number)
            wanted = None if compare is None else lane(compare, number)
            made = Atomic(thread, present, at, name, width, lane(value, number), compare=wanted)
            results.append(memory.atomic(made, returns))
        memory.atomics_end()
        if returns:
            for word in range(width // 32):
                self.set_vector(o.d + word, gathered(tuple(t.extract(one, 32 * word, 32) for one in results)))

    def _register(self, first: int, width: int) -> Value:
        """A VGPR, or two of them."""
        return self.seen(first) if width == 32 else each(self.terms.concat, self.seen(first), self.seen(first + 1))

    # the lane's own memory

    def _scratch(self, o: Operation) -> None:
        """Each lane sees its own memory from 0 on (AMD RDNA3 ISA, "Scratch: vector address, scalar address, both")."""
        t, found = self.terms, _ACCESS.match(o.name)
        if not found:
            raise Unknown(f"{o.row.name} has no terms")
        address: Value = t.const(o.offset, 32)
        if o.sources[0] != NULL:
            address = each(t.add, address, self.seen(o.sources[0] - VGPR))
        if o.sources[2] != NULL:
            address = each(t.add, address, self.scalar(o.sources[2]))
        self._access(None, o, address, found[1], int(found[5]), o.d, o.sources[1] - VGPR)

    # LDS

    def _local(self, o: Operation) -> None:
        t, name = self.terms, o.name
        base, first, second = (self.seen(code - VGPR) for code in o.sources)
        del second
        atomic = _ATOMIC.match(name)
        if atomic:
            address = each(lambda x: t.add(x, t.const(o.offset, 32)), base)
            operand, expected = o.sources[1] - VGPR, o.sources[2] - VGPR
            self._atomic(o, self.memories["shared"], atomic, address, operand, expected, bool(atomic[2]))
            return
        if name in ("ds_bpermute_b32", "ds_swizzle_b32", "ds_permute_b32"):
            self._exchange(o, name, base, first)
            return
        found = _ACCESS.match(name)
        if not found:
            raise Unknown(f"{o.row.name} has no terms")
        memory, kind, bits = self.memories["shared"], found[1], int(found[5])
        if not found[2]:
            address = each(lambda x: t.add(x, t.const(o.offset, 32)), base)
            self._access(memory, o, address, kind, bits, o.d, o.sources[1] - VGPR)
            return
        step = bits // 8 * (64 if found[3] else 1)
        for number, offset in enumerate((o.offset & 0xFF, o.offset >> 8)):
            address = each(lambda x, n=offset: t.add(x, t.const(step * n, 32)), base)
            data = o.sources[1 + number] - VGPR
            self._access(memory, o, address, kind, bits, o.d + number * (bits // 32), data)

    def _exchange(self, o: Operation, name: str, base: Value, data: Value) -> None:
        """Lanes' values by way of the LDS hardware; a lane that is not active gives 0."""
        t, mask, zero = self.terms, self.exec(), self.terms.const(0, 32)
        if name == "ds_swizzle_b32":
            held = tuple(t.ite(m, x, zero) for m, x in zip(mask, spread(base), strict=True))
            self.set_vector(o.d, gathered(tuple(held[swizzle_lane(o.offset, n)] for n in range(WARP))))
            return
        address = each(lambda x: t.add(x, t.const(o.offset, 32)), base)
        numbers = [t.extract(x, 2, 5) for x in spread(address)]
        if name == "ds_bpermute_b32":
            held = tuple(t.ite(m, x, zero) for m, x in zip(mask, spread(data), strict=True))
            self.set_vector(o.d, gathered(tuple(self.chosen(held, n) for n in numbers)))
            return
        received = [zero] * WARP
        for sender in range(WARP):
            for to in range(WARP):
                hit = t.both(mask[sender], t.eq(numbers[sender], t.const(to, 5)))
                received[to] = t.ite(hit, lane(data, sender), received[to])
        self.set_vector(o.d, gathered(tuple(received)))


def _refuse(o: Operation) -> None:
    raise Unknown(f"{o.row.name} has no terms")


def swizzle_lane(offset: int, own: int) -> int:
    """The lane that ds_swizzle_b32 reads. Source: AMD RDNA3 ISA, "DS_SWIZZLE_B32"; rotate and FFT modes are refused."""
    if offset >= 0xC000:
        raise Unknown("ds_swizzle in rotate or FFT mode has no terms")
    if offset & 0x8000:
        return (own & ~3) | (offset >> (2 * (own & 3)) & 3)
    return (((own & offset & 31) | (offset >> 5 & 31)) ^ (offset >> 10 & 31)) & 31
