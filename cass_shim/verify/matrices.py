"""Matrix multiply-accumulate of the reference: every product added in order of k with one rounding each.

In: fragments as the PTX ISA's mma.sync lays them out, one uint32 array per register. Out: the result's registers.
NVIDIA does not define the order or the width of the internal sums (PTX ISA 9.0, mma: "unspecified"); this is our
definition, the lifter's too. How an H200 adds is known (`tests/isa/sass/tensor_sums.py`), ours stays as near to that as
another order of the terms would.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from cass_shim.isa.emitter import Product
from cass_shim.model.errors import Unsupported
from cass_shim.verify import floats
from cass_shim.verify.arithmetic import Value

_KINDS = ("f16", "bf16", "tf32", "f64", "s8", "u8", "s4", "u4", "b1.and", "b1.xor", "e4m3", "e5m2")
_MARKS = {"f16": "mark16", "bf16": "mark16"}  # how masks of elements are read


def _elements(kind: str, registers: list[Value]) -> Value:
    """One register (or pair, for f64) per lane to (lanes, elements) of the kind's own accumulating type."""
    if kind == "f64":
        low, high = registers
        return (low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32))[:, None]
    (register,) = registers
    if kind == "tf32":
        return (register & np.uint32(0xFFFF_E000))[:, None]
    if kind in ("s4", "u4"):
        nibbles = register[:, None] >> np.arange(0, 32, 4, dtype=np.uint32) & np.uint32(0xF)
        return (nibbles ^ np.uint32(8)) - np.uint32(8) if kind == "s4" else nibbles
    if kind in ("b1.and", "b1.xor"):
        return register[:, None] >> np.arange(32, dtype=np.uint32) & np.uint32(1)
    octets = np.ascontiguousarray(register).view(np.uint8).reshape(len(register), 4)
    if kind == "mark16":
        return octets.view(np.uint16)
    if kind in ("s8", "u8"):
        return octets.view(np.int8).astype(np.int32).view(np.uint32) if kind == "s8" else octets.astype(np.uint32)
    if kind in ("e4m3", "e5m2"):
        return _eight(kind)[octets]
    halves = octets.view(np.uint16)
    return floats.float_to_float("f32", kind, halves)


@cache
def _eight(kind: str) -> Value:
    """f32 bits of all 256 eight-bit floats: one sign, four or five bits of exponent, the rest mantissa (OCP FP8)."""
    mantissa, bias = (3, 7) if kind == "e4m3" else (2, 15)
    code = np.arange(256)
    exponent, fraction = (code & 0x7F) >> mantissa, code & (1 << mantissa) - 1
    size = np.where(exponent == 0, fraction * 2.0**-mantissa * 2, 1 + fraction * 2.0**-mantissa)
    value = np.where(code & 0x80, -1, 1) * size * 2.0 ** (exponent.astype(np.float64) - bias)
    if kind == "e4m3":
        value[(code & 0x7F) == 0x7F] = np.nan  # no infinities
    else:
        top = exponent == 31
        value[top] = np.where(fraction[top] == 0, np.where(code[top] & 0x80, -np.inf, np.inf), np.nan)
    bits = value.astype(np.float32).view(np.uint32)
    bits.setflags(write=False)
    return bits


def _rows(kind: str, registers: list[Value], warps: int) -> Value:
    """Registers of consecutive k blocks to (warps, 8 rows or columns, k)."""
    step = 2 if kind == "f64" else 1
    blocks = []
    for first in range(0, len(registers), step):
        part = _elements(kind, registers[first : first + step])
        blocks.append(part.reshape(warps, 8, 4 * part.shape[1]))
    return np.concatenate(blocks, axis=2)


def multiply(
    kinds: Product, a: list[Value], b: list[Value], c: list[Value], present: Sequence[Value] = ()
) -> list[Value]:
    """d = a b + c for every warp; all arrays are (lanes,) uint32. Raises Unsupported for kinds without a rule.

    present: masks of the elements of a that are multiplied at all; none: all.
    """
    shape, a_kind, b_kind, d_kind = kinds
    if a_kind not in _KINDS or b_kind not in _KINDS:
        raise Unsupported(f"matrix of {a_kind} and {b_kind}")
    warps = len(a[0]) // 32
    words = 2 if a_kind == "f64" else 1
    tall = 2 if shape.startswith("m16") else 1
    groups = [a[n : n + words] for n in range(0, len(a), words)]
    rows = [_rows(a_kind, [r for g in groups[half::tall] for r in g], warps) for half in range(tall)]
    marks = [_rows(_MARKS.get(a_kind, a_kind), list(present[half::tall]), warps) for half in range(tall) if present]
    columns = _rows(b_kind, b, warps)
    lane = np.arange(32)
    results = []
    for index, start in enumerate(_accumulators(d_kind, c)):
        row = rows[index // 2][:, lane // 4, :]
        column = columns[:, 2 * (lane % 4) + index % 2, :]
        if d_kind[0] == "s":  # zeros add nothing
            results.append(_whole(a_kind, d_kind, row, column, start))
            continue
        mark = marks[index // 2][:, lane // 4, :] != 0 if marks else None
        results.append(_dot(d_kind, row, column, start, mark))
    return _registers(d_kind, results)


def _whole(a_kind: str, d_kind: str, row: Value, column: Value, start: Value) -> Value:
    """Integers; row, column: (warps, 32, k). start: (lanes,)."""
    products = row ^ column if a_kind == "b1.xor" else row * column
    total = products.sum(axis=2, dtype=np.uint32).reshape(-1)
    if d_kind == "s32":
        return start + total
    wide = start.view(np.int32).astype(np.int64) + total.view(np.int32)
    limits = np.iinfo(np.int32)
    return np.clip(wide, limits.min, limits.max).astype(np.int32).view(np.uint32)


def _dot(d_kind: str, row: Value, column: Value, start: Value, mark: Value | None) -> Value:
    """Floats; row, column, mark: (warps, 32, k). start: (lanes,). mark: which products there are."""
    kind = "f64" if d_kind == "f64" else "f32"
    total = start
    for k in range(row.shape[2]):
        x, y = (np.ascontiguousarray(m[:, :, k]).reshape(-1) for m in (row, column))
        more = floats.ffma(kind, x, y, total)
        total = more if mark is None else np.where(mark[:, :, k].reshape(-1), more, total)
    return total


def _accumulators(kind: str, c: list[Value]) -> list[Value]:
    if kind == "f64":
        wide = [r.astype(np.uint64) for r in c]
        return [wide[n] | wide[n + 1] << np.uint64(32) for n in range(0, len(c), 2)]
    if kind == "f16":
        halves = [(r >> np.uint32(s)).astype(np.uint16) for r in c for s in (0, 16)]
        return [floats.float_to_float("f32", "f16", h) for h in halves]
    return c


def _registers(kind: str, d: list[Value]) -> list[Value]:
    if kind == "f64":
        return [part for v in d for part in (v.astype(np.uint32), (v >> np.uint64(32)).astype(np.uint32))]
    if kind == "f16":
        halves = [floats.float_to_float("f16", "f32", v).astype(np.uint32) for v in d]
        return [halves[n] | halves[n + 1] << np.uint32(16) for n in range(0, len(d), 2)]
    return d
