"""Every PTX that NVIDIA's compilers make of our sources, through ptx-hip: `python3 -m tools.ptxcorpus --page FILE.md`.

Compilers: nvcc on PATH and each `--nvcc FILE` for `examples/`, `samples/` and `tests/corpus/`; each `--nvrtc FOLDER`
(an unpacked `nvidia-cuda-nvrtc` wheel: the same front end and optimiser as that release's nvcc) for `tests/corpus/`,
whose sources are kernels alone. Each kernel is translated and, with `--compile`, compiled. 1 when a kernel is refused.
With `--verify SECONDS` it also runs: ptxas makes SASS of the same PTX, and what the translation does on the emulated
device must be what the interpreter of that SASS does, on inputs made for SECONDS a kernel; 1 when one is rejected.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cass_shim.assemble.hip import compile_to_assembly
from cass_shim.model.artifacts import PtxModule
from cass_shim.model.errors import CassError, Rejected
from cass_shim.translate.ptx_hip.translate import kernels, module_tokens, translate_kernel
from tools import environment

SOURCES = ("examples/*.cu", "samples/*/*.cu", "tests/corpus/*.cu")
OPTIONS = {"": [], "-G": ["-G"], "-O0": ["-Xcicc", "-O0"], "--use_fast_math": ["--use_fast_math"]}


@dataclass
class Outcome:
    """What became of one compiler's PTX. refused: "source kernel: why"; failed: sources it does not compile.

    judged: how many kernels got which evidence; apart: "source kernel: why" of those that got none.
    """

    compiler: str
    target: str
    modules: int = 0
    kernels: int = 0
    lines: int = 0
    version: str = ""
    refused: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    judged: Counter[str] = field(default_factory=Counter)
    apart: list[str] = field(default_factory=list)

    def verify(self, source: Path, text: str, arch: int, seconds: float) -> None:
        """Compare the translation of each kernel with ptxas's code of it."""
        for name, what, why in judged(text, arch, seconds):
            self.judged[what] += 1
            if why:
                self.apart.append(f"{source.stem} {name}: {what}: {why.splitlines()[0][:200]}")
                print(f"{self.compiler} {self.apart[-1]}", flush=True)

    def take(self, source: Path, text: str, arch: int, compiles: bool) -> None:
        """Translate all kernels of a module."""
        module = PtxModule(text, arch)
        self.modules += 1
        self.lines += text.count("\n")
        found = re.search(r"^\.version (\S+)", text, re.MULTILINE)
        self.version = found[1] if found else ""
        try:
            names, tokens = kernels(module), module_tokens(module)
        except CassError as error:
            self.refused.append(f"{source.stem}: {error}")
            return
        for name in names:
            self.kernels += 1
            try:
                source_text = translate_kernel(module, name, tokens=tokens)
                if compiles:
                    compile_to_assembly(source_text)
            except CassError as error:
                self.refused.append(f"{source.stem} {name}: {str(error).splitlines()[0][:200]}")


def judged(text: str, arch: int, seconds: float) -> Iterator[tuple[str, str, str]]:
    """(kernel, evidence or what became of it, why) of each kernel of a module."""
    from cass_shim.decode import decode_kernel
    from cass_shim.extract.cubin import read_cubin
    from cass_shim.extract.tokens import function_tokens
    from cass_shim.pipeline import assemble
    from cass_shim.verify import verify_kernel
    from cass_shim.verify.kernel import open_device

    with tempfile.TemporaryDirectory() as name:
        source, cubin = Path(name) / "kernels.ptx", Path(name) / "kernels.cubin"
        source.write_text(text)
        command = ["ptxas", f"-arch=sm_{arch}", "-o", str(cubin), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode:
            yield "", "not assembled", (done.stderr or done.stdout).strip() or "ptxas fails without a word"
            return
        module = read_cubin(cubin.read_bytes(), "corpus")
    ptx, device = PtxModule(text, arch), open_device("emulated")
    for kernel in module.kernels.values():
        try:
            tokens = function_tokens(kernel, module)  # what stands for a function's address in the module's data
            code = assemble(translate_kernel(ptx, kernel.name, kernel.abi, tokens), kernel.abi)
            verified = verify_kernel(code, decode_kernel(kernel, module), module, device, budget_s=seconds)
        except Rejected as error:
            yield kernel.name, "rejected", str(error)
        except CassError as error:
            yield kernel.name, "left out", str(error)
        else:
            yield kernel.name, verified.evidence.name, ""


def sources(patterns: tuple[str, ...]) -> list[Path]:
    """Our CUDA sources."""
    return sorted(path for pattern in patterns for path in environment.ROOT.glob(pattern))


def by_nvcc(nvcc: str, arch: int, option: str, compiles: bool) -> Outcome:
    """All sources by an nvcc."""
    told = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"V([\d.]+)", told)
    outcome = Outcome(f"nvcc {found[1] if found else '?'}", f"compute_{arch} {option}".strip())
    for source in sources(SOURCES):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "out.ptx"
            command = [nvcc, "-ptx", f"-arch=compute_{arch}", "-w", *OPTIONS[option], "-o", str(target), str(source)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
            if done.returncode:
                outcome.failed.append(source.stem)
            else:
                outcome.take(source, target.read_text(), arch, compiles)
    return outcome


class Nvrtc:
    """One release's runtime compiler."""

    def __init__(self, folder: Path) -> None:
        self.library = ctypes.CDLL(str(next(folder.rglob("libnvrtc.so.*"))))
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"NVRTC {major.value}.{minor.value}"

    def ptx(self, source: str, arch: int) -> str | None:
        """PTX of a source, None when it is refused."""
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        library = self.library
        library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
        options = [f"--gpu-architecture=compute_{arch}".encode(), b"-w", b"-default-device", *self._includes()]
        array = (ctypes.c_char_p * len(options))(*options)
        if library.nvrtcCompileProgram(program, len(options), array):
            return None
        library.nvrtcGetPTXSize(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        library.nvrtcGetPTX(program, text)
        library.nvrtcDestroyProgram(ctypes.byref(program))
        return text.value.decode()

    @staticmethod
    def _includes() -> Iterator[bytes]:
        """Headers such as cuda_fp16.h, from the toolkit that nvcc belongs to."""
        told = subprocess.run(["nvcc", "-v", "-dryrun", "-x", "cu", "/dev/null"], capture_output=True, text=True).stderr
        for folder in re.findall(r'"-I([^"]+)"', told):
            yield f"-I{folder}".encode()


def by_nvrtc(folder: Path, arch: int, compiles: bool, seconds: float = 0) -> Outcome:
    """Sources that are kernels alone, by one release. seconds: of inputs for each kernel, 0: none is run."""
    compiler = Nvrtc(folder)
    outcome = Outcome(compiler.version, f"compute_{arch}")
    for source in sources(("tests/corpus/*.cu",)):
        text = compiler.ptx(source.read_text(encoding="utf-8"), arch)
        if text is None:
            outcome.failed.append(source.stem)
        else:
            outcome.take(source, text, arch, compiles)
            if seconds:
                outcome.verify(source, text, arch, seconds)
    return outcome


def page(outcomes: list[Outcome], compiles: bool) -> str:
    """The result as Markdown."""
    done = "translated by ptx-hip and compiled by clang" if compiles else "translated by ptx-hip"
    lines = [
        "# PTX of NVIDIA's compilers",
        f"By `python3 -m tools.ptxcorpus --page` on {datetime.date.today()}: what each compiler makes of `examples/`,",
        f"`samples/` and `tests/corpus/` (NVRTC: `tests/corpus/` only), {done}.",
        "",
        "| compiler | PTX | target | modules | lines | kernels | refused | not compiled |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in outcomes:
        lines.append(
            f"| {one.compiler} | {one.version} | {one.target} | {one.modules} | {one.lines} | {one.kernels} "
            f"| {len(one.refused) or ''} | {len(one.failed) or ''} |"
        )
    refused = dict.fromkeys(text for one in outcomes for text in one.refused)
    for one in outcomes:
        if one.judged:
            told = ", ".join(f"{count} {what}" for what, count in sorted(one.judged.items()))
            lines += ["", f"Run beside what ptxas makes of it, {one.compiler}: {told}."]
            lines += [f"- {text}" for text in one.apart]
    if refused:
        lines += ["", "Refused, by name:", *(f"- {text}" for text in refused)]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Run and report."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.ptxcorpus")
    parser.add_argument("--arch", type=int, nargs="*", default=[75, 80, 90, 100, 120])
    parser.add_argument("--option", choices=OPTIONS, nargs="*", default=[""])
    parser.add_argument("--nvcc", nargs="*", default=[])
    parser.add_argument("--nvrtc", type=Path, nargs="*", default=[])
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--verify", type=float, default=0.0, metavar="SECONDS", help="of NVRTC's kernels")
    parser.add_argument("--page", type=Path)
    options = parser.parse_args(arguments)
    outcomes = []
    for arch in options.arch:
        for folder in options.nvrtc:
            outcomes.append(by_nvrtc(folder, arch, options.compile, options.verify))
        for option in options.option if not options.verify else ():
            outcomes += [by_nvcc(nvcc, arch, option, options.compile) for nvcc in ("nvcc", *options.nvcc)]
        print(page(outcomes, options.compile).splitlines()[-1], flush=True)
        if options.page:
            options.page.write_text(page(outcomes, options.compile))
    print(page(outcomes, options.compile))
    return 1 if any(one.refused or one.judged["rejected"] for one in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
