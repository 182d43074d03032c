"""A module as a program registers it: its images, the one that is translated, and the manifest that C reads.

In: a fatbinary region. Out: a `Module`, and its `Manifest`. Raises Malformed and Unsupported.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from cass_shim.cache.key import CacheKey, ptx_key, sass_key
from cass_shim.extract.choice import choose_entries
from cass_shim.model.artifacts import (
    Cubin,
    DataImage,
    EntryKind,
    FatbinEntry,
    PtxModule,
    Variable,
)
from cass_shim.model.errors import Malformed, Unsupported
from cass_shim.model.kernel_abi import KernelAbi
from cass_shim.model.manifest import (
    Manifest,
    ManifestImage,
    ManifestKernel,
    ManifestRelocation,
    ManifestVariable,
)


@dataclass(frozen=True)
class Module:
    """One fatbinary's chosen entry with what stands beside it. digest: SHA-256 of the entry as stored.

    spilled: its kernels are to keep shared memory in an arena (KernelAbi.spilled).
    """

    digest: bytes
    sm: int
    cubin: Cubin | None
    ptx: PtxModule | None
    ptx_version: int = 0
    spilled: bool = False

    @cached_property
    def kernels(self) -> Mapping[str, KernelAbi]:
        """Every kernel's contract: from the cubin, or from PTX where there is no cubin."""
        if self.cubin is not None:
            return {name: kernel.abi for name, kernel in self.cubin.kernels.items()}
        if self.ptx is None:
            return {}
        from cass_shim.translate.ptx_hip import kernel_abi, kernels

        return {name: replace(kernel_abi(self.ptx, name), spilled=self.spilled) for name in kernels(self.ptx)}

    @cached_property
    def for_spilled(self) -> Module:
        """This module as its kernels are wanted for launches with more shared memory than LDS has."""
        if self.spilled:
            return self
        if self.cubin is None:
            return replace(self, spilled=True)
        kernels = {
            name: replace(kernel, abi=replace(kernel.abi, spilled=True)) for name, kernel in self.cubin.kernels.items()
        }
        return replace(self, cubin=replace(self.cubin, kernels=kernels), spilled=True)

    @cached_property
    def data(self) -> tuple[tuple[DataImage, ...], tuple[Variable, ...], Mapping[str, int]]:
        """Images, variables, and the tokens of the functions that images point to."""
        if self.cubin is not None:
            functions = (*self.cubin.functions.values(), *self.cubin.kernels.values())
            return self.cubin.images, self.cubin.variables, {one.name: one.token for one in functions}
        if self.ptx is None:
            return (), (), {}
        from cass_shim.translate.ptx_hip import module_data, module_tokens

        return (*module_data(self.ptx), module_tokens(self.ptx))

    def key(self, kernel: str, gfx: str) -> CacheKey:
        """What an answer for this kernel must satisfy."""
        if self.cubin is not None:
            return sass_key(self.cubin.kernels[kernel], self.cubin, gfx)
        assert self.ptx is not None
        return ptx_key(self.ptx.text, kernel, self.kernels[kernel], gfx)


def load_module(region: bytes, entry_offset: int = 0, digest: bytes = b"", source: str = "") -> Module:
    """Take a region apart. The entry is the one at `entry_offset` with that digest, as the client chose it.

    Without a digest the choice is made here. Raises Malformed or Unsupported.
    """
    from cass_shim.extract.fatbin import read_fatbins

    entries = [entry for fatbin in read_fatbins(region, source) for entry in fatbin.entries]
    chosen, _ = choose_entries(entries)
    if digest:
        named = [one for one in entries if hashlib.sha256(one.stored).digest() == digest]
        if named and all(one.offset != entry_offset for one in named):
            raise Malformed("the chosen entry lies elsewhere", where=source, offset=entry_offset)
        chosen = named[0] if named else None  # None: an entry without code, which extraction leaves out
    return make_module(chosen, entries, source, digest)


def make_module(
    chosen: FatbinEntry | None, entries: Sequence[FatbinEntry], source: str = "", digest: bytes = b""
) -> Module:
    """The module of a chosen entry (None: no code at all) and the entries that lie beside it."""
    from cass_shim.extract.cubin import read_cubin

    if chosen is None:
        return Module(digest, 0, None, None)
    digest = hashlib.sha256(chosen.stored).digest()
    _, beside = choose_entries([chosen, *(one for one in entries if one.kind is EntryKind.PTX)], chosen.sm)
    if chosen.kind is EntryKind.PTX:
        return Module(digest, chosen.sm, None, _ptx(chosen, source), _version(chosen))
    cubin = read_cubin(_linked(chosen.payload, source), source)
    if beside is None:
        return Module(digest, chosen.sm, cubin, None)
    return Module(digest, chosen.sm, cubin, _ptx(beside, source), _version(beside))


def _linked(cubin: bytes, source: str) -> bytes:
    """A relocatable cubin that needs no other, as it is loaded; any other comes back as it is."""
    from cass_shim.extract.elf import is_relocatable

    if not is_relocatable(cubin):
        return cubin
    from cass_shim.extract.linker import link_cubins

    return link_cubins([cubin], [source])


def _ptx(entry: FatbinEntry, source: str) -> PtxModule:
    return PtxModule(entry.payload.decode("utf-8", "surrogateescape"), entry.sm, source)


def _version(entry: FatbinEntry) -> int:
    return entry.ptx_version[0] * 10 + entry.ptx_version[1]


def module_manifest(module: Module, gfx: str) -> Manifest:
    """What the target process must know of a module."""
    if module.cubin is None and module.ptx is not None:
        from cass_shim.translate.ptx_hip import check

        check(module.ptx)
    data, _, _ = module.data
    images = tuple(ManifestImage(one.kind, one.size, one.align, one.content) for one in data)
    variables, relocations = _module_data(module)
    constant_bytes = sum(one.size for one in images if one.kind == "constant3")
    kernels = tuple(
        ManifestKernel(name, module.key(name, gfx).digest, abi, module.sm, module.ptx_version, constant_bytes)
        for name, abi in module.kernels.items()
    )
    return Manifest(module.digest, kernels, images, variables, relocations)


def _module_data(module: Module) -> tuple[tuple[ManifestVariable, ...], tuple[ManifestRelocation, ...]]:
    """Variables and the words of images that hold addresses or function tokens."""
    images, known, tokens = module.data
    variables = tuple(
        ManifestVariable(one.name, one.image, one.offset, one.size, one.visible, one.managed) for one in known
    )
    numbers = {one.name: number for number, one in enumerate(variables)}
    relocations = []
    for image, content in enumerate(images):
        for one in content.relocations:
            target: int | None = None
            if one.symbol in numbers:
                target, addend = numbers[one.symbol], one.addend
            elif one.symbol in tokens:
                addend = tokens[one.symbol] + one.addend
            else:
                raise Unsupported("relocation", why=f"module data refers to {one.symbol}, which it lacks")
            relocations.append(ManifestRelocation(image, one.offset, target, addend))
    return variables, tuple(relocations)
