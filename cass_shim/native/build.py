"""Builds the native parts with `cc`, or with `ziglang cc` where the machine has none.

In: the source list below. Out: `cass_shim/native/_build/` with the launcher, the preloadable libraries and the
emulated `libamdhip64.so`. Incremental: an object is rebuilt when its command or a file that it includes changed.
Each library's own `parts.py`-style generator runs first and writes only under `_build/gen/`, never committed.
"""

from __future__ import annotations

import concurrent.futures
import functools
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cass_shim.model.errors import ToolFailed

NATIVE = Path(__file__).resolve().parent
BUILD = NATIVE / "_build"
GENERATED = BUILD / "gen"

# Not errors: a user's compiler may be newer than ours and know more of them (GCC 15: unterminated strings).
# `python3 -m tools check` and `tests/native/test_build.py` fail for any that a build left (`warnings`).
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wmissing-prototypes", "-Wno-psabi")
COMMON = ("-std=gnu17", "-O2", "-g", "-fPIC", "-fvisibility=hidden", "-D_GNU_SOURCE", *WARNINGS)


@dataclass(frozen=True)
class Variant:
    """A source compiled a second time with other flags, for run-time selection by CPU ("avx2", "avx512")."""

    suffix: str
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """One output file. sources: globs below native/ or below the generated folder ("gen:..."). finish: last change.

    clang: compile with zig's clang where it is installed, even beside a `cc` (which links): for guaranteed tail calls.
    """

    output: str
    sources: tuple[str, ...]
    flags: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    variants: tuple[tuple[str, Variant], ...] = ()
    generate: Callable[[Path], None] | None = None
    finish: Callable[[Path], None] | None = None
    clang: bool = False


@functools.cache
def compiler(clang: bool = False) -> tuple[str, ...]:
    """The C compiler as an argument prefix: $CC, cc, or zig's clang; `clang` prefers the last."""
    if os.environ.get("CC"):
        return tuple(os.environ["CC"].split())
    if shutil.which("cc") and not (clang and importlib.util.find_spec("ziglang")):
        return ("cc",)
    return (sys.executable, "-m", "ziglang", "cc")


def baseline(tool: Sequence[str]) -> str:
    """The processor every part runs on; zig's driver spells it its own way."""
    return "-march=x86_64_v2" if "ziglang" in tool else "-march=x86-64-v2"


def path_maps() -> tuple[str, ...]:
    """Flags that keep the places of this tree and of zig out of what is compiled (its debug information)."""
    places = {NATIVE.parent.parent: "."}
    zig = importlib.util.find_spec("ziglang")
    if zig is not None and zig.origin:
        places[Path(zig.origin).parent] = "zig"
    return tuple(f"-ffile-prefix-map={place}={name}" for place, name in places.items())


def run_tool(command: Sequence[str], seconds: float | None = None) -> str:
    """Run a build command; what it printed (warnings), or ToolFailed with that when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
    if done.returncode != 0:
        raise ToolFailed(command[0], command=" ".join(command), stderr=done.stderr + done.stdout)
    return done.stderr + done.stdout


def expand(patterns: Sequence[str]) -> list[Path]:
    """Source files of a part, sorted; a pattern that matches nothing is an error."""
    found: list[Path] = []
    for pattern in patterns:
        root, name = (GENERATED, pattern[4:]) if pattern.startswith("gen:") else (NATIVE, pattern)
        matches = sorted(root.glob(name))
        if not matches:
            raise ToolFailed("build", stderr=f"no source matches {pattern}")
        found += matches
    return found


def included(depfile: Path) -> list[Path]:
    """The files that a compiler's `-MMD` depfile names: the source and every header that is not the system's."""
    words = re.split(r"(?<!\\)\s+", depfile.read_text().replace("\\\n", " ").partition(":")[2].strip())
    return [Path(word.replace("\\ ", " ").replace("\\#", "#").replace("$$", "$")) for word in words]


def stamp_of(command: Sequence[str], depfile: Path) -> str:
    """A digest of the command and of every file that it read; nothing where that is not known."""
    words = ("python" if word == sys.executable else word for word in command)  # it has several names
    digest = hashlib.sha256("\0".join(words).encode())
    try:
        for path in included(depfile):
            digest.update(b"\0" + str(path).encode() + b"\0" + path.read_bytes())
    except OSError:
        return ""
    return digest.hexdigest()


def compile_once(command: Sequence[str], target: Path, seconds: float | None = None) -> Path:
    """Run a compiler's `-c` command for `target`, unless nothing that it read last time has changed."""
    mark, depfile = target.with_suffix(".stamp"), target.with_suffix(".d")
    if target.exists() and mark.exists() and mark.read_text() == (stamp_of(command, depfile) or None):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    listing = target.with_name(f"{target.name}.{os.getpid()}.d")
    started = time.time_ns()
    said = run_tool([*command, "-MMD", "-MT", "o", "-MF", str(listing), "-o", str(temporary)], seconds)
    mark.unlink(missing_ok=True)
    target.with_suffix(".warnings").write_text(said)
    os.replace(temporary, target)  # two builds at once must not see half an object
    os.replace(listing, depfile)
    stamp = stamp_of(command, depfile)
    if not any(started <= path.stat().st_mtime_ns <= time.time_ns() for path in included(depfile)):
        mark.write_text(stamp)  # a file that was changed meanwhile is compiled again next time
    return target


def warnings() -> str:
    """What the compiler had to say of the objects that are there."""
    return "".join(path.read_text() for path in sorted((BUILD / "obj").glob("*.warnings")))


def compile_object(source: Path, flags: Sequence[str], label: str, clang: bool = False) -> Path:
    """Compile one source into `_build/obj`."""
    tool = compiler(clang)
    command = [*tool, *COMMON, baseline(tool), "-I", str(NATIVE), "-I", str(GENERATED), *flags, "-c", str(source)]
    relative = "_".join(source.relative_to(GENERATED if GENERATED in source.parents else NATIVE).parts)
    return compile_once(command, BUILD / "obj" / f"{label}.{relative}.o")


def compile_part(part: Part, pool: concurrent.futures.Executor) -> list[Path]:
    """The objects of one part; they compile in parallel."""
    jobs = []
    special = {
        NATIVE / name if not name.startswith("gen:") else GENERATED / name[4:]: None for name, _ in part.variants
    }
    for source in expand(part.sources):
        if source not in special:
            jobs.append(pool.submit(compile_object, source, part.flags, part.output, part.clang))
    for name, variant in part.variants:
        flags = (*part.flags, *variant.flags)
        (source,) = expand((name,))
        label = f"{part.output}.{variant.suffix}"
        jobs.append(pool.submit(compile_object, source, flags, label, part.clang))
    return [job.result() for job in jobs]


def build_part(part: Part, pool: concurrent.futures.Executor) -> Path:
    """Compile and link one part."""
    objects = compile_part(part, pool)
    target = BUILD / part.output
    newest = max(path.stat().st_mtime for path in objects)
    if target.exists() and target.stat().st_mtime >= newest:
        return target
    temporary = target.with_name(f"{target.name}.{os.getpid()}")
    target.parent.mkdir(parents=True, exist_ok=True)
    run_tool([*compiler(), *map(str, objects), *part.link, "-o", str(temporary)])
    if part.finish:
        part.finish(temporary)
    os.replace(temporary, target)
    return target


def build_all(only: Sequence[str] = (), reproducible: bool = False) -> list[Path]:
    """Build every part (or those whose output name contains one of `only`); returns the files.

    reproducible: the same bytes wherever this tree lies; a debugger then has to be told where the sources are.
    """
    from cass_shim.native.parts import PARTS

    chosen = [part for part in PARTS if not only or any(name in part.output for name in only)]
    if reproducible:
        chosen = [replace(part, flags=(*part.flags, *path_maps())) for part in chosen]
    GENERATED.mkdir(parents=True, exist_ok=True)
    for generate in dict.fromkeys(part.generate for part in chosen if part.generate):
        generate(GENERATED)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        return [build_part(part, pool) for part in chosen]


if __name__ == "__main__":
    try:
        for path in build_all(sys.argv[1:]):
            print(path.relative_to(NATIVE.parent.parent))
    except ToolFailed as failure:
        sys.exit(f"build: {failure.command}\n{failure.stderr}")
