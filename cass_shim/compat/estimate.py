"""How sure a measured share is: pass@k without bias, and Wilson's interval.

In: counts. Out: shares between 0 and 1. Sources: Chen et al. 2021, «Evaluating Large Language Models Trained on
Code», equation 1; Wilson 1927.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Z95 = 1.959963984540054  # the normal distribution's 97.5th percentile


def pass_at(k: int, samples: int, right: int) -> float:
    """The chance that at least one of k samples is right, from `right` of `samples` that were; needs k <= samples."""
    assert 0 <= right <= samples and 1 <= k <= samples, (k, samples, right)
    if samples - right < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / count for count in range(samples - right + 1, samples + 1))


def mean_pass_at(k: int, counts: Sequence[tuple[int, int]]) -> float | None:
    """pass@k over problems, each (samples, right); None when no problem has k samples for it."""
    known = [pass_at(k, samples, right) for samples, right in counts if samples >= k]
    return sum(known) / len(known) if known and len(known) == len(counts) else None


def wilson(share: float, trials: int, z: float = Z95) -> tuple[float, float]:
    """The interval of a share over independent trials; (0, 1) when there were none."""
    if trials == 0:
        return (0.0, 1.0)
    bottom = 1 + z * z / trials
    middle = (share + z * z / (2 * trials)) / bottom
    reach = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / bottom
    return (max(0.0, middle - reach), min(1.0, middle + reach))
