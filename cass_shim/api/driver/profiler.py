"""Profiler control: the rows of this chapter of the CUDA driver API manual."""

# fmt: off
from __future__ import annotations

from cass_shim.api.spec import IMPLEMENTED, Chapter

chapter = Chapter("driver", "Profiler control")
fn = chapter.fn

fn("cuProfilerInitialize", IMPLEMENTED, "CUresult",
   "const char *configFile, const char *outputFile, int outputMode", since=4000, until=12000)
fn("cuProfilerStart", IMPLEMENTED, "CUresult", "void", since=4000)
fn("cuProfilerStop", IMPLEMENTED, "CUresult", "void", since=4000)
