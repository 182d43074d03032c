"""Scalar and vector arithmetic of a wave of terms, and what lanes take from each other by it.

In: operations that neither branch nor touch memory. Out: registers written. An operation without terms is Unknown.
"""

from __future__ import annotations

from cass_shim.model.kernel_abi import WARP
from cass_shim.verify.proof.lanes import Unknown, Value, each, each_pair, gathered, lane, spread
from cass_shim.verify.proof.rdna3 import vector_floats
from cass_shim.verify.proof.rdna3.operation import EXEC, NULL, SCC, VGPR, Dpp, Operation, dwords
from cass_shim.verify.proof.rdna3.registers import Registers
from cass_shim.verify.proof.rdna3.scalar import MEANINGS, SAVE_EXEC
from cass_shim.verify.proof.rdna3.vector import HALVES, INTEGERS, compare_integers
from cass_shim.verify.proof.terms import Term

_SCALAR = ("SOP1", "SOP2", "SOPC", "SOPK")
_SUMS = {"v_add": (0, 1, False), "v_sub": (0, 1, True), "v_subrev": (1, 0, True)}
_WAITS = frozenset({"s_nop"})


def dpp_source(control: int, own: int) -> int | None:
    """The lane that lane `own` reads, None outside its row. Source: AMD RDNA3 ISA, "DPP16"."""
    row, at, n = own & 16, own & 15, control & 15
    kind = control >> 4
    if kind == 0x10:
        return row | (at + n) if at + n < 16 else None
    if kind == 0x11:
        return row | (at - n) if at >= n else None
    if kind in (0x12, 0x15, 0x16):
        return row | {0x12: (at - n) & 15, 0x15: n, 0x16: at ^ n}[kind]
    if control < 0x100:
        return (own & ~3) | (control >> (2 * (own & 3)) & 3)
    if control == 0x140:
        return row | (15 - at)
    if control == 0x141:
        return row | (at & 8) | (7 - (at & 7))
    raise Unknown(f"DPP control {control:#x}")


class Alu(Registers):
    """Arithmetic."""

    def _execute_alu(self, o: Operation) -> bool:
        """Run an arithmetic operation; False for one of another kind."""
        if o.row.encoding in _SCALAR:
            self._scalar_operation(o)
        elif o.row.encoding.startswith("VOP") and o.row.encoding != "VOP3P":
            self._vector_operation(o)
        else:
            return False
        return True

    # scalar

    def _scalar_operation(self, o: Operation) -> None:
        name, t = o.name, self.terms
        if name in _WAITS:
            return
        if name.endswith(("_saveexec_b32", "_wrexec_b32")):
            self._save_exec(o, name)
            return
        meaning = MEANINGS.get(name)
        if meaning is None:
            raise Unknown(f"{o.row.name} has no terms")
        kinds = o.row.sources or ("b32",) * len(o.sources)
        sources = [self.operand(code, kind, o) for code, kind in zip(o.sources, kinds, strict=True)]
        assert all(isinstance(s, Term) for s in sources)
        old = self.operand(o.d, o.row.destination, o) if o.row.destination in ("b32", "b64") else t.const(0, 32)
        result, scc = meaning(t, self.scc(), old, *sources)
        if result is not None:
            self.set_wide(o.d, result)
        if scc is not None:
            self.registers[SCC] = scc

    def _save_exec(self, o: Operation, name: str) -> None:
        t = self.terms
        kept, written = name.removeprefix("s_").rsplit("_", 2)[0], name.endswith("wrexec_b32")
        op, invert_source, invert_exec, invert_result = SAVE_EXEC[kept]
        source, mask = self.operand(o.sources[0], "b32", o), self.scalar(EXEC)
        assert isinstance(source, Term)
        new = t.bitwise(op, t.not_(source) if invert_source else source, t.not_(mask) if invert_exec else mask)
        new = t.not_(new) if invert_result else new
        self.set_scalar(o.d, new if written else mask)
        self.set_scalar(EXEC, new)
        self.registers[SCC] = t.invert(t.eq(new, t.const(0, 32)))

    # vector

    def _vector_operation(self, o: Operation) -> None:
        name = o.name
        if name in ("v_readlane_b32", "v_readfirstlane_b32", "v_writelane_b32"):
            self._lane_access(o, name)
            return
        if o.dpp is not None:
            self._with_dpp(o, o.dpp)
            return
        self._vector_result(o, [self.source(o, n) for n in range(len(o.row.sources))])

    def _vector_result(self, o: Operation, sources: list[Value]) -> None:
        name, t = o.name, self.terms
        if o.row.encoding == "VOPC":
            self._compare(o, name, sources)
        elif name in ("v_cndmask_b32", "v_cndmask_b16"):
            mask = self.lanes_of(sources[2])
            self.put_result(o, each(lambda c, a, b: t.ite(c, b, a), mask, sources[0], sources[1]))
        elif name.endswith(("_co_u32", "_co_ci_u32")):
            self._sum_with_carry(o, name, sources)
        elif name in ("v_mad_u64_u32", "v_mad_i64_i32"):
            self._wide_product(o, name, sources)
        elif name == "v_mbcnt_lo_u32_b32":
            self.put(o.d, self._lanes_below(sources))
        else:
            self.put_result(o, self._pure(o, name, sources))

    def _pure(self, o: Operation, name: str, sources: list[Value]) -> Value:
        """Operations that know nothing of other lanes."""
        t, mode = self.terms, self.image.mode
        meaning = INTEGERS.get(name, HALVES.get(name))
        if meaning is not None:
            if o.clamp:
                raise Unknown(f"{o.row.name} with clamp has no terms")
            return each(lambda *a: meaning(t, *a), *sources)

        def lanewise(*a: Term) -> Term:
            found = vector_floats.result(t, mode, name, a)
            if found is None:
                raise Unknown(f"{o.row.name} has no terms")
            if o.clamp or o.omod:
                found = vector_floats.clamped(t, mode, "f64" if found.width == 64 else "f32", found, o.omod)
            return found

        return each(lanewise, *sources)

    def lanes_of(self, mask: Value) -> tuple[Term, ...]:
        """The bits of a mask in an SGPR, as the active lanes see them."""
        assert isinstance(mask, Term)
        held = self.exec()
        return tuple(self.terms.under(held[n], self.terms.extract(mask, n, 1)) for n in range(WARP))

    def mask(self, held: Value) -> Term:
        """A mask from a condition per lane, 0 in the lanes that are not active."""
        return self.terms.bits(tuple(map(self.terms.both, self.exec(), spread(held))))

    def _compare(self, o: Operation, name: str, sources: list[Value]) -> None:
        t, mode = self.terms, self.image.mode

        def lanewise(a: Term, b: Term) -> Term:
            if name.startswith("v_cmp_class_f"):
                return vector_floats.classify(t, name[-3:], a, b)
            found = compare_integers(t, name, a, b)
            if found is None:
                found = vector_floats.compare(t, mode, name, a, b)
            if found is None:
                raise Unknown(f"{o.row.name} has no terms")
            return found

        self.set_scalar(EXEC if o.compare_x else o.scalar_d, self.mask(each(lanewise, *sources)))

    def _sum_with_carry(self, o: Operation, name: str, sources: list[Value]) -> None:
        t = self.terms
        first, second, negative = _SUMS[name.split("_co_")[0]]
        if o.clamp:
            raise Unknown(f"{o.row.name} with clamp has no terms")
        carry: Value = self.lanes_of(sources[2]) if "_ci_" in name else t.false

        def lanewise(x: Term, y: Term, c: Term) -> tuple[Term, Term]:
            if not negative:
                return t.add(t.add(x, y), t.zext(c, 32)), t.carry(x, y, c)
            borrow = t.either(t.ult(x, y), t.both(c, t.eq(x, y)))
            return t.sub(t.sub(x, y), t.zext(c, 32)), borrow

        total, out = each_pair(lanewise, sources[first], sources[second], carry)
        mask = self.mask(out)
        self.put(o.d, total)
        self.set_scalar(o.scalar_d, mask)

    def _wide_product(self, o: Operation, name: str, sources: list[Value]) -> None:
        t = self.terms
        extend = t.sext if name == "v_mad_i64_i32" else t.zext
        product = each(lambda a, b: t.mul(extend(a, 64), extend(b, 64)), sources[0], sources[1])
        if o.scalar_d != NULL:
            if name == "v_mad_i64_i32":
                raise Unknown(f"the carry of {name} has no terms")
            self.set_scalar(o.scalar_d, self.mask(each(lambda p, c: t.carry(p, c, t.false), product, sources[2])))
        self.put(o.d, each(t.add, product, sources[2]))

    def _lanes_below(self, sources: list[Value]) -> Value:
        """v_mbcnt_lo: set bits of the mask below the own lane, plus the second source."""
        t = self.terms
        masks, addends = spread(sources[0]), spread(sources[1])
        counted = (
            t.popcount(t.bitwise("band", masks[n], t.const((1 << n) - 1, 32)))
            if masks[n].op == "const"
            else self._count_below(masks[n], n)
            for n in range(WARP)
        )
        return gathered(tuple(map(t.add, counted, addends)))

    def _count_below(self, mask: Term, own: int) -> Term:
        t = self.terms
        total = t.const(0, 32)
        for n in range(own):
            total = t.add(total, t.zext(t.extract(mask, n, 1), 32))
        return total

    # other lanes

    def _lane_access(self, o: Operation, name: str) -> None:
        t = self.terms
        if name == "v_writelane_b32":
            value, which = self.operand(o.sources[0], "b32", o), self.operand(o.sources[1], "b32", o)
            number = lane(which, 0).known
            if number is None:
                raise Unknown("v_writelane to a lane that is not known")
            terms = list(spread(self.vector(o.d)))
            terms[number & 31] = lane(value, 0)
            self.registers[VGPR + o.d] = gathered(tuple(terms))
            return
        terms_of = spread(self.every_lane(o.sources[0], o))
        if name == "v_readlane_b32":
            which = self.operand(o.sources[1], "b32", o)
            self.set_scalar(o.d, self.chosen(terms_of, t.extract(lane(which, 0), 0, 5)))
            return
        result = terms_of[0]
        mask = self.exec()
        for number in reversed(range(WARP)):
            result = t.ite(mask[number], terms_of[number], result)
        self.set_scalar(o.d, result)

    def chosen(self, terms: tuple[Term, ...], number: Term) -> Term:
        """One of 32 terms by a 5-bit number."""
        t = self.terms
        if number.known is not None:
            return terms[number.known]
        result = terms[WARP - 1]
        for n in reversed(range(WARP - 1)):
            result = t.ite(t.eq(number, t.const(n, 5)), terms[n], result)
        return result

    def _with_dpp(self, o: Operation, dpp: Dpp) -> None:
        """Source 0 comes from other lanes; lanes that may not read do not write."""
        t, mask = self.terms, self.exec()
        if dwords(o.row.sources[0]) != 1:
            raise Unknown(f"{o.row.name} with DPP of two registers")
        held = spread(self.every_lane(o.sources[0], o))
        taken, writes = [], []
        for own in range(WARP):
            source = (own & ~7) | (dpp.control >> (3 * (own & 7)) & 7) if dpp.eight else dpp_source(dpp.control, own)
            valid = t.false if source is None else t.true if dpp.fetch_inactive else mask[source]
            taken.append(t.const(0, 32) if source is None else t.ite(valid, held[source], t.const(0, 32)))
            enabled = dpp.eight or (dpp.bank_mask >> (own >> 2 & 3) & 1 and dpp.row_mask >> (own >> 4) & 1)
            writes.append(
                t.const(bool(enabled), 1) if dpp.eight or dpp.bound_zero else t.both(t.const(bool(enabled), 1), valid)
            )
        self._masked_result(o, gathered(tuple(taken)), tuple(map(t.both, mask, writes)))

    def _masked_result(self, o: Operation, first: Value, mask: tuple[Term, ...]) -> None:
        """Run an operation with its first source given, EXEC being `mask` for it."""
        before = self.scalar(EXEC)
        t = self.terms
        if o.row.sources[0] == "f32":
            if o.abs & 1:
                first = each(lambda x: t.bitwise("band", x, t.const(0x7FFF_FFFF, 32)), first)
            if o.neg & 1:
                first = each(t.negative, first)
        sources = [first, *(self.source(o, n) for n in range(1, len(o.row.sources)))]
        self.registers[EXEC] = t.bits(mask)
        self._vector_result(o, sources)
        if not o.compare_x:
            self.registers[EXEC] = before
