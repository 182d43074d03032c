"""The manifest layout: what is packed is read back, and any changed byte is noticed."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cass_shim.model.errors import Malformed
from cass_shim.model.kernel_abi import KernelAbi, Param
from cass_shim.model.manifest import (
    Manifest,
    ManifestImage,
    ManifestKernel,
    ManifestRelocation,
    ManifestVariable,
    pack_manifest,
    read_manifest,
)

U32 = st.integers(0, 2**32 - 1)
NAMES = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF), min_size=1, max_size=40)
SLOW_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def abis() -> st.SearchStrategy[KernelAbi]:
    params = st.lists(st.tuples(U32, U32), max_size=5).map(
        lambda pairs: tuple(Param(i, offset, size) for i, (offset, size) in enumerate(pairs))
    )
    block = st.none() | st.tuples(st.integers(1, 1024), st.integers(1, 64), st.integers(1, 64))
    return st.builds(
        KernelAbi,
        params=params,
        params_bytes=U32,
        registers=U32,
        shared_bytes=U32,
        local_bytes=U32,
        max_threads=U32,
        required_block=block,
        cooperative=st.booleans(),
    )


def images() -> st.SearchStrategy[ManifestImage]:
    filled = st.binary(min_size=1, max_size=64).map(lambda content: ManifestImage("global", len(content), 16, content))
    return filled | st.builds(ManifestImage, kind=st.just("zero"), size=U32, align=st.just(8))


manifests = st.builds(
    Manifest,
    module=st.binary(min_size=32, max_size=32),
    kernels=st.lists(
        st.builds(
            ManifestKernel,
            name=NAMES,
            key=st.binary(min_size=32, max_size=32),
            abi=abis(),
            sm=U32,
            ptx_version=U32,
            const_bytes=U32,
        ),
        max_size=4,
    ).map(tuple),
    images=st.lists(images(), max_size=3).map(tuple),
    variables=st.lists(
        st.builds(
            ManifestVariable,
            name=NAMES,
            image=U32,
            offset=U32,
            size=U32,
            visible=st.booleans(),
            managed=st.booleans(),
        ),
        max_size=3,
    ).map(tuple),
    relocations=st.lists(
        st.builds(
            ManifestRelocation,
            image=U32,
            offset=U32,
            variable=st.none() | U32,
            addend=st.integers(-(2**63), 2**63 - 1),
        ),
        max_size=3,
    ).map(tuple),
)


@SLOW_MACHINE
@given(manifests)
def test_what_is_packed_is_read_back(manifest: Manifest) -> None:
    assert read_manifest(pack_manifest(manifest)) == manifest


@SLOW_MACHINE
@given(manifests, st.data())
def test_any_changed_byte_is_malformed(manifest: Manifest, data: st.DataObject) -> None:
    content = bytearray(pack_manifest(manifest))
    position = data.draw(st.integers(0, len(content) - 1))
    if 12 <= position < 16 or 24 <= position < 32:
        return  # the header's reserved words mean nothing
    content[position] ^= data.draw(st.integers(1, 255))
    with pytest.raises(Malformed):
        read_manifest(bytes(content))


def test_every_truncation_is_malformed() -> None:
    manifest = Manifest(bytes(32), (ManifestKernel("k", bytes(32), KernelAbi(), 80),))
    content = pack_manifest(manifest)
    for size in range(len(content)):
        with pytest.raises(Malformed):
            read_manifest(content[:size])


def test_a_name_with_nul_is_refused() -> None:
    with pytest.raises(Malformed, match="NUL"):
        pack_manifest(Manifest(bytes(32), (ManifestKernel("a\0b", bytes(32), KernelAbi(), 80),)))
