"""What ptxas made of recorded PTX probes, one for each SASS form without vectors of its own, against the NVIDIA GPU.

Both readers run the kernels: the verifier's interpreter, and the lifter's translation on the emulated device.
`python3 -m tools.ptxforms.sass` does so with all 5,908 probes.
"""

from __future__ import annotations

import re
import shutil

import pytest

from cass_shim.device import Device
from tests.lift.support import emulated
from tools.ptxforms.evidence import compiled
from tools.ptxforms.recorded import recording
from tools.ptxforms.sass import complaint
from tools.ptxforms.sass_pack import packed, single_forms

PARTS = 12
# What neither reader knows yet, by a part of the complaint. One that runs must leave the list.
REFUSED = ("deadlock",)


def complaints(part: int, device: Device | None = None) -> dict[str, tuple[str, str]]:
    """Name → what is wrong, of every PARTS-th probe."""
    cubin, names = packed()
    numbers = {probe.name: number for number, probe in enumerate(recording().probes)}
    found = {}
    for place in range(part, len(names), PARTS):
        number = numbers[names[place]]
        said = complaint(cubin, place, recording().probes[number], recording().results[number], device)
        if said[0]:
            found[names[place]] = said
    return found


@pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, PARTS))])
@pytest.mark.parametrize("reader", ["interpreter", "lifted"])
def test_gives_what_the_gpu_gave(reader: str, part: int) -> None:
    if reader == "interpreter":
        found = complaints(part)
    else:
        with emulated() as device:
            found = complaints(part, device)
    assert {n: w for n, w in found.items() if w[0] == "differs" or not any(r in w[1] for r in REFUSED)} == {}


def test_the_forms_are_those_without_vectors_of_their_own() -> None:
    cubin, names = packed()
    assert len(names) > 800 and len(cubin.kernels) == len(names)
    assert "IADD3" in single_forms() and "ATOMG.E.ADD.F32x4.FTZ.RN.STRONG.GPU" not in single_forms()


# Instructions that no code of sm_90 holds, or of which the packed probes have one form: SM, names of probes.
GENERATIONS = {
    "copies that end in zeros": (80, r"cp\.async\.c[ag]"),
    "copies that end in zeros, sm_90": (90, r"cp\.async\.c[ag]"),
    "sparse nibbles": (80, r"mma\.sp\.\S*\.s32\.[su]4"),
    "eight-bit floats": (89, r"mma\.sync\.(?!\S*kind)\S*\.e[45]m"),
    "single floats cut to halves": (75, r"cvt\.rz\.(sat|ftz|satfinite)\.(sat\.)?f16\.f32"),
    "mbarriers": (90, r"mbarrier"),
    "32 bytes at once": (100, r"(ld|st)\.(global\.|volatile\.|relaxed\.gpu\.)?(v8\.[bf]32|v4\.[fu]64)"),
    "sums that stay within 32 bits, signed bytes": (120, r"(add|sub)\.sat\.s32|vabsdiff4"),
}


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="no ptxas")
@pytest.mark.parametrize("what", GENERATIONS)
def test_code_of_other_generations(what: str) -> None:
    """Both readers give what the H200 gave for the PTX."""
    sm, pattern = GENERATIONS[what]
    recorded = recording()
    numbers = [n for n, probe in enumerate(recorded.probes) if re.match(pattern, probe.name)]
    cubin, compiled_numbers = compiled(recorded.probes, numbers, sm)
    assert cubin is not None and compiled_numbers == numbers and len(numbers) > 3
    with emulated() as device:
        for number in numbers:
            for reader in (None, device):
                said = complaint(cubin, number, recorded.probes[number], recorded.results[number], reader)
                assert said[0] == "", (recorded.probes[number].name, said)


def test_another_result_does_not_pass() -> None:
    cubin, names = packed()
    place = next(n for n, name in enumerate(names) if name.endswith("max.noftz.v8.bf16"))
    number = next(n for n, probe in enumerate(recording().probes) if probe.name == names[place])
    want = recording().results[number].copy()
    assert complaint(cubin, place, recording().probes[number], want)[0] == ""
    want[5, 9] ^= 1
    assert complaint(cubin, place, recording().probes[number], want)[0] == "differs"
