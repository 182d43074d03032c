"""What a model is told and what it answers: one contract per family of models.

In: a kernel. Out: the first turn of the conversation, and an answer in the form that `answer.parse_answer` reads.
A back end names its contract; `cass_contract.json` in a checkpoint's folder names that of the checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cass_shim.model.artifacts import SassKernel
from cass_shim.translate.cass.answer import Body, parse_answer
from cass_shim.translate.cass.fields import source_lines, target_text
from cass_shim.translate.cass.frame import framed
from cass_shim.translate.cass.pauses import with_waits
from cass_shim.translate.cass.prompt import build_prompt
from cass_shim.translate.cass.registers import allocate

Listing = str | Callable[[], str]  # cuobjdump's text of a kernel, or how to get it: our own model has no use for it


@dataclass(frozen=True, slots=True)
class Contract:
    """prompt: of a kernel and its listing. body: of a kernel and an answer. repairs: it reads repair turns."""

    prompt: Callable[[SassKernel, Listing], str]
    body: Callable[[SassKernel, str], Body]
    repairs: bool


def _authors_prompt(sass: SassKernel, text: Listing) -> str:
    return build_prompt(text if isinstance(text, str) else text())


def _registers_prompt(sass: SassKernel, text: Listing) -> str:
    return "\n".join(" ".join(line) for line in source_lines(sass, values=False))


def _values_prompt(sass: SassKernel, text: Listing) -> str:
    return "\n".join(" ".join(line) for line in source_lines(sass))


def _fields_body(sass: SassKernel, answer: str) -> Body:
    lines = allocate([line.split() for line in answer.split("\n") if line.strip()])
    body = target_text(with_waits(lines))
    return parse_answer(framed(sass, body), sass.name)


# fields-2: registers of the SASS as they are; fields-3: values of the SASS, what tools/pairs makes.
AUTHORS, REGISTERS, FIELDS = "cass", "fields-2", "fields-3"
CONTRACTS: Mapping[str, Contract] = {
    AUTHORS: Contract(_authors_prompt, lambda sass, text: parse_answer(text, sass.name), True),
    REGISTERS: Contract(_registers_prompt, _fields_body, False),
    FIELDS: Contract(_values_prompt, _fields_body, False),
}
