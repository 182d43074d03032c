"""Words with nvdisasm's text, one of each form: what the decoder's tests compare with.

`python -m tools.sassvectors.encodings CUBIN… > tests/vectors/sass/encodings-sm120.txt` (in the virtual environment;
cubins of one SM). A line: address, word and text. Two words are of one form when opcode, modifiers and the kinds of
their operands are the same.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from cass_shim.decode.nvdisasm import disassemble
from cass_shim.extract.cubin import read_cubin

BYTES = 16
CHUNK = 20_000 * BYTES  # one process of nvdisasm


def form_of(word: int, text: str) -> str:
    """What makes two words one form: numbers of registers and immediates do not count."""
    plain = re.sub(r"-?0x[0-9a-f]+|(?<=[ ,|-])[-+]?\d[\w.+-]*", "#", text.replace(".reuse", ""))
    return f"{word & 0xFFF:03x} " + re.sub(r"(U?[RP]|SB|B)\d+", r"\1", plain)


def forms(code: bytes, sm: int) -> dict[str, tuple[int, int, str]]:
    """Form → address, word and text of its first word."""
    found: dict[str, tuple[int, int, str]] = {}
    for number, printed in enumerate(disassemble(code, sm)):
        at = BYTES * number
        word = int.from_bytes(code[at : at + BYTES], "little")
        found.setdefault(form_of(word, printed.text), (at, word, printed.text))
    return found


def main(paths: list[str]) -> int:
    """Print the forms of all kernels and functions of the cubins."""
    code, sms = b"", set()
    for path in paths:
        cubin = read_cubin(Path(path).read_bytes(), path)
        sms.add(cubin.sm)
        code += b"".join(function.code for function in (*cubin.functions.values(), *cubin.kernels.values()))
    if len(sms) != 1:
        raise SystemExit(f"cubins of one SM are needed; these are of {sorted(sms) or 'none'}")
    sm, found = sms.pop(), dict[str, tuple[int, int, str]]()
    for at in range(0, len(code), CHUNK):
        for form, example in forms(code[at : at + CHUNK], sm).items():
            found.setdefault(form, example)
    print(f"# sm_{sm}: address, word, text of nvdisasm; by tools/sassvectors/encodings.py")
    for _, (at, word, text) in sorted(found.items()):
        print(f"{at:x} {word:032x} {text.strip()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
