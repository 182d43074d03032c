"""Producers that turned out to be wrong: a row in the package takes their answers out of use everywhere."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cass_shim.cache import epoch
from cass_shim.cache.epoch import BadProducer, base_epoch, sources_digest
from cass_shim.cache.index import Index
from cass_shim.cache.storage import Entry
from cass_shim.daemon.service import Service
from cass_shim.daemon.wanted import KnownModule, Wanted
from cass_shim.model.config import Config
from cass_shim.model.wire import KernelRequest
from tests.cache.test_local import KEY, make_entry

LLVM = BadProducer("llvm", "22.1", "22.1.4", "wrong code for v_mad_u64_u32")


def made_by(route: str = "lift", **tools: str) -> Entry:
    entry = make_entry(route=route)
    return replace(entry, record=replace(entry.record, provenance={"sources": sources_digest(), **tools}))


@pytest.mark.parametrize(
    ("version", "is_bad"),
    [("22.1.0", True), ("22.1.3", True), ("clang version 22.1.3", True), ("22.1.4", False), ("22.10", False),
     ("22.0.9", False), ("21", False), ("", False), ("unknown", False)],
)  # fmt: skip
def test_a_range_of_versions(version: str, is_bad: bool) -> None:
    assert LLVM.made(made_by(llvm=version).record) is is_bad


def test_a_translator_as_a_whole() -> None:
    row = BadProducer("route", "cass", "", "its checkpoint was trained on wrong pairs")
    assert [row.made(made_by(route).record) for route in ("cass", "lift")] == [True, False]


def test_a_row_takes_what_it_names_out_of_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C finds nothing, since the epoch is another; the daemon takes only what others made."""
    pool: Any = None
    service = Service(Config(), None, Index(tmp_path), pool)
    bad, good = made_by(llvm="22.1.0"), made_by("ptx-hip", llvm="22.1.4")
    before, wanted = base_epoch(tmp_path), Wanted(KernelRequest(bytes(32), "k"), KnownModule(b"", {}), KEY, Config())
    assert service._best([bad, good], wanted) == bad
    monkeypatch.setattr(epoch, "BAD_PRODUCERS", (LLVM,))
    assert base_epoch(tmp_path) != before
    assert service._best([bad, good], wanted) == good
    assert service._best([bad], wanted) is None


def test_code_that_changed_is_seen_without_a_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "pipeline.py"
    source.write_text("old")
    monkeypatch.setattr(epoch, "PACKAGE", tmp_path)
    os.utime(source, (2**32, 2**32))  # newer than any process: the clock was set back
    before = epoch.sources_state()
    assert epoch.sources_state() == before and any(name.endswith("pipeline.py") for name, _, _ in before)
    source.write_text("new")
    changed = epoch.sources_state()
    assert changed != before
    source.unlink()
    assert epoch.sources_state() not in (before, changed)
