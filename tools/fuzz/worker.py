"""The process of one Python target: `python3 -m tools.fuzz.worker TARGET OUT SECONDS CASES SEED CORPUS…`.

Or, instead of the campaign: `TARGET replay FILE…`, `TARGET minimize FILE OUT`, `TARGET merge OUT CORPUS…`.
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from tools.fuzz.engine import Campaign, Check, Result, digest, limit_memory, merge, minimize
from tools.fuzz.targets import TARGETS


def inputs(places: Sequence[str]) -> list[bytes]:
    """Files, and the files of folders in the order of their names."""
    found = [sorted(Path(one).iterdir()) if Path(one).is_dir() else [Path(one)] for one in places if Path(one).exists()]
    return [path.read_bytes() for group in found for path in group]


def replay(check: Check, places: Sequence[str]) -> int:
    """Each input once, with what it raises."""
    failed = 0
    for place in places:
        for data in inputs([place]):
            try:
                check(data)
                print(f"{place}: accepted")
            except expected() as error:
                print(f"{place}: refused: {error}")
            except Exception:
                failed = 1
                traceback.print_exc()
    return failed


def expected() -> tuple[type[BaseException], ...]:
    """What bad input may end in."""
    from cass_shim.model.errors import CassError

    return (CassError,)


def main(arguments: Sequence[str]) -> int:
    """See the module's text."""
    name, verb, *rest = arguments
    target = TARGETS[name]
    limit_memory()
    try:
        check = target.prepare()
    except ImportError as error:
        if Path(verb).is_dir():
            Result(name, f"left out: {error}").write(Path(verb) / "result.json")
        print(f"{name} is left out: {error}", file=sys.stderr)
        return 0
    if verb == "replay":
        return replay(check, rest)
    if verb == "minimize":
        Path(rest[1]).write_bytes(minimize(check, Path(rest[0]).read_bytes(), expected()))
        return 0
    if verb == "merge":
        folder = Path(rest[0]) / "corpus"
        folder.mkdir(parents=True, exist_ok=True)
        for data in merge(check, inputs(rest[1:]), expected()):
            (folder / digest(data)).write_bytes(data)
        return 0
    seconds, cases, seed, *corpus = rest
    campaign = Campaign(name, check, expected(), Path(verb), target.text, int(seed))
    signal.signal(signal.SIGTERM, campaign.stop)
    campaign.run(inputs(corpus), float(seconds), int(cases)).write(Path(verb) / "result.json")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
