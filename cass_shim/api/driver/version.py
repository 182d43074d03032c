"""Version management: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Version management")
fn = chapter.fn

fn("cuDriverGetVersion", IMPLEMENTED, "CUresult", "int *driverVersion", since=2020, pure=True)
