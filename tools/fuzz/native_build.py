"""Builds the C targets with gcc's sanitizers and coverage callbacks: each one a program that needs nothing but glibc.

In: the sources of `native/` here and of the parts under test. Out: `build/fuzz/bin/TARGET`.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cass_shim.native.build import GENERATED, NATIVE, compile_once
from tools.environment import ROOT

HERE = Path(__file__).resolve().parent / "native"
BUILD = ROOT / "build" / "fuzz"
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
COVER = ("-fsanitize-coverage=trace-pc,trace-cmp",)
COMMON = ("-std=gnu17", "-g1", "-D_GNU_SOURCE", "-Wno-psabi", "-march=x86-64-v2")
CHECKED = ("-O1", *SANITIZE)
INCLUDE = ("-I", str(NATIVE), "-I", str(GENERATED), "-I", str(HERE.parents[1]))
DRIVER = ("driver.c", "feedback.c", "files.c", "mutate.c")  # neither checked nor covered themselves
CLIENT = ("client/*.c",)
# One build of the interpreter's bodies serves as all three: sanitizers and AVX-512 together take minutes.
ONE_VARIANT = ("-Demu_variant_v3=emu_variant_v2", "-Demu_variant_v4=emu_variant_v2")
EMULATOR = ("emulator/*.c", "hip/image_descriptor.c", "client/sha256.c", "gen:emulator/*.c")
EMULATOR_FLAGS = ("-fno-strict-aliasing", "-fno-math-errno", "-ffp-contract=off", "-fwrapv", "-DEMU_VARIANT=v2")


@dataclass(frozen=True)
class NativeTarget:
    """A fuzz target in C. own: its sources in `native/`. parts: sources of the product, as globs like build.py's."""

    name: str
    own: tuple[str, ...]
    parts: tuple[str, ...]
    flags: tuple[str, ...] = ()
    corpus: str = ""

    @property
    def seeds(self) -> str:
        """The folder of its first inputs."""
        return self.corpus or self.name

    @property
    def heavy(self) -> bool:
        """Whether the whole emulator is compiled for it: minutes the first time."""
        return self.parts == EMULATOR


TARGETS = {
    one.name: one
    for one in (
        NativeTarget("fatbin-c", ("fatbin.c",), CLIENT, corpus="fatbin"),
        NativeTarget("manifest-c", ("manifest.c", "sealed.c"), CLIENT),
        NativeTarget("entry-c", ("entry.c", "sealed.c"), CLIENT),
        NativeTarget("reply-c", ("reply.c", "sealed.c"), CLIENT),
        NativeTarget("program-c", ("program.c",), ("launcher/program.c",)),
        NativeTarget("object-c", ("object.c",), ("shim/object.c",)),
        NativeTarget("codeobject-c", ("codeobject.c",), EMULATOR, EMULATOR_FLAGS),
        NativeTarget("bundle-c", ("bundle.c",), EMULATOR, EMULATOR_FLAGS),
        NativeTarget("rdna3-c", ("rdna3.c",), EMULATOR, EMULATOR_FLAGS),
    )
}


def prebuilt() -> bool:
    """Whether this is the folder that bundle.py made: nothing is compiled there."""
    return os.environ.get("CASS_FUZZ_PREBUILT") == "1"


def why_not() -> str:
    """Why C targets cannot be built here, or nothing."""
    if prebuilt():
        return ""
    if shutil.which("gcc") is None:
        return "gcc is missing (its sanitizers and coverage callbacks are needed)"
    try:
        _link(["-xc", "-"], BUILD / "probe", b"int main(void) { return 0; }")
    except subprocess.CalledProcessError:
        return "gcc has no sanitizer run time"
    return ""


def _link(what: Sequence[str], output: Path, source: bytes | None = None) -> None:
    output.parent.mkdir(parents=True, exist_ok=True)
    command = ["gcc", *SANITIZE, "-static-libasan", "-static-libubsan", *what, "-o", str(output), "-lpthread", "-ldl"]
    subprocess.run([*command, "-lm"], input=source, check=True, capture_output=source is not None, timeout=600)


def _expand(patterns: Sequence[str]) -> list[Path]:
    found: list[Path] = []
    for pattern in patterns:
        root, name = (GENERATED, pattern[4:]) if pattern.startswith("gen:") else (NATIVE, pattern)
        found += sorted(root.glob(name))
    return found


def _object(source: Path, flags: Sequence[str]) -> Path:
    """Compile one source, unless it was compiled like this before."""
    command = ["gcc", *COMMON, *flags, *INCLUDE, "-c", str(source)]
    name = hashlib.sha256(" ".join(command).encode()).hexdigest()[:24]
    return compile_once(command, BUILD / "obj" / f"{source.stem}-{name}.o", seconds=900)


def build(names: Sequence[str]) -> dict[str, Path]:
    """The programs of these targets by name."""
    if prebuilt():
        return {name: BUILD / "bin" / name for name in names}
    from cass_shim.native.client.generate import generate as client_generate

    GENERATED.mkdir(parents=True, exist_ok=True)
    client_generate(GENERATED)
    if any(TARGETS[name].heavy for name in names):
        from cass_shim.native.parts import emulator_generate

        emulator_generate(GENERATED)
    programs: dict[str, Path] = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for name in names:
            one = TARGETS[name]
            jobs = [pool.submit(_object, HERE / own, ("-O2",)) for own in DRIVER]
            flags = (*CHECKED, *COVER, *one.flags)
            jobs += [pool.submit(_object, HERE / own, flags) for own in one.own]
            for source in _expand(one.parts):
                variant = ONE_VARIANT if source.name == "variant.c" else ()
                jobs.append(pool.submit(_object, source, (*flags, *variant)))
            objects = [job.result() for job in jobs]
            mark = hashlib.sha256(b"".join(path.read_bytes() for path in objects)).hexdigest()
            program, stamp = BUILD / "bin" / name, BUILD / "bin" / f"{name}.stamp"
            if not program.exists() or not stamp.exists() or stamp.read_text() != mark:
                _link([str(path) for path in objects], program)
                stamp.write_text(mark)
            programs[name] = program
    return programs
