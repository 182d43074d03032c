"""The search: greedy, then repair turns with the reason of the rejection, then samples, within budgets.

In: one kernel's SASS text, a model, and a check (assemble and verify) that raises. Out: the first accepted answer
with a record of everything that was tried.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from cass_shim.model.artifacts import AmdgcnAsm, SassKernel
from cass_shim.model.errors import CassError, Rejected, ToolFailed, Unsupported
from cass_shim.translate.cass.contract import rebuild
from cass_shim.translate.cass.contracts import AUTHORS, CONTRACTS, Listing
from cass_shim.translate.cass.models import Answer, Decoding, Model
from cass_shim.translate.cass.prompt import Message, digest, family, repair_turn

Check = Callable[[AmdgcnAsm], None]


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one kernel's search. samples: drawn after the repairs, all with `temperature`."""

    seconds: float = 600.0
    tokens: int = 100_000
    repairs: int = 2
    samples: int = 4
    temperature: float = 0.7
    max_tokens: int = 8192


@dataclass(frozen=True, slots=True)
class Attempt:
    """One candidate. kind: "greedy", "repair 1", "sample 3". reason: why rejected, "" when accepted."""

    kind: str
    reason: str
    tokens: int


@dataclass(slots=True)
class Outcome:
    """What a search did."""

    source: AmdgcnAsm | None = None
    attempts: list[Attempt] = field(default_factory=list)
    provenance: dict[str, str] = field(default_factory=dict)


class Search:
    """One kernel's search over one model."""

    def __init__(self, sass: SassKernel, text: Listing, model: Model, check: Check | None, budget: Budget) -> None:
        self.sass, self.model, self.check, self.budget = sass, model, check, budget
        self.contract = CONTRACTS[getattr(model, "contract", AUTHORS)]
        self.prompt = Message("user", self.contract.prompt(sass, text))
        self.started = time.monotonic()
        self.spent = 0
        self.seen: set[str] = set()
        self.outcome = Outcome()

    def run(self) -> Outcome:
        """Raises Unsupported when the prompt does not fit the model's window; a failed search has no source."""
        self._check_window()
        self.outcome.provenance = {
            "model": self.model.identity,
            "prompt": digest((self.prompt,)),
            "family": family(self.sass.sm),
        }
        conversation: tuple[Message, ...] = (self.prompt,)
        for turn in range(self.budget.repairs + 1 if self.contract.repairs else 1):
            answers = self._ask(conversation, Decoding(1, 0.0, self.budget.max_tokens, self._left()))
            if not answers:
                break
            reason = self._judge(answers[0], "greedy" if turn == 0 else f"repair {turn}")
            if reason is None:
                return self._done("greedy" if turn == 0 else f"repair {turn}", 0.0)
            conversation = (*conversation, Message("assistant", answers[0].text), Message("user", repair_turn(reason)))
        self._sample()
        return self.outcome

    def _sample(self) -> None:
        if self.budget.samples <= 0 or self._exhausted():
            return
        decoding = Decoding(self.budget.samples, self.budget.temperature, self.budget.max_tokens, self._left())
        for number, answer in enumerate(self._ask((self.prompt,), decoding), 1):
            if self._judge(answer, f"sample {number}") is None:
                self._done(f"sample {number}", self.budget.temperature)
                return

    def _done(self, kind: str, temperature: float) -> Outcome:
        self.outcome.provenance |= {
            "decoding": f"{kind}, temperature {temperature:g}",
            "candidates": str(len(self.outcome.attempts)),
        }
        return self.outcome

    def _left(self) -> float:
        return max(1.0, self.budget.seconds - (time.monotonic() - self.started))

    def _exhausted(self) -> bool:
        return time.monotonic() - self.started >= self.budget.seconds or self.spent >= self.budget.tokens

    def _check_window(self) -> None:
        tokens = self.model.count_tokens(self.prompt.content)
        if self.model.window and tokens >= self.model.window:
            raise Unsupported(
                "prompt length", kernel=self.sass.name, why=f"{tokens} tokens, the model reads {self.model.window}"
            )

    def _ask(self, conversation: tuple[Message, ...], decoding: Decoding) -> list[Answer]:
        """The model's answers; a failure after the first candidate ends the search instead of hiding its reasons."""
        if self._exhausted():
            return []
        try:
            answers = self.model.generate(conversation, decoding)
        except ToolFailed:
            if not self.outcome.attempts:
                raise
            return []
        self.spent += sum(answer.tokens for answer in answers)
        return answers

    def _judge(self, answer: Answer, kind: str) -> str | None:
        """None when accepted (and kept as the outcome), else the reason."""
        reason = None
        try:
            if not answer.finished:
                raise Rejected("the answer is cut off by the token limit", kernel=self.sass.name)
            functions = frozenset(self.sass.kernel.symbols) - {self.sass.name}
            source = rebuild(self.contract.body(self.sass, answer.text), self.sass.abi, functions)
            name = hashlib.sha256(source.text.encode()).hexdigest()
            if name in self.seen:
                raise Rejected("the same assembly as an earlier answer", kernel=self.sass.name)
            self.seen.add(name)
            if self.check is not None:
                self.check(source)
            self.outcome.source = source
        except CassError as error:
            reason = getattr(error, "stderr", "") or str(error)
        self.outcome.attempts.append(Attempt(kind, reason or "", answer.tokens))
        return reason
