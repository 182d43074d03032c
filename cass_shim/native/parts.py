"""The one source list: every native output and what it is made of."""

from __future__ import annotations

from cass_shim.native.build import Part
from cass_shim.native.client.generate import generate as client_generate

SHARED = ("-shared", "-Wl,-z,defs", "-Wl,-z,noexecstack", "-Wl,-z,relro")

PARTS: tuple[Part, ...] = (
    Part("cass-probe", ("client/*.c", "client/probe/*.c"), generate=client_generate),
)
