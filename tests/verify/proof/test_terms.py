"""The simplifier: what it builds has the same value as what was asked for, by integers and by z3."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from cass_shim.verify.proof.concrete import evaluate, signed
from cass_shim.verify.proof.floats import Terms
from cass_shim.verify.proof.solve import Translation
from cass_shim.verify.proof.terms import Term

z3 = pytest.importorskip("z3", reason="z3-solver is not installed")

EDGES = (0, 1, 2, 31, 32, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF_FFFE, 0x1_0000_0000, (1 << 64) - 1)
Pair = tuple[Term, int]  # a term and its value under the assignment
Operation = Callable[[Terms, random.Random, "Pool"], Pair]


class Pool:
    """Terms made so far by width, with the assignment of their variables."""

    def __init__(self, terms: Terms, rng: random.Random) -> None:
        self.terms, self.rng = terms, rng
        self.variables: dict[str, int] = {}
        self.made: dict[int, list[Pair]] = {1: [], 32: [], 64: []}
        for width in self.made:
            for n in range(3):
                self.variables[f"v{width}.{n}"] = value = self.number(width)
                self.made[width].append((terms.var(f"v{width}.{n}", width), value))

    def number(self, width: int) -> int:
        value = self.rng.choice((self.rng.getrandbits(width), self.rng.choice(EDGES), self.rng.getrandbits(4)))
        return value & ((1 << width) - 1)

    def pick(self, width: int) -> Pair:
        if self.rng.random() < 0.25:
            value = self.number(width)
            return self.terms.const(value, width), value
        return self.rng.choice(self.made[width][-12:])


def _binary(name: str, function: Callable[[int, int], int]) -> Operation:
    def operation(t: Terms, rng: random.Random, pool: Pool) -> Pair:
        width = rng.choice((32, 64))
        (a, x), (b, y) = pool.pick(width), pool.pick(width)
        return getattr(t, name)(a, b), function(x, y) & ((1 << width) - 1)

    return operation


def _bitwise(op: str, function: Callable[[int, int], int]) -> Operation:
    def operation(t: Terms, rng: random.Random, pool: Pool) -> Pair:
        width = rng.choice((1, 32, 64))
        (a, x), (b, y) = pool.pick(width), pool.pick(width)
        return t.bitwise(op, a, b), function(x, y)

    return operation


def _compare(name: str) -> Operation:
    def operation(t: Terms, rng: random.Random, pool: Pool) -> Pair:
        width = rng.choice((32, 64))
        (a, x), (b, y) = pool.pick(width), pool.pick(width)
        if name == "slt":
            x, y = signed(x, width), signed(y, width)
        return getattr(t, name)(a, b), int(x == y if name == "eq" else x < y)

    return operation


def _extreme(t: Terms, rng: random.Random, pool: Pool) -> Pair:
    op = rng.choice(("umin", "umax", "smin", "smax"))
    (a, x), (b, y) = pool.pick(32), pool.pick(32)
    choose = min if op.endswith("min") else max
    return t.extreme(op, a, b), choose(x, y, key=(lambda v: signed(v, 32)) if op[0] == "s" else int)


def _shift(t: Terms, rng: random.Random, pool: Pool) -> Pair:
    name, width = rng.choice(("shl", "lshr", "ashr")), rng.choice((32, 64))
    a, x = pool.pick(width)
    n = rng.randrange(width)
    value = {"shl": x << n, "lshr": x >> n, "ashr": signed(x, width) >> n}[name]
    return getattr(t, name)(a, t.const(n, width)), value & ((1 << width) - 1)


def _unknown_shift(t: Terms, rng: random.Random, pool: Pool) -> Pair:
    name, (a, x), (b, y) = rng.choice(("shl", "lshr", "ashr")), pool.pick(32), pool.pick(32)
    n, count = y & 31, t.zext(t.extract(b, 0, 5), 32)
    value = {"shl": x << n, "lshr": x >> n, "ashr": signed(x, 32) >> n}[name]
    return getattr(t, name)(a, count), value & 0xFFFF_FFFF


def _choose(t: Terms, rng: random.Random, pool: Pool) -> Pair:
    width = rng.choice((1, 32, 64))
    (c, p), (a, x), (b, y) = pool.pick(1), pool.pick(width), pool.pick(width)
    return t.ite(c, a, b), x if p else y


def _widen(t: Terms, rng: random.Random, pool: Pool) -> Pair:
    a, x = pool.pick(rng.choice((1, 32)))
    if rng.random() < 0.5:
        return t.zext(a, 64), x
    return t.sext(a, 64), signed(x, a.width) & ((1 << 64) - 1)


def _halves(t: Terms, rng: random.Random, pool: Pool) -> Pair:
    a, x = pool.pick(64)
    low = rng.choice((0, 32))
    return t.extract(a, low, 32), x >> low & 0xFFFF_FFFF


def _bit(t: Terms, rng: random.Random, pool: Pool) -> Pair:
    a, x = pool.pick(32)
    n = rng.randrange(32)
    return t.extract(a, n, 1), x >> n & 1


def _join(t: Terms, rng: random.Random, pool: Pool) -> Pair:
    (a, x), (b, y) = pool.pick(32), pool.pick(32)
    return t.concat(a, b), x | y << 32


def _octets(t: Terms, rng: random.Random, pool: Pool) -> Pair:
    (a, x), (b, y) = pool.pick(32), pool.pick(32)
    order = [rng.randrange(8) for _ in range(4)]
    both = x | y << 32
    parts = [t.octet(a if n < 4 else b, n % 4) for n in order]
    return t.from_octets(parts), sum((both >> 8 * n & 0xFF) << 8 * k for k, n in enumerate(order))


def _sum_by_halves(t: Terms, rng: random.Random, pool: Pool) -> Pair:
    """A 64-bit sum as both machines compute it: low words, a carry, high words."""
    (a, x), (b, y) = pool.pick(64), pool.pick(64)
    low_a, low_b = t.extract(a, 0, 32), t.extract(b, 0, 32)
    carry = t.zext(t.carry(low_a, low_b, t.false), 32)
    high = t.add(t.add(t.extract(a, 32, 32), t.extract(b, 32, 32)), carry)
    return t.concat(t.add(low_a, low_b), high), (x + y) & ((1 << 64) - 1)


def _mask(t: Terms, rng: random.Random, pool: Pool) -> Pair:
    lanes = [pool.pick(1) for _ in range(32)]
    return t.bits(tuple(a for a, _ in lanes)), sum(x << n for n, (_, x) in enumerate(lanes))


def _counted(t: Terms, rng: random.Random, pool: Pool) -> Pair:
    name, (a, x) = rng.choice(("popcount", "leading_zeros", "trailing_zeros", "reverse")), pool.pick(32)
    value = {
        "popcount": x.bit_count(),
        "leading_zeros": 32 - x.bit_length(),
        "trailing_zeros": (x & -x).bit_length() - 1 if x else 32,
        "reverse": int(f"{x:032b}"[::-1], 2),
    }[name]
    return getattr(t, name)(a), value


def _under(t: Terms, rng: random.Random, pool: Pool) -> Pair:
    """A choice seen where a condition holds is used only there."""
    (c, p), (a, x), (b, y) = pool.pick(1), pool.pick(32), pool.pick(32)
    return t.ite(c, t.under(c, a), b), x if p else y


OPERATIONS: list[Operation] = [
    _binary("add", lambda x, y: x + y), _binary("sub", lambda x, y: x - y), _binary("mul", lambda x, y: x * y),
    _bitwise("band", lambda x, y: x & y), _bitwise("bor", lambda x, y: x | y), _bitwise("bxor", lambda x, y: x ^ y),
    _compare("eq"), _compare("ult"), _compare("slt"), _extreme, _shift, _unknown_shift, _choose, _choose, _widen,
    _halves, _bit, _join, _octets, _sum_by_halves, _mask, _counted, _under,
]  # fmt: skip


def grow(seed: int, count: int) -> tuple[Pool, list[Pair]]:
    """Random terms built on one another."""
    rng = random.Random(seed)
    terms = Terms()
    pool, made = Pool(terms, rng), []
    for _ in range(count):
        term, value = rng.choice(OPERATIONS)(terms, rng, pool)
        made.append((term, value))
        pool.made[term.width].append((term, value))
    return pool, made


@pytest.mark.parametrize("seed", range(60))
def test_simplified_terms_keep_their_value(seed: int) -> None:
    pool, made = grow(seed, 60)
    for term, value in made:
        assert evaluate(term, pool.variables) == value, term


@pytest.mark.parametrize("seed", range(4))
def test_z3_gives_terms_the_same_value(seed: int) -> None:
    pool, made = grow(100 + seed, 25)
    translation = Translation()
    for term, value in made:
        expression = translation.expression(term)
        given = [
            (v, translation.constant(pool.variables[n], 1 if z3.is_bool(v) else v.size()))
            for n, v in translation.variables.items()
        ]
        found = z3.simplify(z3.substitute(expression, *given))
        got = int(z3.is_true(found)) if term.width == 1 else found.as_long()
        assert got == value, term


def test_a_term_is_no_python_truth_value() -> None:
    terms = Terms()
    with pytest.raises(TypeError, match="no Python truth value"):
        bool(terms.var("x", 1))


def test_addresses_meet_in_one_form() -> None:
    """base + 4 i: in 64 bits as SASS computes it, and in halves with a carry as LLVM does for gfx1100."""
    t = Terms()
    base = t.concat(t.var("p0", 32), t.var("p1", 32))
    index = t.var("i", 32)
    wide = t.add(t.mul(t.sext(index, 64), t.const(4, 64)), base)
    pair = t.concat(index, t.ashr(index, t.const(31, 32)))
    scaled = t.shl(pair, t.const(2, 64))
    low, high = t.extract(scaled, 0, 32), t.extract(scaled, 32, 32)
    carry = t.carry(t.var("p0", 32), low, t.false)
    total = t.add(t.add(t.var("p1", 32), high), t.zext(carry, 32))
    assert t.concat(t.add(t.var("p0", 32), low), total) is wide
