"""The model behind a program: when its code takes the place of what serves, and how that is taken back."""

from __future__ import annotations

import asyncio
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from cass_shim.assemble.text import assemble_text
from cass_shim.cache.record import Record
from cass_shim.cache.storage import Entry
from cass_shim.daemon.reverify import pack_translation, pack_with_launch, unpack_with_launch
from cass_shim.daemon.rival import (
    REPLACES,
    asked,
    find_rival,
    has_replaced,
    may_replace,
    model_works_behind,
)
from cass_shim.daemon.service import Service
from cass_shim.model.artifacts import Evidence
from cass_shim.model.config import Config
from cass_shim.model.entry import CodeEntry, pack_entry, read_entry
from cass_shim.model.errors import Malformed, Rejected
from cass_shim.model.wire import FrameKind, KernelRequest, Reply, Status
from cass_shim.module import Module, load_module
from cass_shim.pipeline import Work
from cass_shim.translate.cass import models
from cass_shim.translate.cass.contract import rebuild
from cass_shim.translate.cass.contracts import CONTRACTS, FIELDS
from cass_shim.translate.cass.fields import target_lines
from tests.daemon.conftest import EXAMPLES
from tests.daemon.test_behind import KERNEL, SAMPLE, Answers, Made, looked_at, made, served
from tests.translate.cass.test_fields import VECTOR_ADD, Speaker, joined

__all__ = ["made", "served"]  # fixtures

AGREES = {"verdict": "agrees"}
CHEAPER = {"gain": 0.2}
GOOD = {"cost": CHEAPER, "second opinion": AGREES, "captured launch": AGREES}


@pytest.mark.parametrize(
    ("evidence", "report", "missing"),
    [
        (Evidence.E4, {"cost": CHEAPER}, ""),
        (Evidence.E3, GOOD, ""),
        (Evidence.E4, {"cost": {"gain": 0.09}}, "does not cost 10% less"),
        (Evidence.E4, {}, "does not cost 10% less"),
        (Evidence.E4, {"cost": {"gain": "0.5"}}, "does not cost 10% less"),
        (Evidence.E3, {"cost": CHEAPER, "captured launch": AGREES}, "neither proved"),
        (Evidence.E2, {"cost": CHEAPER, "second opinion": AGREES}, "neither proved"),
        (Evidence.E1U, GOOD, "neither proved"),
    ],
)
def test_the_rule_of_decision_5(evidence: Evidence, report: dict[str, object], missing: str) -> None:
    found = may_replace(evidence, report)
    assert missing in found if missing else found == ""


def rival_of(entry: Entry, evidence: str = "E4", **report: object) -> Entry:
    """The same code, as if a model had made it and it replaced `entry`."""
    level = {one.label: one for one in Evidence}[evidence]
    content = pack_entry(replace(read_entry(entry.content), evidence=level, route="cass"))
    record = replace(
        entry.record,
        entry=hashlib.sha256(content).hexdigest(),
        route="cass",
        evidence=evidence,
        created=entry.record.created + 1,
        provenance={**entry.record.provenance, REPLACES: entry.record.digest},
        report=report or {"cost": CHEAPER},
    )
    return Entry(record, content)


def answered(entry: Entry) -> Reply:
    return Reply(Status.OK, pack_translation(entry))


def test_the_models_code_takes_the_place_and_rollback_restores_what_was_there(made: Made, served: Entry) -> None:
    second, better = replace(served), rival_of(served)
    pool = Answers([answered(second), answered(better)])
    queue, tier, wanted, pushed = made(pool, model="some model")
    looked_at(queue, wanted, served)
    assert pool.asked.count(FrameKind.RIVAL) == 1
    assert queue.index.counters() == {"behind looked at": 1, "model tried": 1, "model replaced": 1}
    assert {one.route for one in tier.records()} == {"lift", "cass"} and pushed == [wanted.key]
    service = Service(wanted.config, tier, queue.index, pool)
    chosen = service._best(tier.get(wanted.key), wanted)
    assert chosen is not None and chosen.record.route == "cass"
    for config in (Config(behind="0"), Config(translators="lift"), Config(translators="lift,cass")):
        kept = service._best(tier.get(wanted.key), replace(wanted, config=config))
        assert kept is not None and kept.record.route == "lift"

    newest = max(tier.records(), key=lambda one: one.created)
    tier.withdraw(wanted.key, newest.digest)  # what `cass cache rollback` does
    restored = asyncio.run(service._stored(wanted))
    assert restored is not None and restored.record.route == "lift"
    assert tier.admitted(wanted.key, wanted.config) == served.content
    looked_at(queue, wanted, restored)
    assert pool.asked.count(FrameKind.RIVAL) == 1  # it is not asked again


def test_what_breaks_the_rule_replaces_nothing(made: Made, served: Entry) -> None:
    weak = rival_of(served, "E3", cost=CHEAPER)
    refusal = Reply(Status.FAILED, json.dumps({"message": "saves 2%", "lasting": True}).encode())
    for reply in (answered(weak), refusal):
        queue, tier, wanted, pushed = made(Answers([answered(served), reply]), model="some model")
        looked_at(queue, wanted, served)
        assert {one.route for one in tier.records()} == {"lift"} and not pushed
        assert "model replaced" not in queue.index.counters()


def test_what_was_taken_back_meanwhile_is_not_replaced(made: Made, served: Entry) -> None:
    queue, tier, wanted, _ = made(Answers([answered(served), answered(rival_of(served))]), model="some model")
    tier.withdraw(wanted.key)
    looked_at(queue, wanted, served)
    assert tier.admitted(wanted.key, wanted.config) is None


def test_no_kernel_leaves_the_machine_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://example.invalid/v1")
    assert not model_works_behind(Config())
    assert model_works_behind(Config(model="http://example.invalid/v1"))
    assert not model_works_behind(Config(model="http://example.invalid/v1", translators="lift"))
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.setattr(models, "SHIPPED", Path("/nowhere"))
    assert not model_works_behind(Config())


def test_a_rival_request_travels(served: Entry) -> None:
    request = asked(KernelRequest(bytes(32), KERNEL), 10.0)
    config = Config(behind="20").with_options(request.options)
    assert config.translator_order == ("cass",) and config.second_seconds == 10 and config.proof_seconds == 10
    found, record, content, launch = unpack_with_launch(pack_with_launch(request, served, None))
    assert (found, record, content, launch) == (request, served.record, served.content, None)
    for cut in (0, 3, 40):
        with pytest.raises(Malformed):
            unpack_with_launch(pack_with_launch(request, served, None)[:cut])


# ---- in a worker, with a model that knows one answer by heart


def slow(module: Module) -> tuple[Record, bytes]:
    """What serves: the same kernel with 400 useless instructions."""
    sass = Work(module, KERNEL, Config()).sass
    body = joined(target_lines(VECTOR_ADD.splitlines()))
    useless = "\n".join(["v_mov_b32 v #200 , v #200"] * 400)
    first, rest = body.split("\n", 1)
    text = CONTRACTS[FIELDS].body(sass, f"v_mov_b32 v #200 , #0\n{useless}\n{first}\n{rest}")
    key = module.key(KERNEL, "gfx1100").digest
    content = pack_entry(CodeEntry(key, assemble_text(rebuild(text, sass.abi), sass.abi), Evidence.E1, "lift"))
    return Record(key=key.hex(), entry=hashlib.sha256(content).hexdigest(), route="lift", evidence="E1"), content


@pytest.fixture
def speaker(monkeypatch: pytest.MonkeyPatch) -> Speaker:
    one = Speaker(joined(target_lines(VECTOR_ADD.splitlines())))
    monkeypatch.setattr("cass_shim.translate.cass.choose", lambda setting, sm: one)
    return one


def test_a_rival_that_is_cheaper_and_proved_says_what_it_replaces(speaker: Speaker) -> None:
    pytest.importorskip("z3", reason="no z3 (pip install 'cass-shim[proof]')")
    module = load_module((EXAMPLES / SAMPLE).read_bytes())
    record, content = slow(module)
    config = Config(translators="cass", prove="30")
    found = find_rival(module, KERNEL, record, content, config, None).record
    assert has_replaced(found)
    assert found.evidence == "E4" and found.provenance[REPLACES] == record.digest
    assert "before it: lift, E1" in found.provenance["origin"]
    assert found.created > record.created


def test_a_rival_that_saves_nothing_is_rejected_before_anything_is_proved(speaker: Speaker) -> None:
    module = load_module((EXAMPLES / SAMPLE).read_bytes())
    sass = Work(module, KERNEL, Config()).sass
    text = CONTRACTS[FIELDS].body(sass, joined(target_lines(VECTOR_ADD.splitlines())))
    key = module.key(KERNEL, "gfx1100").digest
    content = pack_entry(CodeEntry(key, assemble_text(rebuild(text, sass.abi), sass.abi), Evidence.E1, "lift"))
    record = Record(key=key.hex(), entry=hashlib.sha256(content).hexdigest(), route="lift", evidence="E1")
    with pytest.raises(Rejected, match=r"saves -?\d+% of what serves costs, 10% are wanted"):
        find_rival(module, KERNEL, record, content, Config(translators="cass", prove="30"), None)
