"""PTX instructions: what each form takes and what it means, as C++."""

from __future__ import annotations

import functools
import importlib

FAMILIES = (
    "integer", "logic", "compare", "floating", "half", "convert", "memory", "atomic", "warp", "barrier", "control",
    "matrix", "asynchronous", "video", "texture", "surface",
)  # fmt: skip


@functools.cache
def load_all() -> None:
    """Import every family, which fills the table of `spec`."""
    for family in FAMILIES:
        importlib.import_module(f"cass_shim.isa.ptx.{family}")
