"""Whoever talks to the daemon or in its place: other versions, other users, nonsense and damaged modules."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import struct
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

import cass_shim
from cass_shim.daemon.runtime import Client
from cass_shim.model.wire import FRAME, FrameKind, KernelRequest, ModuleRequest, Status, frame
from tests.daemon.conftest import Place


def serve_bytes(path: Path, answer: bytes) -> socket.socket:
    """A listener that answers every connection with these bytes."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen(8)

    def answer_all() -> None:
        while True:
            try:
                connection, _ = listener.accept()
                connection.recv(1 << 20)
                connection.sendall(answer)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1 << 20):  # closing earlier would take the answer back
                    pass
                connection.close()
            except OSError:
                return

    threading.Thread(target=answer_all, daemon=True).start()
    return listener


ANSWERS = {
    "nothing": b"",
    "garbage": b"\xde\xad\xbe\xef" * 64,
    "another version": struct.pack("<IHHQ", 0x53534143, 99, 16, 16) + bytes(16),
    "a version error": frame(FrameKind.REPLY, struct.pack("<IIQ", int(Status.VERSION), 0, 0)),
    "a huge frame": FRAME.pack(magic=0x53534143, version=1, kind=16, payload_bytes=1 << 60),
    "a truncated reply": frame(FrameKind.REPLY, struct.pack("<IIQ", 0, 0, 500)),
    "a false file": frame(FrameKind.REPLY, struct.pack("<IIQ", 0, 0, 200) + bytes(200)),
}


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_whoever_answers_at_the_socket_cannot_harm_the_program(place: Place, regions: list[Path], answer: str) -> None:
    place.socket.parent.mkdir(mode=0o700)
    listener = serve_bytes(place.socket, ANSWERS[answer])
    done = place.run(regions[0], CASS_TIMEOUT="20")
    listener.close()
    place.socket.unlink(missing_ok=True)
    if answer == "a false file":
        assert "the translator's answer is damaged" in done.stdout
    else:
        assert done.returncode == 0, done.stdout


def test_native_parts_of_another_version_are_told_at_once(place: Place, regions: list[Path], tmp_path: Path) -> None:
    package = tmp_path / "updated" / "cass_shim"
    native = package / "native" / "_build" / "cass-probe"
    native.parent.mkdir(parents=True)
    shutil.copy(place.probe, native)
    behind = str(Path(cass_shim.__file__).parent)
    (package / "__init__.py").write_text(
        f"__path__ = [{behind!r}]\n__version__ = 'updated'\nfrom cass_shim.model import wire\nwire.WIRE_VERSION += 1\n"
    )
    updated = replace(place, probe=native)
    done = updated.run(regions[0], regions[1], CASS_TIMEOUT="40", CASS_IDLE="1", timeout_s=20)
    assert done.returncode != 0
    told = [line for line in (done.stdout + done.stderr).splitlines() if "different versions" in line]
    assert all(f"`cd {package.parent} && {sys.executable} -m cass_shim.native.build`" in line for line in told)
    assert len(told) == 2, done.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
def test_another_user_s_socket_is_not_talked_to(place: Place, regions: list[Path]) -> None:
    place.socket.parent.mkdir(mode=0o700)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(place.socket))
    child = os.fork()
    if child == 0:
        os.setuid(65534)
        listener.listen(8)
        time.sleep(60)
        os._exit(0)
    try:
        done = place.run(regions[0], CASS_TIMEOUT="20")
        assert done.returncode == 0, done.stdout
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        listener.close()
        place.socket.unlink()


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        frame(FrameKind.MODULE, b""),
        frame(FrameKind.KERNEL, b"\xff" * 40),
        frame(FrameKind.REPLY, b""),
        FRAME.pack(magic=0x53534143, version=1, kind=1, payload_bytes=1 << 62),
        FRAME.pack(magic=0x53534143, version=1, kind=77, payload_bytes=0),
        ModuleRequest(bytes(32), 16, b"no module").pack(),
        frame(FrameKind.MODULE, ModuleRequest(bytes(32), 16, b"no module").pack()),
        frame(FrameKind.KERNEL, KernelRequest(bytes(32), "k", "CASS_MIN_EVIDENCE=E9\n").pack()),
    ],
    ids=range(10),
)
def test_nonsense_does_not_end_the_daemon(place: Place, regions: list[Path], sent: bytes) -> None:
    place.run(regions[0])
    pid = place.daemon_pid()
    with Client(place.socket, 10) as client:
        client.connection.sendall(sent)
        client.connection.shutdown(socket.SHUT_WR)
        while client.connection.recv(4096):
            pass
    assert place.daemon_pid() == pid


@pytest.mark.parametrize("cut", [20, 100, 1000, -100, -1])
def test_a_corrupt_module_is_an_error_of_its_own(place: Place, regions: list[Path], tmp_path: Path, cut: int) -> None:
    whole = bytearray(regions[0].read_bytes())
    if cut > 16 + 64:
        whole[cut:] = bytes(len(whole) - cut)
    else:
        whole = whole[:cut]
    path = tmp_path / "corrupt"
    path.write_bytes(whole)
    done = place.run(path)
    assert done.returncode == 1
    assert "failed 200" in done.stdout or "kernels 0" in done.stdout
