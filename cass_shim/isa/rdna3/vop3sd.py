"""VOP3SD: VOP3 with a second, scalar destination. Columns: opcode, name, destination, sources."""

from __future__ import annotations

from cass_shim.isa.rdna3.row import table

ROWS = table(
    "VOP3SD",
    """
 764  v_div_scale_f32            f32    f32 f32 f32
 765  v_div_scale_f64            f64    f64 f64 f64
 766  v_mad_u64_u32              b64    b32 b32 b64
 767  v_mad_i64_i32              b64    b32 b32 b64
 768  v_add_co_u32               b32    b32 b32
 769  v_sub_co_u32               b32    b32 b32
 770  v_subrev_co_u32            b32    b32 b32
""",
)
