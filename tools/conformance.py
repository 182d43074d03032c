"""Every conformance program three ways: `python3 -m tools.conformance [--page FILE.md] [NAME...]`.

`tests/native/conformance/*.cu` are built with the static runtime, with it and stripped, and with the shared runtime,
and run under cass-run on the emulated device; the output of each must be what an NVIDIA H200 gave (the `.expected`
files), error codes included. Exit status 1 when one is not.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import tempfile
from pathlib import Path

from tests.native import conformance_support as chapters
from tests.native.runtime_support import CONFORMANCE, NEED_NVCC, build_program, built, run_emulated
from tests.native.test_runtime_conformance import expected

WAYS = {"static": (), "stripped": ("-Xlinker", "--strip-all"), "shared": ("-cudart", "shared")}
PLAIN = ("runtime_errors", "printed", "graphs", "memory")


def judge(name: str, output: str) -> str:
    """The first thing that is not as recorded; empty when all is."""
    if name in PLAIN:
        pairs = list(zip(expected(name), output.splitlines(), strict=False))
        if len(expected(name)) != len(output.splitlines()):
            return f"{len(output.splitlines())} lines, recorded {len(expected(name))}"
        return next((f"{ours!r}, recorded {theirs!r}" for theirs, ours in pairs if ours != theirs), "")
    return "; ".join(chapters.differences(name, output))


def run(name: str, way: str, folder: Path) -> str:
    """Builds and runs one program one way."""
    made = folder / way / name
    made.mkdir(parents=True)
    (made / "libcuda.so").symlink_to(built() / "libcuda.so.1")
    if name in chapters.LINKED_CHAPTERS:
        chapters.build_parts(made)
    flags = (f"-L{made}", "-lcuda", "-Xlinker", "--allow-shlib-undefined", "-Wno-deprecated-declarations")
    program = build_program(CONFORMANCE / f"{name}.cu", made, *flags, *WAYS[way], *chapters.CHAPTERS.get(name, ()))
    return judge(name, run_emulated(program).stdout)


def page(rows: dict[str, dict[str, str]]) -> str:
    """The table as Markdown."""
    lines = [
        "# Conformance",
        f"By `python3 -m tools.conformance --page docs/conformance.md` on {datetime.date.today()}: programs of "
        "`tests/native/conformance`, one or more a chapter of the manuals, built three ways and run on the emulated "
        "device; their output is compared with what an NVIDIA H200 gave (driver 580.159.04, CUDA 13.0). What differs "
        "because the devices differ is listed in `tests/native/conformance_support.py`.",
        "",
        f"| program | {' | '.join(WAYS)} |",
        "|---|---|---|---|",
    ]
    lines += [f"| {name} | {' | '.join(found[way] or 'as recorded' for way in WAYS)} |" for name, found in rows.items()]
    return "\n".join(lines) + "\n"


def main() -> int:
    """A line a program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="programs (default: all)")
    parser.add_argument("--page", type=Path, help="write the table there")
    options = parser.parse_args()
    known = [*PLAIN, *chapters.CHAPTERS, *chapters.LINKED_CHAPTERS]
    if NEED_NVCC or set(options.names) - set(known):
        print(f"tools.conformance: {NEED_NVCC or 'programs are ' + ', '.join(known)}", file=sys.stderr)
        return 2
    rows: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or known:
            rows[name] = {way: run(name, way, Path(folder)) for way in WAYS}
            print(name, *(f"{way}: {why or 'as recorded'}" for way, why in rows[name].items()), sep="  ", flush=True)
    if options.page:
        options.page.write_text(page(rows))
    return int(any(why for found in rows.values() for why in found.values()))


if __name__ == "__main__":
    sys.exit(main())
