"""`python3 -m tools.ptxforms.surface_forms [--build FOLDER] [--run PROGRAM] [--keep FILE]`: surfaces and textures.

Every form of suld, sust and sured, of tex and tld4 with integer and 16-bit results, of txq and suq. Builds
`surface_forms.cu` and its kernels as PTX with nvcc, runs them under cass-run and compares their lines with
`tests/vectors/ptx/surface_forms.txt.xz`, what an H200 gave. To record: `--build` only builds the program; where a GPU
is, `--run` prints what it gives, which `--keep` makes the recording.

Why its kernels are in many modules: as one module none was launched on an H200 (driver 580, cudaErrorNotSupported). Of
the 1,251 kernels 19, the queries in `_DESCRIBED`, have relocations (type 55) against `.nv.surfrefDescSize` and
`.nv.unified.texrefDescSize`, the size of a reference's descriptor, which an object does not have; nothing else tells
the module from that of `texture_forms`, which ran. What refuses one kernel refuses its module.
"""

from __future__ import annotations

import argparse
import functools
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from tools.ptxforms.known import FOLDER
from tools.ptxforms.surface_stores import may_stand, store_of

RECORDED = FOLDER / "surface_forms.txt.xz"
GEOMETRIES = ("1d", "2d", "3d", "a1d", "a2d", "cube", "acube")
# Operands: 0 handle; 1-3 x y z of a texel (x in bytes where the form says), 4 layer, 5-8 a value; 9 level;
# floats: 10-12 place, 13 level, 14-19 gradients; results: d0 to d3.
_TEXELS = {"1d": "{%5}", "2d": "{%5,%6}", "3d": "{%5,%6,%7,%7}", "a1d": "{%8,%5}", "a2d": "{%8,%5,%6,%6}"}
_PLACES = {"1d": "{%14}", "2d": "{%14,%15}", "3d": "{%14,%15,%16,%16}", "a1d": "{%8,%14}",
           "a2d": "{%8,%14,%15,%15}", "cube": "{%14,%15,%16,%16}", "acube": "{%8,%14,%15,%16}"}  # fmt: skip
_GRADIENTS = {1: "{%18}, {%19}", 2: "{%18,%19}, {%20,%21}", 3: "{%18,%19,%20,%20}, {%21,%22,%23,%23}"}
_COUNTS = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2, "cube": 3, "acube": 3}
_DESCRIBED = ("suq.array_size", "txq.array_size", "txq.num_mipmap_levels")
TOGETHER = 80  # kernels of one module, at most
SIDE = 16  # of every array, as surface_forms.cu makes them
_OUTSIDE = ("trap", "clamp", "zero")
_CACHED = {"suld": ("", ".ca", ".cg", ".cs", ".cv"), "sust": ("", ".wb", ".cg", ".cs", ".wt")}
_SIZES = {"b8": 1, "b16": 2, "b32": 4, "b64": 8}


@dataclass(frozen=True)
class Case:
    """One kernel. what: "surface", "reduced" or "texture"; texel: bytes of one (surface), or the type (texture).

    unit: bytes by which x counts; safe: no place outside.
    """

    name: str
    what: str
    geometry: str
    texel: str
    unit: int
    safe: bool
    body: str


def _wide(letter: str, count: int, t: str) -> tuple[str, str, str]:
    """Declarations of registers of a type, their list, and the PTX that makes them from the value's words."""
    names = [f"%%{letter}{k}" for k in range(count)]
    kind = "b16" if t == "b8" else t
    declared = f".reg .{kind} {', '.join(names)};"
    if t == "b64":
        made = "".join(f" mov.b64 {name}, {{%{9 + 2 * k}, %{10 + 2 * k}}};" for k, name in enumerate(names))
    elif t == "b32":
        made = "".join(f" mov.b32 {name}, %{9 + k};" for k, name in enumerate(names))
    else:
        made = "".join(f" cvt.u16.u32 {name}, %{9 + k};" for k, name in enumerate(names))
    return declared, "{" + ", ".join(names) + "}" if count > 1 else names[0], made


def _back(letter: str, count: int, t: str) -> str:
    """PTX that shows registers of a type in the result's words."""
    if t == "b64":
        return "".join(f" mov.b64 {{%{2 * k}, %{2 * k + 1}}}, %%{letter}{k};" for k in range(count))
    if t == "b32":
        return "".join(f" mov.b32 %{k}, %%{letter}{k};" for k in range(count))
    mask = "255" if t == "b8" else "65535"
    return "".join(f" cvt.u32.u16 %{k}, %%{letter}{k}; and.b32 %{k}, %{k}, {mask};" for k in range(count))


def surfaces() -> Iterator[Case]:
    """suld and sust of every geometry, vector, type, cache operator and rule for what is outside."""
    for g, vec, t in product(_TEXELS, ("", "v2", "v4"), _SIZES):
        count = int(vec[1:] or 1)
        size = count * _SIZES[t]
        if size > 16:
            continue
        for at, outside in enumerate(_OUTSIDE):
            for opcode in ("suld", "sust"):
                operators = _CACHED[opcode] if (vec, t) == ("", "b32") else (_CACHED[opcode][at + 1],)
                for cached in dict.fromkeys(("", *operators)):
                    form = f"{opcode}.b.{g}{cached}{'.' + vec if vec else ''}.{t}.{outside}"
                    declared, listed, made = _wide("v", count, t)
                    if opcode == "suld":
                        body = f"{declared} {form} {listed}, [%4, {_TEXELS[g]}];{_back('v', count, t)}"
                    else:
                        body = f"{declared}{made} {form} [%4, {_TEXELS[g]}], {listed};"
                    yield Case(form, "surface", g, str(size), size, outside == "trap", body)
    for g, vec, outside in product(_TEXELS, ("", "v2", "v4"), _OUTSIDE):
        count = int(vec[1:] or 1)
        form = f"sust.p.{g}{'.' + vec if vec else ''}.b32.{outside}"
        declared, listed, made = _wide("v", count, "b32")
        body = f"{declared}{made} {form} [%4, {_TEXELS[g]}], {listed};"
        yield Case(form, "surface", g, str(4 * count), 1, outside == "trap", body)


def reductions() -> Iterator[Case]:
    """sured of every geometry, operation, type and rule."""
    kinds = [("b", op, t) for op in ("add", "min", "max") for t in ("u32", "s32", "u64")]
    kinds += [("b", op, "b32") for op in ("and", "or")] + [("b", op, "s64") for op in ("min", "max")]
    kinds += [("p", op, "b32") for op in ("add", "min", "max", "and", "or")]
    kinds += [("p", op, "b64") for op in ("min", "max")]
    for (way, op, t), g, outside in product(kinds, ("1d", "2d", "3d"), _OUTSIDE):
        form = f"sured.{way}.{op}.{g}.{t}.{outside}"
        bits = t[1:]
        declared, listed, made = _wide("v", 1, f"b{bits}")
        body = f"{declared}{made} {form} [%4, {_TEXELS[g]}], {listed};"
        size = int(bits) // 8
        yield Case(form, "reduced", g, str(size), size if way == "b" else 1, outside == "trap", body)


def _result(t: str) -> tuple[str, str, str, str]:
    """Vector, declarations, list and what shows it, of a texture's result."""
    if t == "f16x2":
        return "v2", ".reg .b32 %%v0, %%v1;", "{%%v0, %%v1}", " mov.b32 %0, %%v0; mov.b32 %1, %%v1;"
    kind = "f32" if t == "f32" else "b32"
    names = "%%v0, %%v1, %%v2, %%v3"
    shown = "".join(f" mov.b32 %{k}, %%v{k};" for k in range(4))
    return "v4", f".reg .{kind} {names};", f"{{{names}}}", shown


def textures() -> Iterator[Case]:
    """tex, tex.base, .level and .grad, tld4, with results of every type."""
    for g, t in product(GEOMETRIES, ("f32", "s32", "u32", "f16x2")):
        vector, declared, listed, shown = _result(t)
        ways = {"": "", ".base": "", ".level": ", %17", ".grad": f", {_GRADIENTS[_COUNTS[g]]}"}
        for way, tail in ways.items():
            form = f"tex{way}.{g}.{vector}.{t}.f32"
            yield Case(form, "texture", g, t, 0, False, f"{declared} {form} {listed}, [%4, {_PLACES[g]}]{tail};{shown}")
        for base in ("", ".base") if g in _TEXELS else ():
            form = f"tex{base}.{g}.{vector}.{t}.s32"
            yield Case(form, "texture", g, t, 1, False, f"{declared} {form} {listed}, [%4, {_TEXELS[g]}];{shown}")
        if g in ("2d", "a2d", "cube", "acube") and t != "f16x2":
            for channel in "rgba":
                form = f"tld4.{channel}.{g}.v4.{t}.f32"
                yield Case(form, "texture", g, t, 0, False, f"{declared} {form} {listed}, [%4, {_PLACES[g]}];{shown}")


def queries() -> Iterator[Case]:
    """txq and suq."""
    for g in GEOMETRIES:
        for what in ("width", "height", "depth", "array_size", "num_mipmap_levels"):
            yield Case(f"txq.{what}.b32", "texture", g, "f32", 1, False, f"txq.{what}.b32 %0, [%4];")
        for what in ("width", "height", "depth"):
            yield Case(f"txq.level.{what}.b32", "texture", g, "f32", 1, False,
                       f"txq.level.{what}.b32 %0, [%4], %13;")  # fmt: skip
    for g in _TEXELS:
        for what in ("width", "height", "depth", "array_size"):
            yield Case(f"suq.{what}.b32", "surface", g, "4", 4, True, f"suq.{what}.b32 %0, [%4];")


def _kind(case: Case) -> str:
    """The opcode, or which query needs a descriptor's size."""
    return next((name for name in _DESCRIBED if case.name.startswith(name)), case.name.split(".")[0])


@functools.cache
def cases() -> list[Case]:
    """All of them, by opcode."""
    listed = [*surfaces(), *reductions(), *textures(), *queries()]
    return sorted(listed, key=_kind)


def modules() -> list[range]:
    """Numbers of the cases that are one module: of one opcode, apart those that need a descriptor's size."""
    made: list[range] = []
    kinds = [_kind(case) for case in cases()]
    for number, kind in enumerate(kinds):
        if number and kind == kinds[number - 1] and len(made[-1]) < TOGETHER:
            made[-1] = range(made[-1].start, number + 1)
        else:
            made.append(range(number, number + 1))
    return made


def kernels(numbers: Iterable[int]) -> str:
    """The source of a module."""
    listed = cases()
    forms = (f'FORM({number}, "{{ {listed[number].body} }}")' for number in numbers)
    return "\n".join(['#include "surface_forms.h"', *forms, ""])


def table(parts: Iterable[range]) -> str:
    """Every case, as the program reads it; those of no part have no kernel."""
    kinds = {"surface": 0, "reduced": 1, "texture": 2}
    texels = {"f32": 0, "s32": 1, "u32": 2, "f16x2": 3}
    listed = cases()
    held = {number for part in parts for number in part}
    lines = [f"DECLARED({number})" for number in sorted(held)]
    lines.append("static const Case cases[] = {")
    for number, one in enumerate(listed):
        geometry = GEOMETRIES.index(one.geometry)
        texel = texels.get(one.texel, one.texel)
        safe, run = str(one.safe).lower(), f"form_{number}" if number in held else "nullptr"
        lines.append(f'{{"{one.name}", {kinds[one.what]}, {geometry}, {texel}, {one.unit}, {safe}, {run}}},')
    return "\n".join([*lines, "};", ""])


def build(folder: Path, code: str = "compute_90", parts: Sequence[range] = ()) -> Path:
    """The program, each module (parts: those, default all) compiled apart; code: PTX, or machine code ("sm_90")."""
    parts = parts or modules()
    with tempfile.TemporaryDirectory() as name:
        sources = Path(name)
        for kind in ("h", "cu"):
            shutil.copy(Path(__file__).with_name(f"surface_forms.{kind}"), sources)
        (sources / "surface_forms.inc").write_text(table(parts))
        for number, part in enumerate(parts):
            (sources / f"module_{number}.cu").write_text(kernels(part))
        command = ["nvcc", "-O1", "-gencode", f"arch=compute_90,code={code}", "-cudart", "static"]
        files = [str(path) for path in sorted(sources.glob("*.cu"))]
        subprocess.run([*command, "-o", str(folder / "surface_forms"), *files], check=True)
    return folder / "surface_forms"


def _lines(text: str) -> dict[str, list[str]]:
    """Name, geometry and sampler of a line → its words."""
    return {" ".join(words[:3]): words[3:] for words in map(str.split, text.splitlines()) if len(words) > 2}


def printed(command: Sequence[str], part: range, seconds: int) -> str:
    """What the program prints for the cases of a part. An error stays in a process: behind it another one goes on."""
    text, at = "", part.start
    while at < part.stop:
        try:
            done = subprocess.run([*command, str(at), str(part.stop)], capture_output=True, text=True, timeout=seconds)
            output, code = done.stdout, done.returncode
        except subprocess.TimeoutExpired as late:
            output, code = bytes(late.stdout or b"").decode(), -1
        text += output
        reached = [int(words[1]) for words in map(str.split, output.splitlines()) if words[:1] == ["at"]]
        if code == 0:
            break
        if not reached:
            return text + f"error {part.start}..{part.stop}: exit {code}\n"
        text += f"error {cases()[reached[-1]].name}: exit {code}\n"
        at = reached[-1] + 1
    return "".join(f"{line}\n" for line in text.splitlines() if not line.startswith("at "))


def run(command: Sequence[str], seconds: int = 600, parts: Sequence[range] = ()) -> str:
    """Run the program module by module (parts: those, default all); what it prints."""
    return "".join(printed(command, part, seconds) for part in parts or modules())


def keep(text: str) -> str:
    """Make what the programs printed on a GPU the recording; says what they could not do. ValueError: nothing ran."""
    lines = text.splitlines()
    failed = Counter(line for line in lines if line.startswith("error"))
    good = [line for line in lines if not line.startswith("error")]
    if not good:
        raise ValueError(f"no line of a form, {sum(failed.values())} errors: {failed.most_common(3)}")
    RECORDED.write_bytes(lzma.compress("\n".join([*good, ""]).encode()))
    return "\n".join([f"{len(good)} lines", *(f"{count} times {line}" for line, count in failed.most_common())])


def _may_stand(head: str, words: list[str]) -> bool:
    """Whether a store's line is what some order of the lanes leaves."""
    name = head.split()[0]
    if not name.startswith("sust"):
        return False
    number = next(number for number, case in enumerate(cases()) if case.name == name)
    case = cases()[number]
    parts = (word.split(":") for word in words)
    changed = {int(offset): int(byte, 16) for offset, byte in parts}
    return may_stand(store_of(name, case.geometry, int(case.texel)), number, case.safe, changed)


def compared(output: str) -> tuple[Counter[str], dict[str, str]]:
    """How many lines are equal, different and missing; of those that are not equal, the first that differs."""
    got, counted, wrong = _lines(output), Counter[str](), {}
    for head, want in _lines(lzma.decompress(RECORDED.read_bytes()).decode()).items():
        have = got.get(head)
        kind = "missing" if have is None else "equal" if have == want else "different"
        if kind == "different" and have is not None and all(_may_stand(head, words) for words in (have, want)):
            kind = "equal but for the order of lanes"
        counted[kind] += 1
        if have is not None and kind == "different":
            at = next(
                (k for k, (a, b) in enumerate(zip(have, want, strict=False)) if a != b), min(len(have), len(want))
            )
            wrong[head] = f"word {at}: {' '.join(have[at : at + 1])}, GPU {' '.join(want[at : at + 1])}"
        elif kind == "missing":
            wrong[head] = "missing"
    return counted, wrong


def main(arguments: list[str]) -> int:
    """Report; 1 when a line is different or missing."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.ptxforms.surface_forms")
    parser.add_argument("--build", type=Path, metavar="FOLDER")
    parser.add_argument("--run", type=Path, metavar="PROGRAM")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args(arguments)
    if options.build:
        options.build.mkdir(parents=True, exist_ok=True)
        print(build(options.build))
        return 0
    if options.run:
        print(run([str(options.run)], 30), end="")
        return 0
    if options.keep:
        print(keep(options.keep.read_text()))
        return 0
    if not RECORDED.exists():
        print(f"nothing is recorded: {RECORDED.name} (--build, --run, --keep)")
        return 1
    with tempfile.TemporaryDirectory() as name:
        os.environ["CASS_TRANSLATORS"] = "ptx-hip"
        counted, wrong = compared(run(["cass-run", str(build(Path(name)))]))
    for head, why in wrong.items():
        print(f"{head}: {why}")
    print(", ".join(f"{count} {kind}" for kind, count in counted.items()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
