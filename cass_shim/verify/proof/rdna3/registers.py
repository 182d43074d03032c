"""Registers of a wave of terms: operands as they are encoded, writes under EXEC.

In: operand codes. Out: terms of 32 or 64 bits. SGPRs are one term, VGPRs a value of 32 lanes; what was never written
is undefined.
"""

from __future__ import annotations

from cass_shim.model.kernel_abi import WARP
from cass_shim.verify.gfx11 import LITERAL
from cass_shim.verify.proof.lanes import Unknown, Value, each, gathered, spread
from cass_shim.verify.proof.launch import Domain
from cass_shim.verify.proof.rdna3.image import Image
from cass_shim.verify.proof.rdna3.operation import EXEC, HALF_KINDS, NULL, SCC, VGPR, Operation, dwords
from cass_shim.verify.proof.terms import Term

_SINGLE = (0x3F00_0000, 0xBF00_0000, 0x3F80_0000, 0xBF80_0000, 0x4000_0000, 0xC000_0000, 0x4080_0000, 0xC080_0000,
           0x3E22_F983)  # fmt: skip
_DOUBLE = (0x3FE0 << 48, 0xBFE0 << 48, 0x3FF0 << 48, 0xBFF0 << 48, 0x4000 << 48, 0xC000 << 48, 0x4010 << 48,
           0xC010 << 48, 0x3FC4_5F30_6DC9_C882)  # fmt: skip
_HALF = (0x3800, 0xB800, 0x3C00, 0xBC00, 0x4000, 0xC000, 0x4400, 0xC400, 0x3118)
_FIRST_FLOAT, _LAST_FLOAT = 240, 248


class Registers:
    """`registers` and `condition` are set by whoever runs the wave."""

    def __init__(self, domain: Domain, image: Image, warp: int) -> None:
        self.domain, self.terms, self.image, self.warp = domain, domain.terms, image, warp
        self.registers: dict[int, Value] = {}

    def undefined(self, code: int) -> Value:
        """What a register holds before anything is written to it."""
        name = f"undefined.gfx.{code}.{self.warp}"
        if code < VGPR:
            return self.terms.var(name, 1 if code == SCC else 32)
        return gathered(tuple(self.terms.var(f"{name}.{n}", 32) for n in range(WARP)))

    def scalar(self, code: int) -> Term:
        """An SGPR or M0, VCC, EXEC."""
        if code == NULL:
            return self.terms.const(0, 32)
        found = self.registers.get(code)
        if found is None:
            found = self.registers[code] = self.undefined(code)
        assert isinstance(found, Term)
        return found

    def set_scalar(self, code: int, value: Term) -> None:
        if code != NULL:
            self.registers[code] = value

    def set_wide(self, code: int, value: Term) -> None:
        """A scalar result of 32 or 64 bits."""
        self.set_scalar(code, self.terms.extract(value, 0, 32))
        if value.width == 64 and code != NULL:
            self.set_scalar(code + 1, self.terms.extract(value, 32, 32))

    def scc(self) -> Term:
        return self.scalar(SCC)

    def exec(self) -> tuple[Term, ...]:
        """The condition of each lane."""
        mask = self.scalar(EXEC)
        return tuple(self.terms.extract(mask, n, 1) for n in range(WARP))

    def vector(self, number: int) -> Value:
        """A VGPR by its number."""
        found = self.registers.get(VGPR + number)
        if found is None:
            found = self.registers[VGPR + number] = self.undefined(VGPR + number)
        return found

    def seen(self, number: int) -> Value:
        """A VGPR as the active lanes see it."""
        return each(self.terms.under, self.exec(), self.vector(number))

    def set_vector(self, number: int, value: Value) -> None:
        """Write a VGPR in the active lanes."""
        mask = self.exec()
        if all(m is self.terms.true for m in mask):
            self.registers[VGPR + number] = value
        else:
            self.registers[VGPR + number] = each(self.terms.ite, mask, value, self.vector(number))

    def put(self, number: int, value: Value) -> None:
        """Write a result of 32 or 64 bits to one or two VGPRs."""
        t = self.terms
        self.set_vector(number, each(lambda x: t.extract(x, 0, 32), value))
        if spread(value)[0].width == 64:
            self.set_vector(number + 1, each(lambda x: t.extract(x, 32, 32), value))

    def put_result(self, o: Operation, value: Value) -> None:
        """Write an operation's result; one of 16 bits leaves the other half as it is."""
        if o.row.destination not in HALF_KINDS:
            self.put(o.d, value)
            return
        t, high = self.terms, bool(o.halves & 8)
        kept = each(lambda x: t.extract(x, 0 if high else 16, 16), self.seen(o.d))
        self.set_vector(o.d, each(t.concat, kept, value) if high else each(t.concat, value, kept))

    def source(self, o: Operation, number: int) -> Value:
        """An operand by its type, |x| and -x applied."""
        code, kind = o.sources[number], o.row.sources[number] if number < len(o.row.sources) else "b32"
        value = self.operand(code, kind, o)
        t, width = self.terms, 32 * dwords(kind)
        if kind in HALF_KINDS and o.row.name != "v_alignbit_b32":
            value, width = each(lambda x: t.extract(x, 16 * (o.halves >> number & 1), 16), value), 16
        if kind in ("f16", "f32", "f64"):
            if o.abs >> number & 1:
                value = each(lambda x: t.bitwise("band", x, t.const((1 << (width - 1)) - 1, width)), value)
            if o.neg >> number & 1:
                value = each(t.negative, value)
        elif (o.abs | o.neg) >> number & 1:
            raise Unknown(f"{o.row.name} with a sign modifier on an integer")
        return value

    def operand(self, code: int, kind: str, o: Operation) -> Value:
        """What an operand code stands for."""
        wide = dwords(kind) == 2
        t = self.terms
        if code >= VGPR:
            low = self.seen(code - VGPR)
            return each(t.concat, low, self.seen(code - VGPR + 1)) if wide else low
        known = self._constant(code, kind, o)
        if known is not None:
            return t.const(known, 64 if wide else 32)
        if code == SCC:
            return t.zext(self.scc(), 64 if wide else 32)
        if code > EXEC + 1:
            raise Unknown(f"{o.row.name}: operand {code} has no terms")
        return t.concat(self.scalar(code), self.scalar(code + 1)) if wide else self.scalar(code)

    def every_lane(self, code: int, o: Operation) -> Value:
        """A 32-bit operand in all lanes, also those that are not active."""
        return self.vector(code - VGPR) if code >= VGPR else self.operand(code, "b32", o)

    def _constant(self, code: int, kind: str, o: Operation) -> int | None:
        """Inline constants and literals. Source: AMD RDNA3 ISA, "Scalar and vector operands"."""
        if code == NULL:
            return 0
        if 128 <= code <= 192:
            return code - 128
        if 193 <= code <= 208:
            return 192 - code
        if _FIRST_FLOAT <= code <= _LAST_FLOAT:
            table = _DOUBLE if kind in ("f64", "b64") else _HALF if kind in HALF_KINDS else _SINGLE
            return table[code - _FIRST_FLOAT]
        if code == LITERAL:
            if kind == "f64":
                return o.literal << 32
            if kind == "b64" and "_i64" in o.row.name:
                return o.literal - ((o.literal & 0x8000_0000) << 1)
            return o.literal
        return None
