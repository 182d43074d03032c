"""Where the built native files are.

In: the name of an output in `parts.py`. Out: its path in `_build/`, which is also where an installed package has it.
"""

from __future__ import annotations

from pathlib import Path

from cass_shim.model.errors import ToolFailed

BUILT = Path(__file__).resolve().parent / "_build"
EMULATED_HIP = "emulated/libamdhip64.so"


def built(output: str) -> Path:
    """The path of a built output. ToolFailed when it has not been built."""
    path = BUILT / output
    if not path.is_file():
        raise ToolFailed("locate", stderr=f"{output} is not built: run `python -m cass_shim.native.build`")
    return path


def emulated_hip() -> Path:
    """The emulated device's `libamdhip64.so`."""
    return built(EMULATED_HIP)
