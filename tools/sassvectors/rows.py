"""The kernel around one probed instruction whose operands may be of any kind, one row of inputs a block of one thread.

Where `probe.py` gives each lane its own inputs, here each block has one row of them, so that uniform registers can hold
them too; a constant operand is a word of the parameters, so a launch is made for every row. Instructions whose result
depends on other lanes run in one block of 512 threads as before, and cannot have uniform sources.

In: a probe, {text, word, mode, setup}. mode: "rows", "launches" or "lanes". setup: what R28, R29 and UR28, UR29 hold
when the instruction runs, [base, bytes a row] each, base "out" (the address of the results) or a number; and
"mask", which is applied to R8 and UR8. Out: code for `rows.cu`'s cubin.

A result has 16 words: R32-R35, P4 P5 UP4 UP5 as 0 or 1, UR32-UR35, four unused; the rows' cells of 64 bytes follow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.sassvectors.inputs import inputs, seed_of, splitmix
from tools.sassvectors.probe import BASE, CONTROL, FIXED, STALL, STORE, VARIABLE, WAIT_ALL, base, put

RESULT_BYTES = 64
CELL_BYTES = 64
ROWS = 128
CELLS_OFFSET = 0x8000  # of the cells behind the results; for the second and later rows of "launches" as well
SHARED_OFFSET = 0x400  # sm_90 reserves the first KiB of shared memory
CONSTANTS = 0x220  # of the four words behind the two pointers
STACK = 0x28  # c[0x0][0x28]: the first byte behind local memory
LOCAL_BYTES = 128  # the cell lies so far below it
CELL_LOADS = ((8, 0), (12, 16), (16, 32), (32, 48))  # register, byte of the cell: what a cell holds before

# As ptxas 13.0 makes them for sm_90 and nvdisasm prints them; control bits are replaced.
_MORE = {
    "S2R R21, SR_CTAID.X": (0x2500 << 64 | 0x0000000000157919, VARIABLE),
    "IADD3 R0, R0, R21, RZ": (0x07FFE0FF << 64 | 0x0000001500007210, FIXED),
    "R2UR UR4, R12": (0x000E0000 << 64 | 0x000000000C0472CA, FIXED),
    "MOV R3, UR5": (0x08000F00 << 64 | 0x0000000500037C02, FIXED),
    "MOV R4, 0x130": (0x00000F00 << 64 | 0x0000013000047802, FIXED),
    "USEL UR4, URZ, 0x1, !UP0": (0x0C000000 << 64 | 0x000000013F047887, FIXED),
    "ULOP3.LUT UP0, URZ, UR62, 0x1, URZ, 0xc0, !UPT": (0x0F80C03F << 64 | 0x000000013E3F7892, FIXED),
    "LOP3.LUT R8, R8, 0xc, RZ, 0xc0, !PT": (0x078EC0FF << 64 | 0x0000000C08087812, FIXED),
    "STL.128 [R1], R32": (0x00100C00 << 64 | 0x0000002001007387, STORE),
    "LDL.128 R8, [R1]": (0x00100C00 << 64 | 0x0000000001087983, VARIABLE),
}


def usual(probe: dict[str, Any]) -> dict[str, Any]:
    """What a packed probe leaves unsaid."""
    return {"name": probe["text"], "mode": "rows", "setup": {}}


def given(probe: dict[str, Any]) -> NDArray[np.uint32]:
    """uint32 [ROWS, 20]: what R8-R19, R32-R35 and the predicates hold, as in `inputs`; in a probe with
    setup["matrix"] = [type of the elements, type of the sums] R8-R15 and R16-R19 hold such numbers."""
    words = inputs(probe["name"])[:ROWS]
    if "matrix" in probe.get("setup", {}):
        elements, sums = probe["setup"]["matrix"]
        words = words.copy()
        words[:, :8] = numbers(words[:, :8], f"{probe['name']} a b", elements)
        words[:, 8:12] = numbers(words[:, 8:12], f"{probe['name']} c", sums)
    return words


# Type → bits of an element, of its mantissa, bias of its exponent.
_FLOATS = {"f16": (16, 10, 15), "bf16": (16, 7, 127), "tf32": (32, 23, 127), "f32": (32, 23, 127)}
_SPREAD = (2, 5, 9, 14)  # how far the exponents of a warp's numbers lie apart, at most: sums of all kinds


def numbers(words: NDArray[np.uint32], seed: str, kind: str) -> NDArray[np.uint32]:
    """uint32 [ROWS, n]: floats near 1, warp by warp farther from it; every sixteenth is what it was in `words`."""
    bits, mantissa, bias = _FLOATS[kind]
    per = 32 // bits
    with np.errstate(over="ignore"):
        counter = np.arange(words.size * per, dtype=np.uint64) + np.uint64(seed_of(seed))
    z = splitmix(counter).reshape(len(words), -1, per)
    spread = np.repeat(np.array(_SPREAD, np.uint64), ROWS // len(_SPREAD))[:, None, None]
    exponent = np.uint64(bias) + (z >> np.uint64(8)) % spread - spread // np.uint64(2)
    sign = z >> np.uint64(63) << np.uint64(bits - 1)
    fraction = z >> np.uint64(32) & np.uint64((1 << mantissa) - 1)
    element = sign | exponent << np.uint64(mantissa) | fraction
    shifts = np.arange(per, dtype=np.uint64) * np.uint64(bits)
    packed = (element << shifts).sum(axis=2, dtype=np.uint64).astype(np.uint32)
    return np.where(z[:, :, 0] >> np.uint64(16) & np.uint64(15) == 0, words, packed)


def before(probe: dict[str, Any]) -> NDArray[np.uint32]:
    """uint32 [ROWS, 32]: the results and cells of a probe whose instruction does nothing."""
    words = given(probe)
    old, bits = words[:, 12:16], words[:, 16]
    flags = np.stack([bits >> np.uint32(3) & np.uint32(1), bits >> np.uint32(4) & np.uint32(1)], axis=1)
    zero = probe["mode"] == "lanes"
    uniform = [flags * np.uint32(0), old * np.uint32(0)] if zero else [flags, old]
    unused = np.full((ROWS, 4), 0xA5A5A5A5, np.uint32)
    cells = words[:, :16]
    if probe["setup"].get("copy"):
        cells = cells.reshape(ROWS, 4, 4)[:, ::-1].reshape(ROWS, 16)
    return np.concatenate([old, flags, *uniform, unused, cells], axis=1)


def more(text: str, **fields: int) -> int:
    """A template of `_MORE` with fields replaced; `up`: the predicate that USEL reads."""
    word, control = _MORE[text]
    word = word & ~CONTROL | control
    places = {"d": (16, 8), "a": (24, 8), "b": (32, 8), "c": (64, 8), "imm": (32, 32), "offset": (40, 24)}
    places |= {"ud": (16, 6), "ua": (24, 6), "ub": (32, 6), "pd": (81, 3), "ps": (87, 3)}
    for name, value in fields.items():
        word = put(word, *places[name], value)
    return word


def wide(to: int, source: int, factor: int, addend: int) -> int:
    """to:to+1 = R[source] * factor + addend:addend+1."""
    return base("IMAD.WIDE.U32 R4, R0, 0x4, R4", d=to, a=source, imm=factor, c=addend)


def constant_pair(to: int, at: int) -> int:
    """to:to+1 = c[0x0][at]."""
    return base("LDC.64 R4, c[0x0][0x210]", d=to, cbank=at // 4)


def inputs_loaded() -> list[int]:
    """R0 = row, R4 = its inputs, R6 = its results; R8-R19, R32-R35 and predicates from them, as in `probe.py`."""
    code = [base("S2R R2, SR_TID.X", d=0), more("S2R R21, SR_CTAID.X", d=1), more("IADD3 R0, R0, R21, RZ", b=1)]
    code += [base("ULDC.64 UR4, c[0x0][0x208]"), constant_pair(4, 0x210), constant_pair(6, 0x218)]
    code += [wide(4, 0, 80, 4), wide(6, 0, RESULT_BYTES, 6)]
    for index, register in enumerate((8, 12, 16, 32, 24)):
        code.append(base("LDG.E.128 R8, desc[UR4][R22.64]", d=register, a=4, offset=16 * index))
    for bit, predicate in enumerate((0, 1, 2, 4, 5)):
        code.append(base("LOP3.LUT P1, RZ, R0, 0x7fffff, RZ, 0xc0, !PT", a=24, imm=1 << bit, pd=predicate))
    return code


def placed(setup: dict[str, Any]) -> list[int]:
    """R28:29 from setup["R28"]; UR28:29 from setup["UR28"], by way of R28:29, so it comes first."""
    code = []
    for name in ("UR28", "R28"):
        if name not in setup:
            continue
        start, row_bytes = setup[name]
        if start == "out":
            code.append(constant_pair(30, 0x218))
        elif start == "stack":
            code += [constant_pair(30, STACK), more("IADD3 R0, R0, R21, RZ", d=30, a=30, b=255)]
            code += [more("MOV R4, 0x130", d=31, imm=-LOCAL_BYTES & 0xFFFFFFFF)]
            code += [more("IADD3 R0, R0, R21, RZ", d=30, a=30, b=31), more("MOV R4, 0x130", d=31, imm=0)]
        else:
            halves = start & 0xFFFFFFFF, start >> 32
            code += [more("MOV R4, 0x130", d=30 + n, imm=half) for n, half in enumerate(halves)]
        code.append(wide(28, 0, row_bytes, 30))
        if name == "UR28":
            code += [more("R2UR UR4, R12", ud=n, a=n) for n in (28, 29)]
    return code


def uniform_loaded(zero: bool) -> list[int]:
    """UR8-UR19, UR32-UR35 and UP0-UP5 as the registers and predicates of the same numbers; or all zero."""
    registers = [*range(8, 20), *range(32, 36)]
    code = [more("R2UR UR4, R12", ud=n, a=255 if zero else n) for n in (*registers, 24)]
    for bit, predicate in enumerate((0, 1, 2, 4, 5)):
        code.append(more("ULOP3.LUT UP0, URZ, UR62, 0x1, URZ, 0xc0, !UPT", ua=24, imm=1 << bit, pd=predicate))
    return [*code, *[base("NOP")] * 8]


def cell_filled(space: str, reverse: bool = False) -> list[int]:
    """The row's cell in shared or local memory holds R8-R19 and R32-R35 (in reverse order of fours for a copy)."""
    places = [(register, 48 - at if reverse else at) for register, at in CELL_LOADS]
    if space == "shared":
        code = [more("MOV R4, 0x130", d=30, imm=0)]
        return code + [base("STS.128 [R9], R48", a=30, b=r, offset=SHARED_OFFSET + at) for r, at in places]
    code = [constant_pair(30, STACK)]
    return code + [more("STL.128 [R1], R32", a=30, b=r, offset=at - LOCAL_BYTES & 0xFFFFFF) for r, at in places]


def cell_kept(space: str) -> list[int]:
    """The cell of shared or local memory goes to the row's cell in global memory."""
    code = []
    for _, at in CELL_LOADS:
        if space == "shared":
            code += [more("MOV R4, 0x130", d=30, imm=0)]
            code += [base("LDS.128 R12, [R6]", d=44, a=30, offset=SHARED_OFFSET + at)]
        else:
            code += [constant_pair(30, STACK)]
            code += [more("LDL.128 R8, [R1]", d=44, a=30, offset=at - LOCAL_BYTES & 0xFFFFFF)]
        code += [base("STG.E.128 desc[UR4][R18.64], R4", a=6, b=44, offset=CELLS_OFFSET + at)]
    return code


def results_stored() -> list[int]:
    """Registers and predicates to the row's result."""
    store = "STG.E.128 desc[UR4][R18.64], R4"
    code = [base("SEL R9, RZ, 0x1, !P0", d=44 + n, ps=predicate) for n, predicate in ((0, 4), (1, 5))]
    for n, predicate in ((0, 4), (1, 5)):
        code += [more("USEL UR4, URZ, 0x1, !UP0", ud=40, ps=predicate), *[base("NOP")] * 4]
        code += [more("MOV R3, UR5", d=46 + n, ub=40)]
    code += [base(store, a=6, b=32, offset=0), base(store, a=6, b=44, offset=16)]
    code += [more("MOV R3, UR5", d=44 + n, ub=32 + n) for n in range(4)]
    return [*code, base(store, a=6, b=44, offset=32)]


def assemble(probe: dict[str, Any], padding: int) -> bytes:
    """The code of a probe's kernel. padding: how many NOPs follow the instruction."""
    word, setup = int(probe["word"], 16), probe.get("setup", {})
    code = inputs_loaded()
    space = setup.get("space", "")
    if space in ("shared", "local"):
        code += cell_filled(space, bool(setup.get("copy")))
    if "mask" in setup:
        code.append(more("LOP3.LUT R8, R8, 0xc, RZ, 0xc0, !PT", imm=setup["mask"]))
    code += uniform_loaded(probe["mode"] == "lanes")
    code += placed(setup)
    code += [base("NOP")] * 8
    code.append(word & ~CONTROL | STALL | WAIT_ALL | word & (0x3F << 110))
    code += [base("NOP")] * padding
    if space in ("shared", "local"):
        code += cell_kept(space)
    code += [*results_stored(), base("EXIT")]
    return b"".join(instruction.to_bytes(16, "little") for instruction in code)


assert not _MORE.keys() & BASE.keys()
