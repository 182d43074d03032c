"""The documentation: pages that must agree with the code, and the site where its builder is installed."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cass_shim.isa.sass import bits
from cass_shim.native.build import BUILD
from cass_shim.native.locate import EMULATED_HIP
from tools.environment import ROOT

DOCS = ROOT / "docs"
NATIVE = ROOT / "cass_shim" / "native"


def table_of(page: str) -> set[str]:
    """Variables in the first column of a page's tables."""
    return set(re.findall(r"^\| `(CASS_\w+)` \|", (DOCS / page).read_text(), re.MULTILINE))


def test_the_emulators_page_has_every_variable_that_c_reads() -> None:
    read: set[str] = set()
    for source in (NATIVE / "emulator").glob("*.c"):
        read |= set(re.findall(r'(?:getenv|setting)\("(CASS_EMU_\w+)"', source.read_text()))
    assert read
    assert {name for name in table_of("emulator.md") if name.startswith("CASS_EMU_")} == read


def test_every_variable_that_anything_reads_stands_on_a_page() -> None:
    pattern = re.compile(r"""(?:getenv\(|environ\.get\(|environ\[)"(CASS_\w+)\"""")
    read = {
        name
        for path in (*NATIVE.rglob("*.c"), *(ROOT / "cass_shim").rglob("*.py"))
        if "_build" not in path.parts
        for name in pattern.findall(path.read_text())
    }
    documented = " ".join(path.read_text() for path in DOCS.glob("*.md"))
    assert not {name for name in read if f"`{name}" not in documented}


def test_defaults_on_the_emulators_page_are_those_of_c() -> None:
    source = (NATIVE / "emulator" / "hip_state.c").read_text()
    shown = dict(re.findall(r"^\| `(CASS_EMU_\w+)` \| (\d+)G? ", (DOCS / "emulator.md").read_text(), re.MULTILINE))
    for name, default in shown.items():
        found = re.search(rf'setting\("{name}", (\d+)', source)
        if found is not None:
            assert found.group(1) == default


def test_the_shown_instruction_is_the_one_in_the_code() -> None:
    page = (DOCS / "add-an-instruction.md").read_text()
    (snippet,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert snippet in Path(bits.__file__).read_text()


def test_the_shown_call_is_the_one_in_the_code() -> None:
    page = (DOCS / "add-an-api-call.md").read_text()
    (row,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (body,) = re.findall(r"```c\n(.*?)```", page, re.DOTALL)
    assert row in (ROOT / "cass_shim" / "api" / "driver" / "memory.py").read_text()
    assert body in (NATIVE / "driver" / "api_memory.c").read_text()


def test_every_page_is_in_the_sites_navigation() -> None:
    named = re.findall(r"([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(named) == sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))


def test_links_between_pages_lead_somewhere() -> None:
    """What the strict build checks too, where its builder is not installed."""
    broken = []
    for page in DOCS.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")
    assert not broken


def test_paths_that_pages_name_exist() -> None:
    """`cass_shim/…` and the like in backquotes; patterns and generated folders apart."""
    missing = []
    for page in (*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "ARCHITECTURE.md"):
        for name in re.findall(r"`((?:cass_shim|tests|tools|examples|samples|docs)/[\w./-]+)`", page.read_text()):
            if "_build" not in name and not (ROOT / name).exists():
                missing.append(f"{page.name}: {name}")
    assert not missing


@pytest.mark.skipif(not (BUILD / EMULATED_HIP).exists(), reason="the emulated device is not built")
def test_life_of_a_kernel_is_what_the_stages_make() -> None:
    import llvmlite.binding

    from tools.life_of_a_kernel import PAGE, page

    if llvmlite.binding.llvm_version_info[0] != 22:
        pytest.skip("the page's listings are LLVM 22's")
    assert PAGE.read_text() == page(), "run python3 -m tools.life_of_a_kernel"


@pytest.mark.skipif(importlib.util.find_spec("material") is None, reason="needs the extra `docs`")
def test_the_site_builds_strictly(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "life-of-a-kernel.html").is_file()
    fetched = re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="https?:', (tmp_path / "index.html").read_text())
    assert not fetched


def test_every_claim_of_the_security_page_names_tests_that_exist() -> None:
    text = (DOCS / "security.md").read_text()
    named = re.findall(r"`([\w/]+\.py)(?:::(\w+))?`", text)
    assert len(named) > 30
    for file, test in named:
        source = (ROOT / "tests" / file).read_text()
        assert f"def {test}" in source if test else "def test_" in source, f"{file}::{test}"
