"""PTX text to tokens, each with its place.

In: text. Out: `Tokens`, the last one of kind "end". Raises Malformed with line and column.
Source: PTX ISA 9.0, chapter 4.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from cass_shim.model.errors import Malformed

MAX_TEXT = 256 << 20


class Token(NamedTuple):
    """kind: "name", "dot" (a modifier or directive, without its dot), "number", "string", "end", or the mark."""

    kind: str
    text: str
    at: int


_TOKEN = re.compile(
    r"""
      (?:[ \t\r\n\f\v]+|//[^\n]*|/\*.*?\*/)*
    (?:\.(?P<dot>[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+)*)
    | (?P<number>0[fF][0-9a-fA-F]{8}(?![\w$])|0[dD][0-9a-fA-F]{16}(?![\w$])|0[xX][0-9a-fA-F]+U?(?![\w$])
        |0[bB][01]+U?(?![\w$])|\d+\.\d*(?:[eE][+-]?\d+)?(?![\w$])|\d+[eE][+-]?\d+(?![\w$])|\d+U?(?![\w$]))
    | (?P<name>[A-Za-z][\w$]*|[_$%][A-Za-z0-9_$][\w$]*|_)
    | "(?P<string>[^"\n]*)"
    | (?P<mark><<|>>|&&|\|\||<=|>=|==|!=|[{}()\[\];,:@!|+\-*/%<>&^~?=])
    | (?P<end>\Z))
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)


_SPACE = re.compile(r"(?:[ \t\r\n\f\v]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)


class Places:
    """Offsets of a text to (line, column), both from 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def line(self, at: int) -> int:
        return bisect_right(self._starts, at)

    def place(self, at: int) -> tuple[int, int]:
        """Line and column."""
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1

    def describe(self, at: int) -> str:
        line, column = self.place(at)
        return f"line {line}, column {column}"


class Tokens:
    """All tokens of a text as columns: a garbage collector has nothing to look at in lists of strings and numbers."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.ats: list[int] = []

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, number: int) -> Token:
        return Token(self.kinds[number], self.texts[number], self.ats[number])


def tokenize(text: str, places: Places) -> Tokens:
    """All tokens of `text`. A character that starts none is Malformed."""
    if len(text) > MAX_TEXT:
        raise Malformed(f"{len(text)} characters, more than {MAX_TEXT}", where="PTX")
    tokens, at = Tokens(), 0
    add_kind, add_text, add_at = tokens.kinds.append, tokens.texts.append, tokens.ats.append
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup
        assert kind is not None
        word, (first, last) = found[kind], found.span(kind)
        if found.start() != at or (word == "/" and text.startswith("/*", first)):
            break
        at = last + 1 if kind == "string" else last
        add_kind(word if kind == "mark" else kind)
        add_text(word)
        add_at(first - 1 if kind in ("dot", "string") else first)
        if kind == "end":
            return tokens
    at = _SPACE.match(text, at).end()  # type: ignore[union-attr]  # it matches nothing as well
    what = "comment or string without an end" if text[at] in '/"' else f"character {text[at]!r}"
    raise Malformed(what, where=f"PTX {places.describe(at)}")
