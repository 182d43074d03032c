"""Device code that is larger than what the translator takes at once: said so before anything is copied or sent."""

from __future__ import annotations

import ctypes

from cass_shim.model.wire import REQUEST_LIMIT
from cass_shim.native.build import BUILD, build_all


class LinkInput(ctypes.Structure):
    """`cass_link_input` of client.h."""

    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("content", ctypes.c_char_p),
        ("bytes", ctypes.c_size_t),
    )


LINK_RESULT_BYTES = 7 * 8  # of `cass_link_result`


class ClientError(ctypes.Structure):
    """`cass_client_error` of client.h."""

    _fields_ = (("cuda_error", ctypes.c_int), ("message", ctypes.c_char * 512))


def test_images_beyond_the_limit_are_named_with_their_size() -> None:
    """The content is a few bytes: reading what its size claims would end this process."""
    build_all(["libcass_client"])
    client = ctypes.CDLL(str(BUILD / "libcass_client.so"))
    one = LinkInput(0, b"large", b"\x7fELF", REQUEST_LIMIT)
    result, error = ctypes.create_string_buffer(LINK_RESULT_BYTES), ClientError()
    done = client.cass_client_link(ctypes.byref(one), 1, result, ctypes.byref(error))
    assert (done, error.cuda_error) == (-1, 999)
    message = error.message.decode()
    assert f"more than the {REQUEST_LIMIT} that the translator takes at once" in message
    assert int(message.split(" bytes")[0].split()[-1]) > REQUEST_LIMIT
    assert "fewer GPU architectures" in message
