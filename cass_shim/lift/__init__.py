"""SASS to LLVM IR. In: `SassKernel`. Out: `LlvmModule`. Deterministic, tens of milliseconds a kernel."""

from __future__ import annotations

from cass_shim.lift.kernel import PartEmitter, lift_kernel
from cass_shim.lift.module import hip_text

__all__ = ["PartEmitter", "hip_text", "lift_kernel"]
