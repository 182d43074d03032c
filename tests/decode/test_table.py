"""Our decoder against nvdisasm: recorded encodings, and every kernel of the sample binaries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cass_shim.decode.kernel import decode_code
from cass_shim.extract.cubin import read_cubin
from cass_shim.extract.fatbin import read_fatbins
from cass_shim.isa.encoding.decoder import decode
from cass_shim.model.artifacts import EntryKind
from cass_shim.model.errors import Unsupported

ROOT = Path(__file__).resolve().parents[2]
PROBES = json.loads((ROOT / "tests" / "vectors" / "sass" / "sm90.json").read_text())["probes"]
SAMPLES = sorted(path for path in (ROOT / "examples" / "prebuilt").iterdir() if path.suffix == "")
# Forms whose rows are not written yet; one that starts to decode must leave this list.
MISSING = {"F2FP"}


def test_recorded_encodings() -> None:
    """Texts are nvdisasm's. The probes' builder may leave a register number in a field that the instruction does not
    have (nvdisasm and the GPU ignore it, we refuse it): such words are no encoding test."""
    same = 0
    for probe in PROBES:
        mnemonic = probe["text"].split(" ")[0].split(".")[0]
        try:
            text = decode(int(probe["word"], 16), 0, 90).text
        except Unsupported as error:
            assert mnemonic in MISSING or "not described" in str(error), probe["text"]
            continue
        assert text.rstrip() == probe["text"].rstrip().replace(" ,", ",")
        same += 1
    assert same > 400


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_sample_binary(sample: Path) -> None:
    seen = 0
    for fatbin in read_fatbins(sample.read_bytes(), sample.name):
        for entry in fatbin.entries:
            if entry.kind != EntryKind.ELF:
                continue
            cubin = read_cubin(entry.payload, sample.name)
            for kernel in cubin.kernels.values():
                ours, theirs = (decode_code(kernel, cubin, name) for name in ("table", "nvdisasm"))
                for a, b in zip(ours, theirs, strict=True):
                    assert (a.mnemonic, a.modifiers, a.operands, a.targets) == (
                        b.mnemonic,
                        b.modifiers,
                        b.operands,
                        b.targets,
                    )
                    seen += 1
    assert seen


def test_an_undescribed_bit_is_refused() -> None:
    word = int(next(p["word"] for p in PROBES if p["text"].startswith("IADD3 ")), 16)
    with pytest.raises(Unsupported, match="not described"):
        decode(word | 1 << 104, 0, 90)


def test_an_unknown_opcode_is_refused() -> None:
    with pytest.raises(Unsupported, match="0xfff"):
        decode(0x7FFF, 0x40, 80)
