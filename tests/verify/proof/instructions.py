"""gfx1100 instructions to compare, made from the opcode rows: one or more for every meaning on terms.

Out: (family, assembly). The family says what the registers hold. v0 to v7 and s0 to s7 are sources, v8 and s8 upwards
results; s14 becomes EXEC and bit 0 of s15 SCC.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from cass_shim.isa.rdna3.row import Row
from cass_shim.verify.proof.rdna3.scalar import MEANINGS, SAVE_EXEC
from cass_shim.verify.proof.rdna3.vector import FLOAT_CONDITIONS, HALVES, INTEGERS

_REGISTERS = {"b32": 1, "f32": 1, "b64": 2, "f64": 2, "b16": 1}
_SCALAR_FILES, _VECTOR_FILES = ("sop1", "sop2", "sopc"), ("vop1", "vop2", "vop3")
FLOAT_ARITHMETIC = ("add", "sub", "subrev", "mul", "fma", "min", "max", "min3", "max3", "minmax", "maxmin")
FLOAT_CONVERSIONS = (
    "v_cvt_f32_i32", "v_cvt_f32_u32", "v_cvt_f64_i32", "v_cvt_f64_u32", "v_cvt_i32_f32", "v_cvt_u32_f32",
    "v_cvt_i32_f64", "v_cvt_u32_f64", "v_cvt_f64_f32", "v_cvt_f32_f64",
    *(f"v_cvt_f32_ubyte{n}" for n in range(4)),
    *(f"v_{name}_{kind}" for name in ("trunc", "floor", "ceil", "rndne") for kind in ("f32", "f64")),
)  # fmt: skip


def rows(*files: str) -> dict[str, Row]:
    """Opcode rows by name."""
    return {row.name: row for file in files for row in import_module(f"cass_shim.isa.rdna3.{file}").ROWS}


def _register(letter: str, first: int, kind: str) -> str:
    count = _REGISTERS[kind]
    return f"{letter}{first}" if count == 1 else f"{letter}[{first}:{first + count - 1}]"


def _operands(letter: str, row: Row) -> list[str]:
    places = (0, 2, 4)
    return [_register(letter, at, kind) for at, kind in zip(places, row.sources, strict=False)]


def scalars() -> Iterator[str]:
    table = rows(*_SCALAR_FILES)
    for name in MEANINGS:
        row = table[name]
        sources = _operands("s", row)
        if "_bfe_" in name:
            sources[1] = "0x80004"
        parts = [*([_register("s", 8, row.destination)] if row.destination != "-" else []), *sources]
        yield f"{name} {', '.join(parts)}"
        if "bitset" in name or "_bfe_" in name or len(sources) < 2:
            continue
        yield f"{name} {', '.join([*parts[:-1], '-3'])}"
    for name in SAVE_EXEC:
        yield f"s_{name}_saveexec_b32 s8, s0"
    for name in ("and_not0", "and_not1"):
        yield f"s_{name}_wrexec_b32 s8, s0"
    yield from ("s_movk_i32 s8, 0x8001", "s_addk_i32 s8, 0x8001", "s_mulk_i32 s8, 0x7fff", "s_cmovk_i32 s8, 0x8001")
    yield from ("s_cmpk_lt_i32 s0, 0x8001", "s_cmpk_lt_u32 s0, 0x8001", "s_cselect_b32 s8, 1.0, 0x12345678")


def integers() -> Iterator[str]:
    table = rows(*_VECTOR_FILES)
    for name in INTEGERS:
        row = table[name]
        sources = _operands("v", row)
        result = _register("v", 8, row.destination)
        yield f"{name} {result}, {', '.join(sources)}"
        if len(sources) > 1 and row.sources[0] == "b32":
            yield f"{name} {result}, {', '.join(['s3', *sources[1:]])}"
            yield f"{name} {result}, {', '.join(['31', *sources[1:]])}"
    yield from ("v_lshlrev_b64 v[8:9], 2, v[0:1]", "v_ashrrev_i64 v[0:1], 33, v[0:1]", "v_bfe_u32 v8, v0, 10, 10")
    yield from ("v_bfe_i32 v8, v0, 3, 31", "v_add_nc_u32 v8, 0x12345678, v0")
    yield from ("v_mad_u64_u32 v[8:9], null, v0, s3, v[4:5]", "v_mad_u64_u32 v[8:9], s8, v0, v2, v[4:5]")
    yield from ("v_mad_i64_i32 v[8:9], null, v0, v2, v[4:5]", "v_mad_u64_u32 v[0:1], null, v0, v1, v[0:1]")
    for name in ("add", "sub", "subrev"):
        yield f"v_{name}_co_u32 v8, vcc_lo, v0, v2"
        yield f"v_{name}_co_u32 v8, s8, v0, s3"
        yield f"v_{name}_co_ci_u32 v8, vcc_lo, v0, v2, vcc_lo"
        yield f"v_{name}_co_ci_u32_e64 v8, null, s3, v0, s4"
    for kind, pair in (("i32", False), ("u32", False), ("i64", True), ("u64", True)):
        first, second = ("v[0:1]", "v[2:3]") if pair else ("v0", "v2")
        for condition in ("lt", "eq", "le", "gt", "ne", "ge"):
            yield f"v_cmp_{condition}_{kind} vcc_lo, {first}, {second}"
            yield f"v_cmp_{condition}_{kind}_e64 s8, {second}, 5"
            yield f"v_cmpx_{condition}_{kind} {first}, {second}"
        yield f"v_cmpx_gt_{kind}_e64 7, {first}"
    yield from ("v_cndmask_b32 v8, v0, v2, vcc_lo", "v_cndmask_b32_e64 v8, 0, v2, s4")
    yield "v_dual_cndmask_b32 v8, v1, v6 :: v_dual_add_nc_u32 v7, v8, v7"
    yield "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0"


def halves() -> Iterator[str]:
    """16-bit operands: halves of registers, in the short encodings and in VOP3."""
    table = rows(*_VECTOR_FILES)
    for name in sorted(HALVES.keys() - {"v_cvt_f32_f16"}):  # that one is among the floats: NaNs are quieted
        row = table[name]
        result = "v8" if row.destination in ("b32", "f32") else "v8.h"
        other = "v8" if row.destination in ("b32", "f32") else "v8.l"
        sources = ["v0.h", "v2.l"][: len(row.sources)]
        yield f"{name} {result}, {', '.join(sources)}"
        yield f"{name} {other}, {', '.join(['v1.l', 'v1.h'][: len(row.sources)])}"
        if row.encoding == "VOP3":
            yield f"{name} {other}, {', '.join(['s3', 'v2.h'])}"
    yield from ("v_mov_b16 v8.l, 0", "v_mov_b16 v8.h, 1", "v_mov_b16_e64 v8.h, s3", "v_mov_b16 v8.l, 0x1234")
    yield from (
        "v_cndmask_b16 v8.l, 0, 1, vcc_lo",
        "v_cndmask_b16 v8.h, v0.l, v1.h, s4",
        "v_cndmask_b16 v8.l, v0.h, 1, s2",
    )
    for condition in ("lt", "eq", "le", "gt", "ne", "ge"):
        yield f"v_cmp_{condition}_u16 vcc_lo, v0.l, v2.h"
        yield f"v_cmp_{condition}_i16_e64 s8, v0.h, 5"
        yield f"v_cmpx_{condition}_i16 v0.h, v2.l"


def lanes() -> Iterator[str]:
    yield from ("v_mbcnt_lo_u32_b32 v8, -1, 0", "v_mbcnt_lo_u32_b32 v8, exec_lo, v0", "v_mbcnt_lo_u32_b32 v8, s3, v0")
    yield from ("v_readlane_b32 s8, v0, 7", "v_readlane_b32 s8, v0, s3", "v_readfirstlane_b32 s8, v0")
    yield from ("v_writelane_b32 v8, s3, 9", "ds_bpermute_b32 v8, v0, v1", "ds_bpermute_b32 v8, v0, v1 offset:8")
    yield from ("ds_permute_b32 v8, v0, v1", "ds_swizzle_b32 v8, v0 offset:swizzle(SWAP,16)")
    yield from ("ds_swizzle_b32 v8, v0 offset:swizzle(BROADCAST,8,3)", "ds_swizzle_b32 v8, v0 offset:0x8055")
    controls = (
        "quad_perm:[1,0,3,2]", "row_shl:1", "row_shr:3", "row_ror:5", "row_share:4", "row_xmask:6", "row_mirror",
        "row_half_mirror",
    )  # fmt: skip
    for control in controls:
        yield f"v_mov_b32_dpp v8, v0 {control} row_mask:0xf bank_mask:0xf"
        yield f"v_add_nc_u32_dpp v8, v0, v1 {control} row_mask:0xa bank_mask:0xf bound_ctrl:1"
        yield f"v_max_i32_dpp v0, v0, v1 {control} row_mask:0xf bank_mask:0x5 fi:1"
    yield "v_mov_b32_dpp v8, v0 dpp8:[7,6,5,4,3,2,1,0]"
    yield "v_add_f32_dpp v8, -v0, abs(v1) row_shr:1 row_mask:0xf bank_mask:0xf"
    yield "v_add_co_ci_u32_dpp v8, vcc_lo, v0, v1, vcc_lo row_ror:1 row_mask:0xf bank_mask:0xf"


def local_memory() -> Iterator[str]:
    """Every lane stores at its own place, in all lanes; then they load."""
    own = "s_mov_b32 exec_lo, -1 ; v_mbcnt_lo_u32_b32 v7, -1, 0 ; v_lshlrev_b32 v7, {shift}, v7 ; "
    wait = " ; s_waitcnt lgkmcnt(0) ; s_mov_b32 exec_lo, s14 ; "
    yield own.format(shift=2) + "ds_store_b32 v7, v1" + wait + "v_xor_b32 v7, 12, v7 ; ds_load_b32 v8, v7"
    yield own.format(shift=3) + "ds_store_b64 v7, v[1:2]" + wait + "ds_load_2addr_b32 v[8:9], v7 offset0:1 offset1:0"
    yield own.format(shift=3) + "ds_store_2addr_b32 v7, v1, v2 offset1:1" + wait + "ds_load_b64 v[8:9], v7"
    yield own.format(shift=4) + "ds_store_b128 v7, v[0:3]" + wait + "ds_load_2addr_b64 v[8:11], v7 offset1:1"


def floats() -> Iterator[str]:
    table = rows(*_VECTOR_FILES)
    for operation in FLOAT_ARITHMETIC:
        for kind in ("f32", "f64"):
            row = table.get(f"v_{operation}_{kind}")
            if row is None:
                continue
            sources, result = _operands("v", row), _register("v", 8, kind)
            yield f"{row.name} {result}, {', '.join(sources)}"
            if row.encoding != "VOP2":
                yield f"{row.name} {result}, {', '.join([f'-{sources[0]}', f'abs({sources[1]})', *sources[2:]])}"
                yield f"{row.name} {result}, {', '.join(sources)} clamp"
    for name in FLOAT_CONVERSIONS:
        row = table[name]
        yield f"{name} {_register('v', 8, row.destination)}, {_register('v', 0, row.sources[0])}"
    for condition in FLOAT_CONDITIONS:
        yield f"v_cmp_{condition}_f32 vcc_lo, v0, v2"
        yield f"v_cmp_{condition}_f64 s8, v[0:1], v[2:3]"
    yield from ("v_cmp_class_f32 vcc_lo, v0, v6", "v_cmp_class_f64 vcc_lo, v[0:1], v6", "v_add_f32_e64 v8, 0.5, -v0")
    yield from ("v_cvt_f32_f16 v8, v0.l", "v_cvt_f32_f16 v8, v0.h")
    yield from ("v_fmac_f32 v8, v0, v1", "v_fmamk_f32 v8, v0, 0x3e000000, v1", "v_fmaak_f32 v8, v0, v1, 0x3e000000")
    yield "v_dual_add_f32 v0, v1, v3 :: v_dual_mul_f32 v3, 0.5, v5"
    yield "v_dual_fmac_f32 v0, v1, v3 :: v_dual_fmamk_f32 v5, v4, 0x3e000000, v7"
    yield from ("v_cmp_ngt_f32_e64 s8, abs(v0), 1.0", "v_mul_f32_e64 v8, v0, v1 clamp")


_SOURCES = (scalars, integers, halves, lanes, local_memory, floats)
INSTRUCTIONS = tuple((source.__name__, text) for source in _SOURCES for text in source())
