"""Runs one piece of gfx1100 code in the interpreter or in translated code: `… CODE WORDS GROUPS ITEMS RSRC1`.

CODE: a file of machine code whose s[0:1] is the address of WORDS random words, which it overwrites with what it
computed; RSRC1: of its descriptor, with the MODE it begins with. Prints the outcome, the words' digest,
wave-instructions in all and in translated code, the fault's text, what became of the translation. The back end is
CASS_EMU_NATIVE's choice.
"""

from __future__ import annotations

import ctypes
import hashlib
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.native.emulator_core_support import launch_code, library


def main(code: str, words: str, groups: str, items: str, rsrc1: str) -> None:
    """One launch."""
    memory = np.random.default_rng(7).integers(0, 1 << 32, int(words), np.uint32)
    outcome = launch_code(Path(code).read_bytes(), memory.ctypes.data, int(rsrc1), int(groups), int(items))
    library().cass_emu_translated.restype = ctypes.c_uint64
    digest = hashlib.sha256(memory.tobytes()).hexdigest()
    translated = library().cass_emu_translated()
    print(outcome.status, digest, outcome.instructions, translated, outcome.text, outcome.translation, sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
