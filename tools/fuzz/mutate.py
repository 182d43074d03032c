"""Changes to an input: bits, numbers of interest, pieces moved or taken from others; lines and words of text."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

NUMBERS = (0, 1, 2, 7, 8, 16, 63, 64, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000,
           0xFFFFFFFF, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)  # fmt: skip
WORDS = ("0", "-1", "1", "4294967295", "0x7fffffffffffffff", "1e999", "nan", "999999999999999999999", "", "\0", "é",
         "\\", '"', "(", ")", "[", "]", "{", "}", "<", ">", ",", ";", ":", ".", "%", "@", "//", "/*", "\n",
         "null")  # fmt: skip
TEXT_LIMIT = 64 << 10  # bytes that repeating may reach
WORD = re.compile(rb"[A-Za-z_$%.][\w.$]*|0[xX][0-9a-fA-F]+|\d+|[^\w\s]|\n")


def mutate(chance: random.Random, data: bytes, corpus: Sequence[bytes], text: bool) -> bytes:
    """One to sixteen changes."""
    changes = (*BINARY, *TEXTUAL, *TEXTUAL) if text else BINARY
    for _ in range(1 << chance.randrange(2) * chance.randrange(5)):
        data = chance.choice(changes)(chance, data, chance.choice(corpus))
    return data


def _position(chance: random.Random, size: int) -> int:
    """Most often near the start, where headers are."""
    return chance.randrange(max(1, min(size, chance.choice((64, 512, size, size)))))


def flip(chance: random.Random, data: bytes, other: bytes) -> bytes:
    changed = bytearray(data or b"\0")
    changed[_position(chance, len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def number(chance: random.Random, data: bytes, other: bytes) -> bytes:
    width = chance.choice((1, 2, 4, 8))
    if len(data) < width:
        return data
    at = _position(chance, len(data) - width + 1)
    value = int.from_bytes(data[at : at + width], "little")
    value = chance.choice((*NUMBERS, value + chance.randint(-16, 16), len(data) - chance.randrange(9)))
    return data[:at] + (value % (1 << 8 * width)).to_bytes(width, "little") + data[at + width :]


def remove(chance: random.Random, data: bytes, other: bytes) -> bytes:
    at = _position(chance, len(data))
    return data[:at] + data[at + chance.randint(1, chance.choice((16, max(1, len(data) // 2)))) :]


def _piece(chance: random.Random, source: bytes) -> bytes:
    start = chance.randrange(len(source) + 1)
    return source[start : start + chance.randint(1, chance.choice((8, 32, 4096)))]


def insert(chance: random.Random, data: bytes, other: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + _piece(chance, chance.choice((data, other))) + data[at:]


def overwrite(chance: random.Random, data: bytes, other: bytes) -> bytes:
    at, piece = chance.randrange(len(data) + 1), _piece(chance, chance.choice((data, other)))
    return data[:at] + piece + data[at + len(piece) :]


def drop_line(chance: random.Random, data: bytes, other: bytes) -> bytes:
    lines = data.split(b"\n")
    del lines[chance.randrange(len(lines))]
    return b"\n".join(lines)


def copy_line(chance: random.Random, data: bytes, other: bytes) -> bytes:
    lines = data.split(b"\n")
    line = chance.choice(chance.choice((lines, other.split(b"\n"))))
    lines.insert(chance.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def _word(chance: random.Random, data: bytes) -> re.Match[bytes] | None:
    """A word at a random place: found by searching on from there, since a whole text takes milliseconds."""
    return WORD.search(data, chance.randrange(len(data) + 1)) or WORD.search(data)


def swap_words(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """A word for one of another place, of another input, or of the list above."""
    at, found = _word(chance, data), _word(chance, chance.choice((data, other)))
    if at is None:
        return data
    word = found.group() if found is not None and chance.random() < 0.8 else chance.choice(WORDS).encode()
    return data[: at.start()] + word + data[at.end() :]


def repeat(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """A piece many times: nesting and lists without end."""
    piece = _piece(chance, data)[:16]
    at = chance.randrange(len(data) + 1)
    return (data[:at] + piece * chance.choice((2, 3, 8, 8, 64, 2000)) + data[at:])[:TEXT_LIMIT]


Change = Callable[[random.Random, bytes, bytes], bytes]
BINARY: tuple[Change, ...] = (flip, flip, number, number, number, remove, insert, overwrite)
TEXTUAL: tuple[Change, ...] = (drop_line, copy_line, swap_words, swap_words, swap_words, repeat)
