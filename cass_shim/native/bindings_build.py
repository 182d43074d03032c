"""The cffi module over our own C, written by cffi's builder: `_build/cass_native.py`.

In: the C headers themselves, so that a signature stands in one place. Out: an out-of-line module in ABI mode. API mode
would need Python's own headers, which a machine with nothing but Python and venv does not have (docs/adr/0009).
"""

from __future__ import annotations

from pathlib import Path

from cffi import FFI

from cass_shim.native.bindings import MODULE
from cass_shim.native.build import BUILD, NATIVE

HEADERS = ("client/client.h", "emulator/run_asm.h")


def declarations(header: Path) -> str:
    """A header as cffi reads it: without preprocessor lines."""
    return "".join(line for line in header.read_text().splitlines(True) if not line.startswith("#"))


def bindings_generate(_: Path) -> None:
    """Writes the module when it is missing or a header changed."""
    ffi = FFI()
    for name in HEADERS:
        ffi.cdef(declarations(NATIVE / name))
    ffi.set_source(MODULE, None)
    BUILD.mkdir(parents=True, exist_ok=True)
    ffi.emit_python_code(str(BUILD / f"{MODULE}.py"))
