"""The contract (E0): what must hold of a code object before it may run at all, from its bytes alone.

In: `CodeObject`, and the CUDA side's `KernelAbi` where there is one. Out: the facts checked, or `Rejected`.
Sources: LLVM AMDGPUUsage (code object v5, kernel descriptor), AMD RDNA3 ISA (limits, program control).
"""

from __future__ import annotations

import io
import struct
from typing import Any

import msgpack
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection, SymbolTableSection

from cass_shim.model.artifacts import CodeObject
from cass_shim.model.errors import Rejected
from cass_shim.model.kernel_abi import AbiClass, KernelAbi
from cass_shim.verify.gfx11 import Decoded, branch_target, names, walk
from cass_shim.verify.hazards import check_hazards
from cass_shim.verify.waits import check_waits

LDS_BYTES, VGPRS, SGPRS = 64 << 10, 256, 106
INITIAL_SGPRS = 16  # scalar registers that a wave of 32 must ask for at its start (LLVM: UserSGPRInit16Bug of gfx1100)
SCRATCH_BYTES = 256 << 10  # per lane; gfx1100's own limit is higher, CUDA's default local memory limit lower
# Program control that user code has no business with: it halts, returns from a trap, drives the debugger, jumps without
# being a branch that is followed here (the halves of wave64), or waits at resources that several kernels share.
_PRIVILEGED = frozenset(
    """s_setkill s_sendmsghalt s_rfe_b64 s_ttracedata s_ttracedata_imm
    s_cbranch_cdbgsys s_cbranch_cdbguser s_cbranch_cdbgsys_or_user s_cbranch_cdbgsys_and_user
    s_subvector_loop_begin s_subvector_loop_end s_endpgm_ordered_ps_done
    ds_gws_init ds_gws_barrier ds_gws_sema_v ds_gws_sema_p ds_gws_sema_br ds_gws_sema_release_all""".split()  # noqa: SIM905
)
TRAP_ABORT = 2  # s_trap 2: what LLVM makes of llvm.trap; assertions end with it
SENDMSG_DEALLOC_VGPRS = 3
# Behind s_trap 2 LLVM puts its own abort for hardware without a trap handler (AMDGPU back end, simulated trap): it asks
# for the doorbell, raises an interrupt and halts, within this many instructions.
_TRAP_TAIL = frozenset({"s_sendmsg_rtn_b32", "s_sendmsg", "s_sethalt"})
_TRAP_TAIL_LENGTH = 14
_HWREG_MODE = 1
_MSG_REALTIME = 0x83  # s_sendmsg_rtn_b64 for the real-time counter, what a read of the global timer becomes


def check_contract(code: CodeObject, abi: KernelAbi | None) -> dict[str, object]:
    """Every static check. Raises Rejected with what is wrong; returns the facts for the report."""
    try:
        text = _inspect(code, abi)
    except Rejected:
        raise
    except Exception as error:  # pyelftools and msgpack raise whatever their parsers stumble over
        raise Rejected(f"not a readable code object: {error}", kernel=code.symbol) from None
    instructions = walk(text, code.symbol)
    _check_code(code.symbol, instructions)
    waited = check_waits(code.symbol, instructions)
    check_hazards(code.symbol, instructions)
    return {"instructions": len(instructions), "vgprs": code.vgprs, "lds": code.lds_bytes, "loads_waited_for": waited}


def _inspect(code: CodeObject, abi: KernelAbi | None) -> bytes:
    """The kernel's code, after everything beside it was checked. Raises Rejected, or anything for damaged bytes."""
    elf = ELFFile(io.BytesIO(code.elf))
    kernel = metadata_of(elf, code.symbol)
    symbols = symbols_of(elf, code.symbol)
    address, size = symbols[code.symbol]
    text = bytes_at(elf, address, size)
    _check_limits(code, kernel, bytes_at(elf, symbols[f"{code.symbol}.kd"][0], 64))
    if abi is not None:
        _check_kernarg(code, kernel, abi)
    return text


def metadata_of(elf: ELFFile, symbol: str) -> dict[str, Any]:
    for section in elf.iter_sections():
        if not isinstance(section, NoteSection):
            continue
        for note in section.iter_notes():
            if note["n_name"] != "AMDGPU":
                continue
            content = note["n_descdata"] if "n_descdata" in note else note["n_desc"]
            document = msgpack.unpackb(bytes(content), raw=False, strict_map_key=False)
            for kernel in document.get("amdhsa.kernels", []):
                if kernel.get(".name") == symbol:
                    return dict(kernel)
    raise Rejected("no metadata for the kernel", kernel=symbol)


def symbols_of(elf: ELFFile, kernel: str) -> dict[str, tuple[int, int]]:
    """Defined symbols; an undefined one cannot be resolved at load and is refused."""
    found: dict[str, tuple[int, int]] = {}
    for section in elf.iter_sections():
        if not isinstance(section, SymbolTableSection):
            continue
        for symbol in section.iter_symbols():
            if symbol["st_shndx"] != "SHN_UNDEF":
                found[symbol.name] = (symbol["st_value"], symbol["st_size"])
            elif symbol.name:
                raise Rejected(f"symbol {symbol.name} is not defined", kernel=kernel)
    return found


def bytes_at(elf: ELFFile, address: int, size: int) -> bytes:
    for section in elf.iter_sections():
        start = section["sh_addr"]
        if section["sh_flags"] & 2 and start <= address and address + size <= start + section["sh_size"]:
            content: bytes = section.data()[address - start : address - start + size]
            if len(content) == size:
                return content
    raise ValueError(f"nothing at {address:#x}")


def _check_limits(code: CodeObject, kernel: dict[str, Any], descriptor: bytes) -> None:
    lds, scratch, kernarg = struct.unpack_from("<III", descriptor)
    limits = (
        ("LDS", max(lds, kernel.get(".group_segment_fixed_size", 0)), LDS_BYTES),
        ("scratch", max(scratch, kernel.get(".private_segment_fixed_size", 0)), SCRATCH_BYTES),
        ("VGPRs", kernel.get(".vgpr_count", 0), VGPRS),
        ("SGPRs", kernel.get(".sgpr_count", 0), SGPRS + 2),
    )
    for name, value, limit in limits:
        if value > limit:
            raise Rejected(f"{value} {name}, more than {limit}", kernel=code.symbol)
    if kernel.get(".wavefront_size") != 32:
        raise Rejected(f"waves of {kernel.get('.wavefront_size')}, not 32", kernel=code.symbol)
    (properties,) = struct.unpack_from("<H", descriptor, 56)
    if not properties >> 10 & 1:
        raise Rejected("the descriptor does not enable waves of 32", kernel=code.symbol)
    (resources,) = struct.unpack_from("<I", descriptor, 52)  # COMPUTE_PGM_RSRC2
    initial = (resources >> 1 & 31) + (resources >> 7 & 15).bit_count()  # user ones; the block's numbers and its size
    if initial < INITIAL_SGPRS:
        why = f"the descriptor asks for {initial} initial scalar registers, of which gfx1100 needs {INITIAL_SGPRS}"
        raise Rejected(why, kernel=code.symbol)
    if kernarg != kernel.get(".kernarg_segment_size"):
        raise Rejected("descriptor and metadata differ in the kernarg size", kernel=code.symbol)


def _check_kernarg(code: CodeObject, kernel: dict[str, Any], abi: KernelAbi) -> None:
    """The explicit arguments must cover the CUDA parameters where CUDA puts them."""
    arguments = [a for a in kernel.get(".args", []) if not str(a.get(".value_kind", "")).startswith("hidden_")]
    if code.abi is AbiClass.CASS1:
        pointer = arguments[-1] if arguments else {}
        if (pointer.get(".offset"), pointer.get(".size")) != (abi.bindings_offset, 8):
            raise Rejected(f"no binding-table pointer at {abi.bindings_offset:#x}", kernel=code.symbol)
        if code.bindings_offset != abi.bindings_offset:
            raise Rejected(f"binding table at {code.bindings_offset:#x}", kernel=code.symbol)
        if abi.params_bytes and (len(arguments) < 2 or arguments[0].get(".offset") != 0):
            raise Rejected("the parameter block is not at offset 0", kernel=code.symbol)
        if any(a[".offset"] + a[".size"] > abi.bindings_offset for a in arguments[:-1]):
            raise Rejected("an argument lies beyond the parameter block", kernel=code.symbol)
        return
    found = [(a.get(".offset"), a.get(".size")) for a in arguments]
    wanted = [(p.offset, p.size) for p in abi.params]
    if found != wanted:
        raise Rejected(f"arguments {found} are not CUDA's {wanted}", kernel=code.symbol)


def _check_code(kernel: str, instructions: list[Decoded]) -> None:
    starts = {i.offset for i in instructions}
    table = names()
    trapped = -_TRAP_TAIL_LENGTH
    for position, instruction in enumerate(instructions):
        name = table.get((instruction.encoding, instruction.opcode), "")
        target = branch_target(instruction)
        if target is not None and target not in starts:
            raise Rejected(f"branch at {instruction.offset:#x} goes to {target:#x}, outside the kernel", kernel=kernel)
        if name in _PRIVILEGED:
            raise Rejected(f"{name} at {instruction.offset:#x} is privileged", kernel=kernel)
        low = instruction.words[0] & 0xFFFF
        if name == "s_trap" and low & 0xFF == TRAP_ABORT:
            trapped = position
        if name in _TRAP_TAIL and position - trapped < _TRAP_TAIL_LENGTH:
            continue
        if name == "s_sendmsg_rtn_b64" and low & 0xFF == _MSG_REALTIME:
            continue
        if name in ("s_sendmsg_rtn_b32", "s_sendmsg_rtn_b64", "s_sethalt"):
            raise Rejected(f"{name} at {instruction.offset:#x} is privileged", kernel=kernel)
        if name == "s_trap" and low & 0xFF != TRAP_ABORT:
            raise Rejected(f"s_trap {low} at {instruction.offset:#x}", kernel=kernel)
        if name == "s_sendmsg" and low != SENDMSG_DEALLOC_VGPRS:
            raise Rejected(f"s_sendmsg {low} at {instruction.offset:#x}", kernel=kernel)
        if name.startswith("s_setreg") and low & 0x3F != _HWREG_MODE:
            raise Rejected(f"{name} of hardware register {low & 0x3F} at {instruction.offset:#x}", kernel=kernel)
    if not instructions:
        raise Rejected("the kernel has no code", kernel=kernel)


__all__ = ["check_contract"]
