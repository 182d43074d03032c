"""`python3 -m tools audit [EXTRA…]`: the packages that cass-shim brings along, against published vulnerabilities.

Walks the requirements of the installed package (and of extras named), as they are installed here, and asks pip-audit
(installed into a temporary environment) for each. Exit status 0: every package was looked up and nothing is known of
any; 1: something is known; 2: some could not be looked up, which says nothing of them.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from tools import environment

PACKAGE = "cass-shim"
AUDITOR = "pip-audit>=2.7,<3"
SERVICES = ("pypi", "osv")  # the second is asked where the first does not answer


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
    for line in known:
        print(line)
    print(f"{len(wanted)} packages, {len(known)} known vulnerabilities, {len(skipped)} not looked up")
    if skipped:
        print("not looked up, so nothing is known of: " + ", ".join(skipped), file=sys.stderr)
    return 1 if known else 2 if skipped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
