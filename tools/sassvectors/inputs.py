"""The inputs of a probe, which the package's own self-test computes too."""

from __future__ import annotations

from cass_shim.selftest.inputs import LANES, SPECIAL, WORDS, inputs, seed_of, splitmix

__all__ = ["LANES", "SPECIAL", "WORDS", "inputs", "seed_of", "splitmix"]
