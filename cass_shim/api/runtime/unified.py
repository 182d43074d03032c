"""Unified addressing: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Unified addressing")
fn = chapter.fn

fn("cudaPointerGetAttributes", IMPLEMENTED, "cudaError_t",
   "struct cudaPointerAttributes *attributes, const void *ptr", since=4000)
