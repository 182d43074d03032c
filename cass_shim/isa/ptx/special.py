"""Predefined registers as C++. Source: PTX ISA 9.0 chapter 10; LLVM AMDGPUUsage, hidden arguments of version 5."""

from __future__ import annotations

# name (with component) → C++ expression of the type that the parser gives the register.
SPECIAL: dict[str, str] = {
    **{f"%tid.{axis}": f"ptx_tid_{axis}()" for axis in "xyz"},
    **{f"%ntid.{axis}": f"ptx_ntid_{axis}()" for axis in "xyz"},
    **{f"%ctaid.{axis}": f"ptx_ctaid_{axis}()" for axis in "xyz"},
    **{f"%nctaid.{axis}": f"ptx_nctaid_{axis}()" for axis in "xyz"},
    "%laneid": "ptx_lane()",
    "%warpid": "ptx_warp()",
    "%nwarpid": "ptx_warps()",
    "%smid": "ptx_smid()",
    "%nsmid": "ptx_nsmid()",
    "%gridid": "0ull",
    "%lanemask_eq": "(1u << ptx_lane())",
    "%lanemask_lt": "((1u << ptx_lane()) - 1)",
    "%lanemask_le": "((2u << ptx_lane()) - 1)",
    "%lanemask_ge": "(~0u << ptx_lane())",
    "%lanemask_gt": "(~1u << ptx_lane())",
    "%clock": "(u32)ptx_clock()",
    "%clock_hi": "(u32)(ptx_clock() >> 32)",
    "%clock64": "ptx_clock()",
    "%globaltimer": "ptx_timer()",
    "%globaltimer_lo": "(u32)ptx_timer()",
    "%globaltimer_hi": "(u32)(ptx_timer() >> 32)",
    "%dynamic_smem_size": "ptx_dynamic_shared()",
    # Clusters of one block, as in any launch without a cluster dimension.
    **{f"%clusterid.{axis}": f"ptx_ctaid_{axis}()" for axis in "xyz"},
    **{f"%nclusterid.{axis}": f"ptx_nctaid_{axis}()" for axis in "xyz"},
    **{f"%cluster_ctaid.{axis}": "0u" for axis in "xyz"},
    **{f"%cluster_nctaid.{axis}": "1u" for axis in "xyz"},
    "%cluster_ctarank": "0u",
    "%cluster_nctarank": "1u",
    "%is_explicit_cluster": "false",
}
