"""The rest of integer arithmetic on terms: shifts, extremes, counting, carries, bytes.

In: terms. Out: simplified terms; what z3 has no operation for is spelled out in `solve`.
"""

from __future__ import annotations

from cass_shim.verify.proof.bits import Bits, to_signed
from cass_shim.verify.proof.terms import Term


class Words(Bits):
    """Integer operations as `isa.emitter` and the RDNA3 meanings need them."""

    def __init__(self) -> None:
        super().__init__()
        self._under: dict[tuple[int, int], Term] = {}

    def under(self, condition: Term, a: Term) -> Term:
        """What a is where the condition holds: choices that the condition decides are made."""
        if a.op not in ("ite", "and", "not") or condition.op == "const":
            return a
        key = (condition.id, a.id)
        found = self._under.get(key)
        if found is None:
            parts = {t.id for t in (condition.args if condition.op == "and" else (condition,))}
            found = self._chosen(parts, condition, a) if a.op == "ite" else self._left(parts, a)
            self._under[key] = found
        return found

    def _left(self, parts: set[int], a: Term) -> Term:
        """What of a truth value the parts that hold leave open."""
        if a.op == "not" and a.args[0].op == "and":
            return self.invert(self._left(parts, a.args[0]))
        needed = a.args if a.op == "and" else (a,)
        open_parts = [t for t in needed if t.id not in parts]
        if any(self._excluded(t, parts) for t in open_parts):
            return self.false
        return self.all_of(self._weakened(t, parts) for t in open_parts)

    def _chosen(self, parts: set[int], condition: Term, a: Term) -> Term:
        left = self._left(parts, a.args[0])
        if left.op == "const":
            return self.under(condition, a.args[1 if left.value else 2])
        return self.ite(left, self.under(condition, a.args[1]), self.under(condition, a.args[2]))

    def _excluded(self, a: Term, parts: set[int]) -> bool:
        """Whether a part of a condition cannot hold: its opposite is among those that do."""
        opposite = self.invert(a)
        return all(t.id in parts for t in (opposite.args if opposite.op == "and" else (opposite,)))

    def _weakened(self, a: Term, parts: set[int]) -> Term:
        """A disjunction one of whose terms holds is true."""
        if a.op == "not" and a.args[0].op == "and" and any(self.invert(t).id in parts for t in a.args[0].args):
            return self.true
        return a

    def shl(self, a: Term, n: Term) -> Term:
        """a << n for n below the width."""
        if n.known is not None:
            return self.scale(a, 1 << n.known)
        return self.make("shl", a.width, (a, n))

    def lshr(self, a: Term, n: Term) -> Term:
        if n.known is not None:
            if n.known == 0:
                return a
            return self.zext(self.extract(a, n.known, a.width - n.known), a.width)
        return self.make("lshr", a.width, (a, n))

    def ashr(self, a: Term, n: Term) -> Term:
        if n.known is not None:
            if n.known == 0:
                return a
            return self.sext(self.extract(a, n.known, a.width - n.known), a.width)
        return self.make("ashr", a.width, (a, n))

    def carry(self, a: Term, b: Term, extra: Term) -> Term:
        """Whether a + b + extra leaves the width; extra is a truth value."""
        limit = 1 << a.width
        if a.known is not None and b.known is not None and extra.known is not None:
            return self.const(a.known + b.known + extra.known >= limit, 1)
        if self.upper(a) + self.upper(b) + self.upper(extra) < limit:
            return self.false
        if a.id > b.id:
            a, b = b, a
        return self.make("carry", 1, (a, b, extra))

    def extreme(self, op: str, a: Term, b: Term) -> Term:
        """ "umin", "umax", "smin" or "smax": associative, commutative, of a set of terms."""
        parts = {t.id: t for one in (a, b) for t in (one.args if one.op == op else (one,))}
        constants = [t for t in parts.values() if t.op == "const"]
        if len(constants) > 1:
            best = (min if op.endswith("min") else max)(constants, key=lambda t: self._rank(op, t))
            parts = {key: t for key, t in parts.items() if t.op != "const"} | {best.id: best}
        if op[0] == "u" and len(parts) == 2:
            for one, other in (tuple(parts.values()), tuple(parts.values())[::-1]):
                if one.known is not None and self.upper(other) <= one.known:
                    return other if op == "umin" else one
        if len(parts) == 1:
            return next(iter(parts.values()))
        return self.make(op, a.width, tuple(sorted(parts.values(), key=lambda t: t.id)))

    def _rank(self, op: str, a: Term) -> int:
        value = a.known or 0
        return to_signed(value, a.width) if op[0] == "s" else value

    def popcount(self, a: Term) -> Term:
        if a.known is not None:
            return self.const(a.known.bit_count(), a.width)
        if a.op == "bits":
            total = self.const(0, a.width)
            for bit in a.args:
                total = self.add(total, self.zext(bit, a.width))
            return total
        return self.make("popcount", a.width, (a,))

    def leading_zeros(self, a: Term) -> Term:
        """The width when a is 0."""
        if a.known is not None:
            return self.const(a.width - a.known.bit_length(), a.width)
        result = self.const(a.width, a.width)
        for n in range(a.width):
            result = self.ite(self.extract(a, n, 1), self.const(a.width - 1 - n, a.width), result)
        return result

    def trailing_zeros(self, a: Term) -> Term:
        """The width when a is 0."""
        if a.known is not None:
            return self.const((a.known & -a.known).bit_length() - 1 if a.known else a.width, a.width)
        result = self.const(a.width, a.width)
        for n in reversed(range(a.width)):
            result = self.ite(self.extract(a, n, 1), self.const(n, a.width), result)
        return result

    def reverse(self, a: Term) -> Term:
        """The bits in the opposite order."""
        if a.known is not None:
            return self.const(int(f"{a.known:0{a.width}b}"[::-1], 2), a.width)
        if a.op == "bits":
            return self.bits(a.args[::-1])
        return self.make("reverse", a.width, (a,))

    def octet(self, a: Term, number: int) -> Term:
        return self.extract(a, 8 * number, 8)

    def from_octets(self, octets: list[Term]) -> Term:
        """Joined again, the lowest first; 1, 2, 4 or 8 of them."""
        while len(octets) > 1:
            octets = [self.concat(octets[n], octets[n + 1]) for n in range(0, len(octets), 2)]
        return octets[0]

    def permute(self, a: Term, b: Term, selector: Term) -> Term:
        """PRMT in its default mode, of {b, a}."""
        both = [self.octet(t, n) for t in (a, b) for n in range(4)]
        result = []
        for position in range(4):
            chosen = both[7]
            for n in reversed(range(7)):
                number = self.extract(selector, 4 * position, 3)
                chosen = self.ite(self.eq(number, self.const(n, 3)), both[n], chosen)
            sign = self.sext(self.extract(chosen, 7, 1), 8)
            result.append(self.ite(self.extract(selector, 4 * position + 3, 1), sign, chosen))
        return self.from_octets(result)
