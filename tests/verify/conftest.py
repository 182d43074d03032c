"""The emulated device, and a kernel to translate, one a module of tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from cass_shim.device import Device
from cass_shim.model.config import Config
from cass_shim.model.errors import DeviceFailed, ToolFailed
from cass_shim.module import load_module
from cass_shim.pipeline import Work
from cass_shim.verify.kernel import open_device

PREBUILT = Path(__file__).parents[2] / "examples" / "prebuilt"


@pytest.fixture(scope="module")
def device() -> Device:
    try:
        return open_device("emulated")
    except (ToolFailed, DeviceFailed) as error:
        pytest.skip(f"no emulated device: {error}")


@pytest.fixture(scope="module")
def vector_add() -> Work:
    return Work(load_module((PREBUILT / "vector_add_static").read_bytes()), "_Z10vector_addPKfS0_Pfi", Config())
