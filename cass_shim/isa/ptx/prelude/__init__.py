"""The C++ functions that instruction meanings call, cut into pieces so that a kernel gets only those it needs.

The .hip files hold definitions separated by blank lines; overloads of one name stand together in one piece.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

HEADER = """\
using u8 = unsigned char; using u16 = unsigned short; using u32 = unsigned int; using u64 = unsigned long;
using i8 = signed char; using i16 = short; using i32 = int; using i64 = long; using u128 = unsigned __int128;
using i128 = __int128;
using f16 = _Float16; using f32 = float; using f64 = double;
#define FN static inline __attribute__((device, always_inline))
"""

_DEFINES = re.compile(
    r"#define (\w+)|static __attribute__\(\(device\)\) \w+ (\w+)\["
    r"|(?:template <.*?> )?struct alignas\(.*\) (\w+) \{|(?:template <.*?> )?struct (\w+)"
    r"|template <.*?> using (\w+)|(?:template <.*?> )?FN [\w<> ]+[ *](\w+)\("
)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph of a .hip file. needs: names it uses."""

    text: str
    needs: frozenset[str]
    order: int


def _names(text: str) -> list[str]:
    found: list[str] = []
    for line in text.splitlines():
        match = _DEFINES.match(line)
        if match:
            found.extend(name for name in match.groups() if name)
    return found


@functools.cache
def pieces() -> dict[str, Piece]:
    """Name → the piece that defines it."""
    table: dict[str, Piece] = {}
    order = 0
    for file in sorted(Path(__file__).parent.glob("*.hip")):
        for text in re.split(r"\n\s*\n", file.read_text(encoding="utf-8")):
            paragraph = text.strip("\n")
            names = _names(paragraph)
            if not names:
                continue
            piece = Piece(paragraph, frozenset(_WORD.findall(paragraph)) - set(names), order)
            order += 1
            for name in names:
                if name in table and table[name].text != paragraph:
                    raise ValueError(f"{file.name}: {name} is defined in two pieces")
                table[name] = piece
    return table


def select(words: Iterable[str]) -> str:
    """The text of all pieces that these identifiers need, definitions before their uses."""
    return _selected(frozenset(pieces().keys() & set(words)))


@functools.lru_cache(maxsize=256)
def _selected(words: frozenset[str]) -> str:
    table = pieces()
    chosen: list[Piece] = []
    state: dict[int, bool] = {}

    def visit(name: str) -> None:
        piece = table.get(name)
        if piece is None or piece.order in state:
            return
        state[piece.order] = False
        for needed in sorted(piece.needs):
            visit(needed)
        chosen.append(piece)

    for word in sorted(words):
        visit(word)
    return "\n\n".join(piece.text for piece in chosen)


def words_of(text: str) -> set[str]:
    """The identifiers in a piece of C++."""
    return set(_WORD.findall(text))
