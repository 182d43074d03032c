"""The estimate that ptxas's integer divisions start from, made the way LLVM's own divisions make it.

ptxas divides by multiplying with 1/b in fixed point: I2F.RP, MUFU.RCP, a number added to the bits of the float (which
scales it and takes two units off), and F2I. What follows, one step of Newton's for 32 bits or two for 64 and two
corrections of the quotient, is what LLVM's division does too (AMDGPUCodeGenPrepare; SIISelLowering, LowerUDIVREM64),
which starts from a multiplication of the reciprocal: the quotient is the same, and no rounding mode is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

from cass_shim.lift.builder import Value, constant, typed
from cass_shim.lift.floats import Floats

_BIAS = {32: 0x0FFF_FFFE, 64: 0x1FFF_FFFE}  # 2^32 or 2^64, less two units in the last place, on a float's bits
_SCALE = {32: 0x4F7F_FFFE, 64: 0x5F7F_FFFC}  # f32: what LLVM multiplies by
_DOWN, _UP = 0x2F80_0000, 0xCF80_0000  # 2^-32 and -2^32


@dataclass
class Quotients(Floats):
    """Conversions that remember what they are made from."""

    def int_to_float(self, kind: str, a: Value, signed: bool, rounding: str = "rn") -> Value:
        value = super().int_to_float(kind, a, signed, rounding)
        return self._from("divisor", value, a) if kind == "f32" and rounding == "rp" else value

    def mufu(self, function: str, a: Value) -> Value:
        value = super().mufu(function, a)
        return self._from("reciprocal", value, a.origin[1]) if function == "rcp" and a.origin[0] == "divisor" else value

    def add(self, a: Value, b: Value) -> Value:
        value = super().add(a, b)
        if a.origin[0] == "reciprocal" and b.known == _BIAS[a.origin[1].width]:
            return self._from("estimate", value, a.origin[1])
        return value

    def float_to_int(
        self,
        kind: str,
        a: Value,
        width: int,
        signed: bool,
        rounding: str,
        nan_is_zero: bool,
        ftz: bool = False,
    ) -> Value:
        if a.origin[0] == "estimate" and (kind, width, signed, rounding) == ("f32", a.origin[1].width, False, "rz"):
            return self._estimate(a.origin[1])
        return super().float_to_int(kind, a, width, signed, rounding, nan_is_zero, ftz)

    def _estimate(self, divisor: Value) -> Value:
        """2^32 / b or 2^64 / b, a little less; anything for b = 0."""
        if divisor.width == 32:
            scaled = self._scaled(self._int_to_nearest("f32", divisor, False), 32)
            return self._word(scaled)
        low, high = (self._int_to_nearest("f32", w, False) for w in (self.low(divisor), self.high(divisor)))
        whole = self.ffma("f32", high, constant(_UP ^ 0x8000_0000, 32), low)
        scaled = self._scaled(whole, 64)
        above = self.round_to_integral("f32", self.fmul("f32", scaled, constant(_DOWN, 32)), "rz")
        below = self.ffma("f32", above, constant(_UP, 32), scaled)
        return self.pair(self._word(below), self._word(above))

    def _scaled(self, divisor: Value, width: int) -> Value:
        inverse = self.call_text("float", "llvm.amdgcn.rcp.f32", f"float {self._float('f32', divisor)}")
        return self.fmul("f32", self._bits("f32", inverse), constant(_SCALE[width], 32))

    def _word(self, a: Value) -> Value:
        """Frozen: what is out of range (b = 0) must not be poison where the program branches on it."""
        word = self.op(32, f"fptoui float {self._float('f32', a)} to i32")
        return self.op(32, f"freeze {typed(word)}")
