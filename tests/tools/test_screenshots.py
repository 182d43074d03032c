"""The look at our pages in a browser: faults are found, and the pages have none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cass_shim.compat.report import page
from cass_shim.compat.results import KernelFact, Outcome, Results
from tools.browser import Browser, find
from tools.screenshots import Links, look, overflow, site_pages, tab_order, use_report

FAULTY = """<!doctype html><meta name="viewport" content="width=device-width">
<div style="width: 3000px">wide</div>
<button id="first" tabindex="2">a</button><button id="plain" style="outline: none">b</button>
<script>console.error("said"); undefinedName();</script>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if find() is None:
        pytest.skip("no Chromium")
    with Browser() as one:
        yield one


def test_faults_are_found(browser: Browser, tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.html"
    faulty.write_text(FAULTY)
    browser.console.clear()
    browser.open(faulty, 1440)
    assert [text.splitlines()[0] for text in browser.console] == [
        "said",
        "ReferenceError: undefinedName is not defined",
    ]
    assert "out of the window" in overflow(browser)[0]
    assert tab_order(browser) == ["the focus on plain is not seen"]
    faulty.write_text(FAULTY.replace('tabindex="2"', 'tabindex="-1"'))
    browser.open(faulty, 1440)
    assert tab_order(browser) == ["Tab does not reach first"]


def test_the_compatibility_page_has_none(browser: Browser, tmp_path: Path) -> None:
    kernels = (KernelFact("k", "lift", "E1u"),)
    facts = {"translators": "lift", "kernels": kernels, "domain": "graph", "variant": "static-sm80"}
    rows = [
        Outcome(f"program_{number}", "0", exit_code=number % 2, seconds=1.5, messages=("said",), **facts)  # type: ignore[arg-type]
        for number in range(4)
    ]
    report = tmp_path / "report.html"
    report.write_text(page(Results(rows, "emulated gfx1100", "1")))
    assert look(browser, report, use_report, tmp_path) == []
    assert len(list(tmp_path.glob("*.png"))) == 4


def test_links_that_lead_nowhere_are_found(browser: Browser, tmp_path: Path) -> None:
    menu = "<nav>" + "".join(f'<a href="page{number}.html">p</a>' for number in range(11)) + "</nav>"
    for number in range(11):
        (tmp_path / f"page{number}.html").write_text(f'{menu}<h2 id="here">h</h2>')
    (tmp_path / "page3.html").write_text(
        f'{menu}<a href="page4.html#here">right</a><a href="#top">right</a><a href="https://example.com/x">unasked</a>'
        '<a href="page4.html#there">no such place</a><a href="gone.html">no such page</a>'
    )
    links = Links()
    assert site_pages(tmp_path) == sorted(tmp_path.glob("*.html"))
    for one in site_pages(tmp_path):
        browser.open(one, 1440)
        assert links.use(browser) == []
    assert links.broken() == [
        "page3: a link to page4.html#there, a place that is not there",
        f"page3: a link to {tmp_path / 'gone.html'}, which is not there",
    ]
    browser.open(tmp_path / "page4.html", 1440)
    browser.ask("document.querySelector('nav').remove()")
    assert links.use(browser) == ["only 0 links to other pages"]
