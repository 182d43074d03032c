"""A numba-cuda program: `cass-run python3 examples/python/numba_saxpy.py`, after `pip install 'numba-cuda[cu12]'`.

numba compiles the kernel to PTX with NVIDIA's NVVM (a package, no GPU needed) and hands it to the driver.
"""

from __future__ import annotations

import sys

import numpy as np
from numba import cuda


@cuda.jit
def saxpy(a, x, y):  # type: ignore[no-untyped-def]
    """y += a * x."""
    i = cuda.grid(1)
    if i < y.size:
        y[i] += a * x[i]


def main() -> int:
    """Run it and compare with numpy."""
    x = np.arange(1000, dtype=np.float32)
    y = np.ones_like(x)
    device = cuda.to_device(y)
    saxpy[8, 128](np.float32(2.0), cuda.to_device(x), device)
    wrong = int((device.copy_to_host() != y + 2 * x).sum())
    print(f"numba_saxpy: {x.size - wrong} of {x.size} right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
