"""The kernels of `tests/corpus` on the emulated device: `CASS_EMU_NATIVE=wait python3 -m tools.corpus [FILE…]`.

Each is built by nvcc for `--sm`, lifted, and judged by the verifier: on generated inputs the device must do what the
interpreter of the SASS does. With CASS_EMU_NATIVE=wait what is judged is the device's translated code. Prints a line a
kernel: evidence, inputs that agreed, wave-instructions and how many of them translated code executed. Exit status 1
when a kernel is rejected.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tools import environment

CORPUS = environment.ROOT / "tests" / "corpus"
LAUNCH_SECONDS = 300.0  # a kernel's first launch waits for the compiler


def cubin(source: Path, sm: int, folder: Path) -> bytes:
    """What nvcc makes of it; nothing where it refuses, for another architecture's forms for example."""
    target = folder / f"{source.stem}.cubin"
    command = ["nvcc", "-std=c++17", f"-arch=sm_{sm}", "-cubin", "-w", "-o", str(target), str(source)]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    return target.read_bytes() if done.returncode == 0 else b""


def judged(image: bytes, seconds: float) -> Iterator[tuple[str, str, int]]:
    """(kernel, what came of it, inputs that agreed) of a cubin's kernels; `seconds`: of inputs for each."""
    from cass_shim.decode import decode_kernel
    from cass_shim.extract.cubin import read_cubin
    from cass_shim.lift import lift_kernel
    from cass_shim.model.errors import CassError, Rejected
    from cass_shim.pipeline import assemble
    from cass_shim.verify import candidate, verify_kernel
    from cass_shim.verify.kernel import open_device

    candidate.LAUNCH_SECONDS = LAUNCH_SECONDS
    module, device = read_cubin(image, "corpus"), open_device("emulated")
    for kernel in module.kernels.values():
        try:
            sass = decode_kernel(kernel, module)
            code = assemble(lift_kernel(sass), kernel.abi)
            verified = verify_kernel(code, sass, module, device, budget_s=seconds)
        except Rejected as error:
            yield kernel.name, f"rejected: {error}", 0
        except CassError as error:
            yield kernel.name, f"left out: {error}", 0
        else:
            inputs = verified.report.get("inputs", [])
            yield kernel.name, verified.evidence.name, len(inputs) if isinstance(inputs, list) else 0


class Counters:
    """Wave-instructions of this process, and those that translated code executed, since the last look."""

    def __init__(self) -> None:
        from cass_shim.native.locate import built

        library = ctypes.CDLL(str(built("emulated/libamdhip64.so")))
        self._read = (library.cass_emu_instructions, library.cass_emu_translated)
        for function in self._read:
            function.restype = ctypes.c_uint64
        self._before = (0, 0)

    def since(self) -> tuple[int, int]:
        """The growth of both."""
        now = (int(self._read[0]()), int(self._read[1]()))
        grown = (now[0] - self._before[0], now[1] - self._before[1])
        self._before = now
        return grown


def main(arguments: Sequence[str]) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.corpus", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="of tests/corpus; all without")
    parser.add_argument("--sm", type=int, default=80)
    parser.add_argument("--budget", type=float, default=2.0, help="seconds of inputs for each kernel")
    parser.add_argument("--minutes", type=float, default=0.0, help="no further file after them")
    options = parser.parse_args(arguments)
    until = time.monotonic() + options.minutes * 60 if options.minutes else float("inf")
    files, found, sums = options.files or sorted(CORPUS.glob("*.cu")), Counter[str](), [0, 0]
    os.environ.setdefault("CASS_EMU_NATIVE", "0")  # as the verifier has it
    with tempfile.TemporaryDirectory() as folder:
        counters = Counters()
        for number, source in enumerate(files):
            if time.monotonic() > until:
                print(f"the time is up: {len(files) - number} files are left out")
                break
            image = cubin(source, options.sm, Path(folder))
            found["not built"] += not image
            for kernel, what, inputs in judged(image, options.budget) if image else ():
                executed, translated = counters.since()
                found[what.partition(":")[0]] += 1
                sums = [sums[0] + executed, sums[1] + translated]
                print(f"{source.stem} {kernel}: {what}, {inputs} inputs, {translated} of {executed}", flush=True)
    counts = ", ".join(f"{count} {what}" for what, count in sorted(found.items()) if count)
    print(f"{counts}; translated code executed {sums[1]} of {sums[0]} wave-instructions")
    return int(found["rejected"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
