"""The process that holds the models: the same answers as here, one load for all, gone when nobody asks."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cass_shim.daemon.model_host import ModelHost
from cass_shim.daemon.runtime import check_directory
from cass_shim.model.config import Config
from cass_shim.model.errors import ToolFailed, Unsupported
from cass_shim.translate.cass import models
from cass_shim.translate.cass.fields import source_lines
from cass_shim.translate.cass.host import SharedModel
from cass_shim.translate.cass.models import Decoding, Message, choose, share
from cass_shim.translate.cass.shipped import ShippedModel
from tests.translate.cass.test_fields import joined, kernel

PROMPT = (Message("user", joined(source_lines(kernel()[0]))),)


@pytest.fixture
def host(tmp_path: Path) -> Any:
    """A host that gives up after a second without a request."""
    pytest.importorskip("torch", reason="no torch")
    directory = tmp_path / "rt"
    check_directory(directory)
    one = ModelHost(Config(runtime_dir=str(directory)), idle_s=1.0)
    one.wanted_by(Config(translators="cass,lift"))
    yield one
    one.close()


def test_the_host_answers_as_the_model_itself_and_ends_when_nobody_asks(
    tiny: tuple[Path, Any], host: ModelHost
) -> None:
    here, there = ShippedModel(tiny[0]), SharedModel(host.path, str(tiny[0]))
    assert (there.identity, there.window, there.contract) == (here.identity, here.window, here.contract)
    assert there.count_tokens("EXIT") == here.count_tokens("EXIT")
    (own,) = here.generate(PROMPT, Decoding(max_tokens=30))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: there.generate(PROMPT, Decoding(max_tokens=30)), range(4)))
    assert [one[0].ids for one in found] == [own.ids] * 4  # how sure it was differs in the last digits
    sampled = Decoding(count=2, temperature=1.0, max_tokens=12, seed=7)
    assert there.generate(PROMPT, sampled) == here.generate(PROMPT, sampled)
    again = Decoding(max_tokens=20, prefixes=(own.ids[:5], own.ids[:3]))
    assert there.generate(PROMPT, again) == here.generate(PROMPT, again)
    first = host.process
    assert first is not None
    assert first.wait(30) == 0  # unloaded: nobody asked for a second
    host.wanted_by(Config(translators="cass"))
    assert host.process is not first
    assert there.generate(PROMPT, Decoding(max_tokens=30))[0].ids == own.ids


def test_a_policy_without_the_model_starts_nothing(tmp_path: Path) -> None:
    one = ModelHost(Config(runtime_dir=str(tmp_path)))
    one.wanted_by(Config(translators="lift,ptx-hip"))
    assert one.process is None
    one.close()


def test_what_is_wrong_with_a_model_is_said_as_here(host: ModelHost, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match=r"translator cass: model .*nothing cannot be loaded"):
        SharedModel(host.path, str(tmp_path / "nothing")).generate(PROMPT, Decoding(max_tokens=4))
    with socket.socket(socket.AF_UNIX) as strange:
        strange.connect(str(host.path))
        strange.sendall(b"nonsense\n")
        assert "failed" in json.loads(strange.makefile().readline())


def test_without_a_host_the_model_is_loaded_here(tiny: tuple[Path, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cass_shim.translate.cass.host.CONNECT_S", 0.1)
    share(Path("/nowhere/at.all"))
    try:
        assert isinstance(choose(str(tiny[0]), 80), ShippedModel)
    finally:
        share(None)


def test_a_host_that_dies_is_a_tool_failure(tiny: tuple[Path, Any], host: ModelHost) -> None:
    model = SharedModel(host.path, str(tiny[0]))
    assert host.process is not None
    host.process.kill()
    host.process.wait()
    host.path.unlink(missing_ok=True)
    models.share(None)
    began = time.monotonic()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cass_shim.translate.cass.host.CONNECT_S", 0.2)
        with pytest.raises(ToolFailed, match="model host"):
            model.generate(PROMPT, Decoding(max_tokens=4, timeout_s=5))
    assert time.monotonic() - began < 60
    assert isinstance(host.process, subprocess.Popen)
