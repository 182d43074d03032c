"""Initialization: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Initialization")
fn = chapter.fn

fn("cuInit", IMPLEMENTED, "CUresult", "unsigned int Flags", since=2000)
