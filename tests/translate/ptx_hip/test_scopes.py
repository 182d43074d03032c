"""Declarations move to where a register gets its only value, but never between a goto and its label."""

from __future__ import annotations

from cass_shim.translate.ptx_hip.scopes import move_declarations, without_blocks

TYPES = {"r1": "u32", "r2": "u32"}


def test_a_value_is_declared_where_it_is_made() -> None:
    lines, moved = move_declarations(["    r1 = 3u;", "    r2 = r1 + 1u;", "    put(r2);"], TYPES)
    assert lines[0] == "    const u32 r1 = 3u;" and moved == {"r1", "r2"}


def test_a_label_at_the_margin_ends_no_scope() -> None:
    """C++ lets no goto jump over an initialisation; labels are printed without indentation (generated kernel 4613)."""
    source = ["    do {", "        if (p1) goto L2;", "        r1 = 3u;", "        r2 = r1;", "L2:;", "        put();"]
    lines, moved = move_declarations([*source, "    } while (p2);"], TYPES)
    assert lines[: len(source)] == source and not moved


def test_behind_a_label_values_are_declared_again() -> None:
    lines, moved = move_declarations(["L1:;", "    r1 = 3u;", "    put(r1);", "    goto L1;"], TYPES)
    assert lines[1] == "    const u32 r1 = 3u;" and moved == {"r1"}


def test_what_changes_later_is_declared_where_it_begins() -> None:
    source = ["    r1 = 0u;", "    if (p1) {", "        r1 = 2u;", "    }", "    put(r1);"]
    lines, moved = move_declarations(source, TYPES)
    assert lines == ["    u32 r1 = 0u;", *source[1:]] and moved == {"r1"}
    lines, moved = move_declarations(source[1:], TYPES)  # nothing gives it a value on every path
    assert lines == source[1:] and not moved


def test_what_a_loop_carries_is_declared_before_it() -> None:
    source = ["    do {", "        put(r1);", "        r1 = 2u;", "        r2 = r1;", "        r2 = r2 + 1u;",
              "    } while (p1);"]  # fmt: skip
    lines, moved = move_declarations(source, TYPES)
    assert moved == {"r2"} and lines[3] == "        u32 r2 = r1;" and lines[2] == source[2]


BLOCK = [
    "    {",
    "        auto loaded = get(d1);",
    "        r1 = loaded.x;",
    "        r2 = loaded.y;",
    "    }",
    "    put(r1);",
]


def test_a_loaded_vector_needs_no_block_of_its_own() -> None:
    assert without_blocks(BLOCK, TYPES) == [
        "    const auto loaded = get(d1);", "    r1 = loaded.x;", "    r2 = loaded.y;", "    put(r1);"]  # fmt: skip
    labelled = [*BLOCK, "L1:;"]
    assert without_blocks(labelled, TYPES) == labelled
    twice = [*BLOCK, *BLOCK]
    assert without_blocks(twice, TYPES) == twice
    other = [*BLOCK[:3], "        store(loaded.y);", *BLOCK[4:]]
    assert without_blocks(other, TYPES) == other
    assert without_blocks(["    {", "        u32 fragment[2];", "    }"], TYPES)[0] == "    {"
