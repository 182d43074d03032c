"""What runs teach of parameters: one that ends early takes back nothing that another has shown."""

from __future__ import annotations

import numpy as np

from cass_shim.verify.inputs import WINDOW, Roles
from cass_shim.verify.lesson import Lesson, drop_pointers, note_used


def roles() -> Roles:
    """Three words that may be addresses."""
    return Roles({0: 0, 8: 1, 16: 2}, {0: "f32", 1: "f32"})


def nothing_written() -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.zeros(4 * WINDOW, bool)


def test_what_no_run_uses_is_a_scalar() -> None:
    found, written = roles(), nothing_written()
    written[2 * WINDOW + 5] = True
    assert drop_pointers(found, Lesson(read={0}), written)
    assert found.pointers == {0: 0, 16: 1} and found.kinds == {}
    assert not drop_pointers(found, Lesson(read={0, 1}), nothing_written())


def test_a_run_that_ends_early_takes_no_address_back() -> None:
    found, written = roles(), nothing_written()
    written[WINDOW] = True
    note_used(found, Lesson(read={0, 2}), written)
    assert not drop_pointers(found, Lesson(read={0}), nothing_written())
    assert found.pointers == {0: 0, 8: 1, 16: 2} and found.kinds == {0: "f32", 1: "f32"}
