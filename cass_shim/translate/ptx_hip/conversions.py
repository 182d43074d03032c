"""A value of one C++ type as text of another: extended to a wider register, or the same bits seen differently."""

from __future__ import annotations

import re

_ATOM = re.compile(r"[\w.]+(?:<[\w:, ]*>)?(?:\([^()]*\))?")
_PART = re.compile(r"\w+\.at<\w+>\(\d+\)")  # of a parameter, as an lvalue of its type
_SIGNED = frozenset(("i8", "i16", "i32", "i64"))
FLOATS = frozenset(("f16", "f32", "f64"))


def parenthesized(text: str) -> str:
    """`text`, in parentheses unless it is a name, a literal or a call."""
    return text if _ATOM.fullmatch(text) else f"({text})"


def _is_of(source: str, expression: str) -> bool:
    """Whether it has this type for sure: a load, a part of a parameter, a cast. Arithmetic of narrow types is `int`."""
    cast = re.compile(rf"\({source}\)(?:[A-Za-z_]\w*|\([^()]*\))")
    return any((expression.startswith("ptx_ld"), _PART.fullmatch(expression), cast.fullmatch(expression)))


def widened(expression: str, source: str, held: str, bits: int) -> str:
    """An expression of C++ type `source` for a register of type `held`, which has more bits."""
    if source in FLOATS:
        source, expression = f"u{source[1:]}", f"as<u{source[1:]}>(({source})({expression}))"
    narrow = expression if _is_of(source, expression) else f"({source}){parenthesized(expression)}"
    if held in FLOATS:
        extended = f"({'i' if source in _SIGNED else 'u'}{bits}){narrow}"
        return f"as<{held}>((u{bits}){extended})"
    return f"({held}){narrow}" if source in _SIGNED and held not in _SIGNED else narrow


def converted(expression: str, source: str, held: str) -> str:
    """An expression of C++ type `source` as the equally wide `held`."""
    if (source in FLOATS) == (held in FLOATS):
        return expression
    if re.match(r"^[a-z]\w*$", expression) or expression.startswith("ptx_shfl") or _is_of(source, expression):
        return f"as<{held}>({expression})"
    return f"as<{held}>(({source})({expression}))"
