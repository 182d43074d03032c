"""The cache key: what an answer must satisfy, never who produced it.

In: a kernel of a cubin, or of PTX text. Out: a `CacheKey`, whose digest names the record and the code entry.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, astuple, dataclass

from cass_shim.model.artifacts import Cubin, CubinKernel
from cass_shim.model.config import SCHEMA, joined_digest
from cass_shim.model.instruction import Relocation
from cass_shim.model.kernel_abi import AbiClass, KernelAbi

WAVE = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheKey:
    """Every field reaches the digest, preceded by its length; a field added later does so by itself.

    code: SHA-256 of the machine code (or PTX text and kernel name) with the functions it can reach.
    relocations: by symbol, with branch targets. constants: of the banks private to the kernel.
    spilled: code for launches whose shared memory is in an arena (KernelAbi.spilled).
    """

    schema: int = SCHEMA
    code: str
    relocations: str
    constants: str
    parameters: str
    sm: str
    gfx: str
    wave: int = WAVE
    contract: str = AbiClass.CASS1.name
    spilled: bool = False

    @property
    def digest(self) -> bytes:
        digest = joined_digest(*(str(value) for value in astuple(self)[:-1]))
        return spilled_key(digest) if self.spilled else digest


def spilled_key(key: bytes) -> bytes:
    """The key of a kernel's second code object, from its manifest's key. C computes the same (client.c)."""
    return joined_digest(key, "spilled")


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _symbolic(relocations: tuple[Relocation, ...]) -> list[list[object]]:
    return [[one.offset, one.kind, one.symbol, one.addend] for one in relocations]


def _facts(kernel: CubinKernel) -> str:
    """Everything about a function's code that is not in its bytes."""
    return _canonical(
        {
            "relocations": _symbolic(kernel.relocations),
            "bank4": {str(offset): _symbolic((one,)) for offset, one in kernel.bank4.items()},
            "targets": {str(address): list(targets) for address, targets in kernel.targets.items()},
            "symbols": dict(kernel.symbols),
        }
        | ({"references": {str(at): name for at, name in kernel.references.items()}} if kernel.references else {})
    )


def _constants(kernel: CubinKernel) -> str:
    return _canonical({str(bank): hashlib.sha256(content).hexdigest() for bank, content in kernel.constants.items()})


def _functions(cubin: Cubin) -> str:
    """Device functions that an indirect call may reach, with the tokens by which it reaches them."""
    digest = hashlib.sha256()
    for name, function in sorted(cubin.functions.items()):
        digest.update(joined_digest(name, function.code, _facts(function), _constants(function), str(function.token)))
    digest.update(joined_digest(*(str(address) for address in sorted(cubin.pointed))))
    return digest.hexdigest() if cubin.functions else ""


def sass_key(kernel: CubinKernel, cubin: Cubin, gfx: str) -> CacheKey:
    """The key of a kernel that has machine code."""
    return CacheKey(
        code=joined_digest(kernel.code, _functions(cubin)).hex(),
        relocations=_facts(kernel),
        constants=_constants(kernel),
        parameters=_parameters(kernel.abi),
        sm=f"sm_{kernel.sm}",
        gfx=gfx,
        spilled=kernel.abi.spilled,
    )


def ptx_key(text: str, kernel: str, abi: KernelAbi, gfx: str) -> CacheKey:
    """The key of a kernel of which only PTX is known."""
    return CacheKey(
        code=joined_digest(text, kernel).hex(),
        relocations="",
        constants="",
        parameters=_parameters(abi),
        sm="ptx",
        gfx=gfx,
        spilled=abi.spilled,
    )


def _parameters(abi: KernelAbi) -> str:
    facts = asdict(abi)
    del facts["spilled"]  # has a field of its own in the key
    return _canonical(facts)
