"""Our decoder against nvdisasm, over everything that several releases of ptxas make of a corpus, for every SM.

`python3 -m tools.decoding [--ptxas 12.4.131 …] [--sm 80 …] [--units N] [--page docs/decoding.md]` turns the kernels of
`tests/corpus`, `examples`, `samples` and N units of generated kernels into PTX (once, nvcc), compiles that with each
ptxas from PyPI (or RELEASE=PATH) for each SM, with `.version` and `.target` lowered where a release or an SM asks for
that, and compares the text of every instruction. What a ptxas refuses is named and counted, what no row of ours
describes is counted by opcode. The exit status is 1 when a text differs.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import datetime
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from cass_shim.decode.nvdisasm import disassemble
from cass_shim.decode.table import INSTRUCTION_BYTES
from cass_shim.extract.cubin import read_cubin
from cass_shim.isa.encoding.decoder import decode
from cass_shim.model.errors import CassError, Malformed, Unsupported
from tools import environment
from tools.kernelgen.program import unit

WORK = environment.ROOT / "build" / "decoding"
RELEASES = ("12.4.131", "12.9.86", "13.0.88", "newest")
SMS = (75, 80, 86, 87, 89, 90, 100, 120)
LOWEST, OLDEST_VERSION = 80, "8.4"  # what the PTX is made for; the PTX version that ptxas 12.4 knows
FOLDERS = ("tests/corpus", "examples", "samples")
UNIT = 100  # kernels in a generated unit
CHUNK = 20_000  # instructions a process of nvdisasm
FIRST_SM = {"12.4.131": (75, 90), "12.9.86": (75, 121)}  # the SMs of a release


@dataclass
class Tally:
    """One ptxas and SM. refused: source → why. words: word → how often. undescribed: opcode → how often."""

    kernels: int = 0
    refused: dict[str, str] = field(default_factory=dict)
    words: collections.Counter[int] = field(default_factory=collections.Counter)
    undescribed: collections.Counter[str] = field(default_factory=collections.Counter)
    different: list[str] = field(default_factory=list)

    @property
    def instructions(self) -> int:
        return sum(self.words.values())


def ptxas_of(release: str) -> Path:
    """A ptxas of a release: at "RELEASE=PATH", else installed from PyPI below the build folder on first use."""
    release, _, path = release.partition("=")
    if path:
        return Path(path)
    folder = WORK / "ptxas" / release
    if not any(folder.rglob("bin/ptxas")):
        package = "nvidia-cuda-nvcc-cu12" if release.startswith("12.") else "nvidia-cuda-nvcc"
        wanted = package if release == "newest" else f"{package}=={release}"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), wanted]
        subprocess.run(command, check=True)
    found = next(iter(sorted(folder.rglob("bin/ptxas"))), None)
    if found is None:
        raise SystemExit(f"no ptxas in {folder}; name one by path with --ptxas")
    found.chmod(0o755)
    return found


def sources(folders: list[str], units: int) -> list[Path]:
    """The corpus: every program of the folders, and generated ones."""
    found = [path for folder in folders for path in (environment.ROOT / folder).rglob("*.cu")]
    for number in range(units):
        path = WORK / "generated" / f"unit{number}.cu"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(unit(1, UNIT * number, UNIT))
        found.append(path)
    return sorted(found)


def ptx_of(source: Path) -> str | None:
    """The source as PTX for the lowest SM; kept until the source changes. None where nvcc cannot."""
    kept = WORK / "ptx" / f"{source.parent.name}.{source.stem}.ptx"
    if not kept.exists() or kept.stat().st_mtime < source.stat().st_mtime:
        kept.parent.mkdir(parents=True, exist_ok=True)
        command = ["nvcc", "-std=c++17", "-diag-suppress", "186", "--ptx", f"-arch=compute_{LOWEST}"]
        done = subprocess.run([*command, "-o", str(kept), str(source)], capture_output=True, check=False)
        if done.returncode:
            return None
    return kept.read_text()


def lowered(ptx: str, sm: int, version: str) -> str:
    """PTX for an older ptxas or SM; whether that is legal, ptxas says."""
    if version:
        ptx = re.sub(r"^\.version .*$", f".version {version}", ptx, count=1, flags=re.MULTILINE)
    return re.sub(r"^\.target sm_\d+", f".target sm_{sm}", ptx, count=1, flags=re.MULTILINE) if sm < LOWEST else ptx


def compile_all(ptxas: Path, old: bool, sm: int, ptx: dict[str, str], jobs: int) -> Tally:
    """Everything as cubins of one SM, their words counted."""
    tally = Tally()
    folder = WORK / "cubins"
    folder.mkdir(parents=True, exist_ok=True)

    def one(name: str) -> tuple[str, str, bytes]:
        text, output = folder / f"{name}.{sm}.{os.getpid()}.ptx", folder / f"{name}.{sm}.{os.getpid()}.cubin"
        text.write_text(lowered(ptx[name], sm, OLDEST_VERSION if old else ""))
        command = [str(ptxas), f"-arch=sm_{sm}", "-o", str(output), str(text)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        text.unlink()
        if done.returncode:
            return name, (done.stderr.strip().splitlines() or ["no reason"])[0][:160], b""
        content = output.read_bytes()
        output.unlink()
        return name, "", content

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for name, why, content in pool.map(one, ptx):
            if why:
                tally.refused[name] = re.sub(r"^.*?(error|fatal)\s*:?\s*", "", why)
                continue
            cubin = read_cubin(content, name)
            tally.kernels += len(cubin.kernels)
            for function in (*cubin.kernels.values(), *cubin.functions.values()):
                code = function.code
                tally.words.update(
                    int.from_bytes(code[at : at + INSTRUCTION_BYTES], "little")
                    for at in range(0, len(code), INSTRUCTION_BYTES)
                )
    return tally


def compare(tally: Tally, sm: int, known: dict[int, str]) -> None:
    """Every distinct word of a tally; `known` keeps verdicts between releases: "" for equal, else what is wrong."""
    fresh = [word for word in sorted(tally.words) if word not in known]
    for start in range(0, len(fresh), CHUNK):
        part = fresh[start : start + CHUNK]
        code = b"".join(word.to_bytes(INSTRUCTION_BYTES, "little") for word in part)
        for number, printed in enumerate(disassemble(code, sm)):
            known[part[number]] = verdict(part[number], INSTRUCTION_BYTES * number, sm, printed.text, printed.opcode)
    for word, count in tally.words.items():
        if known[word].startswith("?"):
            tally.undescribed[known[word][1:]] += count
        elif known[word]:
            tally.different.append(known[word])


def verdict(word: int, address: int, sm: int, text: str, opcode: str) -> str:
    """ "" where the texts agree, "?OPCODE" where no row of ours describes the word, else both texts."""
    try:
        ours = decode(word, address, sm).text
    except (Unsupported, Malformed):
        return "?" + opcode.split(".")[0]
    return "" if ours.rstrip() == text.rstrip() else f"{word:032x}: {ours!r}, nvdisasm {text.strip()!r}"


def page(rows: dict[tuple[str, int], Tally], corpus: str) -> str:
    """The results as Markdown. corpus: what was compiled, in words."""
    lines = [
        "# Decoding against nvdisasm",
        f"By `python3 -m tools.decoding` on {datetime.date.today()}: {corpus}, compiled by each ptxas for each SM. "
        "Every instruction's text is compared with nvdisasm's; equal words are compared once.",
        "",
        "| ptxas | SM | kernels | instructions | distinct words | text equal | different | not described |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (release, sm), tally in rows.items():
        missing = sum(tally.undescribed.values())
        share = 100 * (tally.instructions - missing - len(tally.different)) / max(tally.instructions, 1)
        lines.append(
            f"| {release} | {sm} | {tally.kernels} | {tally.instructions} | {len(tally.words)} | {share:.3f} % "
            f"| {len(tally.different)} | {missing} |"
        )
    lines += ["", "## Opcodes without a row, by count"]
    total: dict[int, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for (_release, sm), tally in rows.items():
        total[sm].update(tally.undescribed)
    for sm, names in sorted(total.items()):
        listed = ", ".join(f"{name} {count}" for name, count in names.most_common())
        lines.append(f"- sm_{sm}: {listed or 'none'}")
    differing = [text for tally in rows.values() for text in tally.different]
    lines += ["", "## Texts that differ", *([f"- `{text}`" for text in differing[:50]] or ["None."])]
    lines += ["", "## Sources that a ptxas refused"]
    reasons: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
    for (release, sm), tally in rows.items():
        for name, why in tally.refused.items():
            reasons[f"{release} sm_{sm}", why].append(name)
    lines += [f"- {where}: {', '.join(names)} ({why})" for (where, why), names in sorted(reasons.items())] or ["None."]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Compile, compare, print and write the page."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.decoding", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--ptxas", nargs="*", default=RELEASES, help="releases on PyPI, or RELEASE=PATH (default: four)"
    )
    parser.add_argument("--sm", nargs="*", type=int, default=SMS)
    parser.add_argument("--folders", nargs="*", default=FOLDERS, help="what to take sources from")
    parser.add_argument("--units", type=int, default=2, help=f"units of {UNIT} generated kernels (default 2)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--page", type=Path, help="write the results here as Markdown")
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = sources(options.folders, options.units)
        ptx = {f"{s.parent.name}.{s.stem}": t for s, t in zip(found, pool.map(ptx_of, found), strict=True) if t}
    corpus = f"{len(ptx)} sources of {', '.join(options.folders)}, {UNIT * options.units} generated kernels among them"
    rows: dict[tuple[str, int], Tally] = {}
    known: dict[int, dict[int, str]] = collections.defaultdict(dict)
    for release in options.ptxas:
        ptxas = ptxas_of(release)
        for sm in options.sm:
            first, last = FIRST_SM.get(release, (75, 121))
            if not first <= sm <= last:
                continue
            tally = compile_all(ptxas, release.startswith("12."), sm, ptx, options.jobs)
            try:
                compare(tally, sm, known[sm])
            except CassError as error:
                print(f"{release} sm_{sm}: {error}", flush=True)
                continue
            rows[release.partition("=")[0], sm] = tally
            missing = sum(tally.undescribed.values())
            print(
                f"{release} sm_{sm}: {tally.kernels} kernels, {tally.instructions} instructions, "
                f"{len(tally.different)} different, {missing} not described, {len(tally.refused)} sources refused",
                flush=True,
            )
            if options.page:
                options.page.write_text(page(rows, corpus))
    return 1 if any(tally.different for tally in rows.values()) or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
