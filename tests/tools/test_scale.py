"""Extraction takes time as the number of kernels grows, not as its square; generated cubins are what the bench says."""

from __future__ import annotations

import time

from cass_shim.decode import decode_kernel
from cass_shim.extract.cubin import read_cubin
from tools.bench.scale import TEMPLATE, exponent
from tools.bench.scale_cubin import NUMBER, cubin


def test_copies_of_a_kernel_differ_in_their_number_only() -> None:
    one, many = read_cubin(TEMPLATE.read_bytes()), read_cubin(cubin(TEMPLATE.read_bytes(), 300, 200))
    plain = one.kernels["k"]
    assert [*many.kernels] == [f"k{number}" for number in range(300)]
    for number in (0, 7, 199, 200, 299):
        kernel = many.kernels[f"k{number}"]
        assert kernel.abi == plain.abi
        assert kernel.code == plain.code.replace(NUMBER, (number % 200 + 1).to_bytes(4, "little"))
    assert decode_kernel(many.kernels["k299"], many).instructions[-1].mnemonic == "NOP"


def seconds(content: bytes) -> float:
    """Processor time of reading a cubin; the best of three."""
    found = []
    for _ in range(3):
        began = time.process_time()
        read_cubin(content)
        found.append(time.process_time() - began)
    return min(found)


def test_reading_a_cubin_takes_time_as_its_kernels() -> None:
    sizes = (400, 800, 1600)  # 1600 took 2.6 s when every kernel looked through all sections
    assert exponent(sizes, [seconds(cubin(TEMPLATE.read_bytes(), size)) for size in sizes]) < 1.5
