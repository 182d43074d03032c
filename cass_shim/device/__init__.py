"""HIP devices for Python, AMD's or the emulated one; every verification and replay launches through here."""

from cass_shim.device.device import Buffer, Device, Function, Module
from cass_shim.device.library import Library, open_library

__all__ = ["Buffer", "Device", "Function", "Library", "Module", "open_library"]
