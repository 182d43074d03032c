"""Values written where they are used: types as clang has them, and nothing moved past what changes it."""

from __future__ import annotations

import random

from cass_shim.assemble.hip import compile_to_assembly
from cass_shim.isa.ptx.prelude import HEADER, select, words_of
from cass_shim.model.artifacts import HipSource
from cass_shim.translate.ptx_hip.expressions import type_of
from cass_shim.translate.ptx_hip.inline import inline_values

NAMES = {"r1": "u32", "r2": "i32", "d1": "u64", "d2": "i64", "h1": "u16", "h2": "i16", "b1": "u8", "p1": "bool",
         "s1": "f32", "w1": "f64"}  # fmt: skip
WHOLE = [name for name, held in NAMES.items() if held[0] in "uib"]
LITERALS = ["3", "7u", "0x1ful", "5l", "2147483647"]
OPERATORS = ["+", "-", "*", "&", "|", "^", "<<", ">>", "<", ">=", "=="]


def expression(generator: random.Random, depth: int) -> str:
    """Of integers; as the writer spaces them, with parentheses at random."""
    kind = generator.randrange(8)
    if depth == 0 or kind == 0:
        return generator.choice([*WHOLE, generator.choice(LITERALS)])
    inner = expression(generator, depth - 1)
    if kind == 1:
        return f"({generator.choice(['u32', 'i64', 'u16', 'bool'])})({inner})"
    if kind == 2:
        return f"{generator.choice('-~!')}({inner})"
    operator = generator.choice(OPERATORS)
    text = f"{inner} {operator} {expression(generator, depth - 1)}"
    return f"({text})" if generator.random() < 0.6 or operator in ("<", ">=", "==") else text


def test_types_of_expressions_are_those_of_clang() -> None:
    generator = random.Random(6)
    made = [expression(generator, 3) for _ in range(400)]
    made += ["s1 * 2.5f", "w1 + s1", "s1 < w1", "as<f32>(r1 + 1u)", "-s1", "s1 * r1", "ptx_tid_x() * r2"]
    checks = []
    for text in made:
        found = type_of(text, NAMES)
        assert found is not None, text
        checks.append(f"static_assert(__is_same(decltype({text}), {found}));")
    declared = " ".join(f"{held} {name} = 1;" for name, held in NAMES.items())
    body = f'extern "C" __attribute__((global)) void k() {{ {declared}\n' + "\n".join(checks) + "\n}\n"
    compile_to_assembly(HipSource("\n".join([HEADER, select(words_of(body)), body]), "k"))


def test_what_is_more_than_names_and_operators_has_no_type() -> None:
    assert type_of("ptx_ld_global<u32>(d1)", NAMES) is None
    assert type_of("r1 + r9", NAMES) is None
    assert type_of("r1 ? r2 : r2", NAMES) is None
    assert type_of("r1 +", NAMES) is None


TYPES = {"r1": "u32", "r2": "u32", "r3": "i32", "d1": "u64", "q1": "bool", "r9": "u32", "q2": "bool", "s1": "f32"}


def inlined(*lines: str) -> list[str]:
    return inline_values(list(lines), TYPES, {"p.n": "u32"})[0]


def test_a_copy_goes_everywhere_and_an_expression_to_its_only_use() -> None:
    assert inlined("    const u32 r1 = p.n;", "    const u32 r2 = r1 + 1u;", "    f(r1, r2 * 2u);", "    g(r2);") == [
        "    const u32 r2 = p.n + 1u;",
        "    f(p.n, r2 * 2u);",
        "    g(r2);",
    ]
    assert inlined("    const u32 r1 = p.n + 1u;", "    const u64 d1 = (u64)r1 << 2;", "    f(d1);") == [
        "    f((u64)(p.n + 1u) << 2);"
    ]


def test_a_value_keeps_its_type() -> None:
    assert inlined("    const i32 r3 = p.n + 1u;", "    f(r3 >> 1);") == ["    f((i32)(p.n + 1u) >> 1);"]


def test_what_changes_in_between_stays_where_it_is() -> None:
    changing = ["    const u32 r1 = r9 + 1u;", "    r9 = 5u;", "    f(r1);"]
    assert inlined(*changing) == changing
    loaded = ["    const u32 r1 = ptx_ld_global<u32>(d1);", "    ptx_st_global<u32>(d1, 1u);", "    f(r1);"]
    assert inlined(*loaded) == loaded


def test_a_condition_goes_into_the_test_behind_it_only() -> None:
    assert inlined("    const bool q1 = r9 < 4u;", "    if (!q1) {", "    }") == ["    if (r9 >= 4u) {", "    }"]
    later = ["    const bool q1 = r9 < 4u;", "    r9 = 7u;", "    if (!q1) {", "    }"]
    assert inlined(*later) == later


def test_a_loops_test_may_not_leave_the_scope_of_its_names() -> None:
    lines, gone = inline_values(["    do {", "        q1 = r9 < 4u;", "    } while (q1);"], TYPES, {})
    assert lines == ["    do {", "    } while (r9 < 4u);"]
    assert gone == frozenset({"q1"})
    inside = ["    do {", "        const u32 r1 = f();", "        q1 = r1 < 4u;", "    } while (q1);"]
    assert inline_values(inside, TYPES, {}) == (inside, frozenset())


def test_a_loop_behind_its_own_test_is_a_while_loop() -> None:
    inner = ["            if (r2 == 1u) {", "                do {", "                    put(r1);",
             "                } while (r2 == 1u);", "            }"]  # fmt: skip
    source = ["    if (r1 != r2) {", "        do {", *inner, "        } while (r1 != r2);", "    }"]
    wanted = ["    while (r1 != r2) {", "        while (r2 == 1u) {", "            put(r1);", "        }", "    }"]
    assert inlined(*source) == wanted
    other = [line.replace("while (r1 != r2)", "while (r1 == r2)") for line in source]
    assert inlined(*other)[:2] == other[:2]
    behind = [*source[:-1], "        put(r2);", "    }"]
    assert inlined(*behind)[:2] == behind[:2]


def test_a_test_of_a_loop_passes_copies_of_what_is_not_in_it() -> None:
    lines = ["    do {", "        q1 = r2 != 0;", "        r1 = r9;", "    } while (q1);"]
    assert inlined(*lines) == ["    do {", "        r1 = r9;", "    } while (r2 != 0);"]
    changed = [line.replace("r1 = r9", "r2 = r9") for line in lines]
    assert inlined(*changed) == changed
    loaded = [line.replace("r2 != 0", "ptx_ld_global<u32>(d1) != 0") for line in lines]
    assert inlined(*loaded) == loaded


def test_what_is_not_true_of_two_comparisons_is_said_of_each() -> None:
    assert inlined("    if (!((r1 >= r2) || q1)) {") == ["    if (r1 < r2 && !q1) {"]
    assert inlined("    if (!((r1 == 0) && !q1)) {") == ["    if (r1 != 0 || q1) {"]
    floats = "    if (!((s1 >= s2) || q1)) {"  # neither holds of a NaN
    assert inline_values([floats], {"s1": "f32", "s2": "f32", "q1": "bool"}, {})[0] == [floats]
    assert inlined("    if (!((r1 >= r2) || call(r1))) {") == ["    if (!((r1 >= r2) || call(r1))) {"]


def test_sums_of_nothing_and_updates() -> None:
    assert inlined("    const u32 r1 = r2 + 0u;", "    put(r1);", "    put(r1);")[0] == "    const u32 r1 = r2;"
    widened = ["    const u64 d1 = r2 + 0u;", "    put(d1);", "    put(d1);"]
    assert inlined(*widened) == widened
    assert inlined("    r1 = r1 + 4u;", "    r1 = r2 - r1;") == ["    r1 += 4u;", "    r1 = r2 - r1;"]


def test_what_nobody_reads_has_no_name() -> None:
    assert inlined("    const u32 r1 = ptx_atom_add<5, 1>((u32 *)p.n, 1u);") == [
        "    ptx_atom_add<5, 1>((u32 *)p.n, 1u);"
    ]
    assert inlined("    const u32 r1 = texel.y;", "    const u32 r2 = ptx_ld_global<u32>(d1);") == [
        "    const u32 r2 = ptx_ld_global<u32>(d1);"
    ]


def test_numbers_below_zero_go_where_they_are_used() -> None:
    assert inlined("    const u32 r1 = -1;", "    f(r1, r1);") == ["    f(0xffffffffu, 0xffffffffu);"]
    assert inlined("    const u64 d1 = -2l;", "    f(d1);") == ["    f(0xfffffffffffffffeul);"]
    assert inlined("    const i32 r3 = -7;", "    f(r2 - r3);") == ["    f(r2 - (-7));"]


def test_a_test_denied_twice_and_a_store_of_its_own_type() -> None:
    assert inlined("    if (!(!(r3 == -1))) {") == ["    if (r3 == -1) {"]
    assert inlined("    if (!(!(r3 == 1) || !(r1 == 2))) {") != ["    if (r3 == 1) || !(r1 == 2) {"]
    assert inlined("    ptx_st_global<u32>(d1, (u32)r3);") == ["    ptx_st_global<u32>(d1, r3);"]
    assert inlined("    ptx_st_global<u64>(d1, (u32)r3);") == ["    ptx_st_global<u64>(d1, (u32)r3);"]


def test_a_sign_that_equality_does_not_ask_for() -> None:
    assert inlined("    if ((i32)((r1 + 1u) & (r2)) == 62) {") == ["    if (((r1 + 1u) & (r2)) == 62) {"]
    assert inlined("    q1 = (i32)r1 != 7 && (i32)r2 == 0;")[0] == "    q1 = r1 != 7 && (i32)r2 == 0;"
    for kept in (
        "    if ((i32)r1 < 7) {",
        "    if ((i32)r1 == -1) {",
        "    if (d1 + (i32)r1 == 7) {",
        "    f((i32)r1);",
    ):
        assert inlined(kept) == [kept]


def test_a_condition_passes_values_that_are_not_in_it() -> None:
    found = inlined("    const bool q1 = r1 < r2;", "    bool q2 = false;", "    r3 = 5u;", "    if (!q1) {")
    assert found[-1] == "    if (r1 >= r2) {"
    for between in ("r1 = 5u;", "r9 = call(r3);", "put(r3);"):
        lines = ["    const bool q1 = r1 < r2;", f"    {between}", "    if (q1) {"]
        assert inlined(*lines) == lines


def test_short_floats_stand_where_they_are_used() -> None:
    assert inlined("    const f32 s1 = -0.5f;", "    f(s1, r3 - s1);") == ["    f(-0.5f, r3 - (-0.5f));"]
    assert inlined("    f((i32)(r1), (u8)(u32)d1, (u32)(u8)d1);") == ["    f((i32)r1, (u8)(u32)d1, (u32)(u8)d1);"]
