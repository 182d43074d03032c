"""The floating-point kinds of `isa.emitter` as bit patterns. Source: IEEE 754-2019 §3.4; bf16: PTX ISA, data types."""

WIDTH = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
SIGN = {kind: 1 << width - 1 for kind, width in WIDTH.items()}
EXPONENT = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F80_0000, "f64": 0x7FF0 << 48}  # its bits, which are infinity
ONE = {"f16": 0x3C00, "bf16": 0x3F80, "f32": 0x3F80_0000, "f64": 0x3FF0 << 48}
PACKED = {"f16x2": "f16", "bf16x2": "bf16"}  # two to a register


def pattern(kind: str, number: dict[str, int]) -> int:
    """One of these numbers, in both halves of a packed kind."""
    bits = number[PACKED.get(kind, kind)]
    return bits << 16 | bits if kind in PACKED else bits
