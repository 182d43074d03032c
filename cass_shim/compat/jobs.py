"""What `cass compat run` runs: programs named or below folders, and the suite's programs built in their variants.

In: words of the command line. Out: `Job`s.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from cass_shim.compat import suite
from cass_shim.compat.build import VARIANTS, Variant, build_all
from cass_shim.compat.runner import Job
from cass_shim.model.errors import Malformed

NO_PROGRAM = "no program among them; name executable ELF files, or folders that hold some"
MAGIC = b"\x7fELF"


def jobs_below(paths: Sequence[Path], golden: Path | None) -> list[Job]:
    """Programs named or below folders. A golden is `<name>.txt` in the golden folder; exit codes in RECORDED.json."""
    codes: dict[str, int] = {}
    if golden is not None and (recorded := golden / "RECORDED.json").exists():
        codes = json.loads(recorded.read_text()).get("exit_codes", {})
    found: list[Job] = []
    for path in paths:
        programs = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for program in programs:
            with program.open("rb") as file:
                if file.read(4) != MAGIC or (path.is_dir() and not os.access(program, os.X_OK)):
                    continue
            text = golden / f"{program.name}.txt" if golden is not None else None
            variant = program.parent.name if path.is_dir() and program.parent != path else ""
            expected = text if text and text.exists() else None
            code = codes.get(program.name, 0)
            found.append(Job(program, expected, code, program.name, variant=variant))
    return found


def variants_named(names: Sequence[str]) -> list[Variant]:
    """The variants, `all` for every one that can be built here. Raises Malformed that lists them."""
    if unknown := set(names) - {*VARIANTS, "all"}:
        raise Malformed(f"no variant {', '.join(sorted(unknown))}; there are: all, {', '.join(VARIANTS)}")
    every = [variant for variant in VARIANTS.values() if not variant.missing()]
    return [variant for variant in VARIANTS.values() if variant.name in names or ("all" in names and variant in every)]


def jobs_of_suite(root: Path, names: Sequence[str], variants: Sequence[Variant], workers: int) -> list[Job]:
    """Build and list the suite's programs that `names` stand for. Raises Malformed for a name that is nothing."""
    everything = suite.programs(root)
    chosen: dict[str, suite.SuiteProgram] = {}
    for name in names:
        found = suite.select(everything, name)
        if not found:
            domains = ", ".join(sorted({program.domain for program in everything}))
            known = f"all, samples, examples, a domain ({domains}) or a program"
            raise Malformed(f"{name} is no file, no folder and not in the suite; the suite has: {known}")
        chosen.update((program.title, program) for program in found)
    binaries = build_all(list(chosen.values()), list(variants), root / "build" / "suite", workers)
    return [_job(chosen[title], variant, binary) for (title, variant), binary in binaries.items()]


def _job(program: suite.SuiteProgram, variant: str, binary: Path) -> Job:
    golden = program.golden if program.golden.is_file() else None
    return Job(binary, golden, program.exit_code, program.title, program.domain, variant)


def serves(job: Job, translators: str) -> bool:
    """Whether the job's variant holds what the translators work on; programs of no known variant may."""
    variant = VARIANTS.get(job.variant)
    return variant is None or variant.serves(translators)


def collect(
    words: Sequence[str], golden: Path | None, variants: Sequence[str], workers: int, root: Path | None = None
) -> list[Job]:
    """Every word is a name of the suite, else a path. Raises Malformed when nothing is left to run."""
    checkout = root or _checkout()
    everything = suite.programs(checkout) if checkout else []
    named = [word for word in words if suite.select(everything, word)]
    paths = [Path(word) for word in words if word not in named and Path(word).exists()]
    named += [word for word in words if word not in named and not Path(word).exists()]
    jobs = jobs_below(paths, golden)
    if named:
        jobs += jobs_of_suite(checkout or suite.find_root(), named, variants_named(variants), workers)
    if not jobs:
        raise Malformed(NO_PROGRAM, where=" ".join(words))
    return jobs


def _checkout() -> Path | None:
    try:
        return suite.find_root()
    except Malformed:
        return None
