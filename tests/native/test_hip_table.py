"""The table of HIP entry points against what hip-python binds, and every entry against nonsense."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cass_shim.native import locate
from cass_shim.native.build import GENERATED, NATIVE, compiler
from cass_shim.native.emulator.hip_table import functions
from tests.native.hip_support import library, run_python

ROWS = {row.name: row for row in functions()}
PACKAGE = Path(library().hip.__file__).parent


def bound_names() -> set[str]:
    """Every symbol that the installed hip-python looks up in the library."""
    sources = [PACKAGE / "cyhip.pyx", PACKAGE / "chip.pyx"]
    text = next(path for path in sources if path.exists()).read_text()
    return set(re.findall(r'__init_symbol\(&\w+,"(\w+)"\)', text))


def test_every_function_of_hip_python_has_a_row() -> None:
    assert len(bound_names()) > 400
    assert bound_names() - ROWS.keys() == set()


def test_every_row_is_exported_and_nothing_else() -> None:
    listing = subprocess.run(
        [sys.executable, "-c", EXPORTS, str(locate.emulated_hip())], capture_output=True, text=True, check=True
    )
    exported = set(listing.stdout.split())
    assert ROWS.keys() - exported == set()
    assert {name for name in exported - ROWS.keys() if not name.startswith("cass_emu_")} <= {"run_asm"}


EXPORTS = """
import sys
from elftools.elf.elffile import ELFFile
symbols = ELFFile(open(sys.argv[1], "rb")).get_section_by_name(".dynsym")
print(*(s.name for s in symbols.iter_symbols() if s["st_shndx"] != "SHN_UNDEF"))
"""

SIZES = [
    "hipDeviceProp_t", "hipPointerAttribute_t", "hipFuncAttributes", "hip_Memcpy2D", "HIP_MEMCPY3D",
    "hipMemcpy3DParms", "hipResourceDesc", "HIP_RESOURCE_DESC", "HIP_TEXTURE_DESC", "hipResourceViewDesc",
    "hipTextureDesc", "hipMemPoolProps", "hipKernelNodeParams", "hipGraphNodeParams", "hipMemsetParams",
    "hipMemAllocNodeParams", "hipGraphInstantiateParams", "hipMemLocation", "hipMemAllocationProp",
    "hipLaunchConfig_t", "hipStreamBatchMemOpParams", "textureReference", "HIP_ARRAY3D_DESCRIPTOR",
    "hipMemcpy3DPeerParms", "hipMemAccessDesc", "hipHostNodeParams", "hipIpcMemHandle_t",
]  # fmt: skip


def test_structures_have_the_size_that_hip_python_was_compiled_with(tmp_path: Path) -> None:
    hip = library().hip
    source, program = tmp_path / "sizes.c", tmp_path / "sizes"
    prints = "".join(f'printf("%zu\\n", sizeof({name}));' for name in SIZES)
    source.write_text(f'#include "emulator/hip_types.h"\n#include <stdio.h>\nint main(void) {{{prints}}}\n')
    subprocess.run([*compiler(), "-I", str(NATIVE), "-I", str(GENERATED), str(source), "-o", str(program)], check=True)
    ours = [int(line) for line in subprocess.run([program], capture_output=True, text=True).stdout.split()]
    assert dict(zip(SIZES, ours, strict=True)) == {name: getattr(hip, name)().c_sizeof() for name in SIZES}


def test_error_numbers_and_names_agree_with_hip_python() -> None:
    hip, native = library().hip, library().native
    native.hipGetErrorName.restype = ctypes.c_char_p
    named = {error: native.hipGetErrorName(int(error)).decode() for error in hip.hipError_t}
    known = {error: name for error, name in named.items() if name != "hipErrorUnknown"}
    assert len(known) > 60
    assert all(int(getattr(hip.hipError_t, name)) == int(error) for error, name in known.items())


NONSENSE = """
import ctypes, sys, threading
from cass_shim.native import locate
from cass_shim.native.emulator.hip_table import functions
native = ctypes.CDLL(str(locate.emulated_hip()))
skip = {{"__hipPopCallConfiguration", "hipCreateChannelDesc"}}  # the second returns a structure by a hidden pointer
def sweep(value):
    for row in functions():
        if row.name in skip or "dim3" in row.parameters.split(",")[0]:
            continue
        count = 0 if row.parameters in ("", "void") else len(row.parameters.split(","))
        arguments = [ctypes.c_size_t(value)] * (count + 6)
        print(row.name, file=sys.stderr, flush=True)
        getattr(native, row.name)(*arguments)
{body}
print("alive")
"""
BODIES = {
    "nulls before any other call": "sweep(0)",
    "nulls from two threads": "t = [threading.Thread(target=sweep, args=(0,)) for _ in (1, 2)]\n"
    "for x in t: x.start()\nfor x in t: x.join()",
    "after fork": "import os\nnative.hipInit(0)\n"
    "pid = os.fork()\nif pid == 0:\n    sweep(0)\n    os._exit(7)\n"
    "assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7",
}


@pytest.mark.parametrize("body", BODIES)
def test_no_entry_crashes_on_nulls(body: str) -> None:
    done = run_python(NONSENSE.format(body=BODIES[body]))
    assert done.stdout == "alive\n", f"{body}: {done.returncode}: {done.stderr[-600:]}"


def test_stubs_say_so() -> None:
    stub = next(row for row in ROWS.values() if not row.implemented and row.returns == "hipError_t")
    assert getattr(library().native, stub.name)(*[None] * 12) == 801
    assert library().reason() == f"{stub.name} is not supported by the emulated device"


def test_get_proc_address_finds_every_row() -> None:
    native = library().native
    found = ctypes.c_void_p()
    for name in ROWS:
        assert native.hipGetProcAddress(name.encode(), ctypes.byref(found), 70200000, ctypes.c_uint64(0), None) == 0
        assert found.value == ctypes.cast(getattr(native, name), ctypes.c_void_p).value
    assert native.hipGetProcAddress(b"hipMemcpy", ctypes.byref(found), 70200000, ctypes.c_uint64(2), None) == 0
    assert found.value == ctypes.cast(native.hipMemcpy_spt, ctypes.c_void_p).value
    assert native.hipGetProcAddress(b"hipNoSuch", ctypes.byref(found), 70200000, ctypes.c_uint64(0), None) == 500
