"""The HIP assembly that clang makes of one kernel of a `.cu` file, as a CASS model would answer it.

Only the device part of the file is compiled (everything in front of `int main`), with `device.h` in place of CUDA's
headers and with every other kernel turned into an unused device function.
"""

from __future__ import annotations

import re
from pathlib import Path

from cass_shim.assemble import toolchain
from cass_shim.assemble.hip import FLAGS

HEADER = Path(__file__).with_name("device.h")


def kernels_of(source: str) -> list[str]:
    """Names of the kernels in a file, as written."""
    return re.findall(r"__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(", source)


def device_part(source: str, kernel: str) -> str:
    """The file without its includes and host code, with `kernel` as its only kernel."""
    kept = source.split("\nint main", 1)[0]
    kept = re.sub(r"^#include.*$", "", kept, flags=re.MULTILINE)
    kept = re.sub(r"^static [^\n]*(?:CUDART_CB|std::)[^\n]*\n(?:.*?^}\n)?", "", kept, flags=re.MULTILINE | re.DOTALL)
    for other in kernels_of(kept):
        if other != kernel:
            kept = re.sub(rf"__global__(\s+void\s+{other}\s*\()", r"static __device__\1", kept)
    return HEADER.read_text() + kept


def compile_kernel(path: Path, kernel: str) -> str:
    """Assembly text of the kernel. Raises ToolFailed with clang's messages."""
    text = device_part(path.read_text(), kernel)
    with toolchain.scratch_directory() as directory:
        (directory / "kernel.hip").write_text(text)
        flags = [*FLAGS, "-fms-extensions", "-fdeclspec", "-S", "kernel.hip", "-o", "kernel.s"]
        toolchain.run_tool(toolchain.toolchain().clang, flags, directory)
        return (directory / "kernel.s").read_text()
