"""Shared memory in a global arena (CASS_SHARED=spill): every access agrees with the interpreter, slots come back."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
import pytest

from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.assemble.toolchain import FEATURES
from cass_shim.lift import lift_kernel
from cass_shim.lift.arena import MODE
from cass_shim.model.artifacts import Evidence, SassKernel
from cass_shim.model.kernel_abi import ARENA_SLOT_BYTES, ARENA_SLOTS_OFFSET, ARENA_TAKEN_OFFSET, Slot, SlotKind
from cass_shim.verify import verify_kernel
from tests.lift.support import HEAD, emulated, kernel, run

FAR = 0x17000  # beyond LDS
BEGIN = f"{HEAD}LDG.E R9, [R4.64]\nS2R R8, SR_TID.X\nSHF.L.U32 R10, R8, 0x3, RZ\nSTS.64 [R10+{FAR:#x}], R8\n"
END = "STG.E [R2.64], R12\nEXIT\n"
OTHER = "BAR.SYNC.DEFER_BLOCKING 0x0\nLOP3.LUT R11, R10, 0x8, RZ, 0x3c, !PT\n"  # the neighbour's place
GENERIC = f"IADD3 R14, R11, {FAR:#x}, RZ\nMOV R15, c[0x0][0x1c]\n"
BODIES = {
    "load": f"{OTHER}LDS R12, [R11+{FAR + 4:#x}]\n",
    "bytes": f"STS.U8 [R10+{FAR + 1:#x}], R9\n{OTHER}LDS.S16 R12, [R11+{FAR:#x}]\n",
    "wide": f"LOP3.LUT R11, R10, 0xfffffff0, RZ, 0xc0, !PT\n{OTHER.splitlines()[0]}\nLDS.128 R12, [R11+{FAR:#x}]\n"
    "IADD3 R12, R13, R15, RZ\n",
    "generic": f"{OTHER}{GENERIC}LD.E R12, [R14.64+0x4]\n",
    "pair": f"{OTHER}{GENERIC}LD.E R12, [R14+0x4]\n",  # as ptxas writes it for atom.cas.b16
    "generic-store": f"{GENERIC.replace('R11', 'R10')}ST.E [R14.64+0x4], R10\n{OTHER}LDS R12, [R11+{FAR + 4:#x}]\n",
    "generic-atomic": f"{OTHER}{GENERIC}ATOM.E.ADD.STRONG.GPU PT, R12, [R14+0x4], R9\n",
    "qspc": f"{GENERIC.replace('R11', 'R10')}QSPC.E.S P1, RZ, [R14]\nSEL R12, R9, R8, P1\n",
    "atomic": f"{OTHER}ATOMS.ADD R12, [R11+{FAR + 4:#x}], R8\n",
    "cas": f"{OTHER}ATOMS.CAS R12, [R11+{FAR:#x}], R8, R9\n",
    "reduction": "ISETP.GT.AND P1, PT, R9, RZ, PT\nBAR.RED.POPC.DEFER_BLOCKING 0x0, P1\nB2R.RESULT R12\n",
    "named": f"BAR.SYNC 0x2\nLDS R12, [R10+{FAR + 4:#x}]\n",
}


def spilled(body: str, sm: int = 80) -> SassKernel:
    sass = kernel(body, sm)
    return replace(sass, kernel=replace(sass.kernel, abi=replace(sass.abi, spilled=True)))


@pytest.mark.parametrize("name", BODIES)
def test_accesses_agree_with_the_interpreter(name: str) -> None:
    sass = spilled(BEGIN + BODIES[name] + END)
    code = assemble_llvm(lift_kernel(sass), sass.abi)
    assert Slot(SlotKind.SHARED_ARENA) in code.slots
    assert code.lds_bytes <= 256
    with emulated() as device:
        verified = verify_kernel(code, sass, None, device)
    assert verified.evidence >= Evidence.E1U, verified.report
    assert verified.report["not_covered"] == []


def test_blocks_share_few_slots_and_give_them_back() -> None:
    """Some threads leave early, and there are twenty times as many blocks as slots."""
    body = BEGIN + "ISETP.GT.AND P1, PT, R8, 0x27, PT\n@P1 EXIT\n" + f"LDS R12, [R10+{FAR + 4:#x}]\n" + END
    sass = spilled(body)
    code = assemble_llvm(lift_kernel(sass), sass.abi)
    slots, blocks, threads = 2, 40, 64
    with emulated() as device:
        function = device.load(code.elf).function("k")
        given = np.arange(blocks * threads, dtype=np.uint32) * 7
        out, source = device.buffer(np.zeros_like(given)), device.buffer(given)
        arena = device.alloc(ARENA_SLOTS_OFFSET + slots * ARENA_SLOT_BYTES)
        device.copy(arena, struct.pack("<II", slots, ARENA_SLOT_BYTES).ljust(ARENA_SLOTS_OFFSET, b"\0"))
        table = device.buffer(np.array([arena], np.uint64))
        kernarg = bytearray(code.bindings_offset + 8)
        struct.pack_into("<QQI", kernarg, 0, out.address, source.address, len(given))
        struct.pack_into("<Q", kernarg, code.bindings_offset, table.address)
        function.launch((blocks,), (threads,), bytes(kernarg))
        device.synchronize()
        found = np.asarray(out.read()).reshape(blocks, threads)
        taken = device.read(arena + ARENA_TAKEN_OFFSET, 4 * slots)
    assert (found[:, :40] == given.reshape(blocks, threads)[:, :40]).all()
    assert not found[:, 40:].any()
    assert taken == bytes(4 * slots)


def test_code_with_an_arena_has_the_features_of_all_code() -> None:
    """LLVM takes a function's features in place of the target's, not beside them."""
    listed = MODE.partition("=")[2].strip('"').split(",")
    assert set(FEATURES.split(",")) == set(listed) - {"+cumode"}


def test_a_64_bit_compare_and_store_says_so_in_64_bits() -> None:
    """What ptxas makes of atomicAdd on 64 bits compares both halves with 1, and the upper one held something."""
    body = HEAD + "MOV R6, RZ\nMOV R7, RZ\nSTS.64 [RZ], R6\nMOV R8, 0x5\nMOV R9, 0x6\nMOV R13, 0x7\n"
    body += "ATOMS.CAST.SPIN.64 R12, [RZ], R6, R8\nSHF.L.U32 R13, R13, 0x4, RZ\nIADD3 R12, R12, R13, RZ\n" + END
    sass = kernel(body, shared_bytes=16)
    found = run(sass, np.zeros(1, np.uint32), 1, block=(1,))
    assert found.tolist() == [1]
