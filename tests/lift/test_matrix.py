"""Matrix instructions of integers and bits, against products of whole matrices.

The fragments are spread over the lanes as the PTX ISA draws them for mma.sync: with g = lane / 4 and t = lane % 4, a
register of A holds row g (then g + 8), one of B column g, and each the t-th run of elements of its block of k.
"""

from __future__ import annotations

import numpy as np
import pytest

from cass_shim.isa.emitter import Product
from cass_shim.verify.matrices import multiply
from tests.lift.support import HEAD, kernel, run

A, B, C, D = range(16, 20), range(20, 22), range(24, 28), range(28, 32)  # registers
CASES = [
    (name, shape, bits, kinds, tail)
    for name, shape, bits in (
        ("IMMA.8816", (8, 8, 16), 8),
        ("IMMA.16832", (16, 8, 32), 8),
        ("IMMA.8832", (8, 8, 32), 4),
        ("IMMA.16832", (16, 8, 32), 4),
        ("IMMA.16864", (16, 8, 64), 4),
    )
    for kinds in ("SS", "UU", "SU", "US")
    for tail in ("", "SAT")
] + [
    (name, shape, 1, operation, "POPC")
    for name, shape in (("BMMA.88128", (8, 8, 128)), ("BMMA.168128", (16, 8, 128)), ("BMMA.168256", (16, 8, 256)))
    for operation in ("AND", "XOR")
]


def spread(rows: np.ndarray, bits: int) -> list[np.ndarray]:
    """A (rows × k) or B transposed (columns × k) as registers of 32 lanes, in the order of the operand."""
    each = 32 // bits
    count, depth = rows.shape
    registers = []
    for block in range(0, depth, 4 * each):
        for first in range(0, count, 8):
            part = rows[first : first + 8, block : block + 4 * each].reshape(32, each).astype(np.uint64)
            packed = (part & np.uint64((1 << bits) - 1)) << (np.arange(each, dtype=np.uint64) * np.uint64(bits))
            registers.append(packed.sum(axis=1).astype(np.uint32))
    return registers


def expected(a: np.ndarray, b: np.ndarray, c: np.ndarray, operation: str, tail: str) -> np.ndarray:
    """c + a b, or how many bits the operation leaves set."""
    if operation == "XOR":
        products = (a[:, None, :] ^ b.T[None, :, :]).sum(axis=2)
    else:
        products = a @ b
    total = c + products
    return np.asarray(np.clip(total, -(2**31), 2**31 - 1) if tail == "SAT" else total)


@pytest.mark.parametrize(("name", "shape", "bits", "kinds", "tail"), CASES)
def test_integers(name: str, shape: tuple[int, int, int], bits: int, kinds: str, tail: str) -> None:
    m, n, k = shape
    random = np.random.default_rng(bits * k + len(tail))
    signs = kinds if bits > 1 else "UU"
    low, high = zip(*((-(1 << bits - 1), 1 << bits - 1) if s == "S" else (0, 1 << bits) for s in signs), strict=True)
    a, b = random.integers(low[0], high[0], (m, k)), random.integers(low[1], high[1], (k, n))
    c = random.choice([0, 7, -9, 2**31 - 5, -(2**31) + 5], (m, n))
    wanted = expected(a, b, c, kinds, tail).astype(np.int64) & 0xFFFF_FFFF

    fragments = [spread(a, bits), spread(b.T, bits), accumulators(c)]
    types = f"{kinds[0]}{bits}.{kinds[1]}{bits}" if bits > 1 else kinds
    tail_text = f".{tail}" if tail else ""
    found = run(kernel(program(f"{name}.{types}{tail_text}", [len(f) for f in fragments])), given(fragments), 32 * 8)
    results = found.reshape(32, 8)[:, : len(fragments[2])].T
    assert whole(results, m).tolist() == wanted.tolist()

    lanes = [[np.ascontiguousarray(r) for r in f] for f in fragments]
    if bits == 1:
        kind_a = kind_b = f"b1.{kinds.lower()}"
    else:
        kind_a, kind_b = (f"{s.lower()}{bits}" for s in kinds)
    said = multiply(Product(f"m{m}n{n}k{k}", kind_a, kind_b, "s32.sat" if tail == "SAT" else "s32"), *lanes)
    assert whole(np.stack(said), m).tolist() == wanted.tolist()


def accumulators(c: np.ndarray) -> list[np.ndarray]:
    """Rows g and g + 8, columns 2t and 2t + 1."""
    halves = [c[first : first + 8] for first in range(0, len(c), 8)]
    return [(half[:, one::2].reshape(32) & 0xFFFF_FFFF).astype(np.uint32) for half in halves for one in range(2)]


def whole(registers: np.ndarray, m: int) -> np.ndarray:
    """The inverse of accumulators."""
    found = np.zeros((m, 8), dtype=np.int64)
    for number, register in enumerate(registers):
        found[8 * (number // 2) : 8 * (number // 2) + 8, number % 2 :: 2] = register.reshape(8, 4)
    return found


def given(fragments: list[list[np.ndarray]]) -> np.ndarray:
    """Twelve words a lane: A from 0, B from 4, C from 8."""
    words = np.zeros((32, 12), dtype=np.uint32)
    for first, registers in zip((0, 4, 8), fragments, strict=True):
        for number, register in enumerate(registers):
            words[:, first + number] = register
    return words.reshape(-1)


def program(opcode: str, counts: list[int]) -> str:
    """Each lane loads its words, and stores what the instruction gives."""
    wide = HEAD.replace("MOV R7, 0x4", "MOV R7, 0x30\n    MOV R8, 0x20").replace("R2, R0, R7", "R2, R0, R8")
    loads = [f"LDG.E R{r}, [R4.64+{4 * (first + k):#x}]" for first, regs in ((0, A), (4, B), (8, C)) for k, r in
             enumerate(regs)]  # fmt: skip
    stores = [f"STG.E [R2.64+{4 * k:#x}], R{D[k]}" for k in range(counts[2])]
    line = f"{opcode} R{D[0]}, R{A[0]}.ROW, R{B[0]}.COL, R{C[0]}"
    return "\n".join([wide, *loads, line, *stores, "EXIT"])
