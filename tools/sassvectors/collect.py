"""One encoding of every SASS form that our own programs contain, with its operands moved to fixed registers.

In: `nvdisasm -c -hex` listings of sm_90 cubins. Out: a list of probes {text, word}: the same instruction reading
R8.. R12.. R16.. and P0 P1 P2, writing R32.. and P4 P5. A patch is kept only if nvdisasm prints the patched word as
the same instruction with those registers, so no knowledge of the encoding beyond the field positions is needed.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

LINE = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;\s+/\* 0x([0-9a-f]{16}) \*/\s*$")
HIGH = re.compile(r"^\s+/\* 0x([0-9a-f]{16}) \*/\s*$")

# Field position (bits) and the register a probe uses there. Positions: Mesa NAK's sm70 encoder.
REGISTERS = {16: 32, 24: 8, 32: 12, 64: 16}
PREDICATES = {81: 4, 84: 5, 87: 0, 77: 1, 68: 2}
CONTROL = ((1 << 21) - 1) << 105
GUARD = 0xF << 12

# Everything that touches memory, control flow or machine state is probed by other means.
EXCLUDED = {
    "BRA",
    "BRX",
    "BRXU",
    "JMP",
    "JMX",
    "CALL",
    "RET",
    "EXIT",
    "BSSY",
    "BSYNC",
    "BREAK",
    "BMOV",
    "WARPSYNC",
    "YIELD",
    "NOP",
    "BAR",
    "B2R",
    "DEPBAR",
    "LDGDEPBAR",
    "MEMBAR",
    "ERRBAR",
    "CCTL",
    "CGAERRBAR",
    "LDG",
    "STG",
    "LD",
    "ST",
    "LDS",
    "STS",
    "LDL",
    "STL",
    "LDC",
    "ULDC",
    "ATOM",
    "ATOMG",
    "ATOMS",
    "RED",
    "REDG",
    "LDGSTS",
    "LDSM",
    "SYNCS",
    "ARRIVES",
    "NANOSLEEP",
    "S2R",
    "S2UR",
    "CS2R",
    "CS2UR",
    "BPT",
    "KILL",
    "LEPC",
    "TEX",
    "TLD",
    "TLD4",
    "TXQ",
    "TXD",
    "SULD",
    "SUST",
    "SUATOM",
    "SURED",
    "QSPC",
    "UBLKCP",
    "UCGABAR_ARV",
    "UCGABAR_WAIT",
    "ENDCOLLECTIVE",
    "ELECT",
    "HGMMA",
    "WARPGROUP",
    "WARPGROUPSET",
    "UTMALDG",
    "UTMASTG",
    "UTMACMDFLUSH",
    "PREEXIT",
    "ACQBULK",
    "SETCTAID",
    "FENCE",
}


def instructions(listing: str) -> Iterator[tuple[str, int]]:
    """(text, 128-bit word) of every instruction of a listing."""
    pending: tuple[str, int] | None = None
    for line in listing.splitlines():
        if found := LINE.match(line):
            pending = found[2], int(found[3], 16)
        elif pending and (found := HIGH.match(line)):
            yield pending[0], pending[1] | int(found[1], 16) << 64
            pending = None


def shape(text: str) -> str:
    """The form with register numbers and immediate values removed."""
    text = re.sub(r"\b(R|P)\d+\b", r"\1#", text)
    return re.sub(r"(?<![\w.])-?(0x[0-9a-f]+|\d[\d.e+-]*)\b", "#", text)


def candidates(listings: Iterable[str], per_form: int = 4) -> dict[str, list[tuple[str, int]]]:
    """Form → up to `per_form` instructions of different shapes, register shapes first."""
    shapes: dict[str, dict[str, tuple[str, int]]] = {}
    for listing in listings:
        for text, word in instructions(listing):
            bare = re.sub(r"^@!?U?P\w+\s+", "", text).replace(".reuse", "")
            mnemonic = bare.split(" ")[0]
            base = mnemonic.split(".")[0]
            if (
                base in EXCLUDED
                or base.startswith("U")
                or re.search(r"\bUR|\bUP|c\[|cx\[|`|B\d", bare.split(" ", 1)[-1])
            ):
                continue
            shapes.setdefault(mnemonic, {}).setdefault(shape(bare), (bare, word))
    order = {
        form: sorted(found.items(), key=lambda item: (item[0].count("#, #"), len(item[0])))
        for form, found in shapes.items()
    }
    return {form: [probe for _, probe in found[:per_form]] for form, found in order.items()}


def field(word: int, position: int, width: int) -> int:
    """Bits of a word."""
    return word >> position & ((1 << width) - 1)


def patched(text: str, word: int) -> Iterator[int]:
    """The word with every subset of plausible fields moved, largest subsets first; guard and reuse removed."""
    word = word & ~GUARD & ~(0xF << 122) | 7 << 12
    registers = {int(number) for number in re.findall(r"\bR(\d+)", text)}
    predicates = {int(number) for number in re.findall(r"\bP(\d)", text)}
    moves = [(p, 8, REGISTERS[p]) for p in REGISTERS if field(word, p, 8) in registers]
    moves += [(p, 3, PREDICATES[p]) for p in PREDICATES if field(word, p, 3) in predicates]
    for size in range(len(moves), -1, -1):
        for subset in itertools.combinations(moves, size):
            new = word
            for position, width, value in subset:
                new = new & ~(((1 << width) - 1) << position) | value << position
            yield new


def disassemble(words: list[int], nvdisasm: str, sm: int = 90) -> list[str]:
    """nvdisasm's text of raw words; an empty string where it prints none."""
    with tempfile.NamedTemporaryFile(suffix=".bin") as raw:
        Path(raw.name).write_bytes(b"".join(word.to_bytes(16, "little") for word in words))
        command = [nvdisasm, "-b", f"SM{sm}", "-hex", raw.name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    texts = {}
    for line in done.stdout.splitlines():
        if found := LINE.match(line):
            texts[int(found[1], 16) // 16] = found[2].replace(".reuse", "")
    return [texts.get(index, "") for index in range(len(words))]


def is_moved(original: str, text: str) -> bool:
    """Whether `text` is `original` with only fixed registers as operands."""
    if not text or re.sub(r"\b([RP])\d+\b", r"\1#", original) != re.sub(r"\b([RP])\d+\b", r"\1#", text):
        return False
    used = set(re.findall(r"\b[RP]\d+\b", text))
    return used <= {"R8", "R12", "R16", "R32", "P0", "P1", "P2", "P4", "P5"}


def probes(listings: Iterable[str], nvdisasm: str) -> list[dict[str, str]]:
    """The probes, ordered by text; forms that could not be moved are left out and counted on standard output."""
    wanted = [(form, text, word) for form, found in candidates(listings).items() for text, word in found]
    trials = [(index, new) for index, (_, text, word) in enumerate(wanted) for new in patched(text, word)]
    texts = disassemble([word for _, word in trials], nvdisasm)
    chosen: dict[int, tuple[str, int]] = {}
    for (index, word), text in zip(trials, texts, strict=True):
        if index not in chosen and is_moved(wanted[index][1], text):
            chosen[index] = text, word
    missing = sorted(
        {wanted[index][0] for index in range(len(wanted)) if index not in chosen} - {wanted[i][0] for i in chosen}
    )
    forms = {wanted[i][0] for i in chosen}
    print(f"{len(chosen)} probes of {len(forms)} forms; not movable: {' '.join(missing) or 'none'}")
    unique = dict(chosen.values())
    return [{"text": text, "word": f"{word:032x}"} for text, word in sorted(unique.items())]
