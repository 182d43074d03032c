"""The same device with hip-python 7.2: another way of opening the library, other signatures.

The wheel (66 MB) is not a dependency, as hip-python 10 is: it is taken from `CASS_HIP_PYTHON_7` (a directory that holds
its `hip` package) or from the package index, and the test skips by name where neither is there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.native.hip_support import run_python

RELEASE = "hip-python==7.2.*"
SCRIPT = """
import struct
import numpy as np
from hip import hip
from cass_shim.device import Device
from cass_shim.model.errors import DeviceFailed
from tests.native.hip_support import compile_hip
assert hip.__name__ == "hip.hip", hip.__name__
device = Device.open("emulated")
assert (device.arch, device.emulated, device.compute_units) == ("gfx1100", True, 48)
source = "KERNEL add(const float *a, float *c, int n) { int i = BID * 64 + TID; if (i < n) c[i] += a[i]; }"
module = device.load(compile_hip(source))
data = np.arange(1000, dtype=np.float32)
a, c = device.buffer(data), device.buffer(data)
add = module.function("add")
add.launch((16,), (64,), struct.pack("<QQi", a.address, c.address, 1000))
assert (c.read() == 2 * data).all()
add.launch((1,), (64,), struct.pack("<QQi", a.address, 64, 1000))
try:
    device.synchronize()
except DeviceFailed as failure:
    print(failure.code, failure.reason)
"""


def package(folder: Path) -> Path:
    """A directory with hip-python 7's `hip` package."""
    named = os.environ.get("CASS_HIP_PYTHON_7")
    if named:
        return Path(named)
    download = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), RELEASE]
    if subprocess.run(download, capture_output=True, timeout=240, check=False).returncode:
        pytest.skip(f"{RELEASE} cannot be downloaded here; name a copy by CASS_HIP_PYTHON_7")
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as content:
        wanted = (
            "hip/__init__.py",
            "hip/_version.py",
            "hip/_util/",
            "hip/hip.",
            "hip/chip.",
            "hip/hiprtc",
            "hip/chiprtc",
            "hip/_hip",
        )
        content.extractall(folder, [name for name in content.namelist() if name.startswith(wanted)])
    return folder


@pytest.mark.slow
def test_a_launch_and_a_fault_with_hip_python_7(tmp_path: Path) -> None:
    done = run_python(SCRIPT, PYTHONPATH=os.pathsep.join((str(package(tmp_path)), os.getcwd())))
    assert done.stdout.startswith("700 kernel add: ") and "null pointer" in done.stdout, done.stdout + done.stderr
