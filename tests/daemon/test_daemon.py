"""The daemon and its clients when things go wrong: nothing hangs, nothing is lost, every error is one clear line."""

from __future__ import annotations

import concurrent.futures
import os
import pty
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from cass_shim.daemon.runtime import PACKAGE_ROOT
from tests.daemon.conftest import Place


def children(pid: int) -> list[int]:
    """The direct children of a process."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(") ")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                found.append(int(entry.name))
    return found


def workers(place: Place) -> list[int]:
    """The worker processes: children of the daemon's one child."""
    pid = place.daemon_pid()
    assert pid is not None
    (zygote,) = children(pid)
    return children(zygote)


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """A process that does nothing for the length of the block."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


# ---- the ordinary way ---------------------------------------------------------------------------------------


def test_a_cold_client_starts_the_daemon_and_the_next_run_needs_none(place: Place, regions: list[Path]) -> None:
    first = place.run(*regions)
    assert first.returncode == 0, first.stdout
    assert first.stdout.count("route lift") == 3
    assert place.counters()["translations"] == 3
    place.stop()
    again = place.run(*regions, CASS_PYTHON="/bin/false")
    assert (again.returncode, again.stdout) == (0, first.stdout)


def test_a_setting_that_cannot_be_read_is_named(place: Place, regions: list[Path]) -> None:
    done = place.run(regions[0], CASS_WORKERS="some")
    assert done.returncode == 1
    assert "CASS_WORKERS='some': expected a number, 0 or more" in done.stdout + done.stderr


def test_the_daemon_carries_nothing_of_the_program(place: Place, regions: list[Path]) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    environment = {**place.environment, "LD_PRELOAD": "", "CASS_TRANSLATORS": "lift", "PYTHONHOME": "/nowhere"}
    subprocess.run([place.probe, regions[0]], env=environment, pass_fds=(writing,), check=True, stdout=-3, timeout=60)
    os.close(writing)
    os.set_blocking(reading, False)
    assert os.read(reading, 1) == b"", "somebody still holds the program's descriptor"
    os.close(reading)
    pid = place.daemon_pid()
    assert pid is not None
    kept = Path(f"/proc/{pid}/environ").read_bytes()
    assert b"LD_PRELOAD" not in kept
    assert b"CASS_TRANSLATORS" not in kept
    assert os.getsid(pid) != os.getsid(0)
    assert {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in (0, 1, 2)} == {"/dev/null"}


def test_many_cold_programs_translate_each_kernel_once(place: Place, regions: list[Path]) -> None:
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        runs = list(pool.map(lambda _: place.run(*regions, timeout_s=120), range(32)))
    assert [one.returncode for one in runs] == [0] * 32
    assert len({one.stdout for one in runs}) == 1
    assert place.counters()["translations"] == 3


def test_policies_of_different_programs_do_not_mix(place: Place, regions: list[Path]) -> None:
    assert place.run(regions[1], CASS_TRANSLATORS="lift").returncode == 0
    done = place.run(regions[1], CASS_TRANSLATORS="ptx-hip")
    assert done.returncode == 1
    assert "no translation of kernel" in done.stdout
    assert "ptx-hip: " in done.stdout


def test_a_refusal_is_remembered_without_translating_again(place: Place, regions: list[Path]) -> None:
    runs = [place.run(regions[1], CASS_TRANSLATORS="nonsense") for _ in range(2)]
    assert runs[0].stdout == runs[1].stdout
    assert "unsupported translator nonsense" in runs[0].stdout
    counters = place.counters()
    assert (counters["translations"], counters["negative hits"]) == (1, 1)


def test_an_idle_daemon_ends_and_takes_its_socket_along(place: Place, regions: list[Path]) -> None:
    place.environment["CASS_IDLE"] = "0.2"
    place.run(regions[0])
    for _ in range(100):
        if not place.socket.exists():
            break
        time.sleep(0.05)
    assert not place.socket.exists()
    assert place.run(regions[0]).returncode == 0


def test_progress_names_the_kernel_that_takes_long(place: Place, regions: list[Path]) -> None:
    ours, theirs = pty.openpty()
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [place.probe, "--pause", str(reading), regions[0]],
        env={**place.environment, "CASS_QUIET": "0"},
        stdout=subprocess.PIPE,
        stderr=theirs,
        pass_fds=(reading,),
    )
    os.close(theirs)
    assert process.stdout is not None
    process.stdout.readline()
    (worker,) = workers(place)
    with stopped(worker):
        os.write(writing, b"g")
        shown = os.read(ours, 4096)
    assert shown == b"\r\x1b[Kcass: translating 1/1 kernels (_Z10vector_addPKfS0_Pfi)"
    process.communicate(timeout=60)
    assert process.returncode == 0
    for descriptor in (ours, reading, writing):
        os.close(descriptor)


def test_a_changed_package_ends_the_daemon_and_its_answers(place: Place, regions: list[Path], tmp_path: Path) -> None:
    """With a copy of the package, since a test does not touch the one it runs."""
    copy = tmp_path / "copy"
    ignore = shutil.ignore_patterns("_build", "__pycache__")
    shutil.copytree(PACKAGE_ROOT / "cass_shim", copy / "cass_shim", ignore=ignore)
    build = copy / "cass_shim" / "native" / "_build"
    build.mkdir()
    shutil.copy(place.probe, build)
    place.probe, place.environment["CASS_IDLE"] = build / place.probe.name, "2"
    assert place.run(regions[0]).returncode == 0
    assert place.run(regions[0], CASS_PYTHON="/bin/false").returncode == 0
    before = (place.cache / "v1" / "epoch").read_text()
    (copy / "cass_shim" / "lift" / "__init__.py").open("a").write("# a corrected meaning\n")
    for _ in range(200):
        if (place.cache / "v1" / "epoch").read_text() != before:
            break
        time.sleep(0.05)
    assert (place.cache / "v1" / "epoch").read_text() != before
    assert place.run(regions[0], CASS_PYTHON="/bin/false", CASS_TIMEOUT="5").returncode == 1
    assert place.run(regions[0]).returncode == 0


def test_without_a_daemon_a_child_translates_and_leaves_no_trace(place: Place, regions: list[Path]) -> None:
    done = place.run(*regions, CASS_DAEMON="0")
    assert done.returncode == 0, done.stdout
    assert not place.socket.exists()
    assert place.run(*regions, CASS_PYTHON="/bin/false").returncode == 0


# ---- death in the middle ------------------------------------------------------------------------------------


def test_a_daemon_killed_between_module_and_kernel(place: Place, regions: list[Path]) -> None:
    paused = place.start(regions[0])
    pid = place.daemon_pid()
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    paused.resume()
    code, out, err = paused.finish()
    assert (code, err) == (0, ""), out
    assert place.daemon_pid() not in (None, pid)


def test_a_daemon_killed_while_it_works(place: Place, regions: list[Path]) -> None:
    paused = place.start(regions[0])
    pid = place.daemon_pid()
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    paused.resume()
    time.sleep(0.2)
    os.kill(pid, signal.SIGKILL)
    code, out, _ = paused.finish()
    assert code == 0, out


def test_a_daemon_that_hangs_costs_the_timeout_and_no_more(place: Place, regions: list[Path]) -> None:
    place.run(regions[0])
    place.environment["CASS_MIN_EVIDENCE"] = "none"  # another policy, so that the cache does not answer
    paused = place.start(regions[0], CASS_TIMEOUT="3")
    pid = place.daemon_pid()
    assert pid is not None
    with stopped(pid):
        began = time.monotonic()
        paused.resume()
        code, out, _ = paused.finish(20)
        assert time.monotonic() - began < 10
    assert code == 1
    assert "no answer from the translator within 3 s (CASS_TIMEOUT)" in out


def test_a_worker_that_dies_is_replaced(place: Place, regions: list[Path]) -> None:
    paused = place.start(regions[0])
    (worker,) = workers(place)
    pid = place.daemon_pid()
    os.kill(worker, signal.SIGSTOP)
    paused.resume()
    time.sleep(0.3)
    os.kill(worker, signal.SIGKILL)
    code, out, _ = paused.finish()
    assert code == 0, out
    assert place.daemon_pid() == pid


def test_a_kernel_that_kills_every_worker_is_an_error_of_its_own(place: Place, regions: list[Path]) -> None:
    paused = place.start(regions[0])
    pid = place.daemon_pid()
    for worker in workers(place):
        os.kill(worker, signal.SIGSTOP)
    paused.resume()
    while paused.process.poll() is None:
        time.sleep(0.0005)  # sooner than a worker can answer
        for worker in workers(place):
            with suppress(ProcessLookupError):  # it died between the look and the kill
                os.kill(worker, signal.SIGKILL)
    code, out, _ = paused.finish()
    assert code == 1
    assert "failed 209: kernel _Z10vector_addPKfS0_Pfi was not translated: the worker process died" in out
    assert place.daemon_pid() == pid
    assert place.run(regions[0]).returncode == 0


def test_without_the_workers_parent_the_next_daemon_serves(place: Place, regions: list[Path]) -> None:
    paused = place.start(regions[0])
    pid = place.daemon_pid()
    assert pid is not None
    (zygote,) = children(pid)
    for one in (*workers(place), zygote):
        os.kill(one, signal.SIGKILL)
    paused.resume()
    code, out, _ = paused.finish()
    assert code == 0, out
    assert place.daemon_pid() != pid


def test_a_worker_that_hangs_is_ended(place: Place, regions: list[Path]) -> None:
    paused = place.start(regions[0], CASS_KERNEL_TIMEOUT="0.5")
    (worker,) = workers(place)
    os.kill(worker, signal.SIGSTOP)
    paused.resume()
    code, out, _ = paused.finish()
    assert code == 1
    assert "took longer than 0.5 s (CASS_KERNEL_TIMEOUT)" in out
    assert place.run(regions[0]).returncode == 0


def test_a_program_that_is_killed_harms_nobody(place: Place, regions: list[Path]) -> None:
    paused = place.start(regions[0])
    pid = place.daemon_pid()
    (worker,) = workers(place)
    with stopped(worker):
        paused.resume()
        time.sleep(0.2)
        paused.process.kill()
        paused.finish()
    assert place.run(*regions).returncode == 0
    assert place.daemon_pid() == pid


# ---- places that do not serve -------------------------------------------------------------------------------


def test_a_socket_directory_of_others_is_refused(place: Place, regions: list[Path]) -> None:
    folder = Path(place.environment["CASS_RUNTIME_DIR"])
    folder.mkdir()
    folder.chmod(0o755)
    done = place.run(regions[0], CASS_QUIET="0")
    assert done.returncode == 0
    assert "no daemon is used" in done.stderr
    assert list(folder.iterdir()) == []


def test_a_runtime_path_that_is_too_long_is_lived_without(place: Place, regions: list[Path]) -> None:
    assert place.run(regions[0], CASS_RUNTIME_DIR="/tmp/" + "x" * 100).returncode == 0


def test_a_cache_that_cannot_be_written(place: Place, regions: list[Path]) -> None:
    place.environment["CASS_CACHE_DIR"] = "/proc/cass-shim"
    for _ in range(2):
        done = place.run(*regions)
        assert done.returncode == 0, done.stdout
    log = place.socket.with_name(place.socket.name + ".log").read_text()
    assert log.count("cannot be written") == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a file system")
def test_a_file_system_that_is_really_full(place: Place, regions: list[Path]) -> None:
    place.cache.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k,mode=0700", "cass-test", place.cache], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("mount is not allowed here")
    try:
        done = place.run(*regions)
        assert done.returncode == 0, done.stdout
        place.stop()
        read_only = ["mount", "-o", "remount,ro", place.cache]
        for _ in range(50):  # what the daemon had open for writing is closed when its last process is gone
            if subprocess.run(read_only, capture_output=True, check=False).returncode == 0:
                break
            time.sleep(0.1)
        else:
            pytest.fail("the cache's file system stays busy")
        done = place.run(*regions)
        assert done.returncode == 0, done.stdout
    finally:
        place.stop()
        subprocess.run(["umount", "-l", place.cache], check=False)


def test_the_cache_removed_under_a_running_daemon(place: Place, regions: list[Path]) -> None:
    assert place.run(regions[0]).returncode == 0
    shutil.rmtree(place.cache)
    assert place.run(*regions).returncode == 0
