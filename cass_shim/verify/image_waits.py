"""Registers of image instructions (MIMG), for the check of waits. Fields: AMD's RDNA3 ISA manual, "MIMG"."""

from __future__ import annotations

from collections.abc import Iterator

VGPR = 256
SGPRS = 108
_COORDINATES = {0: 1, 1: 2, 2: 3, 3: 3, 4: 2, 5: 3}  # by DIM; what an instruction needs beyond is not looked at


def returns(name: str, low: int) -> bool:
    """Whether it writes vector registers when it is done."""
    if "atomic" in name:
        return bool(low >> 14 & 1)
    return "store" not in name


def data(name: str, low: int, high: int) -> tuple[int, ...]:
    """The registers of its data or result."""
    count = 4 if "gather4" in name else (low >> 8 & 0xF).bit_count()
    if low >> 17 & 1:  # two halves a register
        count = (count + 1) // 2
    first = VGPR + (high >> 8 & 0xFF)
    return tuple(range(first, first + max(count, 1)))


def touched(name: str, words: tuple[int, ...]) -> Iterator[int]:
    """Registers that it reads at once: addresses, descriptors, and the data of stores and atomics."""
    low, high = words[0], words[1]
    count = _COORDINATES.get(low >> 2 & 7, 1)
    if low >> 16 & 1:
        count = (count + 1) // 2
    first = high & 0xFF
    if low & 1:  # every address has a register of its own
        following = [words[2] >> 8 * k & 0xFF for k in range(4)]
        yield from (VGPR + a for a in [first, *following][:count])
    else:
        yield from range(VGPR + first, VGPR + first + count)
    image = (high >> 16 & 0x1F) * 4
    yield from (r for r in range(image, image + 8) if r < SGPRS)
    if "sample" in name or "gather4" in name:
        sampler = (high >> 26 & 0x1F) * 4
        yield from (r for r in range(sampler, sampler + 4) if r < SGPRS)
    if "store" in name or "atomic" in name:
        yield from data(name, low, high)
