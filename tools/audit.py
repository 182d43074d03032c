"""`python3 -m tools audit [EXTRA…]`: the packages that cass-shim brings along, against published vulnerabilities.

Walks the requirements of the installed package (and of extras named), as they are installed here, and asks pip-audit
(installed into a temporary environment) for each; then PyPI's page of the project, which has what is known of its
latest version, for those of that version. Exit status 0: every package was looked up and nothing is known of any but
what is answered for in `ANSWERED`; 1: something else is known; 2: some could not be looked up, which says nothing of
them.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import urllib.request
import venv
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

from tools import environment

PACKAGE = "cass-shim"
AUDITOR = "pip-audit>=2.7,<3"
SERVICES = ("pypi", "osv")  # the second is asked where the first does not answer
PAGE = "https://pypi.org/pypi/{}/json"
PICKLE = "the index refuses what its database says is pickled (cass_shim/cache/index.py, tests/cache/test_index.py)"
ANSWERED = {  # advisory → why it does not concern what is done here
    "GHSA-w8v5-vhqr-4h9v": PICKLE,  # diskcache 5.6.3, CVE-2025-69872; no version mends it
    "PYSEC-2026-2447": PICKLE,  # the same
}


def pins(extras: Iterable[str] = (), package: str = PACKAGE) -> dict[str, str]:
    """Name → installed version of all that the package requires, and what that requires in turn."""
    from packaging.requirements import Requirement  # pytest brings it: the plain Python of a first call has none

    found: dict[str, str] = {}
    waiting = [(package, tuple(extras))]
    while waiting:
        name, wanted = waiting.pop()
        for text in metadata.distribution(name).requires or ():
            one = Requirement(text)
            key = re.sub(r"[-_.]+", "-", one.name).lower()
            applies = one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", *wanted))
            if key in found or not applies:
                continue
            try:
                found[key] = metadata.version(one.name)
            except metadata.PackageNotFoundError:
                raise SystemExit(f"{one.name} is not installed: pip install '{package}[{','.join(extras)}]'") from None
            waiting.append((one.name, tuple(one.extras)))
    return dict(sorted(found.items()))


def verdict(answer: str) -> tuple[list[str], list[str]]:
    """(what is known, what could not be looked up) of pip-audit's JSON."""
    known, skipped = [], []
    for one in json.loads(answer)["dependencies"]:
        if "skip_reason" in one:
            skipped.append(one["name"])
        known += [
            f"{one['name']} {one['version']}: {flaw['id']}, mended in {', '.join(flaw['fix_versions']) or 'no version'}"
            for flaw in one.get("vulns", ())
        ]
    return known, skipped


def ask(wanted: dict[str, str], python: Path, folder: Path) -> tuple[list[str], list[str]]:
    """The verdict of the first service that answers for all; else what the last one left open."""
    listed = folder / "pins.txt"
    known: list[str] = []
    skipped = list(wanted)
    for service in SERVICES:
        listed.write_text("".join(f"{name}=={wanted[name]}\n" for name in skipped))
        command = [str(python), "-m", "pip_audit", "--vulnerability-service", service, "--no-deps", "--disable-pip",
                   "--progress-spinner", "off", "--format", "json", "--requirement", str(listed)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not done.stdout.strip():
            print(f"{service} does not answer: {done.stderr.strip().splitlines()[-1][:150]}", file=sys.stderr)
            continue
        more, skipped = verdict(done.stdout)
        known += more
        if not skipped:
            break
    return known, skipped


def page_of(name: str) -> dict[str, Any]:
    """PyPI's page of a project as JSON; nothing where it does not answer."""
    try:
        with urllib.request.urlopen(PAGE.format(name), timeout=20) as answer:
            return dict(json.load(answer))
    except (OSError, ValueError):
        return {}


def ask_pages(wanted: dict[str, str], page: Callable[[str], dict[str, Any]] = page_of) -> tuple[list[str], list[str]]:
    """(what is known, what could not be looked up): a page tells of the project's latest version only."""
    known, skipped = [], []
    for name, version in wanted.items():
        said = page(name)
        if "vulnerabilities" not in said or said["info"]["version"] != version:
            skipped.append(name)
            continue
        known += [
            f"{name} {version}: {flaw['id']}, mended in {', '.join(flaw['fixed_in']) or 'no version'}"
            for flaw in said["vulnerabilities"]
            if not flaw.get("withdrawn")
        ]
    return known, skipped


def answered(line: str) -> str:
    """Why a line of what is known is no concern here, or nothing."""
    return next((why for name, why in ANSWERED.items() if f": {name}," in line), "")


def main(arguments: list[str]) -> int:
    """Pin, ask, tell; in the project's environment, whichever Python this is."""
    environment.prepare(("dev",))
    if Path(sys.prefix) != environment.ENVIRONMENT:
        return subprocess.run([str(environment.python()), "-m", "tools.audit", *arguments], check=False).returncode
    wanted = pins(arguments)
    print("\n".join(f"{name} {version}" for name, version in wanted.items()))
    with tempfile.TemporaryDirectory(prefix="cass-audit-") as name:
        venv.create(Path(name, "venv"), with_pip=True)
        python = Path(name, "venv", "bin", "python")
        environment.run([str(python), "-m", "pip", "install", "-q", AUDITOR])
        known, skipped = ask(wanted, python, Path(name))
    more, skipped = ask_pages({one: wanted[one] for one in skipped})
    known += more
    for line in known:
        print(line + (f"; {answered(line)}" if answered(line) else ""))
    open_ones = [line for line in known if not answered(line)]
    print(f"{len(wanted)} packages, {len(known)} known vulnerabilities ({len(open_ones)} of concern), "
          f"{len(skipped)} not looked up")  # fmt: skip
    if skipped:
        print("not looked up, so nothing is known of: " + ", ".join(skipped), file=sys.stderr)
    return 1 if open_ones else 2 if skipped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
