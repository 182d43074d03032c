"""The cffi module over our own C: built from the headers, and answering what C answers."""

from __future__ import annotations

import pytest

from cass_shim.native import bindings
from cass_shim.native.bindings_build import HEADERS, declarations
from cass_shim.native.build import NATIVE
from cass_shim.native.locate import emulated_hip


def test_every_function_of_the_headers_is_exported() -> None:
    """Neither a declaration without a body nor a library built without its exports."""
    ffi = bindings.interface()
    client, emulator = bindings.client(), bindings.hip(str(emulated_hip()))
    for name in ("cass_client_module", "cass_client_kernel", "cass_client_holds", "cass_client_close"):
        assert ffi.typeof(getattr(client, name)).kind == "function"
    for name in ("run_asm", "cass_emu_last_error", "hipCassLastFault"):
        assert ffi.typeof(getattr(emulator, name)).kind == "function"
    assert all("#" not in declarations(NATIVE / name) for name in HEADERS)


def test_constants_are_those_of_the_header() -> None:
    ffi = bindings.interface()
    assert bindings.client().CASS_SLOT_PRINTF == 2
    assert ffi.sizeof("cass_kernel_info") == 104


def test_a_key_has_32_bytes() -> None:
    assert bindings.holds(bytes(32)) is False
    with pytest.raises(ValueError, match="32 bytes, not 5"):
        bindings.holds(b"short")


def test_a_library_that_cannot_say_why_says_nothing() -> None:
    """AMD's library has no hipCassLastFault; any library without it stands for AMD's here."""
    assert bindings.last_fault(str(bindings.built("libcass_client.so"))) == ""


def test_the_clients_refusal_reaches_python() -> None:
    ffi, client = bindings.interface(), bindings.client()
    error, manifest = ffi.new("cass_client_error *"), ffi.new("cass_manifest const **")
    content = b"no fatbinary at all"
    assert client.cass_client_module(content, len(content), manifest, error) == -1
    assert error.cuda_error != 0
    assert ffi.string(error.message)
