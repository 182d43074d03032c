"""Hostile answers of a model, asked for by a program: each is rejected, the program runs right, the daemon lives on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cass_shim.cache.local import LocalTier
from cass_shim.model.config import Config
from cass_shim.module import load_module
from cass_shim.pipeline import NoTranslation, translate
from tests.daemon.conftest import EXAMPLES, Place
from tests.daemon.test_programs import assert_right, launcher, programs, run
from tests.translate.cass.support import ANSWERS, NAME, good_answer

__all__ = ["launcher", "programs"]  # fixtures

GUARD = "\ts_cbranch_execz .LBB0_2\n"
STORE = "\tglobal_store_b32 v[0:1], v2, off\n"
START = "; %bb.0:\n"
Change = Callable[[str], str]


def instead(old: str, new: str) -> Change:
    def change(answer: str) -> str:
        assert old in answer
        return answer.replace(old, new)

    return change


# What is wrong → how the answer is changed, and the reason of the rejection.
HOSTILE: dict[str, tuple[Change, str]] = {
    "wrong kernel name": (instead(NAME, "_Z9somebodyPKfS0_Pfi"), "the kernel is named _Z9somebody"),
    "store far away": (instead(STORE, "\tv_add_nc_u32 v1, 0x100, v1\n" + STORE), "illegal address"),
    "store behind the end": (
        instead(STORE, STORE + "\tglobal_store_b32 v[0:1], v2, off offset:4\n"),
        "differs from the reference",
    ),
    "endless loop": (instead(START, f"{START}.LBB0_9:\n\ts_branch .LBB0_9\n"), "stopped: s_branch"),
    "privileged instruction": (instead(GUARD, GUARD + "\ts_sethalt 1\n"), "s_sethalt is not a kernel's to use"),
    "ten megabytes": (
        lambda answer: answer.replace(START, START + "\ts_nop 0\n" * 1_200_000),
        "the answer has 10807215 characters",
    ),
    "prose": (lambda answer: "I am sorry, I cannot help with that.", "the answer has no code for the kernel"),
}


def recorded(folder: Path, change: Change) -> Path:
    """The recorded answers, those for vector_add changed."""
    shutil.copytree(ANSWERS, folder)
    for file in folder.glob(f"{NAME}.*.md"):
        file.write_text(change(file.read_text()))
    return folder


def settings(folder: Path) -> dict[str, str]:
    return {"CASS_TRANSLATORS": "cass,lift", "CASS_MODEL": str(folder)}


def routes(place: Place) -> dict[str, str]:
    return {record.kernel: record.route for record in LocalTier(place.cache).records()}


def test_the_answer_that_the_hostile_ones_are_made_of_serves(launcher: Path, programs: Place) -> None:
    """Without this, a rejection would show nothing."""
    assert good_answer()
    programs.environment |= settings(recorded(programs.folder / "answers", str))
    assert_right("vector_add_static", run(launcher, programs, "vector_add_static"))
    assert routes(programs) == {NAME: "cass"}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_answer_is_rejected_and_the_daemon_lives_on(launcher: Path, programs: Place, kind: str) -> None:
    change, reason = HOSTILE[kind]
    answers = recorded(programs.folder / "answers", change)
    module, alone = load_module((EXAMPLES / "vector_add_static").read_bytes()), Config(translators="cass")
    with pytest.raises(NoTranslation, match=f"greedy: .*{reason}"):
        translate(module, NAME, replace(alone, model=str(answers), device="emulated"))
    programs.environment |= settings(answers)
    assert_right("vector_add_static", run(launcher, programs, "vector_add_static"))
    assert routes(programs) == {NAME: "lift"}
    daemon = programs.daemon_pid()
    assert daemon is not None
    assert_right("mandelbrot_shared", run(launcher, programs, "mandelbrot_shared"))
    assert programs.daemon_pid() == daemon
