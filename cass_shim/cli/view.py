"""`cass view PROGRAM`: one HTML page with SASS, PTX and RDNA3 side by side, evidence, rejections and a step-through.

The page is self-contained (works from file://, fetches nothing), follows the system's light or dark colours, and can
be used with the keyboard alone.
"""

from __future__ import annotations

import concurrent.futures
import html
import json
import os
import re
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from cass_shim import __version__
from cass_shim.cli.precompile import Asker, Job
from cass_shim.cli.programs import KernelState, demangled, find_modules, kernel_states, no_kernel, open_tier
from cass_shim.cli.view_kernel import Subject, kernel_facts
from cass_shim.compat.report import look
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError


def subjects(program: Path, wanted: str, config: Config) -> Iterator[Subject]:
    """The kernels that are meant, each translated (or found in the cache) first. Raises Malformed for none."""
    asker = Asker(config)
    jobs = [Job(program, found, name) for found in find_modules(program, config) for name in found.module.kernels]
    meant = [job for job in jobs if _is_meant(job.kernel, wanted)]
    if not meant:
        raise no_kernel(program, (job.kernel for job in jobs), wanted)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        outcomes = pool.map(asker.run, meant)
    refusals = {(job.found.number, job.kernel): one.message for job, one in zip(meant, outcomes, strict=True)}
    tier = open_tier(config)
    if tier is None:
        raise CassError("the page is made from what the cache holds, and there is none: unset CASS_CACHE=0")
    known = [one for one in kernel_states(program, config) if isinstance(one, KernelState)]
    states = {(one.module, one.kernel): one for one in sorted(known, key=lambda one: not one.spilled)}
    for job in meant:
        place = (job.found.number, job.kernel)
        state = states[place]
        content = tier.admitted(bytes.fromhex(state.key), config)
        yield Subject(job.found.module, job.kernel, state, content, refusals[place])


def _is_meant(kernel: str, wanted: str) -> bool:
    name = demangled(kernel)
    return not wanted or wanted in (kernel, name, name.split("(")[0])


def page(program: str, kernels: list[dict[str, Any]]) -> str:
    """The HTML page of these kernels."""
    template = files("cass_shim.cli").joinpath("view.html").read_text(encoding="utf-8")
    data = json.dumps({"program": program, "kernels": kernels}, default=str, separators=(",", ":"))
    values = {
        "LOOK": look(),
        "PROGRAM": html.escape(program),
        "VERSION": html.escape(__version__),
        "DATA": data.replace("<", "\\u003c"),  # nothing in it ends the script element
    }
    return re.sub("@(LOOK|PROGRAM|VERSION|DATA)@", lambda mark: values[mark.group(1)], template)


@click.command("view")
@click.argument("program", type=click.Path(path_type=Path))
@click.option("--kernel", "-k", default="", help="Kernel name, mangled or as C++ prints it; default all.")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="The page; default PROGRAM's name and .html.")
@click.option("--lane", default=0, show_default=True, help="Whose registers to record, counted over the launch.")
def view_command(program: Path, kernel: str, output: Path | None, lane: int) -> None:
    """Make a page that shows PROGRAM's kernels: SASS, PTX and RDNA3 side by side, and how far each is proved.

    Kernels that are not in the cache yet are translated first. Exit status 1 when one has no translation.
    """
    config = Config.read()
    output = output or Path(f"{program.name}.html")
    shown, complete = [], True
    for subject in subjects(program, kernel, config):
        shown.append(kernel_facts(subject, config, lane))
        complete &= not subject.refusal
    try:
        output.write_text(page(program.name, shown), encoding="utf-8")
    except OSError as error:
        raise CassError(f"{output}: {error.strerror}; name another file with -o") from error
    print(output)
    sys.exit(0 if complete else 1)
