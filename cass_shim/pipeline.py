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
from typing import TYPE_CHECKING

import cass_shim
from cass_shim.cache.epoch import sources_digest
from cass_shim.cache.record import Record
from cass_shim.model.artifacts import (
    AmdgcnAsm,
    CodeObject,
    Evidence,
    HipSource,
    LlvmModule,
    PtxModule,
    SassKernel,
    Verified,
    disputed_reason,
    is_disputed,
)
from cass_shim.model.captured import CapturedLaunch
from cass_shim.model.config import Config
from cass_shim.model.entry import CodeEntry, pack_entry
from cass_shim.model.errors import CassError, Malformed, Rejected, ToolFailed, Unsupported, one_line
from cass_shim.model.kernel_abi import KernelAbi
from cass_shim.model.sidecar import EXTENSIONS, Source, describe, write_sidecar
from cass_shim.module import Module

if TYPE_CHECKING:
    from cass_shim.verify import Against, ReadsLanes

log = logging.getLogger(__name__)

FINAL_SEED = 104_729  # of the inputs of a model's final check; a search uses the verifier's default


class NoTranslation(CassError):
    """No translator served a kernel. `reasons`: translator → the error, in the order tried."""

    def __init__(self, kernel: str, reasons: Mapping[str, Exception]) -> None:
        tried = "; ".join(f"{name}: {one_line(error)}" for name, error in reasons.items())
        super().__init__(f"no translation of kernel {kernel} ({tried or 'no translator is configured'})")
        self.kernel, self.reasons = kernel, dict(reasons)


@dataclass
class Work:
    """One kernel on its way. Decoding is done once, when the first translator asks. captured: a launch to judge by.

    line_references: HIP source with the PTX line of each statement. cuts: a model may answer in parts, whose code is
    slower than any other.
    """

    module: Module
    kernel: str
    config: Config
    captured: CapturedLaunch | None = None
    line_references: bool = False
    cuts: bool = True

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
    from cass_shim.translate.cass import Check, translate_kernel

    sass, cubin = work.sass, work.module.cubin
    assert cubin is not None
    half = replace(work.config, kernel_timeout=str(work.config.number("kernel_timeout") / 2))  # the rest is fallback's

    def check(code: CodeObject) -> None:
        verify(work, code)

    judge = Check(lambda candidate: assemble(candidate, work.abi), check)
    return translate_kernel(lambda: print_sass(cubin, work.kernel), sass, half, judge, region, work.cuts)


def region(part: SassKernel) -> str:
    """The lifter's assembly of a part of a kernel, with HIP's own kernarg as the model's parts have it."""
    from cass_shim.assemble.llvm import generate_assembly
    from cass_shim.lift import PartEmitter, hip_text, lift_kernel
    from cass_shim.translate.cass.edges import frame_kept, lanes_apart

    return generate_assembly(frame_kept(lanes_apart(hip_text(lift_kernel(part, emitting=PartEmitter)))))


TRANSLATORS: Mapping[str, Callable[[Work], Source]] = {"cass": _cass, "lift": _lift, "ptx-hip": _ptx_hip}


def translate_source(work: Work, route: str) -> Source:
    """One translator's answer, before anything has looked at it. Raises Unsupported and the translator's errors."""
    if route not in TRANSLATORS:
        raise Unsupported(f"translator {route}", why=f"known are {', '.join(TRANSLATORS)}")
    if work.abi.spilled and route != "lift":
        raise Unsupported("shared memory beyond LDS", kernel=work.kernel, why="only the translator lift spills it")
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
    work: Work,
    code: CodeObject,
    blocks: Sequence[tuple[int, int, int]] = (),
    route: str = "lift",
    seed: int = 1,
    against: Against | None = None,
    generated: bool = True,
) -> Verified:
    """Ask the verifier; Rejected with a witness when the code object is wrong.

    blocks: shapes to prove, if any. route: the translator that made it, for a second opinion must come from another.
    against: what serves, than which it has to cost less. generated: try generated inputs too.
    """
    from cass_shim.verify import Captured, verify_kernel

    if work.module.cubin is None:
        return verify_kernel(code, None, None)
    other = "lift" if route == "ptx-hip" else "ptx-hip"
    seconds = work.config.second_seconds
    second = (lambda: assemble(translate_source(work, other), work.abi), seconds) if seconds else None
    config, cubin = work.config, work.module.cubin
    wanted = Evidence.of(config.min_evidence)
    return verify_kernel(
        code,
        work.sass,
        cubin,
        seed=seed,
        prove_s=config.proof_seconds,
        blocks=blocks,
        second=second,
        captured=Captured(work.captured, config.capture_seconds, decided_s=config.decided_seconds)
        if work.captured is not None
        else None,
        enough=wanted if wanted in (Evidence.E2, Evidence.E3) and not config.number("prove") else Evidence.E4,
        against=against,
        generated=generated,
        reads_lanes=_who_reads_lanes(route, second is not None),
        lane_reads=_lane_reads(work) if route == "ptx-hip" or second is not None else {},
    )


def _who_reads_lanes(route: str, is_second: bool) -> ReadsLanes:
    """Which code is made of PTX."""
    return "candidate" if route == "ptx-hip" else "second" if is_second else ""


def _lane_reads(work: Work) -> Mapping[str, int]:
    """What of the kernel's PTX reads other lanes; nothing where there is no PTX that can be read."""
    from cass_shim.translate.ptx_hip import reads_lanes

    try:
        return reads_lanes(work.ptx, work.kernel)
    except CassError:
        return {}


@dataclass(frozen=True, slots=True)
class Translation:
    """A kernel's answer: the record and the packed code entry."""

    record: Record
    content: bytes


def translate(module: Module, kernel: str, config: Config, captured: CapturedLaunch | None = None) -> Translation:
    """Try each translator in the policy's order; the first verified answer wins. Raises NoTranslation.

    captured: the launch for which it is wanted, where that was recorded (E3). Code that is disputed then serves only
    where no other translator's does, and E0 is enough; its record says so.
    """
    if kernel not in module.kernels:
        raise Malformed(f"the module has no kernel {kernel}", where="request")
    work, reasons = Work(module, kernel, config, captured), dict[str, Exception]()
    disputed: Translation | None = None
    for name in config.translator_order:
        started = time.monotonic()
        try:
            answer = _attempt(work, name, started, reasons)
            if not answer.record.is_disputed:
                return answer
            disputed = disputed or answer
            reasons[name] = Rejected(disputed_reason(answer.record.report), kernel=kernel)
        except CassError as error:
            reasons[name] = error
        except (ImportError, OSError) as error:  # the machine's fault, not the kernel's
            reasons[name] = ToolFailed(name, stderr=f"{type(error).__name__}: {error}")
        except Exception as error:  # a bug in one translator must not take the others away
            log.exception("%s: %s failed", kernel, name)
            reasons[name] = error
    if disputed is not None:
        others = {name: one_line(error) for name, error in reasons.items() if name != disputed.record.route}
        return replace(disputed, record=replace(disputed.record, passed_over=others))
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
    least = Evidence.of(work.config.min_evidence)
    if verified.evidence < least:
        from cass_shim.verify.refusal import why_not_more

        raise Rejected(
            f"evidence {verified.evidence.label} is below CASS_MIN_EVIDENCE={least.label}{why_not_more(verified)}",
            kernel=work.kernel,
        )
    key = work.module.key(work.kernel, work.config.gfx)
    may_tell = verified.launch_may_tell and work.captured is None
    disputed = is_disputed(verified.report)
    content = pack_entry(CodeEntry(key.digest, verified.code, verified.evidence, name, may_tell, disputed))
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
