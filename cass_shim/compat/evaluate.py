"""Measures translators on kernels: what assembles, what the verifier accepts, how often, how fast.

In: problems, the translator's name, how many samples. Out: `Measured`, one per problem, and `Summary`, one per group.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cass_shim.compat.estimate import mean_pass_at, wilson
from cass_shim.compat.problems import Problem
from cass_shim.model.artifacts import CodeObject, Evidence
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError, Rejected, ToolFailed, Unsupported
from cass_shim.model.sidecar import Source
from cass_shim.pipeline import FINAL_SEED, Work, assemble, region, translate_source, verify
from cass_shim.verify.candidate import NOT_LOADED
from cass_shim.verify.kernel import open_device

if TYPE_CHECKING:
    from cass_shim.translate.cass.ahead import Ahead
    from cass_shim.translate.cass.models import Model
    from cass_shim.translate.cass.sampling import Drawing
    from cass_shim.translate.cass.search import Budget, Outcome
    from cass_shim.translate.cass.splitting import InParts

MODEL_ROUTE = "cass"
PASS_AT = (1, 5, 10)
FEWEST_AT_ONCE = 3  # requests of a process
SMALL_S = 300.0  # for all parts of one kernel
ACCEPTED = Evidence.E1U  # agreement with the interpreter on generated inputs


@dataclass(frozen=True, slots=True)
class Options:
    """samples: of the model, besides its greedy answer. seconds: for one request to it.

    repairs: second looks after a rejected greedy answer. is_masked: our own model's grammar forbids what cannot be.
    parts: cut kernels into parts of at most so many instructions; one is verified when all its parts are the model's.
    small: the same, of those for which nothing else was right, as the translator does; 0: not tried.
    """

    samples: int = 10
    temperature: float = 0.8
    seconds: float = 60.0
    repairs: int = 2
    is_masked: bool = True
    parts: int = 0
    small: int = 24


@dataclass(frozen=True, slots=True)
class Measured:
    """One problem with one translator. The first candidate of a model is its greedy answer.

    lost: why the model's back end failed (no memory left, no server): it counts for nothing. unsupported: why there
    was no candidate at all. reason: why the first was not accepted, "" when it was.
    repaired: a second look was accepted; looks: how many there were up to it. best: anything was accepted.
    small: where nothing else was, the kernel was in small parts, all of them the model's.
    samples, accepted: of the model's samples. tokens: generated, by all candidates. masked: refused by the grammar.
    only_final: the first accepted candidate failed on fresh inputs. parts: of a kernel that was cut; own: of these, the
    model's in the accepted whole, the others being the lifter's.
    """

    problem: str
    group: str
    translator: str
    assembled: bool = False
    verified: bool = False
    exact: bool | None = None
    lost: str = ""
    unsupported: str = ""
    reason: str = ""
    repaired: bool = False
    looks: int = 0
    best: bool = False
    samples: int = 0
    accepted: int = 0
    seconds: float = 0.0
    tokens: int = 0
    masked: int = 0
    only_final: bool = False
    parts: int = 0
    own: int = 0
    small: bool = False


def chosen(config: Config, sm: int, options: Options) -> Model:
    """The model that is measured."""
    from cass_shim.translate.cass.models import choose

    model = choose(config.model, sm)
    if hasattr(model, "is_masked"):
        model.is_masked = options.is_masked
    return model


@contextlib.contextmanager
def asked_ahead(
    problems: Sequence[Problem], config: Config, options: Options, jobs: int = 1
) -> Iterator[dict[int, Ahead]]:
    """By SM the model, already asked for greedy answer and samples to every problem with a prompt and room for it.

    jobs: processes that do so; together they ask as much at a time as one alone, but for what keeps a batch filled.

    An SM without a model is left out: `measure` says why, whatever else is wrong too.
    """
    from cass_shim.translate.cass.ahead import AT_ONCE, Ahead

    how, at_once = _drawing(options), max(FEWEST_AT_ONCE, AT_ONCE // jobs)
    decodings = (how.greedy, how.sampled) if options.samples else (how.greedy,)
    with contextlib.ExitStack() as opened:
        found: dict[int, Ahead] = {}
        for sm in dict.fromkeys(problem.module.sm for problem in problems):
            with contextlib.suppress(CassError):
                model = chosen(config, sm, options)
                prompts = _prompts([one for one in problems if one.module.sm == sm], config, model)
                found[sm] = opened.enter_context(contextlib.closing(Ahead(model, at_once)))
                found[sm].ask_all(prompts, decodings)
        yield found


def _drawing(options: Options) -> Drawing:
    from cass_shim.translate.cass.sampling import Drawing

    return Drawing(options.samples, options.temperature, options.repairs, options.seconds)


def _prompts(problems: Iterable[Problem], config: Config, model: Model) -> list[str]:
    """What the model can be asked."""
    from cass_shim.translate.cass.contracts import AUTHORS, CONTRACTS

    contract, found = CONTRACTS[getattr(model, "contract", AUTHORS)], list[str]()
    for problem in problems:
        work = Work(problem.module, problem.kernel, config)
        with contextlib.suppress(CassError):
            prompt = contract.prompt(work.sass, lambda work=work: _listing(work))  # type: ignore[misc]
            if not model.window or model.count_tokens(prompt) < model.window:
                found.append(prompt)
    return found


def measure(
    problem: Problem, translator: str, config: Config, options: Options, model: Model | None = None
) -> Measured:
    """Try one problem. Whatever is wrong with it is in the result. model: None for the one that is configured."""
    started = time.monotonic()
    work = Work(problem.module, problem.kernel, config)
    start = Measured(problem.name, problem.group, translator)
    try:
        if translator == MODEL_ROUTE:
            model = model or chosen(config, work.sass.sm, options)
            found = (_in_parts if options.parts else _search)(work, problem, start, options, model)
        else:
            found = _route(work, translator, start)
    except Unsupported as error:
        found = replace(start, unsupported=_line(error), reason=_line(error))
    except ToolFailed as error:
        found = replace(start, reason=_line(error), lost=_line(error) if translator == MODEL_ROUTE else "")
    except CassError as error:
        found = replace(start, reason=_line(error))
    return replace(found, seconds=round(time.monotonic() - started, 3))


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


class _Judge:
    """Assembles and verifies candidates of one kernel; the same text is judged once."""

    def __init__(self, work: Work, seed: int = 1) -> None:
        self.work, self.seed = work, seed
        self.known: dict[str, tuple[bool, str]] = {}

    def __call__(self, source: Source) -> tuple[bool, str]:
        """Whether it assembles, and why it is not accepted ("" when it is)."""
        if source.text not in self.known:
            self.known[source.text] = self._judge(source)
        return self.known[source.text]

    def _judge(self, source: Source) -> tuple[bool, str]:
        try:
            code: CodeObject = assemble(source, self.work.abi)
        except CassError as error:
            return False, _line(error)
        try:
            evidence = self.verified(code)
        except CassError as error:
            return True, _line(error)
        return True, "" if evidence >= ACCEPTED else f"evidence {evidence.label} only"

    def verified(self, code: CodeObject) -> Evidence:
        """The evidence; on a device that forgets what an earlier candidate did to it, which ran on when it was left."""
        try:
            return verify(self.work, code, seed=self.seed).evidence
        except Rejected as error:
            if NOT_LOADED not in str(error):
                raise
        open_device().reset()
        return verify(self.work, code, seed=self.seed).evidence


def _route(work: Work, translator: str, start: Measured) -> Measured:
    """A deterministic translator: one candidate."""
    assembled, reason = _Judge(work)(translate_source(work, translator))
    return replace(start, assembled=assembled, verified=not reason, reason=reason)


def _model(work: Work, problem: Problem, start: Measured, options: Options, model: Model) -> Measured:
    """The model: its greedy answer, second looks until one is accepted, and samples."""
    from cass_shim.translate.cass.contracts import FIELDS
    from cass_shim.translate.cass.sampling import draw

    ours = getattr(model, "contract", "") == FIELDS
    judge, accepted = _Judge(work), list[Source]()
    found, right, samples, tokens, masked = start, 0, 0, 0, 0
    for one in draw(work.sass, lambda: _listing(work), model, _drawing(options), lambda: bool(accepted)):
        tokens, masked = tokens + one.tokens, masked + one.masked
        assembled, reason = judge(one.source) if one.source is not None else (False, one.reason)
        if not reason and one.source is not None:
            accepted.append(one.source)
        if one.kind == "greedy":
            exact = one.text == problem.target if ours and problem.target else None
            found = replace(found, assembled=assembled, verified=not reason, reason=reason, exact=exact)
        elif one.kind == "repair":
            found = replace(found, looks=found.looks + (not found.repaired), repaired=found.repaired or not reason)
        else:
            samples, right = samples + 1, right + (not reason)
    fresh = not accepted or not _Judge(work, FINAL_SEED)(accepted[0])[1]
    found = replace(found, best=bool(accepted), only_final=not fresh)
    return replace(found, samples=samples, accepted=right, tokens=tokens, masked=masked)


def _search(work: Work, problem: Problem, start: Measured, options: Options, model: Model) -> Measured:
    """The model as the translator asks it: about the whole, and in small parts where nothing was right of that."""
    from cass_shim.translate.cass.contracts import FIELDS
    from cass_shim.translate.cass.prompt import TOO_LONG

    cuts = options.small and getattr(model, "contract", "") == FIELDS
    try:
        found = _model(work, problem, start, options, model)
    except Unsupported as error:
        if not cuts or error.feature != TOO_LONG:
            raise
        found = replace(start, unsupported=_line(error), reason=_line(error))
    return _small(work, found, options, model) if cuts and not found.best else found


def _small(work: Work, found: Measured, options: Options, model: Model) -> Measured:
    """What small parts add, all of them the model's."""
    from cass_shim.translate.cass.search import Budget

    try:
        search, outcome = _cut(work, Budget(SMALL_S), model, options.small, is_own=True)
    except Unsupported:  # it cannot be cut
        return found
    right = outcome.source is not None
    failed = outcome.source is not None and bool(_Judge(work, FINAL_SEED)(outcome.source)[1])
    found = replace(found, small=right, best=right, only_final=failed, tokens=found.tokens + search.tokens)
    unsupported = "" if right else found.unsupported
    return replace(found, parts=len(search.parts), own=len(search.own), unsupported=unsupported)


def _in_parts(work: Work, problem: Problem, start: Measured, options: Options, model: Model) -> Measured:
    """The model's answers to a kernel's parts: all of them together, else each among the lifter's."""
    from cass_shim.translate.cass.search import Budget

    budget = Budget(options.seconds, repairs=options.repairs, samples=options.samples, temperature=options.temperature)
    search, outcome = _cut(work, budget, model, options.parts)
    parts, own = len(search.parts), len(search.own)
    tried = [one for one in outcome.attempts if one.reason]
    reason = _line(Rejected(f"{tried[0].kind}: {tried[0].reason}")) if tried and own < parts else ""
    found = replace(start, parts=parts, own=own, reason=reason, tokens=search.tokens)
    served = outcome.source is not None
    return replace(found, assembled=served, verified=served and own == parts, best=served)


def _cut(work: Work, budget: Budget, model: Model, largest: int, *, is_own: bool = False) -> tuple[InParts, Outcome]:
    """A finished search over parts. Raises Unsupported for a kernel that cannot be cut."""
    from cass_shim.translate.cass.search import Check
    from cass_shim.translate.cass.splitting import InParts

    def check(code: CodeObject) -> None:
        evidence = verified(code)
        if evidence < ACCEPTED:
            raise Rejected(f"evidence {evidence.label} only", kernel=work.kernel)

    verified = _Judge(work).verified
    judge = Check(lambda candidate: assemble(candidate, work.abi), check)
    search = InParts(work.sass, lambda: _listing(work), model, judge, budget, region, largest, is_own=is_own)
    return search, search.run()


def _listing(work: Work) -> str:
    from cass_shim.decode.cuobjdump import print_sass

    assert work.module.cubin is not None
    return print_sass(work.module.cubin, work.kernel)


@dataclass(frozen=True, slots=True)
class Share:
    """A share of problems with its 95 % interval."""

    share: float
    low: float
    high: float

    @classmethod
    def of(cls, share: float, trials: int) -> Share:
        """Rounded to four digits."""
        return cls(round(share, 4), *(round(bound, 4) for bound in wilson(share, trials)))


@dataclass(frozen=True, slots=True)
class Summary:
    """A group with one translator. Shares are of all problems: an unsupported one counts as not right."""

    group: str
    translator: str
    problems: int
    unsupported: int
    assembled: Share
    verified: Share
    exact: Share | None
    repaired: Share
    small: Share
    best: Share
    passed: dict[str, Share]
    seconds: float
    tokens: float
    only_final: int = 0
    parts: int = 0
    own: int = 0


def summarise(measured: Iterable[Measured]) -> list[Summary]:
    """One line per group and translator, and for several groups one of all together; without what was lost."""
    rows = [one for one in measured if not one.lost]
    groups: dict[tuple[str, str], list[Measured]] = {}
    for one in rows:
        for group in (one.group, f"{one.group.split('/')[0]}, all" if "/" in one.group else ""):
            if group:
                groups.setdefault((group, one.translator), []).append(one)
    return [_summary(group, translator, chosen) for (group, translator), chosen in sorted(groups.items())]


def _summary(group: str, translator: str, rows: Sequence[Measured]) -> Summary:
    amount = len(rows)
    compared = [one for one in rows if one.exact is not None]
    most = max((one.samples for one in rows), default=0)
    # a problem without samples was not answered at all: none of them would have been right
    counts = [(one.samples, one.accepted) if one.samples else (most, 0) for one in rows]
    passed = {}
    for k in PASS_AT:
        share = mean_pass_at(k, counts) if most >= k else None
        if share is not None:
            passed[f"pass@{k}"] = Share.of(share, amount)
    return Summary(
        group,
        translator,
        amount,
        sum(bool(one.unsupported) for one in rows),
        Share.of(sum(one.assembled for one in rows) / amount, amount),
        Share.of(sum(one.verified for one in rows) / amount, amount),
        Share.of(sum(bool(one.exact) for one in compared) / len(compared), len(compared)) if compared else None,
        Share.of(sum(one.repaired or one.verified for one in rows) / amount, amount),
        Share.of(sum(one.repaired or one.verified or one.small for one in rows) / amount, amount),
        Share.of(sum(one.best or one.verified for one in rows) / amount, amount),
        passed,
        round(sum(one.seconds for one in rows) / amount, 2),
        round(sum(one.tokens for one in rows) / amount, 1),
        sum(one.only_final for one in rows),
        sum(one.parts for one in rows),
        sum(one.own for one in rows),
    )
