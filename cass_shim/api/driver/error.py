"""Error handling: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Error handling")
fn = chapter.fn

fn("cuGetErrorName", IMPLEMENTED, "CUresult", "CUresult error, const char **pStr", since=6000, pure=True)
fn("cuGetErrorString", IMPLEMENTED, "CUresult", "CUresult error, const char **pStr", since=6000, pure=True)
