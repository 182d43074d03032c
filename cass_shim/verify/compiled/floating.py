"""The float half of the compiled reference, equal bit for bit to verify/floats.py.

Rounding to nearest only, f32 and f64 and some of the 16-bit kinds; the rest is Missing. A NaN that an operation makes
gets the payload that the run gives its kind (a word of the context); f64 may keep its operand's.
"""

from __future__ import annotations

from cass_shim.isa.float_kinds import EXPONENT, ONE, PACKED, SIGN, WIDTH
from cass_shim.verify.compiled.text import Integers, Missing, Value, number

FORMAT = {"f16": "half", "f32": "float", "f64": "double"}
QUIET, DEFAULT_NAN = 1 << 51, 0xFFF8_0000_0000_0000
_INTEGRAL = {"rn": "rint", "rm": "floor", "rp": "ceil", "rz": "trunc"}


class Floats(Integers):
    """The float primitives of `isa.emitter.Emitter`. nearest: MUFU is the model `mufu.nearest`."""

    nearest = False

    # formats
    def _value(self, kind: str, bits: Value) -> str:
        """The number as an LLVM value of its format; bf16 as float."""
        if kind == "bf16":
            bits = self.shl(self.zext(bits, 32), number(16, 32))
            kind = "f32"
        return self.body.put(0, f"bitcast i{bits.width} {bits.text} to {FORMAT[kind]}").text

    def _bits(self, kind: str, value: str) -> Value:
        width = WIDTH[kind]
        return self.body.put(width, f"bitcast {FORMAT[kind]} {value} to i{width}")

    def _flush(self, kind: str, bits: Value) -> Value:
        width, sign = WIDTH[kind], SIGN[kind]
        kept = self.compare("ne", self.and_(bits, number(EXPONENT[kind], width)), number(0, width))
        return self.select(kept, bits, self.and_(bits, number(sign, width)))

    def _is_nan(self, kind: str, bits: Value) -> Value:
        width = WIDTH[kind]
        magnitude = self.and_(bits, number(SIGN[kind] - 1, width))
        return self.compare("ugt", magnitude, number(EXPONENT[kind], width))

    def _payload(self, kind: str) -> Value:
        return Value(f"%nan.{kind}", WIDTH[kind])

    def _with_nan(self, kind: str, bits: Value, operands: list[Value]) -> Value:
        nan = self._is_nan(kind, bits)
        payload = self._payload(kind)
        if kind == "f64":  # 0: the first operand that is a NaN hands its payload on
            kept = number(DEFAULT_NAN, 64)
            for operand in reversed(operands):
                quiet = self.or_(operand, number(QUIET, 64))
                kept = self.select(self._is_nan("f64", operand), quiet, kept)
            payload = self.select(self.compare("eq", payload, number(0, 64)), kept, payload)
        return self.select(nan, payload, bits)

    def _halves(self, kind: str, operation: str, operands: list[Value], *rest: object) -> Value:
        results = []
        for shift in (0, 16):
            parts = [self.trunc(self.lshr(x, number(shift, 32)), 16) for x in operands]
            results.append(self.zext(getattr(self, operation)(PACKED[kind], *parts, *rest), 32))
        return self.or_(results[0], self.shl(results[1], number(16, 32)))

    def _arithmetic(self, kind: str, text: str, operands: list[Value], rounding: str, ftz: bool) -> Value:
        if rounding != "rn" or kind not in ("f32", "f64"):
            raise Missing(kind, rounding)
        if ftz:
            operands = [self._flush(kind, x) for x in operands]
        name = FORMAT[kind]
        values = [self._value(kind, x) for x in operands]
        if text == "fma":
            short = f"llvm.fma.{kind}"
            result = self.body.call(0, short, name, *(f"{name} {v}" for v in values)).text
        else:
            result = self.body.put(0, f"{text} {name} {values[0]}, {values[1]}").text
        bits = self._bits(kind, result)
        return self._with_nan(kind, self._flush(kind, bits) if ftz else bits, operands)

    def fadd(self, kind: str, a: Value, b: Value, rounding: str = "rn", ftz: bool = False) -> Value:
        return self._arithmetic(kind, "fadd", [a, b], rounding, ftz)

    def fmul(self, kind: str, a: Value, b: Value, rounding: str = "rn", ftz: bool = False) -> Value:
        return self._arithmetic(kind, "fmul", [a, b], rounding, ftz)

    def ffma(self, kind: str, a: Value, b: Value, c: Value, rounding: str = "rn", ftz: bool = False) -> Value:
        return self._arithmetic(kind, "fma", [a, b, c], rounding, ftz)

    # order
    def _ordered(self, kind: str, bits: Value) -> Value:
        """Signed integers that sort as the floats do, -0 below +0 (NaN apart)."""
        width = WIDTH[kind]
        magnitude = self.and_(bits, number(SIGN[kind] - 1, width))
        return self.select(self.compare("slt", bits, number(0, width)), self.not_(magnitude), magnitude)

    def _minmax(self, kind: str, a: Value, b: Value, smaller: bool, propagates: bool, ftz: bool) -> Value:
        if ftz:
            a, b = self._flush(kind, a), self._flush(kind, b)
        first = self.compare("slt", self._ordered(kind, a), self._ordered(kind, b))
        result = self.select(first, a, b) if smaller else self.select(first, b, a)
        nan_a, nan_b = self._is_nan(kind, a), self._is_nan(kind, b)
        canonical = number(SIGN[kind] - 1, WIDTH[kind])
        if propagates:
            return self.select(self.or_(nan_a, nan_b), canonical, result)
        result = self.select(nan_a, b, self.select(nan_b, a, result))
        return self.select(self.and_(nan_a, nan_b), canonical, result)

    def fmin(self, kind: str, a: Value, b: Value, nan_propagates: bool = False, ftz: bool = False) -> Value:
        if kind in PACKED:
            return self._halves(kind, "fmin", [a, b], nan_propagates, ftz)
        return self._minmax(kind, a, b, True, nan_propagates, ftz)

    def fmax(self, kind: str, a: Value, b: Value, nan_propagates: bool = False, ftz: bool = False) -> Value:
        if kind in PACKED:
            return self._halves(kind, "fmax", [a, b], nan_propagates, ftz)
        return self._minmax(kind, a, b, False, nan_propagates, ftz)

    def saturate(self, kind: str, a: Value) -> Value:
        if kind in PACKED:
            return self._halves(kind, "saturate", [a])
        width, order = WIDTH[kind], self._ordered(kind, a)
        low = self.or_(self._is_nan(kind, a), self.compare("sle", order, number(0, width)))
        above = self.compare("sgt", order, number(ONE[kind], width))
        return self.select(low, number(0, width), self.select(above, number(ONE[kind], width), a))

    def fcompare(self, kind: str, condition: str, a: Value, b: Value, ftz: bool = False) -> Value:
        if kind == "f16":
            raise Missing(kind)
        if ftz:
            a, b = self._flush(kind, a), self._flush(kind, b)
        x, y = self._value(kind, a), self._value(kind, b)
        if condition in ("num", "nan"):
            predicate = "ord" if condition == "num" else "uno"
        else:
            predicate = ("u" if condition.endswith("u") else "o") + condition[:2]
        return self.body.put(1, f"fcmp {predicate} {'float' if kind == 'bf16' else FORMAT[kind]} {x}, {y}")

    # conversions
    def _integral(self, kind: str, value: str, rounding: str) -> str:
        name = FORMAT[kind]
        return self.body.call(0, f"llvm.{_INTEGRAL[rounding]}.{kind}", name, f"{name} {value}").text

    def round_to_integral(self, kind: str, a: Value, rounding: str, ftz: bool = False) -> Value:
        if kind not in ("f32", "f64"):
            raise Missing(kind)
        a = self._flush(kind, a) if ftz else a
        sign = number(SIGN[kind], WIDTH[kind])
        bits = self._bits(kind, self._integral(kind, self._value(kind, a), rounding))
        bits = self.or_(self.and_(bits, self.not_(sign)), self.and_(a, sign))
        return self._with_nan(kind, bits, [a])

    def float_to_int(
        self, kind: str, a: Value, width: int, signed: bool, rounding: str, nan_is_zero: bool, ftz: bool = False
    ) -> Value:
        if kind == "f16":
            raise Missing(kind)
        a = self._flush(kind, a) if ftz else a
        value = self._value(kind, a)
        if kind != "f64":
            value = self.body.put(0, f"fpext float {value} to double").text
        whole = self._integral("f64", value, rounding)
        name = f"llvm.fpto{'s' if signed else 'u'}i.sat.i{width}.f64"  # NaN gives 0
        whole_bits = self.body.call(width, name, f"i{width}", f"double {whole}")
        result = self._as_result(whole_bits, width, signed)
        indefinite = number(0 if nan_is_zero else 1 << width - 1, result.width)
        return self.select(self._is_nan(kind, a), indefinite, result)

    def _as_result(self, value: Value, width: int, signed: bool) -> Value:
        if width >= 32:
            return value
        return self.sext(value, 32) if signed else self.zext(value, 32)

    def int_to_float(self, kind: str, a: Value, signed: bool, rounding: str = "rn") -> Value:
        if rounding != "rn" or kind not in ("f32", "f64"):
            raise Missing(kind, rounding)
        operation = "sitofp" if signed else "uitofp"
        return self._bits(kind, self.body.put(0, f"{operation} i{a.width} {a.text} to {FORMAT[kind]}").text)

    def float_to_float(self, to_kind: str, from_kind: str, a: Value, rounding: str = "rn", ftz: bool = False) -> Value:
        if {to_kind, from_kind} == {"f32", "bf16"} and to_kind == "f32":
            return self._with_nan("f32", self.shl(self.zext(a, 32), number(16, 32)), [])
        if {to_kind, from_kind} != {"f32", "f64"} or rounding != "rn":
            raise Missing(to_kind, from_kind)
        a = self._flush(from_kind, a) if ftz else a
        operation = "fpext" if to_kind == "f64" else "fptrunc"
        value = self._value(from_kind, a)
        result = self._bits(
            to_kind, self.body.put(0, f"{operation} {FORMAT[from_kind]} {value} to {FORMAT[to_kind]}").text
        )
        result = self._flush(to_kind, result) if ftz else result
        named = self._with_nan(to_kind, result, [result])
        if from_kind == "f64":  # as recorded, f64 keeps the payload's high bits where nothing else is asked for
            return self.select(self.compare("eq", self._payload("f64"), number(0, 64)), result, named)
        return named

    def mufu(self, function: str, a: Value) -> Value:
        """Those that are correctly rounded operations of the host; the others need numpy's own functions."""
        if not self.nearest or function not in ("rcp", "rsq", "sqrt"):
            raise Missing(function)
        value = self._value("f32", self._flush("f32", a))
        value = self.body.put(0, f"fpext float {value} to double").text
        if function != "rcp":
            value = self.body.call(0, "llvm.sqrt.f64", "double", f"double {value}").text
        if function != "sqrt":
            value = self.body.put(0, f"fdiv double 1.0, {value}").text
        return self._flush("f32", self._bits("f32", self.body.put(0, f"fptrunc double {value} to float").text))
