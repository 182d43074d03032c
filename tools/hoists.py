"""What LLVM's structurizer moved in the code of kernels: `python3 -m tools.hoists CUBIN…`.

`assemble/meets.py` keeps LLVM 22 from moving values to where lanes of other ways get them. Whether it does is seen
from LLVM's own dumps: an instruction that stands in another block after `structurizecfg` than before it was moved.
Prints a line for each such value and the sum; exit status 1 where there is any.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from llvmlite import binding

from cass_shim.assemble.llvm import generate_object
from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from cass_shim.lift import lift_kernel
from cass_shim.model.errors import CassError

KERNEL = "=== kernel "
DUMP = re.compile(r"^\*\*\* IR Dump (Before|After) .*\(structurizecfg\) \*\*\*\n", re.MULTILINE)
LABEL = re.compile(r'^([\w.$-]+|"[^"]*"):')
VALUE = re.compile(r'^  (%(?:[\w.$-]+|"[^"]*") = (?!phi ).*)')
UNNAMED = re.compile(r"^\d+$")  # blocks that LLVM counts anew: what moves between two of these is not seen
NUMBER = re.compile(r"%\d+|, ![\w.]+ !\d+| #\d+")  # names and notes that LLVM counts anew in each dump


def blocks(dump: str) -> dict[str, list[str]]:
    """Instruction, without numbers → the blocks it stands in, of one dump of a region."""
    found: dict[str, list[str]] = {}
    block = ""
    for line in dump.split("\n"):
        if label := LABEL.match(line):
            block = UNNAMED.sub("#", label[1])
        elif value := VALUE.match(line):
            found.setdefault(NUMBER.sub("%", value[1]), []).append(block)
    return found


def moved(dumps: str) -> Iterator[str]:
    """Instructions that the pass put elsewhere, over all regions of one compilation."""
    parts = DUMP.split(dumps)
    for kind, before, next_kind, after in zip(parts[1::2], parts[2::2], parts[3::2], parts[4::2], strict=False):
        if (kind, next_kind) == ("Before", "After"):
            old, new = blocks(before), blocks(after)
            for value in old.keys() & new.keys():
                if sorted(old[value]) != sorted(new[value]):
                    yield f"{value} from {', '.join(old[value])} to {', '.join(new[value])}"


def emit(path: str) -> None:
    """Code of every kernel of a cubin, with the pass's dumps on stderr."""
    for option in ("-print-before=structurizecfg", "-print-after=structurizecfg"):
        binding.set_option("hoists", option)
    cubin = read_cubin(Path(path).read_bytes(), path)
    for name, kernel in cubin.kernels.items():
        try:
            text = lift_kernel(decode_kernel(kernel, cubin)).text
        except CassError:
            continue
        sys.stderr.write(f"{KERNEL}{name}\n")
        sys.stderr.flush()
        generate_object(text)


def of_cubin(path: str) -> tuple[int, list[str]]:
    """Kernels compiled, and a line for each value that was moved."""
    command = [sys.executable, "-m", "tools.hoists", "--emit", path]
    dumps = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=True).stderr
    _, *kernels = re.split(f"^{KERNEL}(.*)\n", dumps, flags=re.MULTILINE)
    lines = []
    for name, text in zip(kernels[::2], kernels[1::2], strict=True):
        lines += [f"{path}: {name}: {line}" for line in moved(text)]
    return len(kernels) // 2, lines


def main(arguments: list[str]) -> int:
    """Report; 1 when something was moved."""
    if arguments[:1] == ["--emit"]:
        emit(arguments[1])
        return 0
    compiled, found = 0, 0
    for path in arguments:
        count, lines = of_cubin(path)
        compiled, found = compiled + count, found + len(lines)
        for line in lines:
            print(line, flush=True)
    print(f"{compiled} kernels, {found} values moved")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
