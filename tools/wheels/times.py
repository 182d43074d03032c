"""How long decoding, lifting and compiling take, against their limits."""

from __future__ import annotations

from collections.abc import Sequence

MEDIAN_MS, LATE_MS = 50, 500  # of processor time; what cold translation may take


def times(milliseconds: Sequence[int]) -> str:
    """Median and 95th percentile against their limits."""
    if not milliseconds:
        return "no kernel was compiled"
    ordered = sorted(milliseconds)
    middle, late = (ordered[min(len(ordered) - 1, len(ordered) * part // 100)] for part in (50, 95))
    return (
        f"decoding, lifting and compiling take {middle} ms in the middle (limit {MEDIAN_MS}) and {late} ms at the 95th "
        f"percentile (limit {LATE_MS}) of {len(ordered)} kernels"
    )
