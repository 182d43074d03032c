"""Writes a value where it is used instead of naming it: `if (r1 < p.param_1)`, not three lines of registers.

Works on the printed lines, after `scopes`. What is inlined is never computed from something that changes in between:
a copy of a constant goes everywhere; an expression of constants goes to its only use; a condition goes into the `if` or
`while` that follows it at once. Lines with a comment (a PTX line) are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from cass_shim.translate.ptx_hip.expressions import type_of

_WIDTH = 110
_DEFINITION = re.compile(r"^( *)const (\w+) ([A-Za-z_]\w+) = (.+);$")
_CONDITION = re.compile(r"^( *)([A-Za-z_]\w+) = (.+);$")
_TESTS = re.compile(r"^( *(?:\} while|if) \()(!?)([A-Za-z_]\w*)(\).*)$")
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+)?")
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_LITERAL = {"u32": r"(?:0x[\da-f]+|\d+)u", "u64": r"(?:0x[\da-f]+|\d+)ul", "i32": r"\d+", "i64": r"\d+l"}
_INTEGERS = ("u32", "i32", "u64", "i64")
_FLIPPED = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
_SIGNED_ZERO = re.compile(r"(?<![\w)])\(i(32|64)\)(\((?:[^()]|\(\))+\)|[\w.]+)(?= [=!]= 0\b)")
_BREAKS = re.compile(r"^ *if \((.+)\) break;$")
_NEGATED = re.compile(r"^( *(?:\} while|while|if) \()!\((.*)\)(\)(?: \{|;| [^()]*;))$")
_TWICE = re.compile(r"!\(!([\w.]+)\)")
_COMPARISON = re.compile(r"([^<>=!]+) (<|>|<=|>=|==|!=) ([^<>=!]+)")
_ATOM = re.compile(r"[\w.]+(?:\(\))?|(?:\([uif]\d+\))+(?:[\w.]+|\([^()]*\))|as<\w+>\([^()]*\)")


class _Text:
    """The lines, and where each name stands. constant: names that keep their value, with their types."""

    def __init__(self, lines: list[str], types: Mapping[str, str], fields: Mapping[str, str]) -> None:
        self.lines: list[str | None] = list(lines)
        self.types = {**types, **fields}
        self.constant = dict(fields)
        self.places: dict[str, list[int]] = {}
        for number, line in enumerate(lines):
            if "const " in line:
                found = _DEFINITION.match(line)
                if found is not None and found[3] in types:
                    self.constant[found[3]] = found[2]
            for word in _WORD.findall(line):
                self.places.setdefault(word, []).append(number)

    def replace(self, name: str, value: str, number: int) -> None:
        """At one line; what the value names stands there now."""
        line = self.lines[number]
        assert line is not None
        times = _NAME.findall(line).count(name)
        self.lines[number] = _NAME.sub(
            lambda found: _fitted(line, found, value) if found[0] == name else found[0], line
        )
        for word in times * _WORD.findall(value):
            self.places.setdefault(word, []).append(number)

    def drop(self, number: int) -> None:
        """A definition that is no longer needed."""
        for word in _WORD.findall(self.lines[number] or ""):
            self.places[word].remove(number)
        self.lines[number] = None


def _fitted(line: str, found: re.Match[str], value: str) -> str:
    """A value for the place of a name: in parentheses where an operator stands beside it."""
    before, after = line[: found.start()], line[found.end() :]
    alone = before.endswith((" = ", "(", ", ")) and after.startswith((";", ")", ","))
    if alone and not before.endswith("!("):
        return value
    return value if _ATOM.fullmatch(value) else f"({value})"


def _value(text: _Text, held: str, expression: str) -> str | None:
    """An expression of constants as a value of type `held`; None when it is not one."""
    found = type_of(expression, text.constant)
    if found is None or found == held:
        return expression if found else None
    return f"({held}){expression}" if _ATOM.fullmatch(expression) else f"({held})({expression})"


def _is_copy(text: _Text, held: str, expression: str) -> bool:
    """A constant of the same type, or a literal of it."""
    return text.constant.get(expression) == held or re.fullmatch(_LITERAL.get(held, "-"), expression) is not None


def _place(text: _Text, number: int) -> None:
    """Inline the definition on a line, if it may be."""
    found = _DEFINITION.match(text.lines[number] or "")
    if found is None or found[3] not in text.constant:
        return
    _, held, name, expression = found.groups()
    uses = [place for place in text.places[name] if place != number]
    if not uses and type_of(expression, text.constant) is not None:
        text.drop(number)
    if any(text.lines[place] is None or "//" in (text.lines[place] or "") for place in uses) or not uses:
        return
    value = expression if _is_copy(text, held, expression) else None
    if value is None and len(uses) == 1:
        value = _value(text, held, expression)
        if value is None and held == "bool" and uses == [number + 1]:
            tests = _TESTS.match(text.lines[number + 1] or "")
            value = expression if tests is not None and tests[3] == name else None
        if value is None or len(text.lines[uses[0]] or "") + len(value) > _WIDTH:
            return
    if value is not None:
        text.drop(number)
        for place in dict.fromkeys(uses):
            text.replace(name, value, place)


def _test_of_loop(text: _Text, number: int) -> str:
    """A condition that is assigned just before the `while` that reads it, and nowhere else: the name, "" if not so."""
    found, tests = (
        _CONDITION.match(text.lines[number] or ""),
        _TESTS.match(text.lines[number + 1] or "") if number + 1 < len(text.lines) else None,
    )
    if found is None or tests is None or tests[3] != found[2] or "} while" not in tests[1]:
        return ""
    name, indent = found[2], len(found[1])
    if sorted(text.places[name]) != [number, number + 1] or len(found[3]) > _WIDTH - 20 or "//" in found[3]:
        return ""
    at = number - 1
    inside: set[str] = set()
    while at >= 0 and (text.lines[at] is None or len(line := text.lines[at] or "") - len(line.lstrip()) >= indent):
        definition = _DEFINITION.match(text.lines[at] or "")
        if definition is not None or re.match(r" *(?:auto|bool|\w+\d+) \w+ =", text.lines[at] or ""):
            inside.update(_WORD.findall((text.lines[at] or "").split(" = ")[0]))
        at -= 1
    if inside & set(_WORD.findall(found[3])):
        return ""
    value = found[3]
    text.drop(number)
    text.replace(name, value, number + 1)
    return name


def _while_loops(lines: list[str]) -> list[str]:
    """A loop that begins with its test."""
    result: list[str] = []
    for line in lines:
        breaks = _BREAKS.match(line) if result and result[-1].endswith("for (;;) {") else None
        if breaks is None:
            result.append(line)
        else:
            held = breaks[1] if breaks[1].isidentifier() else f"({breaks[1]})"
            result[-1] = result[-1].replace("for (;;)", f"while (!{held})")
    return result


def _between_conditions(expression: str, types: Mapping[str, str]) -> int:
    """Where `==` or `!=` stands between two conditions, 0 if it does not."""
    depth = 0
    for at, character in enumerate(expression):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0 and expression[at : at + 4] in (" == ", " != "):
            sides = expression[:at], expression[at + 4 :]
            return at + 1 if all(type_of(side, types) == "bool" for side in sides) else 0
    return 0


def _plain_zero(line: str, types: Mapping[str, str]) -> str:
    """`(i32)(x) == 0` as `x == 0`: no sign matters there."""
    found = _SIGNED_ZERO.search(line) if "= 0" in line else None
    if found is None or type_of(found[2], types) != f"u{found[1]}":
        return line
    return f"{line[: found.start()]}{found[2]}{line[found.end(2) :]}"


def _flip(line: str, types: Mapping[str, str]) -> str:
    """`!(a < b)` as `a >= b`, of integers; of two sides without comparisons in them."""
    if "!(" not in line:
        return line
    line = _TWICE.sub(r"\1", line)
    found = _NEGATED.match(line)
    if found is not None and (at := _between_conditions(found[2], types)):
        return f"{found[1]}{found[2][:at]}{_FLIPPED[found[2][at : at + 2]]}{found[2][at + 2 :]}{found[3]}"
    parts = _COMPARISON.fullmatch(found[2]) if found else None
    if found is None or parts is None:
        return line
    if type_of(parts[1], types) not in _INTEGERS or type_of(parts[3], types) not in _INTEGERS:
        return line
    return f"{found[1]}{parts[1]} {_FLIPPED[parts[2]]} {parts[3]}{found[3]}"


def inline_values(
    lines: list[str], types: Mapping[str, str], fields: Mapping[str, str]
) -> tuple[list[str], frozenset[str]]:
    """The lines with fewer names, and names that need no declaration any more.

    types: C++ type of each register's name. fields: of what never changes: `p.…` that holds a parameter, the addresses
    of variables.
    """
    text = _Text(lines, types, fields)
    for number, line in enumerate(lines):
        if line.lstrip().startswith("const "):
            _place(text, number)
    loops = [number - 1 for number, line in enumerate(lines) if "} while (" in line]
    gone = frozenset(filter(None, (_test_of_loop(text, number) for number in loops)))
    left = _while_loops([line for line in text.lines if line is not None])
    return [_flip(_plain_zero(line, text.types), text.types) for line in left], gone
