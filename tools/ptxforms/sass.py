"""`python3 -m tools.ptxforms.sass [--lift] [--part N/M] FOLDER [WORD…]`: what ptxas made of the recorded probes, run.

FOLDER is what `record_folder` made: its cubin holds the SASS that the GPU ran. Each probe's kernel is decoded and run
by the verifier's interpreter on the same inputs, or lifted, compiled and run on the emulated device: a second opinion
about what PTX's and SASS's instructions mean. Probes whose SASS nobody can run yet are named with the reason. WORDs
choose probes by name.
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cass_shim.assemble.llvm import assemble_llvm
from cass_shim.decode import decode_kernel
from cass_shim.device import Device
from cass_shim.extract.cubin import read_cubin
from cass_shim.lift import lift_kernel
from cass_shim.model.artifacts import Cubin, SassKernel
from cass_shim.model.errors import CassError
from cass_shim.selftest.inputs import inputs
from cass_shim.verify import mufu
from cass_shim.verify.interpreter import Interpreter, Launch
from cass_shim.verify.memory import Arena
from cass_shim.verify.program import prepare
from cass_shim.verify.state import Geometry
from tools.ptxforms.check import BLOCK, result_of
from tools.ptxforms.probes import CELL_BYTES, INPUT_BYTES, LANES, RESULT_BYTES, Probe
from tools.ptxforms.recorded import KEPT_LANES, agrees, chosen, recording

BASE = 0x7F00_0000_0000
_CONSTANTS = ".nv.constant3"


def interpreted(kernel: SassKernel, probe: Probe, constants: bytes) -> NDArray[np.uint32]:
    """uint32 [KEPT_LANES, words]: results and what changed in the cells. Raises CassError."""
    given = np.ascontiguousarray(inputs(probe.seed)[:LANES])
    cells = np.ascontiguousarray(given[:, : CELL_BYTES // 4])
    results = np.full((LANES, RESULT_BYTES // 4), 0xA5A5A5A5, np.uint32)
    parts = [given.view(np.uint8).ravel(), results.view(np.uint8).ravel(), cells.view(np.uint8).ravel()]
    content = np.concatenate([*parts, np.frombuffer(constants + bytes(-len(constants) % 16), np.uint8)])
    out = BASE + LANES * INPUT_BYTES
    own = out + LANES * RESULT_BYTES
    after = own + LANES * CELL_BYTES
    arena = Arena(BASE, content, np.ones(len(content), bool))
    params = struct.pack("<QQQ8x", BASE, out, own) + BLOCK
    launch = Launch(Geometry((1, 1, 1), (LANES, 1, 1)), params)
    program = prepare(kernel, {_CONSTANTS: after, "table": after}, constants)
    machine = Interpreter(program, kernel.abi, launch, arena, seed=1, mufu=mufu.nearest)
    left = machine.run().arena.content.view(np.uint32)
    got = left[(out - BASE) // 4 : (own - BASE) // 4].reshape(LANES, -1)
    changed = left[(own - BASE) // 4 : (after - BASE) // 4].reshape(LANES, -1) ^ cells
    return np.concatenate([got, changed], axis=1)[:KEPT_LANES]


def lifted(kernel: SassKernel, probe: Probe, constants: bytes, device: Device) -> NDArray[np.uint32]:
    """The same of the kernel's translation. Raises CassError."""
    code = assemble_llvm(lift_kernel(kernel), kernel.abi)
    function = device.load(code.elf).function(kernel.name)
    return result_of(device, function, probe, code.slots, constants or bytes(16))


def complaint(
    cubin: Cubin, number: int, probe: Probe, want: NDArray[np.uint32], device: Device | None = None
) -> tuple[str, str]:
    """ "differs" or "not run" with the reason, or two empty texts. number: of the kernel in the cubin.

    device: runs its translation; None: the interpreter runs it.
    """
    constants = next((bytes(image.content) for image in cubin.images if image.kind == "constant3"), b"")
    try:
        kernel = decode_kernel(cubin.kernels[f"p{number}"], cubin)
        got = lifted(kernel, probe, constants, device) if device else interpreted(kernel, probe, constants)
    except CassError as error:
        if device:
            device.reset()  # a fault stays otherwise
        return "not run", str(error).splitlines()[0][:160]
    good = agrees(probe, got, want)
    if good.all():
        return "", ""
    lane = int(np.argmin(good))
    word = int(np.argmax(got[lane] != want[lane]))
    forms = " ".join(dict.fromkeys(each.form for each in kernel.instructions if each.mnemonic not in _COMMON))
    values = f"lane {lane} word {word}: {int(got[lane, word]):#x}, GPU {int(want[lane, word]):#x}"
    return "differs", f"{int((~good).sum())} of {KEPT_LANES} lanes, {values} [{forms[:160]}]"


_COMMON = frozenset({"LDG", "STG", "S2R", "ULDC", "LDC", "MOV", "EXIT", "BRA", "NOP", "IMAD", "UMOV"})


def main(arguments: list[str]) -> int:
    """Report; 1 when something differs."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.ptxforms.sass")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lift", action="store_true")
    parser.add_argument("--part", default="")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args(arguments)
    recorded = recording()
    names = [one["name"] for one in json.loads((options.folder / "probes.json").read_text())]
    kernel_of = {name: number for number, name in enumerate(names)}
    cubin = read_cubin((options.folder / "probes.cubin").read_bytes(), "probes")
    device = Device.open("emulated") if options.lift else None
    counted = {"": 0, "differs": 0, "not run": 0}
    for number in chosen(options.words, options.part):
        probe = recorded.probes[number]
        if probe.name not in kernel_of:  # recorded by another folder
            continue
        kind, why = complaint(cubin, kernel_of[probe.name], probe, recorded.results[number], device)
        counted[kind] += 1
        if kind:
            print(f"{kind}: {probe.name}: {why}", flush=True)
    print(f"{counted['']} agree, {counted['differs']} differ, {counted['not run']} not run")
    return 1 if counted["differs"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
