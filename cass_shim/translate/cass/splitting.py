"""The search over a kernel part by part, verified as a whole: one that does not fit the model's window, or one for
which no answer was right (a part is short, and the shorter, the likelier right).

In: a kernel. Out: an outcome like any other's. The model answers for every part, and the whole is verified. Where that
fails, each part is tried alone among parts that the lifter made; a part for which no answer is right stays the
lifter's. At least one part has to be the model's; all of them where the kernel fits the window.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from cass_shim.model.artifacts import AmdgcnAsm, SassKernel
from cass_shim.model.errors import CassError, Unsupported
from cass_shim.translate.cass.ahead import Ahead
from cass_shim.translate.cass.answer import Body, parse_answer
from cass_shim.translate.cass.contracts import AUTHORS, CONTRACTS, Listing
from cass_shim.translate.cass.edges import joined
from cass_shim.translate.cass.models import Decoding, Model
from cass_shim.translate.cass.parts import FIRST_WORD, Part, Splitter, listing
from cass_shim.translate.cass.prompt import TOO_LONG
from cass_shim.translate.cass.search import Attempt, Budget, Check, Outcome, Search, beginnings, complete

Region = Callable[[SassKernel], str]  # deterministic assembly of one part, as an answer is written

WORDLESS = 40  # instructions
SMALL = 24  # instructions of a part, its edges among them, where the whole fits but no answer to it was right
FINER = 2  # times that parts without a right answer are halved there
LEAST = 4  # instructions of a part that is halved
FEW = 2  # parts without a right answer that are not too many in any case; otherwise a third
PROMPT_SHARE = 0.25  # of the window: answers are 1.3 times as long as prompts, and the shorter, the likelier right
AT_ONCE = 16  # parts that a model is asked for at the same time
LOOKS = 2  # times as many second looks at a part: short, and four are right as often as ten (docs/model.md)


class _PartSearch(Search):
    """One part's search; what is assembled and verified is the whole, with other parts as they stand."""

    def __init__(
        self, part: Part, text: str, model: Model, check: Check | None, budget: Budget, others: Mapping[int, Body]
    ) -> None:
        super().__init__(part.sass, text, model, check, budget)
        self.part, self.others, self.words = part, others, 0

    def _source(self, body: Body) -> AmdgcnAsm:
        if not self.others:
            return super()._source(body)
        return super()._source(joined(self.sass.name, {**self.others, self.part.number: body}, self.words))


class InParts:
    """One kernel's search in parts. region: the lifter's code for a part, None where there is none.

    largest: instructions of a part, its edges among them; 0: as many as the window holds. is_own: nothing is accepted
    but where every part is the model's.
    """

    def __init__(
        self, sass: SassKernel, text: Listing, model: Model, check: Check | None, budget: Budget,
        region: Region | None, largest: int = 0, is_own: bool = False,
    ) -> None:  # fmt: skip
        self.is_own = is_own
        self.sass, self.check, self.region = sass, check, region
        self.model = Ahead(model, AT_ONCE)
        looks = budget.repairs * (1 if CONTRACTS[self._contract].repairs else LOOKS)
        self.budget = dataclasses.replace(budget, repairs=looks)
        self.head = (text if isinstance(text, str) else text()) if self._contract == AUTHORS else ""
        self.largest = largest
        self.own: set[int] = set()  # parts that are the model's in what was accepted
        self.started = time.monotonic()
        self.outcome = Outcome()
        self.splitter = Splitter(sass)
        self.starts = set[int]()  # where parts begin, besides where they must
        self.parts = self.splitter.split(self._fits)
        self.words = FIRST_WORD + len(self.splitter.words)
        if self.check is not None:  # a part alone is only assembled
            self.assembles: Check | None = Check(self.check.assemble, lambda code: None)
        else:
            self.assembles = None

    @property
    def tokens(self) -> int:
        """That the model generated; a candidate that is judged again costs none."""
        return sum(self.model.given)

    @property
    def _contract(self) -> str:
        return str(getattr(self.model, "contract", AUTHORS))

    def _fits(self, sass: SassKernel) -> bool:
        if self.largest and len(sass.instructions) > self.largest:
            return False
        try:
            prompt = CONTRACTS[self._contract].prompt(sass, listing(sass, self.head))
            longest = min(PROMPT_SHARE * self.model.window, getattr(self.model, "longest_part", math.inf))
            return self.model.count_tokens(prompt) <= longest
        except Unsupported as error:  # the model has no words for it: a small part for the lifter
            return error.feature != TOO_LONG and len(sass.instructions) <= WORDLESS

    def run(self) -> Outcome:
        """Raises Unsupported where the kernel cannot be cut; a failed search has no source."""
        for _ in range(FINER if self.is_own else 0):
            wrong = self._run_once()
            if self.outcome.source is not None or not self._cut_finer(wrong):
                return self.outcome
        self._run_once()
        return self.outcome

    def _cut_finer(self, wrong: Sequence[Part]) -> bool:
        """Halve the parts without a right answer, if they can be and there is time."""
        halves = {self.splitter.middle(part) for part in wrong if part.end - part.begin >= LEAST}
        if not halves or len(halves) < len(wrong) or self._is_hopeless(len(wrong)) or self._is_over():
            return False
        self.starts |= halves
        try:
            self.parts = self.splitter.split(self._fits, self.starts)
        except Unsupported:  # too many
            return False
        self.words = FIRST_WORD + len(self.splitter.words)  # more is alive between more parts
        return True

    def _run_once(self) -> list[Part]:
        """One way to cut; the parts without a right answer, [] where nobody can tell."""
        with ThreadPoolExecutor(min(AT_ONCE, len(self.parts))) as pool:
            found = pool.map(lambda part: self._answer(part, {}, self.assembles), self.parts)
        answers = {part.number: body for part, body in zip(self.parts, found, strict=True) if body is not None}
        if len(answers) == len(self.parts) and self._accept(answers, "parts together"):
            self._done(answers, set(answers))
            return []
        lifted = {} if self._is_over() else self._lifted()
        if not lifted or self.check is None or not self._accept(lifted, "the lifter's parts"):
            self.outcome.source = None
            return []
        chosen, own = dict(lifted), set[int]()
        self.outcome.source = None
        wrong = self._try_each(self.parts, chosen, own, is_first=True)
        if wrong and not self._is_over() and not (self.is_own and self._is_hopeless(len(wrong) // 2)):
            for part in wrong:
                with contextlib.suppress(Unsupported):  # said where the part is tried
                    self._ask_on(self._prompt(part))
            try:
                wrong = self._try_each(wrong, chosen, own)
            finally:
                self.model.forget()
        self._done(chosen, own)
        return wrong

    def _try_each(
        self, parts: Sequence[Part], chosen: dict[int, Body], own: set[int], *, is_first: bool = False
    ) -> list[Part]:
        """Each part among those chosen so far; the parts without a right answer. is_first: only its first answer."""
        wrong: list[Part] = []
        for part in parts:
            body = self._answer(part, chosen, self.check, is_first)
            if body is None:
                wrong.append(part)
            else:
                chosen[part.number] = body
                own.add(part.number)
            if self._is_over() or (self.is_own and self._is_hopeless(len(wrong) // (2 if is_first else 1))):
                break
        return wrong

    def _prompt(self, part: Part) -> str:
        return CONTRACTS[self._contract].prompt(part.sass, listing(part.sass, self.head))

    def _ask_on(self, prompt: str) -> None:
        """Ask for what follows a first answer that is known and wrong: second looks, and samples."""
        budget, left = self.budget, self._left()
        greedy = self.model.known(prompt, Decoding(1, 0.0, budget.max_tokens, 0.0))
        if greedy and (begun := beginnings(greedy[0], budget.repairs)):
            self.model.ask(prompt, Decoding(len(begun), 0.0, budget.max_tokens, left, begun))
        if budget.samples:
            self.model.ask(prompt, Decoding(budget.samples, budget.temperature, budget.max_tokens, left))

    def _is_hopeless(self, wrong: int) -> bool:
        """Whether so many parts without a right answer are too many for halves of them to be right."""
        return wrong > max(FEW, len(self.parts) // 3)

    def _is_over(self) -> bool:
        """No time is left: what comes after the model needs the rest."""
        return time.monotonic() - self.started >= self.budget.seconds

    def _left(self) -> float:
        return max(1.0, self.budget.seconds - (time.monotonic() - self.started))

    def _answer(
        self, part: Part, others: Mapping[int, Body], check: Check | None, is_first: bool = False
    ) -> Body | None:
        """The model's code for one part that the check accepts, among others or alone. is_first: one answer only."""
        left = self._left()
        share = left / max(1, len(self.parts) - part.number + 1) if others else left / 2
        budget = dataclasses.replace(
            self.budget,
            seconds=share,
            samples=self.budget.samples if others and not is_first else 0,
            repairs=0 if is_first else self.budget.repairs,
        )
        try:
            search = _PartSearch(part, listing(part.sass, self.head), self.model, check, budget, others)
            search.words = self.words
            found = search.run()
        except Unsupported as error:  # words that the model has not
            self.outcome.attempts.append(Attempt(f"part {part.number}", str(error), 0))
            return None
        for one in found.attempts:
            self.outcome.attempts.append(Attempt(f"part {part.number} {one.kind}", one.reason, one.tokens))
        self.outcome.provenance = {**found.provenance, **self.outcome.provenance}
        if found.source is not None and others:
            self.outcome.source = found.source
        return found.body

    def _lifted(self) -> dict[int, Body]:
        """The lifter's code for every part, nothing where one has none."""
        if self.region is None:
            return {}
        found: dict[int, Body] = {}
        for part in self.parts:
            try:
                found[part.number] = parse_answer(self.region(part.plain), self.sass.name)
            except CassError as error:
                self.outcome.attempts.append(Attempt(f"part {part.number} lifted", str(error), 0))
                return {}
        return found

    def _accept(self, bodies: Mapping[int, Body], kind: str) -> bool:
        """Whether the verifier accepts these parts together; they are the outcome then."""
        reason = ""
        try:
            source = complete(self.sass, joined(self.sass.name, bodies, self.words))
            if self.check is not None:
                self.check.verify(self.check.assemble(source))
            self.outcome.source = source
        except CassError as error:
            reason = str(error)
        self.outcome.attempts.append(Attempt(kind, reason, 0))
        return not reason

    def _done(self, bodies: Mapping[int, Body], own: set[int]) -> None:
        if len(own) < (len(bodies) if self.is_own else 1):
            self.outcome.source = None
            return
        self.own = own
        lifted = " ".join(str(number) for number in bodies if number not in own)
        self.outcome.provenance |= {
            "decoding": f"in {len(bodies)} parts" + (f", by the lifter: {lifted}" if lifted else ""),
            "candidates": str(len(self.outcome.attempts)),
        }
