"""Which token may follow: a grammar of our own model's answers, from the opcode rows and the rules of its names.

In: the tokens of an answer, one after another. Out: before each, the set of those that are possible there; every other
one has probability 0. Possible is what the assembler could take (`forms.py`) and what the language allows: a value's
name is known or the next one, a label is defined once, and an answer ends when every label and value it speaks of
has been defined.
"""

from __future__ import annotations

import functools
from collections.abc import Generator
from dataclasses import dataclass, field

from cass_shim.model.errors import Rejected
from cass_shim.translate.cass.fields import Line
from cass_shim.translate.cass.forms import Form, Kind, forms
from cass_shim.translate.cass.registers import FIXED, Register, places
from cass_shim.translate.cass.vocabulary import END, NAMES, NEWLINE, NUMBERS, Vocabulary

STRIDE = 4  # names that a new one may leave out: ranges keep their alignment (registers.alignment)
AHEAD = 16  # labels that a branch may leave out: nested blocks further down
_REALS = frozenset({"0.5", "1.0", "2.0", "4.0", "0.15915494309189532"})
_MODIFIERS = (
    "offset", "offset0", "offset1", "glc", "slc", "dlc", "gds", "clamp", "op_sel", "op_sel_hi", "neg_lo", "neg_hi",
    "mul", "div", "row_shl", "row_shr", "quad_perm", "row_mask", "bank_mask", "bound_ctrl", "fi",
)  # fmt: skip
_TAIL = frozenset({*_MODIFIERS, *":-[],", "0x", *NUMBERS})

Allowed = frozenset[str]
Step = Generator[Allowed, str, str]  # yields what may come, is sent what came; returns the token that it could not use


@functools.lru_cache(4096)
def numbers(low: int, high: int) -> Allowed:
    """Number tokens from low to high."""
    return frozenset(NAMES[max(0, low) : high + 1])


@dataclass(slots=True)
class _Known:
    """What an answer has spoken of so far. high: the highest name of each class."""

    high: dict[str, int] = field(default_factory=lambda: {kind: count - 1 for kind, count in FIXED.items()})
    written: set[Register] = field(default_factory=set)
    awaited: list[tuple[Register, ...]] = field(default_factory=list)
    defined: set[int] = field(default_factory=set)
    mentioned: set[int] = field(default_factory=set)

    def take(self, line: Line) -> None:
        """A whole line: its registers are known from here on."""
        for place in sorted(places(line), key=lambda place: place.written):
            each = tuple(place.registers())
            self.high[place.kind] = max(self.high[place.kind], each[-1][1])
            if place.written:
                self.written.update(each)
            elif not self._is_known(each):
                self.awaited.append(each)

    def _is_known(self, each: tuple[Register, ...]) -> bool:
        return any(one in self.written or one[1] < FIXED[one[0]] for one in each)

    def complete(self) -> bool:
        """Whether every label that is branched to and every value that is read has been defined."""
        if self.mentioned - self.defined:
            return False
        self.awaited = [each for each in self.awaited if not self._is_known(each)]
        return not self.awaited


class Mask:
    """One answer on its way. in_order: labels are numbered as they are defined (contract fields-2)."""

    def __init__(self, vocabulary: Vocabulary, in_order: bool) -> None:
        self.known = _Known()
        self.in_order = in_order
        self.words = frozenset(vocabulary.tokens)
        self.starts = (frozenset(forms()) & self.words) | {"L"}
        self.steps = self._answer()
        self.allowed: Allowed = next(self.steps)

    def take(self, token: str) -> None:
        """The next token of the answer, which must be one of `allowed`. A line that means nothing ends the answer."""
        try:
            self.allowed = self.steps.send(token)
        except (StopIteration, Rejected):
            self.allowed = frozenset()

    def _answer(self) -> Generator[Allowed, str, None]:
        while True:
            token = yield self.starts
            if token == "L":
                token = yield from self._definition()
            else:
                line = [token]
                token = yield from self._instruction(forms()[token], line)
                self.known.take(line)
            if token == END:
                return

    def _definition(self) -> Step:
        known = self.known
        if self.in_order:
            allowed = numbers(len(known.defined), len(known.defined))
        else:
            met = max((*known.defined, *known.mentioned), default=-1)
            allowed = numbers(0, met + 1) - {f"#{one}" for one in known.defined}
        number = yield allowed
        known.defined.add(int(number[1:]))
        yield frozenset({":"})
        return (yield frozenset({NEWLINE}))

    def _instruction(self, form: Form, line: Line) -> Step:
        """All of a line behind its mnemonic; returns the line's end."""
        token = ""
        if form.operands is None:
            token = yield self._ends(line) | (self.words - self.starts - {END})
            while token not in (NEWLINE, END):
                line.append(token)
                token = yield self._ends(line) | (self.words - self.starts - {END})
            return token
        for position, kind in enumerate(form.operands):
            if position:
                more = frozenset({","})
                if position >= form.least:
                    more |= self._ends(line) | _TAIL
                if not token:
                    token = yield more
                if token != ",":
                    break
                line.append(token)
            token = yield from self._operand(kind, line, position + 1 < form.least)
        if not token:
            token = yield self._ends(line) | _TAIL
        while token not in (NEWLINE, END):
            line.append(token)
            token = yield self._ends(line) | _TAIL
        return token

    def _ends(self, line: Line) -> Allowed:
        """The line's end, and the answer's where nothing is left open."""
        if line[0] in ("s_endpgm", "s_branch", "s_setpc_b64", "s_trap") and self.known.complete():
            return frozenset({NEWLINE, END})
        return frozenset({NEWLINE})

    def _operand(self, kind: Kind, line: Line, is_followed: bool) -> Step:
        """One operand; returns the token behind it where it had to be seen, else ""."""
        opening = _openings(kind) & self.words
        token = yield opening
        closing: list[str] = []
        while token in ("-", "|", "neg", "(", "~"):
            line.append(token)
            if token in ("|", "("):
                closing.insert(0, "|" if token == "|" else ")")
            token = yield opening if token != "neg" else frozenset({"("})
        line.append(token)
        behind = ""
        if token == "L":
            line.append((yield self._targets()))
            self.known.mentioned.add(int(line[-1][1:]))
        elif token in _classes(kind):
            line.append((yield self._names(token)))
        elif token == "0x":
            behind = yield from self._literal(line, closing, is_followed)
        for mark in closing:
            token = behind or (yield frozenset({mark}))
            behind = ""
            line.append(token)
        return behind

    def _literal(self, line: Line, closing: list[str], is_followed: bool) -> Step:
        """The bytes of a number, most significant first; returns the token behind them."""
        line.append((yield numbers(1, 255)))
        for _ in range(3):
            after = frozenset(closing[:1]) if closing else frozenset({","}) if is_followed else self._behind(line)
            token = yield numbers(0, 255) | after
            if token not in NUMBERS:
                return token
            line.append(token)
        return ""

    def _behind(self, line: Line) -> Allowed:
        return self._ends(line) | (_TAIL - frozenset(NUMBERS))

    def _targets(self) -> Allowed:
        known = self.known
        met = len(known.defined) - 1 if self.in_order else max((*known.defined, *known.mentioned), default=-1)
        return numbers(0, met + (AHEAD if self.in_order else 1))

    def _names(self, token: str) -> Allowed:
        """Numbers of a register of this class and width."""
        letter, _, width = token.partition("*")
        size = int(width or 1)
        return numbers(0, self.known.high[letter] + STRIDE) - _straddling(letter, size)


@functools.cache
def _straddling(letter: str, size: int) -> Allowed:
    """Ranges may not tie what the hardware fills to names (registers.allocate)."""
    return numbers(FIXED[letter] - size + 1, FIXED[letter] - 1) if size > 1 else frozenset()


@functools.cache
def _classes(kind: Kind) -> Allowed:
    return frozenset(letter if width == 1 else f"{letter}*{width}" for letter, width in kind.registers)


@functools.cache
def _openings(kind: Kind) -> Allowed:
    """Tokens that an operand may begin with."""
    found = _classes(kind) | kind.names
    if kind.constant:
        found |= {"0x", "-"} | _REALS | frozenset(NUMBERS)
    if kind.signs:
        found |= {"-", "|", "neg", "("}
    if kind.label:
        found |= {"L"}
    return found
