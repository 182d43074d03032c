"""A model's answers part by part: cut, compared, counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from cass_shim.compat.problems import Problem
from cass_shim.module import load_module
from cass_shim.translate.cass.splitting import SMALL
from tests.translate.cass.fielded import Fielded
from tests.translate.cass.test_fields import kernel
from tests.translate.cass.test_parts import LOOPS
from tools import environment
from tools.modelparts import END, Found, Said, ask, cut, first_difference, main, report

PREBUILT = environment.ROOT / "examples" / "prebuilt"


@pytest.mark.parametrize(
    ("wanted", "given", "found"),
    [
        ("a\nb", "a\nb\n", ("", "")),
        ("a\nb", "a\nc", ("b", "c")),
        ("a\nb", "a", ("b", END)),
        ("a", "a\nb", (END, "b")),
    ],
)
def test_the_first_difference(wanted: str, given: str, found: tuple[str, str]) -> None:
    assert first_difference(wanted, given) == found


def test_answers_are_compared_with_targets() -> None:
    model = Fielded(kernel(LOOPS)[0], wrong=(2,))
    other = Fielded(kernel(LOOPS)[0])
    prompts = other.known
    found = Found([Said("loops", at, 9, text, target) for at, (text, target) in enumerate(prompts.items(), 1)])
    found.parts.append(Said("other", 1, 9, "none", trouble="no target: too long"))
    ask(found, model)
    wrong = [one for one in found.parts if not one.is_exact]
    assert [one.kernel for one in wrong] == ["loops", "other"] and wrong[0].given == "s_endpgm"
    lines = report(found).split("\n")
    amount = len(prompts)
    assert lines[0] == f"2 kernels in {amount + 1} parts, 0 kernels not cut"
    assert lines[1].startswith(f"{amount - 1} of {amount} answers are the target")
    assert lines[2] == "0 kernels wholly: "
    assert lines[3].endswith(" said as s_endpgm") and lines[-1] == "   1 no target: too long"


def test_kernels_are_cut_as_the_translator_cuts_them() -> None:
    module = load_module((PREBUILT / "matmul_tiled_static_sass").read_bytes())
    (name,) = module.kernels
    found, model = Found(), Fielded(kernel(LOOPS)[0])
    kernels = cut([Problem("matmul", "g", module, name)], model, SMALL, found)
    assert [one.number for one in found.parts] == list(range(1, len(kernels) + 1)) and len(kernels) > 2
    assert all(one.instructions <= SMALL and one.prompt.startswith("shared") for one in found.parts)
    assert cut([Problem("matmul", "g", module, name)], model, 2, found) == []
    assert list(found.uncut) == ["matmul"] and "small enough" in found.uncut["matmul"]


def test_what_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 1
    assert "no kernels there" in capsys.readouterr().err
