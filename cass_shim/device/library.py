"""Which `libamdhip64.so` this process uses, and making hip-python use it.

In: a device kind, `CASS_HIP_LIBRARY`. Out: the `hip` module of hip-python bound to the chosen library, and our own
handle to the same library for the two queries that HIP does not have (why a launch failed).

How hip-python finds its library (read in its installed sources, `Source: cyhip.pyx, chip.pyx, util/paths.py`):
7.x calls `dlopen(hip.chip.DLL)`, a module attribute, at the first HIP call. 10.x calls
`rocm.bindings.util.paths.get_library_path("amdhip64")` at the first HIP call and keeps the answer; that function
looks below its own package, asks `rocm_sdk`, then `$ROCM_PATH/lib` or `/opt/rocm/lib`, and ends with the bare name.
So a preloaded library with the right SONAME is found only on machines without ROCm. Both doors are set instead, for
the one call that opens the library, and afterwards the process must have the chosen file mapped and no other.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cass_shim.model.errors import DeviceFailed
from cass_shim.native import bindings, locate

REAL_NAMES = ("libamdhip64.so.10", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so")
KINDS = ("auto", "hip", "emulated")
DELETED = " (deleted)"  # a mapped file that was replaced, by a build or an upgrade


@dataclass(frozen=True)
class Library:
    """A loaded HIP library. hip: hip-python's module bound to it. native: the same library by ctypes."""

    path: str
    kind: str
    hip: Any
    native: ctypes.CDLL

    def reason(self) -> str:
        """Why the last call or launch failed, or "" where the library cannot say (AMD's)."""
        return bindings.last_fault(self.path)


_lock = threading.Lock()
_opened: Library | None = None


def candidates(kind: str) -> list[tuple[str, str]]:
    """(library, kind) in the order to try. A named library stands for whatever kind was asked for."""
    named = os.environ.get("CASS_HIP_LIBRARY", "")
    if named:
        return [(named, "named")]
    found = [(name, "hip") for name in REAL_NAMES] if kind in ("auto", "hip") else []
    if kind in ("auto", "emulated"):
        found.append((str(locate.emulated_hip()), "emulated"))
    return found


def usable(path: str) -> tuple[ctypes.CDLL | None, str]:
    """The library if it loads and has a device, else the reason."""
    try:
        native = ctypes.CDLL(path)
    except OSError as failure:
        return None, str(failure)
    count = ctypes.c_int(0)
    code = native.hipGetDeviceCount(ctypes.byref(count))
    if code != 0 or count.value < 1:
        return None, f"{path}: hipGetDeviceCount: HIP error {code}, {count.value} devices"
    return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL), ""  # global only now: another may be taken instead


def file_of(native: ctypes.CDLL) -> str:
    """The file that a loaded library was mapped from, by the address of one of its functions."""
    address = ctypes.cast(native.hipInit, ctypes.c_void_p).value or 0
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, *rest = line.split(maxsplit=5)
        low, high = (int(part, 16) for part in span.split("-"))
        if low <= address < high and len(rest) == 5:
            return rest[4].removesuffix(DELETED)
    return ""


def mapped_libraries() -> set[str]:
    """Every libamdhip64 that is mapped into this process."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    paths = {line.split(maxsplit=5)[5].removesuffix(DELETED) for line in lines if "libamdhip64" in line}
    return {path for path in paths if os.path.basename(path).startswith("libamdhip64.so")}


def bind_hip_python(path: str) -> Any:
    """hip-python's `hip` module, bound to the library at `path`. DeviceFailed when it is not to be had."""
    try:
        hip: Any = importlib.import_module("hip").hip
    except (ImportError, AttributeError) as failure:
        raise DeviceFailed("import hip", 100, f"hip-python is not installed: {failure}") from failure
    if not hip.__name__.startswith("rocm."):  # 7.x
        chip: Any = importlib.import_module("hip.chip")
        chip.DLL = os.fsencode(path)
        hip.hipInit(0)
        return hip
    paths: Any = importlib.import_module("rocm.bindings.util.paths")
    original = paths.get_library_path
    paths.get_library_path = lambda name, *rest: os.fsencode(path) if name == "amdhip64" else original(name, *rest)
    try:
        hip.hipInit(0)
    finally:
        paths.get_library_path = original
    return hip


def open_library(kind: str = "auto") -> Library:
    """The process's HIP library; the first call decides, a later one must agree.

    kind: "auto" (AMD's where it has a device, else the emulated one), "hip" or "emulated".
    DeviceFailed: no library, no device, hip-python bound to another library already, or another kind is open.
    """
    global _opened
    if kind not in KINDS:
        raise DeviceFailed("open", 100, f"device kind {kind!r} is none of {', '.join(KINDS)}")
    with _lock:
        if _opened is None:
            _opened = _open(kind)
        elif kind != "auto" and _opened.kind not in (kind, "named"):
            raise DeviceFailed("open", 100, f"this process already uses the {_opened.kind} device ({_opened.path})")
        return _opened


def _open(kind: str) -> Library:
    reasons, rejected = [], set[str]()
    for name, found in candidates(kind):
        before = mapped_libraries()
        native, reason = usable(name)
        if native is None:
            reasons.append(reason)
            rejected |= mapped_libraries() - before  # AMD's without a device stays mapped, and nobody calls it
            continue
        path = file_of(native) or name
        hip = bind_hip_python(path)
        others = {other for other in mapped_libraries() if os.path.realpath(other) != os.path.realpath(path)}
        if others - rejected or (others and not _has_device(hip)):
            raise DeviceFailed("open", 100, f"hip-python already uses {', '.join(sorted(others))}, not {path}")
        return Library(path, found, hip, native)
    raise DeviceFailed("open", 100, "no device: " + "; ".join(reasons))


def _has_device(hip: Any) -> bool:
    """Whether the library that hip-python calls sees one; the rejected ones do not."""
    error, count = hip.hipGetDeviceCount()
    return int(error) == 0 and int(count) > 0
