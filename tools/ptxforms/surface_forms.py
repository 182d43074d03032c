"""`python3 -m tools.ptxforms.surface_forms [--programs FOLDER] [--keep FILE]`: surfaces, integer textures and queries.

Every form of suld, sust and sured, of tex and tld4 with integer and 16-bit results, of txq and suq. Builds
`surface_forms.cu` as PTX with nvcc, a program for each of PARTS, runs them under cass-run and compares their lines with
`tests/vectors/ptx/surface_forms.txt.xz`, what an H200 gave. To record: `--programs` only builds them into FOLDER; run
there each on a GPU, their output into one FILE, which `--keep` makes the recording.

Why several: as one module no kernel of it was launched on an H200 (driver 580, cudaErrorNotSupported). Of its 1,251
kernels 19, the queries in `_DESCRIBED`, have relocations (type 55) against `.nv.surfrefDescSize` and
`.nv.unified.texrefDescSize`, the size of a reference's descriptor, which an object does not have; nothing else tells
the module from that of `texture_forms`, which ran. What refuses one kernel refuses its module.
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
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from tools.ptxforms.known import FOLDER

RECORDED = FOLDER / "surface_forms.txt.xz"
GEOMETRIES = ("1d", "2d", "3d", "a1d", "a2d", "cube", "acube")
# Operands: 0 handle; 1-3 x y z of a texel (x in bytes where the form says), 4 layer, 5-8 a value; 9 level;
# floats: 10-12 place, 13 level, 14-19 gradients; results: d0 to d3.
_TEXELS = {"1d": "{%5}", "2d": "{%5,%6}", "3d": "{%5,%6,%7,%7}", "a1d": "{%8,%5}", "a2d": "{%8,%5,%6,%6}"}
_PLACES = {"1d": "{%14}", "2d": "{%14,%15}", "3d": "{%14,%15,%16,%16}", "a1d": "{%8,%14}",
           "a2d": "{%8,%14,%15,%15}", "cube": "{%14,%15,%16,%16}", "acube": "{%8,%14,%15,%16}"}  # fmt: skip
_GRADIENTS = {1: "{%18}, {%19}", 2: "{%18,%19}, {%20,%21}", 3: "{%18,%19,%20,%20}, {%21,%22,%23,%23}"}
_COUNTS = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2, "cube": 3, "acube": 3}
PARTS = ("suld", "sust", "sured", "tex", "tld4", "query", "described")
_DESCRIBED = ("suq.array_size", "txq.array_size", "txq.num_mipmap_levels")
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


def cases() -> list[Case]:
    """All of them."""
    return [*surfaces(), *reductions(), *textures(), *queries()]


def part_of(case: Case) -> str:
    """Which program has it."""
    if case.name.startswith(_DESCRIBED):
        return "described"
    opcode = case.name.split(".")[0]
    return "query" if opcode in ("txq", "suq") else opcode


def include(part: str) -> str:
    """The kernels of a part and their table."""
    kinds = {"surface": 0, "reduced": 1, "texture": 2}
    texels = {"f32": 0, "s32": 1, "u32": 2, "f16x2": 3}
    listed = [one for one in cases() if part_of(one) == part]
    lines = [f'FORM({number}, "{{ {one.body} }}")' for number, one in enumerate(listed)]
    lines.append("static const Case cases[] = {")
    for number, one in enumerate(listed):
        geometry = GEOMETRIES.index(one.geometry)
        texel = texels.get(one.texel, one.texel)
        safe = str(one.safe).lower()
        lines.append(f'{{"{one.name}", {kinds[one.what]}, {geometry}, {texel}, {one.unit}, {safe}, form_{number}}},')
    return "\n".join([*lines, "};", ""])


def write(part: str, folder: Path) -> Path:
    """The source of a part's program."""
    (folder / "surface_forms.inc").write_text(include(part))
    return Path(shutil.copy(Path(__file__).with_name("surface_forms.cu"), folder))


def build(part: str, folder: Path) -> Path:
    """The program of a part."""
    with tempfile.TemporaryDirectory() as name:
        command = ["nvcc", "-O1", "-gencode", "arch=compute_90,code=compute_90", "-cudart", "static"]
        subprocess.run([*command, "-o", str(folder / part), str(write(part, Path(name)))], check=True)
    return folder / part


def _lines(text: str) -> dict[str, list[str]]:
    """Name, geometry and sampler of a line → its words."""
    return {" ".join(words[:3]): words[3:] for words in map(str.split, text.splitlines()) if len(words) > 2}


def run() -> str:
    """Build the programs, run them under cass-run; what they print."""
    settings = {**os.environ, "CASS_TRANSLATORS": "ptx-hip"}
    printed = []
    with tempfile.TemporaryDirectory() as name:
        for part in PARTS:
            command = ["cass-run", str(build(part, Path(name)))]
            done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=1800)
            printed.append(done.stdout)
    return "".join(printed)


def keep(text: str) -> str:
    """Make what the programs printed on a GPU the recording; says what they could not do. ValueError: nothing ran."""
    lines = text.splitlines()
    failed = Counter(line for line in lines if line.startswith("error"))
    good = [line for line in lines if not line.startswith("error")]
    if not good:
        raise ValueError(f"no line of a form, {sum(failed.values())} errors: {failed.most_common(3)}")
    RECORDED.write_bytes(lzma.compress("\n".join([*good, ""]).encode()))
    return "\n".join([f"{len(good)} lines", *(f"{count} times {line}" for line, count in failed.most_common())])


def compared(output: str) -> tuple[Counter[str], dict[str, str]]:
    """How many lines are equal, different and missing; of those that are not equal, the first that differs."""
    got, counted, wrong = _lines(output), Counter[str](), {}
    for head, want in _lines(lzma.decompress(RECORDED.read_bytes()).decode()).items():
        have = got.get(head)
        kind = "missing" if have is None else "equal" if have == want else "different"
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
    parser.add_argument("--programs", type=Path)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args(arguments)
    if options.programs:
        options.programs.mkdir(parents=True, exist_ok=True)
        print("\n".join(str(build(part, options.programs)) for part in PARTS))
        return 0
    if options.keep:
        print(keep(options.keep.read_text()))
        return 0
    if not RECORDED.exists():
        print(f"nothing is recorded: {RECORDED.name} (--programs, then --keep)")
        return 1
    counted, wrong = compared(run())
    for head, why in wrong.items():
        print(f"{head}: {why}")
    print(", ".join(f"{count} {kind}" for kind, count in counted.items()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
