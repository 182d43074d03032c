"""`python3 -m tools.ptxforms.check [--page FILE.md] [--part N/M] [WORD…]`: every recorded probe through ptx-hip.

Each is translated, compiled and run on the emulated device; the page counts them by instruction and names those that
differ from what the GPU gave. WORDs choose probes whose name has one of them.
"""

from __future__ import annotations

import argparse
import datetime
import struct
import sys
from collections import Counter
from collections.abc import Sequence

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
from tools.ptxforms.probes import CELL_BYTES, LANES, PARAM_BYTES, RESULT_BYTES, Probe, module
from tools.ptxforms.recorded import KEPT_LANES, agrees, chosen, recording

GROUP = 40
TABLE = bytes(37 * byte % 256 for byte in range(CELL_BYTES))  # as the probes' module fills it
BLOCK = bytes((29 * byte + 7) & 255 for byte in range(PARAM_BYTES))  # as launcher.c fills it

_CONSTANTS = (Slot(SlotKind.SYMBOL, "table"), Slot(SlotKind.BANK, addend=3))


def compiled(probes: Sequence[Probe]) -> tuple[bytes, list[tuple[Slot, ...]]]:
    """One code object with kernel pN for probe N, from one call of the compiler; the binding slots of each."""
    text = module(probes)
    tree, ptx = parsed(text), PtxModule(text, 90)
    parts, slots = [], []
    for number in range(len(probes)):
        program, own = write_own(tree, f"p{number}", kernel_abi(ptx, f"p{number}"), module_tokens(tree))
        slots.append(tuple(program.slots))
        parts.append(f"namespace of_p{number} {{\n{own}\n}}")
    body = "\n".join(parts)
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


def wrong(device: Device, numbers: Sequence[int]) -> dict[str, str]:
    """Name → what is wrong, of these recorded probes."""
    recorded = recording()
    probes = [recorded.probes[number] for number in numbers]
    try:
        code, slots = compiled(probes)
        loaded = device.load(code)
    except CassError as error:
        if len(numbers) == 1:
            return {probes[0].name: str(error).splitlines()[0][:200]}
        half = len(numbers) // 2
        return wrong(device, numbers[:half]) | wrong(device, numbers[half:])
    complaints = {}
    for place, (number, probe) in enumerate(zip(numbers, probes, strict=True)):
        try:
            got = result_of(device, loaded.function(f"p{place}"), probe, slots[place])
        except CassError as error:
            complaints[probe.name] = str(error).splitlines()[0][:200]
            device.reset()  # a fault stays otherwise
            loaded = device.load(code)
            continue
        good = agrees(probe, got, recorded.results[number])
        if not good.all():
            complaints[probe.name] = f"{int((~good).sum())} of {KEPT_LANES} lanes differ, first {int(np.argmin(good))}"
    return complaints


def page(names: Sequence[str], complaints: dict[str, str]) -> str:
    """The result as Markdown."""
    counted = Counter(name.split(".")[0] for name in names)
    bad = Counter(name.split(".")[0] for name in complaints)
    lines = [
        "# PTX against recorded results",
        f"By `python3 -m tools.ptxforms.check --page` on {datetime.date.today()}: {len(names)} PTX probes (instruction",
        f"× type × modifier, {KEPT_LANES} lanes each) recorded on {recording().machine.splitlines()[0]},",
        f"translated by ptx-hip and run on the emulated gfx1100; "
        f"{len(names) - len(complaints)} agree. The 970 forms of `forms.npz` are a test. Textures and surfaces are",
        "compared apart, 926 lines: `python3 -m tools.ptxforms.texture_forms`, result in [missing](missing.md).",
        "",
        "| instruction | recorded | differ |",
        "|---|---|---|",
        *(f"| `{name}` | {count} | {bad[name] or ''} |" for name, count in sorted(counted.items())),
        "",
        *(f"- `{name}`: {why}" for name, why in complaints.items()),
    ]
    return "\n".join(lines).rstrip() + "\n"


def main(arguments: list[str]) -> int:
    """Check and report; 1 when something differs."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.ptxforms.check")
    parser.add_argument("--page")
    parser.add_argument("--part", default="")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args(arguments)
    probes = recording().probes
    numbers = chosen(options.words, options.part)
    device = Device.open("emulated")
    complaints: dict[str, str] = {}
    for at in range(0, len(numbers), GROUP):
        found = wrong(device, numbers[at : at + GROUP])
        complaints |= found
        for name, why in found.items():
            print(f"{name}: {why}", flush=True)
    print(f"{len(numbers)} probes, {len(complaints)} differ")
    if options.page:
        with open(options.page, "w") as file:
            file.write(page([probes[number].name for number in numbers], complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
