"""`cass precompile`: shows how far it is, stops when told, and goes on from there."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress

from tests.cli.conftest import ROOT, SAMPLES, Shell
from tools.bench.scale_cubin import cubin

TEMPLATE, KERNELS = ROOT / "tools" / "bench" / "scale_kernel.sm_80.cubin", 24
COMMAND = [sys.executable, "-m", "cass_shim.cli.main", "precompile", str(SAMPLES), "-j", "1"]


def records(shell: Shell) -> int:
    return len(list(shell.folder.glob("cache/v1/records/*/*/*.json")))


def translations(shell: Shell) -> float:
    facts = json.loads(shell.cass("cache", "stats", "--json").stdout)
    return float(facts["counters"]["translations"])


def test_an_interrupted_run_is_gone_on_with(shell: Shell) -> None:
    """In a daemon of its own, so that it counts: no kernel is translated twice."""
    many = shell.folder / "many.cubin"
    many.write_bytes(cubin(TEMPLATE.read_bytes(), KERNELS))
    command = [sys.executable, "-m", "cass_shim.cli.main", "precompile", str(many), "-j", "1"]
    process = subprocess.Popen(
        command,
        env=shell.environment,
        cwd=shell.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Tests in a shell's background inherit that SIGINT is ignored (POSIX, "Asynchronous Lists").
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    until = time.monotonic() + 60
    while records(shell) < 1 and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    assert time.monotonic() - began < 15
    found = re.search(r"stopped; (\d+) of (\d+) kernels are in the cache", out)
    assert found, out
    assert int(found[1]) < int(found[2]) == KERNELS
    assert "Traceback" not in err
    done = shell.cass("precompile", many)
    assert done.stdout == f"{KERNELS} of {KERNELS} kernels are in the cache\n"
    assert translations(shell) == KERNELS
    assert shell.cass("precompile", many).returncode == 0
    assert translations(shell) == KERNELS


def test_a_terminal_sees_how_far_it_is(shell: Shell) -> None:
    ours, theirs = pty.openpty()
    environment = {**shell.environment, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(COMMAND, env=environment, cwd=shell.folder, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # EIO: the last writer left
        while piece := os.read(ours, 4096):
            shown += piece
    os.close(ours)
    assert process.wait(60) == 0
    text = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", shown).decode()
    counts = {int(one) for one in re.findall(r"translating \S+ (\d+)/\d+", text)}
    assert len(counts) > 1, text
    assert max(counts) == records(shell)


def test_what_is_no_terminal_sees_no_bar(shell: Shell) -> None:
    done = shell.cass("precompile", SAMPLES)
    assert (done.returncode, done.stderr) == (0, "")
