"""Programs under valgrind: launcher, client, shim, runtime and emulated device, reads of what was never written, leaks.

Each program runs twice under memcheck: with everything cached (warm), and where the C client asks a running daemon for
every module and kernel (served). It must print what it prints otherwise; an error of memcheck, or memory that nothing
points to any more at the end, is a finding. Exit status 1 when there is one. Needs valgrind and a C compiler.
"""

from __future__ import annotations

import argparse
import datetime
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools import environment, samples
from tools.dated_rows import add_rows
from tools.faults.stages import Place

SITUATIONS = ("warm", "served")
LIMIT_S = 900.0
OPTIONS = (
    "--trace-children=yes", "--trace-children-skip=*python*,*/sh", "--num-callers=12",
    "--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite",
    "--vex-guest-max-insns=20",  # the interpreter's unrolled bodies exhaust valgrind's own storage otherwise
)  # fmt: skip
# A frame's line begins with "at" or "by", its context with "Address" or "Uninitialised value": the rest are headings.
HEADING = re.compile(
    r"^==\d+== ((?:Conditional jump|Use of uninit|Invalid|Syscall param|Mismatched|Source and dest|Jump to|Argument"
    r"|Process terminating|realloc\(\)).*|.*definitely lost in loss record.*)$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Checked:
    """One program in one situation; findings in memcheck's words, and what is wrong with its output."""

    program: str
    situation: str
    findings: tuple[str, ...]
    seconds: float


def why_not() -> str:
    """What is missing here; empty when nothing is."""
    missing = [name for name in ("valgrind", "cc") if shutil.which(name) is None]
    return f"needs {' and '.join(missing)}" if missing else ""


def copies(folder: Path) -> Path:
    """The library that lets memcheck follow copies (copies.c)."""
    target = folder / "copies.so"
    flags = ("-std=gnu17", "-O1", "-g", "-D_GNU_SOURCE", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror")
    subprocess.run(["cc", *flags, "-o", str(target), str(Path(__file__).with_name("copies.c"))], check=True)
    return target


def check(place: Place, library: Path, situation: str) -> Checked:
    """Run the place's program once under memcheck."""
    if situation == "served":
        place.forget_entries()
    settings = place.settings(False) | {"LD_PRELOAD": str(library)}
    command = ["valgrind", *OPTIONS, str(environment.launcher()), *place.command]
    began = time.monotonic()
    done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    findings = [heading.strip() for heading in HEADING.findall(done.stderr)]
    if (done.returncode, done.stdout) != (0, place.expected):
        findings.append(f"exit status {done.returncode}, another output: {done.stderr.strip()[-300:]}")
    if "ERROR SUMMARY" not in done.stderr:
        findings.append("memcheck said nothing at the end")
    return Checked(Path(place.command[0]).name, situation, tuple(findings), time.monotonic() - began)


def check_program(program: Path, folder: Path, library: Path) -> list[Checked]:
    """Both situations, after an ordinary run that translates and tells the right output."""
    place = Place(folder / program.name, library, "program", (str(program),))
    first = place.run(False)
    if first.returncode != 0:
        raise SystemExit(f"{program} fails without valgrind: {first.stderr}")
    place.expected = first.stdout
    try:
        return [check(place, library, situation) for situation in SITUATIONS]
    finally:
        place.stop_daemon()


def chosen(names: Sequence[str]) -> list[Path]:
    """Programs by path; none: the prebuilt ones and the examples that `python3 -m tools examples` built."""
    if names:
        return [Path(name).resolve() for name in names]
    built = environment.ROOT / "build" / "examples" / "static-sm80"
    folders = [samples.PREBUILT, *([built] if built.is_dir() else [])]
    return sorted(path for folder in folders for path in folder.iterdir() if path.suffix == "")


def main(arguments: Sequence[str]) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.memcheck", description=__doc__)
    parser.add_argument("programs", nargs="*", help="programs; none: those of the examples")
    parser.add_argument("--page", action="store_true", help="add a dated row to docs/hardening.md")
    options = parser.parse_args(arguments)
    if why := why_not():
        print(f"tools.memcheck: {why}", file=sys.stderr)
        return 2
    began, results = time.monotonic(), []
    with tempfile.TemporaryDirectory(prefix="cass-memcheck-") as name:
        library = copies(Path(name))
        for program in chosen(options.programs):
            for one in check_program(program, Path(name), library):
                print(
                    f"{one.program:28} {one.situation:7} {len(one.findings)} findings {one.seconds:6.1f} s", flush=True
                )
                for finding in dict.fromkeys(one.findings):
                    print(f"    {one.findings.count(finding)} × {finding}")
                results.append(one)
    found = sum(len(one.findings) for one in results)
    row = (
        f"| {datetime.date.today()} | {len({one.program for one in results})} | {len(results)} | {found} "
        f"| {time.monotonic() - began:.0f} |"
    )
    print(row)
    if options.page:
        add_rows("memcheck", [row])
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
