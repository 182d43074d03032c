"""The whole table: every chapter module, checked once.

Out: `table()` with rows in a fixed order; the order is the entry index used by the generated C.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import pkgutil
from collections import defaultdict

import cass_shim.api.driver
import cass_shim.api.runtime
from cass_shim.api.spec import Chapter, Row


@functools.cache
def chapters() -> tuple[Chapter, ...]:
    """Every chapter, runtime first, in file order."""
    found = []
    for package in (cass_shim.api.runtime, cass_shim.api.driver):
        for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda item: item.name):
            found.append(importlib.import_module(f"{package.__name__}.{module.name}").chapter)
    return tuple(found)


def check(rows: tuple[Row, ...]) -> None:
    """Raises ValueError: two rows of a name overlap, two rows share a body but not a signature, a body has
    two statuses."""
    by_name: dict[str, list[Row]] = defaultdict(list)
    by_body: dict[str, Row] = {}
    for row in rows:
        by_name[row.name].append(row)
        first = by_body.setdefault(row.body, row)
        if [p.type for p in first.parameters] != [p.type for p in row.parameters]:
            raise ValueError(f"{row.name} and {first.name} share a body but not its parameters")
        if first.status is not row.status:
            raise ValueError(f"body {row.body} is both {first.status.value} and {row.status.value}")
    for name, group in by_name.items():
        ordered = sorted(group, key=lambda row: row.since)
        for before, after in itertools.pairwise(ordered):
            if before.until > after.since:
                raise ValueError(f"{name}: rows overlap at {after.since}")


@functools.cache
def table() -> tuple[Row, ...]:
    """Every row of the runtime and the driver."""
    rows = tuple(row for chapter in chapters() for row in chapter.resolved())
    check(rows)
    return rows
