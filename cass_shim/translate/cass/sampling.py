"""Candidates one by one, for measuring a model: the greedy answer and a number of samples, without a search.

In: one kernel, a model. Out: `Drawn`, each with the assembly or the reason why there is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cass_shim.model.artifacts import AmdgcnAsm, SassKernel
from cass_shim.model.errors import CassError, Rejected, Unsupported
from cass_shim.translate.cass.contract import rebuild
from cass_shim.translate.cass.contracts import AUTHORS, CONTRACTS, Contract, Listing
from cass_shim.translate.cass.models import Answer, Decoding, Model
from cass_shim.translate.cass.prompt import Message


@dataclass(frozen=True, slots=True)
class Drawn:
    """One candidate. greedy: the answer of temperature 0. text: as the model said it."""

    greedy: bool
    text: str
    tokens: int
    source: AmdgcnAsm | None
    reason: str = ""


def draw(
    sass: SassKernel, text: Listing, model: Model, samples: int, temperature: float, seconds: float
) -> Iterator[Drawn]:
    """The greedy answer, then the samples in one batch. seconds: for each of the two requests.

    text: cuobjdump's, for models of the authors' contract. Raises Unsupported when the prompt does not fit, ToolFailed.
    """
    contract = CONTRACTS[getattr(model, "contract", AUTHORS)]
    prompt = Message("user", contract.prompt(sass, text))
    tokens = model.count_tokens(prompt.content)
    if model.window and tokens >= model.window:
        raise Unsupported("prompt length", kernel=sass.name, why=f"{tokens} tokens, the model reads {model.window}")
    for answer in model.generate((prompt,), Decoding(timeout_s=seconds)):
        yield _judged(sass, contract, answer, True)
    if samples:
        for answer in model.generate((prompt,), Decoding(samples, temperature, timeout_s=seconds)):
            yield _judged(sass, contract, answer, False)


def _judged(sass: SassKernel, contract: Contract, answer: Answer, greedy: bool) -> Drawn:
    try:
        if not answer.finished:
            raise Rejected("the answer is cut off by the token limit", kernel=sass.name)
        functions = frozenset(sass.kernel.symbols) - {sass.name}
        source = rebuild(contract.body(sass, answer.text), sass.abi, functions)
    except CassError as error:
        return Drawn(greedy, answer.text, answer.tokens, None, str(error).splitlines()[0])
    return Drawn(greedy, answer.text, answer.tokens, source)
