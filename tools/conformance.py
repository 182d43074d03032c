"""Every conformance program three ways: `python3 -m tools.conformance [--page FILE.md] [--unrecorded] [NAME...]`.
    python3 -m tools.conformance --folder DIR  # what is to be recorded, as a folder for a machine with an NVIDIA GPU

`tests/native/conformance/*.cu` are built with the static runtime, with it and stripped, and with the shared runtime,
and run under cass-run on the emulated device; the output of each must be what an NVIDIA GPU gave (the `.expected`
files), error codes included. Exit status 1 when one is not. With `--unrecorded` nothing runs: for each chapter of the
call table the implemented functions that no recorded program calls. The folder needs no compiler there: `sh record.sh`
leaves NAME.expected beside itself for each program that has none yet.
"""

from __future__ import annotations

import argparse
import datetime
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from cass_shim.api.spec import IMPLEMENTED
from cass_shim.api.table import chapters as chapters_of_calls
from tests.native import conformance_support as chapters
from tests.native.runtime_support import CONFORMANCE, NEED_NVCC, build_program, built, run_emulated
from tests.native.test_runtime_conformance import expected

WAYS = {"static": (), "stripped": ("-Xlinker", "--strip-all"), "shared": ("-cudart", "shared")}
PLAIN = ("runtime_errors", "printed", "graphs", "memory", "textures", "driver")
# What nvcc's host code calls for what a program says (`nm -u` of an object by nvcc 13.0).
BY_NVCC = {
    "__global__": "RegisterFatBinary RegisterFatBinaryEnd UnregisterFatBinary RegisterFunction GetKernel LaunchKernel "
    "PushCallConfiguration PopCallConfiguration",
    "__constant__": "RegisterVar",
    "__managed__": "RegisterManagedVar InitModule",
}
BELOW = re.compile(r"(?s)\n## .*")  # what a person wrote below the table
VERSION = re.compile(r"_v\d+$")  # cuda.h calls later versions by the plain name


def reached(program: Path) -> str:
    """The text of a program without what stands behind a call that ended its section on the GPU."""
    text, recorded = program.read_text(), program.with_suffix(".expected").read_text()
    for section, lines in chapters.sections(recorded).items() if recorded.startswith("[") else ():
        start = text.find(f"void {section}() {{")
        if lines[-1:] != [chapters.CRASH] or start < 0:
            continue
        end = text.index("\n}", start)
        shown = iter(lines)
        for label in re.finditer(r'SHOW\("(\w+)"', text[start:end]):
            if not any(line.split(" ")[0] == label[1] for line in shown):
                text = text[: start + label.start()] + text[end:]
                break
    return text


def unrecorded() -> dict[str, tuple[int, list[str]]]:
    """Chapter → how many of its functions are implemented, and those of them that no recorded program names."""
    texts = [reached(one) for one in CONFORMANCE.glob("*.c*") if one.with_suffix(".expected").exists()]
    named = set(re.findall(r"\w+", "\n".join(texts)))
    named |= {f"__cuda{name}" for word, names in BY_NVCC.items() if word in named for name in names.split()}
    found: dict[str, tuple[int, list[str]]] = {}
    for chapter in chapters_of_calls():
        names = {row.name for row in chapter.rows if row.status is IMPLEMENTED}
        missing = sorted(name for name in names if not {name, VERSION.sub("", name)} & named)
        found[f"{chapter.title} ({chapter.kind})"] = (len(names), missing)
    return found


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
    source = CONFORMANCE / f"{chapters.SOURCES.get(name, name)}.cu"
    program = build_program(source, made, *flags, *WAYS[way], *chapters.CHAPTERS.get(name, ()))
    return judge(name, run_emulated(program, **chapters.SETTINGS.get(name, {})).stdout)


def page(rows: dict[str, dict[str, str]]) -> str:
    """The table as Markdown."""
    lines = [
        "# Conformance",
        f"By `python3 -m tools.conformance --page docs/conformance.md` on {datetime.date.today()}: programs of "
        "`tests/native/conformance`, one or more a chapter of the manuals, built three ways and run on the emulated "
        "device; their output is compared with what an NVIDIA H200 gave, those from `runtime_rest` on and `halves` two "
        "H100, `behind` an H200 again (driver 580.159.04, CUDA 13.0). What differs because the devices differ, and "
        "what is not imitated, is listed in `tests/native/conformance_support.py`.",
        "",
        f"| program | {' | '.join(WAYS)} |",
        "|---|---|---|---|",
    ]
    lines += [f"| {name} | {' | '.join(found[way] or 'as recorded' for way in WAYS)} |" for name, found in rows.items()]
    return "\n".join(lines) + "\n"


RECORD = """#!/bin/sh
# Runs each program on this machine's NVIDIA GPU; its standard output becomes NAME.expected.
cd "$(dirname "$0")" || exit 1
for program in bin/*; do
    name=$(basename "$program")
    timeout 280 "$program" > "$name.expected" 2> "$name.log"
    echo "$name: exit status $?, $(wc -l < "$name.expected") lines"
done
"""


def write_folder(folder: Path) -> int:
    """Programs that wait to be recorded, built for sm_90 with the static runtime, and the script that runs them."""
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as link:
        (Path(link) / "libcuda.so").symlink_to(built() / "libcuda.so.1")
        for name in chapters.WAITING:
            flags = [f"-L{link}", "-lcuda", "-Xlinker", "--allow-shlib-undefined", "-Wno-deprecated-declarations"]
            command = ["nvcc", "-arch=sm_90", *flags, str(CONFORMANCE / f"{name}.cu"), "-o", str(folder / "bin" / name)]
            subprocess.run(command, check=True)
    (folder / "record.sh").write_text(RECORD)
    print(f"{folder}: {', '.join(chapters.WAITING)}; run `sh record.sh` there")
    return 0


def tell_unrecorded() -> int:
    """A line a chapter."""
    found = unrecorded()
    for title, (count, missing) in found.items():
        print(f"{title}: {count - len(missing)} of {count}", *missing)
    every, missed = sum(n for n, _ in found.values()), sum(len(m) for _, m in found.values())
    print(f"all: {every - missed} of {every} functions are called by a recorded program")
    return 0


def main() -> int:
    """A line a program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="programs (default: all)")
    parser.add_argument("--page", type=Path, help="write the table there")
    parser.add_argument("--unrecorded", action="store_true", help="list the functions that no recorded program calls")
    parser.add_argument("--folder", type=Path, help="build what is to be recorded there")
    options = parser.parse_args()
    if options.unrecorded:
        return tell_unrecorded()
    if options.folder and not NEED_NVCC:
        return write_folder(options.folder)
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
        old = options.page.read_text() if options.page.exists() else ""
        options.page.write_text(page(rows) + "".join(BELOW.findall(old)))
    return int(any(why for found in rows.values() for why in found.values()))


if __name__ == "__main__":
    sys.exit(main())
