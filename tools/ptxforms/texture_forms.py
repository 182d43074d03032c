"""`python3 -m tools.ptxforms.texture_forms [--source FOLDER] [--sm SM]`: PTX's texture forms against an H200's.

Forms that CUDA C++ has no words for: texel offsets, comparands, gradients of cubes, 64-bit surface reductions. Builds
`texture_forms.cu` as PTX with nvcc, runs it under cass-run and compares its lines with
`tests/vectors/ptx/texture_forms.txt.xz`. `--source` only writes the program, to be run on a GPU; `--sm` builds it as
machine code, which the lifter translates.
"""

from __future__ import annotations

import argparse
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tools.ptxforms.known import FOLDER

RECORDED = FOLDER / "texture_forms.txt.xz"
CLOSE = 2.0**-7  # what linear filtering of levels may differ by
# Before sm_90 ptxas drops the comparand of these; recorded is what the driver's function gives, which is 0.
NOT_BEFORE_SM90 = ("grad_depth.1d", "grad_offset_depth.1d")
# Operands: %4 handle; %5-%7 place, %8 level, %9-%14 gradients, %15 comparand; %16 layer, %17-%19 texel, %20-%22 offset.
_PLACES = {"1d": "{%5}", "2d": "{%5,%6}", "3d": "{%5,%6,%7,%7}", "a1d": "{%16,%5}", "a2d": "{%16,%5,%6,%6}",
           "cube": "{%5,%6,%7,%7}", "acube": "{%16,%5,%6,%7}"}  # fmt: skip
_TEXELS = {"1d": "{%17}", "2d": "{%17,%18}", "3d": "{%17,%18,%19,%19}", "a1d": "{%16,%17}", "a2d": "{%16,%17,%18,%18}"}
_OFFSETS = {"1d": "{%20}", "2d": "{%20,%21}", "3d": "{%20,%21,%22,%22}", "a1d": "{%20}", "a2d": "{%20,%21}"}
_GRADIENTS = {1: "{%9}, {%10}", 2: "{%9,%10}, {%11,%12}", 3: "{%9,%10,%11,%11}, {%12,%13,%14,%14}"}
_COUNTS = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2, "cube": 3, "acube": 3}
_REDUCED = {"1d": "{%1}", "2d": "{%1,%2}", "3d": "{%1,%2,%3,%3}"}


_TABLE = "static const struct {{ const char *name; int kind; void (*run)({}); }} {}[] = {{"


def forms() -> Iterator[tuple[str, str, str]]:
    """Name, geometry and PTX of each texture form."""
    for g, place in _PLACES.items():
        tails = {
            "": "",
            "_offset": f", {_OFFSETS.get(g)}",
            "_depth": ", %15",
            "_offset_depth": f", {_OFFSETS.get(g)}, %15",
        }
        for suffix, tail in tails.items():
            if ("offset" in suffix and g not in _OFFSETS) or ("depth" in suffix and g == "3d"):
                continue
            head, at = f"{g}.v4.f32.f32 {{%0,%1,%2,%3}}", f"[%4, {place}]"
            yield f"tex{suffix}", g, f"tex.{head}, {at}{tail};"
            yield f"level{suffix}", g, f"tex.level.{head}, {at}, %8{tail};"
            yield f"grad{suffix}", g, f"tex.grad.{head}, {at}, {_GRADIENTS[_COUNTS[g]]}{tail};"
            if g in _TEXELS and "depth" not in suffix:
                yield f"fetch{suffix}", g, f"tex.{g}.v4.f32.s32 {{%0,%1,%2,%3}}, [%4, {_TEXELS[g]}]{tail};"
            if g in ("2d", "a2d", "cube", "acube"):
                for channel in "r" if "depth" in suffix else "rg":
                    yield f"tld4_{channel}{suffix}", g, f"tld4.{channel}.{head}, {at}{tail};"


def reductions() -> Iterator[tuple[str, str]]:
    """Modifiers and geometry of each surface reduction."""
    for kind in ("add u64", "min u64", "max u64", "min s64", "max s64"):
        operation, t = kind.split()
        for g, mode in (("1d", "zero"), ("2d", "clamp"), ("3d", "zero"), ("2d", "zero")):
            yield f"b.{operation}.{g}.{t}.{mode}", g
    for operation in ("min", "max"):
        yield f"p.{operation}.2d.b64.clamp", "2d"


def include() -> str:
    """The kernels, and the tables of them."""
    kinds = {g: number for number, g in enumerate(_PLACES)}
    listed, reduced = list(forms()), list(reductions())
    lines = [f'FORM({n}, "{text}")' for n, (_, _, text) in enumerate(listed)]
    lines.append(_TABLE.format("unsigned long long, const float *, const int *, float4 *", "forms"))
    lines += [f'{{"{name}.{g}", {kinds[g]}, form_{n}}},' for n, (name, g, _) in enumerate(listed)]
    lines += [
        "};",
        *(f'SURFACE({n}, "sured.{name} [%0, {_REDUCED[g]}], %4;")' for n, (name, g) in enumerate(reduced)),
    ]
    lines.append(_TABLE.format("unsigned long long, const int *, const long long *", "reductions"))
    lines += [f'{{"sured.{name}", {kinds[g]}, surface_{n}}},' for n, (name, g) in enumerate(reduced)]
    return "\n".join([*lines, "};", ""])


def write(folder: Path) -> Path:
    """The program's sources; the path of the main one."""
    (folder / "texture_forms.inc").write_text(include())
    return Path(shutil.copy(Path(__file__).with_name("texture_forms.cu"), folder))


def _lines(text: str) -> dict[str, list[str]]:
    """What stands before the words of a line → the words."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        head = 5 if "channels" in words else 1
        found[" ".join(words[:head])] = words[head:]
    return found


def _values(words: list[str]) -> NDArray[np.float32]:
    return np.array([int(word, 16) for word in words], np.uint32).view(np.float32)


def judged(got: list[str] | None, want: list[str], surface: bool) -> str:
    """equal, close, different or refused."""
    if got == want:
        return "equal"
    if got is None or (not surface and set(got) == {"5a5a5a5a"}):
        return "refused"
    if surface or len(got) != len(want):
        return "different"
    with np.errstate(all="ignore"):
        near = np.abs(_values(got) - _values(want)) <= CLOSE
    return "close" if near.all() else "different"


def run(sm: int = 0) -> str:
    """Build the program, run it under cass-run; what it prints. sm: as machine code for it, else as PTX."""
    with tempfile.TemporaryDirectory() as name:
        program = Path(name) / "texture_forms"
        source = write(Path(name))
        code = f"arch=compute_{sm},code=sm_{sm}" if sm else "arch=compute_90,code=compute_90"
        build = ["nvcc", "-O1", "-gencode", code, "-cudart", "static"]
        subprocess.run([*build, "-o", str(program), str(source)], check=True)
        settings = {**os.environ, "CASS_TRANSLATORS": "lift" if sm else "ptx-hip"}
        return subprocess.run(
            ["cass-run", str(program)], env=settings, capture_output=True, text=True, timeout=900
        ).stdout


def compared(output: str, sm: int = 0) -> dict[str, Counter[str]]:
    """Form → how its lines compare with the recorded ones. sm: as in `run`."""
    got = _lines(output)
    counted: dict[str, Counter[str]] = {}
    for head, want in _lines(lzma.decompress(RECORDED.read_bytes()).decode()).items():
        name = head.split()[0]
        if 0 < sm < 90 and name in NOT_BEFORE_SM90:
            continue
        counted.setdefault(name, Counter())[judged(got.get(head), want, name.startswith("sured"))] += 1
    return counted


def main(arguments: list[str]) -> int:
    """Report by form; 1 when a line is different or missing."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.ptxforms.texture_forms")
    parser.add_argument("--source", type=Path)
    parser.add_argument("--sm", type=int, default=0)
    options = parser.parse_args(arguments)
    if options.source:
        options.source.mkdir(parents=True, exist_ok=True)
        print(write(options.source))
        return 0
    counted = compared(run(options.sm), options.sm)
    for name, kinds in counted.items():
        print(f"{name}: {', '.join(f'{count} {kind}' for kind, count in kinds.items())}")
    total = sum(counted.values(), Counter[str]())
    print(f"all: {', '.join(f'{count} {kind}' for kind, count in total.items())}")
    return 1 if total["different"] or total["refused"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
