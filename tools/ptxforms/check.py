"""`python3 -m tools.ptxforms.check [--page FILE.md] [--part N/M] [--kept FILE] [WORD…]`: recorded probes by ptx-hip.

Each is translated, compiled and run on the emulated device, and so is what must give what a recorded one gave (`kin`);
the page counts them by instruction and names those that differ from what the GPU gave. WORDs choose probes whose name
has one of them. FILE keeps what came of each: a run that was stopped goes on, and a later one does again only those
whose HIP source or recording has changed (delete it when the emulated device has).
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import struct
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cass_shim.assemble import toolchain
from cass_shim.assemble.hip import compile_to_assembly
from cass_shim.device import Device, Function
from cass_shim.isa.ptx.prelude import HEADER, select, words_of
from cass_shim.model.artifacts import HipSource, PtxModule
from cass_shim.model.errors import CassError, Unsupported
from cass_shim.model.kernel_abi import Slot, SlotKind
from cass_shim.selftest.inputs import inputs
from cass_shim.translate.ptx_hip.data import module_tokens
from cass_shim.translate.ptx_hip.program import write_own
from cass_shim.translate.ptx_hip.translate import kernel_abi, parsed
from tools.ptxforms.kin import kin
from tools.ptxforms.probes import CELL_BYTES, LANES, PARAM_BYTES, RESULT_BYTES, Probe, module
from tools.ptxforms.recorded import KEPT_LANES, agrees, chosen, recording

GROUP = 40
TABLE = bytes(37 * byte % 256 for byte in range(CELL_BYTES))  # as the probes' module fills it
BLOCK = bytes((29 * byte + 7) & 255 for byte in range(PARAM_BYTES))  # as launcher.c fills it

Expected = tuple[Probe, NDArray[np.uint32]]  # and uint32 [KEPT_LANES, words], what a GPU gave
# Why what differs does: end of a probe's name → the reason. Of what the GPU gave, ptxas's code gives the same to the
# interpreter of SASS.
_BECAUSE = {".b128 of a call": "ptxas 13.0 loses the upper half of the parameter"}
_CONSTANTS = (Slot(SlotKind.SYMBOL, "table"), Slot(SlotKind.BANK, addend=3))


def translated(probes: Sequence[Probe]) -> Iterator[tuple[str, tuple[Slot, ...]]]:
    """HIP C++ of kernel pN for probe N, without the prelude, and its binding slots. Raises CassError."""
    text = module(probes)
    tree, ptx = parsed(text), PtxModule(text, 90)
    for number in range(len(probes)):
        program, own = write_own(tree, f"p{number}", kernel_abi(ptx, f"p{number}"), module_tokens(tree))
        yield own, tuple(program.slots)


def compiled(probes: Sequence[Probe]) -> tuple[bytes, list[tuple[Slot, ...]]]:
    """One code object with kernel pN for probe N, from one call of the compiler; the binding slots of each."""
    written = list(translated(probes))
    slots = [own_slots for _, own_slots in written]
    body = "\n".join(f"namespace of_p{number} {{\n{own}\n}}" for number, (own, _) in enumerate(written))
    source = "\n".join([HEADER, select(words_of(body)), "", body])
    return toolchain.link(toolchain.assemble_object(compile_to_assembly(HipSource(source, "p0")).text)), slots


def result_of(
    device: Device, function: Function, probe: Probe, slots: Sequence[Slot], constants: bytes = TABLE
) -> NDArray[np.uint32]:
    """uint32 [KEPT_LANES, words]: results, and what changed in the cells. Raises CassError.

    constants: what the slots point to, the probes' table or the bank that it is in.
    """
    given = inputs(probe.seed)[:LANES]
    cells = np.ascontiguousarray(given[:, : CELL_BYTES // 4])
    result = np.full((LANES, RESULT_BYTES // 4), 0xA5A5A5A5, np.uint32)
    with (
        device.buffer(np.ascontiguousarray(given)) as source,
        device.buffer(result) as target,
        device.buffer(cells) as own,
        device.buffer(np.frombuffer(constants, np.uint8)) as table,
        device.buffer(np.zeros(len(slots) + 1, np.uint64)) as bindings,
    ):
        if any(slot not in _CONSTANTS for slot in slots):
            raise Unsupported("a probe", kernel=probe.name, why=f"no value for its binding slots {slots}")
        device.copy(bindings.address, np.full(len(slots) + 1, table.address, np.uint64).tobytes())
        kernarg = struct.pack("<QQQ8x", source.address, target.address, own.address) + BLOCK
        function.launch((1,), (LANES,), kernarg + struct.pack("<Q", bindings.address))
        device.synchronize()
        return np.concatenate([target.read(), own.read() ^ cells], axis=1)[:KEPT_LANES]


def expected(numbers: Sequence[int]) -> list[Expected]:
    """Recorded probes with what the GPU gave."""
    recorded = recording()
    return [(recorded.probes[number], recorded.results[number]) for number in numbers]


def wrong(device: Device, group: Sequence[Expected]) -> dict[str, str]:
    """Name → what is wrong, of these probes."""
    probes = [probe for probe, _ in group]
    try:
        code, slots = compiled(probes)
        loaded = device.load(code)
    except CassError as error:
        if len(group) == 1:
            return {probes[0].name: str(error).splitlines()[0][:200]}
        half = len(group) // 2
        return wrong(device, group[:half]) | wrong(device, group[half:])
    complaints = {}
    for place, (probe, want) in enumerate(group):
        try:
            got = result_of(device, loaded.function(f"p{place}"), probe, slots[place])
        except CassError as error:
            complaints[probe.name] = str(error).splitlines()[0][:200]
            device.reset()  # a fault stays otherwise
            loaded = device.load(code)
            continue
        good = agrees(probe, got, want)
        if not good.all():
            complaints[probe.name] = f"{int((~good).sum())} of {KEPT_LANES} lanes differ, first {int(np.argmin(good))}"
    return complaints


class Kept:
    """What came of probes, in a file: digest of a probe's HIP source and recording → complaint, "" where they agree."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[str, str] = json.loads(path.read_text()) if path and path.exists() else {}
        self._digests: dict[str, str] = {}

    def _digest(self, one: Expected) -> str:
        probe, want = one
        if probe.name not in self._digests:
            try:
                own, _ = next(translated([probe]))
            except CassError as error:
                own = str(error)
            source = "\n".join((probe.name, probe.seed, select(words_of(own)), own))
            self._digests[probe.name] = hashlib.sha256(source.encode() + want.tobytes()).hexdigest()
        return self._digests[probe.name]

    def complaint(self, one: Expected) -> str | None:
        """What came of it, None where it is to be run."""
        return self._known.get(self._digest(one)) if self._known else None

    def add(self, group: Sequence[Expected], complaints: dict[str, str]) -> None:
        """Write down a group's outcome; whole or not at all."""
        if self._path is None:
            return
        self._known |= {self._digest(one): complaints.get(one[0].name, "") for one in group}
        part = self._path.with_suffix(".part")
        part.write_text(json.dumps(self._known))
        part.replace(self._path)


def compare(all_: Sequence[Expected], kept: Kept) -> dict[str, str]:
    """Name → what is wrong, of these probes, printed as they come; those that are kept are not run."""
    known = [kept.complaint(one) for one in all_]
    complaints = {probe.name: why for (probe, _), why in zip(all_, known, strict=True) if why}
    waiting = [one for one, why in zip(all_, known, strict=True) if why is None]
    if len(waiting) < len(all_):
        print("".join(f"{name}: {why}\n" for name, why in complaints.items()), end="")
        print(f"{len(all_) - len(waiting)} kept", flush=True)
    device = Device.open("emulated")
    for at in range(0, len(waiting), GROUP):
        group = waiting[at : at + GROUP]
        found = wrong(device, group)
        kept.add(group, found)
        complaints |= found
        for name, why in found.items():
            print(f"{name}: {why}", flush=True)
    return complaints


def _reasons(name: str) -> list[str]:
    return [why for end, why in _BECAUSE.items() if name.endswith(end)]


def _machines() -> str:
    """Where the probes were recorded."""
    recorded = recording()
    others = (f" ({len(names)} of them on {place})" for place, names in recorded.elsewhere.items())
    return f"{recorded.machine}{''.join(others)}"


def page(names: Sequence[str], kindred: Sequence[str], complaints: dict[str, str]) -> str:
    """The result as Markdown."""
    counted = Counter(name.split(".")[0] for name in names)
    like = Counter(name.split(".")[0] for name in kindred)
    bad = Counter(name.split(".")[0] for name in complaints)
    all_ = len(names) + len(kindred)
    lines = [
        "# PTX against recorded results",
        f"By `python3 -m tools.ptxforms.check --page` on {datetime.date.today()}: {len(names)} PTX probes (instruction",
        f"× type × modifier, {KEPT_LANES} lanes each) recorded on {_machines()},",
        *([f"and {len(kindred)} that differ from one of them in hints alone,"] if kindred else []),
        f"translated by ptx-hip and run on the emulated gfx1100; {all_ - len(complaints)} of {all_} agree.",
        "The 970 forms of `forms.npz` are a test. Textures and surfaces are compared apart:",
        "`python3 -m tools.ptxforms.texture_forms` and `.surface_forms`, result in [missing](missing.md).",
        "",
        "| instruction | recorded | as a recorded one | differ |",
        "|---|---|---|---|",
        *(f"| `{name}` | {counted[name] or ''} | {like[name] or ''} | {bad[name] or ''} |"
          for name in sorted(counted | like)),
        "",
        *(f"- `{name}`: {': '.join([why, *_reasons(name)])}" for name, why in complaints.items()),
    ]  # fmt: skip
    return "\n".join(lines).rstrip() + "\n"


def main(arguments: list[str]) -> int:
    """Check and report; 1 when something differs."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.ptxforms.check")
    parser.add_argument("--page", type=Path)
    parser.add_argument("--part", default="")
    parser.add_argument("--kept", type=Path)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args(arguments)
    numbers = chosen(options.words, options.part)
    recorded = expected(numbers)
    like = [one for one in kin() if not options.words or any(word in one[0].name for word in options.words)]
    first, _, step = (options.part or "0/1").partition("/")
    like = like[int(first) :: int(step)]
    complaints = compare([*recorded, *like], Kept(options.kept))
    print(f"{len(recorded)} probes and {len(like)} like one of them, {len(complaints)} differ")
    if options.page:
        names, kindred = ([probe.name for probe, _ in some] for some in (recorded, like))
        options.page.write_text(page(names, kindred, complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
