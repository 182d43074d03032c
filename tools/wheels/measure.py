"""Decoding against nvdisasm, and lifting with a time limit."""

from __future__ import annotations

import multiprocessing
import re
import resource
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

from cass_shim.decode import decode_kernel
from cass_shim.decode.nvdisasm import disassemble
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.isa.encoding.decoder import decode, forget
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import EntryKind
from cass_shim.model.errors import CassError, Unsupported
from cass_shim.pipeline import assemble
from tools import environment
from tools.wheels.sources import Function

BYTES = 16
WAIT = 10
LATE = "not compiled in"
BATCH_BYTES = 20_000 * BYTES
NOT_ASKED = ("HGMMA", "QGMMA", "BGMMA", "IGMMA", "WARPGROUP", "UTMA", "UBLK", "UTC")  # warp groups and bulk copies


@dataclass
class Texts:
    """Instructions by mnemonic: all, and those whose text is not nvdisasm's, with an example."""

    total: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def compare_texts(functions: list[Function], texts: Texts) -> None:
    """Decode kernels of one SM by our rows and by nvdisasm; a process of nvdisasm for many, as if they lay together."""
    batch: list[Function] = []
    for number, function in enumerate(functions):
        batch.append(function)
        if sum(len(one.kernel.code) for one in batch) >= BATCH_BYTES or number == len(functions) - 1:
            _compare_batch(b"".join(one.kernel.code for one in batch), function.sm, texts)
            batch = []


def _compare_batch(code: bytes, sm: int, texts: Texts) -> None:
    theirs = disassemble(code, sm)
    words = [int.from_bytes(code[at : at + BYTES], "little") for at in range(0, len(code), BYTES)]
    begin = time.perf_counter()
    ours = [_text(word, BYTES * number, sm) for number, word in enumerate(words)]
    texts.seconds += time.perf_counter() - begin
    for word, mine, printed in zip(words, ours, theirs, strict=True):
        mnemonic = printed.opcode.split(".")[0]
        texts.total[mnemonic] += 1
        if expected(mine, sm) != expected(printed.text, sm):
            texts.wrong[mnemonic] += 1
            texts.examples.setdefault(mnemonic, f"sm_{sm} {word:032x} {printed.text} | {mine}")


def expected(text: str, sm: int) -> str:
    """The text without the descriptors that nvdisasm hides before sm_90 until an instruction has a cache policy."""
    text = text.rstrip()
    return re.sub(r"desc\[U?R\w+\]", "", text) if sm < 90 else text


def _text(word: int, address: int, sm: int) -> str:
    try:
        return decode(word, address, sm).text
    except Unsupported as error:
        return f"({error})"


def warm() -> None:
    """Load what the first kernel of a process loads, so that the processes of `lift` begin as the daemon's do."""
    sample = next(path for path in sorted((environment.ROOT / "examples" / "prebuilt").iterdir()) if not path.suffix)
    entry = next(e for f in read_fatbins(sample.read_bytes(), "") for e in f.entries if e.kind is EntryKind.ELF)
    cubin = read_cubin(entry.payload, sample.name)
    kernel = next(iter(cubin.kernels.values()))
    assemble(lift_kernel(decode_kernel(kernel, cubin)), kernel.abi)


def spent() -> float:
    """Processor time of this process and of the tools that it ran, in seconds."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def lift(function: Function, limit_s: int) -> tuple[str, float]:
    """Lift and compile one kernel in a process of its own: "", or why not, and the processor time it took, in seconds.

    limit_s: of processor time; a busy machine may take WAIT times as long.
    """
    late = f"{LATE} {limit_s} s", float(limit_s)
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_lift, args=(function, theirs, limit_s))
    process.start()
    theirs.close()
    try:
        if not ours.poll(WAIT * limit_s):
            return late
        why, seconds = ours.recv()
        return str(why), float(seconds)
    except EOFError:
        process.join()
        return late if process.exitcode == -signal.SIGXCPU else ("the compiler's process died", 0.0)
    finally:
        process.kill()
        process.join()
        ours.close()


def _lift(function: Function, answer: Connection, limit_s: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 1))
    forget()  # words that the comparison of texts has seen
    why, begin = "", spent()
    try:
        assemble(lift_kernel(decode_kernel(function.kernel, function.cubin)), function.kernel.abi)
    except CassError as error:
        why = str(error)
    except Exception as error:
        why = f"internal error, {type(error).__name__}: {error}"
    answer.send((why, spent() - begin))


def reason(message: str, name: str) -> str:
    """A failure without the kernel's name, addresses and numbers, to be counted."""
    plain = message.replace(f" in {name}", "")
    return re.sub(r" at 0x[0-9a-f]+", "", re.sub(r"0x[0-9a-f]{5,}|\d{4,}", "#", plain))[:120]


def is_asked(message: str) -> bool:
    """Whether a failure counts: warp-group matrices and bulk copies are out of reach by decision."""
    return not any(mark in message for mark in NOT_ASKED)
