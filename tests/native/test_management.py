"""libnvidia-ml.so.1 and libnvToolsExt.so.1: what programs that ask about devices, or mark ranges, get."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.native.runtime_support import CONFORMANCE, built, run_emulated

NATIVE = Path(__file__).resolve().parents[2] / "cass_shim" / "native"
NEED_CC = "" if shutil.which("cc") else "needs a C compiler"
pytestmark = pytest.mark.skipif(bool(NEED_CC), reason=NEED_CC)


def compiled(folder: Path, name: str, *sources: str | Path, flags: tuple[str, ...] = ()) -> Path:
    target = folder / name
    subprocess.run(["cc", "-w", "-I", str(NATIVE), *flags, *map(str, sources), "-o", str(target), "-ldl"], check=True)
    return target


def test_questions_about_devices(tmp_path: Path) -> None:
    """Codes recorded on an NVIDIA H200 (driver 580.159.04); ours may say "not supported" (3) instead, about what the
    board cannot tell. The emulated board tells nothing. Lines with '#' are values."""
    done = run_emulated(compiled(tmp_path, "management", CONFORMANCE / "management.c"))
    lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
    recorded = (CONFORMANCE / "management.expected").read_text().splitlines()
    for ours, theirs in zip(lines, recorded, strict=False):
        assert ours == theirs or (ours.endswith(" 3") and ours.rsplit(" ", 1)[0] == theirs.rsplit(" ", 1)[0])
    assert len(lines) > len(recorded), "the recording ended in a crash of its own"
    assert lines.count("same 1") == 2 and lines.count("sum 1") == 2  # found again by UUID and by address; memory
    assert lines[-2:] == ["shutdown_too_often 1", "name_after 1"]
    assert "# AMD Radeon" in done.stdout


def test_the_kernels_files_about_a_board(tmp_path: Path) -> None:
    """Numbers and sensors below the board's PCI address; nothing where the board is not AMD's."""
    board = tmp_path / "boards" / "0000:0a:00.0"
    (board / "hwmon" / "hwmon3").mkdir(parents=True)
    (board / "vendor").write_text("0x1002\n")
    (board / "gpu_busy_percent").write_text("37\n")
    (board / "hwmon" / "hwmon3" / "temp1_input").write_text("61000\n")
    source = tmp_path / "ask.c"
    source.write_text(r"""
#include <stdio.h>
#include "management/nvml.h"
void cass_nvml_address(nvmlDevice_t device, int digits, char *to, size_t bytes) {
    snprintf(to, bytes, "%0*X:0A:00.0", digits, 0);
}
int main(void) {
    const char *names[] = {"gpu_busy_percent", "hwmon/temp1_input", "hwmon/power1_average"};
    for (int i = 0; i < 3; i++) {
        unsigned long long v = 0;
        int found = cass_board_number(0, names[i], &v);
        printf("%d %llu\n", found, found ? v : 0);
    }
}
""")
    flags = (f'-DCASS_BOARD_FILES="{tmp_path / "boards"}"',)
    ask = compiled(tmp_path, "ask", source, NATIVE / "management" / "board.c", flags=flags)
    assert subprocess.run([ask], capture_output=True, text=True, check=True).stdout == "1 37\n1 61000\n0 0\n"
    (board / "vendor").write_text("0x8086\n")
    assert subprocess.run([ask], capture_output=True, text=True, check=True).stdout == "0 0\n0 0\n0 0\n"


def test_ranges_without_a_tool(tmp_path: Path) -> None:
    """A program linked with libnvToolsExt.so.1 loads, and hears that nothing is tracked."""
    source = tmp_path / "ranges.c"
    source.write_text(r"""
#include <stdio.h>
int nvtxRangePushA(const char *);
int nvtxRangePop(void);
void nvtxMarkA(const char *);
void *nvtxDomainCreateA(const char *);
int main(void) {
    nvtxMarkA("here");
    printf("%d %d %d\n", nvtxRangePushA("a"), nvtxRangePop(), nvtxDomainCreateA("d") == 0);
}
""")
    program = compiled(tmp_path, "ranges", source, built() / "libnvToolsExt.so.1")
    assert run_emulated(program).stdout == "-2 -2 1\n"


def test_a_missing_library_is_named(tmp_path: Path) -> None:
    """Libraries that are not ours (cuBLAS, cuFFT …) must be installed: the loader names the one that is not there."""
    library = compiled(
        tmp_path, "libcublas.so.13", "-x", "c", "/dev/null", flags=("-shared", "-Wl,-soname,libcublas.so.13")
    )
    source = tmp_path / "user.c"
    source.write_text("int main(void) { return 0; }")
    program = compiled(tmp_path, "user", source, library, flags=("-Wl,--no-as-needed",))
    os.remove(library)
    done = run_emulated(program)
    assert done.returncode == 127 and "libcublas.so.13" in done.stderr
