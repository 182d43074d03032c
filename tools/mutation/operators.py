"""Ways in which gfx1100 assembly can be wrong: one line changed as a model, a compiler or we ourselves might.

In: lines of a kernel's body and a random generator. Out: (kind, number of the line, its wrong text or "" for none).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

SWAPS = (
    ("add", "sub"), ("and", "or"), ("lshl", "lshr"), ("min", "max"), ("mul_f", "add_f"), ("_lt_", "_le_"),
    ("_gt_", "_ge_"), ("_eq_", "_ne_"), ("_i32", "_u32"), ("fma_f32", "mul_f32"), ("ashr", "lshr"), ("xor", "or"),
)  # fmt: skip
WIDTHS = (("load_b32", "load_u16"), ("store_b32", "store_b16"), ("load_u8", "load_i8"), ("store_b16", "store_b8"))
CONDITIONS = (("vccz", "vccnz"), ("execz", "execnz"), ("scc0", "scc1"))
_REGISTER = re.compile(r"\b([vs])(\d+)\b")
_NUMBER = re.compile(r"(?<=[\s,:])(-?(?:0x[0-9a-f]+|\d+))(?=$|[\s,])")
_BRANCH = re.compile(r"^\s*s_c?branch\S*\s+(\.\S+)")
WAITS, BARRIERS, EXEC = "wait", "barrier", "exec"
APART = frozenset({WAITS, BARRIERS})  # an emulator that answers at once cannot always show these

Operator = Callable[[str, random.Random, list[str]], str | None]


def _register(line: str, rng: random.Random, _: list[str]) -> str | None:
    found = list(_REGISTER.finditer(line))
    if not found:
        return None
    one = rng.choice(found)
    number = max(0, int(one[2]) + rng.choice((-1, 1)))
    return f"{line[: one.start()]}{one[1]}{number}{line[one.end() :]}" if number != int(one[2]) else None


def _opposite(pairs: tuple[tuple[str, str], ...]) -> Operator:
    def change(line: str, rng: random.Random, _: list[str]) -> str | None:
        ways = [(a, b) for pair in pairs for a, b in (pair, pair[::-1]) if a in line.split(None, 1)[0]]
        if not ways:
            return None
        old, new = rng.choice(ways)
        return line.replace(old, new, 1)

    return change


def _immediate(line: str, rng: random.Random, _: list[str]) -> str | None:
    found = [one for one in _NUMBER.finditer(line) if "delay" not in line]
    if not found:
        return None
    one = rng.choice(found)
    value = int(one[1], 0)
    return f"{line[: one.start()]}{rng.choice((value + 1, value - 1, value ^ 4))}{line[one.end() :]}"


def _target(line: str, rng: random.Random, labels: list[str]) -> str | None:
    branch = _BRANCH.match(line)
    others = [label for label in labels if branch and label != branch[1]]
    return line.replace(branch[1], rng.choice(others)) if branch and others else None


def _swapped(line: str, _: random.Random, __: list[str]) -> str | None:
    opcode, _gap, rest = line.strip().partition(" ")
    operands = [one.strip() for one in rest.split(",")]
    if len(operands) < 3 or operands[-1] == operands[-2] or "[" in rest or "::" in line:
        return None
    operands[-1], operands[-2] = operands[-2], operands[-1]
    return f"\t{opcode} {', '.join(operands)}"


def _dropped(start: str) -> Operator:
    return lambda line, _, __: "" if line.strip().startswith(start) else None


def _exec(line: str, _: random.Random, __: list[str]) -> str | None:
    return "" if re.match(r"\s*s_(or|xor|mov|and_not1)_b32 exec_lo", line) else None


def _any(line: str, _: random.Random, __: list[str]) -> str | None:
    return None if line.strip().startswith(("s_wait", "s_barrier", "s_delay", "s_set_inst", "s_endpgm")) else ""


OPERATORS: dict[str, Operator] = {
    "register": _register, "opcode": _opposite(SWAPS), "immediate": _immediate, "condition": _opposite(CONDITIONS),
    "target": _target, "operands": _swapped, "width": _opposite(WIDTHS), WAITS: _dropped("s_waitcnt"),
    BARRIERS: _dropped("s_barrier"), EXEC: _exec, "dropped": _any,
}  # fmt: skip


def body_of(text: str, symbol: str) -> tuple[int, int]:
    """First and last line (exclusive) of the kernel's instructions in assembly text."""
    lines = text.splitlines()
    begin = next(n for n, line in enumerate(lines) if line.startswith(f"{symbol}:"))
    end = next(n for n, line in enumerate(lines) if n > begin and line.strip().startswith(".section"))
    return begin + 1, end


def mutate(lines: list[str], begin: int, end: int, rng: random.Random) -> tuple[str, int, str] | None:
    """One mutant; None when the chosen operator finds nothing to change at the chosen line."""
    labels = [line.split(":")[0] for line in lines[begin:end] if line.startswith(".LBB")]
    code = [n for n in range(begin, end) if lines[n].startswith("\t") and not lines[n].strip().startswith((".", ";"))]
    kind, at = rng.choice(list(OPERATORS)), rng.choice(code)
    line = lines[at].split(";")[0].rstrip()
    changed = OPERATORS[kind](line, rng, labels)
    return (kind, at, changed) if changed is not None and changed.strip() != line.strip() else None
