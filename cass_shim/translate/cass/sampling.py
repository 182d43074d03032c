"""Candidates one by one, for measuring a model: the greedy answer, second looks and a number of samples.

In: one kernel, a model. Out: `Drawn`, each with the assembly or the reason why there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from cass_shim.model.artifacts import AmdgcnAsm, SassKernel
from cass_shim.model.errors import CassError, Rejected, Unsupported
from cass_shim.translate.cass.contract import rebuild
from cass_shim.translate.cass.contracts import AUTHORS, CONTRACTS, Contract, Listing
from cass_shim.translate.cass.models import Answer, Decoding, Model
from cass_shim.translate.cass.prompt import TOO_LONG, Message
from cass_shim.translate.cass.search import CUT_OFF, beginnings


@dataclass(frozen=True, slots=True)
class Drawn:
    """One candidate. kind: "greedy", "repair" or "sample". text: as the model said it. masked: refused tokens."""

    kind: str
    text: str
    tokens: int
    source: AmdgcnAsm | None
    reason: str = ""
    masked: int = 0


@dataclass(frozen=True, slots=True)
class Drawing:
    """How to draw. repairs: second looks after the greedy answer (search.py). seconds: for each request.

    stretch: how many times as long as the greedy answer its samples may be, and none where that did not end; 0: as
    long as the model lets them.
    """

    samples: int
    temperature: float
    repairs: int
    seconds: float
    seed: int = 1
    stretch: float = 0.0

    @property
    def greedy(self) -> Decoding:
        """What the first answer is asked with."""
        return Decoding(timeout_s=self.seconds)

    @property
    def sampled(self) -> Decoding:
        """What the samples are asked with."""
        return Decoding(self.samples, self.temperature, timeout_s=self.seconds, seed=self.seed)


def draw(sass: SassKernel, text: Listing, model: Model, how: Drawing, accepted: Callable[[], bool]) -> Iterator[Drawn]:
    """The greedy answer, unless `accepted` second looks in one batch, and the samples in another.

    text: cuobjdump's, for models of the authors' contract, whose repair turns need a reason and are not drawn here.
    Raises Unsupported when the prompt does not fit, ToolFailed.
    """
    contract = CONTRACTS[getattr(model, "contract", AUTHORS)]
    prompt = Message("user", contract.prompt(sass, text))
    tokens = model.count_tokens(prompt.content)
    if model.window and tokens >= model.window:
        raise Unsupported(TOO_LONG, kernel=sass.name, why=f"{tokens} tokens, the model reads {model.window}")
    (greedy,) = model.generate((prompt,), how.greedy)[:1]
    yield _judged(sass, contract, greedy, "greedy")
    begun = () if accepted() or contract.repairs else beginnings(greedy, how.repairs)
    if begun:
        for answer in model.generate((prompt,), Decoding(len(begun), timeout_s=how.seconds, prefixes=begun)):
            yield _judged(sass, contract, answer, "repair")
    if how.samples:
        sampled = how.sampled
        if how.stretch:
            if not greedy.finished:
                return
            sampled = replace(sampled, max_tokens=round(how.stretch * greedy.tokens))
        for answer in model.generate((prompt,), sampled):
            yield _judged(sass, contract, answer, "sample")


def _judged(sass: SassKernel, contract: Contract, answer: Answer, kind: str) -> Drawn:
    try:
        if not answer.finished:
            raise Rejected(CUT_OFF, kernel=sass.name)
        functions = frozenset(sass.kernel.symbols) - {sass.name}
        source = rebuild(contract.body(sass, answer.text), sass.abi, functions)
    except CassError as error:
        return Drawn(kind, answer.text, answer.tokens, None, str(error).splitlines()[0], answer.masked)
    return Drawn(kind, answer.text, answer.tokens, source, masked=answer.masked)
