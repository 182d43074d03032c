"""Version management: the rows of this chapter of the CUDA runtime API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("runtime", "Version management")
fn = chapter.fn

fn("cudaDriverGetVersion", IMPLEMENTED, "cudaError_t", "int *driverVersion", since=3020, pure=True)
fn("cudaRuntimeGetVersion", IMPLEMENTED, "cudaError_t", "int *runtimeVersion", since=3020, pure=True)
