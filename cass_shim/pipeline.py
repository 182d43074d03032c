"""The order of the stages and the policy: the table of contents of cass-shim.

    fatbin → cubin → for each translator in order: decode → translate → assemble → verify → code entry

In: a fatbinary region as a program registers it. Out: its manifest, and each kernel's verified code object, or
`NoTranslation` with every reason. Stages are imported when they are needed, so that one that cannot be loaded is a
reason and not a crash.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import cass_shim
from cass_shim.cache.epoch import sources_digest
from cass_shim.cache.key import CacheKey, ptx_key, sass_key
from cass_shim.cache.record import Record
from cass_shim.extract.choice import choose_entries
from cass_shim.model.artifacts import (
    AmdgcnAsm,
    CodeObject,
    Cubin,
    DataImage,
    EntryKind,
    Evidence,
    FatbinEntry,
    HipSource,
    LlvmModule,
    PtxModule,
    SassKernel,
    Variable,
    Verified,
)
from cass_shim.model.captured import CapturedLaunch
from cass_shim.model.config import Config
from cass_shim.model.entry import CodeEntry, pack_entry
from cass_shim.model.errors import CassError, Malformed, Rejected, ToolFailed, Unsupported, one_line
from cass_shim.model.kernel_abi import KernelAbi
from cass_shim.model.manifest import (
    Manifest,
    ManifestImage,
    ManifestKernel,
    ManifestRelocation,
    ManifestVariable,
)
from cass_shim.model.sidecar import EXTENSIONS, Source, describe, write_sidecar

log = logging.getLogger(__name__)

FINAL_SEED = 104_729  # of the inputs of a model's final check; a search uses the verifier's default


class NoTranslation(CassError):
    """No translator served a kernel. `reasons`: translator → the error, in the order tried."""

    def __init__(self, kernel: str, reasons: Mapping[str, Exception]) -> None:
        tried = "; ".join(f"{name}: {one_line(error)}" for name, error in reasons.items())
        super().__init__(f"no translation of kernel {kernel} ({tried or 'no translator is configured'})")
        self.kernel, self.reasons = kernel, dict(reasons)


# ---- a module -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Module:
    """One fatbinary's chosen entry with what stands beside it. digest: SHA-256 of the entry as stored."""

    digest: bytes
    sm: int
    cubin: Cubin | None
    ptx: PtxModule | None
    ptx_version: int = 0

    @cached_property
    def kernels(self) -> Mapping[str, KernelAbi]:
        """Every kernel's contract: from the cubin, or from PTX where there is no cubin."""
        if self.cubin is not None:
            return {name: kernel.abi for name, kernel in self.cubin.kernels.items()}
        if self.ptx is None:
            return {}
        from cass_shim.translate.ptx_hip import kernel_abi, kernels

        return {name: kernel_abi(self.ptx, name) for name in kernels(self.ptx)}

    @cached_property
    def data(self) -> tuple[tuple[DataImage, ...], tuple[Variable, ...], Mapping[str, int]]:
        """Images, variables, and the tokens of the functions that images point to."""
        if self.cubin is not None:
            functions = (*self.cubin.functions.values(), *self.cubin.kernels.values())
            return self.cubin.images, self.cubin.variables, {one.name: one.token for one in functions}
        if self.ptx is None:
            return (), (), {}
        from cass_shim.translate.ptx_hip import module_data, module_tokens

        return (*module_data(self.ptx), module_tokens(self.ptx))

    def key(self, kernel: str, gfx: str) -> CacheKey:
        """What an answer for this kernel must satisfy."""
        if self.cubin is not None:
            return sass_key(self.cubin.kernels[kernel], self.cubin, gfx)
        assert self.ptx is not None
        return ptx_key(self.ptx.text, kernel, self.kernels[kernel], gfx)


def load_module(region: bytes, entry_offset: int = 0, digest: bytes = b"", source: str = "") -> Module:
    """Take a region apart. The entry is the one at `entry_offset` with that digest, as the client chose it.

    Without a digest the choice is made here. Raises Malformed or Unsupported.
    """
    from cass_shim.extract.fatbin import read_fatbins

    entries = [entry for fatbin in read_fatbins(region, source) for entry in fatbin.entries]
    chosen, _ = choose_entries(entries)
    if digest:
        named = [one for one in entries if hashlib.sha256(one.stored).digest() == digest]
        if named and all(one.offset != entry_offset for one in named):
            raise Malformed("the chosen entry lies elsewhere", where=source, offset=entry_offset)
        chosen = named[0] if named else None  # None: an entry without code, which extraction leaves out
    return make_module(chosen, entries, source, digest)


def make_module(
    chosen: FatbinEntry | None, entries: Sequence[FatbinEntry], source: str = "", digest: bytes = b""
) -> Module:
    """The module of a chosen entry (None: no code at all) and the entries that lie beside it."""
    from cass_shim.extract.cubin import read_cubin

    if chosen is None:
        return Module(digest, 0, None, None)
    digest = hashlib.sha256(chosen.stored).digest()
    _, beside = choose_entries([chosen, *(one for one in entries if one.kind is EntryKind.PTX)], chosen.sm)
    if chosen.kind is EntryKind.PTX:
        return Module(digest, chosen.sm, None, _ptx(chosen, source), _version(chosen))
    cubin = read_cubin(chosen.payload, source)
    if beside is None:
        return Module(digest, chosen.sm, cubin, None)
    return Module(digest, chosen.sm, cubin, _ptx(beside, source), _version(beside))


def _ptx(entry: FatbinEntry, source: str) -> PtxModule:
    return PtxModule(entry.payload.decode("utf-8", "surrogateescape"), entry.sm, source)


def _version(entry: FatbinEntry) -> int:
    return entry.ptx_version[0] * 10 + entry.ptx_version[1]


def module_manifest(module: Module, gfx: str) -> Manifest:
    """What the target process must know of a module."""
    data, _, _ = module.data
    images = tuple(ManifestImage(one.kind, one.size, one.align, one.content) for one in data)
    variables, relocations = _module_data(module)
    constant_bytes = sum(one.size for one in images if one.kind == "constant3")
    kernels = tuple(
        ManifestKernel(name, module.key(name, gfx).digest, abi, module.sm, module.ptx_version, constant_bytes)
        for name, abi in module.kernels.items()
    )
    return Manifest(module.digest, kernels, images, variables, relocations)


def _module_data(module: Module) -> tuple[tuple[ManifestVariable, ...], tuple[ManifestRelocation, ...]]:
    """Variables and the words of images that hold addresses or function tokens."""
    images, known, tokens = module.data
    variables = tuple(
        ManifestVariable(one.name, one.image, one.offset, one.size, one.visible, one.managed) for one in known
    )
    numbers = {one.name: number for number, one in enumerate(variables)}
    relocations = []
    for image, content in enumerate(images):
        for one in content.relocations:
            target: int | None = None
            if one.symbol in numbers:
                target, addend = numbers[one.symbol], one.addend
            elif one.symbol in tokens:
                addend = tokens[one.symbol] + one.addend
            else:
                raise Unsupported("relocation", why=f"module data refers to {one.symbol}, which it lacks")
            relocations.append(ManifestRelocation(image, one.offset, target, addend))
    return variables, tuple(relocations)


# ---- a kernel -----------------------------------------------------------------------------------------------


@dataclass
class Work:
    """One kernel on its way. Decoding is done once, when the first translator asks. captured: a launch to judge by.

    line_references: HIP source with the PTX line of each statement.
    """

    module: Module
    kernel: str
    config: Config
    captured: CapturedLaunch | None = None
    line_references: bool = False

    @property
    def abi(self) -> KernelAbi:
        return self.module.kernels[self.kernel]

    @cached_property
    def sass(self) -> SassKernel:
        """The decoded kernel; Unsupported where there is only PTX."""
        cubin = self.module.cubin
        if cubin is None:
            raise Unsupported("PTX-only module", kernel=self.kernel, why="it holds no machine code to translate")
        from cass_shim.decode import decode_kernel

        return decode_kernel(cubin.kernels[self.kernel], cubin)

    @property
    def ptx(self) -> PtxModule:
        """The module's PTX; Unsupported where the program ships none."""
        if self.module.ptx is None:
            raise Unsupported("SASS-only module", kernel=self.kernel, why="it holds no PTX to translate")
        return self.module.ptx

    def keep(self, suffix: str, content: str | bytes) -> None:
        """Leave an artifact behind for `--keep DIR`; trouble with the directory is a log line."""
        if not self.config.keep:
            return
        path = Path(self.config.keep) / (file_name(self.kernel) + suffix)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        except OSError as error:
            log.warning("cannot keep %s: %s", path, error)


def file_name(kernel: str) -> str:
    """A kernel's name as the beginning of a file's name."""
    return "".join(one if one.isalnum() or one in "_-" else "_" for one in kernel)[:120]


def _lift(work: Work) -> LlvmModule:
    """SASS → LLVM IR."""
    from cass_shim.lift import lift_kernel

    return lift_kernel(work.sass)


def _ptx_hip(work: Work) -> HipSource:
    """PTX → HIP C++."""
    from cass_shim.extract.tokens import function_tokens
    from cass_shim.translate.ptx_hip import translate_kernel

    cubin = work.module.cubin
    if cubin is None:
        return translate_kernel(work.ptx, work.kernel, work.abi, line_references=work.line_references)
    tokens = function_tokens(cubin.kernels[work.kernel], cubin)
    return translate_kernel(work.ptx, work.kernel, work.abi, tokens, work.line_references)


def _cass(work: Work) -> AmdgcnAsm:
    """SASS → the CASS model's RDNA3 assembly."""
    from cass_shim.decode.cuobjdump import print_sass
    from cass_shim.translate.cass import translate_kernel

    sass, cubin = work.sass, work.module.cubin
    assert cubin is not None
    half = replace(work.config, kernel_timeout=str(work.config.number("kernel_timeout") / 2))  # the rest is fallback's

    def check(candidate: AmdgcnAsm) -> None:
        verify(work, assemble(candidate, work.abi))

    return translate_kernel(lambda: print_sass(cubin, work.kernel), sass, half, check)


TRANSLATORS: Mapping[str, Callable[[Work], Source]] = {"cass": _cass, "lift": _lift, "ptx-hip": _ptx_hip}


def translate_source(work: Work, route: str) -> Source:
    """One translator's answer, before anything has looked at it. Raises Unsupported and the translator's errors."""
    if route not in TRANSLATORS:
        raise Unsupported(f"translator {route}", why=f"known are {', '.join(TRANSLATORS)}")
    source = TRANSLATORS[route](work)
    work.keep(f".{route}{EXTENSIONS[type(source)]}", source.text)
    work.keep(f".{route}.json", write_sidecar(describe(work.kernel, route, work.abi, source)))
    return source


def assemble(source: Source, abi: KernelAbi) -> CodeObject:
    """LLVM IR, HIP C++ or assembly text → a gfx1100 code object."""
    from cass_shim.assemble.hip import compile_hip
    from cass_shim.assemble.llvm import assemble_llvm
    from cass_shim.assemble.text import assemble_text

    if isinstance(source, LlvmModule):
        return assemble_llvm(source, abi)
    if isinstance(source, HipSource):
        return compile_hip(source, abi)
    return assemble_text(source, abi)


def verify(
    work: Work, code: CodeObject, blocks: Sequence[tuple[int, int, int]] = (), route: str = "lift", seed: int = 1
) -> Verified:
    """Ask the verifier; Rejected with a witness when the code object is wrong.

    blocks: shapes to prove, if any. route: the translator that made it, for a second opinion must come from another.
    """
    from cass_shim.verify import Captured, verify_kernel

    if work.module.cubin is None:
        return verify_kernel(code, None, None)
    other = "lift" if route == "ptx-hip" else "ptx-hip"
    seconds = work.config.second_seconds
    second = (lambda: assemble(translate_source(work, other), work.abi), seconds) if seconds else None
    config, cubin = work.config, work.module.cubin
    wanted = {one.label: one for one in Evidence}[config.min_evidence]
    return verify_kernel(
        code,
        work.sass,
        cubin,
        seed=seed,
        prove_s=config.proof_seconds,
        blocks=blocks,
        second=second,
        captured=Captured(work.captured, config.capture_seconds) if work.captured is not None else None,
        enough=wanted if wanted in (Evidence.E2, Evidence.E3) and not config.number("prove") else Evidence.E4,
    )


@dataclass(frozen=True, slots=True)
class Translation:
    """A kernel's answer: the record and the packed code entry."""

    record: Record
    content: bytes


def translate(module: Module, kernel: str, config: Config, captured: CapturedLaunch | None = None) -> Translation:
    """Try each translator in the policy's order; the first verified answer wins. Raises NoTranslation.

    captured: the launch for which it is wanted, where that was recorded (E3).
    """
    if kernel not in module.kernels:
        raise Malformed(f"the module has no kernel {kernel}", where="request")
    work, reasons = Work(module, kernel, config, captured), dict[str, Exception]()
    for name in config.translator_order:
        started = time.monotonic()
        try:
            return _attempt(work, name, started, reasons)
        except CassError as error:
            reasons[name] = error
        except (ImportError, OSError) as error:  # the machine's fault, not the kernel's
            reasons[name] = ToolFailed(name, stderr=f"{type(error).__name__}: {error}")
        except Exception as error:  # a bug in one translator must not take the others away
            log.exception("%s: %s failed", kernel, name)
            reasons[name] = error
    raise NoTranslation(kernel, reasons)


def _verify_finally(work: Work, code: CodeObject, name: str) -> Verified:
    """A model's answer is judged on inputs that its search never met: what repaired it may have fitted the others."""
    if name != "cass":
        return verify(work, code, route=name)
    try:
        return verify(work, code, route=name, seed=FINAL_SEED)
    except Rejected as error:
        raise Rejected(f"only in the final check on fresh inputs: {one_line(error)}") from error


def _attempt(work: Work, name: str, started: float, reasons: Mapping[str, Exception]) -> Translation:
    code = assemble(translate_source(work, name), work.abi)
    work.keep(f".{name}.hsaco", code.elf)
    translated = time.monotonic()
    verified = _verify_finally(work, code, name)
    least = {one.label: one for one in Evidence}[work.config.min_evidence]
    if verified.evidence < least:
        from cass_shim.verify.refusal import why_not_more

        raise Rejected(
            f"evidence {verified.evidence.label} is below CASS_MIN_EVIDENCE={least.label}{why_not_more(verified)}",
            kernel=work.kernel,
        )
    key = work.module.key(work.kernel, work.config.gfx)
    content = pack_entry(CodeEntry(key.digest, verified.code, verified.evidence, name))
    record = Record(
        key=key.digest.hex(),
        entry=hashlib.sha256(content).hexdigest(),
        route=name,
        evidence=verified.evidence.label,
        kernel=work.kernel,
        created=int(time.time()),
        provenance={
            **verified.code.provenance,
            "cass-shim": cass_shim.__version__,
            "sources": sources_digest(),
            "translate_s": f"{translated - started:.3f}",
            "verify_s": f"{time.monotonic() - translated:.3f}",
        },
        report=verified.report,
        passed_over={other: one_line(error) for other, error in reasons.items()},
    )
    return Translation(record, content)
