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
_LITERAL = {"u32": r"(?:0x[\da-f]+|\d+)u", "u64": r"(?:0x[\da-f]+|\d+)ul", "i32": r"-?\d+", "i64": r"-?\d+l",
            "f32": r"-?\d{1,4}\.\d{1,4}f", "f64": r"-?\d{1,4}\.\d{1,4}"}  # fmt: skip
_INTEGERS = ("u32", "i32", "u64", "i64", "u16", "i16", "u8", "i8")
_NOTHING = re.compile(r"^( *const (\w+) \w+ = )([A-Za-z_]\w*) \+ 0u?l?;$")
_FLIPPED = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
# Where a condition begins, a cast whose sign a comparison with a number does not ask for, and that comparison.
_SIGNED = re.compile(r"(?:(?<=[(!])|(?<=&& )|(?<=\|\| )|(?<= = ))\(i(32|64)\)")
_EQUALS = re.compile(r" [=!]= \d+l?(?![\w.])")
_CAST_NAME = re.compile(r"(\([uif]\d+\))\((?!bool\b|[uif]\d+\b)([A-Za-z_]\w*)\)")
_PASSED = re.compile(r"^( *)(?:(?:const )?\w+ )?([A-Za-z_]\w*) = (.+);$")
_BREAKS = re.compile(r"^ *if \((.+)\) break;$")
_NEGATED = re.compile(r"^( *(?:\} while|while|if) \()!\((.*)\)(\)(?: \{|;| [^()]*;))$")
_TWICE = re.compile(r"!\(!([\w.]+)\)")
_TWICE_AROUND = re.compile(r"^( *(?:\} while|while|if) \()!\(!\((.+)\)\)(\)(?: \{|;| [^()]*;))$")
_MINUS = re.compile(r"(-\d+)l?")
_PART_OF = re.compile(r"\w+\.[xyzw]")
_STORED = re.compile(r"^( *ptx_st_\w+<(\w+)>\(.*, )\(\2\)([A-Za-z_]\w*\);)$")
_DEFINED = re.compile(r" *(?:const )?(?:auto|bool|[uif]\d+) (\w+) =")
_UPDATE = re.compile(r"^( *)([A-Za-z_]\w*) = \2 ([-+*&|^]|<<|>>) ([\w.]+);$")
_PART = re.compile(
    r"\((?P<left>[^()&|]+?) (?P<how><|>|<=|>=|==|!=) (?P<right>[^()&|]+)\)|(?P<no>!?)(?P<name>[A-Za-z_]\w*)"
)
_TESTED = re.compile(r"^( *)if \((.+)\) \{$")
_COMPARISON = re.compile(r"([^<>=!]+) (<|>|<=|>=|==|!=) ([^<>=!]+)")
_CASTS = re.compile(r"(?:\([uif]\d+\))*")
_OPERAND = re.compile(r"[\w.]+|(?:[\w.]+|as<\w+>)?(?=\()")


def _is_atom(text: str) -> bool:
    """A name, a literal, a call or something in parentheses, with casts before it."""
    casts = _CASTS.match(text)
    assert casts is not None
    operand = _OPERAND.match(text, casts.end())
    if operand is None:
        return False
    depth = 0
    for at in range(operand.end(), len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at == len(text) - 1
    return operand.end() == len(text)


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
    alone = before.endswith((" = ", "(", ", ", "return ")) and after.startswith((";", ")", ","))
    if alone and not before.endswith("!("):
        return value
    return value if _is_atom(value) else f"({value})"


def _value(text: _Text, held: str, expression: str) -> str | None:
    """An expression of constants as a value of type `held`; None when it is not one."""
    found = type_of(expression, text.constant)
    if found is None or found == held:
        return expression if found else None
    return f"({held}){expression}" if _is_atom(expression) else f"({held})({expression})"


def _is_copy(text: _Text, held: str, expression: str) -> bool:
    """A constant of the same type, or a literal of it."""
    return text.constant.get(expression) == held or re.fullmatch(_LITERAL.get(held, "-"), expression) is not None


def _unchanged(text: _Text, number: int, place: int, expression: str) -> bool:
    """Whether between the two lines only registers that are not in the expression get values, from such."""
    words = set(_WORD.findall(expression))
    indent = len(text.lines[number] or "") - len((text.lines[number] or "").lstrip())
    for line in text.lines[number + 1 : place]:
        found = _PASSED.match(line) if line is not None else None
        if line is None:
            continue
        if found is None or len(found[1]) != indent or found[2] in words or "//" in line:
            return False
        if found[3] not in ("true", "false") and type_of(found[3], text.types) is None:
            return False
    return True


def _place(text: _Text, number: int) -> None:
    """Inline the definition on a line, if it may be."""
    found = _DEFINITION.match(text.lines[number] or "")
    if found is None or found[3] not in text.constant:
        return
    _, held, name, expression = found.groups()
    if held in ("u32", "u64") and (minus := _MINUS.fullmatch(expression)):
        expression = f"{int(minus[1]) & ((1 << int(held[1:])) - 1):#x}u{'l' * (held == 'u64')}"
    uses = [place for place in text.places[name] if place != number]
    if not uses and (type_of(expression, text.constant) is not None or _PART_OF.fullmatch(expression)):
        text.drop(number)
    elif not uses and expression.startswith("ptx_atom"):
        text.lines[number] = f"{found[1]}{expression};"
    if any(text.lines[place] is None or "//" in (text.lines[place] or "") for place in uses) or not uses:
        return
    value = expression if _is_copy(text, held, expression) else None
    if value is None and len(uses) == 1:
        value = _value(text, held, expression)
        if value is None and held == "bool":
            tests = _TESTS.match(text.lines[uses[0]] or "")
            if tests is not None and tests[3] == name and _unchanged(text, number, uses[0], expression):
                value = expression
        if value is None or len(text.lines[uses[0]] or "") + len(value) > _WIDTH:
            return
    if value is not None:
        text.drop(number)
        for place in dict.fromkeys(uses):
            text.replace(name, value, place)


def _assigned_before(text: _Text, end: int, name: str) -> tuple[int, str] | None:
    """Where `name` gets its value above the line `end`, and the value: only assignments of registers that are not in
    it stand between."""
    skipped: set[str] = set()
    for number in range(end - 1, -1, -1):
        line = text.lines[number]
        if line is None:
            continue
        found = _CONDITION.match(line)
        if found is None or "//" in line:
            return None
        if found[2] == name:
            stays = not skipped or type_of(found[3], text.types) is not None
            return (number, found[3]) if stays and not skipped & set(_WORD.findall(found[3])) else None
        skipped.add(found[2])
    return None


def _test_of_loop(text: _Text, end: int) -> str:
    """The condition of a `while` at a line that is assigned shortly before it and nowhere else: its name, or "" ."""
    tests = _TESTS.match(text.lines[end] or "")
    found = _assigned_before(text, end, tests[3]) if tests is not None and "} while" in tests[1] else None
    if tests is None or found is None:
        return ""
    number, value = found
    name, indent = tests[3], len(tests[1]) - len(tests[1].lstrip()) + 4
    if sorted(text.places[name]) != [number, end] or len(value) > _WIDTH - 20:
        return ""
    at = end - 1
    inside: set[str] = set()
    while at >= 0 and (text.lines[at] is None or len(line := text.lines[at] or "") - len(line.lstrip()) >= indent):
        definition = _DEFINED.match(text.lines[at] or "")
        if definition is not None:
            inside.add(definition[1])
        at -= 1
    if inside & set(_WORD.findall(value)):
        return ""
    text.drop(number)
    text.replace(name, value, end)
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


def _end_of_operand(line: str, at: int) -> int:
    """Behind a name or what stands in parentheses."""
    if line[at : at + 1] != "(":
        found = re.compile(r"[\w.]*").match(line, at)
        assert found is not None
        return found.end()
    depth = 0
    for end in range(at, len(line)):
        depth += {"(": 1, ")": -1}.get(line[end], 0)
        if depth == 0:
            return end + 1
    return at


def _plain_numbers(line: str, types: Mapping[str, str]) -> str:
    """`(i32)(x) == 4` as `x == 4`: no sign matters there."""
    found = _SIGNED.search(line) if "= " in line else None
    if found is None:
        return line
    end = _end_of_operand(line, found.end())
    operand = line[found.end() : end]
    if operand and _EQUALS.match(line, end) and type_of(operand, types) == f"u{found[1]}":
        return f"{line[: found.start()]}{operand}{line[end:]}"
    return line


def _negated(expression: str, types: Mapping[str, str]) -> str:
    """`(a >= b) || p` as `a < b && !p`, what is true where it is not; "" where a part is no comparison of integers."""
    for joint, other in ((" || ", " && "), (" && ", " || ")):
        parts = expression.split(joint)
        found = [_PART.fullmatch(part) for part in parts]
        if len(parts) < 2 or None in found:
            continue
        told = []
        for part in filter(None, found):
            sides = (part["left"], part["right"]) if part["how"] else ()
            if any(type_of(side, types) not in _INTEGERS for side in sides):
                return ""
            flipped = f"{part['left']} {_FLIPPED.get(part['how'], '')} {part['right']}"
            told.append(flipped if sides else f"{'' if part['no'] else '!'}{part['name']}")
        return other.join(told)
    return ""


def _flip(line: str, types: Mapping[str, str]) -> str:
    """`!(a < b)` as `a >= b`, of integers; of two sides without comparisons in them."""
    if "!(" not in line:
        return line
    line = _TWICE.sub(r"\1", line)
    around = _TWICE_AROUND.match(line)
    if around is not None and _is_atom(f"({around[2]})"):
        line = f"{around[1]}{around[2]}{around[3]}"
    found = _NEGATED.match(line)
    if found is not None and (at := _between_conditions(found[2], types)):
        return f"{found[1]}{found[2][:at]}{_FLIPPED[found[2][at : at + 2]]}{found[2][at + 2 :]}{found[3]}"
    if found is not None and (negated := _negated(found[2], types)):
        return f"{found[1]}{negated}{found[3]}"
    parts = _COMPARISON.fullmatch(found[2]) if found else None
    if found is None or parts is None:
        return line
    if type_of(parts[1], types) not in _INTEGERS or type_of(parts[3], types) not in _INTEGERS:
        return line
    return f"{found[1]}{parts[1]} {_FLIPPED[parts[2]]} {parts[3]}{found[3]}"


def _rotated(lines: list[str]) -> list[str]:
    """`if (c) { do { … } while (c); }` as `while (c) { … }`."""
    result: list[str] = []
    number = 0
    while number < len(lines):
        tests = _TESTED.match(lines[number])
        end = 0
        if tests is not None and number + 1 < len(lines) and lines[number + 1] == f"{tests[1]}    do {{":
            closing = f"{tests[1]}    }} while ("
            end = next(at for at in range(number + 2, len(lines)) if lines[at].startswith(closing))
            end = end if lines[end : end + 2] == [f"{closing}{tests[2]});", f"{tests[1]}}}"] else 0
        if tests is None or not end:
            result.append(lines[number])
            number += 1
            continue
        inside = _rotated(lines[number + 2 : end])
        result.append(f"{tests[1]}while ({tests[2]}) {{")
        result += [line.removeprefix("    ") for line in inside]
        result.append(f"{tests[1]}}}")
        number = end + 2
    return result


def _plain_sum(line: str, types: Mapping[str, str]) -> str:
    """`const u64 a = b + 0ul` as a copy."""
    found = _NOTHING.match(line) if " + 0u" in line else None
    return f"{found[1]}{found[3]};" if found is not None and types.get(found[3]) == found[2] else line


def inline_values(
    lines: list[str], types: Mapping[str, str], fields: Mapping[str, str]
) -> tuple[list[str], frozenset[str]]:
    """The lines with fewer names, and names that need no declaration any more.

    types: C++ type of each register's name. fields: of what never changes: `p.…` that holds a parameter, the addresses
    of variables.
    """
    lines = [_plain_sum(line, types) for line in lines]
    text = _Text(lines, types, fields)
    for number, line in enumerate(lines):
        if line.lstrip().startswith("const "):
            _place(text, number)
    loops = [number for number, line in enumerate(lines) if "} while (" in line]
    gone = frozenset(filter(None, (_test_of_loop(text, number) for number in loops)))
    left = _while_loops([line for line in text.lines if line is not None])
    flipped = [_flip(_plain_numbers(line, text.types), text.types) for line in left]
    plain = [_CAST_NAME.sub(r"\1\2", line) for line in flipped]
    stored = [_STORED.sub(r"\1\3", line) for line in plain]  # the function's type converts as well
    return [_UPDATE.sub(r"\1\2 \3= \4;", line) for line in _rotated(stored)], gone
