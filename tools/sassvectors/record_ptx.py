"""Execute every PTX form on a real NVIDIA GPU: `python3 -m tools.sassvectors.record_ptx OUT.npz`.

Stores uint32 [forms, LANES, 4]: the 16 result bytes of each thread, 0xA5 where nothing was written.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from tools.record_examples import machine
from tools.sassvectors.forms import all_forms, module
from tools.sassvectors.inputs import LANES, inputs
from tools.sassvectors.record import Driver


def main(arguments: list[str]) -> None:
    """Compile for the GPU with ptxas, run each entry once."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder) / "forms.ptx", Path(folder) / "forms.cubin"
        source.write_text(module())
        subprocess.run(["ptxas", "-arch=sm_90", str(source), "-o", str(cubin)], check=True)
        image = cubin.read_bytes()
    driver = Driver()
    loaded = ctypes.c_void_p()
    driver.check("cuModuleLoadData", ctypes.byref(loaded), image)
    given, target = driver.allocate(LANES * 80), driver.allocate(LANES * 16)
    forms = all_forms()
    results = np.empty((len(forms), LANES, 4), np.uint32)
    for number, (name, _, _) in enumerate(forms):
        function = ctypes.c_void_p()
        driver.check("cuModuleGetFunction", ctypes.byref(function), loaded, f"t{number}".encode())
        words = inputs(name)
        driver.check("cuMemcpyHtoD_v2", given, words.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(words.nbytes))
        driver.check("cuMemsetD8_v2", target, ctypes.c_ubyte(0xA5), ctypes.c_size_t(LANES * 16))
        values = (ctypes.c_void_p * 2)(*(ctypes.cast(ctypes.pointer(p), ctypes.c_void_p) for p in (given, target)))
        driver.check("cuLaunchKernel", function, 1, 1, 1, LANES, 1, 1, 0, None, values, None)
        row = results[number]
        driver.check("cuMemcpyDtoH_v2", row.ctypes.data_as(ctypes.c_void_p), target, ctypes.c_size_t(row.nbytes))
    meta = {"machine": machine(), "forms": [[name, result, list(operands)] for name, result, operands in forms]}
    np.savez_compressed(arguments[0], meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), results=results)
    print(f"{len(forms)} forms recorded")


if __name__ == "__main__":
    main(sys.argv[1:])
