"""What may stand behind each mnemonic of gfx1100: operand kinds, made from the emulator's opcode rows.

In: the rows of `isa/rdna3`. Out: a `Form` per mnemonic, without `_e32` and `_e64`. Two grammars are made of them: the
one that constrains our own model's tokens (`mask.py`) and the one that servers are given (`gbnf.py`). Forms are as
wide as any encoding of the instruction: the assembler judges what is left.
Source of operand order: AMD RDNA3 ISA, chapter 15 (microcode formats), as LLVM's AMDGPU assembler writes it.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cass_shim.isa.rdna3.row import Row

ENCODINGS = (
    "sop1", "sop2", "sopc", "sopk", "sopp", "smem", "vop1", "vop2", "vopc", "vop3", "vop3sd", "vop3p", "vopd",
    "global_", "flat", "scratch", "ds", "mubuf", "mimg",
)  # fmt: skip
WIDTHS = {"b64": 2, "f64": 2, "b96": 3, "b128": 4, "b256": 8, "b512": 16, "wab_iu8": 4, "wab_iu4": 2}
WIDTHS |= dict.fromkeys(("wdc_f32", "wdc_f16", "wdc_bf16", "wdc_i32", "wab_f16", "wab_bf16"), 8)

_APERTURES = ("src_shared_base", "src_shared_limit", "src_private_base", "src_private_limit")
ONE = frozenset({"vcc_lo", "vcc_hi", "exec_lo", "exec_hi", "m0", "null", "scc", "src_scc", *_APERTURES})
ONE |= {f"ttmp{number}" for number in range(16)}
TWO = frozenset({"vcc", "exec", "null", *_APERTURES})
MASK = frozenset({"vcc_lo", "exec_lo", "null"})
_ACCUMULATES = re.compile(r"fmac|dot2acc|dot2c|_fmac")


@dataclass(frozen=True, slots=True)
class Kind:
    """What one operand may be. registers: (class, width). constant: a number. signs: -x and |x| of a float."""

    registers: frozenset[tuple[str, int]] = frozenset()
    names: frozenset[str] = frozenset()
    constant: bool = False
    signs: bool = False
    label: bool = False

    def __or__(self, other: Kind) -> Kind:
        return Kind(
            self.registers | other.registers,
            self.names | other.names,
            self.constant or other.constant,
            self.signs or other.signs,
            self.label or other.label,
        )


@dataclass(frozen=True, slots=True)
class Form:
    """Operands in order; the last ones may be missing down to `least`. None: not described, anything may follow."""

    name: str
    operands: tuple[Kind, ...] | None = field(default=())
    least: int = 0


def registers(letters: str, *widths: int) -> Kind:
    """Registers of these classes and widths."""
    return Kind(frozenset((letter, width) for letter in letters for width in widths))


LITERAL = Kind(constant=True)
LABEL = Kind(label=True)
OFF = Kind(names=frozenset({"off"}))
_LANES = registers("s", 1) | Kind(names=MASK)


def _width(kind: str) -> int:
    return WIDTHS.get(kind, 1)


def _scalar(kind: str, *, source: bool) -> Kind:
    width = _width(kind)
    named = Kind(names=ONE if width == 1 else TWO if width == 2 else frozenset(), constant=source)
    return registers("s", width) | named


def _vector(kind: str) -> Kind:
    """A source of a vector instruction."""
    if kind == "m":
        return _LANES
    width = _width(kind)
    return registers("v", width) | replace(_scalar(kind, source=True), signs=True)


def _sop(row: Row) -> Form:
    to = [] if row.destination == "-" else [_scalar(row.destination, source=False)]
    operands = (*to, *(_scalar(kind, source=True) for kind in row.sources))
    loose = row.name.startswith("s_sendmsg")
    return Form(row.name, None if loose else operands, len(operands))


def _sopk(row: Row) -> Form:
    if "reg_" in row.name or "waitcnt" in row.name or row.name in ("s_version", "s_call_b64"):
        return Form(row.name, None)
    if row.name.startswith("s_subvector_loop"):
        return Form(row.name, None)
    return Form(row.name, (_scalar("b32", source=False), LITERAL), 2)


def _sopp(row: Row) -> Form:
    if "branch" in row.name:
        return Form(row.name, (LABEL,), 1)
    if row.name in ("s_endpgm", "s_barrier", "s_wakeup", "s_icache_inv", "s_code_end", "s_wait_idle"):
        return Form(row.name)
    return Form(row.name, None)


def _smem(row: Row) -> Form:
    if row.name.endswith("_inv"):
        return Form(row.name)
    base = registers("s", 4 if "buffer" in row.name else 2)
    index = registers("s", 1) | Kind(names=frozenset({"null", "m0"}), constant=True)
    if "probe" in row.name:
        return Form(row.name, (LITERAL, base, index), 3)
    return Form(row.name, (registers("s", _width(row.destination)) | Kind(names=TWO), base, index), 3)


def _vop(row: Row) -> Form:
    """VOP1, VOP2, VOP3, VOP3P and VOP3SD."""
    if row.destination == "-":
        return Form(row.name)
    to = _scalar("b32", source=False) if row.destination == "s32" else registers("v", _width(row.destination))
    sources = [_vector(kind) for kind in row.sources]
    if _ACCUMULATES.search(row.name):
        sources = sources[:2]
    if "fmamk" in row.name or "fmaak" in row.name:
        sources[1:] = [LITERAL, sources[1]] if "fmamk" in row.name else [sources[1], LITERAL]
    carries = [_LANES] if row.encoding == "VOP3SD" or "_co_ci_" in row.name else []
    operands = (to, *carries, *sources)
    return Form(row.name, operands, len(operands))


def _vopc(row: Row) -> Form:
    operands = tuple(_vector(kind) for kind in row.sources)
    if row.name.startswith("v_cmpx"):
        return Form(row.name, operands, len(operands))
    return Form(row.name, (_LANES, *operands), 1 + len(operands))


def _data(name: str) -> int:
    """Registers of the data of a memory instruction, by the type in its name."""
    width = re.search(r"_(?:b|u|i|f)(8|16|32|64|96|128)(?:$|_)", name)
    return max(1, int(width[1]) // 32) if width else 1


def _memory(row: Row) -> Form:
    """GLOBAL, FLAT and SCRATCH."""
    name, width = row.name, _data(row.name)
    data = registers("v", width)
    if name.startswith("scratch"):
        address = registers("v", 1) | OFF
        base = registers("s", 1) | OFF
    else:
        address = registers("v", 1, 2)
        base = registers("s", 2) | OFF
    behind = () if name.startswith("flat") else (base,)
    if "addtid" in name:
        return Form(name, None)
    if "_atomic_" in name:  # with a result in front when it is wanted (glc)
        given = registers("v", 2 * width) if "cmpswap" in name else data
        without = (address, given, *behind)
        both = tuple(one | two for one, two in zip((data, *without), (*without, Kind()), strict=True))
        return Form(name, both, len(without))
    operands = (address, data, *behind) if "_store_" in name else (data, address, *behind)
    return Form(name, operands, len(operands))


def _ds(row: Row) -> Form:
    name, width = row.name, _data(row.name)
    if re.search(r"2addr|cmpstore|condxchg|mskor|gs_reg|bvh|nop|ordered|gws|consume|append|addtid|swizzle|wrap", name):
        return Form(name, None)
    address, data = registers("v", 1), registers("v", width)
    if "permute" in name:
        return Form(name, (data, address, data), 3)
    if "_rtn" in name or "storexchg" in name:
        return Form(name, (data, address, data), 3)
    return Form(name, (data, address) if "_load" in name else (address, data), 2)


_BY_ENCODING = {
    "SOP1": _sop, "SOP2": _sop, "SOPC": _sop, "SOPK": _sopk, "SOPP": _sopp, "SMEM": _smem, "VOP1": _vop, "VOP2": _vop,
    "VOP3": _vop, "VOP3P": _vop, "VOP3SD": _vop, "VOPC": _vopc, "GLOBAL": _memory, "FLAT": _memory,
    "SCRATCH": _memory, "DS": _ds,
}  # fmt: skip


def rows() -> list[Row]:
    """Every opcode row that assembly can name."""
    found: list[Row] = []
    for name in ENCODINGS:
        found += importlib.import_module(f"cass_shim.isa.rdna3.{name}").ROWS
    return found


@functools.cache
def forms() -> Mapping[str, Form]:
    """By mnemonic. What shares a name with another encoding takes the forms of both."""
    found: dict[str, Form] = {}
    for row in rows():
        compared = [row]
        if row.encoding == "VOPC":
            compared.append(replace(row, name=row.name.replace("v_cmp_", "v_cmpx_")))
        for one in compared:
            bare = row.encoding == "MUBUF" and row.name.endswith("_inv")
            make = _BY_ENCODING.get(one.encoding)
            form = Form(one.name) if bare else make(one) if make else Form(one.name, None)
            found[one.name] = form
    return found
