"""The words of our own model: fields to numbers and back.

In: lines of fields, or text with one blank between fields. Out: token ids. A vocabulary is the JSON file
`vocabulary.json` beside the weights: special tokens first, then the numbers #0 to #255, then words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from cass_shim.model.errors import Malformed, Unsupported

FILE = "vocabulary.json"
PAD, START, ANSWER, END, NEWLINE = "<pad>", "<start>", "<answer>", "<end>", "<newline>"
SPECIAL = (PAD, START, ANSWER, END, NEWLINE)
_SPARE = "<spare "
MULTIPLE = 256  # of a vocabulary's size
NUMBERS = tuple(f"#{value}" for value in range(256))
NAMES = tuple(f"#{value}" for value in range(512))  # what a register of an answer may be called; the first are NUMBERS


class Vocabulary:
    """Tokens by id. Ids are positions in `tokens`."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tuple(tokens)
        self.ids = {token: number for number, token in enumerate(self.tokens)}
        fixed = (*SPECIAL, *NUMBERS)
        if self.tokens[: len(fixed)] != fixed or len(self.ids) != len(self.tokens):
            raise Malformed("special tokens and numbers are not where they belong", where=FILE)

    @classmethod
    def of_words(cls, words: Iterable[str]) -> Vocabulary:
        """A vocabulary of these words, in alphabetical order behind what every vocabulary has.

        Spare tokens fill it up: sets of nearly the same words then give networks of one shape.
        """
        tokens = [*SPECIAL, *NUMBERS, *sorted(set(words) - set(NUMBERS))]
        return cls([*tokens, *(f"{_SPARE}{number}>" for number in range(-len(tokens) % MULTIPLE))])

    def extended(self, words: Iterable[str]) -> Vocabulary:
        """With these words too, first in place of spare tokens; every other token keeps its number."""
        new = iter(sorted(set(words) - set(self.tokens)))
        tokens = [next(new, one) if one.startswith(_SPARE) else one for one in self.tokens]
        tokens += new
        return Vocabulary(
            [*tokens, *(f"{_SPARE}{number}>" for number in range(len(tokens), -(-len(tokens) // MULTIPLE) * MULTIPLE))]
        )

    @classmethod
    def read(cls, folder: Path) -> Vocabulary:
        """The vocabulary of a checkpoint. Raises Malformed."""
        try:
            tokens = json.loads((folder / FILE).read_text())["tokens"]
            return cls([str(token) for token in tokens])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Malformed(f"no vocabulary: {error}", where=str(folder / FILE)) from error

    def write(self, folder: Path) -> None:
        """Into a checkpoint's folder."""
        (folder / FILE).write_text(json.dumps({"format": 1, "tokens": self.tokens}, indent=0) + "\n")

    def encode(self, text: str) -> list[int]:
        """Fields of text, line ends included between lines. Raises Unsupported for a word that training never saw."""
        found: list[int] = []
        for number, line in enumerate(text.split("\n")):
            if number:
                found.append(self.ids[NEWLINE])
            for token in line.split():
                if token not in self.ids:
                    raise Unsupported(token, why="the shipped model never saw this word of SASS")
                found.append(self.ids[token])
        return found

    def prompt(self, text: str) -> list[int]:
        """What stands in front of an answer."""
        return [self.ids[START], *self.encode(text), self.ids[ANSWER]]

    def decode(self, ids: Sequence[int]) -> str:
        """Text of ids up to the end token; special tokens other than line ends are left out."""
        lines: list[list[str]] = [[]]
        for one in ids:
            token = self.tokens[one] if 0 <= one < len(self.tokens) else PAD
            if token == END:
                break
            if token == NEWLINE:
                lines.append([])
            elif token not in SPECIAL:
                lines[-1].append(token)
        return "\n".join(" ".join(line) for line in lines)
