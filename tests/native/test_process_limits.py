"""The emulated device in a process that may have little: its memory is the process's, and a refusal says so."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.native.runtime_support import built

# argv: the runtime, a name of RLIMIT_, MiB beyond what the process has, MiB asked for
ASK = """
import ctypes, resource, sys
library, which, more, wanted = sys.argv[1], getattr(resource, sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
status = open("/proc/self/status").read()
now = int(status.partition("VmData:" if sys.argv[2] == "RLIMIT_DATA" else "VmSize:")[2].split()[0]) << 10
resource.setrlimit(which, (now + (more << 20), resource.RLIM_INFINITY))
runtime, pointer = ctypes.CDLL(library), ctypes.c_void_p()
codes = [runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(wanted << 20)) for _ in range(2)]
print(codes[0], codes[1])
"""


def ask(which: str, more: int, wanted: int, **settings: str) -> tuple[str, str]:
    """What two allocations under the limit return, and what is said."""
    library = str(built() / "libcudart.so.13")
    done = subprocess.run(
        [sys.executable, "-c", ASK, library, which, str(more), str(wanted)], capture_output=True, text=True, timeout=60,
        env={**os.environ, "CASS_DEVICE": "emulated", **settings}, check=True,
    )  # fmt: skip
    return done.stdout.strip(), done.stderr


@pytest.mark.parametrize("more", [24, 64, 100, 160])
def test_little_data_is_enough_for_a_small_program(more: int) -> None:
    assert ask("RLIMIT_DATA", more, 1) == ("0 0", "")


def test_what_the_process_may_not_have_is_named_once() -> None:
    codes, said = ask("RLIMIT_DATA", 100, 300)
    assert codes == "2 2" and said.count("\n") == 1
    assert "no memory for 314572800 bytes" in said and "MiB of data (ulimit -d); raise the limit" in said


def test_a_full_board_is_the_program_s_own_business() -> None:
    assert ask("RLIMIT_DATA", 1000, 200, CASS_EMU_MEMORY="100M") == ("2 2", "")


def test_no_room_for_the_device_at_all_is_told() -> None:
    codes, said = ask("RLIMIT_AS", 64, 1)
    assert codes == "100 100"
    assert "no address space for device memory (ulimit -v, ulimit -d, or CASS_EMU_ARENA)" in said
