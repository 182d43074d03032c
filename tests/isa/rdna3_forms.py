"""One assembler line or more for every opcode row, in the operand forms that LLVM's gfx1100 assembler accepts."""

from __future__ import annotations

from cass_shim.isa.rdna3.row import Row

WORDS = {"b64": 2, "f64": 2, "b96": 3, "b128": 4, "b256": 8, "b512": 16, "wab_iu8": 4, "wab_iu4": 2}
WORDS |= dict.fromkeys(("wdc_f32", "wdc_f16", "wdc_bf16", "wdc_i32", "wab_f16", "wab_bf16"), 8)
SHORT = ("b16", "f16", "bf16")
NO_VOP3 = ("v_swap_b32", "v_swap_b16", "v_permlane64_b32", "v_readfirstlane_b32", "v_dot2acc_f32_f16", "v_pk_fmac_f16")
BARE_SOPP = "s_endpgm s_endpgm_saved s_barrier s_wakeup s_icache_inv s_ttracedata s_wait_idle s_code_end"


def registers(letter: str, number: int, count: int) -> str:
    """ "v8" or "v[8:9]"."""
    return f"{letter}{number}" if count == 1 else f"{letter}[{number}:{number + count - 1}]"


def vector(number: int, kind: str) -> str:
    """A VGPR operand of a type; 16-bit types name their half."""
    return registers("v", number, WORDS.get(kind, 1)) + (".l" if kind in SHORT else "")


def scalar(number: int, kind: str) -> str:
    """An SGPR operand of a type."""
    return registers("s", number, WORDS.get(kind, 1))


def data_words(name: str) -> int:
    """Registers of the data operand, from the mnemonic's type suffix."""
    if "b64" in name or name.endswith(("u64", "i64", "f64")):
        return 2
    return 4 if "b128" in name else 3 if "b96" in name else 1


def scalar_forms(row: Row) -> list[str]:
    """SOP1, SOP2, SOPC."""
    if row.name.startswith("s_sendmsg_rtn"):
        return [f"{row.name} {scalar(8, row.destination)}, sendmsg(MSG_RTN_GET_REALTIME)"]
    operands = [] if row.destination == "-" else [scalar(8, row.destination)]
    operands += [scalar(16 + 8 * i, kind) for i, kind in enumerate(row.sources)]
    return [f"{row.name} {', '.join(operands)}"]


def sopk_forms(row: Row) -> list[str]:
    """SOPK."""
    special = {
        "s_getreg_b32": "s8, hwreg(HW_REG_MODE)",
        "s_setreg_b32": "hwreg(HW_REG_MODE), s8",
        "s_setreg_imm32_b32": "hwreg(HW_REG_MODE), 0x12345",
        "s_call_b64": "s[8:9], 16",
        "s_version": "0x1234",
    }
    if "waitcnt" in row.name:
        return [f"{row.name} null, 0x12"]
    return [f"{row.name} {special.get(row.name, 's8, 0x123')}"]


def sopp_forms(row: Row) -> list[str]:
    """SOPP."""
    if row.name == "s_delay_alu":
        return ["s_delay_alu instid0(VALU_DEP_1)"]
    if row.name.startswith("s_sendmsg"):
        return [f"{row.name} sendmsg(MSG_INTERRUPT)"]
    return [row.name if row.name in BARE_SOPP.split() else f"{row.name} 3"]


def smem_forms(row: Row) -> list[str]:
    """SMEM."""
    if "inv" in row.name:
        return [row.name]
    if "probe" in row.name:
        return [f"{row.name} 4, {'s[4:7]' if 'buffer' in row.name else 's[4:5]'}, 0x10"]
    return [f"{row.name} {scalar(16, row.destination)}, {'s[4:7]' if 'buffer' in row.name else 's[4:5]'}, 0x10"]


def vop1_forms(row: Row) -> list[str]:
    """VOP1, both sizes."""
    if row.name in ("v_nop", "v_pipeflush"):
        return [row.name]
    to = "s8" if row.destination == "s32" else vector(8, row.destination)
    sizes = ["e32"] if row.name in NO_VOP3 or "rel" in row.name else ["e32", "e64"]
    return [f"{row.name}_{size} {to}, {vector(16, row.sources[0])}" for size in sizes]


def vop2_forms(row: Row) -> list[str]:
    """VOP2, both sizes."""
    name, kinds = row.name, row.sources
    if "_co_ci" in name:
        return [f"{name}_e32 v8, vcc_lo, v16, v24, vcc_lo", f"{name}_e64 v8, s8, v16, v24, s10"]
    if name == "v_cndmask_b32":
        return [f"{name}_e32 v8, v16, v24, vcc_lo", f"{name}_e64 v8, v16, v24, s10"]
    to = vector(8, row.destination)
    if "fmamk" in name:
        return [f"{name} {to}, {vector(16, kinds[0])}, 0x3c, {vector(24, kinds[2])}"]
    if "fmaak" in name:
        return [f"{name} {to}, {vector(16, kinds[0])}, {vector(24, kinds[1])}, 0x3c"]
    operands = ", ".join((to, vector(16, kinds[0]), vector(24, kinds[1])))
    return [f"{name}_{size} {operands}" for size in (["e32"] if name in NO_VOP3 else ["e32", "e64"])]


def vopc_forms(row: Row) -> list[str]:
    """VOPC, both sizes."""
    operands = ", ".join((vector(16, row.sources[0]), vector(24, row.sources[1])))
    if "cmpx" in row.name:
        return [f"{row.name}_{size} {operands}" for size in ("e32", "e64")]
    return [f"{row.name}_e32 vcc_lo, {operands}", f"{row.name}_e64 s8, {operands}"]


def vop3_forms(row: Row) -> list[str]:
    """VOP3, VOP3SD and VOP3P."""
    special = {
        "v_readlane_b32": "s8, v16, s24",
        "v_writelane_b32": "v8, s16, s24",
        "v_permlane16_b32": "v8, v16, s24, s32",
        "v_permlanex16_b32": "v8, v16, s24, s32",
    }
    if row.name in special:
        return [f"{row.name} {special[row.name]}"]
    operands = [vector(8, row.destination)] + (["s8"] if row.encoding == "VOP3SD" else [])
    operands += ["s40" if kind == "m" else vector(16 + 8 * i, kind) for i, kind in enumerate(row.sources)]
    if row.encoding == "VOP3P":
        operands = [text.removesuffix(".l") for text in operands]
    return [f"{row.name} {', '.join(operands)}"]


def vopd_forms(row: Row) -> list[str]:
    """VOPD: the row's half beside a dual move."""
    tail = "v20"
    if "fmamk" in row.name:
        tail = "v20, 0x3c, v25"
    elif "fmaak" in row.name:
        tail = "v20, v25, 0x3c"
    elif "mov" not in row.name:
        tail = "v20, v25"
    half = f"{row.name} v8, {tail}"
    return [f"v_dual_mov_b32 v7, v1 :: {half}" if row.opcode >= 16 else f"{half} :: v_dual_mov_b32 v7, v1"]


def ds_forms(row: Row) -> list[str]:
    """DS."""
    name, words = row.name, data_words(row.name)
    to, first, second = registers("v", 8, words), registers("v", 24, words), registers("v", 32, words)
    special = {
        "ds_nop": "",
        "ds_append": "v8 offset:4",
        "ds_consume": "v8 offset:4",
        "ds_swizzle_b32": "v8, v16 offset:5",
        "ds_condxchg32_rtn_b64": "v[8:9], v16, v[24:25]",
    }
    if name in special:
        return [f"{name} {special[name]}"]
    if "addtid" in name:
        return [f"{name} v8 offset:4"]
    if "permute" in name:
        return [f"{name} v8, v16, v24"]
    if "2addr" in name:
        pair = registers("v", 8, 2 * words)
        operands = f"{pair}, v16" if "load" in name else f"v16, {first}, {second}"
        return [f"{name} {f'{pair}, ' if 'xchg' in name else ''}{operands} offset0:1 offset1:2"]
    if "load" in name:
        return [f"{name} {to}, v16 offset:8"]
    operands = f"v16, {first}"
    if any(word in name for word in ("mskor", "cmpstore", "wrap")):
        operands += f", {second}"
    returned = "rtn" in name or "xchg" in name
    return [f"{name} {f'{to}, ' if returned else ''}{operands} offset:8"]


def flat_forms(row: Row) -> list[str]:
    """FLAT, GLOBAL and SCRATCH."""
    name, words = row.name, data_words(row.name)
    address = "v16" if row.encoding == "SCRATCH" else "v[16:17]"
    tail = {"FLAT": "", "GLOBAL": ", off", "SCRATCH": ", s4"}[row.encoding]
    to, data = registers("v", 8, words), registers("v", 24, words)
    if "addtid" in name:
        return [f"{name} v8, s[4:5] offset:16"]
    if "load" in name:
        more = [f"{name} {to}, v16, s[4:5] offset:-16"] if row.encoding == "GLOBAL" else []
        return [f"{name} {to}, {address}{tail} offset:16", *more]
    if "store" in name:
        return [f"{name} {address}, {data}{tail} offset:16"]
    if "cmpswap" in name:
        data = registers("v", 24, 2 * words)
    return [f"{name} {to}, {address}, {data}{tail} offset:16 glc", f"{name} {address}, {data}{tail} offset:16"]


def mubuf_forms(row: Row) -> list[str]:
    """MUBUF."""
    words = data_words(row.name) * (2 if "cmpswap" in row.name else 1)
    if "inv" in row.name:
        return [row.name]
    if "format" in row.name:
        words = len(row.name.rsplit("_", 1)[1])
    return [f"{row.name} {registers('v', 24, words)}, v16, s[4:7], s8 offen offset:16"]


DIMENSIONS = {"1D": 1, "2D": 2, "3D": 3, "CUBE": 3, "1D_ARRAY": 2, "2D_ARRAY": 3}
GRADIENTS = {"1D": 1, "2D": 2, "3D": 3, "CUBE": 2, "1D_ARRAY": 1, "2D_ARRAY": 2}


def image_addresses(name: str, dim: str) -> int:
    """Address registers of an image instruction without 16-bit coordinates."""
    words = set(name.split("_")[2:])
    if "resinfo" in words:
        return 1
    count = DIMENSIONS[dim] + len(words & {"mip", "l", "b", "o", "cl"})
    if "d" in words:
        each = GRADIENTS[dim]
        count += 2 * ((each + 1) // 2 if "g16" in words else each)
    return count


def mimg_forms(row: Row) -> list[str]:
    """MIMG: every dimension with addresses in a row, and two of them with addresses apart (NSA)."""
    name, lines = row.name, []
    sampler = ", s[16:19]" if name.startswith(("image_sample", "image_gather", "image_get_lod")) else ""
    data, mask = "v[8:11]", "0xf"
    if "atomic" in name:
        data, mask = ("v[8:9]", "0x3") if "cmpswap" in name else ("v8", "0x1")
    elif "gather" in name:
        mask = "0x4"
    for dim in DIMENSIONS:
        if "gather" in name and dim in ("1D", "3D", "1D_ARRAY"):
            continue
        count = image_addresses(name, dim)
        tail = f"s[24:31]{sampler} dmask:{mask} dim:SQ_RSRC_IMG_{dim}"
        lines.append(f"{name} {data}, {registers('v', 32, count)}, {tail}")
        if 1 < count <= 5 and dim in ("2D", "CUBE"):
            apart = ", ".join(f"v{32 + 3 * i}" for i in range(count))
            lines.append(f"{name} {data}, [{apart}], {tail} glc")
    return lines


FORMS = {
    "SOP1": scalar_forms,
    "SOP2": scalar_forms,
    "SOPC": scalar_forms,
    "SOPK": sopk_forms,
    "SOPP": sopp_forms,
    "SMEM": smem_forms,
    "VOP1": vop1_forms,
    "VOP2": vop2_forms,
    "VOPC": vopc_forms,
    "VOP3": vop3_forms,
    "VOP3SD": vop3_forms,
    "VOP3P": vop3_forms,
    "VOPD": vopd_forms,
    "DS": ds_forms,
    "FLAT": flat_forms,
    "GLOBAL": flat_forms,
    "SCRATCH": flat_forms,
    "MUBUF": mubuf_forms,
    "MIMG": mimg_forms,
}


def forms(row: Row) -> list[str]:
    """Assembler lines that use `row`; none for the decoder's own records and for refused rows."""
    if row.encoding == "INTERNAL" or row.fidelity == "unsupported":
        return []
    return FORMS[row.encoding](row)
