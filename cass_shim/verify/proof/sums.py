"""Sums and products modulo 2^width in a normal form: Σ coefficient · product of atoms, plus a constant.

In: terms. Out: terms whose op is "sum" (args: products; value: their coefficients and the constant), "mul" (args: two
or more atoms) or an atom. Addresses computed in 64 bits and in two halves with a carry meet in one form here.
"""

from __future__ import annotations

from cass_shim.verify.proof.terms import Conditions, Term

MAX_PRODUCT = 16  # terms of a product of sums that is multiplied out

Linear = dict[int, tuple[Term, int]]  # product's id → (product, coefficient)


class Sums(Conditions):
    """Addition, subtraction and multiplication; widening as far as the normal form needs it."""

    def _split(self, a: Term) -> tuple[Linear, int]:
        """A term as products with coefficients, and its constant."""
        if a.op == "const":
            return {}, a.value
        if a.op == "sum":
            coefficients, constant = a.value
            return {t.id: (t, c) for t, c in zip(a.args, coefficients, strict=True)}, constant
        if a.op == "concat" and a.width == 64:
            low, high = a.args
            products: Linear = {}
            constant = self._accumulate(products, self.zext(low, 64), 1, 64)
            constant += self._accumulate(products, self.zext(high, 64), 1 << 32, 64)
            return products, constant
        return {a.id: (a, 1)}, 0

    def _accumulate(self, into: Linear, a: Term, factor: int, width: int) -> int:
        """Add factor · a to `into`; returns what it adds to the constant."""
        products, constant = self._split(a)
        mask = (1 << width) - 1
        for key, (term, coefficient) in products.items():
            total = (into[key][1] if key in into else 0) + factor * coefficient & mask
            if total:
                into[key] = (term, total)
            else:
                into.pop(key, None)
        return factor * constant

    def _build(self, products: Linear, constant: int, width: int) -> Term:
        if width == 64:
            constant += self._rejoin(products)
        constant &= (1 << width) - 1
        if not products:
            return self.const(constant, width)
        ordered = sorted(products.values(), key=lambda item: item[0].id)
        if len(ordered) == 1 and ordered[0][1] == 1 and not constant:
            return ordered[0][0]
        terms = tuple(term for term, _ in ordered)
        joined = self._as_pair(ordered) if not constant and width == 64 else None
        return self.make("sum", width, terms, (tuple(c for _, c in ordered), constant)) if joined is None else joined

    def _as_pair(self, ordered: list[tuple[Term, int]]) -> Term | None:
        """x + 2^32 y of two 32-bit values is the pair of them: the form that loads and parameters have."""
        if len(ordered) != 2 or any(t.op != "zext" or t.args[0].width != 32 for t, _ in ordered):
            return None
        by_factor = {factor: term.args[0] for term, factor in ordered}
        if by_factor.keys() != {1, 1 << 32}:
            return None
        return self.make("concat", 64, (by_factor[1], by_factor[1 << 32]))

    def _rejoin(self, products: Linear) -> int:
        """c·zext(low(S)) + c·2^32·zext(high(S)) is c·S, for any 64-bit S; returns what S adds to the constant."""
        changed, constant = True, 0
        while changed:
            changed = False
            for term, factor in list(products.values()):
                part = term.args[0] if term.op == "zext" else None
                if part is None or part.op != "extract" or part.value != 32 or part.width != 32:
                    continue
                whole = part.args[0]
                low = self.zext(self.extract(whole, 0, 32), 64)
                held = products.get(low.id)
                if whole.width == 64 and held is not None and held[1] << 32 & (1 << 64) - 1 == factor:
                    del products[term.id], products[low.id]
                    constant += self._accumulate(products, whole, held[1], 64)
                    changed = True
                    break
        return constant

    def add(self, a: Term, b: Term) -> Term:
        products: Linear = {}
        constant = self._accumulate(products, a, 1, a.width) + self._accumulate(products, b, 1, a.width)
        return self._build(products, constant, a.width)

    def sub(self, a: Term, b: Term) -> Term:
        products: Linear = {}
        constant = self._accumulate(products, a, 1, a.width) + self._accumulate(products, b, -1, a.width)
        return self._build(products, constant, a.width)

    def scale(self, a: Term, factor: int) -> Term:
        """factor · a."""
        products: Linear = {}
        constant = self._accumulate(products, a, factor, a.width)
        return self._build(products, constant, a.width)

    def mul(self, a: Term, b: Term) -> Term:
        for one, other in ((a, b), (b, a)):
            if one.known is not None:
                return self.scale(other, one.known)
        first, constant_a = self._split(a)
        second, constant_b = self._split(b)
        if (len(first) + 1) * (len(second) + 1) > MAX_PRODUCT:
            return self._product(a, b)
        products: Linear = {}
        for term, factor in first.values():
            for other, factor_b in second.values():
                self._accumulate(products, self._product(term, other), factor * factor_b, a.width)
            self._accumulate(products, term, factor * constant_b, a.width)
        for other, factor_b in second.values():
            self._accumulate(products, other, factor_b * constant_a, a.width)
        return self._build(products, constant_a * constant_b, a.width)

    def _product(self, a: Term, b: Term) -> Term:
        atoms = [*(a.args if a.op == "mul" else (a,)), *(b.args if b.op == "mul" else (b,))]
        return self.make("mul", a.width, tuple(sorted(atoms, key=lambda t: t.id)))

    def low_of_sum(self, a: Term, width: int) -> Term:
        """The low bits of a sum or product are the sum or product of the low bits."""
        if a.op == "mul":
            result = self.extract(a.args[0], 0, width)
            for atom in a.args[1:]:
                result = self.mul(result, self.extract(atom, 0, width))
            return result
        coefficients, constant = a.value
        products: Linear = {}
        for term, factor in zip(a.args, coefficients, strict=True):
            constant += self._accumulate(products, self.extract(term, 0, width), factor, width)
        return self._build(products, constant, width)

    def zext(self, a: Term, width: int) -> Term:
        raise NotImplementedError

    def extract(self, a: Term, low: int, width: int) -> Term:
        raise NotImplementedError
