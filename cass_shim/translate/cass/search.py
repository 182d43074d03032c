"""The search: greedy, then repair turns, then samples, within budgets.

A model that reads repair turns is told why its answer was rejected. Ours reads none: it answers again, with another
token at the place where it was least sure, the likeliest of such answers first.
In: one kernel's SASS text, a model, and a check (assemble, then verify) that raises. Out: the first accepted answer
with a record of everything that was tried.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cass_shim.model.artifacts import AmdgcnAsm, CodeObject, SassKernel
from cass_shim.model.errors import CassError, Rejected, ToolFailed, Unsupported
from cass_shim.translate.cass.answer import Body
from cass_shim.translate.cass.contract import rebuild
from cass_shim.translate.cass.contracts import AUTHORS, CONTRACTS, FIELDS, Listing
from cass_shim.translate.cass.models import Answer, Decoding, Model
from cass_shim.translate.cass.prompt import TOO_LONG, Message, digest, family, repair_turn

CUT_OFF = "the answer is cut off by the token limit"
ENDLESS = "the answer does not end"  # though the window has room for more


@dataclass(frozen=True, slots=True)
class Check:
    """What judges a candidate, the cheap part first. Both raise what is wrong with it."""

    assemble: Callable[[AmdgcnAsm], CodeObject]
    verify: Callable[[CodeObject], None]


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


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer that keeps the contract and assembles. elf: its bytes, or its text where nothing assembles."""

    kind: str
    body: Body
    source: AmdgcnAsm
    code: CodeObject | None
    elf: bytes
    tokens: int


@dataclass(slots=True)
class Outcome:
    """What a search did."""

    source: AmdgcnAsm | None = None
    body: Body | None = None
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
        self.prompt_tokens = 0
        self.seen: set[bytes] = set()
        self.outcome = Outcome()

    def run(self) -> Outcome:
        """Raises Unsupported when the prompt does not fit the model's window; a failed search has no source."""
        self._check_window()
        self.outcome.provenance = {
            "model": self.model.identity,
            "prompt": digest((self.prompt,)),
            "family": family(self.sass.sm),
        }
        answers = self._ask((self.prompt,), Decoding(1, 0.0, self.budget.max_tokens, self._left()))
        if answers:
            reason = self._judge(answers[0], "greedy")
            if reason is None:
                return self._done("greedy", 0.0)
            repair = self._converse if self.contract.repairs else self._doubt
            if (accepted := repair(answers[0], reason)) is not None:
                return self._done(accepted, 0.0)
        self._sample()
        return self.outcome

    def _converse(self, answer: Answer, reason: str) -> str | None:
        """Repair turns of a model that reads them: the assembler's or verifier's words. Which one was accepted."""
        conversation: tuple[Message, ...] = (self.prompt,)
        for turn in range(1, self.budget.repairs + 1):
            conversation = (*conversation, Message("assistant", answer.text), Message("user", repair_turn(reason)))
            answers = self._ask(conversation, Decoding(1, 0.0, self.budget.max_tokens, self._left()))
            if not answers:
                return None
            found = self._judge(answers[0], f"repair {turn}")
            if found is None:
                return f"repair {turn}"
            answer, reason = answers[0], found
        return None

    def _doubt(self, answer: Answer, reason: str) -> str | None:
        """Repair turns of a model that reads none: the answer again, with another token where it was least sure."""
        begun = beginnings(answer, self.budget.repairs)
        if not begun:
            return None
        decoding = Decoding(len(begun), 0.0, self.budget.max_tokens, self._left(), begun)
        return self._judge_together(self._ask((self.prompt,), decoding), "repair")

    def _sample(self) -> None:
        """Samples, as far as seconds and tokens go."""
        if self.budget.samples <= 0 or self._exhausted():
            return
        decoding = Decoding(self.budget.samples, self.budget.temperature, self.budget.max_tokens, self._left())
        accepted = self._judge_together(self._ask((self.prompt,), decoding), "sample")
        if accepted is not None:
            self._done(accepted, self.budget.temperature)

    def _judge_together(self, answers: Sequence[Answer], kind: str) -> str | None:
        """What assembles to the same bytes counts once, and the most frequent comes first. Which one was accepted."""
        kept: dict[bytes, list[Candidate]] = {}
        for number, answer in enumerate(answers, 1):
            candidate = self._prepare(answer, f"{kind} {number}")
            if candidate is not None:
                kept.setdefault(candidate.elf, []).append(candidate)
        for same in sorted(kept.values(), key=lambda each: -len(each)):
            if not self._exhausted() and self._verify(same[0]) is None:
                return same[0].kind
        return None

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
        self.prompt_tokens = tokens = self.model.count_tokens(self.prompt.content)
        if self.model.window and tokens >= self.model.window:
            raise Unsupported(
                TOO_LONG, kernel=self.sass.name, why=f"{tokens} tokens, the model reads {self.model.window}"
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
        candidate = self._prepare(answer, kind)
        return self.outcome.attempts[-1].reason if candidate is None else self._verify(candidate)

    def _prepare(self, answer: Answer, kind: str) -> Candidate | None:
        """The cheap checks: contract, assembler, whether the same bytes were judged before."""
        try:
            if not answer.finished:
                raise Rejected(ENDLESS if self._has_room(answer) else CUT_OFF, kernel=self.sass.name)
            body = self.contract.body(self.sass, answer.text)
            source = self._source(body)
            code = self.check.assemble(source) if self.check is not None else None
            elf = code.elf if code is not None else source.text.encode()
            if elf in self.seen:
                raise Rejected("the same assembly as an earlier answer", kernel=self.sass.name)
        except CassError as error:
            self.outcome.attempts.append(Attempt(kind, _words(error), answer.tokens))
            return None
        return Candidate(kind, body, source, code, elf, answer.tokens)

    def _has_room(self, answer: Answer) -> bool:
        """Whether the window could hold more of this answer: our own model's are as long as their prompts make them."""
        is_ours = self.contract is CONTRACTS[FIELDS] and self.model.window
        return bool(is_ours) and self.prompt_tokens + answer.tokens < self.model.window

    def _source(self, body: Body) -> AmdgcnAsm:
        """What is assembled and verified of a body."""
        return complete(self.sass, body)

    def _verify(self, candidate: Candidate) -> str | None:
        """None when accepted, else the verifier's reason."""
        self.seen.add(candidate.elf)
        reason = None
        try:
            if self.check is not None and candidate.code is not None:
                self.check.verify(candidate.code)
            self.outcome.source, self.outcome.body = candidate.source, candidate.body
        except CassError as error:
            reason = _words(error)
        self.outcome.attempts.append(Attempt(candidate.kind, reason or "", candidate.tokens))
        return reason


def complete(sass: SassKernel, body: Body) -> AmdgcnAsm:
    """The whole assembly file of a kernel's body. Raises Rejected for what no answer may say."""
    return rebuild(body, sass.abi, frozenset(sass.kernel.symbols) - {sass.name})


def _words(error: CassError) -> str:
    """The tool's own, where there are some."""
    return getattr(error, "stderr", "") or str(error)


def beginnings(answer: Answer, amount: int) -> tuple[tuple[int, ...], ...]:
    """Where to begin again: up to each of the answer's likeliest doubts, with the other token there.

    Source: Harvey and Ginsberg, "Limited discrepancy search", 1995, with one discrepancy.
    """
    likeliest = sorted(answer.doubts, key=lambda one: one.cost)[:amount]
    return tuple((*answer.ids[: one.at], one.token) for one in likeliest)
