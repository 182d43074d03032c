"""What a translator is measured on: kernels, each with the module it stands in.

In: a folder of held-out pairs (`tools/pairs`), a folder of `.cu` files, one such file, a cubin or a program. Out:
`Problem`s. In a folder of sources, `<name>.txt` beside `<name>.cu` is what the program prints on an NVIDIA GPU, and
folders within are domains, as CASS-Bench has them.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cass_shim.extract.cubin import read_cubin
from cass_shim.model.artifacts import Cubin
from cass_shim.model.errors import CassError, Malformed, ToolFailed
from cass_shim.module import Module

COMPILE_S = 300
_CUBIN = ("-w", "-cubin", "-arch=sm_80")
_PROGRAM = ("-w", "-gencode", "arch=compute_80,code=[sm_80,compute_80]")


@dataclass(frozen=True, slots=True)
class Problem:
    """One kernel. target: the answer of a held-out pair, in fields; "" where there is none."""

    name: str
    group: str
    module: Module
    kernel: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """A source whose output is known. exit status 0 is expected. group: as its kernels'."""

    name: str
    source: Path
    golden: Path
    group: str = ""


def read_problems(path: Path, limit: int = 0) -> tuple[list[Problem], list[str]]:
    """The problems at a path, and a line for each file that gave none. limit: at most so many, 0 for all."""
    found: list[Problem] = []
    trouble: list[str] = []
    for made in _sources(path):
        if isinstance(made, Problem):
            found.append(made)
        else:
            trouble.append(made)
        if limit and len(found) >= limit:
            break
    if not found:
        raise Malformed("no kernels there" + "".join(f"; {one}" for one in trouble[:3]), where=str(path))
    return found, trouble


def _sources(path: Path) -> Iterator[Problem | str]:
    if path.is_dir() and any(path.glob("*.jsonl.gz")):
        for file in sorted(path.glob("*.jsonl.gz")):
            yield from _pairs(file)
        return
    for file in sorted(path.rglob("*.cu")) if path.is_dir() else [path]:
        try:
            content = compile_source(file, _CUBIN, ".cubin") if file.suffix == ".cu" else file.read_bytes()
            cubin = read_cubin(content, str(file))
        except (CassError, OSError) as error:
            yield f"{file.name}: {' '.join(str(error).split())[:200]}"
            continue
        group = _group(path, file) if path.is_dir() else file.stem
        for name in cubin.kernels:
            yield Problem(f"{file.stem}:{name}", group, _module(cubin), name)


def _group(path: Path, file: Path) -> str:
    """The folder's name, with the domain where the file lies in one."""
    return "/".join((path.name, *file.relative_to(path).parts[:-1][:1]))


def _module(cubin: Cubin) -> Module:
    return Module(b"", cubin.sm, cubin, None)


def _pairs(file: Path) -> Iterator[Problem]:
    """The pairs of one unit; its cubin lies beside it. Raises Malformed."""
    beside = file.with_name(file.name.removesuffix(".jsonl.gz") + ".cubin")
    try:
        module = _module(read_cubin(beside.read_bytes(), str(beside)))
        for line in gzip.decompress(file.read_bytes()).decode().splitlines():
            pair = json.loads(line)
            group = f"{file.parent.name}/{pair['family']}"
            yield Problem(f"{file.parent.name}/{pair['name']}", group, module, str(pair["name"]), str(pair["target"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Malformed(f"not a unit of pairs with its cubin: {error}", where=str(file)) from error


def programs(path: Path) -> list[Program]:
    """Sources in a folder and its domains that have their expected output beside them."""
    found = sorted(path.rglob("*.cu")) if path.is_dir() else []
    goldens = [(one, one.with_suffix(".txt")) for one in found]
    return [Program(one.stem, one, golden, _group(path, one)) for one, golden in goldens if golden.is_file()]


def compile_source(file: Path, flags: tuple[str, ...], suffix: str) -> bytes:
    """What nvcc makes of a file. Raises ToolFailed."""
    if shutil.which("nvcc") is None:
        raise ToolFailed("nvcc", stderr="not found; fix: install a CUDA toolkit with a host gcc, or give a cubin")
    with tempfile.TemporaryDirectory(prefix="cass-eval-") as folder:
        out = Path(folder) / f"{file.stem}{suffix}"
        command = ["nvcc", *flags, "-o", str(out), str(file)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ToolFailed("nvcc", command=" ".join(command), stderr=str(error)) from error
        if done.returncode:
            raise ToolFailed("nvcc", command=" ".join(command), stderr=done.stderr)
        return out.read_bytes()


def build_program(program: Program, folder: Path) -> Path:
    """The program, built for sm_80 with PTX. Raises ToolFailed."""
    built = folder / program.name
    built.write_bytes(compile_source(program.source, _PROGRAM, ""))
    built.chmod(0o755)
    return built
