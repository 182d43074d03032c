"""`cass doctor`: is everything here that cass-run needs, and what to do where it is not."""

from __future__ import annotations

import difflib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import click

from cass_shim.cache.files import is_ours
from cass_shim.cache.index import is_on_network
from cass_shim.cache.local import cache_root
from cass_shim.cli.daemon import PLACE_FIX, ask_daemon, log_path, start_daemon
from cass_shim.daemon.runtime import check_directory, runtime_directory
from cass_shim.model.config import FIELDS, Config, variable
from cass_shim.model.errors import CassError
from cass_shim.model.wire import FrameKind
from cass_shim.native.build import BUILD
from cass_shim.native.locate import EMULATED_HIP

LEAST_FREE_BYTES = 64 << 20
KFD = Path("/dev/kfd")
# Of the emulated device (docs/emulator.md), of set-up and tests, and of libraries that are looked for.
OTHERS = ("CASS_EMU_", "CASS_TEST_", "CASS_FAULT_", "CASS_FUZZ_", "CASS_HIP_", "CASS_LLVM", "CASS_VENV", "CASS_PYTHON",
          "CASS_MODEL_NAME")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. state: "ok", "warning" (works, but) or "broken". fix: what to do, one line."""

    name: str
    state: str
    detail: str
    fix: str = ""


def check_native() -> Iterator[Check]:
    """The launcher and the libraries."""
    missing = [name for name in ("cass-run", "libcass_shim.so") if not (BUILD / name).exists()]
    if missing:
        fix = f"{sys.executable} -m cass_shim.native.build"
        yield Check("native parts", "broken", f"not built: {', '.join(missing)}", fix)
    else:
        yield Check("native parts", "ok", str(BUILD))


def check_packages() -> Iterator[Check]:
    """What translation imports."""
    needed = ("llvmlite", "elftools", "diskcache", "lz4", "zstandard", "numpy", "ziglang", "hip")
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        yield Check(
            "packages", "broken", f"missing: {', '.join(missing)}", f"{sys.executable} -m pip install cass-shim"
        )
    else:
        yield Check("packages", "ok", f"Python {sys.version.split()[0]}, {sys.executable}")


def check_toolchain() -> Iterator[Check]:
    """An assembler and linker for gfx1100, probed."""
    from cass_shim.assemble.toolchain import toolchain

    try:
        versions = toolchain().provenance
    except CassError as error:
        yield Check("toolchain", "broken", str(error), f"{sys.executable} -m pip install 'ziglang>=0.15,<0.17'")
        return
    yield Check("toolchain", "ok", "; ".join(f"{name} {value}" for name, value in versions.items()))


def check_decoder() -> Iterator[Check]:
    """The disassembler behind the decoder."""
    from cass_shim.decode.nvdisasm import find_tool

    try:
        yield Check("nvdisasm", "ok", find_tool("nvdisasm"))
    except CassError as error:
        yield Check("nvdisasm", "broken", str(error), f"{sys.executable} -m pip install nvidia-cuda-nvdisasm")


def check_device(config: Config) -> Iterator[Check]:
    """The HIP library that would be used, and the rights on AMD's device files."""
    emulated = Path(config.hip_library) if config.hip_library else BUILD / EMULATED_HIP
    if config.device != "hip":
        if emulated.exists():
            yield Check("emulated device", "ok", str(emulated))
        else:
            fix = f"{sys.executable} -m cass_shim.native.build"
            yield Check("emulated device", "broken", f"{emulated} is not there", fix)
    if not KFD.exists():
        state = "broken" if config.device == "hip" else "ok"
        yield Check("AMD device", state, "no /dev/kfd; the emulated device is used", "load the amdgpu driver")
    elif not os.access(KFD, os.R_OK | os.W_OK):
        state = "broken" if config.device == "hip" else "warning"
        yield Check(
            "AMD device", state, "no right to use /dev/kfd", "sudo usermod -aG render,video $USER, log in again"
        )
    else:
        yield Check("AMD device", "ok", "/dev/kfd")
    if os.environ.get("HSA_OVERRIDE_GFX_VERSION"):
        detail = f"HSA_OVERRIDE_GFX_VERSION={os.environ['HSA_OVERRIDE_GFX_VERSION']} makes cards claim to be others"
        yield Check("environment", "warning", detail, "unset HSA_OVERRIDE_GFX_VERSION")


def check_cache(config: Config) -> Iterator[Check]:
    """The cache's directory: whose it is, how much room there is."""
    root = cache_root(config)
    if root is None:
        yield Check("cache", "warning", "off: every run translates again", "unset CASS_CACHE, or set CASS_CACHE_DIR")
        return
    place = next(one for one in (root, *root.parents) if one.exists())
    if root.is_symlink() or (root.exists() and not is_ours(root.lstat())):
        yield Check("cache", "broken", f"{root} is a link or not yours alone", f"chmod go-w {root}; chown $USER {root}")
    elif not os.access(place, os.W_OK):
        yield Check("cache", "warning", f"{root} cannot be written", "set CASS_CACHE_DIR to a directory of yours")
    elif shutil.disk_usage(place).free < LEAST_FREE_BYTES:
        yield Check(
            "cache", "warning", f"less than 64 MiB free at {root}", "cass cache gc --size 100, or CASS_CACHE_DIR"
        )
    else:
        note = " (network file system: the index is kept on this node)" if is_on_network(place) else ""
        yield Check("cache", "ok", f"{root}{note}")


def check_model(config: Config) -> Iterator[Check]:
    """What the translator cass would ask, where it is to be asked."""
    if "cass" not in config.translator_order:
        return
    from cass_shim.translate.cass.models import choose
    from cass_shim.translate.cass.openai import OpenAiModel
    from cass_shim.translate.cass.recorded import RecordedModel

    try:
        model = choose(config.model, 80)
    except CassError as error:
        yield Check("model", "warning", str(error), "set CASS_MODEL, or leave cass out of CASS_TRANSLATORS")
        return
    runs_here = not isinstance(model, OpenAiModel | RecordedModel)
    if runs_here and find_spec("torch") is None:
        fix = f"{sys.executable} -m pip install 'cass-shim[model]'"
        yield Check("model", "warning", f"{model.identity} needs torch, which is missing", fix)
    elif runs_here and KFD.exists() and not torch_build().startswith("rocm"):
        built = torch_build() or "no ROCm"
        fix = "install PyTorch's ROCm wheel (pytorch.org, Get Started), or serve the model with llama.cpp or vLLM on "
        fix += "this card and set CASS_MODEL to its URL"
        yield Check("model", "warning", f"{model.identity} runs on the processor: torch is built for {built}", fix)
    else:
        yield Check("model", "ok", model.identity)


def torch_build() -> str:
    """What torch was built for: the local part of its version ("cu130", "rocm6.4", "cpu"), without loading it."""
    try:
        return metadata.version("torch").partition("+")[2]
    except metadata.PackageNotFoundError:
        return ""


def check_daemon(config: Config) -> Iterator[Check]:
    """The daemon's directory, and whether it comes up and answers."""
    try:
        check_directory(runtime_directory(config))
    except (OSError, CassError) as error:
        fix = f"{PLACE_FIX}; until then programs translate in a child of their own"
        yield Check("daemon", "broken", str(error), fix)
        return
    try:
        start_daemon(config)
        facts = ask_daemon(config, FrameKind.STATUS)
    except (OSError, CassError) as error:
        fix = f"see {log_path(config)}; until then programs translate in a child of their own"
        yield Check("daemon", "broken", str(error), fix)
        return
    if facts is None:
        yield Check("daemon", "broken", "it does not answer", f"cass daemon stop; see {log_path(config)}")
    else:
        yield Check("daemon", "ok", f"pid {facts['pid']}, {facts['workers']} workers, {runtime_directory(config)}")


def check_settings() -> Iterator[Check]:
    """Variables that look like settings and are none: nothing reads them, so nothing else would say so."""
    known = [variable(name) for name in FIELDS]
    unknown = [
        name
        for name in sorted(os.environ)
        if name.startswith("CASS_") and name not in known and not name.startswith(OTHERS)
    ]
    for name in unknown:
        near = difflib.get_close_matches(name, known, 1)
        fix = f"did you mean {near[0]}?" if near else "docs/configuration.md lists the settings"
        yield Check("settings", "warning", f"{name} is no setting and is ignored", fix)
    if not unknown:
        given = [name for name in known if os.environ.get(name)]
        yield Check("settings", "ok", ", ".join(given) or "all at their defaults")


def check_behind(config: Config) -> Iterator[Check]:
    """What the daemon does behind programs."""
    from cass_shim.daemon.behind import on_battery
    from cass_shim.daemon.rival import model_works_behind
    from cass_shim.daemon.workers import LOWEST_PRIORITY

    budget = config.number("behind")
    if not budget:
        yield Check("work behind", "ok", "none (CASS_BEHIND=0)")
        return
    facts = ask_daemon(config, FrameKind.STATUS)
    done = facts.get("behind") if facts is not None else None
    used = f"; {done['cpu_s']} s used, {done['waiting']} kernels wait" if isinstance(done, dict) else ""
    now = ", now none: on battery" if on_battery() else ", none on battery"
    model = "second opinions, then the model" if model_works_behind(config) else "second opinions"
    text = f"{model}: {budget:g} CPU-seconds a program, nice {LOWEST_PRIORITY}{now}{used}"
    counters = facts.get("counters", {}) if facts is not None else {}
    if isinstance(counters, dict) and counters.get("model tried"):
        text += (
            f"; the model was tried {counters['model tried']} times and replaced {counters.get('model replaced', 0)}"
        )
    yield Check("work behind", "ok", text)


def all_checks(config: Config) -> Iterator[Check]:
    """Every check; one that cannot even be made is a broken one."""
    makers: tuple[tuple[str, Callable[[], Iterator[Check]]], ...] = (
        ("settings", check_settings),
        ("packages", check_packages),
        ("native parts", check_native),
        ("toolchain", check_toolchain),
        ("nvdisasm", check_decoder),
        ("device", lambda: check_device(config)),
        ("cache", lambda: check_cache(config)),
        ("model", lambda: check_model(config)),
        ("daemon", lambda: check_daemon(config)),
        ("work behind", lambda: check_behind(config)),
    )
    for name, make in makers:
        try:
            yield from make()
        except Exception as error:
            yield Check(
                name, "broken", f"{type(error).__name__}: {error}", "report this with the output of cass doctor --json"
            )


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
def doctor_command(as_json: bool) -> None:
    """Check everything cass-run needs and say how to fix what is wrong. Exit status 1 when something is broken."""
    checks = list(all_checks(Config.read()))
    if as_json:
        print(json.dumps([asdict(one) for one in checks], indent=2))
    else:
        for one in checks:
            print(f"{one.state:8} {one.name:16} {one.detail}")
            if one.state != "ok":
                print(f"{'':8} {'':16} fix: {one.fix}")
    sys.exit(1 if any(one.state == "broken" for one in checks) else 0)
