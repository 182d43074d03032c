"""The device and the software of this machine, as a report names them. In: an open device. Out: facts by name."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from cass_shim import __version__
from cass_shim.assemble.toolchain import toolchain
from cass_shim.device import Device
from cass_shim.model.errors import DeviceFailed

PACKAGES = ("hip-python", "llvmlite", "numpy", "ziglang")
AMDGPU = Path("/sys/module/amdgpu/version")  # of the out-of-tree driver; the kernel's own has none


def device_facts(device: Device) -> dict[str, str]:
    """What the device says of itself."""
    return {
        "name": device.name or "unnamed",
        "arch": device.arch,
        "compute units": str(device.compute_units),
        "memory MiB": str(device.memory_bytes >> 20),
        "library": Path(device.library.path).name,
    }


def driver_facts(device: Device) -> dict[str, str]:
    """Versions of HIP and of the kernel's driver."""
    found = {"system": f"{platform.system()} {platform.release()} {platform.machine()}"}
    for name, call in (("HIP runtime", "hipRuntimeGetVersion"), ("HIP driver", "hipDriverGetVersion")):
        try:
            found[name] = str(device.call(call))
        except (DeviceFailed, AttributeError, TypeError):
            found[name] = "unknown"
    if not device.emulated:
        found["amdgpu"] = AMDGPU.read_text().strip() if AMDGPU.is_file() else "the kernel's own"
    return found


def software_versions() -> dict[str, str]:
    """What translates and launches."""
    found = {"cass-shim": __version__, "Python": sys.version.split()[0], **toolchain().provenance}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
