"""A small evaluator for the instruction pseudocode of AMD's RDNA3 manual, as the tinygrad wheel carries it.

Test-time only: the text is never copied into this project. In: one instruction's text and its operand bits. Out: the
operands after it ran. Integers keep their exact value until they are assigned; floats are numpy scalars of their type.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from tests.isa.amd_numbers import (
    FLOAT,
    FUNCTIONS,
    TYPE,
    Int,
    NotCovered,
    apply,
    as_float,
    literal,
    number,
    to_bits,
    truth,
    typed,
)

TOKEN = re.compile(
    r"\d+'[UIFB]\b|\d+'[0-9][0-9a-fA-Fx]*[UL]*|0x[0-9a-fA-F]+[UL]*|\d+\.\d+F?|\d+[UL]*(?![0-9'])|[A-Za-z_]\w*|"
    r"\*\*|\|\||&&|<>|==|!=|<=|>=|<<|>>|\+:|[-+*/%<>=!~?:.,()\[\]{}|&^]"
)


class Evaluator:
    """One run over a set of named registers (bit patterns)."""

    def __init__(self, registers: dict[str, int], helpers: dict[str, str] | None = None) -> None:
        self.bits = dict(registers)
        self.locals: dict[str, Any] = {}
        self.lambdas: dict[str, tuple[list[str], str]] = {}
        self.helpers = helpers or {}

    # ---- statements ----
    def run(self, text: str) -> Any:
        """Executes a text; returns what a `return` gives."""
        return self.block(self.lines(text))

    def lines(self, text: str) -> list[str]:
        """Logical lines: comments gone, one statement each, lambdas collected."""
        text = re.sub(r"//[^\n]*", "", text)
        text = self.collect_lambdas(text)
        out, held = [], ""
        for line in text.split("\n"):
            held = f"{held} {line.strip()}".strip()
            if held.count("(") + held.count("{") > held.count(")") + held.count("}"):
                continue
            if held:
                out += [part.strip() for part in held.split(";") if part.strip()]
            held = ""
        return out

    def collect_lambdas(self, text: str) -> str:
        """Takes `NAME = lambda(a, b) ( body );` out of a text."""
        while head := re.search(r"(\w+) = lambda\(([^)]*)\) \(", text):
            depth, end = 1, head.end()
            while depth:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            names = [name.strip() for name in head.group(2).split(",")]
            self.lambdas[head.group(1)] = (names, text[head.end() : end - 1].strip())
            text = text[: head.start()] + text[end:].lstrip("; \n")
        return text

    def block(self, lines: list[str]) -> Any:
        i = 0
        while i < len(lines):
            line = lines[i]
            if line.startswith("if ") and line.endswith("then"):
                arms, end = self.split_if(lines, i)
                for condition, body in arms:
                    if condition is None or truth(self.expression(condition)):
                        result = self.block(body)
                        if result is not None:
                            return result
                        break
                i = end
            elif line.startswith("for "):
                i, result = self.loop(lines, i)
                if result == "break":
                    continue
            elif line == "break":
                return "break"
            elif line.startswith("return "):
                return self.expression(line[7:])
            elif line.startswith("declare "):
                name = re.match(r"declare (\w+)", line)
                assert name
                if name.group(1) not in self.bits:
                    self.locals[name.group(1)] = {} if "[" in line else Int(0)
                i += 1
                continue
            else:
                self.assignment(line)
            i += 1
        return None

    def split_if(self, lines: list[str], start: int) -> tuple[list[tuple[str | None, list[str]]], int]:
        arms: list[tuple[str | None, list[str]]] = [(lines[start][3:-4], [])]
        depth, i = 0, start
        while True:
            i += 1
            line = lines[i]
            if line.startswith("if ") and line.endswith("then"):
                depth += 1
            elif line == "endif":
                if depth == 0:
                    return arms, i
                depth -= 1
            elif depth == 0 and line.startswith("elsif "):
                arms.append((line[6:-4], []))
                continue
            elif depth == 0 and line == "else":
                arms.append((None, []))
                continue
            arms[-1][1].append(line)

    def loop(self, lines: list[str], start: int) -> tuple[int, Any]:
        head = re.match(r"for (\w+) in (.+?) : (.+?) do$", lines[start])
        if not head:
            raise NotCovered(lines[start])
        depth, end = 0, start
        while True:
            end += 1
            if lines[end].startswith("for "):
                depth += 1
            elif lines[end] == "endfor":
                if depth == 0:
                    break
                depth -= 1
        first, last = (number(self.expression(head.group(k))) for k in (2, 3))
        for value in range(int(first), int(last) + 1):
            self.locals[head.group(1)] = Int(value)
            if self.block(lines[start + 1 : end]) == "break":
                break
        return end + 1, "break"

    def assignment(self, line: str) -> None:
        match = re.match(r"^([^=]+?)\s*([-+|&]?)=(?!=)\s*(.*)$", line)
        if not match:
            raise NotCovered(line)
        target, op, source = match.groups()
        value = self.expression(f"({target}) {op} ({source})" if op else source)
        self.store(target.strip(), value)

    def store(self, target: str, value: Any) -> None:
        if lane := re.match(r"^(\w+)\.[ub](?:32|64)\[(.*)\]$", target):
            self.store_slice(lane.group(1), lane.group(2), value, None)
            return
        match = re.match(r"^(\w+)((?:\[.*?\])?)(?:\.(\w+))?$", target)
        if not match:
            raise NotCovered(target)
        name, index, kind = match.groups()
        if kind and (found := TYPE.match(kind)):
            width = int(found.group(2))
            if found.group(1) == "bf":
                raise NotCovered("bf16 result")
            if found.group(1) == "f":
                value = as_float(value, width) if not isinstance(value, Int) else FLOAT[width](value.value)
        elif kind:
            raise NotCovered(kind)
        else:
            width = 64
        if index:
            self.store_slice(name, index[1:-1], value, kind)
        elif name in self.bits:
            self.bits[name] = to_bits(value, width)
        else:
            self.locals[name] = typed(to_bits(value, width), kind) if kind else value

    def store_slice(self, name: str, index: str, value: Any, kind: str | None) -> None:
        if ":" in re.sub(r"\[.*?\]", "", index):
            high, low = (int(number(self.expression(part))) for part in index.split(":"))
        else:
            high = low = int(number(self.expression(index)))
        holder = self.bits if name in self.bits else self.locals
        if isinstance(holder.get(name), dict):
            holder[name][low] = value
            return
        old = to_bits(holder.get(name, Int(0)), 128)
        mask = ((1 << (high - low + 1)) - 1) << low
        new = (old & ~mask) | (to_bits(value, 128) << low & mask)
        holder[name] = new if holder is self.bits else Int(new, 64)

    # ---- expressions ----
    def expression(self, text: str) -> Any:
        self.tokens = TOKEN.findall(text)
        if "".join(self.tokens) != re.sub(r"\s", "", text):
            raise NotCovered(text)
        saved = self.tokens
        self.at = 0
        value = self.ternary()
        if self.at != len(saved):
            raise NotCovered(text)
        return value

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if wanted and token != wanted:
            raise NotCovered(f"{token} for {wanted}")
        self.at += 1
        return token

    def ternary(self) -> Any:
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.take()
        yes = self.ternary()
        self.take(":")
        no = self.ternary()
        return yes if truth(condition) else no

    LEVELS = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!=", "<>"), ("<", "<=", ">", ">="), ("<<", ">>"),
              ("+", "-"), ("*", "/", "%"), ("**",))  # fmt: skip

    def binary(self, level: int) -> Any:
        if level == len(self.LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in self.LEVELS[level]:
            op = self.take()
            left = apply(op, left, self.binary(level + 1))
        return left

    def unary(self) -> Any:
        op = self.peek()
        if op in ("-", "!", "~", "+"):
            self.take()
            x = self.unary()
            if op == "!":
                return Int(int(not truth(x)), 1)
            if op == "~":
                return Int(~x.value & ((1 << x.width) - 1), x.width)
            if op == "-":
                return Int(-x.value, x.width, True) if isinstance(x, Int) else -x
            return x
        return self.postfix()

    def postfix(self) -> Any:
        value = self.primary()
        while self.peek() in (".", "["):
            if self.take() == ".":
                kind = self.take()
                value = typed(to_bits(value, 128), kind)
                continue
            if isinstance(value, dict):
                value = value[int(number(self.ternary()))]
                self.take("]")
                continue
            high = int(number(self.ternary()))
            if self.peek() == ":":
                self.take()
                low = int(number(self.ternary()))
            elif self.peek() == "+:":
                self.take()
                low, high = high, high + int(number(self.ternary())) - 1
            else:
                low = high
            self.take("]")
            if high < low:  # [0 : 31] reverses
                text = f"{to_bits(value, 128) >> high & ((1 << (low - high + 1)) - 1):0{low - high + 1}b}"
                value = Int(int(text[::-1], 2), low - high + 1)
                continue
            width = high - low + 1
            value = Int(to_bits(value, 128) >> low & ((1 << width) - 1), width)
        return value

    def primary(self) -> Any:
        token = self.take()
        if token == "(":
            value = self.ternary()
            self.take(")")
            return value
        if token == "{":
            parts = [self.ternary()]
            while self.peek() == ",":
                self.take()
                parts.append(self.ternary())
            self.take("}")
            total, width = 0, 0
            for part in parts:
                total = total << part.width | to_bits(part, part.width)
                width += part.width
            return Int(total, width)
        if re.match(r"^\d+'[UIFB]$", token):
            return self.cast(token)
        if match := re.match(r"^(\d+)'(0x[0-9a-fA-F]+|\d+)", token):
            return Int(int(match.group(2), 0), int(match.group(1)))
        if token[0].isdigit():
            return literal(token)
        if self.peek() == "(":
            return self.call(token)
        return self.name(token)

    def cast(self, token: str) -> Any:
        width, letter = int(token[:-2]), token[-1]
        self.take("(")
        x = self.ternary()
        self.take(")")
        if letter == "F":
            if isinstance(x, Int) and x.value > 0xF000:
                return typed(x.value, f"f{width}")
            with np.errstate(all="ignore"):
                return as_float(x, width)
        if letter == "B":
            return Int(to_bits(x, width), width)
        return Int(int(number(x)) if letter == "I" else int(number(x)) & ((1 << width) - 1), width, letter == "I")

    def call(self, name: str) -> Any:
        self.take("(")
        arguments = []
        while self.peek() != ")":
            arguments.append(self.ternary())
            if self.peek() == ",":
                self.take()
        self.take(")")
        if name in self.lambdas:
            return self.inner(self.lambdas[name], arguments)
        if name == "isSignalNAN" or name == "isQuietNAN":
            raise NotCovered(name)
        if name in self.helpers:
            return self.helper(name, arguments)
        if name not in FUNCTIONS:
            raise NotCovered(name)
        with np.errstate(all="ignore"):
            return FUNCTIONS[name](*arguments)

    def inner(self, what: tuple[list[str], str], arguments: list[Any]) -> Any:
        names, body = what
        child = Evaluator(self.bits, self.helpers)
        child.lambdas = self.lambdas
        child.locals = dict(zip(names, arguments, strict=True))
        saved = self.tokens, self.at
        result = child.run(body) if "return" in body else child.expression(" ".join(body.split()))
        self.tokens, self.at = saved
        return result

    def helper(self, name: str, arguments: list[Any]) -> Any:
        """A call of another instruction's pseudocode, such as v_max_f32."""
        registers = {f"S{i}": to_bits(x, 64) for i, x in enumerate(arguments)} | {"D0": 0}
        child = Evaluator(registers, self.helpers)
        saved = self.tokens, self.at
        child.run(self.helpers[name])
        self.tokens, self.at = saved
        return typed(child.bits["D0"], re.sub(r"^.*_", "", name).replace("u8", "u32"))

    def name(self, token: str) -> Any:
        if token == "WAVE_MODE" and self.peek() == ".":
            self.take()
            self.take()
            return Int(0, 1)
        if token in ("INF", "PI"):
            return np.float64(math.inf if token == "INF" else math.pi)
        if token in self.locals:
            return self.locals[token]
        if token in self.bits:
            return Int(self.bits[token], 64)
        raise NotCovered(token)
