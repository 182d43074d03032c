"""Running a block on either side: all warps, from barrier to barrier.

In: kernel, code object, launch bounds. Out: a `Side` each: the accesses in global and shared memory, and under which
conditions a loop left its bound. Warps run one after another between two barriers, which is one of the orders that a
kernel without data races allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from cass_shim.isa.sass.memory import shape
from cass_shim.model.artifacts import CodeObject, SassKernel
from cass_shim.verify.program import prepare
from cass_shim.verify.proof.lanes import Unknown
from cass_shim.verify.proof.launch import Domain
from cass_shim.verify.proof.memory import Memory
from cass_shim.verify.proof.rdna3.image import Image, read_image
from cass_shim.verify.proof.rdna3.memory import access_bytes
from cass_shim.verify.proof.rdna3.wave import Wave
from cass_shim.verify.proof.sass import SassWarp
from cass_shim.verify.proof.terms import Term

_GLOBAL = frozenset({"LDG", "STG", "LD", "ST"})
_SHARED = frozenset({"LDS", "STS"})
_LOCAL = frozenset({"LDL", "STL"})
_SPACES = (("global", _GLOBAL), ("shared", _SHARED), ("local", _LOCAL))
_BANKS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2}  # narrow reads of constant banks, which lie in global memory
WORD = 4


class Runner(Protocol):
    """A warp or a wave."""

    beyond: list[Term]

    @property
    def parked(self) -> object: ...
    def run(self) -> None: ...


@dataclass
class Side:
    """What one side did. beyond: conditions under which a loop runs more often than the bound. lds_bytes: what a code
    object asks for, without dynamic shared memory."""

    memories: dict[str, Memory]
    beyond: list[Term] = field(default_factory=list)
    phases: int = 1
    lds_bytes: int = 0


def cells(kernel: SassKernel, image: Image) -> dict[str, int]:
    """Bytes of a cell of each memory: the narrowest access of either side."""
    found = {"global": WORD, "shared": WORD, "local": WORD}
    for i in (i for part in (kernel, *kernel.callees.values()) for i in part.instructions):
        for space, names in _SPACES:
            if i.mnemonic in names:
                found[space] = min(found[space], shape(i)[0] // 8)
        if i.mnemonic in ("LDC", "ULDC", "LDCU"):
            found["global"] = min([found["global"], *(_BANKS[m] for m in i.modifiers if m in _BANKS)])
    for operations in image.code.values():
        for o in operations:
            space = {"DS": "shared", "SCRATCH": "local"}.get(o.row.encoding, "global")
            width = access_bytes(o.name)
            if width is not None:
                found[space] = min(found[space], width)
    return found


def _run(runners: Sequence[Runner], side: Side) -> Side:
    """All warps up to a barrier, again and again until none waits at one."""
    while True:
        for one in runners:
            one.run()
        if not any(one.parked for one in runners):
            break
        side.phases += 1
        for memory in side.memories.values():
            memory.barrier()
    side.beyond = [condition for one in runners for condition in one.beyond]
    return side


def execute(kernel: SassKernel, code: CodeObject, domain: Domain, unroll: int) -> tuple[Side, Side]:
    """Both sides of one block. Raises Unknown."""
    image = read_image(code)
    program = prepare(kernel, {}, b"")
    sizes = cells(kernel, image)
    sides = []
    for _ in range(2):
        memories = {name: Memory(domain.terms, name, cell, own=name == "global") for name, cell in sizes.items()}
        sides.append(Side(memories))
    one, other = sides
    other.lds_bytes = image.lds_bytes
    bindings = code.bindings_offset
    _run([SassWarp(program, domain, n, one.memories, unroll) for n in range(domain.warps)], one)
    waves = [Wave(image, code.slots, bindings, domain, n, other.memories, unroll) for n in range(domain.warps)]
    _run(waves, other)
    if domain.one_for_all and (one.phases > 1 or one.memories["shared"].writes or other.memories["shared"].writes):
        raise Unknown("warps of a block meet: the block's shape must be given")
    return one, other


def alone(kernel: SassKernel) -> bool:
    """Whether no warp of a block can know of another: neither shared memory nor barriers."""
    code = (i for part in (kernel, *kernel.callees.values()) for i in part.instructions)
    return not any(i.mnemonic in (*_SHARED, "BAR", "ATOMS", "LDSM", "LDGSTS") for i in code)
