"""A cursor over tokens with the error messages and the constant expressions that all of the parser shares."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import NoReturn

from cass_shim.isa.ptx.syntax import Float, Integer
from cass_shim.model.errors import InvalidPtx
from cass_shim.translate.ptx_hip.lexer import Token, tokenize

MAX_DEPTH = 64

# Binary operators by rising precedence, as in C. Source: PTX ISA 9.0 §4.5.5.
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"),
    ("+", "-"), ("*", "/", "%"),
)  # fmt: skip
_MASK = (1 << 64) - 1
_AFTER_CONSTANT = frozenset((",", ";", "]", "}", ")"))  # what shows that a literal is the whole expression


def _divide(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_APPLY: dict[str, Callable[[int, int], int]] = {
    "||": lambda a, b: int(bool(a or b)), "&&": lambda a, b: int(bool(a and b)),
    "|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "&": lambda a, b: a & b,
    "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b), "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b), ">=": lambda a, b: int(a >= b),
    "<<": lambda a, b: a << (b & 63), ">>": lambda a, b: a >> (b & 63),
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": _divide, "%": lambda a, b: a - b * _divide(a, b),
}  # fmt: skip


def parse_number(text: str) -> Integer | Float:
    """A literal token. Hexadecimal floats keep their bits.

    ValueError: an octal number with an 8 or a 9, or one of more digits than Python converts (4,300).
    """
    if text.isdecimal() and (text[0] != "0" or len(text) == 1):
        return Integer(int(text))
    lowered = text.lower()
    if lowered.startswith("0f"):
        return Float(int(text[2:], 16), single=True)
    if lowered.startswith("0d") and len(text) == 18:
        return Float(int(text[2:], 16))
    if "." in text or (("e" in lowered) and not lowered.startswith("0x")):
        return Float(struct.unpack("<Q", struct.pack("<d", float(text)))[0])
    digits = lowered.rstrip("u")
    if digits.startswith(("0x", "0b")):
        return Integer(int(digits, 0))
    return Integer(int(digits, 8) if len(digits) > 1 and digits[0] == "0" else int(digits))


class Reader:
    """Tokens of one module and the position in them."""

    def __init__(self, text: str) -> None:
        self.tokens = tokenize(text)
        self.kinds, self.texts = self.tokens.kinds, self.tokens.texts
        self.at = 0

    def fail(self, what: str, token: Token | None = None) -> NoReturn:
        """InvalidPtx at a token, by default the current one."""
        found = token or self.token
        raise InvalidPtx(what, where=f"PTX line {found.line}, column {found.column}")

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    @property
    def kind(self) -> str:
        """Of the current token."""
        return self.kinds[self.at]

    @property
    def text(self) -> str:
        """Of the current token."""
        return self.texts[self.at]

    @property
    def line(self) -> int:
        return self.tokens.lines[self.at]

    def next(self) -> Token:
        token = self.tokens[self.at]
        if token.kind != "end":
            self.at += 1
        return token

    def word(self) -> str:
        """The text of the current token, which is passed."""
        text = self.texts[self.at]
        if self.kinds[self.at] != "end":
            self.at += 1
        return text

    def peek(self, kind: str, text: str | None = None, ahead: int = 0) -> bool:
        at = min(self.at + ahead, len(self.kinds) - 1) if ahead else self.at
        return self.kinds[at] == kind and (text is None or self.texts[at] == text)

    def accept(self, kind: str, text: str | None = None) -> bool:
        """Whether the current token is this one, which is passed then."""
        at = self.at
        if self.kinds[at] == kind and (text is None or self.texts[at] == text):
            self.at = at + 1
            return True
        return False

    def expect(self, kind: str) -> str:
        """The text of a token that must come here, which is passed."""
        at = self.at
        if self.kinds[at] == kind:
            self.at = at + 1
            return self.texts[at]
        token = self.token
        wanted = {"name": "a name", "number": "a number", "dot": "a directive"}.get(kind, kind)
        return self.fail(f"expected {wanted}, found {token.text or 'the end of the text'!r}")

    def expect_token(self, kind: str) -> Token:
        """As expect, with the token's place."""
        token = self.token
        self.expect(kind)
        return token

    def skip_past(self, mark: str) -> None:
        """Drop tokens up to and including `mark`."""
        while not self.accept(mark):
            if self.kind == "end":
                self.fail(f"expected {mark} before the end of the text")
            self.at += 1

    def integer(self) -> int:
        """A constant expression that must be an integer."""
        start = self.at
        value = self.constant()
        return value.value if isinstance(value, Integer) else self.fail("expected an integer", self.tokens[start])

    def number(self) -> int:
        """A plain integer literal (where `>` ends it, as in `%r<8>`)."""
        self.expect("number")
        self.at -= 1
        value = self._literal()
        return value.value if isinstance(value, Integer) else self.fail("expected an integer", self.tokens[self.at - 1])

    def constant(self) -> Integer | Float:
        """A constant expression, without the ternary operator."""
        if self.kind == "number" and self.kinds[self.at + 1] in _AFTER_CONSTANT:
            return self._literal()
        return self._binary(0, 0)

    def _literal(self) -> Integer | Float:
        """The number that the current token is, which is passed."""
        self.at += 1
        try:
            return parse_number(self.texts[self.at - 1])
        except ValueError:
            self.fail("a number that is none", self.tokens[self.at - 1])

    def _binary(self, level: int, depth: int) -> Integer | Float:
        if level == len(_LEVELS):
            return self._unary(depth)
        left = self._binary(level + 1, depth)
        while self.kind in _LEVELS[level]:
            operator = self.next()
            right = self._binary(level + 1, depth)
            if not isinstance(left, Integer) or not isinstance(right, Integer):
                self.fail("floating-point constants are not folded", operator)
            if operator.kind in "/%" and right.value == 0:
                self.fail("division by zero in a constant", operator)
            left = _wrap(_APPLY[operator.kind](left.value, right.value))
        return left

    def _unary(self, depth: int) -> Integer | Float:
        if depth > MAX_DEPTH:
            self.fail("constant expression nested too deeply")
        if self.kind == "number":
            return self._literal()
        token = self.next()
        if token.kind == "(":
            if self.accept("dot"):  # a cast, (.s64) or (.u64): numbers are 64-bit anyway
                self.expect(")")
                return self._unary(depth + 1)
            inner = self._nested(depth + 1)
            self.expect(")")
            return inner
        if token.kind in ("-", "+", "~", "!"):
            operand = self._unary(depth + 1)
            if isinstance(operand, Float):
                flipped = operand.bits ^ (1 << (31 if operand.single else 63))
                if token.kind not in "+-":
                    self.fail("an integer operator on a floating-point constant", token)
                return Float(flipped, operand.single) if token.kind == "-" else operand
            value = operand.value
            applied = {"-": -value, "+": value, "~": ~value, "!": int(not value)}[token.kind]
            return _wrap(applied)
        if token.kind == "name" and token.text == "WARP_SZ":
            return Integer(32)
        return self.fail(f"expected a constant, found {token.text or 'the end of the text'!r}", token)

    def _nested(self, depth: int) -> Integer | Float:
        if depth > MAX_DEPTH:
            self.fail("constant expression nested too deeply")
        return self._binary(0, depth)


def _wrap(value: int) -> Integer:
    """Into the 64-bit range, keeping negative numbers negative."""
    if -(1 << 63) <= value <= _MASK:
        return Integer(value)
    return Integer(value & _MASK)
