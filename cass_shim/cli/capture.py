"""`cass capture PROGRAM` and `cass replay FILE`: a kernel's first launch as a file, and what becomes of it elsewhere.

A captured launch shows a wrong result without the program that it came from.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import click

from cass_shim.cli.explain import exit_status, find_program
from cass_shim.cli.programs import demangled, read_program
from cass_shim.cli.stages import sidecar_of
from cass_shim.model.artifacts import CodeObject
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError, Rejected, one_line
from cass_shim.module import load_module
from cass_shim.native.build import BUILD
from cass_shim.pipeline import Work, assemble, translate_source
from cass_shim.verify.capture_file import EXTENSION, WARNING, CaptureFile, read_file
from cass_shim.verify.survey import is_padding

UNDECIDED = 3  # exit status of a replay from which nothing follows


def read_capture(path: Path) -> CaptureFile:
    """A captured launch; Malformed when the file is none."""
    return read_file(read_program(path), str(path))


@click.command("capture", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--out", type=click.Path(path_type=Path), default=Path("captures"), show_default=True, help="Where to.")
@click.option("--limit", type=float, help="MiB that one launch may hold; default CASS_CAPTURE_LIMIT.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def capture_command(out: Path, limit: float | None, command: tuple[str, ...]) -> None:
    """Run PROGRAM and write the first launch of each of its kernels to a file that `cass replay` takes.

    A file holds the kernel, its arguments and the device memory that they lead to. The exit status is the program's;
    1 where it did well and nothing was captured.
    """
    find_program(command[0])
    before = set(out.glob(f"*{EXTENSION}"))
    bound = Config.read().capture_limit if limit is None else f"{limit:g}"
    changes = {"CASS_CAPTURE": "1", "CASS_CAPTURE_DIR": str(out.absolute()), "CASS_CAPTURE_LIMIT": bound}
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program's to handle
    launcher = [str(BUILD / "cass-run"), "--", *command]
    code = exit_status(subprocess.run(launcher, env={**os.environ, **changes}, check=False).returncode)
    made = sorted(set(out.glob(f"*{EXTENSION}")) - before)
    for path in made:
        held = read_capture(path)
        print(f"{path}: {demangled(held.kernel)}, {held.launch.describe()}", file=sys.stderr)
    if made:
        print(f"cass: {WARNING}", file=sys.stderr)
    else:
        print("cass: nothing was captured: no kernel was launched, or the lines above say why", file=sys.stderr)
    sys.exit(code if made or code else 1)


@dataclass(frozen=True)
class Verdict:
    """What became of one translation. word: agrees, differs or none."""

    word: str
    text: str


@click.command("replay")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--route", "routes", multiple=True, help="lift, ptx-hip or cass; default each of CASS_TRANSLATORS.")
@click.option("--code", type=click.Path(path_type=Path), help="Judge this .hsaco (its .json beside it) instead.")
@click.option("--seconds", type=float, default=60.0, show_default=True, help="How long one replay may take.")
def replay_command(file: Path, routes: tuple[str, ...], code: Path | None, seconds: float) -> None:
    """Translate a captured launch's kernel again and compare it with the interpreter of its machine code.

    Exit status 0: every translation agrees; 1: one differs, and its first difference is printed; 3: nothing follows,
    because the launch cannot be interpreted, or not in time.
    """
    from cass_shim.daemon.worker import set_limits

    config = Config.read()
    held = read_capture(file)
    set_limits(config.number("kernel_memory"))  # the file may be anybody's
    module = load_module(held.region, held.entry_offset, held.module, str(file))
    if held.kernel not in module.kernels:
        raise CassError(f"{file}: the module in it has no kernel {held.kernel}")
    if module.kernels[held.kernel].needs_arena(held.launch.dynamic_shared):
        module = module.for_spilled
    work = Work(module, held.kernel, replace(config, kernel_timeout=str(seconds)), held.launch)
    print(f"{demangled(held.kernel)} (sm_{module.sm}): {held.launch.describe()}")
    found = []
    for name in [str(code)] if code is not None else routes or config.translator_order:
        verdict = judge(work, seconds, name, code)
        print(f"{name}: {verdict.text}", flush=True)
        found.append(verdict.word)
    sys.exit(1 if "differs" in found else 0 if "agrees" in found else UNDECIDED)


def judge(work: Work, seconds: float, route: str, file: Path | None) -> Verdict:
    """Translate by a route, or take a code object, and replay the launch on it."""
    from cass_shim.verify.captured import Captured, replay
    from cass_shim.verify.contract import check_contract
    from cass_shim.verify.kernel import open_device
    from cass_shim.verify.survey import survey

    assert work.captured is not None
    try:
        code = assemble(translate_source(work, route), work.abi) if file is None else _object(file)
        check_contract(code, work.abi)
        sass = work.sass
        found = replay(code, sass, work.module.cubin, survey(sass), open_device(), Captured(work.captured, seconds))
    except Rejected as error:
        return Verdict("differs", f"differs: {one_line(error)}")
    except CassError as error:
        return Verdict("none", f"not judged: {one_line(error)}")
    if found.verdict != "agrees":
        return Verdict("none", f"not judged: {found.reason}")
    ran = int(found.executed.sum()) if found.executed is not None else 0
    parts = (sass, *sass.callees.values())
    count = sum(not is_padding(one) for part in parts for one in part.instructions)
    text = f"agrees: {found.compared} bytes written alike, {found.printed} records printed alike"
    return Verdict("agrees", f"{text}, {ran} of {count} instructions ran ({found.seconds:.1f} s)")


def _object(file: Path) -> CodeObject:
    """A code object with what the file beside it says."""
    from cass_shim.assemble.code_object import parse_code_object

    known = sidecar_of(file)
    return parse_code_object(read_program(file), known.symbol, known.contract, known.slots, known.bindings_offset)
