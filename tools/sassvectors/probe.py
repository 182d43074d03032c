"""The kernel around one probed instruction, assembled for sm_90 from words that ptxas emitted.

Every instruction waits for all scoreboards and stalls the maximum, so the schedule cannot matter; the probed one
keeps the scoreboards it was compiled with. Two schedules (a different number of NOPs behind it) must agree.
"""

from __future__ import annotations

CONTROL = ((1 << 21) - 1) << 105
STALL, WAIT_ALL, NO_BARRIER = 15 << 105, 0x3F << 116, 7 << 110 | 7 << 113
FIXED = STALL | WAIT_ALL | NO_BARRIER
VARIABLE = STALL | WAIT_ALL | 0 << 110 | 1 << 113
STORE = STALL | WAIT_ALL | 7 << 110 | 1 << 113  # a store writes no register

# As printed by nvdisasm, from cubins of our own programs (nvcc 13.0, sm_90); control bits are replaced.
BASE = {
    "S2R R2, SR_TID.X": (0x000E2E0000002100 << 64 | 0x0000000000027919, VARIABLE),
    "LDC.64 R4, c[0x0][0x210]": (0x000E300000000A00 << 64 | 0x00008400FF047B82, VARIABLE),
    "ULDC.64 UR4, c[0x0][0x208]": (0x000FE40000000A00 << 64 | 0x0000820000047AB9, FIXED),
    "IMAD.WIDE.U32 R4, R0, 0x4, R4": (0x002FCA00078E0004 << 64 | 0x0000000400047825, FIXED),
    "LDG.E.128 R8, desc[UR4][R22.64]": (0x000EA2000C1E1D00 << 64 | 0x0000000416087981, VARIABLE),
    "STG.E.128 desc[UR4][R18.64], R4": (0x0081E8000C101D04 << 64 | 0x0000000412007986, STORE),
    "LOP3.LUT P1, RZ, R0, 0x7fffff, RZ, 0xc0, !PT": (0x000FE4000782C0FF << 64 | 0x007FFFFF00FF7812, FIXED),
    "SEL R9, RZ, 0x1, !P0": (0x002FC40004000000 << 64 | 0x00000001FF097807, FIXED),
    "STS.128 [R9], R48": (0x0000000C00 << 64 | 0x0000003009000388 | 0x7000, STORE),
    "LDS.128 R12, [R6]": (0x0000000C00 << 64 | 0x00000000060C0984 | 0x7000, VARIABLE),
    "BAR.SYNC.DEFER_BLOCKING 0x0": (0x10000 << 64 | 0x0000000000000B1D | 0x7000, STALL | WAIT_ALL | NO_BARRIER),
    "NOP": (0x000FC20000000000 << 64 | 0x0000000000007918, FIXED),
    "EXIT": (0x000FEA0003800000 << 64 | 0x000000000000794D, FIXED),
}


def put(word: int, position: int, width: int, value: int) -> int:
    """Replace a field."""
    return word & ~(((1 << width) - 1) << position) | value << position


def base(text: str, **fields: int) -> int:
    """A template instruction with fields d, a, b (registers), imm (32 bits), offset (24), pd, ps replaced."""
    word, control = BASE[text]
    word = word & ~CONTROL | control
    places = {
        "d": (16, 8),
        "a": (24, 8),
        "b": (32, 8),
        "c": (64, 8),
        "imm": (32, 32),
        "offset": (40, 24),
        "cbank": (40, 14),
    }
    places |= {"pd": (81, 3), "ps": (87, 3)}
    for name, value in fields.items():
        word = put(word, *places[name], value)
    return word


def prologue() -> list[int]:
    """R0 = thread; R4 = input, R6 = output address; inputs to R8-R19 and R32-R35; predicates from R24."""
    load, store = "LDG.E.128 R8, desc[UR4][R22.64]", "IMAD.WIDE.U32 R4, R0, 0x4, R4"
    code = [base("S2R R2, SR_TID.X", d=0), base("ULDC.64 UR4, c[0x0][0x208]")]
    code += [base("LDC.64 R4, c[0x0][0x210]", d=4), base("LDC.64 R4, c[0x0][0x210]", d=6, cbank=0x218 // 4)]
    code += [base(store, d=4, a=0, imm=80, c=4), base(store, d=6, a=0, imm=32, c=6)]
    for index, register in enumerate((8, 12, 16, 32, 24)):
        code.append(base(load, d=register, a=4, offset=16 * index))
    for bit, predicate in enumerate((0, 1, 2, 4, 5)):
        code.append(base("LOP3.LUT P1, RZ, R0, 0x7fffff, RZ, 0xc0, !PT", a=24, imm=1 << bit, pd=predicate))
    return code


def epilogue() -> list[int]:
    """Store R32-R35, then P4 and P5 as 0 or 1 in R40, R41."""
    code = [
        base("SEL R9, RZ, 0x1, !P0", d=register, ps=predicate)
        for register, predicate in ((40, 4), (41, 5), (42, 4), (43, 5))
    ]
    for index, register in enumerate((32, 40)):
        code.append(base("STG.E.128 desc[UR4][R18.64], R4", a=6, b=register, offset=16 * index))
    return [*code, base("EXIT")]


def assemble_around(middle: list[int], padding: int, after: list[int]) -> bytes:
    """A whole kernel: prologue, `middle`, some NOPs, `after`, epilogue."""
    code = [*prologue(), *middle, *[base("NOP")] * padding, *after, *epilogue()]
    return b"".join(instruction.to_bytes(16, "little") for instruction in code)


def assemble(probed: int, padding: int) -> bytes:
    """The kernel of one register probe; `probed` keeps its scoreboards, stalls longest and waits for everything."""
    scoreboards = probed & (0x3F << 110)
    return assemble_around([probed & ~CONTROL | STALL | WAIT_ALL | scoreboards], padding, [])
