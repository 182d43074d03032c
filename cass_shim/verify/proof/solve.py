"""Terms as z3 expressions, and queries with a time budget. The only file that imports z3.

In: terms of width 1. Out: "no" (unsatisfiable), a `Model`, or `Unknown` when z3 gives up. Uninterpreted functions
become z3 functions of the same name.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cass_shim.verify.proof.lanes import Unknown
from cass_shim.verify.proof.terms import Term, bottom_up

INSTALL = "z3 is not installed: pip install 'cass-shim[proof]'"


def z3_module() -> Any:
    """z3, an optional package. Raises Unknown that says how to get it."""
    try:
        import z3
    except ImportError as error:
        raise Unknown(INSTALL) from error
    return z3


class Translation:
    """Terms → z3 expressions, each term once."""

    def __init__(self) -> None:
        self.z3 = z3_module()
        self.context = self.z3.Context()
        self.known: dict[int, Any] = {}
        self.functions: dict[tuple[str, tuple[int, ...], int], Any] = {}
        self.variables: dict[str, Any] = {}
        self._makers = self._table()

    def expression(self, term: Term) -> Any:
        """The z3 expression: Bool for width 1, else a bit vector."""
        return bottom_up(term, self.known, self._make)

    def _make(self, term: Term) -> Any:
        args = [self.known[a.id] for a in term.args]
        return self._makers[term.op](term, *args)

    def constant(self, value: int, width: int) -> Any:
        z3 = self.z3
        return z3.BoolVal(bool(value), self.context) if width == 1 else z3.BitVecVal(value, width, self.context)

    def _sort(self, width: int) -> Any:
        z3 = self.z3
        return z3.BoolSort(self.context) if width == 1 else z3.BitVecSort(width, self.context)

    def _variable(self, term: Term) -> Any:
        z3, name = self.z3, str(term.value)
        made = z3.Bool(name, self.context) if term.width == 1 else z3.BitVec(name, term.width, self.context)
        self.variables[name] = made
        return made

    def _apply(self, term: Term, *args: Any) -> Any:
        key = (str(term.value), tuple(a.width for a in term.args), term.width)
        function = self.functions.get(key)
        if function is None:
            name = f"{key[0]}/{'.'.join(map(str, key[1]))}"
            function = self.z3.Function(name, *(self._sort(w) for w in key[1]), self._sort(term.width))
            self.functions[key] = function
        return function(*args)

    def _sum(self, term: Term, *args: Any) -> Any:
        coefficients, constant = term.value
        total = self.constant(constant, term.width)
        for argument, factor in zip(args, coefficients, strict=True):
            total = total + (argument if factor == 1 else argument * self.constant(factor, term.width))
        return total

    def _carry(self, term: Term, a: Any, b: Any, extra: Any) -> Any:
        z3, width = self.z3, term.args[0].width
        one = z3.If(extra, self.constant(1, width + 1), self.constant(0, width + 1))
        total = z3.ZeroExt(1, a) + z3.ZeroExt(1, b) + one
        return z3.Extract(width, width, total) == self.z3.BitVecVal(1, 1, self.context)

    def _extract(self, term: Term, a: Any) -> Any:
        low = term.value
        part = self.z3.Extract(low + term.width - 1, low, a)
        return part == self.z3.BitVecVal(1, 1, self.context) if term.width == 1 else part

    def _bits(self, term: Term, *args: Any) -> Any:
        one, zero = (self.z3.BitVecVal(v, 1, self.context) for v in (1, 0))
        return self.z3.Concat(*(self.z3.If(a, one, zero) for a in reversed(args)))

    def _popcount(self, term: Term, a: Any) -> Any:
        z3 = self.z3
        total = self.constant(0, term.width)
        for n in range(term.width):
            total = total + z3.ZeroExt(term.width - 1, z3.Extract(n, n, a))
        return total

    def _reverse(self, term: Term, a: Any) -> Any:
        return self.z3.Concat(*(self.z3.Extract(n, n, a) for n in range(term.width)))

    def _fold(self, choose: Callable[[Any, Any], Any]) -> Callable[..., Any]:
        def folded(term: Term, *args: Any) -> Any:
            result = args[0]
            for other in args[1:]:
                result = self.z3.If(choose(result, other), result, other)
            return result

        return folded

    def _product(self, term: Term, *args: Any) -> Any:
        result = args[0]
        for other in args[1:]:
            result = result * other
        return result

    def _shift(self, operation: Callable[[Any, Any], Any]) -> Callable[..., Any]:
        def shifted(term: Term, a: Any, n: Any) -> Any:
            width, given = term.width, term.args[1].width
            if given < width:
                n = self.z3.ZeroExt(width - given, n)
            elif given > width:
                n = self.z3.Extract(width - 1, 0, n)
            return operation(a, n)

        return shifted

    def _table(self) -> Mapping[str, Callable[..., Any]]:
        z3 = self.z3
        return {
            "const": lambda t: self.constant(t.value, t.width),
            "var": self._variable,
            "apply": self._apply,
            "not": lambda t, a: z3.Not(a),
            "and": lambda t, *args: z3.And(*args),
            "sum": self._sum,
            "mul": self._product,
            "carry": self._carry,
            "zext": lambda t, a: z3.ZeroExt(t.width - t.args[0].width, a),
            "sext": lambda t, a: z3.SignExt(t.width - t.args[0].width, a),
            "extract": self._extract,
            "concat": lambda t, low, high: z3.Concat(high, low),
            "bits": self._bits,
            "band": lambda t, a, b: a & b,
            "bor": lambda t, a, b: a | b,
            "bxor": lambda t, a, b: a ^ b,
            "shl": self._shift(lambda a, n: a << n),
            "lshr": self._shift(z3.LShR),
            "ashr": self._shift(lambda a, n: a >> n),
            "ite": lambda t, c, a, b: z3.If(c, a, b),
            "zero": lambda t, a: a == self.constant(0, t.args[0].width),
            "ult": lambda t, a, b: z3.ULT(a, b),
            "slt": lambda t, a, b: a < b,
            "umin": self._fold(z3.ULT),
            "umax": self._fold(z3.UGT),
            "smin": self._fold(lambda a, b: a < b),
            "smax": self._fold(lambda a, b: a > b),
            "popcount": self._popcount,
            "reverse": self._reverse,
        }


class Model:
    """A satisfying assignment."""

    def __init__(self, translation: Translation, model: Any) -> None:
        self.translation, self.model = translation, model

    def value(self, term: Term) -> int:
        """The term's bits under the assignment; what it leaves open is 0."""
        found = self.model.eval(self.translation.expression(term), model_completion=True)
        if term.width == 1:
            return int(bool(self.translation.z3.is_true(found)))
        return int(found.as_long())


class Solver:
    """Queries under assumptions that all share, until a deadline on the monotonic clock."""

    def __init__(self, deadline: float) -> None:
        self.translation = Translation()
        self.deadline = deadline
        self.solver = self.translation.z3.Solver(ctx=self.translation.context)
        self.queries = 0
        self.seconds = 0.0

    @property
    def late(self) -> bool:
        """Whether the deadline has passed."""
        return time.monotonic() > self.deadline

    def assume(self, terms: Iterable[Term]) -> None:
        for term in terms:
            self.solver.add(self.translation.expression(term))

    def find(self, *wanted: Term, seconds: float = 1e9) -> Model | None:
        """An assignment under which all hold, None when there is none. Raises Unknown."""
        if any(t.op == "const" and not t.value for t in wanted):
            return None
        left = min(self.deadline - time.monotonic(), seconds)
        if left <= 0:
            raise Unknown("the time budget is spent")
        started = time.monotonic()
        self.queries += 1
        self.solver.push()
        try:
            self.solver.set("timeout", max(1, int(1000 * left)))
            for term in wanted:
                self.solver.add(self.translation.expression(term))
            answer = self.solver.check()
            if answer == self.translation.z3.sat:
                return Model(self.translation, self.solver.model())
            if answer == self.translation.z3.unsat:
                return None
            raise Unknown(f"z3 gave up after {time.monotonic() - started:.1f} s: {self.solver.reason_unknown()}")
        finally:
            self.seconds += time.monotonic() - started
            self.solver.pop()
