"""Runs pieces of gfx1100 code where results come late: `… FILE`, JSON of name → hexadecimal machine code.

s[0:1] of each is the address of 1024 words, word i being 4 * i. Prints JSON of name → [outcome, the fault's text, the
first 32 words afterwards].
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.native.emulator_core_support import launch_code

RSRC1 = 3 << 18 | 7  # 64 VGPRs; denormals are kept


def main(path: str) -> None:
    """Every piece, one wave of 32 lanes each, unless its name says `two waves`."""
    assert os.environ.get("CASS_EMU_WAITS")
    said = {}
    for name, code in json.loads(Path(path).read_text()).items():
        memory = np.arange(0, 4096, 4, dtype=np.uint32)
        items = 64 if "two waves" in name else 32
        outcome = launch_code(bytes.fromhex(code), memory.ctypes.data, RSRC1, 1, items)
        said[name] = (outcome.status, outcome.text, memory[:32].tolist())
    print(json.dumps(said))


if __name__ == "__main__":
    main(*sys.argv[1:])
