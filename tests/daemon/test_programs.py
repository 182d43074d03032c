"""Whole CUDA programs when the daemon, the disk or the home directory fails: right output, or one clear line."""

from __future__ import annotations

import concurrent.futures
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from cass_shim.native.build import BUILD, build_all
from tests.daemon.conftest import EXAMPLES, Place

EXPECTED = EXAMPLES.parent / "expected"
SAMPLES = {
    "vector_add_static": "vector_add",
    "mandelbrot_shared": "mandelbrot",
    "matmul_tiled_static_sass": "matmul_tiled",
}


@pytest.fixture(scope="module")
def launcher() -> Path:
    """cass-run with everything it needs."""
    path = BUILD / "cass-run"
    if not path.exists() or not (BUILD / "emulated" / "libamdhip64.so").exists():
        build_all()
    return path


@pytest.fixture
def programs(place: Place) -> Place:
    """The emulated device, and what a user would have set: nothing."""
    del place.environment["CASS_HIP_LIBRARY"], place.environment["CASS_QUIET"]
    place.environment["CASS_DEVICE"] = "emulated"
    return place


def run(launcher: Path, place: Place, sample: str, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [launcher, EXAMPLES / sample],
        env={**place.environment, **changes},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def assert_right(sample: str, done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stderr
    assert done.stdout == (EXPECTED / f"{SAMPLES[sample]}.txt").read_text()


def test_a_daemon_killed_in_the_middle(launcher: Path, programs: Place) -> None:
    assert_right("vector_add_static", run(launcher, programs, "vector_add_static"))
    pid = programs.daemon_pid()
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        second = pool.submit(run, launcher, programs, "mandelbrot_shared")
        time.sleep(0.5)
        os.kill(pid, signal.SIGKILL)
        assert_right("mandelbrot_shared", second.result())


def test_a_read_only_home(launcher: Path, programs: Place) -> None:
    del programs.environment["CASS_CACHE_DIR"]
    programs.environment |= {"HOME": "/proc/self", "XDG_CACHE_HOME": "/proc/self/cache"}
    for _ in range(2):
        assert_right("mandelbrot_shared", run(launcher, programs, "mandelbrot_shared"))


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a file system")
def test_a_full_cache_disk(launcher: Path, programs: Place) -> None:
    programs.cache.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k,mode=0700", "cass-test", str(programs.cache)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mount is not allowed here")
    try:
        for sample in SAMPLES:
            assert_right(sample, run(launcher, programs, sample))
    finally:
        programs.stop()
        subprocess.run(["umount", "-l", programs.cache], check=False)


def test_no_daemon_at_all(launcher: Path, programs: Place) -> None:
    assert_right("vector_add_static", run(launcher, programs, "vector_add_static", CASS_DAEMON="0"))
    assert not programs.socket.exists()


def test_programs_that_start_together(launcher: Path, programs: Place) -> None:
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        runs = {pool.submit(run, launcher, programs, sample): sample for sample in list(SAMPLES) * 4}
    for done, sample in runs.items():
        assert_right(sample, done.result())
    assert programs.counters()["translations"] == len(SAMPLES)


def test_a_kernel_without_translation_is_the_driver_s_error_and_a_reason(launcher: Path, programs: Place) -> None:
    done = run(launcher, programs, "matmul_tiled_static_sass", CASS_TRANSLATORS="ptx-hip")
    assert done.returncode not in (0, -signal.SIGSEGV, -signal.SIGABRT)
    assert "no translation of kernel _Z6matmulPKfS0_Pfiii" in done.stderr
    assert "it holds no PTX to translate" in done.stderr


def test_a_translator_that_cannot_start_is_one_line(launcher: Path, programs: Place) -> None:
    done = run(launcher, programs, "vector_add_static", CASS_PYTHON="/bin/false")
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("cass: ")]
    assert line.startswith("cass: the translator (/bin/false) ")
    assert line.endswith("; run `cass doctor`")


def test_kept_artifacts_lie_where_the_program_ran(launcher: Path, programs: Place, tmp_path: Path) -> None:
    for _ in range(2):  # the second time from a full cache
        kept = tmp_path / "kept"
        done = subprocess.run(
            [launcher, "--keep", "kept", "--", EXAMPLES / "vector_add_static"],
            env=programs.environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert_right("vector_add_static", done)
        names = {path.suffix for path in kept.iterdir()}
        assert names == {".ll", ".json", ".hsaco"}
        for path in kept.iterdir():
            path.unlink()
