"""PTX text to tokens, each with its place.

In: text. Out: `Tokens`, the last one of kind "end". Raises Malformed with line and column. No token crosses a line, and
lines repeat (four of five in modules of nvcc's), so each line is looked at once.
Source: PTX ISA 9.0, chapter 4.
"""

from __future__ import annotations

import functools
import re
from typing import Any, NamedTuple

from cass_shim.model.errors import InvalidPtx, Malformed

MAX_TEXT = 256 << 20
_KEPT_LENGTH = 256  # of lines that are remembered


class Token(NamedTuple):
    """kind: "name", "dot" (a modifier or directive, without its dot), "number", "string", "end", or the mark.

    line, column: from 1.
    """

    kind: str
    text: str
    line: int
    column: int


_TOKEN = re.compile(
    r"""
      (?:[ \t\r\f\v]++|//[^\n]*+)*+
    (?:\.(?P<dot>[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+)*)
    | (?P<number>0[fF][0-9a-fA-F]{8}(?![\w$])|0[dD][0-9a-fA-F]{16}(?![\w$])|0[xX][0-9a-fA-F]+U?(?![\w$])
        |0[bB][01]+U?(?![\w$])|\d+\.\d*(?:[eE][+-]?\d+)?(?![\w$])|\d+[eE][+-]?\d+(?![\w$])|\d+U?(?![\w$]))
    | (?P<name>[A-Za-z][\w$]*|[_$%][A-Za-z0-9_$][\w$]*|_)
    | "(?P<string>[^"\n]*)"
    | (?P<mark><<|>>|&&|\|\||<=|>=|==|!=|[{}()\[\];,:@!|+\-*%<>&^~?=]|/(?!\*))
    | (?P<end>\Z))
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_SPACE = re.compile(r"(?:[ \t\r\f\v]++|//[^\n]*+)*+")
# A comment over several lines, or what hides the beginning of one.
_COMMENT = re.compile(r'//[^\n]*|"[^"\n]*"|/\*.*?\*/', re.DOTALL)
_NOT_LINE_END = re.compile(r"[^\n]")


class Tokens:
    """All tokens of a text as columns: a garbage collector has nothing to look at in lists of strings and numbers."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.lines: list[int] = []
        self.columns: list[int] = []

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, number: int) -> Token:
        return Token(self.kinds[number], self.texts[number], self.lines[number], self.columns[number])


_Line = tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...], int]


def _read_line(line: str) -> _Line:
    """Kinds, texts and columns of a line's tokens, and the column of what starts none, 0 if everything does."""
    kinds: list[str] = []
    texts: list[str] = []
    columns: list[int] = []
    at = 0
    pattern: Any = _TOKEN  # CPython's patterns have `scanner`, typeshed's have not
    for found in iter(pattern.scanner(line).match, None):
        kind = found.lastgroup
        assert kind is not None
        if kind == "end":
            return tuple(kinds), tuple(texts), tuple(columns), 0
        word, (first, at) = found[kind], found.span(kind)
        kinds.append(word if kind == "mark" else kind)
        texts.append(word)
        columns.append(first if kind in ("dot", "string") else first + 1)
        at += kind == "string"
    skipped = _SPACE.match(line, at)
    assert skipped is not None
    return (), (), (), skipped.end() + 1


_remembered = functools.lru_cache(maxsize=1 << 13)(_read_line)


def _blank(found: re.Match[str]) -> str:
    """A comment as spaces and line ends; strings and comments to the end of a line stay."""
    return _NOT_LINE_END.sub(" ", found[0]) if found[0].startswith("/*") else found[0]


def tokenize(text: str) -> Tokens:
    """All tokens of `text`. A character that starts none is InvalidPtx."""
    if len(text) > MAX_TEXT:
        raise Malformed(f"{len(text)} characters, more than {MAX_TEXT}", where="PTX")
    if "/*" in text:
        text = _COMMENT.sub(_blank, text)
    tokens, number = Tokens(), 0
    all_kinds, all_texts, all_columns = tokens.kinds, tokens.texts, tokens.columns
    for number, line in enumerate(text.split("\n"), 1):
        kinds, texts, columns, bad = (_remembered if len(line) <= _KEPT_LENGTH else _read_line)(line)
        if bad:
            what = "comment or string without an end" if line[bad - 1] in '/"' else f"character {line[bad - 1]!r}"
            raise InvalidPtx(what, where=f"PTX line {number}, column {bad}")
        all_kinds += kinds
        all_texts += texts
        all_columns += columns
        tokens.lines += (number,) * len(kinds)
    all_kinds.append("end")
    all_texts.append("")
    all_columns.append(len(line) + 1)
    tokens.lines.append(number)
    return tokens
