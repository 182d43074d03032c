"""Assembly text to a code object: `AmdgcnAsm → CodeObject`."""

from __future__ import annotations

import dataclasses

from cass_shim.assemble import toolchain
from cass_shim.assemble.code_object import check_cass1_layout, parse_code_object
from cass_shim.model.artifacts import AmdgcnAsm, CodeObject
from cass_shim.model.kernel_abi import AbiClass, KernelAbi
from cass_shim.model.origin import origin_of


def assemble_text(source: AmdgcnAsm, abi: KernelAbi) -> CodeObject:
    """Assemble and link `source.text`; for `cass1` the kernarg layout is checked against `abi`.

    The provenance says what the text's first lines say of its origin (a model's answer) and the tools.
    Raises ToolFailed with the assembler's messages (line numbers are those of `source.text`), Malformed when
    the result is not one gfx1100 kernel named `source.symbol` with that layout.
    """
    elf = toolchain.link(toolchain.assemble_object(source.text))
    code = parse_code_object(
        elf, source.symbol, source.abi, source.slots, abi.bindings_offset, toolchain.toolchain().provenance
    )
    if source.abi is AbiClass.CASS1:
        check_cass1_layout(code, abi)
    return dataclasses.replace(code, provenance={**origin_of(source.text), **code.provenance, "route": "assembly text"})
