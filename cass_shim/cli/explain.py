"""`cass explain PROGRAM`, and what `cass-run --dry-run` and `cass-run --explain` hand over to.

For each kernel: where its code came from, which translators were passed over and why, and how far it is proved.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import click

from cass_shim.cli.precompile import Outcome, precompile
from cass_shim.cli.programs import KernelState, demangled, kernel_states, read_program
from cass_shim.model.config import Config
from cass_shim.native.build import BUILD


def explain_state(state: KernelState, refusal: str = "") -> list[str]:
    """The lines about one kernel."""
    source = f"sm_{state.sm} machine code" if state.code_bytes else f"PTX for sm_{state.sm}"
    lines = [f"{demangled(state.kernel)}", f"  source     {source}; the module holds {state.generations}"]
    if state.spilled:
        lines.append("  for        launches with more shared memory than LDS has: it lies in device memory")
    record = state.record
    if record is None:
        lines.append(f"  state      not translated{': ' + refusal if refusal else ''}")
        return lines
    lines.append(f"  route      {record.route}, evidence {record.evidence}, cache {state.cache}, key {state.key[:16]}")
    lines += [f"  passed over {name}: {reason}" for name, reason in record.passed_over.items()]
    if state.launch_may_tell:
        lines.append("  to come    its first launch decides: inputs that agreed reached less than half of its code")
    lines += [f"  {name:10} {value}" for name, value in sorted(record.provenance.items())]
    lines += [f"  checked    {name}: {value}" for name, value in sorted(record.report.items())]
    return lines


def explain_program(program: Path, config: Config, outcomes: Sequence[Outcome], out: TextIO) -> bool:
    """Print every kernel's story; False when one has no translation or a module cannot be read."""
    refusals = {one.job.kernel: one.message for one in outcomes}
    complete, states = True, list(kernel_states(program, config))
    if not states:
        print(f"{program}: no CUDA kernels; libraries that it loads may hold them", file=out)
    for state in states:
        if isinstance(state, KernelState):
            print("\n".join(explain_state(state, refusals.get(state.kernel, ""))), file=out)
            complete &= state.record is not None
        else:
            print(f"cass: {state}", file=out)
            complete = False
    return complete


@click.command("explain")
@click.argument("program", type=click.Path(path_type=Path))
def explain_command(program: Path) -> None:
    """Translate PROGRAM's kernels where needed and tell how each was translated and how far it is proved."""
    read_program(program)  # raises for what cannot be read, before the daemon is asked
    config = Config.read()
    outcomes = precompile([program], config, len(os.sched_getaffinity(0)))
    sys.exit(0 if explain_program(program, config, outcomes, sys.stdout) else 1)


def exit_status(code: int) -> int:
    """A child's status as a shell reports it."""
    return 128 - code if code < 0 else code


@click.command("run", context_settings={"ignore_unknown_options": True})
@click.option("--explain", is_flag=True, help="Run, then tell about every kernel on stderr.")
@click.option("--dry-run", is_flag=True, help="Translate and verify, do not run.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run_command(explain: bool, dry_run: bool, command: tuple[str, ...]) -> None:
    """Run a program as `cass-run` does."""
    config = Config.read()
    program = find_program(command[0])
    if dry_run:
        outcomes = precompile([program], config, len(os.sched_getaffinity(0)))
        sys.exit(0 if explain_program(program, config, outcomes, sys.stdout) else 1)
    launcher = str(BUILD / "cass-run")
    if not explain:
        os.execv(launcher, [launcher, "--", *command])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program's to handle
    code = subprocess.run([launcher, "--", *command], check=False).returncode
    explain_program(program, config, (), sys.stderr)
    sys.exit(exit_status(code))


def find_program(name: str) -> Path:
    """The file that the launcher would run."""
    if "/" in name:
        return Path(name)
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = Path(folder or ".") / name
        if os.access(path, os.X_OK) and path.is_file():
            return path
    here = f"; the file here is called ./{name}" if Path(name).is_file() else ""
    print(f"cass: {name}: not found in PATH{here}", file=sys.stderr)
    sys.exit(127)
