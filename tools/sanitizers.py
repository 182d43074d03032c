"""The native parts under gcc's sanitizers: `python3 -m tools.sanitizers address|thread [pytest arguments]`.

A copy of this tree in `build/sanitize/KIND` is built with AddressSanitizer and UndefinedBehaviorSanitizer, or with
ThreadSanitizer, by the ordinary builder through a compiler command that adds them. First the prebuilt examples run on
it and must print what a GPU printed (their kernels are translated by the ordinary build: the daemon's workers may use
less address space than a sanitizer needs). Then pytest runs there, with the sanitizer's run time in every process;
without arguments it runs the tests of the emulated device (address), or those of its concurrent parts (thread).
Reports of all processes are gathered, and each kind of report is
printed once. Exit status 1 when there is a report, or a test or an example fails.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tools import environment, samples
from tools.dated_rows import add_rows

FOLDERS = ("cass_shim/", "tests/", "tools/", "examples/", "pyproject.toml")
# Optimised vector code of three builds takes gcc minutes with a sanitizer: all three are built without vector units.
DROPPED = "-mavx*|-mfma|-mf16c|-mbmi|-mbmi2|-mlzcnt|-mprefer-vector-width=*|-mno-vzeroupper|-O2|-O3|-Werror|-Wl,-z,defs"
# Stand-ins are jumps without a C library. What runs before the sanitizer's own start, or writes jumps into the
# loader's code, has no shadow memory yet.
PLAIN = ("*/standins/*", "*/shim/near.c", "*/shim/watch.c")
# Not ours, or meant. thread: the loader frees a thread's variables when its stack is used again, long after its end,
# which nobody tells the sanitizer where the thread was made by code without it (Python's); what lanes of kernels do to
# each other's memory needs no line here (emulator/memory_words.h). address: hipModuleLoadData is told no size; what a
# forged header names is copied under guard against memory that is not there.
ALLOWED = {
    "thread": "race:dl_deallocate_tls\n",
    "address": "interceptor_via_fun:copy_image\n",
}
REPORT = re.compile(r"^(?:==\d+==ERROR: |WARNING: ThreadSanitizer: |.*: runtime error: )(.*)$", re.MULTILINE)


# The emulated device: its instructions against hardware, compilers and recorded textures; every HIP test; random code.
DEVICE = tuple(
    f"tests/native/test_{name}.py" for name in (
        "emulator_align", "emulator_core", "emulator_core_float", "emulator_core_state", "emulator_core_run_asm",
        "emulator_grid_sync", "emulator_image", "emulator_known_defects", "emulator_memory_order", "emulator_native",
        "emulator_native_turns", "emulator_native_ways", "emulator_memory_race", "emulator_race", "emulator_same",
        "emulator_texture_recorded", "emulator_waits", "rdna3_facts", "hip_fault", "hip_graph", "hip_grids",
        "hip_hostcall", "hip_memory", "hip_module", "hip_sharing", "hip_stream", "hip_table", "hip_texture",
    )
)  # fmt: skip
# What runs beside something else: streams, graphs, devices and processes that share memory, waves that meet in memory,
# grid barriers, kernels that are translated while they run.
CONCURRENT = tuple(
    f"tests/native/test_{name}.py" for name in (
        "hip_stream", "hip_graph", "hip_sharing", "hip_fault", "emulator_memory_order", "emulator_core_state",
        "emulator_grid_sync", "emulator_memory_race", "emulator_native", "emulator_steady", "hip_grids", "hip_hostcall",
    )
)  # fmt: skip
# Whole instruction sets and recordings again in translated code, which no sanitizer sees: an hour of compiling.
QUICK = ("-m", "not slow")
# A sanitizer needs terabytes of addresses.
LITTLE_SPACE = "tests/native/test_hip_memory.py::test_a_process_with_little_address_space_gets_a_smaller_device"


@dataclass(frozen=True)
class Kind:
    """One build. flags: of gcc; runtime: its library; options: its variable and settings; tests: of the default run."""

    flags: tuple[str, ...]
    runtime: str
    variable: str
    options: str
    tests: tuple[str, ...]


KINDS = {
    "address": Kind(
        ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"),
        "libasan.so",
        "ASAN_OPTIONS",
        "detect_leaks=0:verify_asan_link_order=0:exitcode=66:handle_segv=0:allocator_may_return_null=1",
        (*DEVICE, *QUICK),
    ),
    "thread": Kind(
        ("-fsanitize=thread", "-fno-omit-frame-pointer"),
        "libtsan.so",
        "TSAN_OPTIONS",
        "exitcode=0:handle_segv=0:report_signal_unsafe=0",
        (*CONCURRENT, *QUICK),
    ),
}  # fmt: skip


def why_not(kind: Kind) -> str:
    """What is missing here; nothing when it can be built."""
    if shutil.which("gcc") is None:
        return "gcc is missing (its sanitizers are needed)"
    if not runtime(kind).is_file():
        return f"gcc has no {kind.runtime}"
    return ""


def runtime(kind: Kind) -> Path:
    """The sanitizer's library."""
    command = ["gcc", f"-print-file-name={kind.runtime}"]
    return Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()).resolve()


def copy_tree(target: Path) -> None:
    """Files that git knows or would, where they have changed; a file that is gone here goes there too."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=environment.ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.split("\0") if name.startswith(FOLDERS) and (environment.ROOT / name).is_file()]
    for name in names:
        source, copy = environment.ROOT / name, target / name
        if copy.exists() and copy.read_bytes() == source.read_bytes():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, copy)
    for copy in target.rglob("*.[ch]"):
        name = str(copy.relative_to(target))
        if "_build" not in name and name not in names:
            copy.unlink()


def compiler(kind: Kind, folder: Path) -> Path:
    """A compiler command that adds the sanitizer."""
    script = folder / "cc"
    script.write_text(
        "#!/bin/sh\n"
        f"with='{' '.join(kind.flags)}'\n"
        "for word; do\n  shift\n  case $word in\n"
        f'    {DROPPED}) continue ;;\n    {"|".join(PLAIN)}|-nostdlib) with="" ;;\n  esac\n'
        '  set -- "$@" "$word"\ndone\n'
        'exec gcc "$@" -O1 -w $with\n'
    )
    script.chmod(0o755)
    return script


def settings(name: str, kind: Kind, reports: Path) -> dict[str, str]:
    """The sanitizer's own settings."""
    allowed = reports.parent / "allowed"
    allowed.write_text(ALLOWED[name])
    return {
        "LD_PRELOAD": str(runtime(kind)),
        kind.variable: f"{kind.options}:suppressions={allowed}:log_path={reports / name}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={reports / name}",
    }


def build(name: str, kind: Kind, folder: Path) -> dict[str, str]:
    """Builds the copy; the environment to run it in."""
    tree = folder / "tree"
    copy_tree(tree)
    cc = compiler(kind, folder)
    path = os.pathsep.join(filter(None, (str(tree), os.environ.get("PYTHONPATH", ""))))
    env = {**os.environ, "CC": str(cc), "PYTHONPATH": path}
    subprocess.run([sys.executable, "-m", "cass_shim.native.build"], cwd=tree, env=env, check=True, capture_output=True)
    reports = folder / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir()
    places = {"CASS_CACHE_DIR": str(folder / "cache"), "CASS_RUNTIME_DIR": str(folder / "run")}
    return env | places | settings(name, kind, reports)


def reports_of(text: str) -> Counter[str]:
    """Reports by their first line and the first place of ours that they name."""
    found: Counter[str] = Counter()
    for report in REPORT.finditer(text):
        place = re.search(r"native/([\w/]+\.[ch]:\d+)", text[report.start() :])
        what = re.sub(r"0x[0-9a-f]+|\(pid=\d+\)", "…", report[1]).strip()
        found[f"{what} at {place[1] if place else '?'}"] += 1
    return found


def reports_in(folder: Path, said: str = "") -> Counter[str]:
    """Those of all processes, and those in what was said: UndefinedBehaviorSanitizer beside another has no log."""
    texts = [path.read_text(errors="replace") for path in sorted(folder.glob("*"))]
    return sum((reports_of(text) for text in [*texts, said]), Counter())


def wrong_examples(tree: Path, env: dict[str, str], prefix: list[str]) -> list[str]:
    """Prebuilt examples that print something else, or end otherwise, than on a GPU."""
    wrong = []
    launcher = tree / "cass_shim" / "native" / "_build" / "cass-run"
    own = [key for key in env if env[key] != os.environ.get(key) and key.startswith("CASS_")]
    plain = {**os.environ, **{key: env[key] for key in own}, "CASS_DEVICE": "emulated"}
    for name, (example, _) in samples.PREBUILT_SAMPLES.items():
        program = str(samples.PREBUILT / name)
        subprocess.run([str(environment.launcher()), program], env=plain, check=True, capture_output=True, timeout=300)
        checked = env | {"CASS_DEVICE": "emulated", "CASS_DAEMON": "0"}
        command = [*prefix, str(launcher), program]
        done = subprocess.run(command, env=checked, capture_output=True, text=True, timeout=600)
        expected = (samples.EXAMPLES / "expected" / f"{example}.txt").read_text()
        if (done.returncode, done.stdout) != (0, expected):
            print(f"{name}: exit status {done.returncode}\n{done.stderr[-2000:]}")
            wrong.append(name)
    return wrong


def run(name: str, arguments: list[str], seconds: float, jobs: int, examples: bool) -> tuple[int, str, Counter[str]]:
    """The exit status, the last line, and the reports. jobs: processes that share the tests (pytest-xdist)."""
    kind, folder = KINDS[name], environment.ROOT / "build" / "sanitize" / name
    folder.mkdir(parents=True, exist_ok=True)
    env = build(name, kind, folder)
    prefix = ["setarch", "-R"] if name == "thread" else []  # ThreadSanitizer needs its addresses free
    wrong = wrong_examples(folder / "tree", env, prefix) if examples else []
    command = [*prefix, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--timeout", "0"]
    command += ["-n", str(jobs)] if jobs > 1 else ["-p", "no:xdist"]
    command += [*(arguments or kind.tests), "--deselect", LITTLE_SPACE]
    out, into = subprocess.PIPE, subprocess.STDOUT
    tree = folder / "tree"
    done = subprocess.run(command, cwd=tree, env=env, text=True, timeout=seconds, stdout=out, stderr=into, check=False)
    print(done.stdout[-4000:])
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "nothing said"
    count = len(samples.PREBUILT_SAMPLES) if examples else 0
    said = f"{count - len(wrong)} of {count} examples right, {last.strip('= ')}"
    return done.returncode or len(wrong), said, reports_in(folder / "reports", done.stdout)


def main() -> int:
    """Builds, runs, prints reports; with --record adds a row to docs/hardening.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=list(KINDS))
    parser.add_argument("--seconds", type=float, default=3600, help="limit of the run")
    parser.add_argument("--record", action="store_true", help="add a row to docs/hardening.md")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the tests")
    parser.add_argument("--no-examples", action="store_true", help="where there is no daemon's environment")
    known, arguments = parser.parse_known_args()
    if why := why_not(KINDS[known.kind]):
        print(f"tools.sanitizers: {why}", file=sys.stderr)
        return 2
    began = time.monotonic()
    status, last, reports = run(known.kind, arguments, known.seconds, known.jobs, not known.no_examples)
    for report, count in reports.most_common():
        print(f"{count:4} {report}")
    print(f"{sum(reports.values())} reports; {last}")
    if known.record:
        tests = " ".join(Path(word).stem for word in arguments or KINDS[known.kind].tests if word.endswith(".py"))
        cells = (
            datetime.date.today(),
            known.kind,
            tests,
            last,
            sum(reports.values()),
            f"{time.monotonic() - began:.0f}",
        )
        add_rows("sanitizers", [f"| {' | '.join(map(str, cells))} |"])
    return 1 if status or reports else 0


if __name__ == "__main__":
    sys.exit(main())
