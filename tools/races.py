"""ThreadSanitizer on concurrent launches: `python3 -m tools.races`.

libcass_shim.so and the stand-in for libcudart.so.13 are built with gcc's ThreadSanitizer into a folder of their own;
`races.cu` (eight host threads with streams, events, copies, captured graphs and the first launches of two kernels) runs
on them and on the emulated device. Exit status 1 when a race is reported or a result is wrong.
"""

from __future__ import annotations

import concurrent.futures
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from cass_shim.native.build import GENERATED, NATIVE, expand
from cass_shim.native.parts import CORE, SHARED
from tools import environment, samples

HERE = Path(__file__).resolve().parent
SONAME = "libcudart.so.13"
FLAGS = ("-std=gnu17", "-O1", "-g", "-fPIC", "-fvisibility=hidden", "-D_GNU_SOURCE", "-fsanitize=thread", "-w")
# They write jumps into the loader's code before anything runs, which ThreadSanitizer has no shadow memory for.
PLAIN = ("near.c", "watch.c")
# nvcc writes a static in every host stub, the same value from each thread: its code, not ours.
NVCC_STUBS = "race:__device_stub__\n"
EXPECTED = "wrong 0 sum 5120 last 0\n"


def compile_all(sources: list[Path], folder: Path) -> list[str]:
    """Objects of the sources, in parallel."""

    def one(number: int, source: Path) -> str:
        target = folder / f"{number}.o"
        include = ("-I", str(NATIVE), "-I", str(GENERATED), "-ftls-model=initial-exec")
        flags = [flag for flag in FLAGS if source.name not in PLAIN or "sanitize" not in flag]
        subprocess.run(["gcc", *flags, *include, "-c", str(source), "-o", str(target)], check=True)
        return str(target)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        return list(pool.map(one, range(len(sources)), sources))


def build(folder: Path) -> tuple[Path, Path]:
    """The two libraries, and the program without and with ThreadSanitizer."""
    core = folder / "libcass_shim.so"
    objects = compile_all(expand([name for name in CORE if name.startswith("gen:") or any(NATIVE.glob(name))]), folder)
    script = f"-Wl,--version-script={NATIVE / 'shim' / 'libcass_shim.map'}"
    link = ("-Wl,-soname,libcass_shim.so", "-Wl,-z,nodelete", script, "-lpthread", "-ldl")
    subprocess.run(["gcc", "-fsanitize=thread", *objects, *SHARED[:1], *link, "-o", str(core)], check=True)
    standin = GENERATED / "api" / "standins" / SONAME
    names = (f"-Wl,-soname,{SONAME}", f"-Wl,--version-script={standin}.map", "-Wl,-rpath,$ORIGIN", "-nostdlib")
    command = ["gcc", *FLAGS[:-2], *SHARED[:1], f"{standin}.c", str(core), *names, "-o", str(folder / SONAME)]
    subprocess.run(command, check=True)
    (folder / "emulated").symlink_to(NATIVE / "_build" / "emulated")
    plain, program = folder / "plain", folder / "races"
    code = ("-gencode", "arch=compute_80,code=sm_80", "-cudart", "shared")
    samples.nvcc(HERE / "races.cu", plain, code)
    samples.nvcc(HERE / "races.cu", program, (*code, "-Xcompiler", "-fsanitize=thread"))
    return plain, program


def main() -> int:
    """Builds, runs, and prints what ThreadSanitizer says."""
    if why := samples.can_build():
        print(f"tools.races: {why}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name:
        (plain, program), allowed = build(Path(name)), Path(name) / "suppressions"
        allowed.write_text(NVCC_STUBS)
        options = f"exitcode=66 suppressions={allowed}"
        env = {**os.environ, "CASS_DEVICE": "emulated", "CASS_CACHE_DIR": f"{name}/cache", "TSAN_OPTIONS": options}
        without = ["setarch", "-R"]  # ThreadSanitizer needs its addresses free
        # translates without it: a child forked under ThreadSanitizer, to start the daemon, may hang
        subprocess.run([str(environment.launcher()), str(plain)], env=env, check=True, timeout=300)
        env |= {"LD_LIBRARY_PATH": name, "CASS_DAEMON": "0"}
        command = [*without, str(program)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)
    print(done.stdout + done.stderr, end="")
    clean = done.returncode == 0 and done.stdout == EXPECTED and "WARNING: ThreadSanitizer" not in done.stderr
    print("no race" if clean else "NOT clean")
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
