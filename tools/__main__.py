"""`python3 -m tools COMMAND`: set up, show, test and measure the project. Needs nothing but Python with venv."""

from __future__ import annotations

import sys

from tools import go_on_in_the_environment

COMMANDS = {
    "demo": ("tools.demo", "set everything up and run a real CUDA binary on the emulated GPU"),
    "test": ("tools.test", "run the whole test suite"),
    "check": ("tools.check", "linters, types, layer rule, fast tests"),
    "examples": ("tools.examples", "build every example four ways, run it every route, print the table"),
    "compat": ("tools.compat_page", "take suite results in; make docs/compatibility.md and the README's table"),
    "docs": ("tools.docs", "build the documentation site into site/, strictly"),
    "wheel": ("tools.wheel", "build a wheel, install it in a fresh environment and try it there"),
    "screenshots": ("tools.screenshots", "open our pages in Chromium, desk and phone, and look for faults"),
    "audit": ("tools.audit", "ask for known vulnerabilities of the packages that come along"),
    "bench": ("tools.bench", "measure against the named rivals, as ratios"),
}
SETS_UP = ("demo", "test", "check", "docs", "wheel", "audit")  # each makes the environments that it needs


def main() -> int:
    """Dispatch; the exit status is the command's."""
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name not in COMMANDS:
        print("usage: python3 -m tools COMMAND [OPTIONS]\n")
        for command, (_, purpose) in COMMANDS.items():
            print(f"  {command:<9} {purpose}")
        return 0 if name in ("-h", "--help") else 2
    if name not in SETS_UP:
        go_on_in_the_environment()
    import importlib

    module = importlib.import_module(COMMANDS[name][0])
    return int(module.main(sys.argv[2:]))


if __name__ == "__main__":
    sys.exit(main())
