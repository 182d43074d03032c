"""Fuzz every parser and protocol.

python3 -m tools.fuzz list                                   the targets
python3 -m tools.fuzz run TARGET…|all --seconds N --jobs J   campaigns; --page adds dated rows to docs/hardening.md;
                                                             SIGTERM ends them early, with their results
python3 -m tools.fuzz run TARGET --cases N --split P         a campaign in P processes, a seed each; sums and one corpus
python3 -m tools.fuzz run TARGET… --cases N --minutes M      at most M minutes for all of them; --more counts what an
                                                             earlier run into the same --out has done
python3 -m tools.fuzz minimize TARGET FILE OUT               a smaller input that fails in the same way
python3 -m tools.fuzz replay TARGET FILE…                    each input once
python3 -m tools.fuzz merge TARGET…                          adds to tests/fuzz/corpus what campaigns found, thinned
python3 -m tools.fuzz totals                                 cases and hours of each target, added up from the page
python3 -m tools.fuzz seeds                                  makes the first inputs anew
python3 -m tools.fuzz build OUT                              a folder that runs the campaigns on another machine
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.fuzz import campaigns, native_build, totals
from tools.fuzz.targets import TARGETS


def chosen(names: Sequence[str]) -> list[str]:
    """Target names; `all`, `c` and `python` mean groups. Ends the process for an unknown one."""
    groups = {"all": [*TARGETS, *native_build.TARGETS], "python": [*TARGETS], "c": [*native_build.TARGETS]}
    found = [one for name in names for one in groups.get(name, [name])]
    if unknown := [name for name in found if name not in groups["all"]]:
        raise SystemExit(f"no target {unknown[0]}; there are {', '.join(groups['all'])}, and the group all, c, python")
    return found


def show_targets() -> int:
    for name, one in TARGETS.items():
        print(f"{name:14} {one.purpose}")
    for name, native in native_build.TARGETS.items():
        print(f"{name:14} C, ASan and UBSan: {', '.join(native.parts)}")
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="python3 -m tools.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = top.add_subparsers(dest="verb", required=True)
    run = verbs.add_parser("run")
    run.add_argument("targets", nargs="+")
    run.add_argument("--seconds", type=float, default=0.0, help="of each target; 0: until --cases")
    run.add_argument("--cases", type=int, default=0, help="of each target; 0: until --seconds (60 without any limit)")
    run.add_argument("--minutes", type=float, default=0.0, help="of all targets together; 0: no limit")
    run.add_argument("--more", action="store_true", help="what an earlier run into --out did counts towards --cases")
    run.add_argument("--jobs", type=int, default=1, help="targets at once")
    run.add_argument("--split", type=int, default=1, help="processes that share a target's cases, a seed each")
    run.add_argument("--seed", type=int, default=1, help="of the first process")
    run.add_argument("--out", type=Path, default=native_build.BUILD / "runs", help="findings and new inputs")
    run.add_argument("--page", type=Path, help="a page to which dated rows are added")
    for verb in ("replay", "minimize"):
        one = verbs.add_parser(verb)
        one.add_argument("target")
        one.add_argument("files", nargs="+", type=Path)
    merge = verbs.add_parser("merge")
    merge.add_argument("targets", nargs="+")
    merge.add_argument("--out", type=Path, default=native_build.BUILD / "runs", help="where the campaigns ran")
    merge.add_argument("--keep", type=int, default=16 << 10, help="bytes of new inputs a target may add")
    build = verbs.add_parser("build")
    build.add_argument("out", type=Path)
    page = verbs.add_parser("page", help="adds the rows of results that another machine wrote")
    page.add_argument("results", nargs="+", type=Path)
    page.add_argument("--page", type=Path, default=native_build.ROOT / "docs" / "hardening.md")
    for verb in ("seeds", "list", "totals"):
        verbs.add_parser(verb)
    return top


def main(arguments: Sequence[str]) -> int:
    """Command line; exit status 1 when something was found."""
    options = parser().parse_args(arguments)
    if options.verb == "list":
        return show_targets()
    if options.verb == "totals":
        return totals.show(chosen(["all"]))
    if options.verb == "seeds":
        from tools.fuzz import seeds

        print(f"{seeds.write()} bytes")
        return 0
    if options.verb == "build":
        from tools.fuzz import bundle

        return bundle.build(options.out)
    if options.verb == "page":
        campaigns.add_rows(options.page, campaigns.read_results(options.results))
        return 0
    if options.verb == "run":
        if not options.seconds and not options.cases and not options.minutes:
            options.seconds = 60.0
        limits = campaigns.Limits(
            options.seconds, options.cases, options.seed, options.jobs, options.split, options.minutes, options.more
        )
        return campaigns.run(chosen(options.targets), options.out, limits, options.page)
    if options.verb == "merge":
        return campaigns.merge(chosen(options.targets), options.out, options.keep)
    return campaigns.one_input(options.verb, *chosen([options.target]), options.files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
