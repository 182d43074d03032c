"""Results that do not depend on the order of waves and workgroups are the same every time, on many threads and in both
back ends. For longer, and where one takes over from the other within a launch: `emulator_steady.py CODE SECONDS`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.native.emulator_core_support import compile_hip, library
from tests.native.test_emulator_native import pytestmark

__all__ = ["pytestmark"]
HERE = Path(__file__).parent


def results(code: Path, cache: Path, native: str, threads: int, less: int) -> tuple[dict[str, set[str]], int]:
    """Digests by kernel, and how many wave-instructions were translated."""
    settings = {"CASS_EMU_NATIVE": native, "CASS_EMU_THREADS": str(threads), "CASS_CACHE_DIR": str(cache)}
    command = [sys.executable, str(HERE / "emulator_steady.py"), str(code), "0", str(less)]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    digests, translated = {}, 0
    for line in done.stdout.splitlines():
        kernel, _, told, _, native_count, wrong = line.split("\t")
        assert not wrong, line
        digests[kernel] = {pair.split(":")[0] for pair in told.split(",")}
        translated += int(native_count)
    return digests, translated


def test_every_order_gives_the_same(tmp_path: Path) -> None:
    library()
    code = tmp_path / "code"
    code.write_bytes(compile_hip(HERE / "emulator_steady.hip", tmp_path, "-O2"))
    alone, none = results(code, tmp_path, "0", 1, 20)
    assert len(alone) == 6 and all(len(found) == 1 for found in alone.values()) and none == 0
    for native, threads in (("0", 7), ("wait", 7)):
        found, translated = results(code, tmp_path, native, threads, 20)
        assert found == alone
        assert (translated > 0) == (native == "wait")
