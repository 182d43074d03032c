"""Which entry of a fatbinary serves, and the PTX beside it."""

from __future__ import annotations

import pytest

from cass_shim.extract.choice import choose_entries
from cass_shim.model.artifacts import EntryKind, FatbinEntry
from cass_shim.model.config import Config


def made(kind: EntryKind, sm: int) -> FatbinEntry:
    return FatbinEntry(kind, sm, "", 0, 0, b"", b"")


@pytest.mark.parametrize(
    ("translators", "code", "texts", "expected"),
    [
        ("lift,ptx-hip", (80, 89), (89,), (80, 89)),
        ("ptx-hip", (80, 89), (89,), (89, 89)),
        (" ptx-hip ,lift", (80, 89), (89,), (89, 89)),
        ("ptx-hip2", (80, 89), (89,), (80, 89)),
        ("ptx-hip", (80, 86), (75, 89), (80, 75)),  # none fits: as without
        ("ptx-hip", (70, 86), (70,), (86, 70)),  # one that cannot be used is no better for its PTX
    ],
)
def test_where_ptx_serves_it_belongs_to_the_code(
    translators: str, code: tuple[int, ...], texts: tuple[int, ...], expected: tuple[int, int]
) -> None:
    entries = [made(EntryKind.ELF, sm) for sm in code] + [made(EntryKind.PTX, sm) for sm in texts]
    own = Config.read({"CASS_TRANSLATORS": translators}).needs_own_ptx
    chosen, beside = choose_entries(entries, own_ptx=own)
    assert chosen is not None and beside is not None
    assert (chosen.sm, beside.sm) == expected
