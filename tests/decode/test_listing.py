"""Our listing against `cuobjdump -sass`, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from cass_shim.decode.cuobjdump import print_sass
from cass_shim.decode.kernel import decode_code
from cass_shim.decode.listing import listing
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.model.artifacts import EntryKind, SassKernel

SAMPLES = sorted(path for path in (Path(__file__).parents[2] / "examples" / "prebuilt").iterdir() if path.suffix == "")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_listing_is_cuobjdumps(sample: Path) -> None:
    compared = 0
    for fatbin in read_fatbins(sample.read_bytes(), sample.name):
        for entry in fatbin.entries:
            if entry.kind != EntryKind.ELF:
                continue
            cubin = read_cubin(entry.payload, sample.name)
            for kernel in cubin.kernels.values():
                ours = listing(SassKernel(kernel, decode_code(kernel, cubin, "table"))).splitlines()
                theirs = [line for line in print_sass(cubin, kernel.name).splitlines() if "/*" in line]
                assert [line for line in ours if "/*" in line] == theirs
                compared += len(theirs)
    assert compared
