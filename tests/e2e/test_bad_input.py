"""Programs that cannot be launched, damaged programs and failing kernels: a message, an exit code, no hang."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Run
from tools import samples

SHARED = samples.PREBUILT / "symbols_shared_sass"
STATIC = samples.PREBUILT / "matmul_tiled_static_sass"


def zig(source: str, output: Path, *flags: str) -> Path:
    """Build a C program with zig's compiler, for targets the machine's own cannot build."""
    text = output.with_suffix(".c")
    text.write_text(source)
    command = [sys.executable, "-m", "ziglang", "cc", *flags, "-o", str(output), str(text)]
    subprocess.run(command, check=True, capture_output=True)
    return output


def test_a_program_without_cuda_runs_as_if_unlaunched(cass_run: Run) -> None:
    done = cass_run("sh", "-c", "echo out; echo err >&2; exit 7")
    assert (done.stdout, done.stderr, done.returncode) == ("out\n", "err\n", 7)


def test_not_found_is_127(cass_run: Run) -> None:
    done = cass_run("./no-such-program")
    assert done.returncode == 127
    assert "no-such-program" in done.stderr


def test_not_executable_is_126(cass_run: Run, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("hello")
    done = cass_run(plain)
    assert done.returncode == 126
    assert "plain" in done.stderr


def test_truncated_program_is_126(cass_run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(SHARED.read_bytes()[:40])
    broken.chmod(0o755)
    done = cass_run(broken)
    assert done.returncode == 126
    assert "broken" in done.stderr


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (("-target", "x86_64-linux-musl", "-static"), "static"),
        (("-target", "x86_64-linux-musl", "-dynamic"), "musl"),
        (
            (
                "-target",
                "x86-linux-gnu.2.31",
            ),
            "32-bit",
        ),
    ],
    ids=["static", "musl", "32-bit"],
)
def test_programs_that_cannot_be_preloaded_are_126(
    cass_run: Run, tmp_path: Path, flags: tuple[str, ...], reason: str
) -> None:
    program = zig("int main(void) { return 0; }", tmp_path / "program", *flags)
    done = cass_run(program)
    assert done.returncode == 126
    assert reason in done.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a file that runs as somebody else")
def test_set_id_program_is_126(cass_run: Run, tmp_path: Path) -> None:
    program = tmp_path / "setid"
    shutil.copy("/bin/true", program)
    os.chown(program, 65534, 65534)
    os.chmod(program, 0o4755)
    done = cass_run(program)
    assert done.returncode == 126
    assert "set-" in done.stderr


@pytest.mark.parametrize("magic_offset", [0, 4, 6, 8], ids=["magic", "version", "header-size", "size"])
def test_corrupted_fatbinary_is_an_error_by_name(cass_run: Run, tmp_path: Path, magic_offset: int) -> None:
    content = bytearray(SHARED.read_bytes())
    start = 0
    while (start := content.find(b"\x50\xed\x55\xba", start)) >= 0:
        content[start + magic_offset] ^= 0xFF
        start += 4
    broken = tmp_path / "broken"
    broken.write_bytes(content)
    broken.chmod(0o755)
    done = cass_run(broken)
    assert done.returncode != 0, done.stdout
    assert done.returncode < 128, done
    assert "PASS" not in done.stdout


def test_unknown_instruction_is_named(cass_run: Run, tmp_path: Path) -> None:
    """An FFMA becomes an opcode that no NVIDIA GPU has; the kernel's launch fails and says which and where."""
    content = bytearray(STATIC.read_bytes())
    code = content.find(b"\x23\x72")  # FFMA R,R,R,R: low 12 bits 0x223, guard PT
    assert code > 0
    patched = 0
    while code > 0 and patched < 4000:
        if code % 16 == 0:
            content[code : code + 2] = b"\xff\x7f"
            patched += 1
        code = content.find(b"\x23\x72", code + 1)
    assert patched
    broken = tmp_path / "broken"
    broken.write_bytes(content)
    broken.chmod(0o755)
    done = cass_run(broken, CASS_TRANSLATORS="lift")
    assert done.returncode not in (0, 139), done
    assert "matmul" in done.stderr
    assert "PASS" not in done.stdout


FAULTY = """
#include <cstdio>
#include <cuda_runtime.h>
__global__ void faulty(int *p, long i) { p[i + threadIdx.x] = 1; }
int main() {
    int *p;
    if (cudaMalloc(&p, 1024)) return 3;
    faulty<<<1, 32>>>(p, 1l << 40);
    std::printf("%s\\n", cudaGetErrorName(cudaDeviceSynchronize()));
    std::printf("%s\\n", cudaGetErrorName(cudaMalloc(&p, 16)));
    return 0;
}
"""


@pytest.mark.nvcc
@pytest.mark.skipif(bool(samples.can_build()), reason=samples.can_build())
def test_a_wild_store_is_a_sticky_illegal_address(cass_run: Run, tmp_path: Path) -> None:
    source = tmp_path / "faulty.cu"
    source.write_text(FAULTY)
    samples.nvcc(source, tmp_path / "faulty", ("-gencode", "arch=compute_80,code=sm_80"))
    done = cass_run(tmp_path / "faulty")
    assert done.stdout.splitlines() == ["cudaErrorIllegalAddress"] * 2
    assert done.returncode == 0
    assert "faulty" in done.stderr
