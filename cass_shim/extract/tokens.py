"""The values of function pointers in a module that has machine code, by the functions' names in PTX.

In: a kernel of a cubin. Out: name → token, for translators that do not read the cubin themselves: every route must
agree on them, since one kernel stores a pointer and another calls through it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from cass_shim.model.artifacts import Cubin, CubinKernel

TABLE_BANK = 2
POINTER_BYTES = 8


def function_tokens(kernel: CubinKernel, cubin: Cubin) -> Mapping[str, int]:
    """Token by function name; empty when the module takes no function's address.

    Linked -rdc builds: the functions' own tokens. Whole-program builds: a pointer is an offset into the kernel's
    bank 2 table, whose words are addresses in the kernel's section; the offset is the same in every kernel of the
    module (recorded, nvcc 13.0, examples/virtual_call.cu). Where one kernel alone uses them there is no table, and a
    pointer is the address in its section (samples/scientific_computing/runge_kutta.cu).
    """
    if cubin.functions:
        return {name: function.token for name, function in cubin.functions.items()}
    names = {address: symbol.rpartition("$")[2] for symbol, address in kernel.symbols.items() if "$" in symbol}
    table = kernel.constants.get(TABLE_BANK, b"")
    words = struct.unpack_from(f"<{len(table) // POINTER_BYTES}Q", table)
    indexed = {names[word]: index * POINTER_BYTES for index, word in enumerate(words) if word in names}
    return indexed or {name: address for address, name in names.items() if not name.startswith("__internal")}
