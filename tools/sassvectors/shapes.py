"""Probes of every kind of operand that code holds: the registers of real words moved to where `rows.py` puts inputs.

`python3 -m tools.sassvectors.shapes OUT.json WORDS…` (WORDS: cubins, or lists of `encodings.py`). An instruction of any
generation counts whose word means the same to sm_90. Where a field lies is found by changing it and decoding again.
What is recorded of a word is judged as our decoder reads it, so a word that it reads wrongly can only disagree.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cass_shim.extract.cubin import read_cubin
from cass_shim.isa.encoding.decoder import decode
from cass_shim.isa.shape import shape
from cass_shim.isa.spec import CONTROL, Effect, effect_of
from cass_shim.model.errors import Unsupported
from cass_shim.model.instruction import Const, Instruction, Mem, Special
from cass_shim.verify.program import IGNORED
from tools.sassvectors.inputs import splitmix
from tools.sassvectors.probe import put
from tools.sassvectors.rows import CELLS_OFFSET, CONSTANTS

SM = 90
GUARD_AND_REUSE = 0xF << 12 | 0xF << 122
REGISTERS = {16: 32, 24: 8, 32: 12, 64: 16}  # field → register of a probe
PREDICATES = {81: 4, 84: 5, 87: 0, 77: 1, 68: 2}
SPACES = {"LDG": "global", "STG": "global", "LD": "global", "ST": "global", "ATOMG": "global", "ATOM": "global",
          "RED": "global", "REDG": "global", "LDS": "shared", "STS": "shared", "ATOMS": "shared", "LDL": "local",
          "STL": "local"}  # fmt: skip
# Machine state, waiting, textures and tensor memory; matrices through shared memory are PTX probes.
_WAITING = ("BAR", "B2R", "MEMBAR", "FENCE", "BPT", "SYNCS", "ARRIVES", "ACQBULK", "NANOSLEEP", "PMTRIG", "SETCTAID")
_IMAGES = ("TEX", "TLD", "TLD4", "TXD", "TXQ", "SULD", "SUST", "SURED", "SUATOM", "QSPC")
_STAGED = ("LDGSTS", "LDSM", "STSM", "UCGABAR_ARV", "UCGABAR_WAIT")
EXCLUDED = frozenset(("S2R", "S2UR", "CS2UR", "LDCU", *_WAITING, *_IMAGES, *_STAGED))
WIDTHS = {"U8": 15, "S8": 15, "U16": 14, "S16": 14, "64": 8, "128": 0}  # modifier of LDC → mask of its index


def words_of(path: Path) -> Iterator[tuple[int, int]]:
    """(sm, word) of a cubin or of a list."""
    if path.suffix == ".txt":
        sm = int(path.stem.rsplit("sm", 1)[1])
        yield from ((sm, int(line.split()[1], 16)) for line in path.read_text().splitlines() if line[0] != "#")
        return
    cubin = read_cubin(path.read_bytes(), str(path))
    for function in (*cubin.functions.values(), *cubin.kernels.values()):
        pairs = np.frombuffer(function.code, np.uint64).reshape(-1, 2)
        yield from ((cubin.sm, int(low) | int(high) << 64) for low, high in np.unique(pairs, axis=0))


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """(path, value) of everything an operand says."""
    if isinstance(value, tuple):
        for index, part in enumerate(value):
            yield from leaves(part, f"{path}/{index}")
    elif is_dataclass(value):
        yield path, type(value).__name__
        for field in fields(value):
            yield from leaves(getattr(value, field.name), f"{path}.{field.name}")
    else:
        yield path, value


def tried(word: int) -> Instruction | None:
    try:
        return decode(word, 0, SM)
    except Unsupported:
        return None


def owner(word: int, changed: int) -> str:
    """Type and path of the one leaf of the operands in which two words differ; empty when there is more or none."""
    one, other = tried(word), tried(changed)
    if one is None or other is None or (one.form, one.guard) != (other.form, other.guard):
        return ""
    before, after = dict(leaves(one.operands)), dict(leaves(other.operands))
    different = [path for path in before if before[path] != after.get(path)]
    if before.keys() != after.keys() or len(different) != 1:
        return ""
    return f"{before.get(different[0].rpartition('.')[0], '')} {different[0]}"


def moved_register(word: int, position: int) -> int:
    """The word with the register at `position` where the probe's inputs are, or the same word."""
    for width in (8, 6):
        trial = put(word, position, width, 29 if word >> position & (1 << width) - 1 != 29 else 30)
        leaf = owner(word, trial)
        if leaf.endswith(("base.index", "uniform.index")):
            return put(word, position, width, 28)
        if leaf.endswith("descriptor.index"):
            return put(word, position, width, 4)
        if leaf.endswith(".index.index"):
            return put(word, position, width, 8)
        if leaf.startswith("Reg ") and leaf.endswith(".index"):
            return put(word, position, width, REGISTERS[position])
    return word


def moved(word: int) -> int:
    """All registers, predicates and the constant of a word where the probe has them."""
    here = tried(word)
    widens = here is not None and here.mnemonic == "HADD2" and here.has("F32")
    for position in REGISTERS:
        if widens and position == 24:
            continue  # HADD2.F32 only converts: with another first source than RZ the hardware refuses it
        word = moved_register(word, position)
    atomic = tried(word)
    for position, number in PREDICATES.items():
        if position == 81 and atomic is not None and atomic.mnemonic.startswith("ATOM"):
            continue  # whether something was exchanged: no code that is not a lock of the library's asks
        leaf = owner(word, word ^ 1 << position)
        if leaf.startswith("Pred ") and leaf.endswith(".index"):
            word = put(word, position, 3, number)
    if owner(word, word ^ 1 << 40).endswith(".offset") and owner(word, word ^ 1 << 54).endswith(".bank"):
        word = put(put(word, 38, 16, CONSTANTS), 54, 5, 0)
    return word


def immediates(word: int) -> list[int]:
    """Words with other immediates, where the operand has 32 bits."""
    if not all(owner(word, word ^ 1 << bit).endswith(".bits") for bit in (32, 47, 48, 63)):
        return [word]
    bits = [int(splitmix(np.array([word >> 64 ^ n], np.uint64))[0]) & 0xFFFFFFFF for n in (1, 2)]
    return [word, put(word, 32, 32, bits[0] | 1 << 31), put(word, 32, 32, bits[1] & 0x7FFFFFFF | 1)]


def addressed(space: str, mem: Mem) -> list[tuple[dict[str, Any], int]]:
    """(setup, offset) that make an address the row's cell."""
    based, uniform = mem.base is not None, mem.uniform is not None
    if space == "global":
        if based and uniform:
            narrow = not mem.wide
            own, far = {"R28": [0xDEADBEEF << 32 if narrow else 0, 64]}, {"UR28": ["out", 0]}
            first = [({**own, **far}, CELLS_OFFSET)]
            return first if narrow else [*first, ({"R28": ["out", 0], "UR28": [0, 64]}, CELLS_OFFSET)]
        return [({"R28" if based else "UR28": ["out", 64]}, CELLS_OFFSET)]
    if space == "local":
        part = {"UR28": [16, 0]} if uniform else {}
        return [({"R28": ["stack", 0], **part}, 16 if uniform else 32)] if based and mem.scale == 1 else []
    if based and uniform:
        return [({"R28": [0x200 // mem.scale, 0], "UR28": [0x100, 0]}, 0x100)]
    if based or uniform:
        return [({"R28" if based else "UR28": [0x300 // mem.scale, 0]}, 0x100)]
    return [({}, 0x400)]


def prepared(word: int) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """(word, mode, setup) of the probes that one moved word gives."""
    instruction = decode(word, 0, SM)
    name, operands = instruction.mnemonic, instruction.operands
    mode = "lanes" if effect_of(instruction) is Effect.LANES else "rows"
    if any(isinstance(operand, Const) for operand in operands):
        mode = "launches"
    if name in SPACES:
        mem = next(operand for operand in operands if isinstance(operand, Mem))
        if not owner(word, word ^ 1 << 44).endswith(".offset"):
            return
        for setup, offset in addressed(SPACES[name], mem):
            yield put(word, 40, 24, offset), mode, {"space": SPACES[name], **setup}
        return
    indexed = any(isinstance(operand, Const) and operand.index is not None for operand in operands)
    setup = {"mask": next((WIDTHS[m] for m in instruction.modifiers if m in WIDTHS), 12)} if indexed else {}
    for variant in immediates(word):
        yield variant, mode, setup


def interesting(instruction: Instruction) -> bool:
    """Whether its result can be seen by itself, and it has a meaning of ours to compare."""
    if instruction.mnemonic in CONTROL | IGNORED | EXCLUDED:
        return False
    if any(isinstance(operand, Special) and operand.name != "SRZ" for operand in instruction.operands):
        return False
    if any(isinstance(operand, Const) and operand.bank_register is not None for operand in instruction.operands):
        return False  # a bank by handle, which a probe has none of
    try:
        return effect_of(instruction) is not Effect.BARRIER
    except Unsupported:
        return False


def outline(word: int) -> tuple[int, ...]:
    """A word without what its fields hold, but for zero registers: few enough to decode one of each."""
    said = word & (0xFFF | ((1 << 33) - 1) << 72)
    places = [word >> at & 0xFF for at in (16, 24, 32, 64)]
    signs = 0 if (word >> 9 & 7) in (2, 4) else word >> 58 & 63
    return (said, signs, *(1 if place == 0xFF else 2 if place == 0x3F else 0 for place in places))


def collected(words: Iterable[tuple[int, int]]) -> dict[tuple[str, ...], int]:
    """Shape → a word of it without guard, of those whose words mean the same to sm_90."""
    found: dict[tuple[str, ...], int] = {}
    seen: set[tuple[int, ...]] = set()
    for sm, word in words:
        plain = word & ~GUARD_AND_REUSE | 7 << 12
        if (sm, *outline(plain)) in seen:
            continue
        seen.add((sm, *outline(plain)))
        here = tried(plain)
        if here is None or not interesting(here) or (sm != SM and shape(decode(plain, 0, sm)) != shape(here)):
            continue
        known, waits = found.get(shape(here)), (plain >> 110 & 7) != 7
        if known is None or (waits and (known >> 110 & 7) == 7):  # one that names its scoreboard serves better
            found[shape(here)] = plain
    return found


def neighbours(word: int) -> Iterator[int]:
    """Words whose operands come from elsewhere, or have other signs: all that are one bit or one field away."""
    yield from (word & ~(7 << 9) | form << 9 for form in range(1, 8))
    yield from (word ^ 1 << bit for bit in range(32, 105))


def near(words: list[int]) -> list[int]:
    """Words like these that hold a kind of operand which none of them has in its form; not all exist on hardware."""
    keys = {key for word in words for key in shape(decode(word, 0, SM))}
    forms = {decode(word, 0, SM).form for word in words}
    found = []
    for word in words:
        for other in neighbours(word):
            here = tried(other)
            if here is None or here.form not in forms or not interesting(here) or not set(shape(here)) - keys:
                continue
            keys |= set(shape(here))
            found.append(moved(other))
    return found


def probes(words: list[int]) -> list[dict[str, Any]]:
    """Each word's probes."""
    chosen: dict[str, dict[str, Any]] = {}
    for moved_word in words:
        for variant, mode, setup in prepared(moved_word):
            text = decode(variant, 0, SM).text
            name = text + (f" {setup}" if "R28" in setup and "UR28" in setup else "")
            chosen[name] = {"text": text, "name": name, "word": f"{variant:032x}", "mode": mode, "setup": setup}
    return [chosen[name] for name in sorted(chosen)]


def main(arguments: list[str]) -> None:
    """OUT.json holds what code contains, OUT-near.json what is near it."""
    out, words = Path(arguments[0]), [pair for path in arguments[1:] for pair in words_of(Path(path))]
    seen = [moved(word) for word in collected(words).values()]
    for path, some in ((out, seen), (out.with_stem(out.stem + "-near"), near(seen))):
        found = probes(some)
        path.write_text(json.dumps(found, indent=0) + "\n")
        print(f"{len(found)} probes in {path.name}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
