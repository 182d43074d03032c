"""`python3 -m tools.wheels [--folder DIR]`: decode, lift and compile what public wheels ship.

Downloads the wheels that are not in DIR yet, takes the kernels of each (a deterministic sample where there are
many), and writes `docs/wheels.json`; `python -m tools.sass_page` prints it. nvdisasm is needed.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from cass_shim.decode.nvdisasm import has_tool
from tools import environment
from tools.wheels.measure import LATE, Texts, compare_texts, is_asked, lift, reason, warm
from tools.wheels.sources import NAMES, sample, wheel_of
from tools.wheels.sources import download as fetch
from tools.wheels.times import times

RESULT = environment.ROOT / "docs" / "wheels.json"
SMS = (75, 80, 86, 87, 89, 90, 100, 120)


def measure_wheel(wheel: Path, options: argparse.Namespace, texts: Texts, reasons: Counter[str]) -> dict[str, Any]:
    """One wheel's row. reasons: failure → kernels, over all wheels."""
    refused: dict[str, int] = {}
    kernels, chosen = sample(wheel, tuple(options.sm or SMS), options.sample, refused)
    lifted = failed = unasked = 0
    wrong_before, total_before = texts.wrong.total(), texts.total.total()
    for sm in sorted({function.sm for function in chosen}):
        compare_texts([function for function in chosen if function.sm == sm], texts)
    milliseconds: list[int] = []
    for function in chosen:
        why, seconds = lift(function, options.limit)
        if options.verbose:
            print(f"  {seconds:7.3f} s sm_{function.sm} {function.kernel.name[:100]}", flush=True)
        if not why or why.startswith(LATE):
            milliseconds.append(round(seconds * 1000))
        if not why:
            lifted += 1
            continue
        if is_asked(why):
            failed += 1
        else:
            unasked += 1
        reasons[reason(why, function.kernel.name)] += 1
        if options.verbose:
            print(f"  sm_{function.sm} {function.kernel.name[:60]}: {why[:160]}", flush=True)
    row = {
        "wheel": wheel.name.split("-cp")[0].split("-py")[0],
        "sms": sorted({function.sm for function in chosen}),
        "kernels": kernels,
        "sampled": len(chosen),
        "instructions": texts.total.total() - total_before,
        "wrong": texts.wrong.total() - wrong_before,
        "lifted": lifted,
        "failed": failed,
        "unasked": unasked,
        "refused": refused,
        "milliseconds": sorted(milliseconds),
    }
    print(json.dumps(row), flush=True)
    return row


def main(arguments: list[str]) -> int:
    """Command line. Exit status 2 when nothing could be measured."""
    parser = argparse.ArgumentParser(prog="python -m tools.wheels", description=__doc__)
    folder = environment.ROOT / "build" / "wheels"
    parser.add_argument("--folder", type=Path, default=folder, help="of the wheels (default: build/wheels)")
    parser.add_argument("--sample", type=int, default=40, help="kernels of a wheel and SM (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=60, help="processor time of a kernel in s (default: %(default)s)")
    parser.add_argument("--sm", type=int, action="append", help="only these SMs")
    parser.add_argument("--only", action="append", help="only these projects")
    parser.add_argument("--offline", action="store_true", help="take what is in the folder")
    parser.add_argument("--output", type=Path, default=RESULT, help="default: %(default)s")
    parser.add_argument("--verbose", action="store_true", help="print every failure")
    options = parser.parse_args(arguments)
    if not has_tool("nvdisasm"):
        print("nvdisasm is not there: pip install nvidia-cuda-nvdisasm")
        return 2
    options.folder.mkdir(parents=True, exist_ok=True)
    names = tuple(options.only or NAMES)
    missing = {} if options.offline else fetch(options.folder, names, 600)
    warm()
    texts, reasons = Texts(), Counter[str]()
    found = [wheel for name in names if (wheel := wheel_of(options.folder, name)) is not None]
    rows = [measure_wheel(wheel, options, texts, reasons) for wheel in found]
    result = {
        "date": datetime.date.today().isoformat(),
        "sample": options.sample,
        "limit_s": options.limit,
        "wheels": rows,
        "missing": missing,
        "decoded_per_second": round(texts.total.total() / texts.seconds) if texts.seconds else 0,
        "mnemonics": {name: [count, texts.wrong[name]] for name, count in texts.total.most_common()},
        "examples": texts.examples,
        "reasons": dict(reasons.most_common()),
    }
    options.output.write_text(json.dumps(result, indent=1) + "\n")
    print(times([time for row in rows for time in row["milliseconds"]]))
    return 0 if rows else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
