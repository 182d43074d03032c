"""The C++ type of a simple expression: names, literals, casts and operators.

Source: C++20 §7.4 (usual arithmetic conversions), §7.3.7 (promotions), §7.6.7 (a shift has its left operand's type).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_TOKEN = re.compile(
    r" *(?:(?P<cast>\((?:[uif](?:8|16|32|64)|bool)\)|as<[uif]\d+>(?=\())"
    r"|(?P<special>ptx_n?(?:cta|t)id_[xyz]\(\)|ptx_lane\(\))"
    r"|(?P<literal>\d[\w.]*(?:(?<=[pe])[+-]\d\w*)?)|(?P<name>[A-Za-z_]\w*(?:\.\w+)?)"
    r"|(?P<mark><<|>>|[<>=!]=|&&|\|\||[-+*&|^~!()<>]))"
)
_BINARY = {
    "*": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, ">": 7, "<=": 7, ">=": 7, "==": 6, "!=": 6, "&": 5, "^": 4,
    "|": 3, "&&": 2, "||": 1,
}  # fmt: skip
_LOGICAL = frozenset(("<", ">", "<=", ">=", "==", "!=", "&&", "||"))
_SMALL = frozenset(("bool", "u8", "i8", "u16", "i16"))
_RANKS = ("f64", "f32", "f16", "u64", "i64", "u32", "i32")  # of two operands' types the one that comes first


class _NotSimple(Exception):
    """Something else stands in the expression."""


def _tokens(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None or token.lastgroup is None:
            raise _NotSimple
        found.append((token.lastgroup, token[token.lastgroup]))
        at = token.end()
    return found


def _literal(text: str) -> str:
    if "." in text or re.search(r"[pe][+-]", text):
        return "f32" if text.endswith("f") else "f64"
    digits = text.rstrip("ul") if text.startswith("0x") else text.rstrip("ulf")
    suffix = text[len(digits) :]
    if suffix in ("ul", "l"):
        return {"ul": "u64", "l": "i64"}[suffix]
    if suffix not in ("", "u"):
        raise _NotSimple
    value = int(digits, 0)
    if value >= 1 << (32 if suffix else 31):
        raise _NotSimple
    return "u32" if suffix else "i32"


def _promoted(name: str) -> str:
    return "i32" if name in _SMALL else name


class _Typer:
    def __init__(self, text: str, names: Mapping[str, str]) -> None:
        self.tokens, self.names, self.at = _tokens(text), names, 0

    def whole(self) -> str:
        found = self.binary(0)
        if self.at != len(self.tokens):
            raise _NotSimple
        return found

    def binary(self, least: int) -> str:
        left = self.unary()
        while self.at < len(self.tokens):
            operator = self.tokens[self.at][1]
            level = _BINARY.get(operator, 0)
            if level <= least:
                break
            self.at += 1
            right = self.binary(level)
            if operator in _LOGICAL:
                left = "bool"
            elif operator in ("<<", ">>"):
                left = _promoted(left)
            else:
                left = min(_promoted(left), _promoted(right), key=_RANKS.index)
        return left

    def unary(self) -> str:
        if self.at >= len(self.tokens):
            raise _NotSimple
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "cast":
            self.unary()
            return text.removeprefix("as")[1:-1]
        if kind == "special":
            return "u32"
        if kind == "literal":
            return _literal(text)
        if kind == "name":
            if text not in self.names:
                raise _NotSimple
            return self.names[text]
        if text == "(":
            inner = self.binary(0)
            if self.at >= len(self.tokens) or self.tokens[self.at][1] != ")":
                raise _NotSimple
            self.at += 1
            return inner
        if text in "-~":
            return _promoted(self.unary())
        if text == "!":
            self.unary()
            return "bool"
        raise _NotSimple


def type_of(expression: str, names: Mapping[str, str]) -> str | None:
    """The type of an expression over these names; None when there is anything else in it."""
    try:
        return _Typer(expression, names).whole()
    except _NotSimple:
        return None
