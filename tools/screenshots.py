"""`python3 -m tools screenshots [DIR]`: our pages in Chromium, at the widths of a desk and a phone, light and dark.

Makes the compatibility page (of `--results FILE`, else of an example program) and a `cass view` page, opens both and
every page of the documentation's site (of `--site FOLDER`, what `python3 -m tools docs` builds), and checks what a
visitor would stumble over: errors on the console, text that runs out of the window, controls that the keyboard does not
reach or that do not show the focus, keys that do nothing, links to files or places in them that are not there (the
site's and each other's; addresses of the network are not asked). Pictures go to DIR (default build/screenshots). Exit
status 1 when a page has a fault. Needs a Chromium; it is not in the requirements.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Callable
from pathlib import Path

from tools import environment
from tools.browser import Browser, BrowserFailed

WIDTHS = (1440, 390)
PROGRAM = environment.ROOT / "examples" / "prebuilt" / "vector_add_static"
TABS = 25  # elements that the Tab key is followed over
SETTLES_S = 10.0  # for what a key causes
FOCUSABLE = "button, input, select, summary, a[href], [tabindex='0']"
LINKS = "[...document.querySelectorAll('a[href]')].map(one => one.href)"
PLACES = "[...document.querySelectorAll('[id], a[name]')].map(one => one.id || one.name)"
VISIBLE = f"[...document.querySelectorAll(`{FOCUSABLE}`)].filter(one => one.checkVisibility() && !one.disabled)"
HAS_OUTLINE = "(style => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0)"


CUT_OFF = (  # by the window, though a part of the page may be scrolled: what is no table has room below
    "[...document.querySelectorAll('td, p, li, h1, h2, dt, dd')]"
    ".filter(one => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1"
    " && getComputedStyle(one).display !== 'table-cell').map(one => one.textContent.trim().slice(0, 40))"
)


def overflow(browser: Browser) -> list[str]:
    """Text or controls that run out of the window, or of their place in it."""
    wide = browser.ask("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    cut = sorted(set(browser.ask(CUT_OFF)))
    return [f"runs {wide} pixels out of the window"] * (wide > 0) + [f"is cut off: {text}" for text in cut[:5]]


def tab_order(browser: Browser) -> list[str]:
    """Visible controls that Tab does not reach, in their order, or on which the focus cannot be seen."""
    faults = []
    count = min(int(browser.ask(f"{VISIBLE}.length")), TABS)
    browser.ask("document.activeElement.blur()")
    for number in range(count):
        browser.press("Tab")
        at = f"{VISIBLE}[{number}]"
        name = browser.ask(f"{at}.id || {at}.textContent.trim().slice(0, 30) || {at}.tagName")
        if not browser.ask(f"document.activeElement === {at}"):
            faults.append(f"Tab does not reach {name}")
            break
        if not browser.ask(f"{HAS_OUTLINE}(getComputedStyle(document.activeElement))"):
            faults.append(f"the focus on {name} is not seen")
    return faults


def becomes(browser: Browser, expression: str) -> bool:
    """Whether it is true, now or soon."""
    until = time.monotonic() + SETTLES_S
    while not browser.ask(f"Boolean({expression})"):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def use_report(browser: Browser) -> list[str]:
    """Filter and sort the compatibility page by keys alone."""
    faults = []
    rows = int(browser.ask("rows.length"))
    browser.ask("filter.focus()")
    browser.write("no program is called that")
    if not becomes(browser, f"document.getElementById('count').textContent === '0 of {rows}'"):
        faults.append("typing into the filter does not filter")
    browser.ask("filter.value = ''; filter.dispatchEvent(new Event('input'))")
    if browser.ask("document.querySelector('#head button').checkVisibility()"):
        before = browser.ask("head.children[0].ariaSort")
        browser.ask("document.querySelector('#head button').focus()")
        browser.press("Enter")
        if not becomes(browser, f"head.children[0].ariaSort !== '{before}'"):
            faults.append("Enter on a column's name does not sort")
    elif not browser.ask("sort.checkVisibility()"):
        faults.append("nothing to sort with")
    return faults


def use_view(browser: Browser) -> list[str]:
    """Walk through a listing and one lane's steps by keys alone."""
    faults = []
    browser.ask("$('at').focus()")
    browser.press("ArrowRight")
    if not becomes(browser, "$('now').textContent.startsWith('step 2 of')"):
        faults.append("the arrow key does not step")
    browser.ask("lists.sass.list.focus()")
    browser.press("Home")
    browser.press("ArrowDown")
    if not becomes(browser, "lists.sass.list.getAttribute('aria-activedescendant') === 'sass-1'"):
        faults.append("the arrow key does not move in the listing")
    if not browser.ask("document.querySelectorAll('.row.linked').length > 1"):
        faults.append("the chosen line has no counterpart")
    return faults


class Links:
    """Where the pages that were looked at lead, and the places that each of them has."""

    def __init__(self) -> None:
        self.of: dict[Path, list[str]] = {}
        self.places: dict[Path, set[str]] = {}

    def use(self, browser: Browser) -> list[str]:
        """Note a page of the site; the site's own pages can be reached from each."""
        page = local(str(browser.ask("location.href")))[0]
        assert page is not None
        self.of[page] = browser.ask(LINKS)
        self.places[page] = {"", "top", *browser.ask(PLACES)}  # the start of a page, by the HTML standard
        links = int(browser.ask("document.querySelectorAll('nav a[href$=\".html\"]').length"))
        return [] if links > 10 else [f"only {links} links to other pages"]

    def broken(self) -> list[str]:
        """Links to files that are not there, or to places that a page of the site has not."""
        faults = []
        for page, links in self.of.items():
            for link in dict.fromkeys(links):
                target, place = local(link)
                if target is None:
                    continue
                if not target.is_file():
                    faults.append(f"{page.stem}: a link to {target}, which is not there")
                elif place not in self.places.get(target, {place}):
                    faults.append(f"{page.stem}: a link to {target.name}#{place}, a place that is not there")
        return faults


def local(address: str) -> tuple[Path | None, str]:
    """The file and the place in it that an address names; no file where it is one of the network."""
    parts = urllib.parse.urlsplit(address)
    if parts.scheme != "file":
        return None, ""
    return Path(urllib.parse.unquote(parts.path)), urllib.parse.unquote(parts.fragment)


def site_pages(folder: Path) -> list[Path]:
    """Every page of the documentation as it was built. The page of a missing address has links from a server's root."""
    pages = sorted(page for page in folder.resolve().rglob("*.html") if page.name != "404.html")
    if not pages:
        raise BrowserFailed(f"{folder}: no pages")
    return pages


def look(browser: Browser, page: Path, use: Callable[[Browser], list[str]], pictures: Path) -> list[str]:
    """Open a page at every width; its faults."""
    faults = []
    for width in WIDTHS:
        for dark in (False, True):
            browser.console.clear()
            browser.open(page, width, dark=dark)
            name = f"{page.stem}-{width}{'-dark' if dark else ''}"
            browser.picture(pictures / f"{name}.png")
            found = overflow(browser)
            if not dark:  # the same page in other colours
                found += [*tab_order(browser), *use(browser), *overflow(browser)]
            found += [f"console: {text.splitlines()[0]}" for text in browser.console]
            faults += [f"{name}: {fault}" for fault in dict.fromkeys(found)]
    return faults


def make_pages(folder: Path, results: Path | None) -> list[tuple[Path, Callable[[Browser], list[str]]]]:
    """The pages, by the commands that users run."""
    cass = [sys.executable, "-m", "cass_shim.cli.main"]
    if results is None:
        results = folder / "results.json"
        environment.run([*cass, "compat", "run", str(PROGRAM), "--results", str(results), "--jobs", "1"])
    report, view = folder / "report.html", folder / "view.html"
    environment.run([*cass, "compat", "report", str(results), "--html", str(report)])
    environment.run([*cass, "view", str(PROGRAM), "-o", str(view)])
    return [(report, use_report), (view, use_view)]


def main(arguments: list[str]) -> int:
    """Make the pages and look at them."""
    parser = argparse.ArgumentParser(prog="python3 -m tools screenshots", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=environment.ROOT / "build" / "screenshots")
    parser.add_argument("--results", type=Path, help="results of `cass compat run`")
    parser.add_argument("--site", type=Path, help="the documentation as `python3 -m tools docs` built it")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    links = Links()
    try:
        pages = make_pages(options.folder, options.results)
        if options.site is not None:
            pages += [(page, links.use) for page in site_pages(options.site)]
        with Browser() as browser:
            faults = [fault for page, use in pages for fault in look(browser, page, use, options.folder)]
        faults += links.broken()
    except (BrowserFailed, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 1
    for fault in faults:
        print(fault)
    print(f"{len(pages)} pages at {' and '.join(map(str, WIDTHS))} pixels, {len(faults)} faults; see {options.folder}")
    return 1 if faults else 0
