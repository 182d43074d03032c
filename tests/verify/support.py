"""Translations that are wrong on purpose."""

from __future__ import annotations

from dataclasses import replace

from cass_shim.model.artifacts import CodeObject, HipSource
from cass_shim.pipeline import Work, assemble, translate_source


def from_ptx(work: Work, old: str = "", new: str = "") -> CodeObject:
    """A kernel's code by the route of its PTX, perhaps from a source in which `old`, which must be there, is `new`."""
    source = translate_source(work, "ptx-hip")
    assert isinstance(source, HipSource) and old in source.text
    return assemble(replace(source, text=source.text.replace(old, new) if old else source.text), work.abi)
