"""The emulated device, one a module of tests."""

from __future__ import annotations

import pytest

from cass_shim.device import Device
from cass_shim.model.errors import DeviceFailed, ToolFailed
from cass_shim.verify.kernel import open_device


@pytest.fixture(scope="module")
def device() -> Device:
    try:
        return open_device("emulated")
    except (ToolFailed, DeviceFailed) as error:
        pytest.skip(f"no emulated device: {error}")
