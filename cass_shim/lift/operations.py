"""Operations that take many instructions as functions, and those that need denormals where the kernel flushes them.

A function that a kernel calls often is compiled once (`lift.module` inlines what it calls seldom): a call takes nine
instructions. Kernels of -use_fast_math have a few instructions that keep denormals among many that flush; they run in
the mode that flushes, and each of those few is a function that changes the mode for itself. Nothing else is in such a
function, and assembly without instructions keeps what is from moving across the change.

Source: RDNA3 ISA §3.3.3 (MODE: bits 4 and 5 are f32's denormals, 6 and 7 those of f16 and f64).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from cass_shim.lift.builder import Value, typed
from cass_shim.lift.directed import Directed

_DENORMALS = 1 | 4 << 6 | 3 << 11  # hwreg(HW_REG_MODE, 4, 4)
_KEEP, _FLUSH = 0b1111, 0b1100  # all kept; f32's flushed
# How many calls of an operation are inlined, by how large it is.
_EXACT, _DIRECTED_F32, _DIRECTED_F64 = 8, 8, 2
SHARED, INLINED, KEEPING = "#3", "#4", "#5"  # attributes of such functions (`lift.module`)


@dataclass
class Operations(Directed):
    """called: how often each function is. few: up to how many calls of it are inlined. inlines: all, always."""

    called: Counter[str] = field(default_factory=Counter)
    few: dict[str, int] = field(default_factory=dict)
    inlines: bool = False

    def inner(self, flush_f32: bool) -> Operations:
        """An emitter for the body of a function."""
        return Operations(flush_f32=flush_f32)

    def exact32(self, operation: str, sources: list[Value]) -> Value:
        def write(inner: Operations, given: list[Value]) -> Value:
            return super().exact32(operation, given)

        return self.call_operation(f"exact.{operation}", sources, 32, write, _EXACT)

    def directed(self, kind: str, name: str, values: list[Value], rounding: str, ftz: bool) -> Value:
        def write(inner: Operations, given: list[Value]) -> Value:
            return super().directed(kind, name, given, rounding, ftz)

        what = f"{kind}.{name}.{rounding}{'.ftz' if ftz else ''}"
        if kind == "f64":
            return self.call_operation(what, values, 64, write, _DIRECTED_F64)
        if self.flush_f32 and not ftz:  # in front of every sine and cosine of -use_fast_math, and nowhere else
            return self.call_keeping(what, values, 32, write)
        if self.counts_ones(name, values, rounding):
            return self.to_ones(*values)
        return self.call_operation(what, values, 32, write, _DIRECTED_F32)

    def call_operation(
        self, what: str, values: list[Value], width: int, write: Callable[..., Value], few: int
    ) -> Value:
        """A call of the function of that name, which `write` writes; inlined where there are few of them."""
        name = f"cass.{what}"
        if name not in self.helpers:
            inner = self.inner(self.flush_f32)
            given = [Value(f"%x{k}", value.width) for k, value in enumerate(values)]
            self._add(name, inner, given, write(inner, given), SHARED)
            self.few[name] = few
        self.called[name] += 1
        return self.call(width, name, *map(typed, values))

    def call_keeping(self, what: str, values: list[Value], width: int, write: Callable[..., Value]) -> Value:
        """The same of what keeps f32's denormals, in a kernel whose mode flushes them."""
        name = f"cass.keeping.{what}"
        if name not in self.helpers:
            inner = self.inner(False)
            given = [Value(f"%x{k}", value.width) for k, value in enumerate(values)]
            inner.set_denormals(_KEEP)
            result = inner.pinned(write(inner, [inner.pinned(one) for one in given]))
            inner.set_denormals(_FLUSH)
            self._add(name, inner, given, result, KEEPING)
        return self.call(width, name, *map(typed, values))

    def _add(self, name: str, inner: Operations, given: list[Value], result: Value, attributes: str) -> None:
        self.declarations |= inner.declarations
        head = f"define internal i{result.width} @{name}({', '.join(map(typed, given))}) {attributes} {{"
        self.helpers[name] = "\n".join([head, "entry:", *inner.lines, f"  ret {typed(result)}", "}"])

    def set_denormals(self, bits: int) -> None:
        """Of the mode, from here on."""
        self.call_text("void", "llvm.amdgcn.s.setreg", f"i32 {_DENORMALS}", f"i32 {bits}")

    def pinned(self, value: Value) -> Value:
        """The value, not known before this place nor wanted behind it."""
        wide = self.zext(value, 32) if value.width < 32 else value
        same = self.op(wide.width, f'call i{wide.width} asm sideeffect "", "=v,0"({typed(wide)})')
        return self.trunc(same, value.width) if value.width < 32 else same

    def functions(self) -> list[str]:
        """The text of all functions; those with few calls are marked to be inlined."""
        texts = []
        for name, text in self.helpers.items():
            seldom = name in self.few and (self.inlines or self.called[name] <= self.few[name])
            texts.append(text.replace(f" {SHARED} {{", f" {INLINED} {{", 1) if seldom else text)
        return texts
