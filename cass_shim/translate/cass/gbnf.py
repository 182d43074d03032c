"""The grammar of a CASS model's answer, for servers that can constrain what a model says.

Out: a text in GBNF, which llama.cpp reads, and vLLM and SGLang (xgrammar) read as EBNF. An answer is one fenced block
of assembly: directives, labels, comments and metadata are free, an instruction is one of gfx1100's with operands of the
kinds that its opcode row has (`forms.py`). What a kernel may not use (`answer.FORBIDDEN`) is not in it.
Source of the notation: llama.cpp, grammars/README.md; xgrammar, "EBNF syntax".
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from cass_shim.translate.cass.answer import FORBIDDEN
from cass_shim.translate.cass.forms import Form, Kind, forms
from cass_shim.translate.cass.prompt import OUTPUT_FENCE

_FIXED = r"""
root ::= FENCE (line "\n")+ "```" "\n"?
line ::= blank? statement? blank? comment?
blank ::= [ \t]+
comment ::= (";" | "//") [^\n]*
rest ::= [^\n;]*
statement ::= label (blank instruction)? | directive | metadata | instruction
label ::= [A-Za-z_$.] [A-Za-z0-9_.$@]* ":"
directive ::= "." [A-Za-z_] [^\n]*
metadata ::= "---" | "..." | "amdhsa." [^\n]* | "- " [^\n]*
comma ::= "," blank?
digits ::= [0-9]+
number ::= "-"? (digits ("." digits)? ("e" "-"? digits)? | "0x" [0-9a-fA-F]+ | "lit(" "-"? "0x"? [0-9a-fA-F]+ ")")
symbol ::= name "@" [a-z0-9@]+ ([+-] digits)?
name ::= [A-Za-z_$.] [A-Za-z0-9_.$]*
target ::= name | number
modifier ::= [a-z] [a-z0-9_]* ((":" | "(") [^ \t\n;]*)?
tail ::= (comma? blank modifier)*
""".strip().replace("FENCE", f'"```{OUTPUT_FENCE}\\n"')  # fmt: skip


def _register(letter: str, width: int) -> str:
    """A register of a class and width; 16-bit operands may name a half."""
    if width == 1:
        return f'"{letter}" digits (".l" | ".h")?' if letter == "v" else f'"{letter}" digits'
    return f'"{letter}[" digits ":" digits "]"'


def _alternatives(kind: Kind) -> list[str]:
    found = sorted(_register(letter, width) for letter, width in kind.registers)
    found = list(dict.fromkeys(found))
    found += [f'"{name}"' for name in sorted(kind.names)]
    if kind.constant:
        found += ["number", "symbol"]
    if kind.label:
        found.append("target")
    return found


class _Rules:
    """Operand kinds and instructions as rules, each written once."""

    def __init__(self) -> None:
        self.kinds: dict[Kind, str] = {}
        self.texts: list[str] = []

    def kind(self, kind: Kind) -> str:
        """The name of the rule for an operand of a kind."""
        if kind not in self.kinds:
            name = f"operand-{len(self.kinds)}"
            self.kinds[kind] = name
            plain = " | ".join(_alternatives(kind))
            if kind.signs:
                self.texts.append(f"{name}-plain ::= {plain}")
                inner = f'"|" {name}-plain "|" | {name}-plain'
                self.texts.append(f'{name} ::= "-"? ({inner}) | ("neg(" | "abs(" | "sext(") {name}-plain ")"')
            else:
                self.texts.append(f"{name} ::= {plain}")
        return self.kinds[kind]

    def operands(self, form: Form) -> str:
        """What stands behind the mnemonic."""
        if form.operands is None:
            return "(blank rest)?"
        names = [self.kind(one) for one in form.operands]
        text = ""
        for position, name in reversed(list(enumerate(names))):
            lead = "blank" if position == 0 else "comma"
            text = f"{lead} {name} {text}".strip()
            if position >= form.least:
                text = f"({text})?"
        return f"{text} tail".strip()


def _groups(rules: _Rules, described: Sequence[Form]) -> Iterator[tuple[str, list[str]]]:
    """Operands, and the mnemonics that have them."""
    found: dict[str, list[str]] = {}
    for form in described:
        found.setdefault(rules.operands(form), []).append(form.name)
    yield from found.items()


@functools.cache
def grammar() -> str:
    """The whole grammar. Every mnemonic may carry the suffix of its encoding."""
    rules = _Rules()
    allowed = [form for name, form in sorted(forms().items()) if not FORBIDDEN.match(name)]
    instructions, names = [], []
    for number, (operands, mnemonics) in enumerate(_groups(rules, allowed)):
        names.append(f"instruction-{number}")
        words = " | ".join(f'"{name}"' for name in mnemonics)
        instructions.append(f"{names[-1]} ::= ({words}) suffix? {operands}")
    suffix = 'suffix ::= "_e32" | "_e64" | "_dpp" | "_e64_dpp" | "_e32_dpp" | "_dpp8"'
    top = f"instruction ::= {' | '.join(names)}"
    return "\n".join([_FIXED, suffix, top, *instructions, *rules.texts, ""])
