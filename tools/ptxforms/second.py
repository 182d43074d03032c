"""`python3 -m tools.ptxforms.second [WORD…]`: probes that nobody recorded, by two derivations.

What ptx-hip's code gives on the emulated device against what the interpreter of SASS makes of the code that ptxas 13.0
makes of the same probe for sm_90. Left out are forms that differ from a recorded one in hints alone (`kin`). WORDs
choose probes whose name has one of them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from cass_shim.device import Device
from cass_shim.extract.cubin import Cubin, read_cubin
from cass_shim.model.errors import CassError
from tools.ptxforms.check import compiled, result_of
from tools.ptxforms.kin import kin
from tools.ptxforms.known import recorded_names
from tools.ptxforms.probes import Probe, architecture, module
from tools.ptxforms.recorded import recording
from tools.ptxforms.sass import complaint
from tools.ptxforms.selection import all_probes

GROUP = 40


def unrecorded(words: Sequence[str]) -> list[Probe]:
    """Probes of today that no recording speaks for, which sm_90 has."""
    probes = all_probes(recorded_names())
    known = {probe.name for probe in recording().probes} | {probe.name for probe, _ in kin(probes)}
    open_ = [probe for probe in probes if probe.name not in known and not probe.stands]
    return [probe for probe in open_ if not words or any(word in probe.name for word in words)]


def assembled(group: Sequence[Probe]) -> Cubin:
    """What ptxas makes of the probes: kernel pN of probe N."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder) / "probes.ptx", Path(folder) / "probes.cubin"
        source.write_text(module(group))
        subprocess.run(["ptxas", f"-arch=sm_{architecture(group)}", "-o", str(cubin), str(source)], check=True)
        return read_cubin(cubin.read_bytes(), "probes")


def compare(device: Device, group: Sequence[Probe]) -> dict[str, tuple[str, str]]:
    """Name → "differs", "not run" or "" (they agree), and why."""
    cubin = assembled(group)
    code, slots = compiled(group)
    loaded = device.load(code)
    found = {}
    for number, probe in enumerate(group):
        try:
            got = result_of(device, loaded.function(f"p{number}"), probe, slots[number])
        except CassError as error:
            found[probe.name] = "not run", f"ptx-hip: {str(error).splitlines()[0][:160]}"
            device.reset()  # a fault stays otherwise
            loaded = device.load(code)
            continue
        found[probe.name] = complaint(cubin, number, probe, got)
    return found


def one_by_one(device: Device, group: Sequence[Probe]) -> dict[str, tuple[str, str]]:
    """As `compare`; where one is refused the others are compared all the same."""
    try:
        return compare(device, group)
    except CassError as error:
        if len(group) == 1:
            return {group[0].name: ("not run", str(error).splitlines()[0][:160])}
        half = len(group) // 2
        return one_by_one(device, group[:half]) | one_by_one(device, group[half:])


def main(words: list[str]) -> int:
    """Report; 1 when something differs."""
    device = Device.open("emulated")
    probes, counted = unrecorded(words), Counter[str]()
    for at in range(0, len(probes), GROUP):
        for name, (kind, why) in one_by_one(device, probes[at : at + GROUP]).items():
            counted[kind] += 1
            if kind:
                print(f"{kind}: {name}: {why}", flush=True)
    print(f"{len(probes)} probes: {counted['']} agree, {counted['differs']} differ, {counted['not run']} not run")
    return 1 if counted["differs"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
