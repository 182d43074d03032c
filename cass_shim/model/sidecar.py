"""What a text or object file does not say about itself, so that any stage can be entered again from a file.

`--keep DIR` writes `K.R.json` beside `K.R.ll`, `K.R.hip` or `K.R.s` and `K.R.hsaco` (kernel K, route R).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cass_shim.model.artifacts import AmdgcnAsm, HipSource, LlvmModule
from cass_shim.model.errors import Malformed
from cass_shim.model.kernel_abi import AbiClass, KernelAbi, Param, Slot, SlotKind

Source = LlvmModule | HipSource | AmdgcnAsm
EXTENSIONS: Mapping[type[Source], str] = {LlvmModule: ".ll", HipSource: ".hip", AmdgcnAsm: ".s"}


@dataclass(frozen=True, slots=True)
class Sidecar:
    """kernel: the name in the program. symbol: its name in the code object."""

    kernel: str
    route: str
    symbol: str
    abi: KernelAbi
    slots: tuple[Slot, ...]
    contract: AbiClass = AbiClass.CASS1

    @property
    def bindings_offset(self) -> int:
        return self.abi.bindings_offset if self.contract is AbiClass.CASS1 else 0

    def source(self, extension: str, text: str) -> Source:
        """The artifact of a file's text; Malformed for an extension that is no source."""
        if extension == ".ll":
            return LlvmModule(text, self.symbol, self.slots)
        if extension == ".hip":
            return HipSource(text, self.symbol, self.slots)
        if extension == ".s":
            return AmdgcnAsm(text, self.symbol, self.contract, self.slots)
        raise Malformed(f"{extension or 'no extension'} is none of {', '.join(EXTENSIONS.values())}")


def describe(kernel: str, route: str, abi: KernelAbi, source: Source) -> Sidecar:
    """The sidecar of a translation."""
    contract = source.abi if isinstance(source, AmdgcnAsm) else AbiClass.CASS1
    return Sidecar(kernel, route, source.symbol, abi, source.slots, contract)


def write_sidecar(sidecar: Sidecar) -> str:
    """The sidecar's JSON."""
    value = {**asdict(sidecar), "contract": sidecar.contract.name}
    value["slots"] = [[slot.kind.name, slot.symbol, slot.addend] for slot in sidecar.slots]
    return json.dumps(value, indent=1, sort_keys=True) + "\n"


def read_sidecar(text: str, where: str = "sidecar") -> Sidecar:
    """The sidecar in JSON text; Malformed when it is none."""
    try:
        value: dict[str, Any] = json.loads(text)
        facts: dict[str, Any] = dict(value["abi"])
        facts["params"] = tuple(Param(**one) for one in facts["params"])
        if facts["required_block"] is not None:
            x, y, z = facts["required_block"]
            facts["required_block"] = (x, y, z)
        slots = tuple(Slot(SlotKind[kind], symbol, addend) for kind, symbol, addend in value["slots"])
        return Sidecar(
            value["kernel"],
            value["route"],
            value["symbol"],
            KernelAbi(**facts),
            slots,
            AbiClass[value["contract"]],
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Malformed(f"not a sidecar ({type(error).__name__}: {error})", where=where) from error
