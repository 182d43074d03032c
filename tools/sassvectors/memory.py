"""Probes of loads, stores and atomics: each lane has 64 bytes of its own, in global or shared memory.

`forms` makes PTX that drives ptxas through the forms; `probes` moves one encoding of each to fixed registers by the
field positions of `cass_shim.isa.encoding.memory` and keeps it if nvdisasm prints what was meant. The lane's address is
in R28 (a pair for global memory), data in R12, the second operand of compare-and-swap in R16, the result in R32.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product

from tools.sassvectors.collect import GUARD, disassemble, instructions
from tools.sassvectors.inputs import LANES
from tools.sassvectors.probe import CONTROL, STALL, WAIT_ALL, assemble_around, base, put

CELL_BYTES = 64
CELLS_OFFSET = LANES * 32  # of the cells behind the results
SHARED_OFFSET = 0x400  # sm_90 reserves the first KiB of shared memory
_CELL_REGISTERS = (36, 44, 48)  # of the container's 56 registers the GPU takes the last two for itself
SPACES = {"LDG": "global", "STG": "global", "LD": "global", "ST": "global", "ATOMG": "global", "ATOM": "global",
          "REDG": "global", "LDS": "shared", "STS": "shared", "ATOMS": "shared"}  # fmt: skip
TYPES = {"u32": "r", "s32": "r", "b32": "r", "u64": "rd", "s64": "rd", "b64": "rd", "f32": "f", "f64": "fd", "u8": "rs",
         "s8": "rs", "u16": "rs", "s16": "rs", "f16x2": "r", "bf16x2": "r"}  # fmt: skip


def operations() -> Iterator[str]:
    """PTX of one memory operation each; %rd20 is the address (%r20 for shared), registers 1.. the data."""
    for space, order in product((".global", "", ".shared"), ("", ".relaxed.gpu", ".relaxed.sys", ".volatile")):
        address = "[%r20]" if space == ".shared" else "[%rd20]"
        for kind in ("u8", "s8", "u16", "s16", "u32", "u64"):
            register = f"%{TYPES[kind]}1"
            yield f"ld{order}{space}.{kind} {register}, {address}; st.global.{kind} [%rd21], {register};"
            if kind[0] == "u":
                yield f"ld.global.{kind} {register}, [%rd21]; st{order}{space}.{kind} {address}, {register};"
        if not order:
            four = "{%r1, %r2, %r3, %r4}"
            yield f"ld{space}.v4.u32 {four}, {address}; st.global.v4.u32 [%rd21], {four};"
            yield f"ld.global.v4.u32 {four}, [%rd21]; st{space}.v4.u32 {address}, {four};"
    bits = [(op, kind) for op in ("and", "or", "xor", "exch", "cas") for kind in ("b32", "b64")]
    numbers = [(op, kind) for op in ("min", "max") for kind in ("u32", "s32", "u64", "s64")]
    sums = [("add", kind) for kind in ("u32", "s32", "u64", "f32", "f64", "noftz.f16x2", "noftz.bf16x2")]
    wraps = [("inc", "u32"), ("dec", "u32")]
    for space, (op, kind) in product((".global", "", ".shared"), [*bits, *numbers, *sums, *wraps]):
        address = "[%r20]" if space == ".shared" else "[%rd20]"
        letter = TYPES[kind.split(".")[-1]]
        store = "u64" if letter in ("rd", "fd") else "u32"
        to, one, two = (f"%{letter}{n}" for n in (1, 2, 3))
        moved = {"f": "f32", "fd": "f64"}.get(letter, store)
        extra = f", {two}" if op == "cas" else ""
        load = f"ld.global.{moved} {one}, [%rd21]; ld.global.{moved} {two}, [%rd21+8];"
        yield f"{load} atom{space}.{op}.{kind} {to}, {address}, {one}{extra}; st.global.{moved} [%rd21], {to};"
        if op not in ("exch", "cas"):
            yield f"{load} red{space}.{op}.{kind} {address}, {one};"


def ptx(sm: int = 90) -> str:
    """The PTX module of all operations."""
    parts = [f".version 8.6\n.target sm_{sm}\n.address_size 64\n"]
    for number, body in enumerate(operations()):
        parts.append(f"""
.visible .entry m{number}(.param .u64 p0, .param .u64 p1) {{
  .reg .b16 %rs<9>; .reg .b32 %r<30>; .reg .b64 %rd<30>; .reg .f32 %f<9>; .reg .f64 %fd<9>;
  .shared .align 16 .b8 cells[64];
  ld.param.u64 %rd20, [p0]; ld.param.u64 %rd21, [p1]; mov.u32 %r21, %tid.x; mov.u32 %r20, cells;
  add.u32 %r20, %r20, %r21;
  {body}
  ret;
}}""")
    return "".join(parts)


def moved(text: str, word: int) -> int:
    """The word with its operands at the probe's registers, no guard, no reuse, our offset."""
    name = text.split(" ")[0]
    base_name = name.split(".")[0]
    load = base_name.startswith("LD")
    word = word & ~GUARD & ~(0xF << 122) | 7 << 12
    offset = CELLS_OFFSET if SPACES[base_name] == "global" else SHARED_OFFSET
    word = put(put(word, 24, 8, 28), 40, 24, offset)
    if SPACES[base_name] == "shared":  # the form without a uniform register
        word = put(word, 91, 1, 0)
        word = put(word, 0, 12, {0x988: 0x388, 0x98C: 0x38C}.get(word & 0xFFF, word & 0xFFF))
    if load:
        word = put(word, 16, 8, 32)
        return put(word, 32, 8, 4) if SPACES[base_name] == "global" else put(word, 32, 8, 0)
    word = put(word, 32, 8, 12)
    if base_name.startswith("ATOM"):
        word = put(word, 16, 8, 32)
        word = put(word, 81, 3, 7) if SPACES[base_name] == "global" else word
    if ".CAS" in name:
        return put(word, 64, 8, 16)
    return put(word, 64, 6, 4) if SPACES[base_name] == "global" else put(word, 64, 8, 0)


def meant(text: str) -> str:
    """What nvdisasm should print for the moved word."""
    name = text.split(" ")[0]
    base_name = name.split(".")[0]
    shared = SPACES[base_name] == "shared"
    address = f"[R28+{SHARED_OFFSET:#x}]" if shared else f"[R28.64+{CELLS_OFFSET:#x}]"
    if not shared and ".CAS" not in name:
        address = "desc[UR4]" + address
    if ".CAS" in name and not shared:
        address = address.replace(".64", "")
    operands = {"L": f"R32, {address}", "S": f"{address}, R12", "R": f"{address}, R12"}
    if base_name.startswith("ATOM"):
        second = ", R16" if ".CAS" in name else ""
        return f"{name} {'' if shared else 'PT, '}R32, {address}, R12{second}"
    return f"{name} {operands[base_name[0]]}"


def probes(listings: Iterable[str], nvdisasm: str) -> list[dict[str, str]]:
    """One probe of every form whose registers can be moved; the others are named on standard output."""
    found: dict[str, list[tuple[str, int]]] = {}
    for listing in listings:
        for text, word in instructions(listing):
            bare = re.sub(r"^@!?U?P\w+\s+", "", text).replace(".reuse", "")
            name = bare.split(" ")[0]
            if name.split(".")[0] in SPACES and "POPC" not in name and "ARRIVE" not in name and "SPIN" not in name:
                found.setdefault(name, []).append((bare, word))
    chosen, missing = [], []
    for name, samples in sorted(found.items()):
        words = [moved(text, word) for text, word in samples[:30]]
        texts = disassemble(words, nvdisasm)
        good = [word for word, text in zip(words, texts, strict=True) if text == meant(name)]
        if good:
            chosen.append({"text": meant(name), "word": f"{good[0]:032x}"})
        else:
            missing.append(f"{name} ({texts[0]} for {meant(name)})")
    print(f"{len(chosen)} memory probes; not movable: {'; '.join(missing) or 'none'}")
    return chosen


def prologue(shared: bool) -> list[int]:
    """The lane's address to R28; for shared memory also its cell's content."""
    wide = "IMAD.WIDE.U32 R4, R0, 0x4, R4"
    if not shared:
        return [base("LDC.64 R4, c[0x0][0x210]", d=30, cbank=0x218 // 4), base(wide, d=28, a=0, imm=CELL_BYTES, c=30)]
    code = [base(wide, d=28, a=0, imm=CELL_BYTES, c=255)]
    for index, register in enumerate((8, 12, 16)):
        code.append(base("STS.128 [R9], R48", a=28, b=register, offset=SHARED_OFFSET + 16 * index))
    return [*code, base("BAR.SYNC.DEFER_BLOCKING 0x0")]


def epilogue(shared: bool) -> list[int]:
    """Shared cells go to where global ones lie."""
    if not shared:
        return []
    code = [base("BAR.SYNC.DEFER_BLOCKING 0x0")]
    for index, register in enumerate(_CELL_REGISTERS):
        code.append(base("LDS.128 R12, [R6]", d=register, a=28, offset=SHARED_OFFSET + 16 * index))
    code += [base("LDC.64 R4, c[0x0][0x210]", d=30, cbank=0x218 // 4)]
    code += [base("IMAD.WIDE.U32 R4, R0, 0x4, R4", d=30, a=0, imm=CELL_BYTES, c=30)]
    for index, register in enumerate(_CELL_REGISTERS):
        code.append(base("STG.E.128 desc[UR4][R18.64], R4", a=30, b=register, offset=CELLS_OFFSET + 16 * index))
    return code


def assemble(text: str, word: int, padding: int) -> bytes:
    """The kernel of one memory probe."""
    shared = SPACES[text.split(" ")[0].split(".")[0]] == "shared"
    probed = word & ~CONTROL | STALL | WAIT_ALL | word & (0x3F << 110)
    return assemble_around([*prologue(shared), probed], padding, epilogue(shared))
