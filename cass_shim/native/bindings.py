"""Our own C for our own Python, through cffi.

In: record keys, paths of HIP libraries. Out: what the C side answers: the same code that runs in a target process, so
that a command reports what a program will find and not what Python believes.
"""

from __future__ import annotations

import functools
import importlib.util
from typing import Any

from cass_shim.model.errors import ToolFailed
from cass_shim.native.locate import built

MODULE = "cass_native"  # written by native/bindings_build.py; loading it does not import cffi's parser


@functools.cache
def interface() -> Any:
    """The generated `ffi`. ToolFailed when the native parts are not built."""
    path = built(f"{MODULE}.py")
    found = importlib.util.spec_from_file_location(MODULE, path)
    if found is None or found.loader is None:
        raise ToolFailed("bindings", stderr=f"{path} is no Python module: build the native parts again")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module.ffi


@functools.cache
def client() -> Any:
    """The client of `native/client`, in this process; it reads the settings from the environment, once."""
    return interface().dlopen(str(built("libcass_client.so")))


@functools.cache
def hip(path: str) -> Any:
    """What an emulated `libamdhip64.so` exports beside HIP; an attribute that it lacks raises ffi.error."""
    return interface().dlopen(path)


def holds(key: bytes) -> bool:
    """Whether a program of this user would run the local cache's code for a record key (32 bytes) as it stands."""
    if len(key) != 32:
        raise ValueError(f"a record key has 32 bytes, not {len(key)}")
    return bool(client().cass_client_holds(key))


def last_fault(path: str) -> str:
    """Why this thread's last call into the HIP library at `path` failed; "" where the library cannot say."""
    try:
        query = hip(path).hipCassLastFault
    except interface().error:  # AMD's library: no such symbol
        return ""
    text = interface().new("char[]", 1024)
    query(text, len(text))
    return bytes(interface().string(text)).decode(errors="replace")
