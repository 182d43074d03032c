"""The text `cuobjdump -sass` prints for one kernel, byte for byte: what the CASS model was trained on.

In: a cubin and a kernel's name. Out: text.
"""

from __future__ import annotations

import os
import subprocess
import tempfile

from cass_shim.decode.nvdisasm import TIMEOUT_S, find_tool
from cass_shim.model.artifacts import Cubin
from cass_shim.model.errors import Malformed, ToolFailed


def print_sass(cubin: Cubin, kernel: str) -> str:
    """`cuobjdump -sass -fun kernel` of the cubin, as printed. Raises Malformed when the tool refuses the cubin."""
    tool = find_tool("cuobjdump")
    search = os.pathsep.join((os.path.dirname(find_tool("nvdisasm")), os.environ.get("PATH", "")))
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin.content)
        file.flush()
        command = [tool, "-sass", "-fun", kernel, file.name]
        environment = {**os.environ, "PATH": search}
        try:
            done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False, env=environment)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ToolFailed("cuobjdump", command=" ".join(command), stderr=str(error)) from None
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode or f"Function : {kernel}" not in text:
        stderr = done.stderr.decode("utf-8", "replace").strip() or "the kernel is not in its output"
        raise Malformed(f"cuobjdump: {stderr.splitlines()[0]}", where=cubin.source)
    return text
