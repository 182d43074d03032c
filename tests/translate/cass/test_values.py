"""Values of SASS under numbers of their own."""

from __future__ import annotations

import pytest

from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import PT, RZ, Imm, Instruction, Mem, Pred, Reg, Target
from cass_shim.translate.cass.values import effects, numbered
from tests.translate.cass.test_fields import kernel


def op(address: int, form: str, *operands: object, guard: Pred | None = None) -> Instruction:
    mnemonic, *modifiers = form.split(".")
    return Instruction(address * 16, mnemonic, tuple(modifiers), operands, guard)  # type: ignore[arg-type]


def move(address: int, to: int, source: int | None = None, guard: Pred | None = None) -> Instruction:
    return op(address, "MOV", Reg(to), Imm(address) if source is None else Reg(source), guard=guard)


def registers(found: list[Instruction]) -> list[list[int]]:
    return [[o.index for o in one.operands if isinstance(o, Reg)] for one in found]


def test_a_register_that_is_written_again_is_another_value() -> None:
    found = numbered([move(0, 5), move(1, 6, 5), move(2, 5), move(3, 7, 5), move(4, 8, 6), op(5, "EXIT")], 80)
    assert registers(found)[:5] == [[0], [1, 0], [2], [3, 2], [4, 1]]


def test_a_guarded_write_keeps_the_value() -> None:
    code = [move(0, 5), move(1, 5, guard=Pred(0)), move(2, 6, 5), op(3, "EXIT")]
    assert registers(numbered(code, 80))[:3] == [[0], [0], [1, 0]]


def test_values_that_meet_after_a_branch_are_one() -> None:
    code = [
        move(0, 5),
        op(1, "BRA", Target(3 * 16), guard=Pred(0)),
        move(2, 5),
        move(3, 6, 5),
        op(4, "EXIT"),
    ]
    assert registers(numbered(code, 80))[3] == [1, 0] and registers(numbered(code, 80))[2] == [0]


def test_pairs_stay_neighbours() -> None:
    wide = op(0, "IMAD.WIDE", Reg(8), Reg(2), Imm(4), Reg(4))
    load = op(1, "LDG.E.64", Reg(2), Mem(Reg(8), wide=True))
    add = op(2, "IADD3", Reg(7), Reg(3), Reg(9), Reg(RZ))
    found = numbered([wide, load, add, op(3, "EXIT")], 80)
    (pair, _, _), (loaded,), (_, high, address, zero) = registers(found)[:3]
    where = next(o for o in found[1].operands if isinstance(o, Mem))
    assert where.base is not None and where.base.index == pair
    assert (high, address, zero) == (loaded + 1, pair + 1, RZ)


def test_a_matrix_product_reads_its_fragments_and_writes_what_it_accumulates() -> None:
    product = op(0, "HMMA.16816.F32", Reg(8), Reg(4), Reg(2), Reg(12))
    reads, writes = effects(product, 80)
    assert reads == [("R", n) for n in (4, 5, 6, 7, 2, 3, 12, 13, 14, 15)]
    assert writes == [("R", n) for n in (8, 9, 10, 11)]


def test_predicates_have_numbers_too_and_true_stays() -> None:
    compare = op(0, "ISETP.GE.AND", Pred(3), Pred(PT), Reg(0), Reg(1), Pred(PT))
    again = op(2, "ISETP.GE.AND", Pred(3), Pred(PT), Reg(1), Reg(0), Pred(PT))
    found = numbered([compare, move(1, 4, guard=Pred(3)), again, move(3, 5, guard=Pred(3)), op(4, "EXIT")], 80)
    guards = [one.guard.index for one in found if one.guard]
    assert guards == [0, 1] and [o.index for o in found[2].operands if isinstance(o, Pred)] == [1, PT, PT]


def test_what_an_instruction_touches_is_what_its_meaning_touches() -> None:
    reads, writes = effects(op(0, "IADD3", Reg(7), Pred(1), Reg(3), Reg(9), Reg(RZ)), 80)
    assert set(reads) == {("R", 3), ("R", 9)} and set(writes) == {("R", 7), ("P", 1)}
    reads, writes = effects(op(0, "STG.E.128", Mem(Reg(2), wide=True), Reg(8)), 80)
    assert set(reads) == {("R", 2), ("R", 3), *(("R", 8 + part) for part in range(4))} and not writes


def test_an_instruction_without_a_meaning_is_named() -> None:
    with pytest.raises(Unsupported, match="FROB"):
        numbered([op(0, "FROB", Reg(1))], 80)


@pytest.mark.parametrize("program", ["vector_add_static", "matmul_tiled_static_sass"])
def test_every_read_finds_a_write_before_it(program: str) -> None:
    """In real kernels a number is written before it is read, but for what a kernel leaves undefined."""
    sass, _ = kernel(program)
    end = next(at for at, one in enumerate(sass.instructions) if one.operands == (Target(one.address),))
    first: dict[int, bool] = {}
    for one in numbered(sass.instructions[:end], sass.sm):
        reads, writes = effects(one, sass.sm)
        for kind, index in reads:
            if kind == "R" and (one.guard is None or (kind, index) not in writes):  # else it only keeps the old
                first.setdefault(index, False)
        for kind, index in writes:
            if kind == "R":
                first.setdefault(index, True)
    assert [index for index, written in first.items() if not written] == []
