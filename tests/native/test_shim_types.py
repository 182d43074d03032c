"""Our declarations of CUDA's types against the vendor's headers: sizes, offsets, enumerators."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from cass_shim.api.c_types import CUDA_TYPES, enumerations
from tests.native.shim_support import NEED_GCC, TOOLKIT

HEADERS = TOOLKIT / "include"
pytestmark = [
    pytest.mark.skipif(bool(NEED_GCC), reason=NEED_GCC),
    pytest.mark.skipif(not (HEADERS / "cuda.h").exists(), reason="needs the CUDA headers"),
]

# Members of unions of fixed size that CUDA 13.1 to 13.5 made longer; ours are 13.5's.
LONGER_SINCE_13_0 = {
    "struct cudaConditionalNodeParams", "struct cudaEventRecordNodeParams", "struct cudaHostNodeParamsV2",
    "struct cudaExternalSemaphoreSignalNodeParamsV2", "struct cudaExternalSemaphoreWaitNodeParamsV2",
    "struct cudaKernelNodeParamsV2", "struct cudaMemsetParamsV2", "struct CUDA_EVENT_RECORD_NODE_PARAMS_st",
    "struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st", "struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st",
    "struct CUDA_HOST_NODE_PARAMS_v2_st", "struct CUdevSmResource_st",
}  # fmt: skip
# Counts, and a set of flags, that grow with every version.
GROWS = re.compile(r"_MAX$|Max$|reserved|_NUM_OPTIONS$|TypeCount$|^CU_COREDUMP_LIGHTWEIGHT_FLAGS$")
OURS_ONLY = re.compile(r"_v1[12]$|^struct (surfaceReference|textureReference|cudaTextureDesc_v2|cudaLaunchParams)$")
MEMBER = r"[a-zA-Z]\w*(?:\[\w+\])*"
MEMBERS = re.compile(rf"  [a-zA-Z][\w ]* \**({MEMBER}(?:, {MEMBER})*);")
TYPES_TEXT = CUDA_TYPES.read_text()


def structures() -> dict[str, list[str]]:
    """Our structures with the plain members of their first level."""
    found = {}
    for match in re.finditer(r"^(?:typedef )?(struct \w+) \{\n(.*?)^\}", TYPES_TEXT, re.MULTILINE | re.DOTALL):
        lines = [line for line in match[2].splitlines() if MEMBERS.fullmatch(line)]
        lines = [MEMBERS.sub(r"\1", line) for line in lines]
        found[match[1]] = [part.split("[")[0] for line in lines for part in line.split(", ")]
    return found


def measure(
    include: str, names: dict[str, list[str]], enumerators: list[str], folder: Path, *flags: str
) -> dict[str, int]:
    """Sizes, offsets and values as a C program sees them; what a header lacks is left out."""
    values = {f"sizeof {name}": f"sizeof({name})" for name in names}
    values |= {f"{name}.{member}": f"offsetof({name}, {member})" for name in names for member in names[name]}
    values |= {name: name for name in enumerators}
    while True:
        keys = list(values)
        text = f"#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n{include}\nint main(void) {{\n"
        for number, key in enumerate(keys):
            text += f'#line {number + 1} "values"\nprintf("%lld\\n", (long long)({values[key]}));\n'
        source = folder / "measure.c"
        source.write_text(text + "return 0; }\n")
        done = subprocess.run(
            ["gcc", "-w", str(source), "-o", str(folder / "measure"), "-fmax-errors=0", *flags],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            break
        wrong = {int(number) for number in re.findall(r"^values:(\d+):\d+: error", done.stderr, re.MULTILINE)}
        assert wrong, done.stderr[:2000]
        values = {key: values[key] for number, key in enumerate(keys, 1) if number not in wrong}
    printed = subprocess.run([folder / "measure"], capture_output=True, text=True, check=True).stdout.split()
    return dict(zip(values, map(int, printed), strict=True))


def test_layouts_and_values_are_the_vendors(tmp_path: Path) -> None:
    names = {name: members for name, members in structures().items() if not OURS_ONLY.search(name)}
    enumerators = sorted({name for values in enumerations().values() for name, _ in values})
    vendor = "#include <cuda_runtime_api.h>\n#include <cuda.h>"
    theirs = measure(vendor, names, enumerators, tmp_path, f"-I{HEADERS}")
    ours = measure(f'#include "{CUDA_TYPES}"', names, enumerators, tmp_path)
    different = {key: (ours.get(key), theirs[key]) for key in theirs if ours.get(key) != theirs[key]}
    different = {key: pair for key, pair in different.items() if key.removeprefix("sizeof ") not in LONGER_SINCE_13_0}
    different = {key: pair for key, pair in different.items() if not GROWS.search(key)}
    assert not different
    assert len([key for key in theirs if key.startswith("sizeof")]) > 120
    assert len([key for key in theirs if "." in key]) > 400
    assert len([key for key in theirs if key in set(enumerators)]) > 1500


def test_no_vendor_header_is_included() -> None:
    included = set()
    for path in CUDA_TYPES.parent.parent.rglob("*.[ch]"):
        if "_build" not in path.parts:
            included |= set(re.findall(r'#include [<"]([^>"]+)[>"]', path.read_text()))
    assert not {
        name for name in included if name.startswith(("cuda.h", "cuda_runtime", "driver_types", "vector_types"))
    }
