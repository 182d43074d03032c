"""What the commands know of a program: its modules and kernels, and where the cache stands with each.

In: a file that holds CUDA code in any form. Out: `Found` rows. Nothing is executed and nothing translated.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cass_shim.cache.local import LocalTier, cache_root
from cass_shim.cache.record import Record
from cass_shim.extract.choice import choose_entries
from cass_shim.extract.elf import is_relocatable
from cass_shim.model.artifacts import EntryKind, Fatbin, FatbinEntry
from cass_shim.model.config import Config
from cass_shim.model.entry import read_entry
from cass_shim.model.errors import CassError, Malformed
from cass_shim.module import Module, make_module
from cass_shim.native import bindings

PROGRAM_LIMIT = 4 << 30  # bytes
READ_ADVICE = {
    errno.ENOENT: "no such file",
    errno.EISDIR: "a folder; name a file in it (`cass precompile` and `cass compat run` take folders)",
    errno.EACCES: "you may not read it",
}


def read_program(path: Path) -> bytes:
    """A file's bytes; Malformed with the reason when it cannot be read."""
    try:
        if path.stat().st_size > PROGRAM_LIMIT:
            raise Malformed("larger than 4 GiB", where=str(path))
        return path.read_bytes()
    except OSError as error:
        raise Malformed(READ_ADVICE.get(error.errno or 0, error.strerror or str(error)), where=str(path)) from error


def no_kernel(program: Path, known: Iterable[str], wanted: str) -> Malformed:
    """What to say when `wanted` ("" for any) is none of a program's kernels."""
    names = ", ".join(demangled(name) for name in known)
    if not names:
        return Malformed(
            "no CUDA kernels in it; libraries that it loads may hold them (ldd lists those)", where=str(program)
        )
    return Malformed(f"no kernel {wanted}; it has {names}", where=str(program))


def open_tier(config: Config) -> LocalTier | None:
    """The local cache as it stands; None where there is none yet."""
    root = cache_root(config)
    return LocalTier(root, int(config.number("cache_size")) << 20) if root is not None and root.is_dir() else None


@dataclass(frozen=True)
class FoundModule:
    """One fatbinary of a program. region: its bytes, as the program would register them."""

    number: int
    fatbin: Fatbin
    chosen: FatbinEntry
    region: bytes

    @cached_property
    def module(self) -> Module:
        """Its code; raises Malformed or Unsupported."""
        return make_module(self.chosen, self.fatbin.entries, self.fatbin.source)

    @property
    def digest(self) -> bytes:
        return hashlib.sha256(self.chosen.stored).digest()

    @property
    def entry_offset(self) -> int:
        """Of the chosen entry's header in `region`."""
        return self.chosen.offset

    @property
    def generations(self) -> str:
        """What it holds: "sm_80 sm_89 ptx_80"."""
        names = (f"{'ptx' if one.kind is EntryKind.PTX else 'sm'}_{one.sm}{one.variant}" for one in self.fatbin.entries)
        return " ".join(dict.fromkeys(names))


def find_modules(path: Path, config: Config) -> Iterator[FoundModule]:
    """The modules of a program, library, fatbinary, cubin or PTX file, each with the entry that would run."""
    from cass_shim.extract.fatbin import read_fatbins

    content = read_program(path)
    preferred = int(config.prefer_sm) if config.prefer_sm.isdigit() else 0
    for number, fatbin in enumerate(read_fatbins(content, str(path))):
        chosen, _ = choose_entries(fatbin.entries, preferred, config.needs_own_ptx)
        if chosen is not None and not _is_relocatable(chosen):
            yield FoundModule(number, fatbin, chosen, _region_bytes(content, fatbin))


def _is_relocatable(entry: FatbinEntry) -> bool:
    """The object of an -rdc build, which stays in the program beside the linked module and is never registered."""
    return entry.kind is EntryKind.ELF and is_relocatable(entry.payload)


def _region_bytes(content: bytes, fatbin: Fatbin) -> bytes:
    start = fatbin.offset
    if content[start : start + 4] != (0xBA55ED50).to_bytes(4, "little"):
        return content
    size = int.from_bytes(content[start + 6 : start + 8], "little")
    return content[start : start + size + int.from_bytes(content[start + 8 : start + 16], "little")]


@dataclass(frozen=True)
class KernelState:
    """One kernel. route and evidence are the cached answer's, or "" and the route that would be tried first.

    spilled: the code of launches with more shared memory than LDS has (CASS_SHARED=spill). launch_may_tell: its first
    launch is still to decide.
    """

    module: int
    kernel: str
    sm: int
    generations: str
    has_ptx: bool
    code_bytes: int
    registers: int
    shared_bytes: int
    local_bytes: int
    params_bytes: int
    key: str
    cache: str
    route: str
    evidence: str
    record: Record | None = None
    spilled: bool = False
    launch_may_tell: bool = False


def kernel_states(path: Path, config: Config) -> Iterator[KernelState | CassError]:
    """Every kernel of a program, in the file's order; a module that cannot be read is its error."""
    tier = open_tier(config)
    for found in find_modules(path, config):
        try:
            for name in found.module.kernels:
                yield from states_of(found, name, config, tier)
        except CassError as error:
            yield error


def states_of(found: FoundModule, name: str, config: Config, tier: LocalTier | None) -> list[KernelState]:
    """One kernel's state, and where launches may have more shared memory than LDS has that of their code behind it."""
    usual = _kernel_state(found, found.module, name, config, tier)
    if config.shared != "spill":
        return [usual]
    spilled = _kernel_state(found, found.module.for_spilled, name, config, tier)
    return [one for one in (usual, spilled) if one.record is not None] or [usual]


def _kernel_state(found: FoundModule, module: Module, name: str, config: Config, tier: LocalTier | None) -> KernelState:
    abi, key = module.kernels[name], module.key(name, config.gfx).digest
    entries = tier.get(key) if tier is not None else ()
    ready = tier.admitted(key, config) if tier is not None else None
    served = sorted((one for one in entries if one.content == ready), key=lambda one: -one.record.created)
    best = next(iter((*served, *entries)), None)
    return KernelState(
        module=found.number,
        kernel=name,
        sm=module.sm,
        generations=found.generations,
        has_ptx=module.ptx is not None,
        code_bytes=len(module.cubin.kernels[name].code) if module.cubin else 0,
        registers=abi.registers,
        shared_bytes=abi.shared_bytes,
        local_bytes=abi.local_bytes,
        params_bytes=abi.params_bytes,
        key=key.hex(),
        cache=_cache_state(key, ready is not None, bool(entries)),
        route=best.record.route if best else _first_route(module, config),
        evidence=best.record.evidence if best else "",
        record=best.record if best else None,
        spilled=module.spilled,
        launch_may_tell=best is not None and read_entry(best.content).launch_may_tell,
    )


def _cache_state(key: bytes, admitted: bool, stored: bool) -> str:
    """ready: a program runs it without the daemon; damaged: it is there and C refuses it; stored: the daemon has it."""
    if admitted:
        return "ready" if bindings.holds(key) else "damaged"
    return "stored" if stored else "absent"


def _first_route(module: Module, config: Config) -> str:
    """The first translator of the policy that has what it reads."""
    for name in config.translator_order:
        if module.ptx is not None if name == "ptx-hip" else module.cubin is not None:
            return f"{name}?"
    return "none"


@functools.cache
def _demangler() -> Any:
    """The C++ run time's demangler, or None."""
    try:
        demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    except (OSError, AttributeError):
        return None
    demangle.restype = ctypes.c_void_p
    demangle.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    return demangle


def demangled(name: str) -> str:
    """A name that a person reads; the mangled one where no demangler is at hand."""
    demangle = _demangler()
    if not name.startswith("_Z") or demangle is None:
        return name
    status = ctypes.c_int()
    text = demangle(name.encode(), None, None, ctypes.byref(status))
    return ctypes.string_at(text).decode(errors="replace") if text else name
