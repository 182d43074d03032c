"""The translator `cass`: a language model proposes RDNA3 assembly for SASS; assembler and verifier decide."""

from __future__ import annotations

import contextlib
import dataclasses
import time

from cass_shim.model.artifacts import AmdgcnAsm, SassKernel
from cass_shim.model.config import Config
from cass_shim.model.errors import Rejected, Unsupported
from cass_shim.model.origin import with_origin
from cass_shim.translate.cass.contracts import FIELDS, Listing
from cass_shim.translate.cass.models import Model, choose
from cass_shim.translate.cass.prompt import TOO_LONG
from cass_shim.translate.cass.search import CUT_OFF, Budget, Check, Outcome, Search
from cass_shim.translate.cass.splitting import SMALL, InParts, Region

__all__ = ["Check", "translate_kernel"]

WHOLE = 0.6  # of a kernel's time goes to answers for all of it, where it may be cut


def translate_kernel(
    text: Listing,
    sass: SassKernel,
    config: Config,
    check: Check | None = None,
    region: Region | None = None,
    cuts: bool = True,
) -> AmdgcnAsm:
    """The model's assembly of one kernel (`abi: hip`), its first lines saying where it comes from.

    text: `cuobjdump -sass` of the kernel, or how to get it. check: assembles and verifies a candidate, raising what
    is wrong with it; without one, the first answer that keeps the contract is returned for the caller to judge.
    region: the deterministic code of a part, which stands in where no answer is right in a kernel beyond the window.
    cuts: whether a kernel may be cut into parts at all.
    Raises Unsupported when there is no model or the prompt is too long, ToolFailed when the model fails, Rejected when
    no answer was accepted.
    """
    budget = Budget()
    budget = dataclasses.replace(budget, seconds=config.number("kernel_timeout") or budget.seconds)
    if check is None:  # nothing here can tell a good sample from a bad one
        budget = dataclasses.replace(budget, samples=0)
    model = choose(config.model, sass.sm)
    if cuts:
        outcome = _search(sass, text, model, check, budget, region)
    else:
        outcome = Search(sass, text, model, check, budget).run()
    if outcome.source is None:
        tried = "; ".join(
            f"{attempt.kind}: {attempt.reason.splitlines()[0]}" for attempt in outcome.attempts if attempt.reason
        )
        raise Rejected("no answer of the model was accepted", kernel=sass.name, witness=tried)
    return dataclasses.replace(outcome.source, text=with_origin(outcome.source.text, outcome.provenance))


def _search(
    sass: SassKernel, text: Listing, model: Model, check: Check | None, budget: Budget, region: Region | None
) -> Outcome:
    """As a whole; in parts where prompt or answer are longer than the window, or our own model's answers are wrong."""
    started = time.monotonic()
    is_ours = check is not None and bool(model.window) and getattr(model, "contract", "") == FIELDS
    whole = dataclasses.replace(budget, seconds=WHOLE * budget.seconds) if is_ours else budget
    try:
        outcome = Search(sass, text, model, check, whole).run()
    except Unsupported as error:
        if error.feature != TOO_LONG or not model.window:
            raise
        outcome = _parts(sass, text, model, check, budget, region)
        if not outcome.provenance:  # it could read no part either
            raise
        return outcome
    cut_off = any(CUT_OFF in one.reason for one in outcome.attempts)
    if outcome.source is not None or not model.window or not (is_ours or cut_off):
        return outcome
    left = dataclasses.replace(budget, seconds=max(1.0, budget.seconds - (time.monotonic() - started)))
    try:
        found = _parts(sass, text, model, check, left, region, is_own=not cut_off)
    except Unsupported:
        return outcome  # says more
    found.attempts[:0] = outcome.attempts
    return found


def _parts(
    sass: SassKernel, text: Listing, model: Model, check: Check | None, budget: Budget, region: Region | None, *,
    is_own: bool = False,
) -> Outcome:  # fmt: skip
    """In small parts for our own model, which is right about most of them; else in as large ones as it reads."""
    if getattr(model, "contract", "") == FIELDS:
        with contextlib.suppress(Unsupported):  # too many, or an instruction with more values than a part may have
            return InParts(sass, text, model, check, budget, region, SMALL, is_own=is_own).run()
    return InParts(sass, text, model, check, budget, region, is_own=is_own).run()
