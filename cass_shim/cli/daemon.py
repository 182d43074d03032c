"""`cass daemon start|status|stop`."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click

from cass_shim.daemon.runtime import PACKAGE_ROOT, Client, check_directory, socket_path
from cass_shim.model.config import Config
from cass_shim.model.errors import CassError, ToolFailed
from cass_shim.model.wire import FrameKind

START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 20.0  # it hands over for at most ten (server.Service.drain)
HANDOVER_S = 60.0
PLACE_FIX = "set CASS_RUNTIME_DIR to a directory of yours with mode 0700"


def ask_daemon(config: Config, kind: FrameKind) -> dict[str, object] | None:
    """The daemon's answer as JSON ({} when it has no text), or None when none is running."""
    try:
        with Client(socket_path(config), 10) as client:
            reply = client.ask(kind)
    except OSError:
        return None
    answer: dict[str, object] = json.loads(reply.body) if reply.body else {}
    return answer


def start_daemon(config: Config) -> None:
    """Start it unless it runs; CassError where its socket has no place, ToolFailed when it does not come up.

    The C client does the same (client/spawn.c).
    """
    path = socket_path(config)
    try:
        check_directory(path.parent)
    except OSError as error:
        raise CassError(f"no place for the daemon's socket: {error}; {PLACE_FIX}") from error
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if ask_daemon(config, FrameKind.STATUS) is not None:
            return
        reading, writing = os.pipe()
        boot = "import sys; sys.path.insert(0, sys.argv.pop(1)); from cass_shim.daemon.__main__ import main; main()"
        command = [sys.executable, "-I", "-c", boot, str(PACKAGE_ROOT), "--serve", "--socket", str(path)]
        subprocess.Popen(
            [*command, "--ready-fd", str(writing)],
            pass_fds=(writing,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )
        os.close(writing)
        with os.fdopen(reading, "rb") as ready:
            if ready.read(1) != b"r":
                raise ToolFailed("daemon", stderr=f"it did not start; see {path}.log")


def connect(config: Config) -> Client:
    """A connection to the daemon, started when there is none."""
    start_daemon(config)
    return Client(socket_path(config), config.number("timeout"))


@click.group("daemon")
def daemon_command() -> None:
    """The translator that programs talk to. It starts by itself and ends when idle."""


@daemon_command.command("start")
def start() -> None:
    """Start the daemon now."""
    config = Config.read()
    start_daemon(config)
    print(socket_path(config))


@daemon_command.command("status")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")
def status(as_json: bool) -> None:
    """Whether the daemon runs, and its counters. Exit status 1 when it does not."""
    config = Config.read()
    facts = ask_daemon(config, FrameKind.STATUS)
    if as_json:
        print(json.dumps({"running": facts is not None, "socket": str(socket_path(config)), **(facts or {})}, indent=2))
    elif facts is None:
        print(f"not running (socket {socket_path(config)})")
    else:
        for name, value in {"socket": socket_path(config), "log": log_path(config), **facts}.items():
            print(f"{name:10} {value}")
    sys.exit(0 if facts is not None else 1)


def log_path(config: Config) -> Path:
    """The daemon's log."""
    path = socket_path(config)
    return path.with_name(path.name + ".log")


@daemon_command.command("stop")
def stop() -> None:
    """End the daemon, which first gives the team's caches what it has for them; the next program starts a new one."""
    config = Config.read()
    facts = ask_daemon(config, FrameKind.STATUS)
    if facts is None or ask_daemon(config, FrameKind.STOP) is None:
        print("not running")
        return
    until = time.monotonic() + STOP_TIMEOUT_S
    while time.monotonic() < until:
        if has_ended(int(str(facts["pid"]))):
            print("stopped")
            return
        time.sleep(0.05)
    raise CassError(f"the daemon did not end within {STOP_TIMEOUT_S:g} s")


def has_ended(pid: int) -> bool:
    """Gone, or a zombie where nobody reaps orphans (a container without init)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("Z")
    except OSError:
        return True


def await_team(config: Config, patience_s: float = HANDOVER_S) -> list[str]:
    """Wait until the daemon has given the team's caches what it made; what went wrong, a line each."""
    until = time.monotonic() + patience_s
    while True:
        facts = ask_daemon(config, FrameKind.STATUS) or {}
        places: Any = facts.get("team", [])
        if not any(one["waiting"] for one in places) or time.monotonic() > until:
            break
        time.sleep(0.1)
    late = [f"{one['place']}: {one['waiting']} translations were not given yet" for one in places if one["waiting"]]
    return late + [f"{one['place']}: trouble ({log_path(config)})" for one in places if one["failures"]]
