"""PTX → HIP source. See `translate`."""

from __future__ import annotations

from cass_shim.translate.ptx_hip.translate import (
    check,
    kernel_abi,
    kernels,
    module_data,
    module_tokens,
    reads_lanes,
    translate_kernel,
)

__all__ = ["check", "kernel_abi", "kernels", "module_data", "module_tokens", "reads_lanes", "translate_kernel"]
