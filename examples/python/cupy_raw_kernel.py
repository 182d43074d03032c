"""CuPy's RawKernel: `cass-run python3 examples/python/cupy_raw_kernel.py`, after `pip install cupy-cuda12x`.

CuPy compiles the source with NVRTC (a package, no GPU needed: nvidia-cuda-nvrtc-cu12) and hands the result to the
driver.
"""

from __future__ import annotations

import sys

import cupy
import numpy as np

SOURCE = r"""
extern "C" __global__ void scale(const float *x, float *y, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor * x[i];
}
"""


def main() -> int:
    """Run it and compare with numpy."""
    scale = cupy.RawKernel(SOURCE, "scale")
    held = np.arange(1000, dtype=np.float32)
    x, y = cupy.asarray(held), cupy.empty(1000, dtype=cupy.float32)
    scale((8,), (128,), (x, y, np.float32(2.5), np.int32(1000)))
    wrong = int((y.get() != 2.5 * held).sum())
    print(f"cupy_raw_kernel: {held.size - wrong} of {held.size} right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
